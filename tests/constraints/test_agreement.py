"""Exact methods agree with the oracle under constraints."""

from __future__ import annotations

from functools import cache

import pytest

from solvers.methods import Method, get, names
from solvers.metrics import verify
from solvers.problem import Problem
from solvers.problem.groups import CROSS
from solvers.solution import Solution, Status
from tests.case_count import case_count
from tests.constraints.problems import RULED, random_problem
from tests.methods.running import solve
from tests.oracle.trees import optimum

CASES = case_count(2) * len(RULED)
"""The number of random problems; `ESPALIER_CASES=60` tries each kind sixty times."""

OTHERS = [name for name in names() if get(name).exact]


@cache
def exact(seed: int) -> tuple[int, int] | None:
    """Least cost and fewest splits of a tree of a random problem, by exhaustive search."""
    return optimum(random_problem(seed))


def test_random_problems_cover_every_kind_of_constraint() -> None:
    """The random problems include every kind, crossed groups, and problems with and without a tree."""
    cases = [random_problem(seed) for seed in range(CASES)]
    constraints = [constraint for problem in cases for constraint in problem.constraints]
    crossed = {constraint.kind for constraint in constraints if CROSS in getattr(constraint, "column", "")}
    assert {constraint.kind for constraint in constraints} >= set(RULED)
    assert len(crossed) >= 4
    assert {exact(seed) is None for seed in range(CASES)} == {False, True}


@pytest.mark.parametrize("name", OTHERS)
def test_exact_methods_agree_with_the_oracle(name: str) -> None:
    """If a method supports the constraints, its proofs agree with the oracle, and it proves at least 90% of the
    problems.
    """
    method: Method = get(name)
    taken, proved = 0, 0
    for seed in range(CASES):
        problem = random_problem(seed)
        if method.check(problem):
            continue
        run, best = solve(method, problem), exact(seed)
        solution, about = run.solution, description(seed, problem, run.solution)
        assert verify(problem, solution).ok, about
        if solution.status in (Status.OPTIMAL, Status.INFEASIBLE):
            assert solution.status is (Status.INFEASIBLE if best is None else Status.OPTIMAL), about
            assert solution.cost == (None if best is None else best[0]), f"{about} {best}"
        else:
            assert solution.cost is None or (best is not None and best[0] <= solution.cost), about
        assert best is None or all(bound <= best[0] for bound in run.bounds), about
        taken += 1
        proved += solution.status in (Status.OPTIMAL, Status.INFEASIBLE)
    assert proved >= 0.9 * taken


def description(seed: int, problem: Problem, solution: Solution) -> str:
    """The facts needed to reproduce a failure."""
    constraints = "; ".join(map(str, problem.constraints))
    checks = "; ".join(check.detail for check in verify(problem, solution).failures)
    return f"random_problem({seed}): {constraints} | {problem.shape} | {solution.status} {solution.cost} | {checks}"
