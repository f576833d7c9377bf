"""The watchdog of a sweep's worker processes: ends those that hang, or whose search ignores its time limit.

A process that hangs closes nothing and sends nothing, so the pool waits for it for ever. Each writes which job it works
on, and whether the search has begun, into a status file a job; whoever made the pool reads these files, and ends a
process whose job is past its deadline. The pool then reports that a process is gone, as where one has crashed.
"""

from __future__ import annotations

import hashlib
import math
import multiprocessing
import os
import shutil
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil

from solvers.problem import Limits
from solvers.solution import Event, Started, Stop
from solvers.sweeps.jobs import SweepJob

STARTUP_TIMEOUT = 300.0
"""Seconds for a process to start, and to import and compile what a method needs; this does not count as its search."""

GRACE = 30.0
"""Seconds beyond its time limit that a job has to end, and to have its model verified."""

STOP_TIMEOUT = 10.0
"""Seconds that a job has to end after the sweep was stopped."""

POLL_INTERVAL = 0.05
"""Seconds between two looks at a stop."""

STATUS_INTERVAL = 0.5
"""Seconds between two looks at the status files."""

UNRESPONSIVE = "Its process did not answer and was ended: it hung, or the method did not heed its time limit."
"""The error of a job whose process was ended."""


class JobStatusFile:
    """The file, in the folder of the status files, in which a process writes that it works on the job of this key."""

    def __init__(self, folder: str, key: str) -> None:
        self._path = Path(folder) / hashlib.sha256(key.encode()).hexdigest()

    def claim(self) -> None:
        """This process has the job."""
        self._write("taken")

    def on_event(self, event: Event) -> None:
        """Write that the search has begun; all other events change nothing."""
        if isinstance(event, Started):
            self._write("begun")

    def _write(self, state: str) -> None:
        # a full disk must not cost the job: without a status file it merely has longer
        with suppress(OSError):
            new = self._path.with_suffix(".new")
            new.write_text(f"{os.getpid()} {state}", "utf-8")
            os.replace(new, self._path)

    def read(self) -> tuple[int | None, bool]:
        """The process that has the job, `None` where none has it yet, and whether its search has begun."""
        try:
            pid, state = self._path.read_text("utf-8").split()
        except OSError:
            return None, False
        return int(pid), state == "begun"

    def remove(self) -> None:
        """Delete the file."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


class _WatchedJob(NamedTuple):
    """A job that was begun: its status file, since when, and since when its search is known to run (`None` if not)."""

    job: SweepJob
    status: JobStatusFile
    since: float
    searching: float | None = None

    def deadline(self) -> float:
        """When it must be over."""
        return deadline(self.job.limits, self.since, self.searching)


def deadline(limits: Limits, since: float, searching: float | None) -> float:
    """When a job must be over, on the clock of `since` (when it was begun) and `searching` (when its search was)."""
    allowed = math.inf if limits.seconds is None else limits.seconds + GRACE
    return since + STARTUP_TIMEOUT + allowed if searching is None else searching + allowed


def stop_file(folder: str) -> Path:
    """The file that is there once a sweep is stopped, beside the status files of its processes."""
    return Path(folder) / "stop"


class PoolWatchdog:
    """Watches the jobs of a pool while it is entered, and passes a stop of the sweep on to its processes.

    Its clock counts the seconds that this process was awake. In its `folder` are the status files and `stop_file`.
    """

    def __init__(self, stop: Stop) -> None:
        self._stop, self._stopped = stop, math.inf
        self._jobs: dict[str, _WatchedJob] = {}
        self._unresponsive: set[str] = set()
        self._awake, self._lock, self._over = 0.0, threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog of a sweep", daemon=True)

    def __enter__(self) -> PoolWatchdog:
        self.folder = tempfile.mkdtemp(prefix="espalier-sweep-")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        _end_frozen()
        if _pool():
            _end_frozen_at_exit()
        shutil.rmtree(self.folder, ignore_errors=True)

    def add(self, job: SweepJob) -> None:
        """Watch a job from now on."""
        status = JobStatusFile(self.folder, job.key)
        status.remove()
        with self._lock:
            self._jobs[job.key] = _WatchedJob(job, status, self._awake)

    def remove(self, key: str) -> None:
        """The job has ended."""
        with self._lock:
            watched = self._jobs.pop(key, None)
        if watched is not None:
            watched.status.remove()

    def pop_lost(self) -> tuple[list[SweepJob], list[SweepJob]]:
        """The jobs that went with the processes of a pool: those that did not answer, and the others."""
        with self._lock:
            jobs, self._jobs = self._jobs, {}
            unresponsive, self._unresponsive = self._unresponsive, set()
        lost: tuple[list[SweepJob], list[SweepJob]] = [], []
        for key, watched in jobs.items():
            lost[key not in unresponsive].append(watched.job)
        return lost

    def _watch(self) -> None:
        last, looked = time.monotonic(), 0.0
        while not self._over.wait(POLL_INTERVAL):
            now = time.monotonic()
            # where this process was frozen itself, so were the others, and they have not had that time
            self._awake, last = self._awake + min(now - last, STATUS_INTERVAL), now
            if self._stop.is_set():
                self._stopped = min(self._stopped, self._awake)
                # on a full disk it is tried again, and what does not end by itself is ended
                with suppress(OSError):
                    stop_file(self.folder).touch()
            if self._awake - looked >= STATUS_INTERVAL:
                looked = self._awake
                with self._lock:
                    self._end_overdue()

    def _end_overdue(self) -> None:
        for key, watched in self._jobs.items():
            pid, begun = watched.status.read()
            if begun and watched.searching is None:
                watched = self._jobs[key] = watched._replace(searching=self._awake)
            overdue = self._awake > min(watched.deadline(), self._stopped + STOP_TIMEOUT)
            if overdue and key not in self._unresponsive:
                self._unresponsive.add(key)
                _end(pid)


def _end(pid: int | None) -> None:
    """End a process of the pool; all of them where it is not known which, for one may hang before it takes its job."""
    pool = _pool()
    for process in [process for process in pool if process.pid == pid] or pool:
        # a frozen process reacts to nothing but this
        with suppress(psutil.NoSuchProcess):
            process.kill()


def _end_frozen_at_exit() -> None:
    """End frozen processes before this program ends: joblib waits for idle ones then, and frozen ones do not go."""
    # what `atexit` holds comes too late, after all threads; what is registered here last is called first, and joblib
    # registers its own for each pool anew
    threading._register_atexit(_end_frozen)  # type: ignore[attr-defined]  # concurrent.futures uses it, too


def _end_frozen() -> None:
    """End the processes of the pool that are frozen."""
    for process in _pool():
        with suppress(psutil.NoSuchProcess):
            if process.status() == psutil.STATUS_STOPPED:
                process.kill()


def _pool() -> list[psutil.Process]:
    """The processes of joblib's pool that this one has."""
    from joblib.externals.loky.backend.process import LokyProcess

    found = []
    for process in multiprocessing.active_children():
        if isinstance(process, LokyProcess):
            with suppress(psutil.NoSuchProcess):
                found.append(psutil.Process(process.pid))
    return found
