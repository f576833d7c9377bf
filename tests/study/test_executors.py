"""Jobs of a sweep have the same results in each executor, and a failed job affects only itself."""

from __future__ import annotations

import sys
import threading
from types import SimpleNamespace

import psutil
import pytest

from solvers.errors import MissingPackageError, RunError
from solvers.problem import Problem, Shape, ShapeKind, sample_dataset
from solvers.solution import Status
from solvers.study import Cluster, InProcess, Processes, SweepJob
from tests.study.in_process import run_jobs


def grid() -> list[SweepJob]:
    """Optimal and greedy trees of three depths."""
    dataset = sample_dataset("xor")
    return [
        SweepJob(f"{method} {depth}", Problem(dataset, Shape(max_depth=depth)), method)
        for method in ("contree", "cart")
        for depth in (1, 2, 3)
    ]


def outcomes_of(executor: InProcess | Processes, jobs: list[SweepJob]) -> dict[str, tuple]:
    """The outcomes of the jobs, without values that depend on the clock."""
    return {
        outcome.key: (outcome.solution.status, outcome.solution.cost, outcome.solution.diagram, outcome.error)
        for outcome in run_jobs(jobs, executor)
    }


def test_processes_have_the_same_results() -> None:
    """The same jobs have the same results, each under its key, all of them verified."""
    here = outcomes_of(InProcess(), grid())
    assert list(here) == [job.key for job in grid()]
    assert here == outcomes_of(Processes(2), grid())
    assert here["contree 2"][0] is Status.OPTIMAL


def test_a_refused_job_affects_only_itself() -> None:
    """A method that refuses its problem is reported as an error; the others are solved."""
    jobs = [*grid(), SweepJob("odd", Problem(sample_dataset("xor"), Shape(ShapeKind.BDD, 2)), "cart")]
    outcomes = {outcome.key: outcome for outcome in run_jobs(jobs)}
    assert outcomes["odd"].solution is None and "trees only" in outcomes["odd"].error
    assert all(outcomes[job.key].solution.verified for job in grid())


def test_no_job_begins_after_a_stop() -> None:
    """After the stop no job is solved; reported outcomes remain."""
    stop = threading.Event()
    seen = []
    for outcome in run_jobs(grid(), InProcess(), stop):
        seen.append(outcome.key)
        stop.set()
    assert seen == ["contree 1"]


def test_a_sweep_needs_at_least_one_worker() -> None:
    """A sweep without workers would never finish."""
    with pytest.raises(RunError, match="at least 1 worker"):
        Processes(0)


def test_processes_are_kept_and_end_at_once() -> None:
    """Processes are kept for the next sweep, and end as soon as they are released."""
    place, quick = Processes(1), SweepJob("quick", grid()[0].problem, "contree")
    kept = set()
    for _ in range(2):
        assert [one[0] for one in outcomes_of(place, [quick]).values()] == [Status.OPTIMAL]
        kept |= {psutil.Process(worker.pid) for worker in place.pool._spares}
    (process,) = kept
    del place
    assert process.wait(30) is None


def test_a_missing_dask_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingPackageError, match="espalier-trees\\[cluster\\]"), Cluster("tcp://x:1").client():
        pass


def test_a_busy_scheduler_hides_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: a sweep ended with a connection timeout of Dask instead of the reason for its end."""

    class Busy:
        def __init__(self, *_: object, **__: object) -> None:
            pass

        def wait_for_workers(self, n: int, timeout: float) -> None:
            """Wait until the workers are connected."""

        def close(self, timeout: float) -> None:
            raise TimeoutError

    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(Client=Busy))
    with pytest.raises(RunError, match="all workers are gone"), Cluster("tcp://x:1").client():
        raise RunError("all workers are gone")
