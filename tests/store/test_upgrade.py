"""An index that another version of the program made: an older one is brought up, a newer one is refused in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import MetaData, Table, create_engine, insert

import solvers.store
from solvers.errors import StoreError
from solvers.store import Entry, Query, RunIndex
from tests.store.servers import empty_database
from tests.store.test_index import START, entry

MIGRATIONS = Path(solvers.store.__file__).parent / "migrations"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database of each kind."""
    with empty_database(request.param, tmp_path) as found:
        yield found


def make_old(url: str, runs: list[Entry]) -> None:
    """The index as its first version was, with some runs."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        table = Table("runs", MetaData(), autoload_with=connection)
        for run in runs:
            fields = asdict(run) | {"wishes": run.constraints}  # the older word, which the column still has
            row = {name: value for name, value in fields.items() if name in table.c}
            connection.execute(insert(table).values(row | {"created": run.created.replace(tzinfo=None)}))
    engine.dispose()


def test_older_index_is_brought_up_with_all_it_knows(url: str) -> None:
    """Runs, names and stars of the first version are there after the upgrade; what it did not know is empty."""
    runs = [entry(1, title="mine", starred=True), entry(2, comment="sent to the ward", created=START, constraints=2)]
    make_old(url, runs)
    index = RunIndex(url)
    index.upgrade()
    found = {run.id: run for run in index.find(Query())}
    assert found == {run.id: run for run in runs}
    assert all((run.marked, run.notes) == (0, "") for run in found.values())
    index.put(entry(3, marked=2, notes="a note"))
    assert index.get(entry(3).id) == entry(3, marked=2, notes="a note")
    index.close()


def test_older_index_knows_which_runs_were_interrupted(url: str) -> None:
    """What the sentence of the error said is a fact of its own after the upgrade."""
    broken = "The run was interrupted before its end (the program was closed)."
    make_old(url, [entry(1, error=broken), entry(2, error=f"{broken} The best tree until then is kept."), entry(3)])
    index = RunIndex(url)
    index.upgrade()
    assert [index.get(entry(number).id).interrupted for number in (1, 2, 3)] == [True, True, False]
    index.close()


def test_newer_index_is_refused_and_left_alone(url: str) -> None:
    """After a step back to an older version the message says what to do. It used to be an exception of alembic."""
    index = RunIndex(url)
    index.upgrade()
    index.put(entry(1))
    with index._writing() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match=r"made by a newer version.*empty database in ESPALIER_DATABASE"):
        index.upgrade()
    assert index.find(Query()) == [entry(1)]
    index.close()
