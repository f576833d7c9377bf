"""The state of a run, assembled from its events: live, finished, or read from disk."""

import time
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from ..diagram import Diagram
from ..problem import Problem
from ..solution import (
    Answered,
    Bound,
    Cancelled,
    EndReason,
    Event,
    Failed,
    Finished,
    Incumbent,
    Log,
    Progress,
    Solution,
    Started,
    Status,
    TracePoint,
)

COMPILING = "Preparing the engine, first start only."
"""The text shown while kernels are compiled, which happens only on the first start on a machine."""

SHOWN_POINTS = 500
MAX_POINTS = 4000
"""A run of days must not fill the memory: above this many points the stored trace is thinned, too."""


class JobState(StrEnum):
    """The state of a run."""

    QUEUED = "queued"
    STARTING = "starting"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def terminal(self) -> bool:
        """Whether the run has ended."""
        return self in (JobState.FINISHED, JobState.CANCELLED, JobState.FAILED)


@dataclass(frozen=True)
class Snapshot:
    """A run at a moment.

    Attributes
    ----------
    state : its state.
    elapsed : seconds of solving so far, without waiting, start-up and compilation.
    cost : the cost of the best model so far; `None` if there is none.
    bound : the best proved lower bound; `None` if there is none.
    trace : cost and bound over time, at most 500 points.
    diagram : the best model so far.
    text : its current step, for display.
    stats : statistics of the search.
    solution : the verified result, once the run has ended; a cancelled or failed run may have one, too.
    error : why the run failed, as a sentence.
    answer : the answer so far of a task other than solving, see `solvers.explain`.
    interrupted : whether it failed because its process is gone.
    """

    state: JobState
    elapsed: float
    cost: int | None
    bound: int | None
    trace: tuple[TracePoint, ...]
    diagram: Diagram | None
    text: str
    stats: dict[str, Any] = field(default_factory=dict)
    solution: Solution | None = None
    error: str | None = None
    answer: Any = None
    interrupted: bool = False


class Record:
    """Collects the events of one run. It has no lock: callers that share it between threads must provide one.

    Until the first event, the run has the given `state` and `text`.
    """

    def __init__(self, state: JobState = JobState.STARTING, text: str = "Starting.") -> None:
        self.state = state
        self.text = text
        self.cost: int | None = None
        self.bound: int | None = None
        self.diagram: Diagram | None = None
        self.stats: dict[str, Any] = {}
        self.solution: Solution | None = None
        self.error: str | None = None
        self.interrupted = False
        self.answer: Any = None
        self._trace: list[TracePoint] = []
        self._elapsed = 0.0
        self._event_at = time.monotonic()
        self._shown: tuple[TracePoint, ...] | None = None

    def show(self, text: str, state: JobState | None = None) -> None:
        """Change the displayed text, and the state if given; the last text of a run stays."""
        if not self.state.terminal and (text != self.text or state not in (None, self.state)):
            self.text, self.state = text, state or self.state

    def withdraw(self) -> None:
        """Discard all bounds, because the proof is contradicted."""
        self.bound, self._trace = None, [point._replace(bound=None) for point in self._trace]
        self._shown = None

    def apply(self, event: Event) -> None:
        """Apply the next event; after a terminal event nothing changes."""
        if self.state.terminal:
            return
        self._elapsed = max(self._elapsed, event.elapsed)
        self._event_at = time.monotonic()
        match event:
            case Started():
                self.state, self.text = JobState.RUNNING, "Searching."
            case Progress(text=text, stats=stats):
                self.text, self.stats = text, {**self.stats, **stats}
            case Incumbent(cost=cost, diagram=diagram):
                if self.cost is not None and cost >= self.cost:
                    return
                self.cost, self.diagram = cost, diagram
                self._mark(event.elapsed)
            case Bound(value=value):
                if self.bound is not None and value <= self.bound:
                    return
                self.bound = value
                self._mark(event.elapsed)
            case Answered(answer=answer):
                self.answer = answer
            case Log():
                return
            case Finished(solution=solution):
                self._end(JobState.FINISHED, "Finished.", solution)
            case Cancelled(best=best):
                self._end(JobState.CANCELLED, "Stopped.", best)
            case Failed(error=error, best=best):
                self.error = error
                self._end(JobState.FAILED, error, best)

    def result(
        self, problem: Problem, method: str, cpu_seconds: float, ended: EndReason | None, message: str
    ) -> Solution:
        """The result so far as an unverified solution, with or without a model."""
        status = Status.NO_SOLUTION if self.diagram is None else Status.FEASIBLE
        return Solution(
            problem_id=problem.id,
            method=method,
            status=Status.CANCELLED if ended is EndReason.STOPPED else status,
            diagram=self.diagram,
            cost=self.cost,
            bound=self.bound,
            seconds=self.elapsed,
            cpu_seconds=cpu_seconds,
            trace=self.trace,
            stats=dict(self.stats),
            message=message,
            ended=ended,
        )

    @property
    def elapsed(self) -> float:
        """Seconds of solving; they increase between the events of an active search."""
        if self.state is not JobState.RUNNING:
            return self._elapsed
        return self._elapsed + time.monotonic() - self._event_at

    @property
    def trace(self) -> tuple[TracePoint, ...]:
        """The trace, thinned for display."""
        if self._shown is None:
            self._shown = thin(self._trace, SHOWN_POINTS)
        return self._shown

    def snapshot(self) -> Snapshot:
        """The current state."""
        return Snapshot(**{part.name: getattr(self, part.name) for part in fields(Snapshot)})

    def _mark(self, elapsed: float) -> None:
        self._trace.append(TracePoint(elapsed, self.cost, self.bound))
        self._shown = None
        if len(self._trace) > MAX_POINTS:
            self._trace = list(thin(self._trace, MAX_POINTS // 2))

    def _end(self, state: JobState, text: str, solution: Solution | None) -> None:
        self.state, self.text = state, text
        if solution is None:
            return
        self.text = solution.message or text
        if state is JobState.FAILED:
            self.text = self.error or text
        self.solution = solution
        self._elapsed = solution.seconds
        if solution.diagram is not None and solution.cost is not None:
            self.cost, self.diagram = solution.cost, solution.diagram
        if solution.bound is not None or state is JobState.FAILED:
            self.bound = solution.bound
        self.stats = {**self.stats, **solution.stats}
        # a solution that was applied as a whole had no events before
        self._trace = self._trace or list(solution.trace)
        self._mark(solution.seconds)


def thin(trace: list[TracePoint] | tuple[TracePoint, ...], limit: int) -> tuple[TracePoint, ...]:
    """At most `limit` points: the first, the last, every change of the incumbent, and others evenly between.

    If the incumbent alone changed more often than `limit`, its changes are thinned evenly, too.
    """
    if len(trace) <= limit:
        return tuple(trace)
    changes = [i for i in range(1, len(trace)) if trace[i].cost != trace[i - 1].cost]
    keep = {0, len(trace) - 1, *_evenly(changes, limit - 2)}
    rest = [i for i in range(len(trace)) if i not in keep]
    keep.update(_evenly(rest, limit - len(keep)))
    return tuple(trace[i] for i in sorted(keep))


def _evenly(items: list[int], limit: int) -> list[int]:
    if len(items) <= limit:
        return items
    return [items[i * len(items) // limit] for i in range(limit)]
