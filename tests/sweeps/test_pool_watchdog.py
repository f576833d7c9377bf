"""Processes of a sweep that do not answer are ended: only those, and no sooner than their limits say."""

from __future__ import annotations

import signal
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from solvers.problem import Limits, Problem, Shape, sample_dataset
from solvers.solution import Bound, Started
from solvers.sweeps import Processes, SweepJob, pool_watchdog, run_jobs
from solvers.sweeps.pool_watchdog import JobStatusFile, PoolWatchdog
from tests.sweeps.test_executors import grid


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[int | None]:
    """The processes that a watchdog ends, which live on; it looks when it is told to."""
    found: list[int | None] = []
    monkeypatch.setattr(pool_watchdog, "_end", found.append)
    monkeypatch.setattr(pool_watchdog, "POLL_INTERVAL", 3600.0)
    return found


def job(seconds: float | None = 10.0, key: str = "one") -> SweepJob:
    """A job that may take so many seconds."""
    return SweepJob(key, Problem(sample_dataset("xor"), Shape(max_depth=1)), limits=Limits(seconds=seconds))


def after(seconds: float, watchdog: PoolWatchdog) -> None:
    """Let so many seconds pass on the clock of a watchdog."""
    watchdog._awake += seconds
    watchdog._end_overdue()


def test_a_search_has_its_time_limit_and_a_grace(ended: list[int | None]) -> None:
    """From the moment on at which it begins; what comes before does not count, and nobody is ended twice."""
    with PoolWatchdog(threading.Event()) as watchdog:
        watchdog.add(job())
        status = JobStatusFile(watchdog.folder, "one")
        status.claim()
        after(pool_watchdog.STARTUP_TIMEOUT, watchdog)
        status.on_event(Started("contree"))
        after(0.0, watchdog)
        after(10.0 + pool_watchdog.GRACE, watchdog)
        assert ended == []
        after(0.1, watchdog)
        after(0.1, watchdog)
        assert len(ended) == 1 and ended[0] == status.read()[0]
        assert [[one.key for one in part] for part in watchdog.pop_lost()] == [["one"], []]


def test_a_process_that_never_begins_is_ended_too(ended: list[int | None]) -> None:
    """It may hang before it takes its job; then nobody knows which one it is."""
    with PoolWatchdog(threading.Event()) as watchdog:
        watchdog.add(job())
        after(pool_watchdog.STARTUP_TIMEOUT + 10.0 + pool_watchdog.GRACE, watchdog)
        assert ended == []
        after(0.1, watchdog)
        assert ended == [None]


def test_no_limit_means_no_end_but_a_stop_does(ended: list[int | None]) -> None:
    """A job without a time limit is waited for, until the sweep is stopped and it does not heed that."""
    with PoolWatchdog(threading.Event()) as watchdog:
        watchdog.add(job(None))
        after(1e9, watchdog)
        assert ended == []
        watchdog._stopped = watchdog._awake
        after(pool_watchdog.STOP_TIMEOUT, watchdog)
        assert ended == []
        after(0.1, watchdog)
        assert ended == [None]


def test_jobs_that_have_ended_are_forgotten(ended: list[int | None]) -> None:
    """With their status files; the same job may begin anew and has its whole time again."""
    with PoolWatchdog(threading.Event()) as watchdog:
        watchdog.add(job())
        JobStatusFile(watchdog.folder, "one").on_event(Started("contree"))
        watchdog.remove("one")
        assert list(Path(watchdog.folder).iterdir()) == []
        watchdog.add(job())
        after(pool_watchdog.STARTUP_TIMEOUT, watchdog)
        assert ended == []
        assert [[one.key for one in part] for part in watchdog.pop_lost()] == [[], ["one"]]
    assert not Path(watchdog.folder).exists()


def test_only_the_beginning_of_a_search_is_written(tmp_path: Path) -> None:
    """Other events leave the status file as it is; a folder that is gone costs nothing."""
    status = JobStatusFile(str(tmp_path), "key: / with \u00fc")
    assert status.read() == (None, False)
    status.on_event(Bound(1.0, 3))
    assert status.read() == (None, False)
    status.claim()
    assert status.read()[1] is False
    status.on_event(Started("contree"))
    assert status.read()[1] is True
    JobStatusFile(str(tmp_path / "nowhere"), "key").claim()


class Frozen:
    """Freezes the process that reads it."""

    def __reduce__(self) -> tuple:
        return signal.raise_signal, (signal.SIGSTOP,)


def test_process_that_freezes_before_it_takes_its_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ended, its job is told as failed, and the others are solved."""
    monkeypatch.setattr(pool_watchdog, "STARTUP_TIMEOUT", 6.0)
    monkeypatch.setattr(pool_watchdog, "GRACE", 1.0)
    bad = replace(job(0.5, "bad"), options={"x": Frozen()})
    outcomes = {outcome.key: outcome for outcome in run_jobs([*grid()[:2], bad, *grid()[2:]], Processes(2))}
    assert set(outcomes) == {"bad", *(one.key for one in grid())}
    assert outcomes["bad"].solution is None and "did not answer" in outcomes["bad"].error
    assert all(outcomes[one.key].solution.verified for one in grid())
