"""Watches the clock and the stop signal for a search that cannot check them itself."""

from __future__ import annotations

import threading
from collections.abc import Callable

POLL = 0.02
"""Seconds between two checks."""


class Watch:
    """A thread that calls `end` once `due` is true; it runs as long as the search."""

    def __init__(self, end: Callable[[], None], due: Callable[[], bool]) -> None:
        self._end, self._due = end, due
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.fired = False

    def _look(self) -> None:
        while not self._over.wait(POLL):
            if self._due():
                self.fired = True
                self._end()
                return

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
