"""Sweeps are deleted permanently, unless a process works on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from solvers.errors import RunError
from solvers.run.folder import RunFolder
from solvers.store.trash import delete_sweep
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


def test_a_deleted_sweep_is_removed_and_others_stay(run: Path) -> None:
    """Its folder is removed; deleting it in two windows at once is no error."""
    gone, kept = made(run), made(run, seed=1)
    delete_sweep(gone)
    delete_sweep(gone)
    assert list_sweeps(run).sweeps == (kept,) and not gone.path.exists()


def test_an_active_sweep_is_not_deleted(run: Path) -> None:
    """The process that works on it keeps it."""
    sweep = made(run)
    RunFolder(sweep.path).claim()
    with pytest.raises(RunError, match="running in another window"):
        delete_sweep(sweep)
    assert list_sweeps(run).sweeps == (sweep,)
