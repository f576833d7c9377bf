"""The exact engine under path rules, against the oracle."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from solvers.constraints import (
    AskedBefore,
    Constraint,
    FirstQuestion,
    FixedTop,
    MaxLeaves,
    MaxPathCost,
    MinSamplesLeaf,
    NeverBothOnPath,
    NeverColumns,
    OnlyAfter,
    OnlyColumns,
    ThresholdsWithin,
)
from solvers.messages import describe_result
from solvers.methods import get
from solvers.metrics.verify import verify
from solvers.problem import Dataset, Kind, Limits, Problem, Shape
from solvers.solution import Status
from tests.case_count import case_count
from tests.constraints.examples import example
from tests.methods.running import solve
from tests.oracle.trees import countable, optimum
from tests.strategies import make_dataset, problems

KINDS: tuple[type[Constraint], ...] = (
    AskedBefore,
    FirstQuestion,
    FixedTop,
    MaxPathCost,
    NeverBothOnPath,
    NeverColumns,
    OnlyAfter,
    OnlyColumns,
    ThresholdsWithin,
)
SIZES: tuple[type[Constraint], ...] = (MaxLeaves, MinSamplesLeaf)


def constrained(problem: Problem, seed: int, most: int = 3) -> Problem:
    """The problem with some random constraints on paths, and sometimes on sizes."""
    rng = np.random.default_rng(seed)
    kinds = [KINDS[i] for i in rng.permutation(len(KINDS))[: int(rng.integers(1, most + 1))]]
    kinds += [kind for kind in SIZES if rng.random() < 0.15]
    made = [example(kind, problem.dataset, rng) for kind in kinds]
    return replace(problem, constraints=tuple(constraint for constraint in made if constraint is not None))


def check_reading(problem: Problem, **limits: object):
    """The verified solution of the engine."""
    solution = solve(get("contree"), problem, Limits(**limits)).solution
    verification = verify(problem, solution)
    assert verification.ok, verification.failures
    return solution


@settings(derandomize=True, deadline=None, max_examples=case_count(300))
@given(problem=problems(max_rows=12), seed=st.integers(0, 2**32 - 1))
def test_the_engine_satisfies_path_rules_and_proves_the_optimum(problem: Problem, seed: int) -> None:
    """Cost, infeasibility, and the number of splits if it is proved, are those of exhaustive search."""
    problem = constrained(problem, seed)
    assume(problem.constraints and not get("contree").check(problem) and countable(problem))
    solution, best = check_reading(problem), optimum(problem)
    if best is None:
        assert solution.status is Status.INFEASIBLE
    else:
        assert solution.status is Status.OPTIMAL
        assert solution.cost == best[0]
        assert solution.diagram.n_splits == best[1] or not solution.details.fewest_splits


def test_leaves_are_divided_below_fixed_splits() -> None:
    """With a leaf limit the positions below the fixed splits get the best joint division of leaves."""
    binding = 0
    for seed in range(50):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(10, 18))
        columns = {name: (Kind.NUMERIC, rng.integers(0, 6, n).astype(float)) for name in ("age", "dose")}
        data = make_dataset(columns, rng.integers(0, 3, n).tolist(), n_classes=3)
        free = Problem(data, Shape(max_depth=2), constraints=(example(FixedTop, data, rng),))
        problem = replace(free, shape=Shape(max_depth=2, max_leaf_nodes=int(rng.integers(2, 4))))
        solution, best = check_reading(problem), optimum(problem)
        assert solution.cost == (None if best is None else best[0]), seed
        binding += solution.cost != check_reading(free).cost
    assert binding > 10


def ages(n: int = 40) -> Dataset:
    """Two numeric columns; the class depends on both of them."""
    rng = np.random.default_rng(5)
    age, dose = rng.integers(20, 80, n).astype(float), rng.integers(0, 30, n).astype(float)
    y = ((age > 50) ^ (dose > 12) ^ (rng.random(n) < 0.1)).astype(int)
    return make_dataset({"age": (Kind.NUMERIC, age), "dose": (Kind.NUMERIC, dose)}, y.tolist())


def test_useless_fixed_splits_stay() -> None:
    """A fixed first split that changes no prediction is kept, and the rest is learned below it."""
    top = FixedTop({"column": "dose", "op": "<=", "value": 29.5, "no": {"column": "age", "op": "<=", "value": 30}})
    data = ages()
    X = data.X.copy()
    X[:2, 1], X[:2, 0] = 30.0, (25.0, 60.0)
    problem = Problem(replace(data, X=X), Shape(max_depth=3), constraints=(top,))
    solution = check_reading(problem)
    assert solution.status is Status.OPTIMAL
    assert solution.diagram.nodes[0].predicate.column == "dose"
    assert solution.diagram.n_splits >= 2


@pytest.mark.parametrize(
    ("constraints", "told"),
    [
        (({"value": 200},), "below the minimum leaf size"),
        (({}, NeverColumns(("age",))), "not allowed"),
        (({}, FirstQuestion(("dose",))), "not allowed first"),
        (({}, ThresholdsWithin("age", 60.0, 70.0)), "not in its range"),
        (({}, OnlyAfter("dose", "age")), "is not below"),
        (({}, {"value": 60}), "the same node"),
    ],
)
def test_impossible_fixed_splits_are_reported(constraints: tuple, told: str) -> None:
    """No tree is possible, and the message gives the reason."""
    made = tuple(
        FixedTop({"column": "age", "op": "<=", "value": 50, **c}) if isinstance(c, dict) else c for c in constraints
    )
    problem = Problem(ages(), Shape(max_depth=2), constraints=made)
    solution = check_reading(problem)
    assert solution.status is Status.INFEASIBLE
    words = describe_result(problem, solution)
    assert told in words or "impossible" in words
