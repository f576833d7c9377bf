"""Executors solve the jobs of a sweep: in this process, in several of this machine, or on a Dask cluster.

A job whose process dies (a crash of native code, out of memory) is tried once more, alone. If its process dies again,
the job has failed; the other jobs are unaffected.
"""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Protocol

from ..errors import MissingPackageError, RunError
from ..solution import Stop
from .jobs import TRIALS, JobOutcome, SweepJob, solve_job, until_stopped
from .processes import POLL_INTERVAL, Processes, solve_in_a_process

_RESULTS_KEPT = "All models solved so far are kept."

LOST = "lost"
"""Dask's name for a finished job whose worker died before the result was fetched; it is run again."""


HEARTBEAT_INTERVAL = 2.0
"""Seconds between two requests to the scheduler."""

FETCH_TIMEOUT = 5.0
"""Timeout in seconds for fetching a result, which is small; then the scheduler is checked again."""


class LostWorkersError(RunError):
    """A task on a cluster repeatedly lost its workers."""


class Executor(Protocol):
    """An environment that solves jobs."""

    def outcomes(self, jobs: Iterable[SweepJob], stop: Stop) -> Iterator[JobOutcome]:
        """Yield the outcomes of the jobs as they end. Once `stop` is set no further job begins."""
        ...

    def at_once(self) -> int:
        """The number of jobs solved at the same time."""
        ...


@dataclass(frozen=True)
class InProcess(Executor):
    """Sequential, in this process: nothing has to start, and a debugger or a fake method sees each job.

    The default in Python, where the caller decides; also used inside a worker of the dashboard, which can be killed as
    a whole. A single job cannot be killed here: a job that hangs blocks its caller, so a sweep of the command line or
    the dashboard uses `Processes`, even with one worker.
    """

    def outcomes(self, jobs: Iterable[SweepJob], stop: Stop) -> Iterator[JobOutcome]:
        """Solve them in order; the active job is also ended when `stop` is set."""
        for job in until_stopped(jobs, stop):
            yield solve_job(job, stop)

    def at_once(self) -> int:
        """One."""
        return 1


class WorkersGoneError(Exception):
    """A scheduler has been without workers for too long."""


class SchedulerHeartbeat:
    """Checks that a cluster is alive while results are pending.

    The scheduler must answer within `timeout` seconds, and may be without workers for `workers_timeout` seconds, since
    restarting workers takes a while.
    """

    def __init__(self, client: Any, timeout: float, workers_timeout: float) -> None:
        self._client, self._timeout, self._workers_timeout = client, timeout, workers_timeout
        self._checked = self._worked = time.monotonic()

    def check(self) -> None:
        """Send a request if the last one is long enough ago.

        Raises
        ------
        OSError
            The scheduler does not answer (`TimeoutError`), or cannot be reached.
        WorkersGoneError
            It answers, but has been without workers for too long.
        """
        if time.monotonic() - self._checked < HEARTBEAT_INTERVAL:
            return
        workers = self._client.sync(self._client.scheduler.ncores, callback_timeout=self._timeout)
        self._checked = time.monotonic()
        if workers:
            self._worked = self._checked
        elif self._checked - self._worked > self._workers_timeout:
            raise WorkersGoneError

    def result(self, future: Any) -> Any:
        """The result of a future that has ended; if its worker died with the result, it is computed again."""
        while True:
            try:
                return future.result(timeout=FETCH_TIMEOUT)
            except TimeoutError:
                self.check()


@dataclass(frozen=True)
class Cluster(Executor):
    """On the workers of a Dask cluster, which must have this program and its packages installed.

    Attributes
    ----------
    scheduler : its address, such as 'tcp://scheduler:8786'.
    timeout : seconds to wait for the scheduler to answer.
    workers_timeout : seconds for which it may be without workers during a sweep.
    """

    scheduler: str
    timeout: float = 10.0
    workers_timeout: float = 60.0

    def outcomes(self, jobs: Iterable[SweepJob], stop: Stop) -> Iterator[JobOutcome]:
        """Solve them, each in a process that its worker starts as in `Processes`.

        The scheduler gives the job of a lost worker to another one. A job that hangs ends with its process.

        Raises
        ------
        RunError
            The scheduler does not answer or has no workers, at the start or later; or the cluster lacks this program.
        """
        with self.client() as client, self.reached():
            from distributed import as_completed

            scheduler = self.heartbeat(client)
            room = 2 * self.threads(client)
            waiting, begun = until_stopped(jobs, stop), dict[Any, SweepJob]()
            line: Any = as_completed(loop=client.loop, raise_errors=False)
            for _ in range(room):
                self._submit(client, waiting, begun, line)
            while not line.is_empty():
                if stop.is_set():
                    client.cancel(list(begun))
                    return
                if not line.has_ready():
                    scheduler.check()
                    time.sleep(POLL_INTERVAL)
                    continue
                future = next(line)
                if future.status == LOST:
                    line.add(future)
                else:
                    yield self._outcome(begun.pop(future), future, scheduler)
                    self._submit(client, waiting, begun, line)

    def at_once(self) -> int:
        """One job per worker thread.

        Raises
        ------
        RunError
            The scheduler does not answer or has no workers.
        """
        with self.client() as client:
            return self.threads(client)

    @staticmethod
    def threads(client: Any) -> int:
        """The number of threads of all workers."""
        threads: dict[str, int] = client.nthreads()
        return max(1, sum(threads.values()))

    @contextmanager
    def reached(self) -> Iterator[None]:
        """Convert the errors of an unreachable cluster to a `RunError` that says what to do."""
        try:
            yield
        except (OSError, TimeoutError) as error:
            raise RunError(self._unreachable(error)) from None
        except WorkersGoneError:
            raise RunError(f"{self._without_workers()} {_RESULTS_KEPT}") from None

    def heartbeat(self, client: Any) -> SchedulerHeartbeat:
        """The check that the cluster is alive."""
        return SchedulerHeartbeat(client, self.timeout, self.workers_timeout)

    @contextmanager
    def client(self) -> Iterator[Any]:
        """Dask's client of the cluster.

        Raises `RunError` if it does not answer or has no workers, `MissingPackageError` without Dask's package.
        """
        try:
            from distributed import Client
        except ImportError as error:
            raise MissingPackageError(
                f"A cluster needs the package distributed ({error}). Install 'espalier-trees[cluster]'."
            ) from None
        try:
            client = Client(self.scheduler, timeout=self.timeout, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise RunError(self._unreachable(error)) from None
        try:
            try:
                client.wait_for_workers(1, timeout=self.timeout)
            except TimeoutError:
                raise RunError(self._without_workers()) from None
            yield client
        finally:
            # a busy scheduler may miss the timeout, which must not hide how the sweep ended
            with suppress(TimeoutError):
                client.close(timeout=1)

    def _submit(self, client: Any, waiting: Iterator[SweepJob], begun: dict[Any, SweepJob], line: Any) -> None:
        """Submit the next job to the scheduler, if there is one."""
        job = next(waiting, None)
        if job is not None:
            # not pure: equal jobs of two sweeps must not share a result that one of them cancels
            future = client.submit(solve_in_a_process, job, pure=False, retries=TRIALS - 1)
            begun[future] = job
            line.add(future)

    def _outcome(self, job: SweepJob, future: Any, scheduler: SchedulerHeartbeat) -> JobOutcome:
        try:
            outcome: JobOutcome = self.fetched(future, scheduler)
            return outcome
        except LostWorkersError as error:
            return JobOutcome(job.key, None, str(error))

    def fetched(self, future: Any, scheduler: SchedulerHeartbeat) -> Any:
        """The result of a future that has ended.

        Raises
        ------
        LostWorkersError
            It repeatedly lost its worker.
        OSError
            The scheduler does not answer, or has been restarted.
        RunError
            The cluster lacks this program.
        """
        if future.status in ("finished", LOST):
            return scheduler.result(future)
        if future.status == "cancelled":
            # we never cancel a job that we wait for: the scheduler was lost, and the job with it
            raise OSError("the worker was lost")
        reason = future.exception() if future.status == "error" else None
        if _is_unreadable(reason):
            raise RunError(self._without_program())
        why = f" ({type(reason).__name__})" if reason is not None else ""
        raise LostWorkersError(f"Its worker was lost repeatedly{why}: it crashed, or memory ran out.")

    def _unreachable(self, error: BaseException) -> str:
        reason = str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__
        return (
            f"The Dask scheduler at {self.scheduler} does not respond ({reason[:200]}). Start the scheduler, correct "
            f"its address, or leave it out to use local processes. {_RESULTS_KEPT}"
        )

    def _without_workers(self) -> str:
        return (
            f"The Dask scheduler at {self.scheduler} has no workers. Start one in the folder of this program with "
            f"'PYTHONPATH=. dask worker {self.scheduler} --nthreads 1', or leave the scheduler out to use local "
            f"processes."
        )

    def _without_program(self) -> str:
        return (
            f"The Dask scheduler at {self.scheduler} or a worker cannot read the jobs: all of them need this program, "
            f"in the same version. Start each in its folder, with 'PYTHONPATH=.' before the command, or leave the "
            f"scheduler out to use local processes. {_RESULTS_KEPT}"
        )


def _is_unreadable(reason: BaseException | None) -> bool:
    """Whether a job has failed because the cluster cannot deserialise it; Dask reports this as a scheduler error."""
    return isinstance(reason, ImportError | AttributeError) or "deserialization of the task graph" in str(reason)


def executor_of(scheduler: str | None, workers: int) -> Executor:
    """The executor: a cluster if its address is given, else `workers` processes on this machine."""
    if scheduler:
        return Cluster(scheduler)
    return Processes(workers)
