"""BDDs under constraints: the exact search against all diagrams, by kind and in pairs.

2,000 random problems of all kinds: `ESPALIER_CASES=25 python -m pytest tests/methods/bdds/test_bdd_ruled.py`.
"""

from __future__ import annotations

import pytest

from solvers.methods import get
from solvers.metrics import verify
from solvers.solution import Status
from tests.methods.bdds.ruled_problems import least, random_ruled
from tests.methods.ruled_cases import NAMES, alone, description, in_pairs
from tests.methods.running import solve


def compare_with_all_diagrams(seed: int, kinds: tuple[str, ...]) -> None:
    """Solve a random problem, and compare cost, bounds and constraints with exhaustive search."""
    problem = random_ruled(seed, kinds)
    best = least(problem)
    method = get("bdd-search")
    if method.check(problem):
        return
    run = solve(method, problem)
    solution = run.solution
    about = description((seed, kinds), problem, solution, best)
    assert verify(problem, solution).ok, about
    assert solution.status is (Status.INFEASIBLE if best is None else Status.OPTIMAL), about
    assert solution.cost == best, about
    assert best is None or all(bound <= best for bound in run.bounds), about


@pytest.mark.parametrize("kind", NAMES)
def test_each_kind_alone(kind: str) -> None:
    """The least cost of all diagrams that satisfy a constraint is found and proved, or that there is none."""
    for case in alone(kind):
        compare_with_all_diagrams(*case)


@pytest.mark.parametrize("kind", NAMES)
def test_kinds_in_pairs(kind: str) -> None:
    """With two constraints of any kinds the least cost is found and proved, or that there is no diagram."""
    for case in in_pairs(kind):
        compare_with_all_diagrams(*case)
