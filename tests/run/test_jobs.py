"""Runs in real worker processes: the normal course and all failures."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from solvers.errors import RunError
from solvers.problem import Limits, Problem
from solvers.run import JobState, WorkerPool, load_run
from solvers.run.folder import RunFolder
from solvers.run.fork_server import FORK_SERVER
from solvers.run.job import PROCESS_ENDED
from solvers.run.process import Warmth, WorkerProcess
from solvers.run.record import COMPILING
from solvers.solution import EndReason, Status
from tests.faults.running import IMPORTS, looking, until
from tests.run.fakes import majority, runs_in
from tests.run.problems import mixed, plain


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkerPool]:
    """A pool whose workers know the fake methods; nothing needs to be warmed up."""
    with WorkerPool(tmp_path_factory.mktemp("runs"), warm=(), imports=IMPORTS) as pool:
        yield pool


def best_cost(problem: Problem) -> int:
    """The cost of the majority class, computed by hand."""
    dataset = problem.dataset
    return sum(int(w) for w, y in zip(problem.weights, dataset.y, strict=True) if y != majority(problem))


def test_a_run_ends_with_a_verified_solution(pool: WorkerPool) -> None:
    """Incumbents, bound and result arrive, and the folder contains the same afterwards; only the user can read it."""
    problem = mixed()
    job = pool.submit(problem, "fake-fake", Limits(seconds=20))
    shot = job.wait(20)
    assert (shot.state, shot.error) == (JobState.FINISHED, None)
    assert shot.solution.status is Status.FEASIBLE
    assert shot.solution.verified is True
    assert (shot.cost, shot.bound) == (best_cost(problem), 1)
    assert shot.stats["nodes"] == 2
    assert shot.solution.trace[-1].cost == shot.cost
    stored = load_run(job.folder)
    assert stored.problem.id == problem.id
    assert (stored.method, stored.limits, stored.created) == (job.method, job.limits, job.created)
    assert stored.snapshot().state is JobState.FINISHED
    assert stored.solution == shot.solution
    assert job.folder.stat().st_mode & 0o777 == 0o700
    assert len(job.id) >= 24 and job.id in job.folder.name


def test_chosen_options_reach_the_worker(pool: WorkerPool) -> None:
    """The method in the other process gets them, and the folder records them."""
    job = pool.submit(mixed(), "fake-choosy", options={"colour": "green"})
    assert job.wait(20).stats["chosen"] == "green and 3"
    assert (job.options, load_run(job.folder).options) == ({"colour": "green"}, {"colour": "green"})


def test_a_cancelled_run_keeps_its_best_tree(pool: WorkerPool) -> None:
    """Stop is shown at once, and the result is 'cancelled', not 'failed'."""
    problem = mixed()
    job = pool.submit(problem, "fake-patient")
    looking(job)
    job.cancel()
    assert job.snapshot().text == "Stopping."
    shot = job.wait(5)
    assert (shot.state, shot.error) == (JobState.CANCELLED, None)
    assert shot.solution.status is Status.CANCELLED
    assert (shot.cost, shot.solution.verified) == (best_cost(problem), True)
    assert load_run(job.folder).solution == shot.solution


def test_a_run_that_ignores_a_stop_is_killed(pool: WorkerPool) -> None:
    """If a soft stop fails, the process is killed, and the best tree is verified and kept."""
    problem = mixed()
    job = pool.submit(problem, "fake-deaf")
    looking(job)
    pid = job.pid
    job.cancel()
    shot = job.wait(5)
    assert shot.state is JobState.CANCELLED
    assert shot.solution.verified is True
    assert shot.solution.cost == best_cost(problem)
    assert "had to be ended" in shot.solution.message
    until(lambda: not psutil.pid_exists(pid))
    assert load_run(job.folder).solution == shot.solution


def test_a_worker_killed_before_its_first_tree_has_no_result(tmp_path: Path) -> None:
    """Having no tree to keep is not an additional error."""
    with WorkerPool(tmp_path, spares=0, imports=IMPORTS) as pool:
        job = pool.submit(plain(), "fake-patient")
        os.kill(job.pid, signal.SIGKILL)
        shot = job.wait(5)
    assert (shot.state, shot.solution) == (JobState.FAILED, None)
    assert shot.error == "The solver's process was killed (signal 9)."


def test_an_exception_becomes_one_sentence(pool: WorkerPool) -> None:
    """The user reads the error, the log has the traceback, the best tree stays."""
    job = pool.submit(mixed(), "fake-broken")
    shot = job.wait(20)
    assert shot.state is JobState.FAILED
    assert "'fake-broken' failed with an unexpected ZeroDivisionError" in shot.error
    assert "secret" not in shot.error
    assert shot.solution.verified is True
    assert "misbehave" in (job.folder / "worker.log").read_text()


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("fake-picky", "Choose another method."),
        ("no-such-method", "There is no method 'no-such-method'."),
        ("fake-outofmemory", "The solver ran out of memory. The best tree so far is kept."),
    ],
)
def test_a_run_that_cannot_finish_fails_with_its_reason(pool: WorkerPool, method: str, words: str) -> None:
    """Unsupported problems, unknown methods and `MemoryError` are failures with a sentence."""
    shot = pool.submit(mixed(), method).wait(20)
    assert (shot.state, shot.solution is None) == (JobState.FAILED, method != "fake-outofmemory")
    assert words in shot.error


def test_native_output_does_not_disturb_the_events(pool: WorkerPool) -> None:
    """Output of libraries on descriptor 1 goes to the log, even if it looks like an event."""
    job = pool.submit(plain(), "fake-noisy")
    shot = job.wait(20)
    assert (shot.state, shot.solution.verified) == (JobState.FINISHED, True)
    log = (job.folder / "worker.log").read_text()
    assert log.count("native noise") == 2000
    assert "noise of Python" in log


def test_compilation_does_not_count_toward_the_time_limit(pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that compiles a kernel is not killed for it, and reports the compilation."""
    monkeypatch.setattr("solvers.run.job.OVERTIME", 0.0)
    job = pool.submit(plain(), "fake-unprepared", Limits(seconds=0.8))
    until(lambda: job.snapshot().text == COMPILING)
    shot = job.wait(10)
    assert (shot.state, shot.solution.status, shot.solution.message) == (JobState.FINISHED, Status.FEASIBLE, "")


@pytest.mark.parametrize(
    ("method", "limits", "reason", "message"),
    [
        ("fake-patient", Limits(seconds=0.3), EndReason.TIME_LIMIT, ""),
        ("fake-deaf", Limits(seconds=0.2), EndReason.TIME_LIMIT, PROCESS_ENDED),
        ("fake-greedy", Limits(seconds=None, memory_mb=400), EndReason.MEMORY_LIMIT, ""),
        ("fake-gluttonous", Limits(seconds=None, memory_mb=400), EndReason.MEMORY_LIMIT, PROCESS_ENDED),
    ],
)
def test_a_limit_ends_a_search_with_its_best_tree(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch, method: str, limits: Limits, reason: EndReason, message: str
) -> None:
    """Softly if the method responds; else the process is killed some time after the limit."""
    monkeypatch.setattr("solvers.run.job.OVERTIME", 0.2)
    shot = pool.submit(plain(), method, limits).wait(30)
    assert (shot.state, shot.solution.status) == (JobState.FINISHED, Status.FEASIBLE)
    assert (shot.solution.ended, shot.solution.message, shot.solution.verified) == (reason, message, True)


def test_many_events_leave_a_short_file(pool: WorkerPool) -> None:
    """40,000 heartbeats do not reach the disk."""
    job = pool.submit(plain(), "fake-chatty")
    assert job.wait(30).state is JobState.FINISHED
    assert (job.folder / "events.jsonl").stat().st_size < 200_000


def test_two_runs_are_active_and_the_third_waits(pool: WorkerPool) -> None:
    """The queue shows its positions; a waiting run can be cancelled; the next starts when a slot is free."""
    first, second = (pool.submit(plain(), "fake-patient") for _ in range(2))
    third, fourth = (pool.submit(plain(), name) for name in ("fake-fake", "fake-fake"))
    looking(first)
    looking(second)
    assert first.pid != second.pid
    assert (third.snapshot().state, third.snapshot().text) == (JobState.QUEUED, "Next in the queue.")
    assert fourth.snapshot().text == "Waiting, number 2 in the queue."
    third.cancel()
    assert (third.wait(1).state, third.snapshot().solution) == (JobState.CANCELLED, None)
    assert load_run(third.folder).snapshot().state is JobState.CANCELLED
    assert fourth.snapshot().text == "Next in the queue."
    first.cancel()
    assert fourth.wait(20).state is JobState.FINISHED
    second.cancel()
    assert second.wait(5).state is JobState.CANCELLED
    assert {first, second, third, fourth} <= set(pool.jobs())


def test_the_pool_releases_finished_runs(tmp_path: Path) -> None:
    """The pool holds runs only while they wait or work; every solved table would stay in memory if it kept them."""
    with WorkerPool(tmp_path, warm=(), imports=IMPORTS, max_running=1, spares=0) as pool:
        kept, gone = pool.submit(plain(), "fake-fake"), pool.submit(plain(), "fake-fake")
        waiting = pool.submit(plain(), "fake-fake").id
        assert [job.id for job in pool.jobs()] == [kept.id, gone.id, waiting]
        trace = weakref.ref(gone)
        for job in pool.jobs():
            job.wait(20)
        del gone, job
        # the threads that follow the run end shortly after it
        until(lambda: gc.collect() is not None and trace() is None)
        assert kept in pool.jobs() and {job.id for job in pool.jobs()} <= {kept.id, waiting}


def test_owners_take_turns(tmp_path: Path) -> None:
    """A later user's single run does not wait for all runs of another user."""
    with WorkerPool(tmp_path, warm=(), imports=IMPORTS, max_running=1, spares=0) as pool:
        first = pool.submit(plain(), "fake-patient", owner="ada")
        looking(first)
        second, third = (pool.submit(plain(), "fake-fake", owner="ada") for _ in range(2))
        late = pool.submit(plain(), "fake-fake", owner="grace")
        places = {job: job.snapshot().text for job in (second, third, late)}
        assert places == {
            late: "Next in the queue.",
            second: "Waiting, number 2 in the queue.",
            third: "Waiting, number 3 in the queue.",
        }
        first.cancel()
        for job in (late, second, third):
            assert job.wait(60).state is JobState.FINISHED
        assert load_run(late.folder).owner == "grace"


def test_no_run_waits_for_a_compiling_spare(tmp_path: Path) -> None:
    """The run gets a separate worker, so that it can show progress; the compiling spare remains one."""
    with WorkerPool(tmp_path, warm=(), imports=IMPORTS) as pool:
        until(lambda: pool.readiness.state == "ready")
        (spare,) = pool._spares
        spare.warmth = Warmth.COMPILING
        job = pool.submit(plain(), "fake-fake")
        assert job.pid != spare.pid
        assert job.wait(20).state is JobState.FINISHED
        assert pool._spares == [spare]


def test_a_warm_spare_takes_the_run_and_is_replaced(tmp_path: Path) -> None:
    """The waiting process is the one that works, and the pool is soon ready again."""
    with WorkerPool(tmp_path, warm=(), imports=IMPORTS) as pool:
        until(lambda: pool.readiness.state == "ready")
        (spare,) = pool._spares
        job = pool.submit(plain(), "fake-patient")
        assert job.pid == spare.pid
        looking(job)
        (other,) = pool._spares
        assert other.pid != spare.pid
    assert other.wait(5)
    assert spare.wait(5)
    assert job.snapshot().state is JobState.CANCELLED


def test_a_spare_that_cannot_start_is_reported(tmp_path: Path) -> None:
    """The reason is shown, the pool stops starting workers, and a run fails with the same reason."""
    with WorkerPool(tmp_path, imports=("no_such_module_here",)) as pool:
        until(lambda: "could not be started" in pool.readiness.text)
        assert "no_such_module_here" in pool.readiness.text
        shot = pool.submit(plain(), "cart").wait(20)
    assert shot.state is JobState.FAILED
    assert "no_such_module_here" in shot.error


def test_a_closed_pool_refuses_runs(tmp_path: Path) -> None:
    """The error has a remedy."""
    pool = WorkerPool(tmp_path, spares=0)
    pool.close()
    with pytest.raises(RunError, match="closing"):
        pool.submit(plain(), "fake-fake")


def test_a_worker_ends_when_its_parent_closes_stdin(tmp_path: Path) -> None:
    """A closed stdin ends an idle worker and an active one, which still writes its best tree."""
    folder = RunFolder.create(tmp_path, mixed(), "fake-patient", Limits())
    idle, busy = (WorkerProcess(IMPORTS, lambda worker: None) for _ in range(2))
    busy.send({"do": "run", "folder": str(folder.path)})
    until(lambda: folder.events.exists() and b"Looking" in folder.events.read_bytes())
    assert load_run(folder.path).snapshot().state is JobState.RUNNING
    idle.close_commands()
    busy.close_commands()
    assert idle.wait(10)
    assert busy.wait(10)
    assert load_run(folder.path).snapshot().state is JobState.CANCELLED


def test_workers_do_not_outlive_a_killed_dashboard(tmp_path: Path) -> None:
    """After kill -9 of the parent its workers end, and the folder has an interrupted run with its best tree."""
    script = (
        "from pathlib import Path; import time\n"
        "from solvers.run import WorkerPool\n"
        "from tests.run.problems import plain\n"
        f"pool = WorkerPool(Path({str(tmp_path)!r}), imports=('tests.run.plugin',), warm=())\n"
        "job = pool.submit(plain(), 'fake-deaf')\n"
        "while job.snapshot().text != 'Looking.': time.sleep(0.01)\n"
        "print(job.pid, *[spare.pid for spare in pool._spares], flush=True); time.sleep(600)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    pids = [int(word) for word in parent.stdout.readline().split()]
    parent.kill()
    parent.wait()
    parent.stdout.close()
    _, alive = psutil.wait_procs([psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)], timeout=10)
    assert not alive
    (stored,) = runs_in(tmp_path)
    assert stored.snapshot().state is JobState.FAILED
    assert "interrupted" in stored.snapshot().error
    assert stored.solution.verified is True


def test_a_run_can_be_repeated_without_the_dashboard(pool: WorkerPool) -> None:
    """The worker alone, given a folder, reports the same events again and writes the same result."""
    job = pool.submit(mixed(), "fake-fake")
    first = job.wait(20).solution
    command = [sys.executable, "-m", "solvers.run.worker", "--import", *IMPORTS, str(job.folder)]
    completed = subprocess.run(command, capture_output=True, text=True, check=True)
    events = [json.loads(line)["event"] for line in completed.stdout.splitlines()]
    assert (events[0], events[-1]) == ("started", "finished")
    again = load_run(job.folder).solution
    assert (again.diagram, again.cost, again.bound, again.verified) == (first.diagram, first.cost, first.bound, True)


def test_a_worker_refuses_a_folder_that_is_not_a_run(tmp_path: Path) -> None:
    """One sentence on stderr and the exit code of invalid input."""
    command = [sys.executable, "-m", "solvers.run.worker", str(tmp_path)]
    completed = subprocess.run(command, capture_output=True, text=True)
    assert completed.returncode == 2
    assert "is not a complete run" in completed.stderr and "Traceback" not in completed.stderr


def test_the_first_compilation_is_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that must compile a kernel reports this before it is ready; one with compiled kernels does not."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    # a forked worker has the cache of its parent process
    monkeypatch.setattr(FORK_SERVER, "fork", lambda arguments, files: None)
    warmths: list[Warmth] = []
    for _ in range(2):
        seen: list[Warmth] = []
        worker = WorkerProcess(("tests.run.compiling_plugin",), lambda worker, seen=seen: seen.append(worker.warmth))
        worker.send({"do": "warm", "methods": ["fake-compiled"]})
        until(lambda seen=seen: bool({Warmth.READY, Warmth.GONE} & set(seen)))
        worker.close_commands()
        assert worker.wait(10)
        warmths.append(seen[0])
    assert warmths == [Warmth.COMPILING, Warmth.READY]
