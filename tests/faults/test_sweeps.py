"""Real faults during sweeps: killed and frozen workers and schedulers, a killed program, a truncated file.

Whatever happens, the final table is that of an undisturbed sweep, line for line.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import psutil
import pytest
from distributed import Client
from msgspec import structs

from solvers.constraints import MinSpecificity
from solvers.errors import RunError
from solvers.problem import Limits, Problem, Shape
from solvers.run.process import WorkerProcess
from solvers.study import Cluster, InProcess, Processes, SweepJob, processes
from solvers.study.confirmation import ConfirmationStudy
from solvers.study.executors import executor_of
from solvers.study.folder import MemoryTable, StudyFolder
from solvers.study.processes import JobCall
from solvers.study.recommendation import RecommendSize, SizeStudy
from solvers.study.resamples import divide
from solvers.study.study import Plan, StudyProgress, run_study
from tests.faults.hanging import compare_but_stuck, faked, stuck_plan
from tests.faults.running import PATIENCE, ROOT, judge, until
from tests.study.dask_cluster import DaskCluster
from tests.study.in_process import run_jobs
from tests.study.test_folder import lasting, plan
from tests.study.test_resamples import REFITS, small, timeless
from tests.study.test_tasks import hard

TIMEOUT = 2.0
"""Seconds within which the scheduler of these tests must respond during a sweep."""


@pytest.fixture(scope="module")
def everywhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A cluster for all tests of this file."""
    made = DaskCluster(tmp_path_factory.mktemp("dask"))
    yield made
    made.end()


@pytest.fixture
def dask(everywhere: DaskCluster) -> DaskCluster:
    """The cluster with all its processes running."""
    everywhere.restore()
    return everywhere


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """The table of the undisturbed sweep."""
    return run_study(plan(), tmp_path_factory.mktemp("whole"))


Once = Callable[..., Callable[[StudyProgress], None]]


@pytest.fixture
def once() -> Iterator[Once]:
    """Injects a fault when the given number of jobs is done; the test fails if there was no such time."""
    ready: list[Callable[[], object]] = []

    def inject(fault: Callable[[], object], at: int = 10) -> Callable[[StudyProgress], None]:
        ready.append(fault)

        def tell(progress: StudyProgress) -> None:
            if progress.done == at and fault in ready:
                ready.remove(fault)
                fault()

        return tell

    yield inject
    assert not ready


def compare(table: pd.DataFrame, whole: pd.DataFrame) -> None:
    """Count missing jobs, and lines that differ."""
    assert set(whole["key"]) <= set(table["key"])
    assert lasting(table).equals(lasting(whole))


def on(dask: DaskCluster) -> Cluster:
    """The cluster as an executor."""
    return Cluster(dask.address, timeout=60)


def test_a_killed_worker_loses_nothing(dask: DaskCluster, whole: pd.DataFrame, tmp_path: Path, once: Once) -> None:
    """Killing one of two workers during the sweep changes no line of the table."""
    table = run_study(plan(), tmp_path, on(dask), tell=once(dask.workers[0].kill))
    assert dask.workers[0].wait() == -signal.SIGKILL
    compare(table, whole)


def test_results_lost_with_their_workers_are_computed_again(
    dask: DaskCluster, whole: pd.DataFrame, tmp_path: Path, once: Once
) -> None:
    """Nothing is lost if workers are killed whose results have not been fetched yet."""
    until(lambda: on(dask).at_once() == 2)

    def fault() -> None:
        time.sleep(1)  # the jobs of the workers end during this time
        for worker in dask.workers:
            worker.kill()
            worker.wait()
        with Client(dask.address, set_as_default=False) as client:
            until(lambda: not client.sync(client.scheduler.ncores))
        dask.restore()

    table = run_study(plan(), tmp_path, on(dask), tell=once(fault))
    compare(table, whole)


def test_a_frozen_worker_loses_nothing(dask: DaskCluster, whole: pd.DataFrame, tmp_path: Path, once: Once) -> None:
    """The scheduler drops a worker that hangs, and its jobs go to the other one."""
    frozen = dask.workers[0]
    try:
        table = run_study(plan(), tmp_path, on(dask), tell=once(lambda: frozen.send_signal(signal.SIGSTOP)))
    finally:
        frozen.kill()
        frozen.wait()
    compare(table, whole)


def test_a_hanging_job_on_a_cluster_is_killed(dask: DaskCluster, whole: pd.DataFrame, tmp_path: Path) -> None:
    """Its process is killed after its grace period, its worker continues, and no other line of the table changes."""
    until(lambda: on(dask).at_once() == 2)
    table = run_study(stuck_plan(), tmp_path, on(dask))
    assert on(dask).at_once() == 2
    compare_but_stuck(table, whole)


@pytest.mark.parametrize("fault", [signal.SIGSTOP, signal.SIGKILL], ids=["frozen", "killed"])
def test_a_sweep_resumes_after_its_scheduler_fails(
    dask: DaskCluster, whole: pd.DataFrame, tmp_path: Path, fault: signal.Signals, once: Once
) -> None:
    """The sweep ends within seconds with a remedy; it resumes on the cluster or here."""
    assert on(dask).at_once() >= 1
    hasty = Cluster(dask.address, timeout=TIMEOUT)
    with pytest.raises(RunError, match=r"does not respond .*All models solved so far are kept"):
        run_study(plan(), tmp_path, hasty, tell=once(lambda: dask.scheduler.send_signal(fault)))
    dask.scheduler.send_signal(signal.SIGCONT)
    seen: list[int] = []
    place = on(dask) if fault is signal.SIGSTOP else InProcess()
    table = run_study(plan(), tmp_path, place, tell=lambda progress: seen.append(progress.done))
    assert seen[0] >= 10
    compare(table, whole)


def test_a_sweep_without_workers_ends(dask: DaskCluster, whole: pd.DataFrame, tmp_path: Path, once: Once) -> None:
    """It does not wait forever, and resumes in processes here."""

    def kill() -> None:
        for worker in dask.workers:
            worker.kill()

    lonely = Cluster(dask.address, timeout=60, workers_timeout=1)
    with pytest.raises(RunError, match=r"has no workers\. Start one .*All models solved so far are kept"):
        run_study(plan(), tmp_path, lonely, tell=once(kill, at=40))
    compare(run_study(plan(), tmp_path), whole)


def test_an_unreachable_scheduler_is_reported(tmp_path: Path) -> None:
    """The message has a remedy; jobs solved before are kept."""
    with pytest.raises(RunError, match=r"scheduler at tcp://127.0.0.1:1 does not respond .* local processes"):
        run_study(plan(), tmp_path, Cluster("tcp://127.0.0.1:1", timeout=0.5))


STAGES = {
    "requested": ("write_manifest", 1),
    "before the first line": ("write", 2),
    "between two models": ("add", 2),
    "after a model, before its line": ("write", 4),
    "after the last line": ("csv", 1),
    "between the tables": ("write", -1),
}
"""The function of the folder after which the program is killed, and at which of its calls."""

KILLED = """
import os, signal, sys
from pathlib import Path
from solvers.study import folder
from solvers.study.study import run_study
from tests.faults.test_sweeps import STAGES, plans
for number, plan in enumerate(plans()):
    for stage, (name, at) in STAGES.items():
        if (child := os.fork()) == 0:
            owner = folder if name == "csv" else folder.StudyFolder
            name = "csv_of" if name == "csv" else name
            real, calls = getattr(owner, name), []
            def dying(*args):
                found = real(*args)
                calls.append(args)
                if len(calls) == at or (at < 0 and args[1] == "table.csv"):
                    os.kill(os.getpid(), signal.SIGKILL)
                return found
            setattr(owner, name, dying)
            run_study(plan, Path(sys.argv[1]) / f"{number} {stage}")
            os._exit(0)
        assert os.waitpid(child, 0)[1] == signal.SIGKILL, stage
"""


def plans() -> list[Plan]:
    """Studies of parts of the rows and of sizes, and those whose jobs depend on the outcomes of earlier ones."""
    data, asked = small().dataset, MinSpecificity("0.5", confidence="0.6")
    confirmed = Problem(data, Shape(max_depth=1), constraints=(asked,))
    return [
        *(study.plan(small()) for study in REFITS),
        SizeStudy(Problem(data), Limits(seconds=None), RecommendSize("cart", n_folds=2, repeats=1, n_outer=0)),
        ConfirmationStudy(*divide(confirmed, 0.4, 0)),
    ]


def test_a_study_that_is_killed_at_any_stage_is_resumed(tmp_path: Path) -> None:
    """Whenever kill -9 ends the program, the same study has the same table afterwards, and solves no model again.

    A line that a power failure has cut off is solved again.
    """
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], cwd=ROOT, check=True)
    for number, undisturbed in enumerate(plans()):
        table = MemoryTable()
        run_study(undisturbed, table)
        whole = table.results()
        for stage in STAGES:
            place = StudyFolder(tmp_path / f"{number} {stage}")
            with (place.path / "results.jsonl").open("ab") as file:
                file.write(b'{"key": "half')
            ended = place.rows()
            told: list[int] = []
            resumed = plans()[number]
            run_study(resumed, place, tell=lambda progress, told=told: told.append(progress.done))
            assert told == list(range(len(ended), whole.done + 1)), stage
            if isinstance(undisturbed, SizeStudy):
                assert structs.replace(resumed.known, seconds=0.0) == structs.replace(undisturbed.known, seconds=0.0)
            found = timeless(place.results())
            assert len(found) == whole.done
            assert found == timeless(whole)


class Bomb:
    """Kills the process that reads it."""

    def __reduce__(self) -> tuple:
        return os._exit, (3,)


def test_a_job_that_kills_its_process_affects_only_itself() -> None:
    """The others are solved; the job is reported as lost."""
    jobs = [cell.job for cell in plan(folds=0).cells]
    bad = SweepJob("bad", jobs[0].problem, options={"x": Bomb()})
    outcomes = {outcome.key: outcome for outcome in run_jobs([*jobs[:3], bad, *jobs[3:]], Processes(2))}
    assert set(outcomes) == {"bad", *(job.key for job in jobs)}
    assert outcomes["bad"].solution is None and "process was lost" in outcomes["bad"].error
    for job in jobs:
        judge(outcomes[job.key].solution, job.problem)


@pytest.fixture
def at_work(monkeypatch: pytest.MonkeyPatch) -> list[JobCall]:
    """The jobs that were given to processes."""
    found: list[JobCall] = []
    plain = JobCall.start

    def start(call: JobCall, worker: WorkerProcess) -> bool:
        found.append(call)
        return plain(call, worker)

    monkeypatch.setattr(JobCall, "start", start)
    return found


def freeze(at_work: list[JobCall], key: str) -> list[psutil.Process]:
    """Freeze all processes of the sweep once one of them searches for this job."""
    until(lambda: any(call.job.key == key and call._timer.searching for call in list(at_work)))
    frozen = [psutil.Process(pid) for pid in {call.pid for call in list(at_work)} - {None} if psutil.pid_exists(pid)]
    for one in frozen:
        one.send_signal(signal.SIGSTOP)
    return frozen


@pytest.mark.parametrize("workers", [1, 2])
def test_a_frozen_process_affects_only_its_job(
    at_work: list[JobCall], monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    """Frozen processes of this machine are killed; the active job is reported as failed, and the others are solved.

    Regression: the sweep waited for them forever; with one worker the sweep itself hung.
    """
    monkeypatch.setattr(processes, "GRACE", 1.0)
    jobs = [cell.job for cell in plan(folds=0).cells]
    slow = faked(SweepJob("slow", jobs[0].problem), "patient", 3.0)
    with ThreadPoolExecutor(1) as meanwhile:
        frozen = meanwhile.submit(freeze, at_work, "slow")
        outcomes = {outcome.key: outcome for outcome in run_jobs([slow, *jobs], executor_of(None, workers))}
    assert set(outcomes) == {"slow", *(job.key for job in jobs)}
    assert outcomes["slow"].solution is None and "did not respond" in outcomes["slow"].error
    for job in jobs:
        judge(outcomes[job.key].solution, job.problem)
    assert len(frozen.result()) == workers
    until(lambda: not any(one.is_running() for one in frozen.result()))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_hanging_job_affects_only_itself(
    whole: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    """A method that ignores its limit and a stop is killed after its grace period; no other line changes."""
    monkeypatch.setattr(processes, "GRACE", 1.0)
    table = run_study(stuck_plan(), tmp_path, executor_of(None, workers))
    compare_but_stuck(table, whole)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_stop_ends_frozen_processes(at_work: list[JobCall], monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    """A sweep with frozen processes can be stopped, long before the limit of its jobs; no process is left."""
    jobs = [faked(SweepJob(f"slow {number}", plan().problem), "patient", PATIENCE) for number in range(3)]
    stop = threading.Event()

    def freeze_and_stop() -> list[psutil.Process]:
        try:
            return freeze(at_work, "slow 0")
        finally:
            stop.set()

    with ThreadPoolExecutor(1) as meanwhile:
        frozen = meanwhile.submit(freeze_and_stop)
        outcomes = list(run_jobs(jobs, executor_of(None, workers), stop))
    # the limit of a job would end it with a model
    assert all(outcome.solution is None for outcome in outcomes)
    assert len(frozen.result()) == workers
    until(lambda: not any(one.is_running() for one in frozen.result()))


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_from_the_keyboard_is_a_stop(tmp_path: Path, workers: int) -> None:
    """It reaches all processes of a terminal; those that solve ignore it, and the sweep keeps its results."""
    noise, out = hard().dataset, tmp_path / "out"
    pd.DataFrame(noise.X).assign(y=noise.y).to_csv(tmp_path / "noise.csv", index=False)
    words = ["--target", "y", "--methods", "contree", "--depths", "1,5", "--max-depth", "5", "--time-limit", "600"]
    place = ["--workers", str(workers), "--out", str(out), "--json"]
    sweep = subprocess.Popen(
        [sys.executable, "-m", "solvers", "sweep", str(tmp_path / "noise.csv"), *words, *place],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until(lambda: (out / "results.jsonl").exists() and (out / "results.jsonl").read_text("utf-8"))
    os.killpg(sweep.pid, signal.SIGINT)
    output, noted = sweep.communicate(timeout=PATIENCE)
    assert json.loads(output) == {"jobs": 2, "done": 1}
    assert "Traceback" not in noted


ENDING = """
import os, psutil, signal, time
from solvers.study import Processes
from tests.study.in_process import run_jobs
from tests.study.test_folder import plan
jobs = [cell.job for cell in plan(folds=0).cells]
def freeze():
    for process in psutil.Process().children():
        process.suspend()
    time.sleep(0.3)
for number, outcome in enumerate(run_jobs(jobs, Processes(2)), start=1):
    if number == len(jobs):
        freeze()
print(sum(outcome.solution is not None for outcome in run_jobs(jobs, Processes(2))))
freeze()
"""


def test_a_program_ends_although_idle_processes_are_frozen() -> None:
    """After a sweep nothing waits for them forever: neither the next sweep nor the end of the program."""
    completed = subprocess.run(
        [sys.executable, "-c", ENDING], cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=PATIENCE
    )
    assert completed.stdout == "10\n" and completed.returncode == 0
