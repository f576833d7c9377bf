"""A run that another program carries or carried, with the face of a job: read from its folder, never started."""

import threading
import time
from pathlib import Path

from ..problem import Problem
from .folder import FollowedFolder
from .record import Snapshot

LOOK = 0.5
"""Seconds between two looks into the folder of a run that is still at work."""

_PAUSE = 0.1


class FollowedJob:
    """A run in a folder, for whoever shows `solvers.run.Job`s; every method may be called from any thread.

    Parameters
    ----------
    folder : of the run.
    known : a problem that may be that of the run, see `RunFolder.problem`.

    Raises
    ------
    RunError
        The folder is not a run, or is damaged.
    """

    def __init__(self, folder: Path, known: Problem | None = None) -> None:
        self._files = FollowedFolder(folder, known)
        self._run = self._files.look()
        self._looked = time.monotonic()
        self._lock = threading.Lock()
        self.id, self.folder, self.created, self.owner = self._run.id, folder, self._run.created, self._run.owner
        self.problem, self.method, self.limits = self._run.problem, self._run.method, self._run.limits
        self.task, self.options = self._run.task, self._run.options
        self.pid: int | None = None

    @property
    def done(self) -> bool:
        """Whether the run is over."""
        return self.snapshot().state.terminal

    def snapshot(self) -> Snapshot:
        """What is known now."""
        with self._lock:
            over = self._run.snapshot.state.terminal
            if not over and time.monotonic() - self._looked > LOOK:
                self._run = self._files.look()
                self._looked = time.monotonic()
            return self._run.snapshot

    def wait(self, timeout: float | None = None) -> Snapshot:
        """Wait for the end, at most `timeout` seconds, and say what is known then."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self.done and (end is None or time.monotonic() < end):
            time.sleep(_PAUSE)
        return self.snapshot()

    def cancel(self) -> None:
        """Nothing: only the program that started a run can stop it."""
