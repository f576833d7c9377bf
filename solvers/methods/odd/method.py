"""ODD: an optimal decision diagram as a mixed-integer linear program (Florio, Martins, Schiffer, Serra and Vidal 2023).

The model is built once in plain arrays and handed to a solver: `network` has topology, flows and objective, `ladders`,
`thresholds` and `hyperplanes` are forms of the questions, `posting` has the wishes.

Example
-------
>>> shape = Shape(kind="diagram", widths=(1, 2, 4))  # doctest: +SKIP
>>> Odd(backend="highs").run(Problem(dataset, shape, objective_of(0.1, 150)), Limits(), print, stop)  # doctest: +SKIP
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solvers.constraints import rules_of
from solvers.constraints.rules import Allowed, OnlyBelow, Rules, ThresholdRange
from solvers.errors import UnsupportedError
from solvers.methods.base import Clock, Option, Unsupported, infeasible, no_tree, only_kind, unposted
from solvers.methods.mip.backend import WHOLE_GAP, Backend, End, Outcome, Request, TooLarge
from solvers.methods.mip.ending import Ending
from solvers.methods.mip.gurobi import Gurobi
from solvers.methods.mip.highs import HiGHS
from solvers.methods.odd.frame import frame_of
from solvers.methods.odd.hyperplanes import Hyperplanes
from solvers.methods.odd.ladders import Ladders
from solvers.methods.odd.live import Best, Judge, Listener
from solvers.methods.odd.network import Network, Separation
from solvers.methods.odd.posting import POSTS, post
from solvers.methods.odd.starting import first_drafts
from solvers.methods.odd.thresholds import Thresholds
from solvers.problem import Limits, MissingPolicy, Problem, ShapeKind
from solvers.solution import Emit, Log, Solution, Started, Status, Stop

MOST_FLOWS = 2_000_000
"""The most flow variables that a model is built for: such a model takes a gigabyte, and no solver gets anywhere."""

MOST_STEPS = 20_000
"""The most steps of all ladders of a model; beyond, univariate questions have thresholds and large constants."""

BACKENDS: dict[str, tuple[Backend, ...]] = {
    "auto": (Gurobi(), HiGHS()),
    "highs": (HiGHS(),),
    "gurobi": (Gurobi(),),
}
"""The solvers to try by choice, in this order."""


class Odd:
    """The paper's formulation, whole.

    Parameters
    ----------
    backend : 'auto', 'highs' or 'gurobi'.
    topology : 'learned' or 'tree'.
    """

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
    options = (
        Option(
            name="backend",
            label="Solver",
            help="Gurobi is faster, and needs a licence: without one it takes models of at most 2,000 variables and "
            "2,000 rows, which few tables have. HiGHS takes any size and comes with the program.",
            values=tuple(BACKENDS),
            default="auto",
            titles=("Gurobi where its licence allows the size, else HiGHS", "HiGHS", "Gurobi"),
        ),
        Option(
            name="topology",
            label="Topology",
            help="Whether questions may share what follows them. As a tree every question has one way to it: the "
            "paper's special case of optimal decision trees.",
            values=("learned", "tree"),
            default="learned",
            titles=("learned: answers may lead to the same question", "tree"),
        ),
    )

    def __init__(self, backend: str = "auto", topology: str = "learned") -> None:
        self._backends, self._tree = BACKENDS[backend], topology == "tree"

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """Diagrams, with the rules that are posted, of a size for which a model can be built."""
        reasons = (*only_kind(ShapeKind.DIAGRAM, self.title, problem), *unposted(self.title, problem, POSTS))
        if reasons:
            return reasons
        if problem.size.split_features != 1:
            reasons = _against_sums(problem)
        return reasons or _too_large(problem)

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Build the model, offer first diagrams, and let a solver search until incumbent and bound meet.

        Raises
        ------
        UnsupportedError
            The solver that was chosen is not there, or its licence does not allow the size.
        """
        clock = Clock()
        emit(Started(self.name))
        if none := infeasible(problem, self.name, clock):
            return none
        ending = Ending(limits, clock, stop.is_set)
        rules = rules_of(problem)
        questions, frame = _questions(problem, rules), frame_of(problem.size, problem.dataset.n_classes)
        judge = Judge(problem, getattr(questions, "terms", None), tree=self._tree)
        best = Best(problem, judge, clock, emit)
        best.constants()
        if not frame.n_nodes or questions.n_cells < 2:
            return _without_questions(best, limits)
        if ending.due():
            return _solution(best, None, End.CUT_SHORT, {}, ending, limits)
        net = Network(problem, rules, questions, frame, tree=self._tree)
        post(net)
        listener = Listener(net, net.model.program(), best)
        if not best.proved:
            for draft in first_drafts(problem, limits, ending):
                best.offer(draft)
        outcome, by = None, ""
        if not best.proved and not ending.due():
            outcome, by = self._search(listener, limits, ending)
        return self._answer(listener, outcome, by, ending, limits)

    def _search(self, listener: Listener, limits: Limits, ending: Ending) -> tuple[Outcome, str]:
        """The first backend that takes the model; those that do not say why in the log."""
        best, start = listener.best, listener.start
        gap = max(WHOLE_GAP, limits.gap_cost(best.problem) / listener.net.unit)

        def due() -> bool:
            return best.proved or ending.due()

        for backend in self._backends:
            request = Request(
                start, gap, ending.seconds_left, limits.threads, limits.seed, due, listener.found, listener.bound
            )
            try:
                return backend.solve(listener.program, request), backend.title
            except TooLarge as reason:
                refused = str(reason)
                if len(self._backends) > 1:
                    best.emit(Log(best.clock.elapsed, f"{refused} {self._backends[-1].title} takes it."))
        raise UnsupportedError(f"{refused} Choose the backend 'highs', or 'auto'.")

    def _answer(self, listener: Listener, outcome: Outcome | None, by: str, ending: Ending, limits: Limits) -> Solution:
        best, program = listener.best, listener.program
        stats = {
            "variables": program.n_variables,
            "whole_variables": int(program.whole.sum()),
            "rows": program.n_rows,
            "cells": listener.net.n_cells,
            "questions": type(listener.net.questions).__name__,
            "turned_down": best.turned_down,
        }
        if outcome is None:
            return _solution(best, None, End.CUT_SHORT, stats, ending, limits)
        if outcome.end is End.INFEASIBLE:
            listener.nothing()
        stats |= {"solver": by, "nodes": outcome.nodes, "iterations": outcome.iterations}
        return _solution(best, by, outcome.end, stats, ending, limits)

    def warm(self, wishes: bool = False) -> None:
        """Import the solver that is always there, and what makes first diagrams."""
        import highspy  # noqa: F401
        import sklearn.tree  # noqa: F401


def with_at_most(problem: Problem, questions: int) -> Problem:
    """The same problem with at most so many questions: proofs by the number of nodes go through these one by one."""
    most = questions if problem.shape.questions is None else min(questions, problem.shape.questions)
    return replace(problem, shape=replace(problem.shape, questions=most))


def _questions(problem: Problem, rules: Rules) -> Separation:
    """The form of the questions that a problem asks for."""
    if problem.size.split_features != 1:
        return Hyperplanes(problem, rules)
    ladders = Ladders(problem, rules)
    n_nodes = frame_of(problem.size, problem.dataset.n_classes).n_nodes
    steps = n_nodes * int(ladders.menu.n_cuts.sum())
    return ladders if steps <= MOST_STEPS else Thresholds(problem, rules)


def _against_sums(problem: Problem) -> tuple[Unsupported, ...]:
    """What keeps questions from combining columns."""
    dataset, reasons = problem.dataset, []
    rules = rules_of(problem)
    for constraint, kind in ((c, type(r)) for c in problem.constraints for r in c.rules(problem)):
        if kind in (OnlyBelow, ThresholdRange):
            reasons.append(
                Unsupported(
                    f"'{constraint.words(dataset)}'",
                    "A question that combines columns has no threshold and no place of one column.",
                    "Remove the wish, or let each question be about one column.",
                )
            )
    used = set(range(dataset.n_columns)).intersection(*(rule.columns for rule in rules.of(Allowed) if not rule.at_root))
    for j in sorted(used if dataset.schema.missing is not MissingPolicy.IMPUTE else ()):
        gone = np.flatnonzero(np.isnan(dataset.X[:, j]))
        if len(gone):
            reasons.append(
                Unsupported(
                    f"The column '{dataset.schema.names[j]}' is missing in row {dataset.rows[gone[0]]}"
                    f"{f' and {len(gone) - 1} more' if len(gone) > 1 else ''}",
                    "A weighted sum needs every value.",
                    "Let missing values be filled in, leave out these rows or the column, or let each question be "
                    "about one column.",
                )
            )
    return tuple(reasons)


def _too_large(problem: Problem) -> tuple[Unsupported, ...]:
    frame = frame_of(problem.size, problem.dataset.n_classes)
    n_cells = _questions(problem, rules_of(problem)).n_cells
    flows = 2 * n_cells * frame.n_arcs
    if flows <= MOST_FLOWS:
        return ()
    return (
        Unsupported(
            f"{n_cells:,} different rows in a skeleton of {frame.n_nodes} questions",
            f"The model would need {flows:,} variables for the ways of the rows; at most {MOST_FLOWS:,} are built.",
            "Choose a smaller skeleton or fewer rows, or the method 'odd-search'.",
        ),
    )


def _without_questions(best: Best, limits: Limits) -> Solution:
    """The answer where nothing can be asked: the cheapest constant."""
    if best.cost is None:
        return no_tree(best.problem, Odd.name, best.clock, "No diagram is possible: no single answer keeps all wishes.")
    best.above(best.cost)
    ending = Ending(limits, best.clock, lambda: False)
    return _solution(best, None, End.PROVED, {}, ending, limits)


def _solution(best: Best, by: str | None, end: End, stats: dict, ending: Ending, limits: Limits) -> Solution:
    """Status and words for how it ended."""
    if end is End.INFEASIBLE and best.cost is None:
        message = f"No diagram within this skeleton keeps all wishes: proved by {by}."
        return replace(no_tree(best.problem, Odd.name, best.clock, message), stats=stats)
    if best.proved:
        status = Status.OPTIMAL
    elif ending.why == "stop":
        status = Status.CANCELLED
    else:
        status = Status.NO_SOLUTION if best.diagram is None else Status.FEASIBLE
    return Solution(
        problem_id=best.problem.id,
        method=Odd.name,
        status=status,
        diagram=best.diagram,
        cost=best.cost,
        bound=best.bound,
        seconds=best.clock.elapsed,
        cpu_seconds=best.clock.cpu,
        trace=tuple(best.trace),
        stats=stats,
        message=_message(best, status, end, by, ending, limits),
    )


def _message(best: Best, status: Status, end: End, by: str | None, ending: Ending, limits: Limits) -> str:
    sums = best.problem.size.split_features != 1
    among = " whose questions keep a margin of 0.0001" if sums else ""
    bound = f"no diagram{among} can cost less than {best.bound}"
    if status is Status.OPTIMAL:
        return f"No diagram within this skeleton{among} has a lower cost: proved{f' by {by}' if by else ''}."
    if ending.why == "stop":
        return f"Stopped; {bound}."
    if ending.why == "memory":
        return f"The memory limit of {limits.memory_mb} MiB was reached; {bound}."
    if end is End.PROVED and limits.gap:
        return f"Within the gap that was asked for: {bound}."
    if end is not End.CUT_SHORT:
        return f"{by} ended, but its numbers are too coarse for a proof; {bound}."
    if limits.seconds is None:
        return f"The search ended before the proof; {bound}."
    return f"The time limit of {limits.seconds:g} s was reached; {bound}."
