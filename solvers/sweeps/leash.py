"""The tie between a sweep and the processes that solve its jobs: they stop when it is stopped, and end when it is gone.

A process of a pool outlives whoever made it by minutes, idle or, worse, at work. So each looks again and again whether
its owner still lives. And a stop that is set here must reach a search over there: the `Warden` tells it by a file.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from solvers.compile_level import FIRST_LEVEL, VARIABLE
from solvers.methods import get
from solvers.sweeps.jobs import Outcome, SweepJob, solve_job
from solvers.sweeps.warden import LOOK, Note, stop_file

IDLE = 300.0
"""Seconds after which a process ends that nobody gives a job."""

LOOK_AT_OWNER = 0.5
"""Seconds between two looks of a process whether its owner lives."""

_THREADS = ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM", "NUMBA", "NUMEXPR")


class FileStop:
    """A stop that is set by making a file; asking often is cheap, because the disk is asked once in a while.

    Parameters
    ----------
    path : of the file.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._set, self._next = path, False, 0.0

    def is_set(self) -> bool:
        """Whether the file was there at the last look."""
        now = time.monotonic()
        if not self._set and now >= self._next:
            self._set, self._next = os.path.exists(self._path), now + LOOK
        return self._set


def pool_of(workers: int) -> Any:
    """Processes that end with this one, which solve jobs with `solve_tied`; those of the sweep before where they idle.

    They are those that `joblib.Parallel` would use, but for one worker, too: there it works in the caller's process,
    which nobody can end without ending the sweep. A program has one set of them, so they are asked for as joblib does:
    any other set it would take for its own, and fail.
    """
    from joblib import cpu_count
    from joblib.executor import get_memmapping_executor

    # what libraries do in parallel of their own accord shares the cores
    each = max(1, cpu_count() // workers)
    defaults = {f"{library}_NUM_THREADS": str(each) for library in _THREADS} | {VARIABLE: FIRST_LEVEL}
    environment = {name: os.environ.get(name, value) for name, value in defaults.items()}
    # no files between the processes: one that is ended would leave them behind
    alone = {"max_nbytes": None, "initializer": tie, "initargs": (os.getpid(),), "env": environment}
    return get_memmapping_executor(workers, timeout=IDLE, **alone)


def tie(owner: int) -> None:
    """End this process as soon as its owner is gone; called when a process of a pool begins.

    An interrupt from the keyboard reaches all processes of a program; here it is left to the owner, who tells of it.

    Parameters
    ----------
    owner : the number of the process that made this one.
    """

    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        # whoever loses its parent is given another one
        while os.getppid() == owner:
            time.sleep(LOOK_AT_OWNER)
        os._exit(1)

    threading.Thread(target=watch, name="owner of a sweep", daemon=True).start()


def warm(methods: Iterable[str]) -> None:
    """Import and compile in this process what methods need; what goes wrong is told by the jobs that need it."""
    for name in methods:
        get(name).warm()


def solve_tied(job: SweepJob, folder: str) -> Outcome:
    """Solve one job in this process until the sweep is stopped; `folder` is that of its `Warden`."""
    note = Note(folder, job.key)
    note.taken()
    return solve_job(job, FileStop(stop_file(folder)), note.heard)
