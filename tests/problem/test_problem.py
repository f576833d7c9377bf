"""Shape, objective and limits: integers if methods must agree exactly, sizes that the rows allow, clear refusals."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.constraints import MaxColumns
from solvers.errors import LimitError, ShapeError, UnsupportedError
from solvers.methods import get, names
from solvers.problem import Dataset, Kind, Limits, Objective, Problem, Shape, ShapeKind
from tests.case_count import case_count
from tests.methods.running import solve
from tests.oracle.trees import optimum
from tests.strategies import make_dataset, problems


def weigh(weights):
    """A dataset with these sample weights."""
    return make_dataset({"a": (Kind.NUMERIC, range(len(weights)))}, [0, 1] + [1] * (len(weights) - 2), weight=weights)


@given(st.lists(st.integers(1, 99_999), min_size=2, max_size=8), st.integers(0, 4))
def test_weights_become_integers_in_the_same_proportion(units, decimals):
    """Decimal weights are scaled exactly by one factor, the smallest possible."""
    weights = [unit / 10**decimals for unit in units]
    scaled = Objective().scaled(weigh(weights))
    whole, scale = scaled.weights, scaled.scale
    assert [Fraction(int(w), scale) for w in whole] == [Fraction(unit, 10**decimals) for unit in units]
    assert np.gcd.reduce([*whole.tolist(), scale]) == 1


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: Shape(max_depth=-1), ShapeError),
        (lambda: Shape(max_depth=21), ShapeError),
        (lambda: Shape(max_depth=2.5), ShapeError),
        (lambda: Shape(max_leaf_nodes=0), ShapeError),
        (lambda: Shape(min_samples_leaf=0), ShapeError),
        (lambda: Shape(min_weight_leaf=-0.5), ShapeError),
        (lambda: Objective(split_penalty=-1), ShapeError),
        (lambda: Objective(split_penalty=float("nan")), ShapeError),
        (lambda: Objective(((0, 1), (-1, 0))), ShapeError),
        (lambda: Objective(((0, 1, 1), (1, 0, 1))), ShapeError),
        (lambda: Objective(((0, float("inf")), (1, 0))), ShapeError),
        (lambda: Limits(seconds=0), LimitError),
        (lambda: Limits(seconds=float("nan")), LimitError),
        (lambda: Limits(threads=0), LimitError),
        (lambda: Limits(memory_mb=10), LimitError),
        (lambda: Limits(gap=-0.1), LimitError),
        (lambda: Limits(gap=float("inf")), LimitError),
    ],
)
def test_invalid_shapes_costs_and_limits_are_refused(make, error):
    """Values out of range are reported when the object is created."""
    with pytest.raises(error):
        make()


@pytest.mark.parametrize(
    ("widths", "message"),
    [
        ((1, 2, 5), "layer 3 can have at most 4 questions, but has 5 in 1, 2, 5"),
        ((2, 2), "layer 1 can have at most 1 question, but has 2"),
        ((1, 0, 2), "whole numbers of at least 1"),
        ((1, 1.5), "whole numbers of at least 1"),
        ((1,) * 21, "at most 20 layers"),
    ],
)
def test_invalid_skeletons_are_refused(widths, message):
    """A layer has at most twice as many splits as the one before, and at least one."""
    with pytest.raises(ShapeError, match=message):
        Shape(ShapeKind.DIAGRAM, widths=widths)


def test_a_skeleton_sets_the_depth():
    """The number of layers is the depth; without widths every layer may be twice as wide as the one before."""
    assert Shape(ShapeKind.DIAGRAM, max_depth=7, widths=[1, 2, 2]).max_depth == 3
    assert Shape(ShapeKind.DIAGRAM, widths=(1, 2, 2)).layer_widths == (1, 2, 2)
    assert Shape(ShapeKind.DIAGRAM, max_depth=3).layer_widths == (1, 2, 4)
    assert Shape(ShapeKind.DIAGRAM, widths=()).max_depth == 0


def test_only_diagrams_have_skeletons_and_sums():
    """Trees and BDDs refuse the options of diagrams."""
    for sizes in ({"widths": (1, 2)}, {"split_features": 2}, {"split_features": None}):
        for kind in (ShapeKind.TREE, ShapeKind.BDD):
            with pytest.raises(ShapeError, match="decision diagram"):
                Shape(kind, **sizes)
    with pytest.raises(ShapeError, match="columns per split"):
        Shape(ShapeKind.DIAGRAM, split_features=0)
    with pytest.raises(ShapeError, match="number of splits"):
        Shape(max_splits=-1)


def test_the_number_of_splits_limits_the_leaves():
    """A tree has one more leaf than splits, so one limit is enough for the methods."""
    data = make_dataset({"a": (Kind.NUMERIC, [1, 2, 3])}, [0, 1, 1])
    assert Problem(data, Shape(max_splits=2)).size.max_leaf_nodes == 3
    assert Problem(data, Shape(max_splits=4, max_leaf_nodes=3)).size.max_leaf_nodes == 3
    assert Problem(data, Shape(ShapeKind.BDD, max_splits=2)).size.max_leaf_nodes is None


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
