"""Incumbent and bound as they stand, told to the listener when they improve."""

from __future__ import annotations

import threading

from solvers.constraints import Constraint
from solvers.diagram import Diagram
from solvers.methods.search.clock import Clock
from solvers.methods.trees.cptree.enumeration import Found
from solvers.methods.trees.cptree.forms import diagram_of
from solvers.methods.trees.cptree.questions import Questions
from solvers.problem import Limits, Problem
from solvers.solution import Bound, Emit, Incumbent, Progress, Stop, TracePoint


class Live:
    """What is known of a problem so far; its methods may be called from the threads of a solver.

    Attributes
    ----------
    diagram, cost : the best tree; `None` while there is none.
    bound : no tree costs less, whatever it asks.
    among : no tree costs less that asks the chosen questions alone; at least `bound`.
    trace : how they came about.
    """

    def __init__(
        self, problem: Problem, questions: Questions, limits: Limits, clock: Clock, emit: Emit, stop: Stop
    ) -> None:
        self.problem, self.questions, self.limits, self.clock = problem, questions, limits, clock
        self._emit, self._stop, self._lock = emit, stop, threading.RLock()
        self.diagram: Diagram | None = None
        self.cost: int | None = None
        self.bound = self.among = 0
        self.trace: list[TracePoint] = []

    def due(self) -> bool:
        """Whether to end now."""
        late = self.limits.seconds is not None and self.clock.elapsed >= self.limits.seconds
        return late or self._stop.is_set()

    @property
    def seconds_left(self) -> float | None:
        """Wall seconds until the time limit, at least 0; `None` without one."""
        return None if self.limits.seconds is None else max(0.0, self.limits.seconds - self.clock.elapsed)

    @property
    def proved(self) -> bool:
        """Whether no tree that asks the chosen questions is better."""
        return self.cost is not None and self.cost <= self.among

    def adopt(self, found: Found) -> bool:
        """Take a tree as the incumbent if it keeps the constraints and is better; whether it keeps them.

        A tree is better if it costs less, or as much with fewer splits. Splits of no use are left out where the
        constraints permit it.
        """
        for pruned in (True, False):
            diagram = diagram_of(self.problem, self.questions, found, pruned=pruned)
            if keeps_constraints(self.problem, diagram):
                self._take(diagram)
                return True
        return False

    def _take(self, diagram: Diagram) -> None:
        cost = self.problem.cost(diagram.predict(self.problem.dataset), diagram.n_splits)
        with self._lock:
            if self.cost is not None and (cost, diagram.n_splits) >= (self.cost, self.diagram.n_splits):
                return
            better = self.cost is None or cost < self.cost
            self.diagram, self.cost = diagram, cost
            if better:
                self._emit(Incumbent(self.clock.elapsed, cost, diagram))
                self._note()

    def raise_bound(self, among: int) -> None:
        """Take a lower bound over the chosen questions; where they are all, it holds for every tree."""
        with self._lock:
            self.among = max(self.among, among)
            if self.questions.complete:
                self.raise_bound_of_all(among)

    def raise_bound_of_all(self, bound: int) -> None:
        """Take a lower bound over all questions that there are."""
        with self._lock:
            self.among = max(self.among, bound)
            if bound > self.bound or not self.trace:
                self.bound = max(bound, self.bound)
                self._emit(Bound(self.clock.elapsed, self.bound))
                self._note()

    def say(self, text: str, **stats: int) -> None:
        """A sign of life."""
        with self._lock:
            self._emit(Progress(self.clock.elapsed, text, stats))

    def _note(self) -> None:
        self.trace.append(TracePoint(self.clock.elapsed, self.cost, self.bound))


def keeps_constraints(problem: Problem, diagram: Diagram) -> bool:
    """Whether a tree that is of the right size violates no constraint."""
    return not any(
        constraint.violations(diagram, problem.dataset)
        for constraint in problem.constraints
        if isinstance(constraint, Constraint)
    )
