"""Unresponsive processes of a sweep are killed: no others, and not before their limits."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from solvers.problem import Limits, Problem, Shape, sample_dataset
from solvers.sweeps import Processes, SweepJob, processes
from solvers.sweeps.processes import JobProcess
from tests.sweeps.in_process import run_jobs
from tests.sweeps.test_executors import grid


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Iterator[JobProcess]:
    """A process that never gets its jobs; `begin_search` reports that it searches."""
    made = JobProcess(threading.Event())
    monkeypatch.setattr(made, "_call", lambda function, job: None)
    yield made
    made.kill()


def job(seconds: float | None = 10.0, key: str = "one") -> SweepJob:
    """A job with this time limit in seconds."""
    return SweepJob(key, Problem(sample_dataset("xor"), Shape(max_depth=1)), limits=Limits(seconds=seconds))


def begin_search(process: JobProcess) -> None:
    """Report that the process searches."""
    process._hear(process._worker, {"event": "started", "method": "contree"})


def test_a_job_is_overdue_after_its_limit_and_a_grace(process: JobProcess) -> None:
    """The limit counts from the start of the search, or of the job if it never searches; without a limit, never."""
    startup, allowed = processes.STARTUP_TIMEOUT, 10.0 + processes.GRACE
    process.begin(job(), now=0.0)
    assert not process.is_overdue(startup + allowed) and process.is_overdue(startup + allowed + 0.1)
    process.begin(job(key="two"), now=1.0)
    begin_search(process)
    begun = startup
    assert not process.is_overdue(begun)
    assert not process.is_overdue(begun + allowed) and process.is_overdue(begun + allowed + 0.1)
    process.begin(job(key="three"), now=begun)
    assert not process.is_overdue(begun + startup), "the search for the last job is not the search for this one"
    process.begin(job(None), now=0.0)
    begin_search(process)
    assert not process.is_overdue(1e9)


def test_time_in_which_this_process_is_frozen_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """If this process is frozen or busy, its processes may not have run either."""
    now = [0.0]
    monkeypatch.setattr(processes.time, "monotonic", lambda: now[0])
    clock = processes.AwakeClock()
    for passed, counted in ((0.5, 0.5), (3600.0, 1.5), (0.25, 1.75)):
        now[0] += passed
        assert clock.tick() == counted


class Frozen:
    """Freezes the process that reads it."""

    def __reduce__(self) -> tuple:
        return signal.raise_signal, (signal.SIGSTOP,)


def test_a_process_that_freezes_before_its_job_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its job is reported as failed, and the others are solved."""
    monkeypatch.setattr(processes, "STARTUP_TIMEOUT", 6.0)
    monkeypatch.setattr(processes, "GRACE", 1.0)
    bad = replace(job(0.5, "bad"), options={"x": Frozen()})
    outcomes = {outcome.key: outcome for outcome in run_jobs([*grid()[:2], bad, *grid()[2:]], Processes(2))}
    assert set(outcomes) == {"bad", *(one.key for one in grid())}
    assert outcomes["bad"].solution is None and "did not respond" in outcomes["bad"].error
    assert all(outcomes[one.key].solution.verified for one in grid())


def test_a_process_lost_before_its_job_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of a lost process is removed, and its job is given to another process."""
    begin, killed = JobProcess.begin, list[JobProcess]()

    def lose(process: JobProcess, job: SweepJob, now: float) -> None:
        if not killed:
            killed.append(process)
            process._worker.kill()
            while Path(process._folder.name).exists():
                time.sleep(0.01)
        begin(process, job, now)

    monkeypatch.setattr(JobProcess, "begin", lose)
    outcomes = list(run_jobs(grid()[:2], Processes(1)))
    assert killed and [outcome.error for outcome in outcomes] == ["", ""]
