"""The index in PostgreSQL: the same results as in SQLite, several programs at once, and a server that fails."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from solvers.errors import StoreError
from solvers.problem import Limits, Problem, Shape, sample_dataset
from solvers.run.folder import RunFolder
from solvers.store import Query, RunIndex, synchronize, timeouts
from solvers.store.index import _ADVISORY_LOCK
from tests.case_count import case_count
from tests.faults.counting import Toll
from tests.store.servers import PostgreSQL, running
from tests.store.test_index import START, entry

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def server() -> Iterator[PostgreSQL]:
    """A server for all tests of this file."""
    with running() as made:
        yield made


@pytest.fixture
def index(server: PostgreSQL) -> Iterator[RunIndex]:
    """An empty index."""
    made = RunIndex(server.url)
    made.ensure_tables()
    made.forget([run.id for deleted in (False, True) for run in made.find(Query(tasks=True, deleted=deleted))])
    yield made
    made.close()


def test_both_databases_give_the_same_results(index: RunIndex, tmp_path: Path) -> None:
    """After any writes, marks and queries in any order, both return the same runs in the same order."""
    lite = RunIndex(f"sqlite:///{tmp_path / 'index.sqlite'}")
    lite.ensure_tables()
    chance = random.Random(0)
    for number in range(60):
        run = entry(
            number,
            created=START + timedelta(hours=chance.randrange(5)),
            owner=chance.choice(["ada", "grace"]),
            name=chance.choice(["heart", "Heart 2", "liver", "100% \\ _", "\u00dcber \u4e2d\u6587 \U0001f333"]),
            method=chance.choice(["contree", "cart"]),
            kind=chance.choice(["tree", "bdd"]),
            state=chance.choice(["finished", "failed"]),
            status=chance.choice([None, "optimal", "feasible"]),
            errors=chance.choice([None, 1, 2, 30]),
            seconds=chance.choice([0.5, 2.0]),
            task=chance.choice(["", "", "prices"]),
        )
        for both in (index, lite):
            both.put(run)
        marks = {"starred": chance.random() < 0.3, "deleted": chance.choice([None, None, START])}
        for both in (index, lite):
            both.mark(run.id, run.owner, **marks)
    for _ in range(case_count(300)):
        query = Query(
            owner=chance.choice([None, "ada", "nobody"]),
            text=chance.choice(["", "heart", "HEART 2", "%", "_", "\\", "\u00fcber", "\u4e2d", "contree depth"]),
            kinds=chance.choice([(), ("tree", "bdd")]),
            states=chance.choice([(), ("failed",)]),
            proved=chance.random() < 0.2,
            starred=chance.random() < 0.3,
            deleted=chance.random() < 0.3,
            tasks=chance.random() < 0.5,
            limit=chance.choice([None, 5]),
            offset=chance.choice([0, 3]),
        )
        if query.text == "\u00fcber":
            # SQLite ignores the case of ASCII letters only
            continue
        assert index.find(query) == lite.find(query)
        assert index.count(query) == lite.count(query)
    assert index.bytes_used("ada") == lite.bytes_used("ada")


PROGRAM = """
import sys
from solvers.store import RunIndex
from tests.store.test_index import entry
owner = sys.argv[2]
index = RunIndex(sys.argv[1])
index.ensure_tables()
for n in range(25):
    index.put(entry(n, id=f"{owner}-{n}", folder=f"{owner}-{n}", owner=owner))
"""


def test_several_programs_can_start_at_once(server: PostgreSQL) -> None:
    """Three programs create the tables of an empty database at the same moment and write to it; nothing is lost."""
    first = RunIndex(server.url)
    with first._writing() as connection:
        connection.exec_driver_sql("DROP TABLE IF EXISTS runs, form")
    started = [
        subprocess.Popen([sys.executable, "-c", PROGRAM, server.url, owner], cwd=ROOT, stderr=subprocess.PIPE)
        for owner in ("ada", "grace", "joan")
    ]
    outputs = [program.communicate()[1] for program in started]
    assert [program.returncode for program in started] == [0, 0, 0], outputs
    assert first.count(Query()) == 75
    first.close()


def test_several_programs_can_add_the_same_runs(server: PostgreSQL, index: RunIndex) -> None:
    """Four programs add the same runs at the same time, each with its own state: none fails."""
    barrier = threading.Barrier(4)

    def take_in(state: str) -> None:
        own = RunIndex(server.url)
        for number in range(40):
            barrier.wait(20)
            own.put(entry(number, state=state))
        own.close()

    with ThreadPoolExecutor(4) as programs:
        for done in [programs.submit(take_in, state) for state in ("starting", "running", "finished", "failed")]:
            done.result()
    assert {run.id for run in index.find(Query(limit=100))} == {entry(number).id for number in range(40)}


def test_an_unavailable_server_loses_no_run(server: PostgreSQL, index: RunIndex, tmp_path: Path, toll: Toll) -> None:
    """While it is down the error says what to do; then the same index continues, with the runs made in between."""
    problem = Problem(sample_dataset("xor"), Shape(max_depth=1))
    RunFolder.create(tmp_path, problem, "cart", Limits())
    assert synchronize(index, tmp_path).new == 1
    server.stop()
    toll.fault()
    try:
        with pytest.raises(StoreError, match="safe in their folders") as refused:
            index.find(Query())
        assert "127.0.0.1" in str(refused.value)
        RunFolder.create(tmp_path, problem, "cart", Limits())
    finally:
        server.start()
    assert synchronize(index, tmp_path).new == 1
    toll.lose(2 - index.count(Query()))


def test_a_write_interrupted_by_the_server_is_complete_or_absent(
    server: PostgreSQL, index: RunIndex, toll: Toll
) -> None:
    """If the server dies while an entry is changed, the entry later has its old or its new value."""
    index.put(entry(1))
    changed = replace(entry(1), errors=1, comment="", seconds=9.0)
    with pytest.raises(StoreError), index._writing() as connection:
        connection.exec_driver_sql("UPDATE runs SET errors = 1")
        server.stop()
        toll.fault()
        connection.exec_driver_sql("UPDATE runs SET seconds = 9")
    server.start()
    toll.lose(index.get(entry(1).id) is None)
    toll.err(index.get(entry(1).id) != entry(1))
    index.put(changed)
    toll.err(index.get(entry(1).id) != changed)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> float:
    """The seconds within which the server must respond, fewer than usual."""
    monkeypatch.setattr(timeouts, "SERVER_TIMEOUT", 1.5)
    return 1.5


def test_a_server_that_freezes_during_a_write_raises_an_error(
    hasty: float, server: PostgreSQL, index: RunIndex, toll: Toll
) -> None:
    """The statement ends with a sentence after a few seconds, and leaves nothing of the write when the server is back.

    Regression: it waited as long as the server was frozen.
    """
    index.put(entry(1))
    message = r"has not answered for 1.5 s.*safe in their folders"
    try:
        with pytest.raises(StoreError, match=message), index._writing() as connection:
            connection.exec_driver_sql("UPDATE runs SET errors = 1")
            server.freeze()
            toll.fault()
            connection.exec_driver_sql("UPDATE runs SET seconds = 9")
    finally:
        server.thaw()
    toll.lose(index.get(entry(1).id) is None)
    toll.err(index.get(entry(1).id) != entry(1))
    changed = replace(entry(1), errors=1, seconds=9.0)
    index.put(changed)
    toll.err(index.get(entry(1).id) != changed)


def test_a_slow_statement_is_not_interrupted(monkeypatch: pytest.MonkeyPatch, index: RunIndex) -> None:
    """A server that keeps sending data may take longer than the timeout.

    It may pause for six times as long as its statement says, because machines that run tests are busy.
    """
    monkeypatch.setattr(timeouts, "SERVER_TIMEOUT", 3.0)
    slow = "SELECT repeat('x', 100000), pg_sleep(0.5) FROM generate_series(1, 7)"
    with index._reading() as connection:
        assert len(connection.exec_driver_sql(slow).all()) == 7


def test_changing_the_tables_may_take_longer(hasty: float, server: PostgreSQL, index: RunIndex) -> None:
    """While another program creates tables, this one waits for it; later timeouts are as short as before."""
    other = RunIndex(server.url)
    with other._writing() as connection:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})")
        waits = threading.Thread(target=index.ensure_tables)
        waits.start()
        waits.join(2 * hasty)
        assert waits.is_alive()
    waits.join(30)
    assert not waits.is_alive()
    with index._reading() as connection:
        assert connection.connection.dbapi_connection.server_timeout == hasty
    other.close()
