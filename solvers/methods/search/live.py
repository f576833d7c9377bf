"""Incumbent and bound of a search as they stand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from solvers.diagram import Diagram
from solvers.methods.search.clock import Clock
from solvers.problem import Problem
from solvers.solution import Bound, Emit, Incumbent, Solution, Status, TracePoint


@dataclass
class Live:
    """Incumbent and bound as they stand, told to the listener when they improve."""

    problem: Problem
    clock: Clock
    emit: Emit
    diagram: Diagram | None = None
    cost: int | None = None
    bound: int = 0
    trace: list[TracePoint] = field(default_factory=list)

    def adopt(self, diagram: Diagram) -> None:
        """Take a tree as the incumbent if it costs less, or as much with fewer splits."""
        cost = self.cost_of(diagram)
        if self.cost is not None and (cost, diagram.n_splits) >= (self.cost, self.diagram.n_splits):
            return
        better = self.cost is None or cost < self.cost
        self.diagram, self.cost = diagram, cost
        if better:
            self.emit(Incumbent(self.clock.elapsed, cost, diagram))
            self._note()

    def cost_of(self, diagram: Diagram) -> int:
        """What a tree costs."""
        return self.problem.cost(diagram.predict(self.problem.dataset), diagram.n_splits)

    def raise_bound(self, bound: int) -> None:
        """Take a lower bound if it is better."""
        if bound > self.bound or not self.trace:
            self.bound = max(bound, self.bound)
            self.emit(Bound(self.clock.elapsed, self.bound))
            self._note()

    def solution(
        self,
        method: str,
        status: Status,
        message: str,
        *,
        stats: dict[str, Any],
        scope: str = "",
        diagram: Diagram | None = None,
    ) -> Solution:
        """The result as it stands; `diagram` stands in the place of the incumbent and costs as much."""
        return Solution(
            problem_id=self.problem.id,
            method=method,
            status=status,
            diagram=self.diagram if diagram is None else diagram,
            cost=self.cost,
            bound=self.bound,
            seconds=self.clock.elapsed,
            cpu_seconds=self.clock.cpu,
            trace=tuple(self.trace),
            stats=stats,
            message=message,
            scope=scope,
        )

    def _note(self) -> None:
        self.trace.append(TracePoint(self.clock.elapsed, self.cost, self.bound))
