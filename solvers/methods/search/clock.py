"""Time as a search counts it."""

import os
import time

from ...compilation import COMPILATION


class Clock:
    """Wall and user CPU seconds since it was made; the wall clock stands still while a kernel is compiled."""

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
    # one look at the time for both: between two of them this thread may have to wait
    now = time.perf_counter()
    return now - COMPILATION.seconds(now)


def _user_seconds() -> float:
    return os.times().user
