"""Faults in the middle of runs, for real: killed workers and dashboards, full disks, cut files, jumping clocks.

Each test injects faults and counts: no run that ended is lost, nothing wrong is shown, and what is said is a sentence.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from solvers.diagram import Diagram
from solvers.errors import EspalierError, RunError
from solvers.problem import Limits, Problem, Shape, sample_dataset
from solvers.run import JobState, WorkerPool, list_runs, load_run
from solvers.run.folder import RunFolder
from solvers.solution import Finished, Status
from solvers.store import Query, RunIndex, gather
from tests.run.problems import mixed, plain

IMPORTS = ("tests.run.plugin",)
ROOT = Path(__file__).parents[2]


def easy() -> Problem:
    """A problem that is proved at once."""
    return Problem(sample_dataset("xor"), Shape(depth=2))


def right(diagram: Diagram | None, problem: Problem, cost: int | None) -> bool:
    """Whether a result says what its model does."""
    return diagram is not None and problem.cost(diagram.predict(problem.dataset), diagram.n_splits) == cost


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 400 kB of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400k,mode=0700", "tmpfs", str(place)], capture_output=True, text=True
    )
    if made.returncode:
        pytest.skip("no disk can be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(disk: Path) -> Path:
    """Leave no byte free."""
    rest = disk / "rest"
    with rest.open("wb", buffering=0) as out:
        for size in (4096, 1):
            try:
                while out.write(b"x" * size):
                    pass
            except OSError:
                continue
    return rest


def test_killed_workers_lose_no_incumbent(tmp_path: Path) -> None:
    """A worker that is killed at any moment leaves its last incumbent, verified, and a reason."""
    with WorkerPool(tmp_path, warm=(), imports=IMPORTS, max_running=2) as pool:
        lost = wrong = 0
        for _ in range(4):
            job = pool.submit(plain(), "fake-patient")
            end = time.monotonic() + 20
            while job.snapshot().text != "Looking." and time.monotonic() < end:
                time.sleep(0.01)
            os.kill(job.pid, signal.SIGKILL)
            shot = job.wait(10)
            stored = load_run(job.folder).solution
            lost += shot.solution is None or stored != shot.solution
            wrong += shot.state is not JobState.FAILED or not shot.solution.verified
            wrong += not right(stored.diagram, job.problem, stored.cost)
        assert (lost, wrong) == (0, 0)


DASHBOARD = """
import sys, time
from pathlib import Path
from solvers.run import WorkerPool
from tests.run.problems import plain
from tests.faults.test_runs import easy
pool = WorkerPool(Path(sys.argv[1]), warm=(), imports=("tests.run.plugin",), max_running=3, spares=0)
done = pool.submit(easy(), "cart")
done.wait(60)
slow = [pool.submit(plain(), "fake-patient") for _ in range(2)]
while any(job.snapshot().text != "Looking." for job in slow):
    time.sleep(0.01)
print("ready", flush=True)
time.sleep(60)
"""


def test_killed_dashboard_loses_no_run(tmp_path: Path) -> None:
    """After kill -9 of the program its runs end by themselves, and another program finds all of them."""
    program = subprocess.Popen(
        [sys.executable, "-c", DASHBOARD, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert program.stdout.readline() == "ready\n"
    workers = psutil.Process(program.pid).children()
    program.kill()
    program.wait()
    _, alive = psutil.wait_procs(workers, timeout=10)
    assert alive == []
    runs = [load_run(entry.folder) for entry in list_runs(tmp_path)]
    assert len(runs) == 3
    assert all(run.snapshot.state.terminal for run in runs)
    assert all(run.solution is not None and run.solution.verified for run in runs)
    assert all(right(run.solution.diagram, run.problem, run.solution.cost) for run in runs)


def test_full_disk_is_said_before_a_run(small_disk: Path) -> None:
    """A run that cannot be written down is refused with what to do, and the program goes on when there is space."""
    rest = fill(small_disk)
    with WorkerPool(small_disk / "runs", warm=(), spares=0) as pool:
        with pytest.raises(RunError, match="Free some space"):
            pool.submit(easy(), "cart")
        rest.unlink()
        assert pool.submit(easy(), "cart").wait(60).state is JobState.FINISHED


def test_disk_that_fills_during_a_run_costs_no_result(small_disk: Path) -> None:
    """Where nothing more can be written the result is still told, and written as soon as there is space."""
    with WorkerPool(small_disk / "runs", warm=(), imports=IMPORTS, spares=0) as pool:
        job = pool.submit(plain(), "fake-patient")
        while job.snapshot().text != "Looking.":
            time.sleep(0.01)
        rest = fill(small_disk)
        job.cancel()
        shot = job.wait(20)
        assert shot.state is JobState.CANCELLED and shot.solution.verified
        assert "could not be written" in shot.solution.message
        rest.unlink()
        assert pool.submit(easy(), "cart").wait(60).state is JobState.FINISHED


@pytest.mark.parametrize("name", ["run.json", "problem.json", "data.npz", "solution.json", "events.jsonl"])
def test_damaged_folders_are_told_in_words(tmp_path: Path, name: str) -> None:
    """A file that is cut or overwritten anywhere is an error in words, or does no harm; other runs are fine."""
    chance = random.Random(name)
    good, bad = (RunFolder.create(tmp_path, easy(), "cart", Limits()) for _ in range(2))
    for folder in (good, bad):
        done = subprocess.run(
            [sys.executable, "-m", "solvers.run.worker", str(folder.path)], cwd=ROOT, capture_output=True
        )
        assert done.returncode == 0
    whole = (bad.path / name).read_bytes()
    truth = load_run(good.path).solution
    index = RunIndex(f"sqlite:///{tmp_path / 'index.sqlite'}")
    index.upgrade()
    for _ in range(60):
        content = bytearray(whole)
        match chance.randrange(3):
            case 0:
                content = content[: chance.randrange(len(content))]
            case 1:
                for _ in range(chance.randrange(1, 5)):
                    content[chance.randrange(len(content))] = chance.randrange(256)
            case 2:
                content = bytearray(chance.randbytes(chance.randrange(50)))
        (bad.path / name).write_bytes(content)
        try:
            found = load_run(bad.path).solution
        except EspalierError as error:
            assert len(str(error)) > 20
        else:
            assert (
                found is None or found.diagram is None or right(found.diagram, easy(), found.cost) or not found.verified
            )
        entries = {entry.folder.name: entry for entry in list_runs(tmp_path)}
        assert entries[good.path.name].cost == truth.cost
    (bad.path / name).unlink()
    gather(index, tmp_path)
    assert index.count(Query()) >= 1
    assert load_run(good.path).solution == truth


def test_power_cut_in_the_middle_of_a_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A result that was being replaced is there as it was before, or as it is after, never in between."""
    folder = RunFolder.create(tmp_path, easy(), "cart", Limits())
    subprocess.run([sys.executable, "-m", "solvers.run.worker", str(folder.path)], cwd=ROOT, check=True,
                   capture_output=True)  # fmt: skip
    before = (folder.path / "solution.json").read_bytes()
    outcome = folder.outcome()
    for step in ("fsync", "replace"):

        def cut(*_: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(os, step, cut)
            with pytest.raises(KeyboardInterrupt):
                folder.write_outcome(Finished(99.0, outcome.solution))
        assert (folder.path / "solution.json").read_bytes() == before
    assert [path.name for path in folder.path.iterdir() if path.name.startswith(".")] == []


def test_events_cut_by_a_power_failure(tmp_path: Path) -> None:
    """Whatever length of the event log reached the disk, the run can be read, with an incumbent that is true."""
    with WorkerPool(tmp_path, warm=(), imports=IMPORTS, spares=0) as pool:
        job = pool.submit(mixed(), "fake-fake")
        job.wait(20)
    (job.folder / "solution.json").unlink()
    (job.folder / "worker.json").unlink()
    content = (job.folder / "events.jsonl").read_bytes()
    for length in range(0, len(content), 97):
        (job.folder / "events.jsonl").write_bytes(content[:length])
        run = load_run(job.folder)
        assert run.snapshot.state.terminal
        if run.solution is not None:
            assert right(run.solution.diagram, job.problem, run.solution.cost) and run.solution.verified


def test_clock_that_jumps_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A day forwards or back ends no search, and none lasts forever: limits follow a clock of their own."""
    now = time.time
    with WorkerPool(tmp_path, warm=(), imports=IMPORTS, spares=0) as pool:
        for jump in (86_400.0, -86_400.0):
            job = pool.submit(plain(), "fake-patient", Limits(seconds=1.0))
            monkeypatch.setattr(time, "time", lambda jump=jump: now() + jump)
            shot = job.wait(20)
            assert shot.state is JobState.FINISHED
            assert shot.solution.status is Status.FEASIBLE
            assert 0.9 < shot.elapsed < 5


def test_two_programs_on_one_folder(tmp_path: Path) -> None:
    """Each sees the other's runs, and neither harms them."""
    with WorkerPool(tmp_path, warm=(), spares=0) as first, WorkerPool(tmp_path, warm=(), spares=0) as second:
        jobs = [pool.submit(easy(), "cart") for pool in (first, second, first, second)]
        assert all(job.wait(60).state is JobState.FINISHED for job in jobs)
        seen = {entry.id: entry for entry in list_runs(tmp_path)}
        assert {job.id for job in jobs} == set(seen)
        assert {entry.cost for entry in seen.values()} == {jobs[0].snapshot().solution.cost}


def test_folder_that_may_not_be_written(tmp_path: Path) -> None:
    """A folder of the runs that is a file, or below one, is refused in words."""
    place = tmp_path / "file"
    place.write_text("not a folder", encoding="utf-8")
    with WorkerPool(place, warm=(), spares=0) as pool, pytest.raises(RunError, match="cannot be written"):
        pool.submit(easy(), "cart")
    assert list_runs(place) == ()
    assert json.dumps(place.read_text("utf-8")) == '"not a folder"'
