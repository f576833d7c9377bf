"""The watchdog of a run: ends a worker process that does not end by itself when it should."""

import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from .process import WorkerProcess

POLL_INTERVAL = 0.1
"""Seconds between two looks at a worker."""
TERMINATE_TIMEOUT = 0.2
"""Seconds between asking the system to end a worker and ending it without asking."""


class ResourceUsage(NamedTuple):
    """What a worker takes: its resident memory in MiB, and the user CPU seconds that it took until now."""

    memory_mb: float
    cpu_seconds: float


def watch(worker: WorkerProcess, over: threading.Event, overdue: Callable[[ResourceUsage], bool]) -> None:
    """Look at a worker until `over`, or until it is gone, and end it once it is `overdue`."""
    import psutil

    try:
        process = psutil.Process(worker.pid)
    except psutil.Error:
        return
    terminated_at: float | None = None
    while not over.wait(POLL_INTERVAL):
        try:
            usage = ResourceUsage(process.memory_info().rss / 2**20, process.cpu_times().user)
        except psutil.Error:
            return
        if not overdue(usage):
            continue
        if terminated_at is None:
            terminated_at = time.monotonic()
            worker.terminate()
        elif time.monotonic() - terminated_at > TERMINATE_TIMEOUT:
            worker.kill()
