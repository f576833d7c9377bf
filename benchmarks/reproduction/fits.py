"""A method run on a problem, and what is told of it in values of JSON."""

from __future__ import annotations

import threading
from typing import Any

from solvers.methods import get
from solvers.metrics import verify
from solvers.problem import Dataset, Limits, Problem
from solvers.solution import Solution, Status


def solved(problem: Problem, method: str, seconds: float, *, gap: float = 0.0, **options: str) -> Solution:
    """A run of a method on one core, its kernels compiled before; `gap` below 1 is a share of all rows."""
    maker = get(method, **options)
    maker.warm()
    return maker.run(problem, Limits(seconds=seconds, gap=gap), lambda event: None, threading.Event())


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
