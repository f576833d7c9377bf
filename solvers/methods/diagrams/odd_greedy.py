"""The heuristic of the decision diagram paper: built from the top down at random again and again, the best one kept.

See `solvers.methods.diagrams.construction`. Other methods for diagrams start from what it finds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from solvers.methods.base import Option, Unsupported, infeasible, only_kind, unposted
from solvers.methods.diagrams.construction import cheapest_class, constructions
from solvers.methods.diagrams.draft import Draft, leaf_arc
from solvers.methods.search.clock import Clock
from solvers.methods.trees.tree_of_splits import may_be_leaf
from solvers.problem import Limits, Problem, ShapeKind, question_orders
from solvers.solution import Emit, Incumbent, Progress, Solution, Started, Status, Stop, TracePoint

PATIENCE = 60
"""Constructions in a row without a better diagram after which the usual run ends."""

PULSE = 20
"""Constructions between two signs of life."""


class OddGreedy:
    """The two-step strategy's first step as a method of its own.

    Parameters
    ----------
    until : 'settled' to end after some constructions without a better diagram, 'time' to go on until the time is up.
    """

    name = "odd-greedy"
    title = "Greedy diagrams"
    kinds = (ShapeKind.DIAGRAM,)
    exact = False
    summary = (
        "Decision diagrams built from the top down at random, with merging, and pruned from the bottom up. "
        "Fast, a baseline without a proof."
    )
    source = (
        "Florio, Martins, Schiffer, Serra, Vidal: Optimal Decision Diagrams for Classification. AAAI 2023, "
        "doi:10.1609/aaai.v37i6.25920."
    )
    options = (
        Option(
            "until",
            "When it ends",
            "It builds diagram after diagram and keeps the best. The paper does so for 60 seconds.",
            ("settled", "time"),
            "settled",
            ("when nothing better comes", "when the time is up"),
        ),
    )

    def __init__(self, until: str = "settled") -> None:
        self._until = until

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """Decision diagrams without domain constraints; limits of the size are kept."""
        return (*only_kind(ShapeKind.DIAGRAM, self.title, problem), *unposted(self.title, problem, ()))

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Build diagrams until none has been better for a while, the time is up, or `stop` is set."""
        clock = Clock()
        emit(Started(self.name))
        if none := infeasible(problem, self.name, clock):
            return none
        best = _Best(problem, clock, emit)
        best.offer(Draft(root=leaf_arc(cheapest_class(problem, np.arange(problem.dataset.n_samples)))))
        ended_by = ""

        def due() -> bool:
            nonlocal ended_by
            if stop.is_set():
                ended_by = "stop"
            elif limits.seconds is not None and clock.elapsed >= limits.seconds:
                ended_by = "time"
            return bool(ended_by)

        if not due():
            # without a time limit only patience ends it
            forever = self._until == "time" and limits.seconds is not None
            best.search(limits.seed, due, None if forever else PATIENCE)
        return _solution(best, ended_by)

    def warm(self, constraints: bool = False) -> None:
        """Nothing to import or compile."""


class _Best:
    """The best diagram so far."""

    def __init__(self, problem: Problem, clock: Clock, emit: Emit) -> None:
        self.problem, self.clock, self.emit = problem, clock, emit
        self.cost, self.diagram = None, None
        self.trace: list[TracePoint] = []
        self.n_built = 0

    def search(self, seed: int, due: Callable[[], bool], patience: int | None) -> None:
        """Build diagrams; with `patience` until so many in a row were not better, and none where none can be."""
        in_vain = 0
        if self.cost <= self.problem.unavoidable_cost:
            return
        for draft in constructions(self.problem, question_orders(self.problem.dataset), seed, due):
            self.n_built += 1
            in_vain = 0 if self.offer(draft) else in_vain + 1
            if patience is not None and in_vain >= patience:
                return
            if self.n_built % PULSE == 0:
                text = f"Best of {self.n_built} diagrams so far: {self.diagram.n_splits} questions."
                self.emit(Progress(self.clock.elapsed, text, {"diagrams": self.n_built}))

    def offer(self, draft: Draft) -> bool:
        """Take a diagram that is better, or as good with fewer questions, and keeps the limits of the size."""
        price, size = draft.cost(self.problem), draft.n_questions
        if self.diagram is not None and (price, size) >= (self.cost, self.diagram.n_splits):
            return False
        if not _keeps_size(self.problem, draft):
            return False
        better = self.cost is None or price < self.cost
        self.cost, self.diagram = price, draft.diagram(self.problem)
        if better:
            self.emit(Incumbent(self.clock.elapsed, self.cost, self.diagram))
            self.trace.append(TracePoint(self.clock.elapsed, self.cost, None))
        return True


def _keeps_size(problem: Problem, draft: Draft) -> bool:
    """Whether there are as few questions and leaves, and as large ones, as was asked for."""
    size, labels = problem.size, draft.predict(problem.dataset)
    leaves = [np.flatnonzero(labels == k) for k in np.unique(labels)]
    if size.max_leaf_nodes is not None and len(leaves) > size.max_leaf_nodes:
        return False
    few = size.max_splits is None or draft.n_questions <= size.max_splits
    return few and all(may_be_leaf(problem, rows) for rows in leaves)


def _solution(best: _Best, ended_by: str) -> Solution:
    """Status and words for how it ended."""
    told = {
        "": "A heuristic: nothing is proved about how far it is from the optimum.",
        "time": "The best diagram that was built in the time; nothing is proved about it.",
        "stop": "Stopped; the best diagram that was built until then.",
    }
    return Solution(
        problem_id=best.problem.id,
        method=OddGreedy.name,
        status=Status.CANCELLED if ended_by == "stop" else Status.FEASIBLE,
        diagram=best.diagram,
        cost=best.cost,
        bound=None,
        seconds=best.clock.elapsed,
        cpu_seconds=best.clock.cpu,
        trace=tuple(best.trace),
        stats={"diagrams": best.n_built},
        message=told[ended_by],
    )
