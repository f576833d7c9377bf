"""Depth and leaves are capped by what the rows of the table allow."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from solvers.constraints import MaxColumns
from solvers.errors import UnsupportedError
from solvers.methods import get, names
from solvers.problem import Dataset, Kind, Limits, Problem, Shape, ShapeKind
from tests.case_count import case_count
from tests.methods.running import solve
from tests.oracle.trees import optimum
from tests.strategies import make_dataset, problems

NINE = make_dataset(
    {"a": (Kind.NUMERIC, [0, 1, 2, 3, 4, 5, 0, 1, 2]), "b": (Kind.NUMERIC, [1, 1, 0, 2, 2, 0, 3, 3, 1])},
    [0, 1, 0, 1, 1, 0, 1, 0, 0],
)


def size(dataset: Dataset, **shape: object) -> tuple[int, int | None]:
    """Depth and leaves as methods see them."""
    size = Problem(dataset, Shape(**shape)).size
    return size.max_depth, size.max_leaf_nodes


def test_rows_and_leaf_sizes_limit_depth_and_leaves() -> None:
    """Nine rows allow four leaves of two rows each, and therefore a depth of three."""
    heavy = replace(NINE, weight=[0.5] * 9)
    assert Problem(NINE, Shape(max_depth=20)).asked_size.max_depth == 20
    assert size(NINE, max_depth=20) == (8, None)
    assert size(NINE, max_depth=20, min_samples_leaf=2) == (3, None)
    assert size(NINE, max_depth=20, max_leaf_nodes=30) == (8, 9)
    assert size(NINE, max_depth=20, max_leaf_nodes=3) == (2, 3)
    assert size(NINE, max_depth=20, min_samples_leaf=10) == (0, None)
    assert size(heavy, max_depth=20, min_weight_leaf=1.5) == (2, None)
    assert size(NINE, kind=ShapeKind.BDD, max_depth=20) == (8, None)
    assert Problem(NINE, Shape(ShapeKind.DIAGRAM, max_depth=20), constraints=(MaxColumns(1),)).size.max_depth == 20


@settings(derandomize=True, deadline=None, max_examples=case_count(100))
@given(problem=problems(max_rows=4, max_columns=2, max_depth=3))
def test_the_limit_does_not_change_the_optimum(problem: Problem) -> None:
    """A recursion over the requested shape finds the same optimum."""
    solution = solve(get("contree"), problem).solution
    found = None if solution.diagram is None else (solution.cost, solution.diagram.n_splits)
    assert found == optimum(problem)


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("constraints", [(), (MaxColumns(1),)])
def test_a_depth_of_twenty_over_nine_rows_takes_little_memory(name: str, constraints: tuple[MaxColumns, ...]) -> None:
    """Regression: models with room for all nodes of twenty levels took gigabytes."""
    method = get(name)
    shape = Shape(method.kinds[0], max_depth=20, min_samples_leaf=2)
    problem = Problem(NINE, shape, constraints=constraints)
    tracemalloc.start()
    try:
        if not method.check(problem):
            solve(method, problem, Limits(seconds=2))
        assert tracemalloc.get_traced_memory()[1] < 400 * 2**20
    finally:
        tracemalloc.stop()


def test_a_refusal_for_memory_names_the_depth_if_it_is_the_reason() -> None:
    """If depth two fits, the depth is the reason."""
    rng = np.random.default_rng(0)
    columns = {f"x{j}": (Kind.NUMERIC, rng.integers(0, 50, 3000)) for j in range(1500)}
    table = make_dataset(columns, rng.integers(0, 2, 3000).tolist())
    with pytest.raises(UnsupportedError, match="Lower the depth of 4"):
        solve(get("contree"), Problem(table, Shape(max_depth=4)), Limits(memory_mb=256))
