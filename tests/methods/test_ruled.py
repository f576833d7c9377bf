"""BDDs and diagrams under constraints: each method against all models, by kind and in pairs.

2,000 random problems of all kinds: `ESPALIER_CASES=25 python -m pytest tests/methods/test_ruled.py`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from solvers.constraints import KINDS
from solvers.methods import Method, get
from solvers.metrics import verify
from solvers.problem import Problem
from solvers.solution import EndReason, Status
from tests.case_count import case_count
from tests.methods.bdds import ruled_problems as bdds
from tests.methods.diagrams import ruled_problems as diagrams
from tests.methods.diagrams.small_diagrams import least
from tests.methods.running import solve

NAMES = tuple(KINDS)
SEARCH, PROGRAM = get("odd-search"), get("odd", backend="highs")

Family = tuple[Callable[[int, tuple[str, ...]], Problem], Callable[[Problem], int | None], tuple[Method, ...]]

FAMILIES: dict[str, Family] = {
    "bdd": (bdds.random_ruled, bdds.least, (get("bdd-search"),)),
    "diagram": (diagrams.random_ruled, least, (SEARCH, PROGRAM)),
}
"""How to draw a problem from a seed and kinds of constraints, exhaustive search, and the methods."""


def compare_with_all_models(family: str, seed: int, kinds: tuple[str, ...]) -> None:
    """Solve a random problem, and compare cost, bounds and constraints with exhaustive search."""
    drawn, tried, methods = FAMILIES[family]
    problem = drawn(seed, kinds)
    best = tried(problem)
    for method in (method for method in methods if not method.check(problem)):
        run = solve(method, problem)
        solution = run.solution
        checks = verify(problem, solution)
        found = f"{solution.method}: {solution.status} {solution.cost}, not {best}; {checks.failures}"
        about = f"{family} random_ruled({seed}, {kinds}): {problem.constraints} | {problem.size} | {found}"
        assert checks.ok, about
        assert best is None or all(bound <= best for bound in run.bounds), about
        if solution.ended is EndReason.IMPRECISE:
            # for large costs a linear program in floating point proves less than it found, and says so
            assert method is PROGRAM, about
            assert solution.cost is None or (best is not None and solution.cost >= best), about
            continue
        assert solution.status is (Status.INFEASIBLE if best is None else Status.OPTIMAL), about
        assert solution.cost == best, about


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("family", FAMILIES)
def test_each_kind_alone(family: str, kind: str) -> None:
    """The least cost of all models that satisfy a constraint is found and proved, or that there is none."""
    for seed in range(case_count(1)):
        compare_with_all_models(family, seed, (kind,))


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("family", FAMILIES)
def test_kinds_in_pairs(family: str, kind: str) -> None:
    """With two constraints of any kinds the least cost is found and proved, or that there is no model."""
    for seed in range(case_count(1)):
        other = NAMES[(NAMES.index(kind) + 7 * seed + 11) % len(NAMES)]
        compare_with_all_models(family, seed + 1000, (kind, other))
