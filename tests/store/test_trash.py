"""Deleted sweeps are in the trash, come back whole, and are gone for good when you empty it or their days are over."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest

from solvers.errors import RunError
from solvers.store.index import RunIndex
from solvers.store.trash import delete_sweep, empty_sweeps, purge, restore_sweep
from solvers.sweeps.folder import Constrained, StoredSweep, create_sweep, list_sweeps
from tests.sweeps.test_tasks import answered, asked


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The folder of a run."""
    return tmp_path / "runs" / "run"


def made(run: Path, **changes: object) -> StoredSweep:
    """A sweep of the run that has ended."""
    sweep = create_sweep(run, asked(depths=(1,), folds=2, **changes), Constrained.KEPT, None)
    answered(sweep)
    return sweep


def test_deleted_sweep_comes_back_whole(run: Path) -> None:
    """It leaves the list, and is in it again with its table and its models."""
    one, two = made(run), made(run, seed=1)
    table = one.table()
    delete_sweep(one)
    there, deleted, faults = list_sweeps(run)
    assert [sweep.name for sweep in there] == [two.name] and [sweep.name for sweep in deleted] == [one.name]
    restore_sweep(deleted[0])
    assert {sweep.name for sweep in list_sweeps(run).sweeps} == {one.name, two.name}
    assert not list_sweeps(run).deleted and not faults
    pd.testing.assert_frame_equal(one.table(), table)
    assert one.diagram(table["key"][0]).n_leaves >= 1


def test_starting_a_deleted_sweep_again_restores_it(run: Path) -> None:
    """Its models are there, so nothing is solved again."""
    delete_sweep(made(run))
    again = create_sweep(run, asked(depths=(1,), folds=2), Constrained.KEPT, None)
    assert list_sweeps(run).sweeps == (again,) and len(again.rows()) == 4


def test_sweep_at_work_is_not_deleted(run: Path) -> None:
    """The process that works on it keeps it."""
    sweep = made(run)
    sweep.write_worker()
    with pytest.raises(RunError, match="at work"):
        delete_sweep(sweep)
    assert len(list_sweeps(run).sweeps) == 1


def test_emptied_trash_is_gone_for_good(run: Path) -> None:
    """Sweeps that are not in it stay."""
    kept, gone = made(run, seed=1), made(run)
    delete_sweep(gone)
    assert empty_sweeps(run) == 1
    assert not gone.path.exists() and kept.path.exists() and list_sweeps(run).deleted == ()
    restore_sweep(gone)
    assert not gone.path.exists()


def test_days_in_the_trash_come_to_an_end(run: Path, tmp_path: Path) -> None:
    """Sweeps of all runs go after a month in the trash, and damaged ones with them."""
    now, index = datetime.now(UTC), RunIndex(f"sqlite:///{tmp_path / 'index.sqlite'}")
    index.ensure_tables()
    old, damaged, new = made(run), made(run, seed=2), made(run, seed=1)
    for sweep, days in ((old, 31), (damaged, 31), (new, 29)):
        delete_sweep(sweep, now - timedelta(days=days))
    (damaged.path / "sweep.json").write_text("{", encoding="utf-8")
    purge(index, run.parent, None, now)
    assert not old.path.exists() and not damaged.path.exists()
    assert [sweep.name for sweep in list_sweeps(run).deleted] == [new.name]
