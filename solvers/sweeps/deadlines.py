"""When a job of a sweep must be over, on a clock that counts only while this process is awake."""

import math
import time

from ..problem import Limits

STARTUP_TIMEOUT = 300.0
"""Seconds for a process to start, and to import and compile what a method needs; this does not count as its search."""

GRACE = 30.0
"""Seconds beyond its time limit that a job has to end, and to have its model verified."""

LONGEST_STEP = 1.0
"""Seconds between two looks at the clock beyond which this process was frozen, or busy with what has been found."""

UNRESPONSIVE = "Its process did not answer and was ended: it hung, or the method did not heed its time limit."
"""The error of a job whose process was ended."""


def deadline(limits: Limits, since: float, searching: float | None) -> float:
    """When a job must be over, on the clock of `since` (when it was begun) and `searching` (when its search was)."""
    allowed = math.inf if limits.seconds is None else limits.seconds + GRACE
    return since + STARTUP_TIMEOUT + allowed if searching is None else searching + allowed


class AwakeClock:
    """Counts the seconds in `awake`: where this process was frozen, so were the others, and they have not had them."""

    def __init__(self) -> None:
        self.awake, self._last = 0.0, time.monotonic()

    def tick(self) -> float:
        """Look at the clock."""
        now = time.monotonic()
        self.awake, self._last = self.awake + min(now - self._last, LONGEST_STEP), now
        return self.awake
