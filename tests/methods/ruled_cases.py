"""Random problems under constraints, by kind and in pairs, and the description of a failing one."""

from __future__ import annotations

from collections.abc import Iterator

from solvers.constraints import KINDS
from solvers.metrics import verify
from solvers.problem import Problem
from solvers.solution import Solution
from tests.case_count import case_count

NAMES = tuple(KINDS)

Case = tuple[int, tuple[str, ...]]
"""A seed, and the kinds of constraint."""


def alone(kind: str) -> Iterator[Case]:
    """Problems with this kind of constraint."""
    for seed in range(case_count(1)):
        yield seed, (kind,)


def in_pairs(kind: str) -> Iterator[Case]:
    """Problems with this kind and another one."""
    for seed in range(case_count(1)):
        yield seed + 1000, (kind, NAMES[(NAMES.index(kind) + 7 * seed + 11) % len(NAMES)])


def description(case: Case, problem: Problem, solution: Solution, best: int | None) -> str:
    """The facts needed to reproduce a failure."""
    checks = "; ".join(check.detail for check in verify(problem, solution).failures)
    constraints = "; ".join(map(str, problem.constraints))
    found = f"{solution.method}: {solution.status} {solution.cost}, not {best}"
    return f"random_ruled{case}: {constraints} | {problem.size} | {found} | {checks}"
