"""When a search ends: by the user, at the time limit, or at the memory limit."""

from __future__ import annotations

from dataclasses import replace

from ...problem import Limits
from ...solution import EndReason, Stop
from .clock import Clock

MEMORY_LOOK = 0.1
"""Seconds between two checks of the memory in use."""


class SearchEndedError(Exception):
    """The limits, the user or a sufficient result ended the search; raised to leave nested loops."""


class Deadline:
    """Whether the limits or the caller end the search, since the clock was made; also a stop signal for other searches.

    `stop` is the signal of the caller.

    Attributes
    ----------
    memory : whether to check the memory too, for searches that the observer of the process cannot stop softly.
    reason : why the search ends; `None` while it is not due.
    """

    def __init__(self, limits: Limits, clock: Clock, stop: Stop) -> None:
        self._limits, self._clock, self._stop = limits, clock, stop
        self.memory, self._looked = False, 0.0
        self.reason: EndReason | None = None

    @property
    def seconds_left(self) -> float | None:
        """Wall seconds until the time limit, at least 0.001; `None` without a limit."""
        if self._limits.seconds is None:
            return None
        return max(1e-3, self._limits.seconds - self._clock.elapsed)

    @property
    def limits_left(self) -> Limits:
        """The limits with the remaining time."""
        return replace(self._limits, seconds=self.seconds_left)

    def within(self, seconds: float) -> Deadline:
        """A deadline that also ends after this number of seconds from now."""
        left = self.seconds_left
        sooner = seconds if left is None else min(seconds, left)
        return Deadline(replace(self._limits, seconds=self._clock.elapsed + max(1e-3, sooner)), self._clock, self)

    def is_set(self) -> bool:
        """The same as `due`, as a stop signal."""
        return self.due()

    def due(self) -> bool:
        """Check stop signal and limits; once due, always due."""
        if self.reason is None:
            now = self._clock.elapsed
            if self._stop.is_set():
                self.reason = EndReason.STOPPED
            elif self._limits.seconds is not None and now >= self._limits.seconds:
                self.reason = EndReason.TIME_LIMIT
            elif self.memory and self._limits.memory_mb is not None and now - self._looked > MEMORY_LOOK:
                self._looked = now
                if _memory_mb() > self._limits.memory_mb:
                    self.reason = EndReason.MEMORY_LIMIT
        return self.reason is not None


def _memory_mb() -> float:
    import psutil

    return float(psutil.Process().memory_info().rss / 2**20)
