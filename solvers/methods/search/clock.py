"""The time of a search."""

import os
import time

from ...compilation import COMPILATION


class Clock:
    """Wall and user CPU seconds since creation; the wall clock pauses while a kernel is compiled."""

    def __init__(self) -> None:
        self._wall = _wall_seconds()
        self._cpu = _user_seconds()

    @property
    def elapsed(self) -> float:
        """Wall seconds."""
        return _wall_seconds() - self._wall

    @property
    def cpu(self) -> float:
        """User CPU seconds of this process, all threads."""
        return _user_seconds() - self._cpu


def _wall_seconds() -> float:
    # read the time once for both: between two readings this thread may have to wait
    now = time.perf_counter()
    return now - COMPILATION.seconds(now)


def _user_seconds() -> float:
    return os.times().user
