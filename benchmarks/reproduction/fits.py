"""A method run on a problem, and what is told of it in values of JSON."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import Any

from solvers.methods import get
from solvers.metrics import verify
from solvers.problem import Dataset, Limits, Problem
from solvers.solution import EndReason, Solution, Status

PATIENCE = 10
"""How many seconds by the clock a case may take for each processor second, on a machine that is busy."""


def solved(problem: Problem, method: str, seconds: float, *, gap: float = 0.0, **options: str) -> Solution:
    """A run of a method on one core, its kernels compiled before; `gap` below 1 is a share of all rows.

    The limit is processor seconds, and `PATIENCE` times as many by the clock, on which methods rely where they divide
    their time.
    """
    maker = get(method, **options)
    maker.warm()
    limits = Limits(seconds=PATIENCE * seconds, gap=gap)
    solution = maker.run(problem, limits, lambda event: None, Spent(time.process_time() + seconds))
    if solution.status is not Status.CANCELLED:
        return solution
    status = Status.NO_SOLUTION if solution.diagram is None else Status.FEASIBLE
    return replace(solution, status=status, ended=EndReason.TIME_LIMIT)


class Spent(threading.Event):
    """A stop signal that is given once this process has used so many processor seconds."""

    def __init__(self, until: float) -> None:
        super().__init__()
        self._until = until

    def is_set(self) -> bool:
        """Whether they are used."""
        return time.process_time() >= self._until


def told(problem: Problem, solution: Solution, test: Dataset | None = None) -> dict[str, Any]:
    """Status, cost and bound, processor seconds, sizes, and the shares of right answers.

    A model that the independent check does not confirm is a failure.
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
    """What a method finds, as `told` tells it; why it refuses the problem, where it does."""
    reasons = get(method, **options).check(problem)
    if reasons:
        return {"failure": str(reasons[0])}
    return told(problem, solved(problem, method, seconds, gap=gap, **options), test)
