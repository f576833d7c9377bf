"""ODD: an optimal decision diagram as a mixed-integer linear program (Florio, Martins, Schiffer, Serra and Vidal 2023).

The model is built once in plain arrays and handed to a solver: in `program`, `network` has topology,
flows and objective, `univariate` and `hyperplanes` are forms of the questions, `rules` has the constraints.

Example
-------
>>> shape = Shape(kind="diagram", widths=(1, 2, 4))  # doctest: +SKIP
>>> Odd(backend="highs").run(Problem(dataset, shape, objective_of(0.1, 150)), Limits(), print, stop)  # doctest: +SKIP
"""

from collections.abc import Iterable
from dataclasses import replace

from ....constraints import rules_of
from ....errors import UnsupportedError
from ....problem import Problem, ShapeKind
from ....solution import EndReason, PartialScope, Scope
from ...base import Method, Option, Unsupported
from ...mip.backend import Backend, End, SolverRequest, TooLarge
from ...mip.exact import solve_by
from ...mip.gurobi import Gurobi
from ...mip.highs import HiGHS
from ...search.context import SearchContext
from ...search.driver import SearchMethod
from ..odd_search.method import OddSearch
from ..program.frame import frame_of
from ..program.hyperplanes import Hyperplanes
from ..program.limits import questions_of, refusals, too_large
from ..program.network import Network
from ..program.offers import DiagramOffers, Judge, Listener
from ..program.rules import POSTS
from .start import first_drafts

BACKENDS: dict[str, tuple[Backend, ...]] = {
    "auto": (Gurobi(), HiGHS()),
    "highs": (HiGHS(),),
    "gurobi": (Gurobi(),),
}
"""The solvers to try by choice, in this order."""


class Odd(SearchMethod):
    """The paper's formulation, whole; `options` tells its parameters."""

    name = "odd"
    title = "ODD (MIP)"
    kinds = (ShapeKind.DIAGRAM,)
    exact = True
    summary = (
        "Solves the decision diagram as a mixed-integer linear program, with splits on one feature or weighted sums, "
        "under fairness, parsimony and stability constraints. Proves small tables."
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
            "Gurobi is faster and needs a licence; without one it takes at most 2,000 variables and 2,000 rows. HiGHS "
            "takes any size.",
            {"auto": "Gurobi if its licence allows the size, otherwise HiGHS", "highs": "HiGHS", "gurobi": "Gurobi"},
        ),
        Option.among(
            "topology",
            "Topology",
            "Whether branches may rejoin. In a tree, every split has one path to it.",
            {"learned": "learned: branches may rejoin", "tree": "tree"},
        ),
        Option.among(
            "models",
            "Models",
            "If splits have a price, models grow one split at a time until more cannot pay. The paper uses one model "
            "of the whole skeleton.",
            {"growing": "one more split at a time", "whole": "the whole skeleton"},
        ),
    )

    def __init__(self, backend: str = "auto", topology: str = "learned", models: str = "growing") -> None:
        self._backends, self._tree, self._grows = BACKENDS[backend], topology == "tree", models == "growing"

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """Diagrams, with the rules that are posted, of a size for which a model can be built."""
        return refusals(self.title, problem)

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
