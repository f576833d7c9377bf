"""Deleted sweeps lie in the trash, come back whole, and are gone for good when it is emptied or their days end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest

from solvers.errors import RunError
from solvers.run.folder import RunFolder, bytes_in
from solvers.sweeps import trash
from solvers.sweeps.stored_sweeps import Constrained, StoredSweep, create_sweep, list_sweeps
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


def test_what_is_deleted_comes_back_whole(run: Path) -> None:
    """It leaves the list, and is in it again with its table and its models."""
    one, two = made(run), made(run, seed=1)
    table = one.files.table()
    place = trash.delete(one)
    assert [sweep.name for sweep in list_sweeps(run).sweeps] == [two.name]
    (found,) = trash.trashed(run)
    assert found.folder == place and found.sweep.task.methods == one.task.methods
    # as the storage of its run tells them
    assert found.bytes == bytes_in(place) > len((place / "results.jsonl").read_bytes())
    assert trash.restore(place) == one.folder
    assert {sweep.name for sweep in list_sweeps(run).sweeps} == {one.name, two.name} and trash.trashed(run) == ()
    pd.testing.assert_frame_equal(one.files.table(), table)
    assert one.files.diagram(table["key"][0]).n_leaves >= 1


def test_same_sweep_can_be_made_anew(run: Path) -> None:
    """It begins without any model; the deleted one cannot come back in its place before it is deleted, too."""
    place = trash.delete(made(run))
    again = create_sweep(run, asked(depths=(1,), folds=2), Constrained.KEPT, None)
    assert again.files.rows() == {}
    with pytest.raises(RunError, match="begun anew"):
        trash.restore(place)
    trash.delete(again)
    assert len(trash.trashed(run)) == 2
    trash.restore(place)
    assert len(again.files.rows()) == 4


def test_sweep_at_work_is_not_deleted(run: Path) -> None:
    """Whoever works on it."""
    sweep = made(run)
    RunFolder(sweep.folder).claim()
    with pytest.raises(RunError, match="at work"):
        trash.delete(sweep)
    assert len(list_sweeps(run).sweeps) == 1


def test_emptied_trash_is_gone_for_good(run: Path) -> None:
    """What is not in it stays, and what was in it cannot be taken back."""
    kept, place = made(run, seed=1), trash.delete(made(run))
    (run / "sweeps" / ".trash" / "something-else").mkdir()
    assert trash.empty(run) == 1
    assert not place.exists() and kept.folder.exists() and trash.trashed(run) == ()
    assert (run / "sweeps" / ".trash" / "something-else").exists()
    with pytest.raises(RunError, match="start it anew"):
        trash.restore(place)


def test_days_in_the_trash_come_to_an_end(run: Path) -> None:
    """Of all runs, what was deleted longer ago; the last deleted is listed first."""
    now = datetime.now(UTC)
    old = trash.delete(made(run), now - timedelta(days=31))
    new = trash.delete(made(run, seed=1), now - timedelta(days=29))
    assert [one.folder for one in trash.trashed(run)] == [new, old]
    assert trash.purge(run.parent, 30.0, now) == 1
    assert [one.folder for one in trash.trashed(run)] == [new]


def test_damaged_sweep_in_the_trash_is_listed(run: Path) -> None:
    """It can be emptied away like the others."""
    place = trash.delete(made(run))
    (place / "sweep.json").write_text("{", encoding="utf-8")
    assert [one.sweep for one in trash.trashed(run)] == [None]
    assert trash.empty(run) == 1
