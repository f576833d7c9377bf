"""BDDs under constraints: the exact search against all diagrams, kind by kind and in pairs."""

from __future__ import annotations

import pytest

from solvers.constraints import KINDS
from solvers.methods import get
from solvers.metrics import verify
from solvers.problem import Problem
from solvers.solution import Solution, Status
from tests.case_count import case_count
from tests.methods.bdds.ruled_problems import least, random_ruled
from tests.methods.running import solve

NAMES = tuple(KINDS)


def held_against_all(seed: int, kinds: tuple[str, ...]) -> Status:
    """Solve a random problem, and compare cost, bounds and constraints with what all diagrams say."""
    problem = random_ruled(seed, kinds)
    run = solve(get("bdd-search"), problem)
    solution, best = run.solution, least(problem)
    about = told(seed, kinds, problem, solution, best)
    assert verify(problem, solution).ok, about
    assert solution.status is (Status.INFEASIBLE if best is None else Status.OPTIMAL), about
    assert solution.cost == best, about
    assert best is None or all(bound <= best for bound in run.bounds), about
    return solution.status


def told(seed: int, kinds: tuple[str, ...], problem: Problem, solution: Solution, best: int | None) -> str:
    """What is needed to look into a failure."""
    checks = "; ".join(check.detail for check in verify(problem, solution).failures)
    constraints = "; ".join(map(str, problem.constraints))
    found = f"{solution.status} {solution.cost}, not {best}"
    return f"random_ruled({seed}, {kinds}): {constraints} | {problem.size} | {found} | {checks}"


@pytest.mark.parametrize("kind", NAMES)
def test_each_kind_alone(kind: str) -> None:
    """The least cost of all diagrams that keep a constraint is found and proved, or that there is none."""
    for seed in range(case_count(1)):
        held_against_all(seed, (kind,))


@pytest.mark.parametrize("kind", NAMES)
def test_kinds_in_pairs(kind: str) -> None:
    """So with two constraints of any kinds."""
    for seed in range(case_count(1)):
        other = NAMES[(NAMES.index(kind) + 7 * seed + 11) % len(NAMES)]
        held_against_all(seed + 1000, (kind, other))
