"""A run's folder is complete, and damage is reported in sentences."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from solvers.errors import RunError
from solvers.problem import Limits
from solvers.run import JobState, load_run, stored_run, wire
from solvers.run.folder import RunFolder, bytes_in
from solvers.run.solver_run import solve
from solvers.solution import Bound, Event, Finished, Incumbent, Started
from tests.run.fakes import leaf
from tests.run.problems import mixed, plain


@pytest.fixture
def finished(tmp_path: Path) -> RunFolder:
    """A run that has ended."""
    problem = plain()
    folder = RunFolder.create(tmp_path, problem, "cart", Limits(seconds=5))
    solution = solve(problem, "cart", Limits(seconds=5), folder.append_event)
    folder.write_outcome(Finished(solution.seconds, solution))
    folder.append_event(Finished(solution.seconds, solution))
    return folder


def test_an_interrupted_run_keeps_its_best_tree(tmp_path: Path) -> None:
    """Without an end, and with a truncated last line, the run counts as interrupted, and its tree is verified."""
    problem = mixed()
    folder = RunFolder.create(tmp_path, problem, "contree", Limits())
    best = leaf(problem, 0)
    folder.append_event(Started("contree"))
    folder.append_event(Incumbent(0.5, problem.cost(best.predict(problem.dataset)), best))
    with folder.events.open("ab") as out:
        out.write(b'{"event":"incumbent","elapsed":0.6,"cos')
    stored = load_run(folder.path)
    assert stored.snapshot().state is JobState.FAILED
    assert stored.snapshot().error == (
        "The run was interrupted because the program was closed. The best tree so far is kept."
    )
    assert (stored.solution.diagram, stored.solution.verified) == (best, True)


def test_an_event_starts_a_new_line(tmp_path: Path) -> None:
    """An event added by the parent after a crash starts a new line after the truncated one."""
    folder = RunFolder.create(tmp_path, plain(), "contree", Limits())
    folder.append_event(Started("contree"))
    with folder.events.open("ab") as out:
        out.write(b'{"event":"bo')
    folder.append_event(Started("again"))
    assert [event.method for event in folder.read_events()] == ["contree", "again"]


def cut(path: Path) -> None:
    """Keep the first half of a file."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


DAMAGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "no problem": (lambda run: (run / "problem.json").unlink(), "'problem.json' cannot be read"),
    "half a problem": (lambda run: cut(run / "problem.json"), "'problem.json'"),
    "no data": (lambda run: (run / "data.npz").unlink(), "'data.npz' cannot be read"),
    "half the data": (lambda run: cut(run / "data.npz"), "is damaged"),
    "half an order": (lambda run: cut(run / "run.json"), "'run.json'"),
    "an empty order": (
        lambda run: (run / "run.json").write_text(f'{{"version": {wire.VERSION}}}'),
        "is damaged",
    ),
    "half a solution": (lambda run: cut(run / "solution.json"), "'solution.json'"),
    "another version": (lambda run: (run / "run.json").write_text('{"version": 7}'), "version 7"),
    "nonsense events": (lambda run: (run / "events.jsonl").write_text("nonsense\n{}\n"), "Line 1 of 'events.jsonl'"),
}


@pytest.mark.parametrize(("harm", "named"), DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_folder_is_refused(harm: Callable[[Path], None], named: str, finished: RunFolder) -> None:
    """Every file that is missing, truncated or of another version is named in one sentence."""
    harm(finished.path)
    with pytest.raises(RunError) as refused:
        load_run(finished.path)
    assert named in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_folder_that_is_not_a_run_is_refused(tmp_path: Path) -> None:
    """The message says which file is missing."""
    with pytest.raises(RunError, match="is not a complete run"):
        load_run(tmp_path)


def test_a_place_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    """A file in place of the folder is reported in a sentence with a remedy."""
    (tmp_path / "runs").write_text("")
    with pytest.raises(RunError, match="ESPALIER_RUNS"):
        RunFolder.create(tmp_path / "runs", plain(), "cart", Limits())


def test_a_changed_clock_does_not_interrupt_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An active run does not count as interrupted because the system clock was changed."""
    folder = RunFolder.create(tmp_path, mixed(), "fake", Limits(), held=True)
    begun, create_time = psutil.boot_time(), psutil.Process.create_time
    if psutil.LINUX:
        monkeypatch.setattr(psutil, "boot_time", lambda: begun + 86_400)
        monkeypatch.setattr(psutil.Process, "create_time", lambda process: create_time(process) + 86_400)
    assert folder.has_worker() and not load_run(folder.path).snapshot().state.terminal
    other = folder.read_json("worker.json")
    folder.write_json("worker.json", {**other, "started": other["started"] - 100})
    assert not folder.has_worker()


def test_the_size_of_a_folder_counts_all_files(tmp_path: Path) -> None:
    """The size of a folder includes files at every depth; a vanished file, or a broken link, counts as zero."""
    assert bytes_in(tmp_path) == 0 == bytes_in(tmp_path / "gone")
    (tmp_path / "a").write_bytes(b"12345")
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    assert bytes_in(tmp_path) == 5
    inner = tmp_path / "inner"
    inner.mkdir()
    before = bytes_in(tmp_path)
    (inner / "b").write_bytes(b"123")
    assert bytes_in(inner) == 3 and bytes_in(tmp_path) == before + 3


def test_each_event_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each event is read once, however often the folder is read; a reopened run is read from its beginning."""
    problem = mixed()
    folder = RunFolder.create(tmp_path, problem, "contree", Limits())
    folder.claim()
    read, whole = [], wire.event_from_json
    monkeypatch.setattr(wire, "event_from_json", lambda data, what: read.append(what) or whole(data, what))

    def add(*events: Event) -> None:
        # the worker keeps the file open and appends
        with folder.events.open("ab") as out:
            out.writelines(wire.dumps(wire.add_version(wire.event_to_json(one))).encode() + b"\n" for one in events)

    monkeypatch.setattr(stored_run, "LOOK", -1.0)
    followed = load_run(folder.path)
    add(Started("contree"), Bound(0.1, 1))
    for _ in range(20):
        assert followed.snapshot().bound == 1
    best = leaf(problem, 0)
    add(Incumbent(0.5, problem.cost(best.predict(problem.dataset)), best))
    for _ in range(20):
        assert followed.snapshot().diagram == best
    assert len(read) == 3
    folder.claim()
    add(Started("contree"))
    assert followed.snapshot().diagram is None
