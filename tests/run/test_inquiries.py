"""Requests about a run are kept with it: in its folder, after a restart, and until it is deleted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from solvers.constraints import MaxLeaves
from solvers.errors import RunError
from solvers.explain import PriceConstraints, Prices
from solvers.problem import Limits, Problem, Shape
from solvers.run import JobState, WorkerPool
from solvers.run.folder import About, RunFolder
from solvers.run.stored_run import answered
from solvers.solution import Answered, Cancelled
from tests.explain.random_constraints import plain
from tests.run.fakes import runs_in
from tests.run.problems import mixed

LIMITS = Limits(seconds=20)


@pytest.fixture
def pool(tmp_path: Path) -> WorkerPool:
    """A pool whose workers know the fake methods; nothing needs to be warmed up."""
    with WorkerPool(tmp_path / "runs", warm=(), imports=("tests.run.plugin",), spares=0) as pool:
        yield pool


def small() -> Problem:
    """A problem that is solved at once."""
    return Problem(plain().problem.dataset, Shape(max_depth=1), constraints=(MaxLeaves(1),))


def test_a_result_is_stored_with_its_run(pool: WorkerPool) -> None:
    """A result is in the folder of its run, is not listed as a run, and shares the rows of the run when read."""
    problem = small()
    run = pool.submit(problem, "contree", LIMITS)
    run.wait(30)
    inquiry = pool.submit(problem, "contree", LIMITS, PriceConstraints(), about=About(run.folder, "prices"))
    known = inquiry.wait(30).answer
    assert isinstance(known, Prices)
    assert inquiry.folder.parent.parent == run.folder
    assert [one.id for one in runs_in(pool.runs)] == [run.id]
    found = answered(run.folder, run.problem)
    assert list(found) == ["prices"]
    assert found["prices"].snapshot().answer == known
    assert found["prices"].problem is run.problem


def test_a_repeated_request_returns_the_latest_result(pool: WorkerPool) -> None:
    """A repeated request has its newest result; another name has its own result."""
    problem = small()
    run = pool.submit(problem, "contree", LIMITS)
    names = ("prices", "prices", "others")
    jobs = [
        pool.submit(problem, "contree", LIMITS, PriceConstraints(), about=About(run.folder, name)) for name in names
    ]
    for job in jobs:
        job.wait(30)
    for number, job in enumerate(jobs):
        # within one second, their names differ at random
        job.folder.rename(job.folder.with_name(f"{number} {job.folder.name}"))
    found = answered(run.folder, run.problem)
    assert {name: job.id for name, job in found.items()} == {"prices": jobs[1].id, "others": jobs[2].id}


def test_a_stopped_request_keeps_its_partial_result(tmp_path: Path) -> None:
    """The result so far is kept and can be read."""
    problem = small()
    run = RunFolder.create(tmp_path, problem, "contree", LIMITS)
    inquiry = RunFolder.create(run.path / "inquiries", problem, "contree", LIMITS, PriceConstraints(), inquiry="prices")
    until_then = Prices((), 3, 3, finished=False, seconds=0.1)
    inquiry.append_event(Answered(0.1, until_then))
    inquiry.write_outcome(Cancelled(0.2))
    assert answered(run.path, problem)["prices"].snapshot().answer == until_then


def test_an_interrupted_request_can_be_repeated(pool: WorkerPool) -> None:
    """A request that was stopped early, interrupted or damaged hides no complete one."""
    run = pool.submit(mixed(), "fake-fake", LIMITS)
    run.wait(30)
    stopped = RunFolder.create(
        run.folder / "inquiries", mixed(), "contree", LIMITS, PriceConstraints(), inquiry="stopped"
    )
    stopped.write_outcome(Cancelled(0.2))
    whole = pool.submit(small(), "contree", LIMITS, PriceConstraints(), about=About(run.folder, "whole"))
    torn = pool.submit(small(), "contree", LIMITS, PriceConstraints(), about=About(run.folder, "torn"))
    assert {whole.wait(30).state, torn.wait(30).state} == {JobState.FINISHED}
    (torn.folder / "run.json").write_text("{")
    RunFolder.create(run.folder / "inquiries", small(), "contree", LIMITS, PriceConstraints(), inquiry="interrupted")
    assert list(answered(run.folder, run.problem)) == ["whole"]


def test_nothing_is_stored_for_a_deleted_run(pool: WorkerPool) -> None:
    """No folder is created for a run that was deleted permanently."""
    run = pool.submit(small(), "contree", LIMITS)
    run.wait(30)
    shutil.rmtree(run.folder)
    with pytest.raises(RunError, match="deleted"):
        pool.submit(small(), "contree", LIMITS, PriceConstraints(), about=About(run.folder, "prices"))
    assert not run.folder.exists()
