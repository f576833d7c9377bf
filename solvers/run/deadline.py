"""When a worker that does not end by itself is killed: the same for a run and for a job of a study."""

import math
import time

LONGEST_STEP = 1.0
"""If more seconds than this pass between two looks, this process was frozen, or busy with results."""


class Deadline:
    """Counts the seconds of a search, beyond which its worker hangs.

    Seconds in which this process was frozen do not count, because its workers were frozen with it.

    Parameters
    ----------
    seconds : the time limit of the search; `None` for no limit.
    grace : further seconds for its end and the verification of its model.
    startup : seconds for a worker to start, and to import and compile what the method needs.

    Attributes
    ----------
    searching : whether the search has begun.
    compiling : whether the worker compiles a kernel; these seconds do not count either.
    """

    def __init__(self, seconds: float | None, grace: float, startup: float = math.inf) -> None:
        self._allowed, self._startup = math.inf if seconds is None else seconds + grace, startup
        self._spent, self._last = 0.0, time.monotonic()
        self.searching = self.compiling = False

    def begin_search(self) -> None:
        """Count from now on."""
        self._spent, self.searching = 0.0, True

    def is_over(self) -> bool:
        """Look at the clock, and say whether the time is over."""
        now = time.monotonic()
        if not self.compiling:
            self._spent += min(now - self._last, LONGEST_STEP)
        self._last = now
        return self._spent > self._allowed + (0.0 if self.searching else self._startup)
