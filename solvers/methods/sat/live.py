"""Incumbent, bound, clock and stop signal of a run, in one place for all searches of this package."""

from __future__ import annotations

from typing import Any

from solvers.diagram import Diagram
from solvers.methods.features import scope_of
from solvers.methods.sat.rows import Rows
from solvers.methods.search import live
from solvers.methods.search.clock import Clock
from solvers.problem import Limits, Problem
from solvers.solution import Emit, Progress, Solution, Status, Stop

SAY_EVERY = 0.5
"""Seconds between two signs of life."""


class EndedError(Exception):
    """Time is up, or the user stopped the run."""


class ProvedError(Exception):
    """The bound has reached the incumbent, or come as near as the gap that was asked for."""


class Live(live.Live):
    """What is known so far.

    Parameters
    ----------
    rows : what the model may ask about; where that is not everything, nothing is proved and there is no bound.

    Attributes
    ----------
    proved : whether nothing that may be asked costs less.
    open : whether something besides the cost is still to be proved.
    gave_up : why the search ended by itself without a proof, in words; '' where it did not.
    stats : figures of the search.
    """

    def __init__(self, problem: Problem, rows: Rows, limits: Limits, clock: Clock, emit: Emit, stop: Stop) -> None:
        super().__init__(problem, clock, emit, bound=0 if rows.complete else None)
        self.rows, self.limits, self.stop = rows, limits, stop
        self.proved = self.open = False
        self.gave_up = ""
        self.stats: dict[str, Any] = {"questions": len(rows.columns), "distinct rows": len(rows)}
        self._said = 0.0

    def due(self) -> bool:
        """Whether to end now."""
        late = self.limits.seconds is not None and self.clock.elapsed >= self.limits.seconds
        return late or self.stop.is_set()

    def pause(self) -> None:
        """End here if time is up.

        Raises
        ------
        EndedError
            It is.
        """
        if self.due():
            raise EndedError

    def begin(self, constant: Diagram) -> None:
        """Start from the best single answer and from the cost that nothing can avoid."""
        self.adopt(constant)
        self.prove(self.rows.base)

    def prefer(self, diagram: Diagram) -> None:
        """Take a diagram in place of the incumbent, which costs as much."""
        assert self.cost_of(diagram) == self.cost
        self.diagram = diagram

    def prove(self, bound: int) -> None:
        """Take a lower bound on the cost over the rows; never more than the incumbent costs.

        Raises
        ------
        ProvedError
            It is as near to the incumbent as was asked for.
        """
        bound = min(bound, self.cost)
        if self.bound is not None:
            self.raise_bound(bound)
        self.proved = self.proved or bound >= self.cost
        if self.proved or self.cost - bound <= self.limits.gap_cost(self.problem):
            raise ProvedError

    def say(self, text: str, **stats: int) -> None:
        """A sign of life, now and then."""
        if self.clock.elapsed - self._said >= SAY_EVERY:
            self._said = self.clock.elapsed
            self.emit(Progress(self.clock.elapsed, text, stats))

    def ended(self, method: str, message: str) -> Solution:
        """The result as it stands, with its status and figures."""
        scope = scope_of(self.rows.features, self.problem, self.cost)
        return self.solution(method, self.status, message, stats=self.stats, scope=scope)

    @property
    def status(self) -> Status:
        """How the run ends if it ends now."""
        if self.cost == self.bound and not self.open:
            return Status.OPTIMAL
        if self.stop.is_set() and not self.proved:
            return Status.CANCELLED
        return Status.FEASIBLE
