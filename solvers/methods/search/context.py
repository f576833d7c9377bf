"""The state of one search: problem, limits, and what is known so far. The context owns it; a method works with it.

A method offers diagrams and bounds, checks whether it is due, and returns. Status, end reason and `Solution` are made
here.
"""

from dataclasses import replace
from typing import Any

from ...problem import Limits, Problem
from ...solution import (
    Bound,
    Details,
    Emit,
    EndReason,
    Event,
    Incumbent,
    Log,
    Progress,
    Scope,
    Solution,
    Status,
    Stop,
)
from .best_known import BestKnown
from .clock import Clock
from .deadline import Deadline, SearchEndedError

PROGRESS_EVERY = 0.2
"""Seconds between two progress events."""


class SearchContext(BestKnown):
    """Problem, limits, clock and deadline of a search, with its incumbent, bound and trace.

    Parameters
    ----------
    method : the name of the method in the registry.
    problem, limits, emit, stop : see `Method.run`.
    exact : whether there is a lower bound.

    Attributes
    ----------
    deadline : when to end; also a stop signal for other searches.
    stats : statistics of the search.
    details : further facts about the result.
    scope : the set of models for which the bound holds.
    size_open : whether something other than the cost is still to be proved, so no result is optimal yet.
    """

    def __init__(
        self,
        method: str,
        problem: Problem,
        limits: Limits,
        emit: Emit,
        stop: Stop,
        *,
        exact: bool = True,
    ) -> None:
        super().__init__(problem, Clock(), emit, exact=exact)
        self.method, self.limits = method, limits
        self.deadline = Deadline(limits, self.clock, stop)
        self.stats: dict[str, Any] = {}
        self.details = Details()
        self.scope: Scope | None = None
        self.size_open = False
        self._gap = limits.gap_cost(problem)
        self._impossible = False
        self._ended: EndReason | None = None
        self._progress = 0.0

    # Whether to continue

    @property
    def gap(self) -> int:
        """The permitted absolute gap of the result, in cost units."""
        return self._gap

    def due(self) -> bool:
        """Whether the user stopped the search, or a limit is reached."""
        return self.deadline.due()

    def pause(self) -> None:
        """Raise `SearchEndedError` if the search is due."""
        if self.due():
            raise SearchEndedError

    @property
    def gap_reached(self) -> bool:
        """Whether the gap between incumbent and bound is within the permitted gap."""
        return self.cost is not None and self.bound is not None and self.cost - self.bound <= self._gap

    @property
    def finished(self) -> bool:
        """Whether the search is over: gap reached, infeasible, or due."""
        return self.gap_reached or self._impossible or self.due()

    def prove(self, bound: int) -> None:
        """Take a lower bound, capped at the cost of the incumbent.

        Raises `SearchEndedError` if the gap is then reached.
        """
        self.raise_bound(min(bound, self.incumbent_cost))
        if self.gap_reached:
            raise SearchEndedError

    # Other facts

    def refute(self, reason: str = "", solver: str = "") -> None:
        """Record infeasibility: `reason` explains it by the constraints, `solver` names the solver that proved it."""
        self._impossible = True
        self.detail(reason=reason, solver=solver)

    def end(self, reason: EndReason) -> None:
        """Record why the method ends on its own without a proof."""
        self._ended = reason

    def detail(self, **known: Any) -> None:
        """Fill in fields of `details`."""
        self.details = replace(self.details, **known)

    # Reports

    def log(self, text: str) -> None:
        """Emit a line for the log."""
        self.emit(Log(self.elapsed, text))

    def progress(self, text: str = "", stats: dict[str, Any] | None = None) -> None:
        """Report progress, at most once every `PROGRESS_EVERY` seconds; the default text is incumbent and bound."""
        with self._lock:
            if self.elapsed - self._progress >= PROGRESS_EVERY:
                self.report(text, stats)

    def report(self, text: str = "", stats: dict[str, Any] | None = None) -> None:
        """Report progress immediately."""
        with self._lock:
            self._progress = self.elapsed
            self.emit(Progress(self._progress, text or self._standing(), stats or {}))

    def follow(self, event: Event) -> None:
        """Take over models and bounds of another search, and forward its progress."""
        if isinstance(event, Incumbent):
            self.offer(event.diagram)
        elif isinstance(event, Bound):
            self.raise_bound(event.value)
        elif isinstance(event, Progress):
            self.report(event.text, event.stats)

    def _standing(self) -> str:
        noun = self.problem.shape.kind.noun
        best = f"No {noun} yet" if self.cost is None else f"Best {noun} so far: cost {self.cost}"
        return f"{best}." if self.bound is None else f"{best}; no {noun} can cost less than {self.bound}."

    # Result

    def solution(self) -> Solution:
        """The result so far."""
        ended = self._reason()
        return Solution(
            problem_id=self.problem.id,
            method=self.method,
            status=self._status(ended),
            diagram=self.diagram,
            cost=self.cost,
            bound=None if self._impossible else self.bound,
            seconds=self.elapsed,
            cpu_seconds=self.clock.cpu,
            trace=() if self._impossible else tuple(self.trace),
            stats=self.stats,
            scope=self.scope,
            ended=ended,
            details=self.details,
        )

    def _reason(self) -> EndReason:
        if self._impossible or (self.proved and not self.size_open):
            return EndReason.PROVED
        if self.gap_reached and not self.proved:
            return EndReason.WITHIN_GAP
        if self.details.part is not None and self.details.part.proved:
            return EndReason.EXHAUSTED
        return self.deadline.reason or self._ended or EndReason.EXHAUSTED

    def _status(self, ended: EndReason) -> Status:
        if self._impossible:
            return Status.INFEASIBLE
        if ended is EndReason.PROVED:
            return Status.OPTIMAL
        if ended is EndReason.STOPPED:
            return Status.CANCELLED
        return Status.NO_SOLUTION if self.diagram is None else Status.FEASIBLE
