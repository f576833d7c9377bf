"""One search: what is asked, when it must end, and what is known so far. It owns all of it; a method works with it.

A method offers diagrams and bounds, looks whether it is due, and returns; the status, the reason of the end and the
`Solution` are made here.
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
    """Problem, limits, clock and deadline of a search, and its incumbent, bound and trace as they stand.

    Parameters
    ----------
    method : the name of the method in the registry.
    problem, limits, emit, stop : as `Method.run` takes them.
    exact : whether there is a lower bound.

    Attributes
    ----------
    deadline : when to end; also a stop signal for other searches.
    stats : figures of the search.
    details : what is known of the result besides.
    scope : among which models the bound holds.
    size_open : whether something besides the cost is still to be proved, so that no result is called optimal yet.
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

    # Whether to go on

    @property
    def gap(self) -> int:
        """How far from the optimum the result may be, in cost units."""
        return self._gap

    def due(self) -> bool:
        """Whether the user stopped the search, or a limit is reached."""
        return self.deadline.due()

    def pause(self) -> None:
        """End here where it is due, by `SearchEndedError`."""
        if self.due():
            raise SearchEndedError

    @property
    def gap_reached(self) -> bool:
        """Whether incumbent and bound are as near to each other as was asked for."""
        return self.cost is not None and self.bound is not None and self.cost - self.bound <= self._gap

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to do: close enough, refuted, or due."""
        return self.gap_reached or self._impossible or self.due()

    def prove(self, bound: int) -> None:
        """Take a lower bound, as far as it is not above the incumbent.

        Raises `SearchEndedError` if it is as near to the incumbent as was asked for.
        """
        self.raise_bound(min(bound, self.incumbent_cost))
        if self.gap_reached:
            raise SearchEndedError

    # What is known besides

    def refute(self, reason: str = "", solver: str = "") -> None:
        """There is no model: `reason` says why in words of the constraints, `solver` who proved it."""
        self._impossible = True
        self.detail(reason=reason, solver=solver)

    def end(self, reason: EndReason) -> None:
        """Say why the method ends by itself without a proof."""
        self._ended = reason

    def detail(self, **known: Any) -> None:
        """Fill in fields of `details`."""
        self.details = replace(self.details, **known)

    # Reports

    def log(self, text: str) -> None:
        """A line for the log."""
        self.emit(Log(self.elapsed, text))

    def progress(self, text: str = "", stats: dict[str, Any] | None = None) -> None:
        """Tell what is being done, now and then; without a text how incumbent and bound stand."""
        with self._lock:
            if self.elapsed - self._progress >= PROGRESS_EVERY:
                self.report(text, stats)

    def report(self, text: str = "", stats: dict[str, Any] | None = None) -> None:
        """Tell it at once."""
        with self._lock:
            self._progress = self.elapsed
            self.emit(Progress(self._progress, text or self._standing(), stats or {}))

    def follow(self, event: Event) -> None:
        """Take in what another search reports, and pass its progress on."""
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

    # How it ended

    def solution(self) -> Solution:
        """The result as it stands."""
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
