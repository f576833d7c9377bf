"""When a search ends: when the user stops it, at the time limit, or at the memory limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from solvers.methods.search.clock import Clock
from solvers.methods.search.live import Live
from solvers.problem import Limits
from solvers.solution import Status

MEMORY_LOOK = 0.5
"""Seconds between two looks at the memory in use."""


class Ending:
    """Whether it is time to end; `why` is 'stop', 'time' or 'memory' once it is."""

    def __init__(self, limits: Limits, clock: Clock, stop: Callable[[], bool]) -> None:
        self._limits, self._clock, self._stop = limits, clock, stop
        self._looked = 0.0
        self.why: str | None = None

    @property
    def seconds_left(self) -> float | None:
        """Wall seconds until the time limit, at least a thousandth; `None` for no limit."""
        if self._limits.seconds is None:
            return None
        return max(1e-3, self._limits.seconds - self._clock.elapsed)

    def within(self, seconds: float) -> Ending:
        """The same with a time limit that is over earlier, counted from now."""
        if self._limits.seconds is not None:
            seconds = min(seconds, self._limits.seconds - self._clock.elapsed)
        sooner = replace(self._limits, seconds=max(1e-3, self._clock.elapsed + seconds))
        return Ending(sooner, self._clock, self._stop)

    def status(self, live: Live) -> Status:
        """How a search ended that did not prove that there is no model."""
        if live.cost is not None and live.cost == live.bound:
            return Status.OPTIMAL
        if self.why == "stop":
            return Status.CANCELLED
        return Status.NO_SOLUTION if live.diagram is None else Status.FEASIBLE

    def is_set(self) -> bool:
        """The same as a stop signal for another method."""
        return self.due()

    def due(self) -> bool:
        """Look at all of them; once it is due, it stays so."""
        if self.why is None:
            now = self._clock.elapsed
            if self._stop():
                self.why = "stop"
            elif self._limits.seconds is not None and now >= self._limits.seconds:
                self.why = "time"
            elif self._limits.memory_mb is not None and now - self._looked > MEMORY_LOOK:
                self._looked = now
                if _memory_mb() > self._limits.memory_mb:
                    self.why = "memory"
        return self.why is not None


def _memory_mb() -> float:
    import psutil

    return psutil.Process().memory_info().rss / 2**20
