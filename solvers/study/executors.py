"""Executors solve the jobs of a sweep: in this process, in several of this machine, or on a Dask cluster.

A job whose process dies (a crash of native code, out of memory) is tried once more, alone. If its process dies again,
the job has failed; the other jobs are unaffected.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from ..errors import MissingPackageError, RunError
from ..solution import Stop
from .jobs import TRIALS, JobOutcome, SweepJob, solve_job, until_stopped
from .processes import Processes, solve_in_a_process

_RESULTS_KEPT = "All models solved so far are kept."

LOST = "lost"
"""Dask's name for a finished job whose worker died before the result was fetched; it is run again."""


HEARTBEAT_INTERVAL = 2.0
"""Seconds between two requests to the scheduler."""

PATIENCE = 0.5
"""Seconds to wait for a task that ends; then the scheduler is checked."""

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
        with self.client() as client:
            tasks, room = ClusterTasks(self, client), 2 * self.threads(client)
            waiting, begun = until_stopped(jobs, stop), dict[str, SweepJob]()
            while True:
                while len(begun) < room and (job := next(waiting, None)) is not None:
                    begun[tasks.begin(solve_in_a_process, job)] = job
                if stop.is_set() or not begun:
                    tasks.cancel()
                    return
                if (ended := tasks.ended()) is not None:
                    job = begun.pop(ended.key)
                    try:
                        yield tasks.result(ended)
                    except LostWorkersError as error:
                        yield JobOutcome(job.key, None, str(error))

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
                raise RunError(self.without_workers()) from None
            yield client
        finally:
            # a busy scheduler may miss the timeout, which must not hide how the sweep ended
            with suppress(TimeoutError):
                client.close(timeout=1)

    def _unreachable(self, error: BaseException) -> str:
        reason = str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__
        return (
            f"The Dask scheduler at {self.scheduler} does not respond ({reason[:200]}). Start the scheduler, correct "
            f"its address, or leave it out to use local processes. {_RESULTS_KEPT}"
        )

    def without_workers(self) -> str:
        """An error message, with a remedy."""
        return (
            f"The Dask scheduler at {self.scheduler} has no workers. Start one in the folder of this program with "
            f"'PYTHONPATH=. dask worker {self.scheduler} --nthreads 1', or leave the scheduler out to use local "
            f"processes."
        )

    def without_program(self) -> str:
        """An error message, with a remedy."""
        return (
            f"The Dask scheduler at {self.scheduler} or a worker cannot read the jobs: all of them need this program, "
            f"in the same version. Start each in its folder, with 'PYTHONPATH=.' before the command, or leave the "
            f"scheduler out to use local processes. {_RESULTS_KEPT}"
        )


class ClusterTasks:
    """Tasks on a cluster: the jobs of a sweep, or the parts of a search.

    If a worker dies, another one runs its task, also if it had ended with a result that was not fetched yet. Every
    method raises `RunError` if the scheduler does not answer or has been restarted. The scheduler may be without
    workers for a while, since restarting workers takes a while.
    """

    def __init__(self, cluster: Cluster, client: Any) -> None:
        self._cluster, self._client = cluster, client
        self._futures: dict[str, Any] = {}
        self._done: SimpleQueue[Any] = SimpleQueue()
        self._checked = self._worked = time.monotonic()

    def begin(self, function: Callable[..., Any], *arguments: Any) -> str:
        """Submit a call to the scheduler; returns its key."""
        with self._cluster.reached():
            # not pure: equal jobs of two sweeps must not share a result that one of them cancels
            future = self._client.submit(function, *arguments, pure=False, retries=TRIALS - 1)
        key: str = future.key
        self._futures[key] = future
        future.add_done_callback(self._done.put)
        return key

    def ended(self) -> Any:
        """The future of the next task that has ended; `None` if there is none for a while, or after `wake`."""
        try:
            future = self._done.get(timeout=PATIENCE)
        except Empty:
            self._check()
            return None
        if future is None or future.key not in self._futures:
            return None
        if future.status == LOST:
            # checked again after a pause, since Dask would call back at once
            time.sleep(PATIENCE)
            self._done.put(future)
            return None
        return self._futures.pop(future.key)

    def result(self, future: Any) -> Any:
        """The result of a task that has ended.

        Raises
        ------
        LostWorkersError
            It repeatedly lost its worker.
        RunError
            The cluster lacks this program.
        """
        while future.status in ("finished", LOST):
            with self._cluster.reached(), suppress(TimeoutError):
                return future.result(timeout=FETCH_TIMEOUT)
            self._check()
        with self._cluster.reached():
            if future.status == "cancelled":
                # we never cancel a task that we wait for: the scheduler was lost, and the task with it
                raise OSError("the worker was lost")
            reason = future.exception() if future.status == "error" else None
        if _is_unreadable(reason):
            raise RunError(self._cluster.without_program())
        why = f" ({type(reason).__name__})" if reason is not None else ""
        raise LostWorkersError(f"Its worker was lost repeatedly{why}: it crashed, or memory ran out.")

    def wake(self) -> None:
        """Let `ended` return; may be called from another thread."""
        self._done.put(None)

    def cancel(self) -> None:
        """Cancel the active tasks."""
        self._client.cancel(list(self._futures.values()))
        self._futures.clear()

    def _check(self) -> None:
        """Ask the scheduler for its workers, if the last request was long enough ago."""
        if time.monotonic() - self._checked < HEARTBEAT_INTERVAL:
            return
        with self._cluster.reached():
            workers = self._client.sync(self._client.scheduler.ncores, callback_timeout=self._cluster.timeout)
        self._checked = time.monotonic()
        if workers:
            self._worked = self._checked
        elif self._checked - self._worked > self._cluster.workers_timeout:
            raise RunError(f"{self._cluster.without_workers()} {_RESULTS_KEPT}")


def _is_unreadable(reason: BaseException | None) -> bool:
    """Whether a job has failed because the cluster cannot deserialise it; Dask reports this as a scheduler error."""
    return isinstance(reason, ImportError | AttributeError) or "deserialization of the task graph" in str(reason)


def executor_of(scheduler: str | None, workers: int) -> Executor:
    """The executor: a cluster if its address is given, else `workers` processes on this machine."""
    if scheduler:
        return Cluster(scheduler)
    return Processes(workers)
