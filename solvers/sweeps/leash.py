"""The tie between a sweep and the processes that solve its jobs: they stop when it is stopped, and end when it is gone.

A process of a pool outlives whoever made it by minutes, idle or, worse, at work. So each looks again and again whether
its owner still lives. And a stop that is set here must reach a search over there: it is told by a file.
"""

from __future__ import annotations

import os
import secrets
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from solvers.solution import Stop
from solvers.sweeps.jobs import Outcome, SweepJob, solve_job
from solvers.sweeps.warden import Note

LOOK = 0.05
"""Seconds between two looks at a stop."""

LOOK_AT_OWNER = 0.5
"""Seconds between two looks of a process whether its owner lives."""


class FileStop:
    """A stop that is set by making a file; asking often is cheap, because the disk is asked once in a while.

    Parameters
    ----------
    path : of the file.
    """

    def __init__(self, path: str) -> None:
        self._path, self._set, self._next = path, False, 0.0

    def is_set(self) -> bool:
        """Whether the file was there at the last look."""
        now = time.monotonic()
        if not self._set and now >= self._next:
            self._set, self._next = os.path.exists(self._path), now + LOOK
        return self._set


@contextmanager
def told_by_file(stop: Stop) -> Iterator[str]:
    """The path of a file that exists from the moment on at which `stop` is set, until the block ends."""
    path = Path(tempfile.gettempdir()) / f"espalier-stop-{secrets.token_hex(8)}"
    over = threading.Event()

    def watch() -> None:
        while not over.wait(LOOK):
            if stop.is_set():
                path.touch(mode=0o600)
                return

    watcher = threading.Thread(target=watch, name="stop of a sweep", daemon=True)
    watcher.start()
    try:
        yield str(path)
    finally:
        over.set()
        watcher.join()
        path.unlink(missing_ok=True)


def end_with(owner: int) -> None:
    """End this process as soon as its owner is gone; called when a process of a pool begins.

    Parameters
    ----------
    owner : the number of the process that made this one.
    """

    def watch() -> None:
        # whoever loses its parent is given another one
        while os.getppid() == owner:
            time.sleep(LOOK_AT_OWNER)
        os._exit(1)

    threading.Thread(target=watch, name="owner of a sweep", daemon=True).start()


def solve_tied(job: SweepJob, path: str, notes: str) -> Outcome:
    """Solve one job in this process until the file of `told_by_file` is there; `notes` is the folder of a `Warden`."""
    note = Note(notes, job.key)
    note.taken()
    return solve_job(job, FileStop(path), note.heard)
