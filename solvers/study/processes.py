"""Worker processes on this machine that solve the jobs of a sweep.

They are the workers of a pool, as for the runs of the dashboard; each solves one job after another. A worker whose job
hangs is killed, and all of them once the sweep is stopped. If a worker dies by itself its job is tried once more,
alone, in case memory was short.
"""

from __future__ import annotations

import base64
import pickle
import threading
import weakref
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import RunError
from ..run.pool import WorkerPool
from ..run.work import Call, HangTimer, Message
from ..solution import Emit, EndReason, Stop
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


class JobCall(Call):
    """A job in a worker; `changed` is set when it is over.

    Attributes
    ----------
    job : the job.
    outcome : its outcome; `None` if its process was lost.
    """

    def __init__(self, job: SweepJob, changed: threading.Event) -> None:
        super().__init__(send_outcome, job, HangTimer(job.limits.seconds, GRACE, STARTUP_TIMEOUT))
        self.job, self._changed = job, changed
        self.outcome: JobOutcome | None = None

    @property
    def keeps_worker(self) -> bool:
        """Whether the worker has solved the job, and waits for the next one."""
        return self.outcome is not None and self.outcome.error != UNRESPONSIVE

    def receive(self, message: Message) -> None:
        """Take the outcome."""
        if "outcome" in message:
            self.outcome = pickle.loads(base64.b64decode(message["outcome"]))
            self.end()

    def lost(self, how: str) -> None:
        """The worker is gone, perhaps because the job hung."""
        if self._ended_for is EndReason.TIME_LIMIT and not self.is_over:
            self.outcome = JobOutcome(self.job.key, None, UNRESPONSIVE)
        self.end()

    def end(self) -> None:
        """The job is over."""
        super().end()
        self._changed.set()


def send_outcome(job: SweepJob, folder: Path, emit: Emit) -> Message:
    """Solve a job in a worker; returns the message with its outcome."""
    return {"outcome": base64.b64encode(pickle.dumps(solve_job(job, emit=emit))).decode()}


@dataclass(frozen=True)
class Processes:
    """Processes on this machine, which are kept for the next sweep until this object is garbage-collected.

    Attributes
    ----------
    workers : their number; each job may use further threads, as its limits say.
    pool : the processes.
    """

    workers: int = 2
    pool: WorkerPool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise RunError(f"A sweep needs at least 1 worker, but has {self.workers}.")
        object.__setattr__(self, "pool", WorkerPool(spares=0, max_running=self.workers, warm=()))
        weakref.finalize(self, self.pool.close)

    def at_once(self) -> int:
        """One job per worker."""
        return self.workers

    def outcomes(self, jobs: Iterable[SweepJob], stop: Stop) -> Iterator[JobOutcome]:
        """Solve them; active jobs are killed when `stop` is set."""
        waiting, lost, changed = until_stopped(jobs, stop), list[SweepJob](), threading.Event()
        trials, busy, ended = Counter[str](), list[JobCall](), list[JobOutcome]()
        try:
            while True:
                # before the outcomes are yielded, because the caller may have to write them
                while len(busy) < self.workers and (job := next(waiting, None)) is not None:
                    busy.append(JobCall(job, changed))
                    self.pool.enqueue(busy[-1])
                    trials[job.key] += 1
                yield from ended
                if stop.is_set() or not (busy or lost):
                    return
                if not busy:
                    waiting = iter([lost.pop()])
                changed.wait(POLL_INTERVAL)
                changed.clear()
                over, busy = [call for call in busy if call.is_over], [call for call in busy if not call.is_over]
                ended = list(_ended(over, trials, lost))
                if any(outcome.error == UNRESPONSIVE for outcome in ended):
                    # what froze one process may have frozen others, whose jobs get more time
                    for call in busy:
                        if call.worker is not None and call.worker.is_frozen():
                            call.kill()
        finally:
            for call in busy:
                call.kill()
            for call in busy:
                call.wait_until_over(KILL_TIMEOUT)


def _ended(over: Iterable[JobCall], trials: Counter[str], lost: list[SweepJob]) -> Iterator[JobOutcome]:
    """The outcomes of jobs that are over; those that are to be tried again are added to `lost`."""
    for call in over:
        if call.outcome is not None:
            yield call.outcome
        elif call.fault is not None:
            raise call.fault
        elif trials[call.job.key] < TRIALS:
            lost.append(call.job)
        else:
            yield JobOutcome(call.job.key, None, _LOST)


_HERE = threading.local()


def solve_in_a_process(job: SweepJob) -> JobOutcome:
    """Solve one job in a process that this thread keeps for its next one."""
    if not hasattr(_HERE, "place"):
        _HERE.place = Processes(1)
    place: Processes = _HERE.place
    (outcome,) = place.outcomes([job], threading.Event())
    return outcome
