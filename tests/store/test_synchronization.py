"""The index follows the folders: new, changed, damaged, vanished and permanently deleted runs."""

from __future__ import annotations

import shutil
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from solvers.explain import PriceConstraints
from solvers.problem import Limits, Problem, Shape, sample_dataset
from solvers.run import WorkerPool, solve
from solvers.run.folder import INQUIRIES, RunFolder
from solvers.solution import Finished
from solvers.store import Entry, Query, RunIndex, synchronize
from solvers.store.trash import TRASH_DAYS, delete, empty_trash, purge, restore
from tests.run.problems import plain


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """An empty folder of runs."""
    return tmp_path / "runs"


@pytest.fixture
def index(tmp_path: Path) -> RunIndex:
    """A new index."""
    made = RunIndex(f"sqlite:///{tmp_path / 'index.sqlite'}")
    made.ensure_tables()
    return made


def make(runs: Path, owner: str = "ada", *, ended: bool = True) -> RunFolder:
    """The folder of a run of CART on a small sample."""
    problem = Problem(sample_dataset("xor"), Shape(max_depth=2))
    folder = RunFolder.create(runs, problem, "cart", Limits(seconds=5), owner=owner)
    if ended:
        folder.write_outcome(Finished(0.1, solve(problem, "cart", stop=threading.Event())))
    return folder


def test_the_index_agrees_with_the_folder(runs: Path, index: RunIndex) -> None:
    """Table, problem and result are stored under the run's id."""
    folder = make(runs)
    assert synchronize(index, runs) == (1, 0, 0, 0)
    (run,) = index.find(Query(owner="ada"))
    problem = folder.problem()
    diagram = folder.outcome().solution.diagram
    wrong = int((diagram.predict(problem.dataset) != problem.dataset.y).sum())
    assert (run.id, run.folder, run.method, run.kind) == (folder.request().id, folder.path.name, "cart", "tree")
    assert (run.rows, run.outcome, run.size) == (problem.dataset.n_samples, problem.dataset.outcome, "depth 2")
    assert (run.errors, run.cost, run.questions, run.state) == (wrong, float(wrong), diagram.n_splits, "finished")
    assert run.bytes >= (folder.path / "data.npz").stat().st_size


def test_a_waiting_run_has_not_failed(runs: Path, index: RunIndex) -> None:
    """A queued run, without a worker yet, is active in the index, and later has its final state.

    Regression: it was listed as interrupted, and stayed so permanently.
    """
    imports = ("tests.run.plugin",)
    with WorkerPool(runs, warm=(), imports=imports, max_running=1, spares=0) as pool:
        first, second = pool.submit(plain(), "fake-patient"), pool.submit(plain(), "fake-fake")
        synchronize(index, runs)
        states = {run.id: run.state for run in index.find(Query())}
        assert states[second.id] == "starting" and states[first.id] in ("starting", "running")
        first.cancel()
        shot = second.wait(20)
    synchronize(index, runs)
    results = {run.id: (run.state, run.cost) for run in index.find(Query())}
    assert results[second.id] == ("finished", shot.solution.cost)
    assert results[first.id][0] == "cancelled"


def test_vanished_and_damaged_folders_are_handled(runs: Path, index: RunIndex) -> None:
    """A vanished folder leaves the index; a damaged one is listed with its reason and affects no other."""
    first, second = make(runs), make(runs)
    synchronize(index, runs)
    for path in first.path.iterdir():
        path.unlink()
    first.path.rmdir()
    third = make(runs)
    (third.path / "run.json").write_text('{"version": 1, "id"', encoding="utf-8")
    assert synchronize(index, runs) == (1, 0, 1, 1)
    errors = {run.folder: run.error for run in index.find(Query())}
    assert set(errors) == {second.path.name, third.path.name}
    assert "damaged" in errors[third.path.name]


def test_sweeps_count_as_storage(runs: Path, index: RunIndex) -> None:
    """A sweep of a finished run counts toward its size until the sweep is deleted.

    Regression: the size was that at the end of the run.
    """
    folder = make(runs)
    synchronize(index, runs)
    (before,) = index.find(Query())
    models = folder.path / "sweeps" / "one" / "models"
    models.mkdir(parents=True)
    (models / "a.json").write_bytes(b"x" * 50_000)
    assert synchronize(index, runs).changed == 1
    (swept,) = index.find(Query())
    assert 50_000 <= swept.bytes - before.bytes < 80_000
    assert synchronize(index, runs) == (0, 0, 0, 0)
    (models / "b.json").write_bytes(b"x" * 50_000)
    synchronize(index, runs)
    assert index.find(Query())[0].bytes >= swept.bytes + 50_000
    shutil.rmtree(folder.path / "sweeps" / "one")
    synchronize(index, runs)
    assert index.bytes_used("ada") < before.bytes + 10_000


@pytest.mark.parametrize("part", ["sweeps", INQUIRIES])
def test_a_run_with_an_active_part_is_not_deleted_permanently(runs: Path, index: RunIndex, part: str) -> None:
    """It stays in the trash until the sweep, or the request about it, has ended."""
    folder = make(runs)
    synchronize(index, runs)
    delete(index, runs, folder.request().id, "ada")
    sweep = RunFolder(folder.path / part / "one")
    sweep.path.mkdir(parents=True)
    sweep.claim()
    assert empty_trash(index, runs, "ada") == 0 and folder.path.exists()
    (sweep.path / "worker.json").unlink()
    assert empty_trash(index, runs, "ada") == 1 and not folder.path.exists()


def test_damaged_marks_do_no_harm(runs: Path, index: RunIndex) -> None:
    """The marks are ignored; the run is listed."""
    folder = make(runs)
    for content in ("", "[]", '{"version": 1}', '{"version": 1, "deleted": "never", "title": [], "starred": 1}'):
        (folder.path / "marks.json").write_text(content, encoding="utf-8")
        synchronize(index, runs)
        assert [run.title for run in index.find(Query())] == [""]
        index.forget([folder.request().id])


def test_deleted_runs_can_be_restored_until_the_trash_is_emptied(runs: Path, index: RunIndex) -> None:
    """Deleting hides, restoring undoes, emptying the trash deletes the data, of this owner only."""
    mine, hers = make(runs), make(runs, "grace")
    synchronize(index, runs)
    for folder, owner in ((mine, "ada"), (hers, "grace")):
        delete(index, runs, folder.request().id, owner)
    assert index.find(Query()) == []
    restore(index, runs, mine.request().id, "ada")
    assert [run.folder for run in index.find(Query())] == [mine.path.name]
    delete(index, runs, mine.request().id, "ada")
    assert empty_trash(index, runs, "ada") == 1
    assert not mine.path.exists() and hers.path.exists()
    restore(index, runs, hers.request().id, "grace")
    synchronize(index, runs)
    assert [run.folder for run in index.find(Query())] == [hers.path.name]


def test_retention_deletes_old_runs(runs: Path, index: RunIndex) -> None:
    """Old runs are deleted if an administrator sets a limit, trashed ones after a month, others never automatically."""
    kept, trashed = make(runs), make(runs)
    synchronize(index, runs)
    delete(index, runs, trashed.request().id, "ada")
    later = datetime.now(UTC) + timedelta(days=TRASH_DAYS + 1)
    assert purge(index, runs, None) == 0
    assert purge(index, runs, None, later) == 1
    assert kept.path.exists() and not trashed.path.exists()
    assert purge(index, runs, 90, later) == 0
    assert purge(index, runs, 7, later) == 1
    assert not kept.path.exists()


def test_names_in_the_database_delete_no_other_folders(runs: Path, index: RunIndex, tmp_path: Path) -> None:
    """This holds for a damaged or hostile index."""
    make(runs)
    synchronize(index, runs)
    (tmp_path / "precious").mkdir()
    (run,) = index.find(Query())
    for number, folder in enumerate(("../precious", "..", ".", "", str(tmp_path / "precious"))):
        index.put(replace(run, id=f"bad-{number}", folder=folder))
        index.mark(f"bad-{number}", None, deleted=datetime.now(UTC))
    empty_trash(index, runs, None)
    assert (tmp_path / "precious").is_dir() and runs.is_dir()


def asked_about(folder: RunFolder, question: str = "prices") -> RunFolder:
    """The folder of a finished request about a run."""
    made = RunFolder.create(
        folder.path / INQUIRIES, folder.problem(), "cart", Limits(seconds=5), PriceConstraints(), inquiry=question
    )
    made.write_outcome(Finished(0.1, None))
    return made


def test_requests_about_a_run_are_deleted_with_it(runs: Path, index: RunIndex) -> None:
    """They count toward its storage, are not listed as runs, and are deleted with it because they contain its rows."""
    folder = make(runs)
    synchronize(index, runs)
    (before,) = index.find(Query(tasks=True))
    inquiry = asked_about(folder)
    synchronize(index, runs)
    (after,) = index.find(Query(tasks=True))
    assert after.bytes >= before.bytes + (inquiry.path / "data.npz").stat().st_size
    delete(index, runs, after.id, "ada")
    assert empty_trash(index, runs, "ada") == 1
    assert not inquiry.path.exists()


def test_results_of_lessons_expire(runs: Path, index: RunIndex) -> None:
    """No list shows them, so they are deleted after a while, and not earlier; runs are kept."""
    kept = make(runs)
    RunFolder.create(runs, kept.problem(), "cart", Limits(seconds=5), PriceConstraints()).write_outcome(
        Finished(0.1, None)
    )
    synchronize(index, runs)
    now = datetime.now(UTC)
    assert purge(index, runs, None, now + timedelta(days=TRASH_DAYS - 1)) == 0
    assert purge(index, runs, None, now + timedelta(days=TRASH_DAYS + 1)) == 1
    assert [entry.id for entry in index.find(Query(tasks=True))] == [kept.request().id]


def test_entries_are_loaded_once(runs: Path, index: RunIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Later synchronizations reuse them, also for runs that are new, have ended, or have vanished."""
    first, loaded, find = make(runs, ended=False), [], index.find
    monkeypatch.setattr(index, "find", lambda query: loaded.extend(found := find(query)) or found)
    known: dict[str, Entry] = {}
    synchronize(index, runs, known)
    assert index.count(Query(states=("failed",))) == 1
    first.write_outcome(Finished(0.1, solve(first.problem(), "cart", stop=threading.Event())))
    second = make(runs, "bob")
    assert synchronize(index, runs, known) == (1, 1, 0, 0)
    assert all(synchronize(index, runs, known) == (0, 0, 0, 0) for _ in range(5))
    shutil.rmtree(second.path)
    assert synchronize(index, runs, known) == (0, 0, 1, 0)
    assert not loaded
    (run,) = find(Query())
    assert (run.folder, run.state) == (first.path.name, "finished")
