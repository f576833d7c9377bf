"""The list of runs follows their folders, finds, marks and removes runs, and never those of another user."""

from __future__ import annotations

import json
import shutil
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec import structs

from components.session import run_store
from solvers.errors import RunError, StoreError
from solvers.explain import PriceConstraints
from solvers.problem import Limits, Problem, Shape, sample_dataset
from solvers.run import JobState, WorkerPool, solve
from solvers.run.folder import INQUIRIES, RunFolder
from solvers.solution import Cancelled, Finished
from solvers.store import Entry, Query, RunIndex, index
from solvers.store.index import TRASH_DAYS, delete_sweep
from solvers.study.stored import StoredStudy, create_sweep, list_sweeps
from tests.run.problems import plain
from tests.study.test_tasks import answered, asked

START = datetime(2026, 3, 1, 12, 30, 15, 250_000, tzinfo=UTC)
LONG_AGO = datetime(2020, 3, 1, tzinfo=UTC)


def entry(number: int, **changes: object) -> Entry:
    """A finished run, one day later for each number."""
    base = Entry(
        id=f"{number:024x}",
        folder=f"run-{number}",
        owner="ada",
        created=START + timedelta(days=number),
        name="heart",
        outcome="disease",
        method="contree",
        kind="tree",
        size="depth 3",
        rows=297,
        features=13,
        state="finished",
        status="optimal",
        cost=44.0,
        bound=44.0,
        errors=44,
        questions=7,
        seconds=0.1,
        bytes=1000,
    )
    return structs.replace(base, **changes)


def put(runs: Path, run: Entry) -> None:
    """A folder with the entry of a run that has ended, as an earlier program has left it."""
    folder = RunFolder(runs / run.folder)
    folder.path.mkdir(parents=True)
    (folder.path / "run.json").touch()
    folder.write_json("entry.json", index._Stored(run, index._stamp(folder.path)))


def listed(runs: Path, *entries: Entry) -> RunIndex:
    """The list of some runs."""
    for run in entries:
        put(runs, run)
    made = RunIndex(runs)
    made.synchronize()
    return made


def found(runs: RunIndex, **filters: object) -> list[str]:
    """The folders of the matching runs."""
    return [run.folder for run in runs.find(Query(**filters))]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """An empty folder of runs."""
    return tmp_path / "runs"


def make(runs: Path, owner: str = "ada", *, ended: bool = True) -> RunFolder:
    """The folder of a run of CART on a small sample."""
    problem = Problem(sample_dataset("xor"), Shape(max_depth=2))
    folder = RunFolder.create(runs, problem, "cart", Limits(seconds=5), owner=owner)
    if ended:
        folder.write_outcome(Finished(0.1, solve(problem, "cart", stop=threading.Event())))
    return folder


@pytest.mark.parametrize(
    ("text", "folders"),
    [
        ("heart", ["run-2", "run-1"]),
        ("HEART depth", ["run-2", "run-1"]),
        ("second", ["run-2"]),
        ("100%", ["run-3"]),
        ("100_", []),
        ("\u00dcBER", ["run-3"]),
    ],
)
def test_every_word_must_occur(runs: Path, text: str, folders: list[str]) -> None:
    """Words are searched in names, titles and comments, ignoring case."""
    made = listed(runs, entry(1), entry(2, title="second try"), entry(3, name="liver \u00fcber", comment="100% sure"))
    assert found(made, text=text) == folders
    assert made.count(Query(text=text, limit=1)) == len(folders)
    assert found(made, text=text, limit=1) == folders[:1]


def test_filters_select_runs(runs: Path) -> None:
    """By shape, state and favourites; explanations are omitted unless requested."""
    more = entry(2, kind="bdd", state="failed"), entry(3, task="prices")
    made = listed(runs, entry(1, method="cart", starred=True, status="feasible"), *more)
    assert found(made) == ["run-2", "run-1"]
    assert found(made, tasks=True) == ["run-3", "run-2", "run-1"]
    assert found(made, kinds=("bdd",)) == ["run-2"]
    assert found(made, states=("failed", "cancelled")) == ["run-2"]
    assert found(made, starred=True) == ["run-1"]
    assert found(made, proved=True) == ["run-2"]


def test_users_see_only_their_own_runs(runs: Path) -> None:
    """This holds for lists, single runs, marks and totals."""
    made = listed(runs, entry(1), entry(2, owner="grace"))
    assert found(made, owner="ada") == ["run-1"]
    assert made.get(entry(2).id, "ada") is None
    assert made.bytes_used("ada") == 1000
    with pytest.raises(StoreError, match="another user's"):
        made.mark(entry(2).id, "ada", starred=True)
    assert not made.get(entry(2).id, "grace").starred


def test_marks_are_seen_by_every_program(runs: Path) -> None:
    """Names, stars, comments and the trash are in the folders: another program has them, also one that is running."""
    kept, trashed = make(runs).request().id, make(runs).request().id
    mine, other = RunIndex(runs), RunIndex(runs)
    mine.synchronize()
    other.synchronize()
    mine.mark(kept, "ada", title="mine", starred=True, comment="sent to the ward")
    mine.delete(trashed, "ada")
    other.synchronize()
    late = RunIndex(runs)
    late.synchronize()
    for known in (mine, other, late):
        run = known.get(kept)
        assert (run.title, run.starred, run.comment, run.errors) == ("mine", True, "sent to the ward", run.cost)
        assert [one.id for one in known.find(Query(deleted=True))] == [trashed]


def test_programs_keep_each_others_marks(runs: Path) -> None:
    """A mark changes only what it names, and a run restored elsewhere stays.

    Regression: a program wrote what it had read last, and emptied the trash of a moment ago.
    """
    folder = make(runs)
    run, mine, other = folder.request().id, RunIndex(runs), RunIndex(runs)
    mine.synchronize()
    other.synchronize()
    other.mark(run, "ada", starred=True, comment="theirs")
    mine.mark(run, "ada", title="mine")
    mine.delete(run, "ada", LONG_AGO)
    other.synchronize()
    (seen,) = other.find(Query(deleted=True))
    assert (seen.title, seen.starred, seen.comment) == ("mine", True, "theirs")
    other.restore(run, "ada")
    assert mine.empty_trash("ada") == mine.purge(None) == 0
    mine.synchronize()
    assert found(mine) == [folder.path.name]


def test_marks_that_cannot_be_written_are_kept(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk loses no mark, not even that of a run which is read again, and the trash can be emptied."""
    kept, trashed = make(runs, ended=False), make(runs)
    made = RunIndex(runs)
    made.synchronize()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(RunFolder, "write_json", full)
        made.mark(kept.request().id, "ada", title="mine")
        made.mark(kept.request().id, "ada", starred=True)
        made.delete(trashed.request().id, "ada")
        made.synchronize()
        (run,) = made.find(Query())
        assert (run.title, run.starred) == ("mine", True)
        assert made.empty_trash("ada") == 1 and not trashed.path.exists()
    for one in (made, RunIndex(runs)):
        one.synchronize()
        (run,) = one.find(Query())
        assert (run.title, run.starred) == ("mine", True)


def test_a_copy_of_a_folder_is_no_second_run(runs: Path) -> None:
    """It is listed as damaged with what to do, changing it changes no other run, and alone it is the run.

    Regression: both had one id, so deleting one could delete the other.
    """
    original, made = make(runs), RunIndex(runs)
    copy = shutil.copytree(original.path, runs / "0-saved")
    made.synchronize()
    run, damaged = made.get(original.request().id), made.get("0-saved")
    assert (run.folder, run.method, damaged.owner, damaged.method) == (original.path.name, "cart", "ada", "")
    assert damaged.error == f"This folder is a copy of the run in '{run.folder}'. Delete one of the two."
    made.delete(damaged.id, "ada")
    assert found(made) == [run.folder]
    made.restore(damaged.id, "ada")
    made.delete(run.id, "ada")
    assert made.empty_trash("ada") == 1 and copy.exists()
    assert (made.get(run.id).folder, made.get(run.id).method) == ("0-saved", "cart")


def test_a_run_is_read_once(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither later scans nor later programs read the rows of a run that has ended; an active run is read again."""
    first = make(runs, ended=False)
    made, loaded, load = RunIndex(runs), [], index.load_run
    monkeypatch.setattr(index, "load_run", lambda path: loaded.append(path.name) or load(path))
    made.synchronize()
    assert made.count(Query(states=("failed",))) == 1
    first.write_outcome(Finished(0.1, solve(first.problem(), "cart", stop=threading.Event())))
    second = make(runs, "bob")
    made.synchronize()
    assert made.count(Query(states=("finished",))) == 2
    del loaded[:]
    later = RunIndex(runs)
    made.synchronize()
    later.synchronize()
    assert later.find(Query()) == made.find(Query()) and not loaded
    shutil.rmtree(second.path)
    made.synchronize()
    assert [(run.folder, run.state) for run in made.find(Query())] == [(first.path.name, "finished")]


@pytest.mark.parametrize("content", ["", "[]", '{"version": 1}', "older"])
def test_a_damaged_entry_is_made_again(runs: Path, content: str) -> None:
    """It is read from the run; an entry of another version, too."""
    folder = make(runs)
    made = RunIndex(runs)
    made.synchronize()
    made.mark(folder.request().id, None, title="mine")
    file = folder.path / "entry.json"
    file.write_text(content if content != "older" else json.dumps(json.loads(file.read_text()) | {"version": 0}))
    later = RunIndex(runs)
    later.synchronize()
    (before,), (after,) = made.find(Query()), later.find(Query())
    assert structs.replace(after, bytes=before.bytes) == before


def test_the_list_agrees_with_the_folder(runs: Path) -> None:
    """Table, problem and result are listed under the run's id."""
    folder, made = make(runs), RunIndex(runs)
    made.synchronize()
    (run,) = made.find(Query(owner="ada"))
    problem = folder.problem()
    diagram = folder.outcome().solution.diagram
    wrong = int((diagram.predict(problem.dataset) != problem.dataset.y).sum())
    assert (run.id, run.folder, run.method, run.kind) == (folder.request().id, folder.path.name, "cart", "tree")
    assert (run.rows, run.outcome, run.size) == (problem.dataset.n_samples, problem.dataset.outcome, "depth 2")
    assert (run.errors, run.cost, run.questions, run.state) == (wrong, float(wrong), diagram.n_splits, "finished")
    assert run.bytes >= (folder.path / "data.npz").stat().st_size


def test_a_waiting_run_has_not_failed(runs: Path) -> None:
    """A queued run, without a worker yet, is listed as active, and later has its final state.

    Regression: it was listed as interrupted, and stayed so permanently.
    """
    imports, made = ("tests.run.plugin",), RunIndex(runs)
    with WorkerPool(runs, warm=(), imports=imports, max_running=1, spares=0) as pool:
        first, second = pool.submit(plain(), "fake-patient"), pool.submit(plain(), "fake-fake")
        made.synchronize()
        states = {run.id: run.state for run in made.find(Query())}
        assert states[second.id] == "starting" and states[first.id] in ("starting", "running")
        first.cancel()
        shot = second.wait(20)
    made.synchronize()
    results = {run.id: (run.state, run.cost) for run in made.find(Query())}
    assert results[second.id] == ("finished", shot.solution.cost)
    assert results[first.id][0] == "cancelled"


def test_vanished_and_damaged_folders_are_handled(runs: Path) -> None:
    """A vanished folder leaves the list; a damaged one is listed with its reason and affects no other."""
    first, second, made = make(runs), make(runs), RunIndex(runs)
    made.synchronize()
    shutil.rmtree(first.path)
    third = make(runs)
    (third.path / "run.json").write_text('{"version": 1, "id"', encoding="utf-8")
    made.synchronize()
    errors = {run.folder: run.error for run in made.find(Query())}
    assert set(errors) == {second.path.name, third.path.name}
    assert "damaged" in errors[third.path.name]


def test_sweeps_count_as_storage(runs: Path) -> None:
    """A sweep of a finished run counts toward its size until the sweep is deleted.

    Regression: the size was that at the end of the run.
    """
    folder, made = make(runs), RunIndex(runs)
    made.synchronize()
    (before,) = made.find(Query())
    models = folder.path / "sweeps" / "one" / "models"
    models.mkdir(parents=True)
    (models / "a.json").write_bytes(b"x" * 50_000)
    made.synchronize()
    (swept,) = made.find(Query())
    assert 50_000 <= swept.bytes - before.bytes < 80_000
    (models / "b.json").write_bytes(b"x" * 50_000)
    made.synchronize()
    assert made.find(Query())[0].bytes >= swept.bytes + 50_000
    shutil.rmtree(folder.path / "sweeps" / "one")
    made.synchronize()
    assert made.bytes_used("ada") < before.bytes + 10_000


@pytest.mark.parametrize("part", ["sweeps", INQUIRIES])
def test_a_run_with_an_active_part_is_not_deleted_permanently(runs: Path, part: str) -> None:
    """It stays in the trash until the sweep, or the request about it, has ended."""
    folder, made = make(runs), RunIndex(runs)
    made.synchronize()
    made.delete(folder.request().id, "ada")
    sweep = RunFolder(folder.path / part / "one")
    sweep.path.mkdir(parents=True)
    sweep.claim()
    assert made.empty_trash("ada") == 0 and folder.path.exists()
    (sweep.path / "worker.json").unlink()
    assert made.empty_trash("ada") == 1 and not folder.path.exists()


def test_damaged_marks_do_no_harm(runs: Path) -> None:
    """The marks are ignored; the run is listed."""
    folder = make(runs)
    for content in ("", "[]", '{"version": 1}', '{"version": 1, "deleted": "never", "title": [], "starred": 1}'):
        (folder.path / "marks.json").write_text(content, encoding="utf-8")
        made = RunIndex(runs)
        made.synchronize()
        assert [run.title for run in made.find(Query())] == [""]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("entry.json", {"state": "lost"}),
        ("entry.json", {"created": "2020-03-01T12:30:15"}),
        ("entry.json", {"created": None}),
        ("run.json", {"created": "2020-03-01T12:30:15"}),
        ("marks.json", {"deleted": "2020-03-01T12:30:15"}),
    ],
)
def test_one_odd_file_does_not_end_the_list(runs: Path, name: str, change: dict[str, object]) -> None:
    """A state that does not exist, or a time without a zone, harms no other run."""
    odd, other, made = make(runs), make(runs), RunIndex(runs)
    made.synchronize()
    if name == "marks.json":
        made.mark(odd.request().id, "ada", starred=True)
    document = json.loads((odd.path / name).read_text())
    place = document["entry"] if name == "entry.json" else document
    place.update(change)
    (odd.path / name).write_text(json.dumps(document))
    if name != "entry.json":
        (odd.path / "entry.json").unlink()
    later = RunIndex(runs)
    later.synchronize()
    found = JobState.FAILED if name == "run.json" else JobState.FINISHED
    listed = {run.folder: run.state for run in later.find(Query())}
    assert listed == {odd.path.name: found, other.path.name: JobState.FINISHED}
    later.purge(None)
    assert odd.path.exists() and other.path.exists()


def test_a_run_that_is_repeated_in_its_folder_is_read_again(runs: Path) -> None:
    """Its list entry follows the worker that solves it once more.

    Regression: the list kept the old result.
    """
    folder, made = make(runs), RunIndex(runs)
    made.synchronize()
    solution = folder.outcome().solution
    folder.claim()
    made.synchronize()
    assert found(made, states=("starting",)) == [folder.path.name]
    folder.write_outcome(Cancelled(0.1, solution))
    for one in (made, RunIndex(runs)):
        one.synchronize()
        assert found(one, states=("cancelled",)) == [folder.path.name]


def test_a_folder_that_cannot_be_deleted_stops_no_other(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other runs are deleted, the error names the folder, and the list opens at the next click.

    Regression: every click ended with the error.
    """
    held, gone = make(runs), make(runs)
    for folder in (held, gone):
        folder.write_json("marks.json", index.Marks(deleted=LONG_AGO))
    remove = shutil.rmtree

    def refuse(path: Path) -> None:
        if path == held.path:
            raise PermissionError(13, "Permission denied")
        remove(path)

    shared = run_store._Shared()
    shared.index = RunIndex(runs)
    monkeypatch.setattr(run_store, "_shared", lambda: shared)
    monkeypatch.setattr(index.shutil, "rmtree", refuse)
    with pytest.raises(StoreError, match=f"{held.path.name}' cannot be deleted"):
        run_store.store()
    assert held.path.exists() and not gone.path.exists()
    assert found(run_store.store(), deleted=True) == [held.path.name]


def test_deleted_runs_can_be_restored_until_the_trash_is_emptied(runs: Path) -> None:
    """Deleting hides, restoring undoes, emptying the trash deletes the data, of this owner only."""
    mine, hers, made = make(runs), make(runs, "grace"), RunIndex(runs)
    made.synchronize()
    for folder, owner in ((mine, "ada"), (hers, "grace")):
        made.delete(folder.request().id, owner)
    assert found(made) == []
    made.restore(mine.request().id, "ada")
    assert found(made) == [mine.path.name]
    made.delete(mine.request().id, "ada")
    assert made.empty_trash("ada") == 1
    assert not mine.path.exists() and hers.path.exists()
    made.restore(hers.request().id, "grace")
    made.synchronize()
    assert found(made) == [hers.path.name]


def test_retention_deletes_old_runs(runs: Path) -> None:
    """Old runs are deleted if an administrator sets a limit, trashed ones after a month, others never automatically."""
    kept, trashed, made = make(runs), make(runs), RunIndex(runs)
    made.synchronize()
    made.delete(trashed.request().id, "ada")
    later = datetime.now(UTC) + timedelta(days=TRASH_DAYS + 1)
    assert made.purge(None) == 0
    assert made.purge(None, later) == 1
    assert kept.path.exists() and not trashed.path.exists()
    assert made.purge(90, later) == 0
    assert made.purge(7, later) == 1
    assert not kept.path.exists()


def test_names_in_entries_delete_no_other_folders(runs: Path, tmp_path: Path) -> None:
    """This holds for a damaged or hostile entry."""
    (tmp_path / "precious").mkdir()
    for number, folder in enumerate(("../precious", "..", ".", "", str(tmp_path / "precious"))):
        put(runs, entry(number))
        place = RunFolder(runs / f"run-{number}")
        place.write_json("marks.json", index.Marks(deleted=START))
        hostile = entry(number, folder=folder, deleted=START)
        place.write_json("entry.json", index._Stored(hostile, index._stamp(place.path)))
    made = RunIndex(runs)
    made.synchronize()
    assert made.empty_trash(None) == 5
    assert (tmp_path / "precious").is_dir() and runs.is_dir()


def asked_about(folder: RunFolder) -> RunFolder:
    """The folder of a finished request about a run."""
    made = RunFolder.create(
        folder.path / INQUIRIES, folder.problem(), "cart", Limits(seconds=5), PriceConstraints(), inquiry="prices"
    )
    made.write_outcome(Finished(0.1, None))
    return made


def test_requests_about_a_run_are_deleted_with_it(runs: Path) -> None:
    """They count toward its storage, are not listed as runs, and are deleted with it because they contain its rows."""
    folder, made = make(runs), RunIndex(runs)
    made.synchronize()
    (before,) = made.find(Query(tasks=True))
    inquiry = asked_about(folder)
    made.synchronize()
    (after,) = made.find(Query(tasks=True))
    assert after.bytes >= before.bytes + (inquiry.path / "data.npz").stat().st_size
    made.delete(after.id, "ada")
    assert made.empty_trash("ada") == 1
    assert not inquiry.path.exists()


def test_results_of_lessons_expire(runs: Path) -> None:
    """No list shows them, so they are deleted after a while, and not earlier; runs are kept."""
    kept = make(runs)
    RunFolder.create(runs, kept.problem(), "cart", Limits(seconds=5), PriceConstraints()).write_outcome(
        Finished(0.1, None)
    )
    made, now = RunIndex(runs), datetime.now(UTC)
    made.synchronize()
    assert made.purge(None, now + timedelta(days=TRASH_DAYS - 1)) == 0
    assert made.purge(None, now + timedelta(days=TRASH_DAYS + 1)) == 1
    assert [run.id for run in made.find(Query(tasks=True))] == [kept.request().id]


def swept(run: Path, **changes: object) -> StoredStudy:
    """A sweep of the run that has ended."""
    sweep = create_sweep(run, asked(depths=(1,), folds=2, **changes))
    answered(sweep)
    return sweep


def test_a_deleted_sweep_is_removed_and_others_stay(runs: Path) -> None:
    """Its folder is removed; deleting it in two windows at once is no error. A sweep that is running stays."""
    gone, kept = swept(runs / "run"), swept(runs / "run", seed=1)
    delete_sweep(gone)
    delete_sweep(gone)
    assert list_sweeps(runs / "run").sweeps == (kept,) and not gone.path.exists()
    RunFolder(kept.path).claim()
    with pytest.raises(RunError, match="running in another window"):
        delete_sweep(kept)
    assert list_sweeps(runs / "run").sweeps == (kept,)
