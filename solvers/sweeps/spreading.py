"""Where the jobs of a sweep are solved: here, in several processes of this machine, or on a Dask cluster.

A job that takes its process with it (a crash of native code, no memory left) is tried once more alone; if it does so
again it has failed, and the other jobs have not.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Protocol

from solvers.errors import RunError
from solvers.solution import Stop
from solvers.sweeps.jobs import Outcome, SweepJob, solve_job
from solvers.sweeps.leash import pool_of, solve_tied, warm
from solvers.sweeps.pulse import Pulse, WorkersGoneError
from solvers.sweeps.signs import Signs, solve_told
from solvers.sweeps.warden import LOOK, SILENT, Warden

TRIALS = 2
"""How often a job is begun whose process is lost."""

_KEPT = "What was solved until now is kept."


class Spread(Protocol):
    """A place where jobs are solved."""

    def prepare(self, methods: Iterable[str]) -> None:
        """Begin what takes a while before these methods can solve their first job, and do not wait for it."""
        ...

    def close(self) -> None:
        """End what was begun, when no further sweep will come; without it the next one finds it ready."""
        ...

    def outcomes(self, jobs: Iterable[SweepJob], stop: Stop) -> Iterator[Outcome]:
        """What becomes of the jobs, as they end. Once `stop` is set no further job begins."""
        ...

    def at_once(self) -> int:
        """How many jobs are solved at the same time."""
        ...


@dataclass(frozen=True)
class Here:
    """One after the other, in this very process: nothing has to start, and a debugger or a fake method sees each job.

    The default in Python, where the caller decides; also of what runs in a worker of the dashboard, which can be ended
    as a whole. Nobody can end a single job here: one that hangs holds its caller, so a sweep of the command line or the
    dashboard uses `Processes`, be it of one worker.
    """

    def prepare(self, methods: Iterable[str]) -> None:
        """Nothing has to start."""

    def close(self) -> None:
        """Nothing was started."""

    def outcomes(self, jobs: Iterable[SweepJob], stop: Stop) -> Iterator[Outcome]:
        """Solve them in order; the one at work when `stop` is set is ended, too."""
        for job in _until(jobs, stop):
            yield solve_job(job, stop)

    def at_once(self) -> int:
        """One."""
        return 1


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
        pool = pool_of(self.workers)
        for _ in range(self.workers):
            pool.submit(warm, tuple(methods))

    def close(self) -> None:
        """End the processes at once: a program that ends would wait for each to tidy up, which has nothing to tidy."""
        pool_of(self.workers).shutdown(kill_workers=True)

    def outcomes(self, jobs: Iterable[SweepJob], stop: Stop) -> Iterator[Outcome]:
        """Solve them; those at work when `stop` is set are ended, too."""
        from joblib.externals.loky import BrokenProcessPool

        waiting, lost = iter(jobs), []
        with Warden(stop) as warden:
            while True:
                try:
                    yield from self._round(_noted(_until(waiting, stop), warden), warden)
                    break
                except BrokenProcessPool:
                    silent, others = warden.lose()
                for job in silent:
                    yield Outcome(job.key, None, SILENT)
                if silent:
                    waiting = chain(others, waiting)
                else:
                    # which of those at work brought the process down is not known, so each is tried again alone
                    lost += others
            for job in lost:
                if stop.is_set():
                    return
                yield self._alone(job, warden)

    def at_once(self) -> int:
        """A job a worker."""
        return self.workers

    def _round(self, jobs: Iterator[SweepJob], warden: Warden) -> Iterator[Outcome]:
        """Solve jobs until there are no more; `BrokenProcessPool` where a process is lost."""
        from joblib.externals.loky import BrokenProcessPool

        pool = pool_of(self.workers)

        def take(number: int) -> set[Future]:
            return {pool.submit(solve_tied, job, warden.folder) for job in islice(jobs, number)}

        try:
            # a job a worker: few begin after a stop, and few are begun when a process is lost
            running = take(self.workers)
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                # what was found before a process was lost is kept
                outcomes = [future.result() for future in done if future.exception() is None]
                for outcome in outcomes:
                    warden.end(outcome.key)
                lost = [future for future in done if future.exception() is not None]
                # before the outcomes are told, because whoever takes them may have to write them
                running |= set() if lost else take(len(outcomes))
                yield from outcomes
                for future in lost:
                    future.result()
        except BrokenProcessPool:
            raise
        except BaseException:
            # nobody takes what comes of those at work
            pool.shutdown(kill_workers=True)
            raise

    def _alone(self, job: SweepJob, warden: Warden) -> Outcome:
        from joblib.externals.loky import BrokenProcessPool

        for _ in range(TRIALS - 1):
            warden.begin(job)
            try:
                return pool_of(1).submit(solve_tied, job, warden.folder).result()
            except BrokenProcessPool:
                silent, _ = warden.lose()
                if silent:
                    return Outcome(job.key, None, SILENT)
            finally:
                warden.end(job.key)
        return Outcome(job.key, None, f"Its process was lost {TRIALS} times: the method crashed, or memory ran out.")


def _noted(jobs: Iterable[SweepJob], warden: Warden) -> Iterator[SweepJob]:
    """The jobs, each looked after from when it is taken."""
    for job in jobs:
        warden.begin(job)
        yield job


@dataclass(frozen=True)
class Cluster:
    """On the workers of a Dask cluster, which must have this program and its packages installed.

    Attributes
    ----------
    scheduler : its address, such as 'tcp://scheduler:8786'.
    timeout : seconds to wait for the scheduler to answer.
    patience : seconds for which it may be without workers in the middle of a sweep.
    """

    scheduler: str
    timeout: float = 10.0
    patience: float = 60.0

    def prepare(self, methods: Iterable[str]) -> None:
        """The workers are there already."""

    def close(self) -> None:
        """They remain for others."""

    def outcomes(self, jobs: Iterable[SweepJob], stop: Stop) -> Iterator[Outcome]:
        """Solve them; the scheduler gives the job of a lost worker to another one, and one that hangs is given up.

        Raises
        ------
        RunError
            The scheduler does not answer, or no worker is there, in the middle, too; or it lacks this program.
        """
        from distributed import as_completed

        client = self._client()
        pulse, signs = Pulse(client, self.timeout, self.patience), Signs(client, self.timeout)
        try:
            room = 2 * max(1, sum(client.nthreads().values()))
            waiting, begun = _until(jobs, stop), {}
            line = as_completed(loop=client.loop, raise_errors=False)
            for _ in range(room):
                self._submit(client, waiting, begun, line)
            while not line.is_empty():
                if stop.is_set():
                    client.cancel(list(begun))
                    return
                for future, worker in signs.stuck(begun).items():
                    signs.give_up(future, worker)
                    yield Outcome(begun.pop(future).key, None, SILENT)
                    self._submit(client, waiting, begun, line)
                if not line.has_ready():
                    pulse.feel()
                    time.sleep(LOOK)
                    continue
                future = next(line)
                # one that was given up is told no more
                if future in begun:
                    yield self._outcome(begun.pop(future), future, pulse)
                    self._submit(client, waiting, begun, line)
        except (OSError, TimeoutError) as error:
            raise RunError(self._unreachable(error)) from None
        except WorkersGoneError:
            raise RunError(f"{self._without_workers()} {_KEPT}") from None
        finally:
            client.close(timeout=1)

    def at_once(self) -> int:
        """A job a thread of its workers.

        Raises
        ------
        RunError
            The scheduler does not answer, or no worker is there.
        """
        client = self._client()
        try:
            return max(1, sum(client.nthreads().values()))
        finally:
            client.close(timeout=1)

    def _client(self) -> Any:
        from distributed import Client

        try:
            client = Client(self.scheduler, timeout=self.timeout, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise RunError(self._unreachable(error)) from None
        try:
            client.wait_for_workers(1, timeout=self.timeout)
        except TimeoutError:
            client.close(timeout=1)
            raise RunError(self._without_workers()) from None
        return client

    def _submit(self, client: Any, waiting: Iterator[SweepJob], begun: dict[Any, SweepJob], line: Any) -> None:
        """Give the scheduler the next job, if there is one."""
        job = next(waiting, None)
        if job is not None:
            # pure: equal jobs of two sweeps must not share a result that one of them cancels
            future = client.submit(solve_told, job, pure=False, retries=TRIALS - 1)
            begun[future] = job
            line.add(future)

    def _outcome(self, job: SweepJob, future: Any, pulse: Pulse) -> Outcome:
        if future.status == "finished":
            return pulse.result(future)
        if future.status in ("cancelled", "lost"):
            # this sweep cancels none that it waits for: the scheduler is gone, and with it what it knew of the job
            raise OSError("it went away")
        reason = future.exception() if future.status == "error" else None
        if _is_unreadable(reason):
            raise RunError(self._without_program())
        why = f" ({type(reason).__name__})" if reason is not None else ""
        return Outcome(job.key, None, f"Its worker was lost again and again{why}: it crashed, or memory ran out.")

    def _unreachable(self, error: BaseException) -> str:
        told = str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__
        return (
            f"The Dask scheduler at {self.scheduler} does not answer ({told[:200]}). Start it, correct its address, "
            f"or leave it out to use processes here. {_KEPT}"
        )

    def _without_workers(self) -> str:
        return (
            f"The Dask scheduler at {self.scheduler} has no workers. Start one in the folder of this program with "
            f"'PYTHONPATH=. dask worker {self.scheduler} --nthreads 1', or leave the scheduler out to use processes "
            "here."
        )

    def _without_program(self) -> str:
        return (
            f"The Dask scheduler at {self.scheduler} or a worker cannot read the jobs: all of them need this program, "
            "in the same version. Start each in its folder, with 'PYTHONPATH=.' before the command, or leave the "
            f"scheduler out to use processes here. {_KEPT}"
        )


def _is_unreadable(reason: BaseException | None) -> bool:
    """Whether a job has failed because the cluster does not know what is in it; Dask tells a scheduler's case so."""
    return isinstance(reason, ImportError | AttributeError) or "deserialization of the task graph" in str(reason)


def spread_of(scheduler: str | None, workers: int) -> Spread:
    """Where jobs are solved: on a cluster where its address is given, else in so many processes here."""
    if scheduler:
        return Cluster(scheduler)
    return Processes(workers)


def run_jobs(jobs: Sequence[SweepJob], spread: Spread | None = None, stop: Stop | None = None) -> Iterator[Outcome]:
    """Solve the jobs of a sweep, and tell each one's outcome as it ends, in whatever order that is.

    Parameters
    ----------
    jobs : with keys that differ.
    spread : where they are solved; by default here, one after the other.
    stop : ends the sweep; outcomes that were told remain good.

    Raises
    ------
    RunError
        Two jobs have the same key.
    """
    keys = [job.key for job in jobs]
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise RunError(f"Every job of a sweep needs a key of its own. '{twice}' is used twice.")
    yield from (spread or Here()).outcomes(jobs, stop or threading.Event())


def _until(jobs: Iterable[SweepJob], stop: Stop) -> Iterator[SweepJob]:
    """The jobs, as long as `stop` is not set."""
    for job in jobs:
        if stop.is_set():
            return
        yield job
