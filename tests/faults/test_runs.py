"""Real faults during runs: killed workers and dashboards, memory limits, jumping clocks.

After each fault no finished run is lost, nothing wrong is shown, and each message is a sentence.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from solvers.problem import Limits, Problem, Shape
from solvers.run import JobState, WorkerPool, load_run
from solvers.solution import EndReason, Status
from solvers.store import Query, RunIndex
from tests.faults.running import IMPORTS, PATIENCE, ROOT, judge, judge_folder, looking
from tests.run.fakes import runs_in
from tests.run.problems import noise, plain


def test_killed_workers_lose_no_incumbent(tmp_path: Path) -> None:
    """A worker that is killed at any moment leaves its last incumbent, verified, and a reason."""
    with WorkerPool(tmp_path, warm=(), imports=IMPORTS, max_running=3) as pool:
        jobs = [pool.submit(plain(seed=number), "fake-patient") for number in range(3)]
        for job in jobs:
            looking(job)
            known = job.snapshot().cost
            os.kill(job.pid, signal.SIGKILL)
            shot = job.wait(20)
            assert shot.state is JobState.FAILED and "was killed (signal 9)" in shot.error
            assert shot.solution.cost == known
            judge(shot.solution, job.problem)
            judge_folder(job.folder, shot.solution)
            assert load_run(job.folder).solution == shot.solution


@pytest.mark.parametrize("frozen", [signal.SIGSTOP, signal.SIGTERM], ids=["frozen", "asked-to-end"])
def test_an_unresponsive_worker_can_be_stopped(tmp_path: Path, frozen: signal.Signals) -> None:
    """A worker that was frozen, or asked to terminate, by the system ends within seconds after a stop by the user."""
    with WorkerPool(tmp_path, warm=(), imports=IMPORTS, spares=0) as pool:
        job = looking(pool.submit(plain(), "fake-patient"))
        os.kill(job.pid, frozen)
        job.cancel()
        shot = job.wait(20)
        assert shot.state.terminal
        judge(shot.solution, job.problem)
        judge_folder(job.folder, shot.solution)


def test_memory_limit_ends_a_search_that_needs_more(tmp_path: Path) -> None:
    """A real search that needs more memory than allowed ends at the limit, with its incumbent and the reason."""
    # a linear program on noise grows to 800 MiB and proves nothing for a long time
    problem = Problem(noise(500, 100), Shape(max_depth=4))
    with WorkerPool(tmp_path, warm=(), spares=0) as pool:
        job = pool.submit(problem, "cptree-mip", Limits(seconds=PATIENCE, memory_mb=600))
        shot = job.wait(2 * PATIENCE)
    assert (shot.state, shot.solution.status) == (JobState.FINISHED, Status.FEASIBLE)
    assert shot.solution.ended is EndReason.MEMORY_LIMIT and shot.solution.diagram is not None
    judge(shot.solution, problem)
    judge_folder(job.folder, shot.solution)


DASHBOARD = """
import sys, time
from pathlib import Path
from components.session.run_store import store
from solvers.run import WorkerPool
from solvers.store import Query
from tests.faults.running import IMPORTS, easy, looking
from tests.run.problems import noise, plain
runs, owner = Path(sys.argv[1]), sys.argv[2]
pool = WorkerPool(runs, warm=(), imports=IMPORTS, max_running=1, spares=0)
done = pool.submit(easy(), "c45", owner=owner)
done.wait(60)
slow = looking(pool.submit(plain(), "fake-patient", owner=owner))
waits = pool.submit(easy(), "c45", owner=owner)
print(done.id, slow.id, waits.id, flush=True)
command = ""
while not command:
    found = store(fresh=True)
    mine = {run.id: run.state for run in found.find(Query(owner=owner))}
    assert mine == {done.id: "finished", slow.id: "running", waits.id: "starting"}, mine
    print("listed", flush=True)
    command = sys.stdin.readline().strip()
slow.cancel()
waits.wait(60)
found = store(fresh=True)
print(sorted(run.state.value for run in found.find(Query(owner=owner))), flush=True)
"""
"""A dashboard without screens: a finished, an active and a waiting run, and the list of all runs."""


class Dashboard:
    """A program that solves runs and lists them, as a dashboard does."""

    def __init__(self, runs: Path, owner: str) -> None:
        environment = {**os.environ, "ESPALIER_RUNS": str(runs)}
        self._program = subprocess.Popen([sys.executable, "-c", DASHBOARD, str(runs), owner], cwd=ROOT, text=True,
                                         env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip

    def hear(self) -> str:
        """The next line of its output."""
        return self._program.stdout.readline().strip()

    def tell(self, line: str) -> None:
        """Send it a command."""
        self._program.stdin.write(f"{line}\n")
        self._program.stdin.flush()

    def kill(self) -> None:
        """Kill it with kill -9, and wait until its workers have noticed."""
        workers = psutil.Process(self._program.pid).children()
        self.end()
        _, alive = psutil.wait_procs(workers, timeout=20)
        assert alive == []

    def end(self) -> None:
        """Leave no process behind."""
        self._program.kill()
        self._program.communicate()


def test_two_dashboards_share_a_store_and_one_is_killed(tmp_path: Path) -> None:
    """Two programs start at once on one folder; after kill -9 of one, the other lists all runs.

    Finished runs are unchanged, active ones keep their incumbent, waiting ones count as interrupted, and the runs of
    the other program finish.
    """
    runs = tmp_path / "runs"
    both = [Dashboard(runs, owner) for owner in ("ada", "grace")]
    try:
        ids = [dashboard.hear().split() for dashboard in both]
        assert [dashboard.hear() for dashboard in both] == ["listed", "listed"]
        both[0].kill()
        both[1].tell("go on")
        assert both[1].hear() == "['cancelled', 'finished', 'finished']"
    finally:
        for dashboard in both:
            dashboard.end()
    index = RunIndex(runs)
    index.synchronize()
    states = {run.id: run.state for run in index.find(Query())}
    assert {run_id for mine in ids for run_id in mine} <= set(states)
    done, slow, waited = ids[0]
    assert (states[done], states[waited]) == ("finished", "failed")
    assert states[slow] in ("cancelled", "failed")
    for entry in runs_in(runs):
        if entry.id != waited:
            judge_folder(entry.folder)
        else:
            assert "interrupted" in entry.snapshot().error


def test_a_jumping_clock_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A day forward or back, here and in the worker, ends no search, and no search runs forever."""
    now = time.time
    imports = (*IMPORTS, "tests.faults.jumping")
    with WorkerPool(tmp_path, warm=(), imports=imports, max_running=2, spares=0) as pool:
        jobs = [pool.submit(plain(), "fake-patient", Limits(seconds=1.0)) for _ in range(2)]
        for jump in (86_400.0, -86_400.0):
            monkeypatch.setattr(time, "time", lambda jump=jump: now() + jump)
            shot = jobs.pop().wait(20)
            assert (shot.state, shot.solution.status) == (JobState.FINISHED, Status.FEASIBLE)
            assert 0.9 < shot.elapsed < 10
            judge(shot.solution, plain())
