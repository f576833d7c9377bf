"""Unresponsive processes of a sweep are killed: no others, and not before their limits."""

from __future__ import annotations

import signal
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest

from solvers.problem import Limits, Problem, Shape, sample_dataset
from solvers.run.process import Warmth, WorkerProcess
from solvers.study import Processes, SweepJob, processes
from solvers.study.processes import JobCall
from tests.faults.running import until
from tests.study.in_process import run_jobs
from tests.study.test_executors import grid


def job(seconds: float | None = 10.0, key: str = "one") -> SweepJob:
    """A job with this time limit in seconds."""
    return SweepJob(key, Problem(sample_dataset("xor"), Shape(max_depth=1)), limits=Limits(seconds=seconds))


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


def test_a_process_lost_before_its_job_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The job is given to another process, and no folder is left."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    start, killed = JobCall.start, list[WorkerProcess]()

    def lose(call: JobCall, worker: WorkerProcess) -> bool:
        if not killed:
            killed.append(worker)
            worker.kill()
            while worker.warmth is not Warmth.GONE:
                time.sleep(0.01)
        return start(call, worker)

    monkeypatch.setattr(JobCall, "start", lose)
    outcomes = list(run_jobs(grid()[:2], Processes(1)))
    assert killed and [outcome.error for outcome in outcomes] == ["", ""]
    until(lambda: not list(tmp_path.iterdir()))
