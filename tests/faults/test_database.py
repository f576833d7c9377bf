"""An index of runs that is damaged, unreachable or fails midway: reported, rebuilt, and no obstacle to solving."""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

import solvers.store.index
from components.session import run_store
from solvers.errors import StoreError
from solvers.store import Query, RunIndex, open_index, synchronize, timeouts
from solvers.store.marks import mark
from tests.faults.counting import Toll
from tests.faults.running import finished
from tests.pages.journey import go_to, last_run, solved, words
from tests.pages.place import own_place
from tests.store.servers import PostgreSQL, running

DAMAGE = {
    "noise": lambda whole, chance: chance.randbytes(len(whole)),
    "text": lambda whole, chance: b"<html>Sign in to the network</html>",
    "cut": lambda whole, chance: whole[: len(whole) // 2],
    "page": lambda whole, chance: whole[:4096] + chance.randbytes(4096) + whole[8192:],
    "head": lambda whole, chance: chance.randbytes(100) + whole[100:],
}
"""What happens to the file of an index."""

PROMISED = 10.0
"""Seconds within which a screen says that the index is unreachable, without the time to draw the screen."""


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_index_is_rebuilt(tmp_path: Path, name: str, toll: Toll) -> None:
    """A file that is no longer a database is put aside; runs, names and comments are read from the folders."""
    runs, path = tmp_path / "runs", tmp_path / "index.sqlite"
    folder, _ = finished(runs)
    index, note = open_index(f"sqlite:///{path}")
    synchronize(index, runs)
    (run,) = index.find(Query())
    mark(index, runs, run.id, None, title="mine", starred=True)
    before = index.find(Query())
    index.close()
    assert note == ""
    path.write_bytes(DAMAGE[name](path.read_bytes(), random.Random(name)))
    toll.fault()
    index, note = open_index(f"sqlite:///{path}")
    assert "rebuilt" in note and "no run is lost" in note
    assert [damaged.name in note for damaged in tmp_path.glob("index.sqlite.damaged-*")] == [True]
    synchronize(index, runs)
    found = index.find(Query())
    toll.lose(len(before) - len(found))
    toll.err(
        [(f.id, f.title, f.starred, f.cost) for f in found] != [(b.id, b.title, b.starred, b.cost) for b in before]
    )
    toll.judge_folder(folder)
    assert open_index(f"sqlite:///{path}")[1] == ""


def test_programs_that_find_a_damaged_index_at_once_share_the_new_one(tmp_path: Path, toll: Toll) -> None:
    """One of them puts it aside; all continue with the same new one."""
    runs, path = tmp_path / "runs", tmp_path / "index.sqlite"
    finished(runs)
    path.write_bytes(b"no database" * 1000)
    toll.fault()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(open_index, [f"sqlite:///{path}"] * 4))
    assert sum(bool(note) for _, note in found) == 1
    assert len(list(tmp_path.glob("index.sqlite.damaged-*"))) == 1
    synchronize(found[0][0], runs)
    toll.lose(sum(index.count(Query()) != 1 for index, _ in found))


@pytest.fixture
def server() -> Iterator[PostgreSQL]:
    """A separate server."""
    with running() as made:
        yield made


@pytest.fixture
def dashboard(tmp_path: Path) -> Iterator[pytest.MonkeyPatch]:
    """The settings of a dashboard with its own folder, workers and index."""
    with own_place(tmp_path / "runs") as patch:
        yield patch


def test_a_database_can_fail_while_the_list_is_open(
    dashboard: pytest.MonkeyPatch, server: PostgreSQL, toll: Toll
) -> None:
    """The screen says so at the next click, solving continues, and later the list has the runs solved in between."""
    dashboard.setenv("ESPALIER_DATABASE", server.url)
    app = solved("xor")
    first = last_run(app).job
    app = go_to(app, "runs")
    run_store.store(fresh=True)
    assert not app.exception and app.dataframe
    # the index was read a moment ago, so the list itself notices that the database has failed
    dashboard.setattr(run_store, "_PAUSE", 3600.0)
    server.stop()
    toll.fault()
    for _ in range(2):
        app = app.run()
        assert not app.exception
        assert "safe in their folders" in words(app) and not app.dataframe
    app = solved("xor")
    second = last_run(app).job
    assert not app.exception
    server.start()
    dashboard.setattr(run_store, "_RETRY", 0.0)
    app = go_to(app, "runs")
    assert not app.exception and "safe in their folders" not in words(app)
    listed = {run.id for run in run_store.store(fresh=True).index.find(Query())}
    for job in (first, second):
        toll.lose(job.id not in listed)
        toll.judge(job.snapshot().solution, job.problem)


def test_a_database_can_freeze_while_the_list_is_open(
    dashboard: pytest.MonkeyPatch, server: PostgreSQL, toll: Toll
) -> None:
    """A silent server is reported within seconds, in all sessions; solving continues, and the list recovers."""
    # once for the statement, and once for the attempt to reconnect
    assert 2 * timeouts.SERVER_TIMEOUT <= PROMISED
    dashboard.setattr(timeouts, "SERVER_TIMEOUT", 2.0)
    dashboard.setenv("ESPALIER_DATABASE", server.url)
    app = solved("xor")
    first = last_run(app).job
    run_store.store(fresh=True)
    app = go_to(app, "runs")
    assert not app.exception and app.dataframe
    server.freeze()
    toll.fault()
    begun = time.monotonic()
    with ThreadPoolExecutor(2) as sessions:
        answers = [sessions.submit(lambda: run_store.store(fresh=True).index.find(Query())) for _ in range(2)]
    assert time.monotonic() - begun < PROMISED
    assert all(isinstance(answer.exception(), StoreError) for answer in answers)
    app = app.run()
    assert not app.exception and "safe in their folders" in words(app) and not app.dataframe
    second = last_run(solved("xor")).job
    server.thaw()
    dashboard.setattr(run_store, "_RETRY", 0.0)
    app = go_to(app, "runs")
    assert not app.exception and "safe in their folders" not in words(app) and app.dataframe
    listed = {run.id for run in run_store.store(fresh=True).index.find(Query())}
    for job in (first, second):
        toll.lose(job.id not in listed)
        toll.judge(job.snapshot().solution, job.problem)


def test_a_locked_file_is_reported(dashboard: pytest.MonkeyPatch, tmp_path: Path, toll: Toll) -> None:
    """The screen waits for a while and says so; once the file is free, the list has the runs solved in between."""
    dashboard.setattr(solvers.store.index, "LOCK_TIMEOUT", 0.5)
    store = run_store.store(fresh=True)
    app = solved("xor")
    with closing(sqlite3.connect(store.index.file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        toll.fault()
        with pytest.raises(StoreError, match="database is locked"):
            run_store.store(fresh=True)
        app = go_to(app, "runs")
        assert not app.exception and "database is locked" in words(app)
    dashboard.setattr(run_store, "_RETRY", 0.0)
    app = go_to(app, "runs")
    assert not app.exception and app.dataframe
    toll.lose(run_store.store().index.count(Query()) != 1)
    toll.judge(last_run(app).job.snapshot().solution, last_run(app).job.problem)


def test_a_damaged_index_is_reported_on_the_screen(dashboard: pytest.MonkeyPatch, tmp_path: Path, toll: Toll) -> None:
    """A dashboard that starts with a damaged index lists all runs, and says what happened."""
    finished(tmp_path / "runs")
    (tmp_path / "runs" / "index.sqlite").write_bytes(b"no database" * 1000)
    toll.fault()
    store = run_store.store()
    assert "rebuilt" in store.note
    toll.lose(store.index.count(Query()) != 1)


def test_a_wrong_database_name_is_reported(server: PostgreSQL, toll: Toll) -> None:
    """A server without a database of this name says so; the right one is used at once."""
    toll.fault()
    with pytest.raises(StoreError, match='"missing" does not exist'):
        open_index(server.url.replace("/postgres", "/missing"))
    index, _ = open_index(server.url)
    assert isinstance(index, RunIndex) and index.count(Query()) == 0
    index.close()
