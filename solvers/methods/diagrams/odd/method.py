"""ODD: an optimal decision diagram as a mixed-integer linear program (Florio, Martins, Schiffer, Serra and Vidal 2023).

The model is built once in plain arrays and handed to a solver: `network` has topology, flows and objective,
`univariate` and `hyperplanes` are forms of the questions, `rules` has the constraints.

Example
-------
>>> shape = Shape(kind="diagram", widths=(1, 2, 4))  # doctest: +SKIP
>>> Odd(backend="highs").run(Problem(dataset, shape, objective_of(0.1, 150)), Limits(), print, stop)  # doctest: +SKIP
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from ....constraints import rules_of
from ....constraints.rules import FixedQuestion, Monotone, OnlyBelow, PathCost, Rules, ThresholdRange
from ....errors import UnsupportedError
from ....problem import MissingPolicy, Problem, ShapeKind
from ....solution import EndReason, PartialScope, Scope
from ...base import Method, Option, Unsupported, only_kind, unposted
from ...mip import case_pairs
from ...mip.backend import Backend, End, SolverRequest, TooLarge
from ...mip.case_pairs import CasePairs
from ...mip.exact import solve_by
from ...mip.gurobi import Gurobi
from ...mip.highs import HiGHS
from ...mip.menu import surely_has_more_cells
from ...permitted import permitted_columns
from ...search.context import SearchContext
from ...search.driver import SearchMethod
from ..draft import plain_yes
from ..odd_search.method import OddSearch
from .frame import LayeredFrame, frame_of
from .hyperplanes import Hyperplanes
from .network import Network, Separation
from .offers import DiagramOffers, Judge, Listener
from .rules import POSTS
from .start import first_drafts
from .univariate import Univariate

BACKENDS: dict[str, tuple[Backend, ...]] = {
    "auto": (Gurobi(), HiGHS()),
    "highs": (HiGHS(),),
    "gurobi": (Gurobi(),),
}
"""The solvers to try by choice, in this order."""

MOST_FLOWS = 2_000_000
"""The most flow variables that a model is built for: such a model takes a gigabyte, and no solver gets anywhere."""

MOST_WAYS = 2_000
"""The most ways through a skeleton that costs of paths are posted for."""


class Odd(SearchMethod):
    """The paper's formulation, whole; `options` tells its parameters."""

    name = "odd"
    title = "ODD (MIP)"
    kinds = (ShapeKind.DIAGRAM,)
    exact = True
    summary = (
        "The decision diagram as a mixed-integer linear program: topology and questions at once, about single columns "
        "or weighted sums, under fairness, parsimony and stability. Proves the optimum of small tables."
    )
    source = (
        "Florio, Martins, Schiffer, Serra, Vidal: Optimal Decision Diagrams for Classification. AAAI 2023, "
        "doi:10.1609/aaai.v37i6.25920."
    )
    imports = ("highspy", "scipy.optimize")
    uses = (OddSearch,)
    options = (
        Option.among(
            "backend",
            "Solver",
            "Gurobi is faster, and needs a licence: without one it takes models of at most 2,000 variables and "
            "2,000 rows, which few tables have. HiGHS takes any size and comes with the program.",
            {"auto": "Gurobi where its licence allows the size, else HiGHS", "highs": "HiGHS", "gurobi": "Gurobi"},
        ),
        Option.among(
            "topology",
            "Topology",
            "Whether questions may share what follows them. As a tree every question has one way to it: the "
            "paper's special case of optimal decision trees.",
            {"learned": "learned: answers may lead to the same question", "tree": "tree"},
        ),
        Option.among(
            "models",
            "Models",
            "Where a question costs something, a diagram of many questions costs much. So models may have room "
            "for one question, for two, and so on, until more cannot pay; or one has the whole skeleton, as in the "
            "paper.",
            {"growing": "one question more at a time", "whole": "the whole skeleton at once"},
        ),
    )

    def __init__(self, backend: str = "auto", topology: str = "learned", models: str = "growing") -> None:
        self._backends, self._tree, self._grows = BACKENDS[backend], topology == "tree", models == "growing"

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """Diagrams, with the rules that are posted, of a size for which a model can be built."""
        reasons = (*only_kind(ShapeKind.DIAGRAM, self.title, problem), *unposted(self.title, problem, POSTS))
        if not reasons and problem.size.split_features != 1:
            reasons = tuple(against_sums(problem))
        elif not reasons:
            reasons = (*unparted(problem), *case_pairs.unsupported(problem, rules_of(problem)))
        return reasons or (*too_many_ways(problem), *too_large(problem))

    def search(self, context: SearchContext) -> None:
        """Offer first diagrams, and let a solver search model after model until incumbent and bound meet.

        Raises `UnsupportedError` where the solver that was chosen is not there, or its licence does not allow the size.
        """
        problem = context.problem
        context.deadline.memory = True
        context.stats = {"models": 0, "nodes": 0, "iterations": 0, "turned_down": 0}
        frame = frame_of(problem.size, problem.dataset.n_classes)
        questions = questions_of(problem, rules_of(problem), frame)
        terms = None
        if isinstance(questions, Hyperplanes):
            terms = questions.terms
            context.detail(part=PartialScope(Scope.MARGIN))
        offers = DiagramOffers(context, Judge(problem, terms, tree=self._tree))
        offers.constants()
        if not frame.n_nodes or questions.n_cells < 2:
            if context.cost is None:
                context.refute("no single answer keeps all constraints.")
            else:
                offers.raise_bound(context.cost)
            return
        if not (context.proved or context.due()):
            for draft in first_drafts(context, terms, self._tree):
                offers.offer(draft)
        self._grow(offers)

    def _grow(self, offers: DiagramOffers) -> None:
        """One model after the other, each with room for one question more, as long as that can pay."""
        context, problem = offers.context, offers.context.problem
        total = frame_of(problem.size, problem.dataset.n_classes).n_nodes
        backends = list(self._backends)
        for most in range(1, total + 1) if self._grows and problem.split_cost else (total,):
            if context.over:
                return
            listener = self._model(offers, most, total)
            while not listener.over:
                try:
                    self._solve(listener, backends)
                except TooLarge as reason:
                    if not context.details.solver:
                        raise UnsupportedError(f"{reason} Choose the solver 'highs', or 'auto'.") from reason
                    context.detail(reason=str(reason))
                    context.end(EndReason.TOO_LARGE)
                    return
                if not listener.lacks:
                    break
                listener = self._model(offers, most, total)

    def _model(self, offers: DiagramOffers, most: int, total: int) -> Listener:
        """A model with room for so many questions, of so many places in all.

        Raises `UnsupportedError` where there are too many cells.
        """
        problem, rules = offers.context.problem, rules_of(offers.context.problem)
        beyond = None if most == total else problem.unavoidable_cost + problem.splits_cost(most + 1)
        size = replace(problem.size, max_splits=most if most < total else problem.size.max_splits)
        frame = frame_of(size, problem.dataset.n_classes)
        questions = questions_of(problem, rules, frame, offers.pairs)
        for reason in too_large(problem, questions.n_cells - 2 * len(offers.pairs)):
            raise UnsupportedError(str(reason))
        net = Network(problem, rules, questions, frame, tree=self._tree, most=size.max_splits)
        net.post(POSTS)
        program, stats = net.model.program(), offers.context.stats
        stats["models"] += 1
        stats |= {"variables": program.n_variables, "whole_variables": int(program.whole.sum())}
        stats |= {
            "rows": program.n_rows,
            "cells": net.n_cells,
            "questions": getattr(questions, "form", type(questions)).__name__,
        }
        stats["pairs"] = len(net.pairs)
        return Listener(net, program, offers, beyond)

    def _solve(self, listener: Listener, backends: list[Backend]) -> None:
        """Let the first backend solve a model that takes it; those that do not say why in the log.

        Later models are larger: a backend that refuses this one is not asked again. Raises `TooLarge` where none takes
        it.
        """
        context = listener.offers.context
        unit, start = listener.net.unit, listener.start
        request = SolverRequest.of(
            context, unit, start, listener.found, listener.bound, lambda: listener.over or listener.lacks
        )
        outcome, by = solve_by(backends, listener.program, request, context.log)
        context.detail(solver=by)
        context.stats["solver"] = by
        context.stats["nodes"] += outcome.nodes
        context.stats["iterations"] += outcome.iterations
        if outcome.end is End.INFEASIBLE:
            listener.nothing()
            if listener.whole and context.cost is None:
                context.refute(solver=by)
        if listener.lacks:
            return
        short = context.cost is None or context.cost - listener.reached > context.gap
        if outcome.end is End.COARSE or (outcome.end is End.PROVED and short and not listener.exhausted):
            context.end(EndReason.IMPRECISE)

    def counterpart(self) -> Method | None:
        """The search for diagrams, which knows no limit to trees."""
        return None if self._tree else OddSearch()

    def parallel(self, problem: Problem) -> bool:
        """The linear solvers share their work."""
        return True


def with_at_most(problem: Problem, questions: int) -> Problem:
    """The same problem with at most so many questions."""
    most = questions if problem.shape.max_splits is None else min(questions, problem.shape.max_splits)
    return replace(problem, shape=replace(problem.shape, max_splits=most))


def questions_of(problem: Problem, rules: Rules, frame: LayeredFrame, pairs: CasePairs | None = None) -> Separation:
    """The form of the questions for a problem and as many places; `pairs` are conceivable cases to follow."""
    if problem.size.split_features != 1:
        return Hyperplanes(problem, rules)
    return Univariate(problem, rules, pairs, n_places=frame.n_nodes)


def unparted(problem: Problem) -> Iterator[Unsupported]:
    """Fixed questions that all rows answer alike, about columns of which the model has no such question.

    Beyond all rows it has one question a column, which is seldom the fixed one: monotone answers look there.
    """
    dataset, rules = problem.dataset, rules_of(problem)
    for question in (rule.predicate for rule in rules.of(FixedQuestion)):
        yes = question.holds(dataset.schema, dataset.X)
        column = dataset.schema.index(question.column)
        if (yes.all() or not yes.any()) and (rules.of(Monotone) or plain_yes(dataset, {column}) is None):
            yield Unsupported(
                f"The fixed question '{question.words(dataset.schema)}'",
                "All rows answer it alike, and the program has no question about this column that they do.",
                "Fix a question that parts the rows, or choose the method 'odd-search'.",
            )


def against_sums(problem: Problem) -> Iterator[Unsupported]:
    """What keeps questions from combining columns."""
    dataset = problem.dataset
    for constraint, kind in ((c, type(r)) for c in problem.constraints for r in c.rules(problem)):
        if kind in (FixedQuestion, OnlyBelow, ThresholdRange, Monotone):
            yield Unsupported(
                f"'{constraint.words(dataset)}'",
                "A question that combines columns has no threshold and no place of one column.",
                "Remove the constraint, or let each question be about one column.",
            )
    used = permitted_columns(rules_of(problem), dataset.n_columns)
    for j in sorted(used if dataset.schema.missing is not MissingPolicy.IMPUTE else ()):
        gone = np.flatnonzero(np.isnan(dataset.X[:, j]))
        if len(gone):
            yield Unsupported(
                f"The column '{dataset.schema.names[j]}' is missing in row {dataset.rows[gone[0]]}"
                f"{f' and {len(gone) - 1} more' if len(gone) > 1 else ''}",
                "A weighted sum needs every value.",
                "Let missing values be filled in, leave out these rows or the column, or let each question be about "
                "one column.",
            )


def too_many_ways(problem: Problem) -> Iterator[Unsupported]:
    """Costs of paths are posted for every way through the skeleton."""
    frame = frame_of(problem.size, problem.dataset.n_classes)
    ways = int(np.cumprod(frame.widths, dtype=np.float64).sum())
    limits = rules_of(problem).of(PathCost)
    if ways > MOST_WAYS and limits:
        yield Unsupported(
            f"'{problem.constraints[limits[0].source].words(problem.dataset)}'",
            f"There are {ways:,} ways through the skeleton, each with its own cost; at most {MOST_WAYS:,} are posted.",
            "Choose a smaller skeleton, limit the number of questions, or remove the constraint.",
        )


def too_large(problem: Problem, n_cells: int | None = None) -> Iterator[Unsupported]:
    """Models that no machine could hold are not built: for so many cells, or for those that some of the rows show."""
    frame, rules = frame_of(problem.size, problem.dataset.n_classes), rules_of(problem)
    most = MOST_FLOWS // max(2 * frame.n_arcs, 1)
    if n_cells is None and problem.size.split_features != 1:
        n_cells = Hyperplanes(problem, rules).n_cells
    if surely_has_more_cells(problem, rules, most) if n_cells is None else n_cells > most:
        yield Unsupported(
            f"More than {most:,} different rows in a skeleton of {frame.n_nodes} questions",
            f"The model would need more than {MOST_FLOWS:,} variables for the ways of the rows.",
            "Choose a smaller skeleton or fewer rows, or the method 'odd-search'.",
        )
