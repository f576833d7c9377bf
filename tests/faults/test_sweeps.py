"""Faults in the middle of sweeps, for real: killed and frozen workers and schedulers, a killed program, a cut file.

Whatever happens, the table in the end is that of a sweep that nothing befell, line for line.
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

from solvers.errors import RunError
from solvers.sweeps import Cluster, InProcess, Processes, SweepJob, processes, run_jobs
from solvers.sweeps.executors import executor_of
from solvers.sweeps.folder import SweepProgress, run_sweep
from solvers.sweeps.processes import _ALL, JobProcess
from tests.faults.counting import Toll
from tests.faults.hanging import compare_but_stuck, faked, stuck_plan
from tests.faults.running import PATIENCE, ROOT, until
from tests.sweeps.dask_cluster import DaskCluster
from tests.sweeps.test_folder import lasting, plan
from tests.sweeps.test_tasks import hard

TIMEOUT = 2.0
"""Seconds in which the scheduler of these tests must answer in the middle of a sweep."""


@pytest.fixture(scope="module")
def everywhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A cluster for all tests of this file."""
    made = DaskCluster(tmp_path_factory.mktemp("dask"))
    yield made
    made.end()


@pytest.fixture
def dask(everywhere: DaskCluster) -> DaskCluster:
    """The cluster with all that belongs to it."""
    everywhere.restore()
    return everywhere


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """The table of the sweep that nothing befell."""
    return run_sweep(plan(), tmp_path_factory.mktemp("whole"))


def once(toll: Toll, fault: Callable[[], object], at: int = 10) -> Callable[[SweepProgress], None]:
    """Inject a fault when so many jobs are done."""
    injected: list[int] = []

    def tell(progress: SweepProgress) -> None:
        if progress.done == at and not injected:
            injected.append(progress.done)
            toll.fault()
            fault()

    return tell


def compare(toll: Toll, table: pd.DataFrame, whole: pd.DataFrame) -> None:
    """Count the jobs that are missing, and the lines that differ."""
    toll.lose(len(set(whole["key"]) - set(table["key"])))
    toll.err(not lasting(table).equals(lasting(whole)))


def on(dask: DaskCluster) -> Cluster:
    """The cluster as a place for jobs."""
    return Cluster(dask.address, timeout=60)


def test_killed_worker_costs_nothing(dask: DaskCluster, whole: pd.DataFrame, tmp_path: Path, toll: Toll) -> None:
    """Killing one of two workers in the middle of the sweep changes no line of the table."""
    table = run_sweep(plan(), tmp_path, on(dask), tell=once(toll, dask.workers[0].kill))
    assert dask.workers[0].wait() == -signal.SIGKILL
    compare(toll, table, whole)


def test_results_that_die_with_their_workers_are_made_again(
    dask: DaskCluster, whole: pd.DataFrame, tmp_path: Path, toll: Toll
) -> None:
    """Workers that are killed with results that nobody has fetched yet cost nothing."""
    until(lambda: on(dask).at_once() == 2)

    def fault() -> None:
        time.sleep(1)  # what the workers were given ends meanwhile
        for worker in dask.workers:
            worker.kill()
            worker.wait()
        with Client(dask.address, set_as_default=False) as client:
            until(lambda: not client.sync(client.scheduler.ncores))
        dask.restore()

    table = run_sweep(plan(), tmp_path, on(dask), tell=once(toll, fault))
    compare(toll, table, whole)


def test_frozen_worker_costs_nothing(dask: DaskCluster, whole: pd.DataFrame, tmp_path: Path, toll: Toll) -> None:
    """A worker that hangs is given up by the scheduler, and its jobs go to the other one."""
    frozen = dask.workers[0]
    try:
        table = run_sweep(plan(), tmp_path, on(dask), tell=once(toll, lambda: frozen.send_signal(signal.SIGSTOP)))
    finally:
        frozen.kill()
        frozen.wait()
    compare(toll, table, whole)


def test_job_that_hangs_on_a_cluster(dask: DaskCluster, whole: pd.DataFrame, tmp_path: Path, toll: Toll) -> None:
    """Its process is ended when its grace is over, its worker goes on, and no other line of the table changes."""
    until(lambda: on(dask).at_once() == 2)
    toll.fault()
    table = run_sweep(stuck_plan(), tmp_path, on(dask))
    assert on(dask).at_once() == 2
    compare_but_stuck(toll, table, whole)


@pytest.mark.parametrize("fault", [signal.SIGSTOP, signal.SIGKILL], ids=["frozen", "killed"])
def test_scheduler_that_goes_away(
    dask: DaskCluster, whole: pd.DataFrame, tmp_path: Path, toll: Toll, fault: signal.Signals
) -> None:
    """The sweep ends within seconds and says what to do; it goes on where it was, there or here."""
    assert on(dask).at_once() >= 1
    hasty = Cluster(dask.address, timeout=TIMEOUT)
    with pytest.raises(RunError, match=r"does not answer .*What was solved until now is kept"):
        run_sweep(plan(), tmp_path, hasty, tell=once(toll, lambda: dask.scheduler.send_signal(fault)))
    dask.scheduler.send_signal(signal.SIGCONT)
    seen: list[int] = []
    place = on(dask) if fault is signal.SIGSTOP else InProcess()
    table = run_sweep(plan(), tmp_path, place, tell=lambda progress: seen.append(progress.done))
    assert seen[0] >= 10
    compare(toll, table, whole)


def test_all_workers_gone(dask: DaskCluster, whole: pd.DataFrame, tmp_path: Path, toll: Toll) -> None:
    """Without any worker the sweep does not wait forever; it goes on in processes here."""

    def kill() -> None:
        for worker in dask.workers:
            worker.kill()

    lonely = Cluster(dask.address, timeout=60, workers_timeout=1)
    with pytest.raises(RunError, match=r"has no workers\. Start one .*What was solved until now is kept"):
        run_sweep(plan(), tmp_path, lonely, tell=once(toll, kill, at=40))
    compare(toll, run_sweep(plan(), tmp_path), whole)


def test_scheduler_out_of_reach_is_told_in_words(tmp_path: Path, toll: Toll) -> None:
    """Without a scheduler the message says what to do; what was solved before is kept."""
    toll.fault()
    with pytest.raises(RunError, match=r"scheduler at tcp://127.0.0.1:1 does not answer .* processes here"):
        run_sweep(plan(), tmp_path, Cluster("tcp://127.0.0.1:1", timeout=0.5))


def test_power_cut_costs_at_most_the_last_line(whole: pd.DataFrame, tmp_path: Path, toll: Toll) -> None:
    """Half a line at the end of the results is solved again; the rest is kept."""
    run_sweep(plan(), tmp_path)
    results = tmp_path / "results.jsonl"
    content = results.read_bytes()
    results.write_bytes(content[: -len(content.splitlines()[-1]) // 2])
    toll.fault()
    seen: list[SweepProgress] = []
    table = run_sweep(plan(), tmp_path, tell=seen.append)
    assert seen[0].done == 49
    compare(toll, table, whole)


PROGRAM = """
import sys
from pathlib import Path
from solvers.sweeps.folder import run_sweep
from tests.sweeps.test_folder import plan
run_sweep(plan(), Path(sys.argv[1]), tell=lambda progress: print(progress.done, flush=True))
"""


def test_killed_program_goes_on_where_it_was(whole: pd.DataFrame, tmp_path: Path, toll: Toll) -> None:
    """After kill -9 of the program that sweeps, no job that it has told is solved again."""
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    while program.stdout.readline() != "20\n":
        assert program.poll() is None
    program.kill()
    toll.fault()
    program.communicate()
    seen: list[SweepProgress] = []
    table = run_sweep(plan(), tmp_path, tell=seen.append)
    toll.lose(max(0, 20 - seen[0].done))
    compare(toll, table, whole)


class Bomb:
    """Ends the process that reads it."""

    def __reduce__(self) -> tuple:
        return os._exit, (3,)


def test_job_that_kills_its_process_costs_only_itself(toll: Toll) -> None:
    """The others are solved; the bad one is told as lost."""
    jobs = [cell.job for cell in plan(folds=0).cells]
    bad = SweepJob("bad", jobs[0].problem, options={"x": Bomb()})
    toll.fault()
    outcomes = {outcome.key: outcome for outcome in run_jobs([*jobs[:3], bad, *jobs[3:]], Processes(2))}
    assert set(outcomes) == {"bad", *(job.key for job in jobs)}
    assert outcomes["bad"].solution is None and "process was lost" in outcomes["bad"].error
    for job in jobs:
        toll.judge(outcomes[job.key].solution, job.problem)


@pytest.fixture
def at_work(monkeypatch: pytest.MonkeyPatch) -> list[JobProcess]:
    """The processes that got a job, one entry a job."""
    found: list[JobProcess] = []
    plain = JobProcess.begin

    def begin(process: JobProcess, job: SweepJob, now: float) -> None:
        plain(process, job, now)
        found.append(process)

    monkeypatch.setattr(JobProcess, "begin", begin)
    return found


def freeze(toll: Toll, at_work: list[JobProcess], key: str) -> list[psutil.Process]:
    """Freeze all processes of the sweep, once one of them searches for this job."""
    until(lambda: any(one.job is not None and one.job.key == key and one._began for one in list(at_work)))
    return freeze_all(toll)


def freeze_all(toll: Toll) -> list[psutil.Process]:
    """Freeze all processes of sweeps."""
    frozen = [process for one in list(_ALL) if (process := one.process) is not None]
    for one in frozen:
        one.send_signal(signal.SIGSTOP)
        toll.fault()
    return frozen


@pytest.mark.parametrize("workers", [1, 2])
def test_frozen_process_costs_only_its_job(
    at_work: list[JobProcess], toll: Toll, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    """Processes of this machine that hang are ended; the job that was at work is told as failed, the rest is solved.

    The sweep used to wait for them for ever; with one worker it was itself what hung.
    """
    monkeypatch.setattr(processes, "GRACE", 1.0)
    jobs = [cell.job for cell in plan(folds=0).cells]
    slow = faked(SweepJob("slow", jobs[0].problem), "patient", 3.0)
    with ThreadPoolExecutor(1) as meanwhile:
        frozen = meanwhile.submit(freeze, toll, at_work, "slow")
        outcomes = {outcome.key: outcome for outcome in run_jobs([slow, *jobs], executor_of(None, workers))}
    assert set(outcomes) == {"slow", *(job.key for job in jobs)}
    assert outcomes["slow"].solution is None and "did not answer" in outcomes["slow"].error
    for job in jobs:
        toll.judge(outcomes[job.key].solution, job.problem)
    assert len(frozen.result()) == workers and not any(one.is_running() for one in frozen.result())


@pytest.mark.parametrize("workers", [1, 2])
def test_job_that_hangs_costs_only_itself(
    whole: pd.DataFrame, tmp_path: Path, toll: Toll, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    """A method that heeds neither its limit nor a stop is ended after its grace; no other line of the table changes."""
    monkeypatch.setattr(processes, "GRACE", 1.0)
    toll.fault()
    table = run_sweep(stuck_plan(), tmp_path, executor_of(None, workers))
    compare_but_stuck(toll, table, whole)


@pytest.mark.parametrize("workers", [1, 2])
def test_stop_ends_frozen_processes(
    at_work: list[JobProcess], toll: Toll, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    """A sweep whose processes hang can be stopped, long before the limit of its jobs; nothing of it is left."""
    jobs = [faked(SweepJob(f"slow {number}", plan().problem), "patient", PATIENCE) for number in range(3)]
    stop = threading.Event()

    def freeze_and_stop() -> list[psutil.Process]:
        try:
            return freeze(toll, at_work, "slow 0")
        finally:
            stop.set()

    with ThreadPoolExecutor(1) as meanwhile:
        frozen = meanwhile.submit(freeze_and_stop)
        outcomes = list(run_jobs(jobs, executor_of(None, workers), stop))
    # the limit of a job would have ended it with a model
    assert all(outcome.solution is None for outcome in outcomes)
    assert len(frozen.result()) == workers and not any(one.is_running() for one in frozen.result())


@pytest.mark.parametrize("workers", [1, 2])
def test_interrupt_from_the_keyboard_is_a_stop(tmp_path: Path, toll: Toll, workers: int) -> None:
    """It reaches all processes of a terminal; those that solve leave it to the sweep, which keeps what it has."""
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
    toll.fault()
    output, noted = sweep.communicate(timeout=PATIENCE)
    assert json.loads(output) == {"jobs": 2, "done": 1}
    assert "Traceback" not in noted


ENDING = """
import os, psutil, signal, time
from solvers.sweeps import Processes, run_jobs
from tests.sweeps.test_folder import plan
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


def test_program_ends_where_its_idle_processes_are_frozen(toll: Toll) -> None:
    """After a sweep nothing waits for them for ever: neither the next sweep nor the end of the program."""
    toll.fault(4)
    completed = subprocess.run(
        [sys.executable, "-c", ENDING], cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=PATIENCE
    )
    assert completed.stdout == "10\n" and completed.returncode == 0
