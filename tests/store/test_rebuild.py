"""An index with tables of another form is dropped and filled again from the folders of the runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from solvers.store import Entry, Query, RunIndex, synchronize
from solvers.store.marks import mark
from solvers.store.trash import delete
from tests.store.servers import empty_database
from tests.store.test_index import entry
from tests.store.test_synchronization import make


@pytest.fixture(params=["sqlite", "postgresql"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RunIndex]:
    """An index in an empty database of each kind, without tables."""
    with empty_database(request.param, tmp_path) as url:
        made = RunIndex(url)
        yield made
        made.close()


def found(index: RunIndex, *run_ids: str) -> list[Entry]:
    """The index entries of some runs, without their bytes, which include marks only after a synchronization."""
    return [replace(index.get(run_id), bytes=0) for run_id in run_ids]


CHANGES = {
    "another form": ["UPDATE form SET form = 'older or newer'"],
    "no form": ["DELETE FROM form"],
    "no table of forms": ["DROP TABLE form"],
    "no table of runs": ["DROP TABLE runs"],
    "tables of another program": ["DROP TABLE form", "DROP TABLE runs", "CREATE TABLE runs (id INTEGER, wishes TEXT)"],
}


@pytest.mark.parametrize("statements", CHANGES.values(), ids=list(CHANGES))
def test_tables_of_another_form_are_filled_again(index: RunIndex, tmp_path: Path, statements: list[str]) -> None:
    """Runs, names, stars, comments and the trash are restored. Regression: an index of a newer version was refused."""
    runs = tmp_path / "runs"
    kept, trashed = (make(runs).request().id for _ in range(2))
    index.ensure_tables()
    synchronize(index, runs)
    mark(index, runs, kept, "ada", title="mine", starred=True, comment="sent to the ward")
    delete(index, runs, trashed, "ada")
    before = found(index, kept, trashed)
    with index._writing() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    index.ensure_tables()
    assert synchronize(index, runs).new == 2
    assert found(index, kept, trashed) == before
    assert before[0].title == "mine" and before[1].deleted is not None


def test_tables_of_the_current_form_are_kept(index: RunIndex) -> None:
    """Each start of the program checks the tables, and reads no run again for it."""
    index.ensure_tables()
    index.put(entry(1))
    index.ensure_tables()
    assert index.find(Query()) == [entry(1)]
