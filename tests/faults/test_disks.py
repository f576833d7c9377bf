"""Full or read-only disks: what is reported, what is kept, and that work continues once they can be written again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from solvers.errors import RunError
from solvers.run import JobState, WorkerPool
from solvers.store import Query, RunIndex
from solvers.study.study import TIMES, Study, StudyPlan, run_study
from tests.faults import disks
from tests.faults.running import IMPORTS, easy, finished, judge, judge_folder, looking
from tests.run.fakes import runs_in
from tests.run.problems import plain


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A separate disk of 400 kB."""
    with disks.small_disk(tmp_path / "disk") as place:
        yield place


def test_a_full_disk_is_reported_before_a_run(small_disk: Path) -> None:
    """A run that cannot be stored is refused with a remedy, and the program continues once there is space."""
    rest = disks.fill(small_disk)
    with WorkerPool(small_disk / "runs", warm=(), spares=0) as pool:
        with pytest.raises(RunError, match="Free some space"):
            pool.submit(easy(), "c45")
        rest.unlink()
        job = pool.submit(easy(), "c45")
        judge(job.wait(60).solution, job.problem)


def test_a_disk_that_fills_during_a_run_loses_no_result(small_disk: Path) -> None:
    """Results that cannot be written are still shown, for an active and a queued run; with space all is as before."""
    with WorkerPool(small_disk / "runs", warm=(), imports=IMPORTS, max_running=1, spares=0) as pool:
        job = looking(pool.submit(plain(), "fake-patient"))
        waits = pool.submit(plain(), "fake-fake")
        rest = disks.fill(small_disk)
        job.cancel()
        for late, state in ((job, JobState.CANCELLED), (waits, JobState.FINISHED)):
            shot = late.wait(20)
            assert shot.state is state
            assert shot.solution.message.count("could not be written") == 1
            judge(shot.solution, late.problem)
        rest.unlink()
        again = pool.submit(easy(), "c45")
        judge(again.wait(60).solution, again.problem)


def test_a_read_only_folder_is_reported_before_a_run(tmp_path: Path) -> None:
    """A run is refused with a remedy; existing runs can be read and are listed."""
    runs = tmp_path / "runs"
    done, known = finished(runs)
    with WorkerPool(runs, warm=(), spares=0) as pool:
        with disks.read_only(runs):
            with pytest.raises(RunError, match=r"Read-only file system.*set ESPALIER_RUNS to a writable folder"):
                pool.submit(easy(), "c45")
            judge_folder(done, known)
            assert [run.snapshot().cost for run in runs_in(runs)] == [known.cost]
            index = RunIndex(runs)
            index.synchronize()
            assert index.count(Query()) == 1
        again = pool.submit(easy(), "c45")
        judge(again.wait(60).solution, again.problem)


def test_a_folder_that_becomes_read_only_during_a_run_is_reported(tmp_path: Path) -> None:
    """The result is shown with a note that it is not written; the folder has the incumbent, and the index works."""
    runs = tmp_path / "runs"
    index = RunIndex(runs)
    with WorkerPool(runs, warm=(), imports=IMPORTS, spares=0) as pool:
        job = looking(pool.submit(plain(), "fake-patient"))
        with disks.read_only(runs):
            job.cancel()
            shot = job.wait(20)
            assert shot.state is JobState.CANCELLED
            assert shot.solution.message.count("could not be written") == 1
            assert "make the folder writable" in shot.solution.message
            judge(shot.solution, job.problem)
            judge_folder(job.folder, shot.solution)
            index.synchronize()
        judge_folder(job.folder, shot.solution)
        assert index.count(Query()) == 1


def test_a_sweep_on_a_full_disk_resumes_with_space(small_disk: Path, tmp_path: Path) -> None:
    """It ends with a remedy; the same command resumes it, and the table is that of an undisturbed sweep."""
    plan = StudyPlan(easy(), Study(("c45",), depths=(1, 2), folds=5, step=60.0))
    whole = run_study(plan, tmp_path / "whole")
    left: list[Path] = []

    def tell(progress) -> None:
        if progress.done == 4 and not left:
            left.append(disks.fill(small_disk))

    with pytest.raises(RunError, match="Free some space, and start the same sweep again"):
        run_study(plan, small_disk / "sweep", tell=tell)
    left[0].unlink()
    done: list[int] = []
    table = run_study(plan, small_disk / "sweep", tell=lambda progress: done.append(progress.done))
    assert done[0] == 4
    assert len(table) == len(whole)
    assert table.drop(columns=list(TIMES)).equals(whole.drop(columns=list(TIMES)))
