"""Processes of a sweep that do not answer are ended: only those, and no sooner than their limits say."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from solvers.problem import Limits, Problem, Shape, sample_dataset
from solvers.solution import Bound, Started
from solvers.sweeps import Processes, SweepJob, deadlines, run_jobs, worker_process
from solvers.sweeps.processes import JobProcess
from tests.sweeps.test_executors import grid


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Iterator[JobProcess]:
    """A process that never gets to its jobs, and to which this one says that they have begun."""
    made = JobProcess(1)
    made._started()
    monkeypatch.setattr(made, "submit", lambda function, job: None)
    yield made
    made.kill()


def job(seconds: float | None = 10.0, key: str = "one") -> SweepJob:
    """A job that may take so many seconds."""
    return SweepJob(key, Problem(sample_dataset("xor"), Shape(max_depth=1)), limits=Limits(seconds=seconds))


def test_a_search_has_its_time_limit_and_a_grace(process: JobProcess) -> None:
    """From the moment on at which it begins; what comes before does not count."""
    process.begin(job(), now=0.0)
    begun = deadlines.STARTUP_TIMEOUT
    assert not process.is_overdue(begun)
    process._began.release()
    assert not process.is_overdue(begun)
    assert not process.is_overdue(begun + 10.0 + deadlines.GRACE)
    assert process.is_overdue(begun + 10.0 + deadlines.GRACE + 0.1)


def test_a_process_that_never_begins_is_overdue_too(process: JobProcess) -> None:
    """It may hang before it takes its job."""
    process.begin(job(), now=5.0)
    assert not process.is_overdue(5.0 + deadlines.STARTUP_TIMEOUT + 10.0 + deadlines.GRACE)
    assert process.is_overdue(5.1 + deadlines.STARTUP_TIMEOUT + 10.0 + deadlines.GRACE)


def test_no_limit_means_no_end(process: JobProcess) -> None:
    """A job without a time limit is waited for."""
    process.begin(job(None), now=0.0)
    process._began.release()
    assert not process.is_overdue(1e9)


def test_each_job_has_its_whole_time(process: JobProcess) -> None:
    """That the last one was searched for, which nobody looked at any more, is not taken for the next one's search."""
    process.begin(job(), now=0.0)
    process._began.release()
    process.job = None
    process.begin(job(key="two"), now=1.0)
    assert not process.is_overdue(deadlines.STARTUP_TIMEOUT)


def test_only_the_beginning_of_a_search_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other events tell the parent nothing."""
    began = threading.Semaphore(0)
    monkeypatch.setattr(worker_process, "_began", began)

    def solved(job: SweepJob, emit) -> None:
        emit(Bound(1.0, 3))
        assert not began.acquire(blocking=False)
        emit(Started("contree"))
        assert began.acquire(blocking=False)

    monkeypatch.setattr(worker_process, "solve_job", solved)
    worker_process.solve_in_worker(job())


def test_the_clock_stands_while_this_process_is_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or busy elsewhere: those that it waits for need not have had that time."""
    now = [0.0]
    monkeypatch.setattr(deadlines.time, "monotonic", lambda: now[0])
    clock = deadlines.AwakeClock()
    for passed, counted in ((0.5, 0.5), (3600.0, 1.5), (0.25, 1.75)):
        now[0] += passed
        assert clock.tick() == counted


class Frozen:
    """Freezes the process that reads it."""

    def __reduce__(self) -> tuple:
        return signal.raise_signal, (signal.SIGSTOP,)


def test_process_that_freezes_before_it_takes_its_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ended, its job is told as failed, and the others are solved."""
    monkeypatch.setattr(deadlines, "STARTUP_TIMEOUT", 6.0)
    monkeypatch.setattr(deadlines, "GRACE", 1.0)
    bad = replace(job(0.5, "bad"), options={"x": Frozen()})
    outcomes = {outcome.key: outcome for outcome in run_jobs([*grid()[:2], bad, *grid()[2:]], Processes(2))}
    assert set(outcomes) == {"bad", *(one.key for one in grid())}
    assert outcomes["bad"].solution is None and "did not answer" in outcomes["bad"].error
    assert all(outcomes[one.key].solution.verified for one in grid())
