"""Worker processes on this machine that solve the jobs of a sweep.

Each is a `solvers.run.worker`, as for a run of the dashboard. A process that hangs sends nothing. So the process that
waits for the jobs kills a worker whose job is past its deadline, and all of them once the sweep is stopped. If a worker
dies by itself its job is tried once more, alone, in case memory was short.
"""

from __future__ import annotations

import atexit
import base64
import pickle
import tempfile
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import psutil

from ..errors import RunError
from ..run.deadline import Deadline
from ..run.process import WorkerProcess
from ..solution import Stop
from .jobs import TRIALS, JobOutcome, SweepJob, solve_job, until_stopped

POLL_INTERVAL = 0.05
"""Seconds between two checks of a stop flag."""

KILL_TIMEOUT = 1.0
"""Seconds to wait for the end of a killed process."""

STARTUP_TIMEOUT = 300.0
"""Seconds for a process to start, and to import and compile what a method needs; not part of its search time."""

GRACE = 30.0
"""Seconds beyond its time limit for a job to end and have its model verified."""

UNRESPONSIVE = "Its process did not respond and was ended: it hung, or the method ignored its time limit."
"""The error of a job whose process was killed."""

_LOST = f"Its process was lost {TRIALS} times: the method crashed, or memory ran out."


class JobProcess:
    """A worker process and its job, if any; `changed` is set when it has an outcome, and when it is lost.

    Attributes
    ----------
    job : the current job; `None` while it is idle.
    lost : whether the process has ended.
    """

    def __init__(self, changed: threading.Event) -> None:
        self.job: SweepJob | None = None
        self.lost = False
        self._deadline = Deadline(None, GRACE)
        self._outcome: JobOutcome | None = None
        self._changed = changed
        self._folder = tempfile.TemporaryDirectory(prefix="espalier-", ignore_cleanup_errors=True)
        self._n_calls = 0
        self._worker = WorkerProcess((), lambda worker: None)
        _ALL.add(self)
        self._worker.serve(self._hear, self._gone)

    def begin(self, job: SweepJob) -> None:
        """Give it a job; `RunError` if the disk is full."""
        self.job, self._outcome = job, None
        self._deadline = Deadline(job.limits.seconds, GRACE, STARTUP_TIMEOUT)
        self._call(solve_job, job)

    def _call(self, function: Callable[..., Any], argument: Any) -> None:
        self._n_calls += 1
        file = Path(self._folder.name) / str(self._n_calls)
        try:
            file.write_bytes(pickle.dumps((function, argument)))
        except OSError as error:
            if self.lost:
                # the process died and its folder is gone; the job is retried
                return
            raise RunError(
                f"A job cannot be written to the folder for temporary files '{file.parent}' "
                f"({error.strerror or error}). Free some space, and start the same sweep again."
            ) from None
        self._worker.send({"do": "call", "file": str(file)})

    def _hear(self, worker: WorkerProcess, message: dict[str, Any]) -> None:
        if message.get("event") == "started" and not self._deadline.searching:
            self._deadline.begin_search()
        if "result" in message:
            self._outcome = pickle.loads(base64.b64decode(message["result"]))
            self._changed.set()

    def _gone(self, worker: WorkerProcess, code: int) -> None:
        self.lost = True
        self._folder.cleanup()
        _ALL.discard(self)
        self._changed.set()

    @property
    def process(self) -> psutil.Process | None:
        """The process, if it exists."""
        with suppress(psutil.NoSuchProcess):
            return None if self.lost else psutil.Process(self._worker.pid)
        return None

    def outcome(self) -> JobOutcome | None:
        """The outcome of its job, once, after which it is idle; `None` while it works."""
        outcome, self._outcome = self._outcome, None
        if outcome is not None:
            self.job = None
        return outcome

    def is_overdue(self) -> bool:
        """Whether its job is past its deadline."""
        return self.job is not None and self._deadline.is_over()

    def is_frozen(self) -> bool:
        """Whether it does not react to anything."""
        process = self.process
        with suppress(psutil.NoSuchProcess):
            return process is not None and process.status() == psutil.STATUS_STOPPED
        return False

    def kill(self) -> None:
        """Kill it; it has nothing to clean up."""
        self.job, self.lost = None, True
        self._worker.kill()
        self._worker.wait(KILL_TIMEOUT)


_ALL: set[JobProcess] = set()
"""The processes of this program."""


def _kill(processes: Collection[JobProcess]) -> None:
    """Kill processes; also at the end of this program, since frozen ones would not notice it."""
    for process in list(processes):
        process.kill()


atexit.register(_kill, _ALL)


@dataclass(frozen=True)
class Processes:
    """Processes on this machine, which are kept for the next sweep until this object is garbage-collected.

    Attributes
    ----------
    workers : their number; each job may use further threads, as its limits say.
    """

    workers: int = 2
    _ahead: list[JobProcess] = field(default_factory=list, init=False, repr=False, compare=False)
    _changed: threading.Event = field(default_factory=threading.Event, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise RunError(f"A sweep needs at least 1 worker, but has {self.workers}.")
        weakref.finalize(self, _kill, self._ahead)

    def at_once(self) -> int:
        """One job per worker."""
        return self.workers

    def outcomes(self, jobs: Iterable[SweepJob], stop: Stop) -> Iterator[JobOutcome]:
        """Solve them; active jobs are killed when `stop` is set."""
        kept = self._ahead[:]
        self._ahead.clear()
        processes = [process for process in kept if not (process.lost or process.is_frozen())]
        _kill(set(kept) - set(processes))
        processes += [JobProcess(self._changed) for _ in range(self.workers - len(processes))]
        waiting, lost = until_stopped(jobs, stop), list[SweepJob]()
        trials, ended = Counter[str](), list[JobOutcome]()
        try:
            while True:
                # before the outcomes are yielded, because the caller may have to write them
                for i, process in enumerate(processes):
                    if process.job is None and (job := next(waiting, None)) is not None:
                        if process.lost:
                            processes[i] = JobProcess(self._changed)
                        processes[i].begin(job)
                        trials[job.key] += 1
                yield from ended
                busy = [process for process in processes if process.job is not None]
                if stop.is_set() or not (busy or lost):
                    return
                if not busy:
                    waiting = iter([lost.pop()])
                self._changed.wait(POLL_INTERVAL)
                self._changed.clear()
                gone, ended = _ended(busy)
                for job in gone:
                    if trials[job.key] < TRIALS:
                        lost.append(job)
                    else:
                        ended.append(JobOutcome(job.key, None, _LOST))
        finally:
            for process in processes:
                if process.job is None and not process.lost:
                    self._ahead.append(process)
                else:
                    process.kill()


_HERE = threading.local()


def solve_in_a_process(job: SweepJob) -> JobOutcome:
    """Solve one job in a process that this thread keeps for its next one."""
    if not hasattr(_HERE, "place"):
        _HERE.place = Processes(1)
    (outcome,) = _HERE.place.outcomes([job], threading.Event())
    return cast(JobOutcome, outcome)


def _ended(busy: Iterable[JobProcess]) -> tuple[list[SweepJob], list[JobOutcome]]:
    """The jobs whose processes are lost, and the outcomes of the other jobs that have ended."""
    lost, ended = [], []
    for process in busy:
        job = process.job
        assert job is not None, "it is busy"
        if (outcome := process.outcome()) is not None:
            ended.append(outcome)
        elif process.lost:
            process.job = None
            lost.append(job)
        elif process.is_overdue():
            process.kill()
            ended.append(JobOutcome(job.key, None, UNRESPONSIVE))
    if any(outcome.error == UNRESPONSIVE for outcome in ended):
        # what froze one process may have frozen others, whose jobs get more time
        for process in busy:
            job = process.job
            if job is not None and process.is_frozen():
                process.kill()
                lost.append(job)
    return lost, ended
