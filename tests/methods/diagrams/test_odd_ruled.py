"""Decision diagrams under constraints: each method against all diagrams, by kind and in pairs.

2,000 random problems of all kinds: `ESPALIER_CASES=25 python -m pytest tests/methods/diagrams/test_odd_ruled.py`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solvers.constraints import KINDS, Severity
from solvers.methods import Method, get
from solvers.metrics import verify
from solvers.problem import Dataset, Group, Objective, Problem, Shape, ShapeKind
from solvers.solution import EndReason, Status
from tests.constraints.examples import example
from tests.magnitude.problems import MAGNITUDES, costed
from tests.methods.diagrams.small_diagrams import least, small_table
from tests.methods.ruled_cases import NAMES, alone, description, in_pairs
from tests.methods.running import solve

MOST_DRAWN = 2000
"""Maximum number of draws until a problem has the required constraints."""

SEARCH, PROGRAM = get("odd-search"), get("odd", backend="highs")


def random_ruled(seed: int, kinds: tuple[str, ...]) -> Problem:
    """A problem with a constraint of each of these kinds and few enough candidate diagrams."""
    rng = np.random.default_rng([seed, *map(NAMES.index, kinds)])
    for _ in range(MOST_DRAWN):
        widths = ((1, 2), (1, 1, 1), (1, 1))[rng.integers(3)]
        # three layers have too many diagrams to try them all, unless there are few splits
        n_values = 2 if len(widths) > 2 else int(rng.integers(2, 4))
        table = small_table(rng, n_rows=int(rng.integers(4, 8)), n_values=n_values)
        if (np.ptp(table.X, axis=0) == 0).any():
            # a constant column is not a feature: the allowed splits on it are not defined
            continue
        groups = (Group("g", ("a", "b"), rng.integers(0, 2, table.n_samples)),)
        table, objective = _costed(replace(table, positive=int(rng.integers(2)), groups=groups), rng)
        shape = Shape(kind=ShapeKind.DIAGRAM, widths=widths, min_samples_leaf=int(rng.choice([1, 1, 2, 3])))
        problem = Problem(table, shape, replace(objective, free_root=bool(rng.integers(2))))
        made = tuple(c for c in (example(KINDS[kind], table, rng) for kind in kinds) if c is not None)
        found = [finding for c in made for finding in c.check(problem)]
        problem = replace(problem, constraints=made)
        # sums of some weights and limits exceed the integer range, and are refused
        if (
            len(made) == len(kinds)
            and all(one.severity is not Severity.ERROR for one in found)
            and takes(SEARCH, problem)
        ):
            return problem
    raise AssertionError(f"no problem with {' and '.join(kinds)} is taken")


def takes(method: Method, problem: Problem) -> bool:
    """Whether a method accepts a problem."""
    return not method.check(problem)


def _costed(table: Dataset, rng: np.random.Generator) -> tuple[Dataset, Objective]:
    """The table and costs: small ones, or weights, class costs and a split penalty of any magnitude."""
    if rng.random() < 0.5:
        return costed(rng, table, MAGNITUDES[rng.integers(len(MAGNITUDES))])
    return table, Objective(split_penalty=float(rng.choice([0, 0.25, 0.5])))


def compare_with_all_diagrams(seed: int, kinds: tuple[str, ...]) -> None:
    """Solve a random problem, and compare cost, bounds and constraints with exhaustive search."""
    problem = random_ruled(seed, kinds)
    best = least(problem)
    for method in (SEARCH, PROGRAM):
        if not takes(method, problem):
            continue
        run = solve(method, problem)
        solution = run.solution
        about = description((seed, kinds), problem, solution, best)
        assert verify(problem, solution).ok, about
        assert best is None or all(bound <= best for bound in run.bounds), about
        if solution.ended is EndReason.IMPRECISE:
            # for large costs a linear program in floating point proves less than it found, and says so
            assert method is PROGRAM, about
            assert solution.cost is None or (best is not None and solution.cost >= best), about
            continue
        assert solution.status is (Status.INFEASIBLE if best is None else Status.OPTIMAL), about
        assert solution.cost == best, about


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
