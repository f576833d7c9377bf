"""ODD: an optimal decision diagram as a mixed-integer linear program (Florio, Martins, Schiffer, Serra and Vidal 2023).

The model is built once in plain arrays and handed to a solver: `network` has topology, flows and objective, `ladders`,
`thresholds` and `hyperplanes` are forms of the questions, `posting` has the wishes.

Example
-------
>>> shape = Shape(kind="diagram", widths=(1, 2, 4))  # doctest: +SKIP
>>> Odd(backend="highs").run(Problem(dataset, shape, objective_of(0.1, 150)), Limits(), print, stop)  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from solvers.constraints import rules_of
from solvers.constraints.rules import Allowed, OnlyBelow, PathCost, Rules, ThresholdRange
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
from solvers.methods.odd_search.method import OddSearch
from solvers.problem import Limits, MissingPolicy, Problem, ShapeKind
from solvers.solution import Emit, Log, Solution, Started, Status, Stop

MOST_FLOWS = 2_000_000
"""The most flow variables that a model is built for: such a model takes a gigabyte, and no solver gets anywhere."""

MOST_STEPS = 20_000
"""The most steps of all ladders of a model; beyond, univariate questions have thresholds and large constants."""

MOST_WAYS = 2_000
"""The most ways through a skeleton that costs of paths are posted for."""

BACKENDS: dict[str, tuple[Backend, ...]] = {
    "auto": (Gurobi(), HiGHS()),
    "highs": (HiGHS(),),
    "gurobi": (Gurobi(),),
}
"""The solvers to try by choice, in this order."""


class Work:
    """What solvers have done: how the last one ended, the figures of all, and those that may be tried.

    Attributes
    ----------
    refused : why no solver takes the next model; '' where one does.
    coarse : whether a solver ended with a diagram that cannot be relied on.
    """

    def __init__(self, backends: Sequence[Backend] = ()) -> None:
        self.backends = list(backends)
        # the end is that of a model of the whole skeleton; one of a smaller model says nothing of the problem
        self.end, self.by, self.refused, self.coarse = End.CUT_SHORT, "", "", False
        self.stats: dict[str, Any] = {"models": 0, "nodes": 0, "iterations": 0}

    def count(self, listener: Listener) -> None:
        """A model that was built."""
        program, net = listener.program, listener.net
        self.end = End.CUT_SHORT
        self.stats["models"] += 1
        self.stats |= {"variables": program.n_variables, "whole_variables": int(program.whole.sum())}
        self.stats |= {"rows": program.n_rows, "cells": net.n_cells, "questions": type(net.questions).__name__}

    def add(self, outcome: Outcome, by: str) -> None:
        """What a solver did with it."""
        self.end, self.by = outcome.end, by
        self.stats["solver"] = by
        self.stats["nodes"] += outcome.nodes
        self.stats["iterations"] += outcome.iterations


class Odd:
    """The paper's formulation, whole.

    Parameters
    ----------
    backend : 'auto', 'highs' or 'gurobi'.
    topology : 'learned' or 'tree'.
    models : 'growing' or 'whole'.
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
        Option(
            name="models",
            label="Models",
            help="Where a question costs something, a diagram of many questions costs much. So models may have room "
            "for one question, for two, and so on, until more cannot pay; or one has the whole skeleton, as in the "
            "paper.",
            values=("growing", "whole"),
            default="growing",
            titles=("one question more at a time", "the whole skeleton at once"),
        ),
    )

    def __init__(self, backend: str = "auto", topology: str = "learned", models: str = "growing") -> None:
        self._backends, self._tree, self._grows = BACKENDS[backend], topology == "tree", models == "growing"

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """Diagrams, with the rules that are posted, of a size for which a model can be built."""
        reasons = (*only_kind(ShapeKind.DIAGRAM, self.title, problem), *unposted(self.title, problem, POSTS))
        if reasons:
            return reasons
        if problem.size.split_features != 1:
            reasons = _against_sums(problem)
        return reasons or (*_too_many_ways(problem), *_too_large(problem))

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Offer first diagrams, and let a solver search model after model until incumbent and bound meet.

        Raises
        ------
        UnsupportedError
            The solver that was chosen is not there, or its licence does not allow the size.
        """
        clock = Clock()
        emit(Started(self.name))
        if none := infeasible(problem, self.name, clock):
            return none
        ending, rules = Ending(limits, clock, stop.is_set), rules_of(problem)
        questions, frame = _questions(problem, rules), frame_of(problem.size, problem.dataset.n_classes)
        terms = questions.terms if isinstance(questions, Hyperplanes) else None
        judge = Judge(problem, terms, tree=self._tree)
        best = Best(problem, judge, clock, emit)
        best.constants()
        if not frame.n_nodes or questions.n_cells < 2:
            return _without_questions(best, limits)
        if not (best.proved or ending.due()):
            for draft in first_drafts(problem, terms, limits, ending):
                best.offer(draft)
        return self._search(best, rules, questions, limits, ending)

    def _search(self, best: Best, rules: Rules, questions: Separation, limits: Limits, ending: Ending) -> Solution:
        """One model after the other, each with room for one question more, as long as that can pay."""
        problem, gap = best.problem, limits.gap_cost(best.problem)
        total = frame_of(problem.size, problem.dataset.n_classes).n_nodes
        work = Work(self._backends)
        for most in range(1, total + 1) if self._grows and problem.split_cost else (total,):
            if best.close(gap) or ending.due():
                break
            beyond = None if most == total else problem.unavoidable_cost + problem.splits_cost(most + 1)
            size = replace(problem.size, questions=most if most < total else problem.size.questions)
            frame = frame_of(size, problem.dataset.n_classes)
            net = Network(problem, rules, questions, frame, tree=self._tree, most=size.questions)
            post(net)
            listener = Listener(net, net.model.program(), best, beyond)
            work.count(listener)
            if not (best.close(gap) or listener.exhausted or ending.due()):
                self._solve(listener, work, limits, ending)
            if work.refused:
                break
        return _solution(best, work, ending, limits)

    def _solve(self, listener: Listener, work: Work, limits: Limits, ending: Ending) -> None:
        """The first backend that takes the model; those that do not say why in the log."""
        best, gap = listener.best, limits.gap_cost(listener.best.problem)
        request = Request(
            start=listener.start,
            gap=max(WHOLE_GAP, gap / listener.net.unit),
            seconds=ending.seconds_left,
            threads=limits.threads,
            seed=limits.seed,
            due=lambda: best.close(gap) or listener.exhausted or ending.due(),
            found=listener.found,
            bound=listener.bound,
        )
        while True:
            backend = work.backends[0]
            try:
                work.add(backend.solve(listener.program, request), backend.title)
                break
            except TooLarge as reason:
                if len(work.backends) == 1:
                    work.refused = str(reason)
                    if not work.by:
                        raise UnsupportedError(f"{reason} Choose the solver 'highs', or 'auto'.") from reason
                    return
                # later models are larger
                del work.backends[0]
                best.emit(Log(best.clock.elapsed, f"{reason} {work.backends[0].title} takes it."))
        if work.end is End.INFEASIBLE:
            listener.nothing()
        short = best.cost is None or best.cost - listener.reached > gap
        work.coarse |= work.end is End.PROVED and short and not listener.exhausted
        if not listener.whole:
            work.end = End.CUT_SHORT

    def warm(self, wishes: bool = False) -> None:
        """Import the solver that is always there, and compile what makes first diagrams."""
        import highspy  # noqa: F401
        import scipy.optimize  # noqa: F401

        OddSearch().warm(wishes)


def with_at_most(problem: Problem, questions: int) -> Problem:
    """The same problem with at most so many questions."""
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


def _too_many_ways(problem: Problem) -> tuple[Unsupported, ...]:
    """Costs of paths are posted for every way through the skeleton."""
    frame = frame_of(problem.size, problem.dataset.n_classes)
    ways = int(np.cumprod(frame.widths, dtype=np.float64).sum())
    if ways <= MOST_WAYS or not rules_of(problem).of(PathCost):
        return ()
    wish = next(c for c in problem.constraints if any(type(rule) is PathCost for rule in c.rules(problem)))
    return (
        Unsupported(
            f"'{wish.words(problem.dataset)}'",
            f"There are {ways:,} ways through the skeleton, each with its own cost; at most {MOST_WAYS:,} are posted.",
            "Choose a smaller skeleton, limit the number of questions, or remove the wish.",
        ),
    )


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
    return _solution(best, Work(), Ending(limits, best.clock, lambda: False), limits)


def _solution(best: Best, work: Work, ending: Ending, limits: Limits) -> Solution:
    """Status and words for how it ended."""
    stats = {**work.stats, "turned_down": best.turned_down}
    if work.end is End.INFEASIBLE and best.cost is None:
        message = f"No diagram within this skeleton keeps all wishes: proved by {work.by}."
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
        message=_message(best, status, work, ending, limits),
    )


def _message(best: Best, status: Status, work: Work, ending: Ending, limits: Limits) -> str:
    sums = best.problem.size.split_features != 1
    among = " whose questions keep a margin of 0.0001" if sums else ""
    bound = f"no diagram{among} can cost less than {best.bound}"
    if status is Status.OPTIMAL:
        return f"No diagram within this skeleton{among} has a lower cost: proved{f' by {work.by}' if work.by else ''}."
    if ending.why == "stop":
        return f"Stopped; {bound}."
    if ending.why == "memory":
        return f"The memory limit of {limits.memory_mb} MiB was reached; {bound}."
    if best.close(limits.gap_cost(best.problem)):
        return f"Within the gap that was asked for: {bound}."
    if work.coarse:
        return f"{work.by} ended, but its numbers are too coarse for a proof; {bound}."
    if work.refused:
        return f"{work.refused} Until then: {bound}."
    if limits.seconds is None:
        return f"The search ended before the proof; {bound}."
    return f"The time limit of {limits.seconds:g} s was reached; {bound}."
