"""Large tables: progress, Stop, limits, and a session that loses nothing."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import pytest

from components.workers import pending_table
from solvers.run import Reading, ReadingLimits, TableFile, TableReader, table_reader
from solvers.run.work import HangTimer, Work
from tests.pages.journey import PATIENCE, opened, session, with_sample, words
from tests.pages.test_data_screen import TWO_COLUMNS
from tests.run.test_table_reader import WIDE


@pytest.fixture
def in_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat every file as large."""
    monkeypatch.setattr(table_reader, "SMALL_COLUMNS", 0)


@pytest.fixture
def held(in_worker: None, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Read no file before this is called, even with a fast worker."""
    reader, other = TableReader(max_running=1), Work(HangTimer(None), None)
    monkeypatch.setattr(other, "command", lambda: {"do": "warm", "methods": []})
    monkeypatch.setattr(other, "receive", lambda message: None)
    monkeypatch.setattr(other, "lost", lambda how: other.end())
    reader.pool.enqueue(other)
    monkeypatch.setattr(pending_table, "reader", lambda: reader)
    return other.kill


def uploaded(content: bytes):
    """The Data screen right after a file was chosen."""
    app = opened()
    app.file_uploader[0].upload("own.csv", content, "text/csv")
    return app.run()


def under_way(app, place: str = "table") -> Reading:
    """The active reading of a session, once its worker has started."""
    found = app.session_state[f"_reading_{place}"]
    end = time.monotonic() + PATIENCE
    while found.pid is None:
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def test_a_table_is_used_once_a_worker_has_read_it(held):
    """Until then the screen shows the elapsed time and a Stop button."""
    app = uploaded(TWO_COLUMNS)
    assert "own ..." in words(app) and app.button(key="stop_reading_table").label == "Stop"
    assert session(app).source is None
    held()
    assert under_way(app).wait(PATIENCE)
    app.run()
    assert not app.exception and not app.error
    assert app.title[0].value == "own"
    assert session(app).prepared.whole.outcome == "ill"
    assert app.session_state["_reading_table"] is None


def test_stop_ends_the_reading():
    """The screen reports it and offers to read the file again; another table can be chosen."""
    app = uploaded(WIDE)
    found = under_way(app)
    app.button(key="stop_reading_table").click().run()
    assert found.done and not app.exception and not app.error
    assert "own ..." not in words(app) and "Reading 'own' was stopped." in words(app)
    app.button(key="sample_xor").click().run()
    assert session(app).source.number == 1


@pytest.mark.parametrize("harm", ["crash", "limit", "file"])
def test_a_failed_reading_is_reported_and_loses_nothing(harm, in_worker):
    """After a crash, a limit, or an invalid file the current table and its choices are kept; the reason is shown."""
    app = with_sample()
    before = session(app).prepared
    content = b"a,b\n1,2\n3\n" if harm == "file" else WIDE
    limits = ReadingLimits(seconds=1 if harm == "limit" else PATIENCE)
    # the dialog to select a file works in a browser only
    app.session_state["_reading_table"] = found = TableReader().read(TableFile(content, "own"), limits)
    app.run()
    if harm != "file":
        # a small file is read quickly
        assert app.button(key="another").disabled and "own ..." in words(app)
    if harm == "crash":
        while found.pid is None:
            time.sleep(0.01)
        os.kill(found.pid, signal.SIGKILL)
    assert found.wait(PATIENCE)
    app.run()
    reason = {"crash": "was killed", "limit": "takes more than 1 s", "file": "Row 2"}[harm]
    assert not app.exception and reason in app.error[0].value
    assert session(app).prepared is before and not app.button(key="another").disabled
    app.button(key="another").click().run()
    assert not app.error


def test_a_sample_ends_the_reading_of_a_file():
    """A file is not used if something else was chosen before it was read."""
    app = uploaded(WIDE)
    found = under_way(app)
    app.button(key="sample_xor").click().run()
    assert found.done and session(app).source.sample.key == "xor"
    assert app.run().session_state["_reading_table"] is None
