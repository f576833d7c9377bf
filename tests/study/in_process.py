"""Sweeps of the command line and of tasks, solved in the process of the tests."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pytest

from solvers.cli import sweep
from solvers.solution import Stop
from solvers.study import Executor, InProcess, JobOutcome, SweepJob, study


@contextmanager
def in_this_process() -> Iterator[None]:
    """Start no process for a sweep; that would take longer than most jobs of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (sweep, study):
            patch.setattr(module, "executor_of", lambda scheduler, workers: InProcess())
        yield


def run_jobs(
    jobs: Iterable[SweepJob], executor: Executor | None = None, stop: Stop | None = None
) -> Iterator[JobOutcome]:
    """The outcomes of jobs, by default in the process of the tests."""
    return (executor or InProcess()).outcomes(jobs, stop or threading.Event())
