"""Processes of a sweep that do not answer are ended: only those, and no sooner than their limits say."""

from __future__ import annotations

import signal
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from solvers.problem import Limits, Problem, Shape, sample_dataset
from solvers.solution import Bound, Started
from solvers.sweeps import Processes, SweepJob, run_jobs, warden
from solvers.sweeps.warden import Note, Warden
from tests.sweeps.test_spreading import grid


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[int | None]:
    """The processes that a warden ends, which live on; it looks when it is told to."""
    found: list[int | None] = []
    monkeypatch.setattr(warden, "_end", found.append)
    monkeypatch.setattr(warden, "LOOK", 3600.0)
    return found


def job(seconds: float | None = 10.0, key: str = "one") -> SweepJob:
    """A job that may take so many seconds."""
    return SweepJob(key, Problem(sample_dataset("xor"), Shape(depth=1)), limits=Limits(seconds=seconds))


def after(seconds: float, looked: Warden) -> None:
    """Let so many seconds pass on the clock of a warden."""
    looked._awake += seconds
    looked._look()


def test_a_search_has_its_time_limit_and_a_grace(ended: list[int | None]) -> None:
    """From the moment on at which it begins; what comes before does not count, and nobody is ended twice."""
    with Warden(threading.Event()) as looked:
        looked.begin(job())
        note = Note(looked.folder, "one")
        note.taken()
        after(warden.START, looked)
        note.heard(Started("contree"))
        after(0.0, looked)
        after(10.0 + warden.GRACE, looked)
        assert ended == []
        after(0.1, looked)
        after(0.1, looked)
        assert len(ended) == 1 and ended[0] == note.read()[0]
        assert [[one.key for one in part] for part in looked.lose()] == [["one"], []]


def test_a_process_that_never_begins_is_ended_too(ended: list[int | None]) -> None:
    """It may hang before it takes its job; then nobody knows which one it is."""
    with Warden(threading.Event()) as looked:
        looked.begin(job())
        after(warden.START + 10.0 + warden.GRACE, looked)
        assert ended == []
        after(0.1, looked)
        assert ended == [None]


def test_no_limit_means_no_end_but_a_stop_does(ended: list[int | None]) -> None:
    """A job without a time limit is waited for, until the sweep is stopped and it does not heed that."""
    with Warden(threading.Event()) as looked:
        looked.begin(job(None))
        after(1e9, looked)
        assert ended == []
        looked._stopped = looked._awake
        after(warden.STOPPING, looked)
        assert ended == []
        after(0.1, looked)
        assert ended == [None]


def test_jobs_that_have_ended_are_forgotten(ended: list[int | None]) -> None:
    """With their notes; the same job may begin anew and has its whole time again."""
    with Warden(threading.Event()) as looked:
        looked.begin(job())
        Note(looked.folder, "one").heard(Started("contree"))
        looked.end("one")
        assert list(Path(looked.folder).iterdir()) == []
        looked.begin(job())
        after(warden.START, looked)
        assert ended == []
        assert [[one.key for one in part] for part in looked.lose()] == [[], ["one"]]
    assert not Path(looked.folder).exists()


def test_only_the_beginning_of_a_search_is_noted(tmp_path: Path) -> None:
    """Other events leave the note as it is; a folder that is gone costs nothing."""
    note = Note(str(tmp_path), "key: / with \u00fc")
    assert note.read() == (None, False)
    note.heard(Bound(1.0, 3))
    assert note.read() == (None, False)
    note.taken()
    assert note.read()[1] is False
    note.heard(Started("contree"))
    assert note.read()[1] is True
    Note(str(tmp_path / "nowhere"), "key").taken()


class Frozen:
    """Freezes the process that reads it."""

    def __reduce__(self) -> tuple:
        return signal.raise_signal, (signal.SIGSTOP,)


def test_process_that_freezes_before_it_takes_its_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ended, its job is told as failed, and the others are solved."""
    monkeypatch.setattr(warden, "START", 6.0)
    monkeypatch.setattr(warden, "GRACE", 1.0)
    bad = replace(job(0.5, "bad"), options={"x": Frozen()})
    outcomes = {outcome.key: outcome for outcome in run_jobs([*grid()[:2], bad, *grid()[2:]], Processes(2))}
    assert set(outcomes) == {"bad", *(one.key for one in grid())}
    assert outcomes["bad"].solution is None and "did not answer" in outcomes["bad"].error
    assert all(outcomes[one.key].solution.verified for one in grid())
