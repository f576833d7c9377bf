"""The worker processes of a sweep on this machine: they stop when it is stopped, and end when their parent is gone.

A process of a pool outlives whoever made it by minutes, idle or, worse, at work. So each checks again and again whether
its parent still lives. And a stop that is set here must reach a search over there: `PoolWatchdog` makes a file for it.
"""

import os
import signal
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from solvers.compile_level import FIRST_LEVEL, VARIABLE
from solvers.methods import get
from solvers.sweeps.jobs import JobOutcome, SweepJob, solve_job
from solvers.sweeps.pool_watchdog import POLL_INTERVAL, JobStatusFile, stop_file

IDLE_TIMEOUT = 300.0
"""Seconds after which a process ends that is given no job."""

PARENT_INTERVAL = 0.5
"""Seconds between two checks of a process whether its parent lives."""

_THREADS = ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM", "NUMBA", "NUMEXPR")


class FileStop:
    """A stop that is set by making a file; checking often is cheap, because the disk is read once in a while.

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
            self._set, self._next = os.path.exists(self._path), now + POLL_INTERVAL
        return self._set


def process_pool(workers: int) -> Any:
    """Processes that end with this one and solve jobs with `solve_in_worker`; those of the last sweep where they idle.

    They are those that `joblib.Parallel` would use, but for one worker, too: there it works in the caller's process,
    which nobody can end without ending the sweep. A program has one set of them, so they are fetched as joblib does:
    any other set it would take for its own, and fail.
    """
    from joblib import cpu_count
    from joblib.executor import get_memmapping_executor

    # what libraries do in parallel of their own accord shares the cores
    each = max(1, cpu_count() // workers)
    defaults = {f"{library}_NUM_THREADS": str(each) for library in _THREADS} | {VARIABLE: FIRST_LEVEL}
    environment = {name: os.environ.get(name, value) for name, value in defaults.items()}
    # no files between the processes: one that is ended would leave them behind
    alone = {"max_nbytes": None, "initializer": exit_with_parent, "initargs": (os.getpid(),), "env": environment}
    return get_memmapping_executor(workers, timeout=IDLE_TIMEOUT, **alone)


def exit_with_parent(parent: int) -> None:
    """End this process as soon as its parent is gone; called when a process of a pool begins.

    An interrupt from the keyboard reaches all processes of a program; here it is left to the parent, which reports it.

    Parameters
    ----------
    parent : the number of the process that made this one.
    """

    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        # whoever loses its parent is given another one
        while os.getppid() == parent:
            time.sleep(PARENT_INTERVAL)
        os._exit(1)

    threading.Thread(target=watch, name="parent of a worker", daemon=True).start()


def warm(methods: Iterable[str]) -> None:
    """Import and compile in this process what methods need; what goes wrong is the error of the jobs that need it."""
    for name in methods:
        get(name).warm()


def solve_in_worker(job: SweepJob, folder: str) -> JobOutcome:
    """Solve one job in this process until the sweep is stopped; `folder` is that of its `PoolWatchdog`."""
    status = JobStatusFile(folder, job.key)
    status.claim()
    return solve_job(job, FileStop(stop_file(folder)), status.on_event)
