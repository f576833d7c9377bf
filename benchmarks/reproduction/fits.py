"""Run a method on a problem, and report the result as JSON values."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from solvers.methods import get
from solvers.metrics import verify
from solvers.problem import Dataset, Limits, Problem
from solvers.solution import EndReason, Event, Solution, Status

PATIENCE = 10
"""Limit of wall seconds per processor second of a case, on a busy machine."""


def solved(
    problem: Problem,
    method: str,
    seconds: float,
    *,
    gap: float = 0.0,
    note: Callable[[Event], None] = lambda event: None,
    **options: str,
) -> Solution:
    """Run a method on one core, with its kernels compiled before.

    `gap` below 1 is a share of all rows, and `note` takes the events of the run. The limit is in processor seconds, and
    `PATIENCE` times as many wall seconds, by which methods divide their time.
    """
    maker = get(method, **options)
    maker.precompile()
    limits = Limits(seconds=PATIENCE * seconds, gap=gap)
    solution = maker.run(problem, limits, note, Spent(time.process_time() + seconds))
    if solution.status is not Status.CANCELLED:
        return solution
    status = Status.NO_SOLUTION if solution.diagram is None else Status.FEASIBLE
    return replace(solution, status=status, ended=EndReason.TIME_LIMIT)


class Spent(threading.Event):
    """A stop signal that is set once this process has used a number of processor seconds."""

    def __init__(self, until: float) -> None:
        super().__init__()
        self._until = until

    def is_set(self) -> bool:
        """Whether they are used up."""
        return time.process_time() >= self._until


def told(problem: Problem, solution: Solution, test: Dataset | None = None) -> dict[str, Any]:
    """Status, cost and bound, processor seconds, sizes, and accuracies.

    A model that verification by recomputation does not confirm is a failure.
    """
    found: dict[str, Any] = {
        "status": str(solution.status),
        "proved": solution.status in (Status.OPTIMAL, Status.INFEASIBLE),
        "cost": None if solution.cost is None else solution.cost / problem.scale,
        "bound": None if solution.bound is None else solution.bound / problem.scale,
        "cpu": solution.cpu_seconds,
    }
    diagram = solution.diagram
    if diagram is None:
        return found
    checks = verify(problem, solution)
    if not checks.ok:
        return {"failure": f"does not pass the verifier: {checks.failures[0].detail}"}
    train = problem.dataset
    found |= {"depth": diagram.depth, "nodes": diagram.n_nodes, "questions": diagram.n_splits}
    found["train"] = float((diagram.predict(train) == train.y).mean())
    if test is not None:
        found["test"] = float((diagram.predict(test) == test.y).mean())
    return found


def fitted(
    problem: Problem, method: str, seconds: float, test: Dataset | None = None, *, gap: float = 0.0, **options: str
) -> dict[str, Any]:
    """The result of a method in the format of `told`, or why it refuses the problem."""
    reasons = get(method, **options).check(problem)
    if reasons:
        return {"failure": str(reasons[0])}
    return told(problem, solved(problem, method, seconds, gap=gap, **options), test)
