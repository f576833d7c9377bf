"""Explanations in real worker processes, and their JSON form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from solvers.constraints import MaxLeaves, MinSamplesLeaf
from solvers.explain import (
    Conflict,
    ExplainConflict,
    KnownResult,
    PriceConstraints,
    Prices,
    Task,
    TradeConstraint,
    TradeOff,
)
from solvers.methods import get
from solvers.metrics.verify import verified
from solvers.problem import Limits, Problem, Shape
from solvers.run import Job, JobState, WorkerPool, load_run, wire
from solvers.run.records import from_plain, to_plain
from solvers.solution import Answered, Status
from tests.case_count import case_count
from tests.explain.random_constraints import plain, random_problem, world
from tests.explain.worlds import World, never
from tests.faults.running import IMPORTS, until
from tests.run.fakes import runs_in
from tests.run.problems import mixed


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkerPool]:
    """A pool whose workers know the fake methods; nothing needs to be warmed up."""
    with WorkerPool(tmp_path_factory.mktemp("runs"), warm=(), imports=IMPORTS) as pool:
        yield pool


def small(*constraints: object) -> Problem:
    """A problem that is solved at once."""
    return Problem(plain().problem.dataset, Shape(max_depth=1), constraints=constraints)


def ended(job: Job) -> object:
    """The result of a job that ends by itself; its folder has the same."""
    shot = job.wait(30)
    assert (shot.state, shot.error, shot.solution) == (JobState.FINISHED, None, None)
    stored = load_run(job.folder)
    assert (stored.snapshot().answer, stored.snapshot().state, stored.task) == (shot.answer, shot.state, job.task)
    return shot.answer


def test_a_worker_explains_a_conflict(pool: WorkerPool) -> None:
    """The conflicting constraints are returned with repairs that can be applied here."""
    problem = small(MinSamplesLeaf(11), MaxLeaves(2))
    answer = ended(pool.submit(problem, "contree", Limits(seconds=20), ExplainConflict()))
    assert isinstance(answer, Conflict)
    assert (answer.status, [part.relaxable.key for part in answer.parts]) == (Status.INFEASIBLE, [0])
    assert answer.parts[0].nearest.constraint == MinSamplesLeaf(10)
    assert {repair.apply(problem).constraints for repair in answer.repairs} == {
        (MinSamplesLeaf(10), MaxLeaves(2)),
        (MaxLeaves(2),),
    }


def test_a_worker_computes_prices_and_a_trade_off(pool: WorkerPool) -> None:
    """Prices start from the existing solution; a curve has a point for each limit."""
    problem = small(MaxLeaves(1))
    solution = verified(problem, get("contree").run(problem, Limits(), lambda event: None, never))
    prices = ended(pool.submit(problem, "contree", Limits(seconds=20), PriceConstraints(solution)))
    assert isinstance(prices, Prices)
    assert (prices.cost, prices.prices[0].proved, prices.prices[0].binds) == (solution.cost, True, True)
    curve = ended(pool.submit(problem, "contree", Limits(seconds=20), TradeConstraint(0)))
    assert isinstance(curve, TradeOff)
    assert curve.points[-1].limit == 1
    assert all(run.task is not None for run in runs_in(pool.runs)[:2])


def test_an_unsupported_task_fails_with_a_sentence(pool: WorkerPool) -> None:
    """The constraint does not exist, or the method refuses the problem."""
    shot = pool.submit(small(MaxLeaves(1)), "contree", Limits(seconds=20), TradeConstraint(5)).wait(30)
    assert shot.state is JobState.FAILED
    assert "no constraint 6" in shot.error
    shot = pool.submit(mixed(), "fake-picky", Limits(seconds=20), PriceConstraints()).wait(30)
    assert (shot.state, shot.error) == (JobState.FAILED, "Tables: This method takes none. Choose another method.")


def test_a_stopped_explanation_keeps_its_partial_result(pool: WorkerPool) -> None:
    """A stop ends the search within the explanation, and the result so far is kept."""
    job = pool.submit(mixed(), "fake-patient", Limits(seconds=60), PriceConstraints(step=50))
    until(lambda: "without each" in job.snapshot().text)
    job.cancel()
    shot = job.wait(10)
    assert shot.state is JobState.CANCELLED
    # the stop may come before the first bound
    answer = structs.replace(shot.answer, evidence=(), wrong=None)
    assert answer == Prices((), answer.cost, answer.bound, True, answer.seconds)
    assert (answer.bound, *(one.bound for one in shot.answer.evidence)) in ((None,), (1, 1))


def answers_of(here: World, problem: Problem, tasks: list[Task]) -> list[object]:
    """Partial and final results."""
    answers: list[object] = []
    for task in tasks:
        answers.append(task.answer(problem, here.solve, Limits(), never, answers.append))
    return answers


@pytest.mark.parametrize("seed", range(case_count(12)))
def test_results_survive_a_round_trip(seed: int) -> None:
    """Results for random constraints are written as JSON and read."""
    here = world(seed % 6)
    problem = random_problem(here, seed, 4)
    limited = [i for i, constraint in enumerate(problem.constraints) if constraint.limit is not None]
    for answer in answers_of(here, problem, [ExplainConflict(), PriceConstraints(), *map(TradeConstraint, limited)]):
        event = Answered(1.5, answer)
        assert wire.event_from_json(json.loads(wire.dumps(wire.event_to_json(event)))) == event


def test_tasks_survive_a_round_trip(tmp_path: Path) -> None:
    """This includes the solution in the task."""
    problem = small(MaxLeaves(1))
    solution = verified(problem, get("contree").run(problem, Limits(), lambda event: None, never))
    for task in (
        None,
        ExplainConflict(0.5),
        PriceConstraints(),
        PriceConstraints(solution, 3.0),
        TradeConstraint("depth"),
        TradeConstraint(0),
        TradeConstraint(0, known=(KnownResult.of(problem, solution), KnownResult(Shape(max_depth=1), impossible=True))),
    ):
        assert from_plain(Task | None, json.loads(wire.dumps(to_plain(task)))) == task
