"""What the worker processes of a sweep on this machine do: they solve jobs, and end when their parent is gone.

A process of a pool outlives whoever made it by minutes, idle or, worse, at work. So each checks again and again whether
its parent still lives.
"""

import os
import signal
import threading
import time
from collections.abc import Iterable
from typing import Any

from solvers.methods import get
from solvers.solution import Event, Started
from solvers.sweeps.jobs import JobOutcome, SweepJob, solve_job

PARENT_INTERVAL = 0.5
"""Seconds between two checks of a process whether its parent lives."""

_began: Any = None
"""What tells the parent that the search of a job has begun: a semaphore, which a process that freezes cannot hold."""


def begin_worker(parent: int, began: Any) -> None:
    """End this process as soon as its parent is gone; called when it begins.

    An interrupt from the keyboard reaches all processes of a program; here it is left to the parent, which reports it.

    Parameters
    ----------
    parent : the number of the process that made this one.
    began : the semaphore that is released when a search begins.
    """
    global _began
    _began = began
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


def solve_in_worker(job: SweepJob) -> JobOutcome:
    """Solve one job in this process."""

    def on_event(event: Event) -> None:
        if isinstance(event, Started):
            _began.release()

    return solve_job(job, emit=on_event)
