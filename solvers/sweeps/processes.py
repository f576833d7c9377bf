"""Processes of this machine that solve the jobs of a sweep, each of them a pool, so that what befalls it is its job's.

A process that hangs closes nothing and sends nothing, so its pool waits for it for ever. Whoever waits for the jobs
therefore ends a process whose job is past its deadline, and those at work once the sweep is stopped. A process that is
lost by itself has its job tried once more, alone: perhaps memory was short.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

import psutil

from solvers.compile_level import FIRST_LEVEL, VARIABLE
from solvers.errors import RunError
from solvers.solution import Stop
from solvers.sweeps.deadlines import UNRESPONSIVE, AwakeClock, deadline
from solvers.sweeps.jobs import TRIALS, JobOutcome, SweepJob, until_stopped
from solvers.sweeps.worker_process import begin_worker, solve_in_worker, warm

POLL_INTERVAL = 0.05
"""Seconds between two looks at a stop."""

IDLE_TIMEOUT = 300.0
"""Seconds after which a process ends that is given no job."""

_THREADS = ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM", "NUMBA", "NUMEXPR")


class JobProcess:
    """A process, which starts when it is first needed, and the job that it has, if any.

    It is one of `workers`, which share the cores.
    """

    job: SweepJob | None = None
    future: Future[JobOutcome]
    _searching: float | None
    """When its search is known to have begun; `None` before."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool: Any = None
        _ALL.add(self)

    def submit(self, function: Callable[..., Any], *args: Any) -> Future[Any]:
        """Have the process call a function; one that was lost while it was idle is started anew."""
        from joblib.externals.loky.process_executor import BrokenProcessPool, ShutdownExecutorError

        future: Future[Any]
        try:
            future = self._started().submit(function, *args)
        except (BrokenProcessPool, ShutdownExecutorError):
            self.kill()
            future = self._started().submit(function, *args)
        return future

    def _started(self) -> Any:
        """The pool of the process."""
        from joblib import cpu_count
        from joblib.externals.loky import ProcessPoolExecutor
        from joblib.externals.loky.backend import get_context

        if self._pool is None:
            # what libraries do in parallel of their own accord shares the cores
            each = max(1, cpu_count() // self.workers)
            defaults = {f"{library}_NUM_THREADS": str(each) for library in _THREADS} | {VARIABLE: FIRST_LEVEL}
            environment = {name: os.environ.get(name, value) for name, value in defaults.items()}
            self._began = get_context().Semaphore(0)
            start = {"initializer": begin_worker, "initargs": (os.getpid(), self._began), "env": environment}
            self._pool = ProcessPoolExecutor(1, timeout=IDLE_TIMEOUT, **start)
            self._pool.submit(os.getpid)
            # joblib waits for its processes when the program ends, and frozen ones do not go; what `atexit` holds comes
            # too late, and what is registered here last is called first: joblib does so when it starts a process
            threading._register_atexit(_end_all)  # type: ignore[attr-defined]  # concurrent.futures uses it, too
        return self._pool

    @property
    def process(self) -> psutil.Process | None:
        """The process, while there is one."""
        with suppress(psutil.NoSuchProcess):
            return next((psutil.Process(pid) for pid in list(self._pool._processes)), None) if self._pool else None
        return None

    def begin(self, job: SweepJob, now: float) -> None:
        """Give it a job, at a time of the sweep's clock."""
        self._has_begun()
        self.future = self.submit(solve_in_worker, job)
        self.job, self._since, self._searching = job, now, None

    def _has_begun(self) -> bool:
        """Whether a search has begun since this was last asked."""
        self._started()
        return bool(self._began.acquire(False))

    def is_overdue(self, now: float) -> bool:
        """Whether its job should be over."""
        if self._has_begun():
            self._searching = now
        return self.job is not None and now > deadline(self.job.limits, self._since, self._searching)

    def is_frozen(self) -> bool:
        """Whether it does not react to anything."""
        process = self.process
        with suppress(psutil.NoSuchProcess):
            return process is not None and process.status() == psutil.STATUS_STOPPED
        return False

    def kill(self) -> None:
        """End it at once; it has nothing to tidy up."""
        with suppress(psutil.NoSuchProcess):
            if process := self.process:
                process.kill()
        pool, self._pool, self.job = self._pool, None, None
        if pool is not None:
            # which finds that its process is gone
            pool.shutdown()


_ALL: WeakSet[JobProcess] = WeakSet()
_IDLE: list[JobProcess] = []
"""The processes of the last sweep."""
_TAKING = threading.Lock()


def _end_all() -> None:
    for process in list(_ALL):
        process.kill()


def _taken(workers: int) -> list[JobProcess]:
    """So many processes, idle ones first; those of another number of workers are ended, and frozen ones."""
    with _TAKING:
        idle = [_IDLE.pop() for _ in list(_IDLE)]
    fitting = [process for process in idle if process.workers == workers]
    for process in idle:
        if process not in fitting[:workers] or process.is_frozen():
            process.kill()
    return (fitting + [JobProcess(workers) for _ in range(workers)])[:workers]


def _released(processes: Iterable[JobProcess]) -> None:
    """Keep processes for the next sweep; what is at work, or frozen, is ended."""
    for process in processes:
        if process.job is not None or process.is_frozen():
            process.kill()
        _IDLE.append(process)


@dataclass(frozen=True)
class Processes:
    """In processes of this machine.

    Attributes
    ----------
    workers : how many; each job may use further threads, as its limits say.
    """

    workers: int = 2

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise RunError(f"A sweep needs at least 1 worker. Got {self.workers}.")

    def prepare(self, methods: Iterable[str]) -> None:
        """Start the processes; importing takes each of them a second or two."""
        processes, names = _taken(self.workers), tuple(methods)
        for process in processes:
            process.submit(warm, names)
        _released(processes)

    def close(self) -> None:
        """End the processes at once: a program that ends would wait for each to tidy up, which has nothing to tidy."""
        for process in _taken(self.workers):
            process.kill()

    def at_once(self) -> int:
        """A job a worker."""
        return self.workers

    def outcomes(self, jobs: Iterable[SweepJob], stop: Stop) -> Iterator[JobOutcome]:
        """Solve them; those at work when `stop` is set are ended."""
        processes, clock = _taken(self.workers), AwakeClock()
        waiting, lost = until_stopped(jobs, stop), list[SweepJob]()
        trials, ended = Counter[str](), list[JobOutcome]()
        try:
            while True:
                # before the outcomes are passed on, because whoever takes them may have to write them
                for process in processes:
                    if process.job is None and (job := next(waiting, None)) is not None:
                        process.begin(job, clock.awake)
                        trials[job.key] += 1
                yield from ended
                busy = [process for process in processes if process.job is not None]
                if stop.is_set() or not (busy or lost):
                    return
                if not busy:
                    waiting = iter([lost.pop()])
                wait([process.future for process in busy], POLL_INTERVAL, FIRST_COMPLETED)
                gone, ended = _ended(busy, clock.tick())
                for job in gone:
                    if trials[job.key] < TRIALS:
                        lost.append(job)
                    else:
                        ended.append(JobOutcome(job.key, None, _LOST))
        finally:
            _released(processes)


_LOST = f"Its process was lost {TRIALS} times: the method crashed, or memory ran out."


def _ended(busy: Iterable[JobProcess], now: float) -> tuple[list[SweepJob], list[JobOutcome]]:
    """The jobs whose processes are lost, and the outcomes of those that have ended otherwise."""
    from joblib.externals.loky import BrokenProcessPool

    lost, ended = [], []
    for process in busy:
        job = process.job
        assert job is not None, "it is busy"
        if process.future.done():
            process.job = None
            try:
                ended.append(process.future.result())
            except BrokenProcessPool:
                lost.append(job)
        elif process.is_overdue(now):
            process.kill()
            ended.append(JobOutcome(job.key, None, UNRESPONSIVE))
    if any(outcome.error == UNRESPONSIVE for outcome in ended):
        # whatever froze one process may have frozen others, whose jobs have more time
        for process in busy:
            job = process.job
            if job is not None and process.is_frozen():
                process.kill()
                lost.append(job)
    return lost, ended
