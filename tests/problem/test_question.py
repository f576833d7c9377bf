"""Shape, objective and limits: integers if methods must agree exactly, and clear refusals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.errors import LimitError, ShapeError
from solvers.problem import Kind, Limits, Objective, Problem, Shape, ShapeKind
from tests.strategies import make_dataset


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


@pytest.mark.parametrize(("gap", "cost"), [(0, 0), (0.05, 5), (0.999, 99), (1, 1), (7.0, 7)])
def test_a_gap_is_a_share_or_a_number_of_rows(gap, cost):
    """Below 1 it is a share of the total, from 1 on a number; fractions of a unit are not allowed."""
    problem = Problem(make_dataset({"a": (Kind.NUMERIC, range(100))}, [0, 1] * 50))
    assert Limits(gap=gap).gap_cost(problem) == cost


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
