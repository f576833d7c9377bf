"""Ends processes of a sweep that do not answer: frozen ones, and ones whose search does not heed its time limit.

A process that hangs closes nothing and sends nothing, so the pool waits for it for ever. Each notes which job it works
on, and whether the search has begun, in a file a job; whoever made the pool reads these notes, and ends a process whose
job should long be over. The pool then tells that a process is gone, as where one has crashed.
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

START = 300.0
"""Seconds for a process to start, and to import and compile what a method needs; this does not count as its search."""

GRACE = 30.0
"""Seconds beyond its time limit that a job has to end, and to have its model verified."""

STOPPING = 10.0
"""Seconds that a job has to end after the sweep was stopped."""

LOOK = 0.05
"""Seconds between two looks at a stop."""

LOOK_AT_NOTES = 0.5
"""Seconds between two looks at the notes."""

SILENT = "Its process did not answer and was ended: it hung, or the method did not heed its time limit."
"""What is told of a job whose process was ended."""


class Note:
    """The file in which a process notes that it works on a job.

    Parameters
    ----------
    folder : of the notes.
    key : of the job.
    """

    def __init__(self, folder: str, key: str) -> None:
        self._path = Path(folder) / hashlib.sha256(key.encode()).hexdigest()

    def taken(self) -> None:
        """This process has the job."""
        self._write("taken")

    def heard(self, event: Event) -> None:
        """Note the beginning of the search, among all that it tells."""
        if isinstance(event, Started):
            self._write("begun")

    def _write(self, state: str) -> None:
        # a full disk must not cost the job: without a note it merely has longer
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

    def drop(self) -> None:
        """Take the note away."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


class _Hand(NamedTuple):
    """A job in hand: its note, since when, and since when its search is known to be at work (`None` if not)."""

    job: SweepJob
    note: Note
    since: float
    searching: float | None = None

    def due(self) -> float:
        """When it must be over."""
        return due(self.job.limits, self.since, self.searching)


def due(limits: Limits, since: float, searching: float | None) -> float:
    """When a job must be over, in seconds of the clock that told since when it is in hand and its search is at work."""
    allowed = math.inf if limits.seconds is None else limits.seconds + GRACE
    return since + START + allowed if searching is None else searching + allowed


def stop_file(folder: str) -> Path:
    """The file that is there once a sweep is stopped, beside the notes of its processes."""
    return Path(folder) / "stop"


class Warden:
    """Looks after the jobs of a pool while it is entered, and tells its processes when the sweep is stopped.

    Its clock counts the seconds that this process was awake.

    Parameters
    ----------
    stop : of the sweep.

    Attributes
    ----------
    folder : where the processes note what they do, and find `stop_file`.
    """

    def __init__(self, stop: Stop) -> None:
        self._stop, self._stopped = stop, math.inf
        self._hands: dict[str, _Hand] = {}
        self._silent: set[str] = set()
        self._awake, self._lock, self._over = 0.0, threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._watch, name="warden of a sweep", daemon=True)

    def __enter__(self) -> Warden:
        self.folder = tempfile.mkdtemp(prefix="espalier-sweep-")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        _end_frozen()
        if _pool():
            _attend_the_end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def begin(self, job: SweepJob) -> None:
        """Look after a job from now on."""
        note = Note(self.folder, job.key)
        note.drop()
        with self._lock:
            self._hands[job.key] = _Hand(job, note, self._awake)

    def end(self, key: str) -> None:
        """The job has ended."""
        with self._lock:
            hand = self._hands.pop(key, None)
        if hand is not None:
            hand.note.drop()

    def lose(self) -> tuple[list[SweepJob], list[SweepJob]]:
        """The jobs that went with the processes of a pool: those that did not answer, and the others."""
        with self._lock:
            hands, self._hands = self._hands, {}
            silent, self._silent = self._silent, set()
        return tuple([hand.job for key, hand in hands.items() if (key in silent) is wanted] for wanted in (True, False))

    def _watch(self) -> None:
        last, looked = time.monotonic(), 0.0
        while not self._over.wait(LOOK):
            now = time.monotonic()
            # where this process was frozen itself, so were the others, and they have not had that time
            self._awake, last = self._awake + min(now - last, LOOK_AT_NOTES), now
            if self._stop.is_set():
                self._stopped = min(self._stopped, self._awake)
                # on a full disk it is tried again, and what does not end by itself is ended
                with suppress(OSError):
                    stop_file(self.folder).touch()
            if self._awake - looked >= LOOK_AT_NOTES:
                looked = self._awake
                with self._lock:
                    self._look()

    def _look(self) -> None:
        for key, hand in self._hands.items():
            pid, begun = hand.note.read()
            if begun and hand.searching is None:
                hand = self._hands[key] = hand._replace(searching=self._awake)
            if key not in self._silent and self._awake > min(hand.due(), self._stopped + STOPPING):
                self._silent.add(key)
                _end(pid)


def _end(pid: int | None) -> None:
    """End a process of the pool; all of them where it is not known which, for one may hang before it takes its job."""
    pool = _pool()
    for process in [process for process in pool if process.pid == pid] or pool:
        # a frozen process heeds nothing but this
        with suppress(psutil.NoSuchProcess):
            process.kill()


def _attend_the_end() -> None:
    """See to it that this program can end: joblib waits for idle processes then, and frozen ones do not go."""
    # what `atexit` holds comes too late, after all threads; what is noted here last is done first, and joblib notes
    # its own for each pool anew
    threading._register_atexit(_end_frozen)


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
