"""Shape, objective and limits: integers where methods must agree exactly, and plain refusals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.errors import DataError, LimitError, ShapeError
from solvers.problem import Kind, Limits, Objective, Problem, Shape, ShapeKind
from tests.strategies import make_dataset


def weighted(weights):
    """A dataset of these sample weights."""
    return make_dataset({"a": (Kind.NUMERIC, range(len(weights)))}, [0, 1] + [1] * (len(weights) - 2), weight=weights)


@given(st.lists(st.integers(1, 99_999), min_size=2, max_size=8), st.integers(0, 4))
def test_weights_become_whole_numbers_in_the_same_proportion(units, decimals):
    """Weights with decimals are scaled by one factor, exactly, and by no larger a factor than needed."""
    weights = [unit / 10**decimals for unit in units]
    scaled = Objective().scaled(weighted(weights))
    whole, scale = scaled.weights, scaled.scale
    assert [Fraction(int(w), scale) for w in whole] == [Fraction(unit, 10**decimals) for unit in units]
    assert np.gcd.reduce([*whole.tolist(), scale]) == 1


def test_without_weights_cost_is_the_number_of_errors():
    """Every row counts one."""
    problem = Problem(make_dataset({"a": (Kind.NUMERIC, [1, 2, 3])}, [0, 1, 1]))
    assert problem.cost(np.array([1, 1, 0])) == 2
    assert problem.scale == 1


def test_weighted_cost_counts_units():
    """The cost of wrong rows is their weight in the smallest unit."""
    problem = Problem(weighted([0.5, 1.25, 2.0]))
    assert problem.scale == 4
    assert problem.cost(np.array([1, 1, 0])) == 2 + 8


@pytest.mark.parametrize(
    ("weights", "message"),
    [([1.0, 1 / 3], "at most 6 decimals"), ([1.0, 1e-9], "at most 6 decimals"), ([1e300, 1.0], "the limit is")],
)
def test_weights_that_are_not_whole_in_any_unit_are_refused(weights, message):
    """A third has too many digits, and a googol is too large."""
    with pytest.raises(DataError, match=message):
        Objective().scaled(weighted(weights))


@pytest.mark.parametrize(("gap", "cost"), [(0, 0), (0.05, 5), (0.999, 99), (1, 1), (7.0, 7)])
def test_a_gap_is_a_share_or_a_number_of_samples(gap, cost):
    """Below 1 it is a share of the total, otherwise a number; parts of a unit are not permitted."""
    problem = Problem(make_dataset({"a": (Kind.NUMERIC, range(100))}, [0, 1] * 50))
    assert Limits(gap=gap).gap_cost(problem) == cost


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: Shape(max_depth=-1), ShapeError),
        (lambda: Shape(max_depth=21), ShapeError),
        (lambda: Shape(max_depth=2.5), ShapeError),
        (lambda: Shape(max_leaf_nodes=0), ShapeError),
        (lambda: Limits(seconds=0), LimitError),
        (lambda: Limits(seconds=float("nan")), LimitError),
        (lambda: Limits(threads=0), LimitError),
        (lambda: Limits(memory_mb=10), LimitError),
        (lambda: Limits(gap=-0.1), LimitError),
        (lambda: Limits(gap=float("inf")), LimitError),
    ],
)
def test_impossible_shapes_and_limits_are_refused(make, error):
    """What is out of range is said when it is asked for."""
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
def test_impossible_skeletons_are_refused(widths, message):
    """A layer holds at most twice the questions of the one before, and at least one."""
    with pytest.raises(ShapeError, match=message):
        Shape(ShapeKind.DIAGRAM, widths=widths)


def test_a_skeleton_sets_the_depth():
    """The layers are the depth; without widths every layer may be twice as wide as the one before."""
    assert Shape(ShapeKind.DIAGRAM, max_depth=7, widths=[1, 2, 2]).max_depth == 3
    assert Shape(ShapeKind.DIAGRAM, widths=(1, 2, 2)).layer_widths == (1, 2, 2)
    assert Shape(ShapeKind.DIAGRAM, max_depth=3).layer_widths == (1, 2, 4)
    assert Shape(ShapeKind.DIAGRAM, widths=()).max_depth == 0


def test_only_diagrams_have_skeletons_and_sums():
    """Trees and BDDs refuse what only diagrams have."""
    for sizes in ({"widths": (1, 2)}, {"split_features": 2}, {"split_features": None}):
        for kind in (ShapeKind.TREE, ShapeKind.BDD):
            with pytest.raises(ShapeError, match="decision diagram"):
                Shape(kind, **sizes)
    with pytest.raises(ShapeError, match="at least 1 column"):
        Shape(ShapeKind.DIAGRAM, split_features=0)
    with pytest.raises(ShapeError, match="number of questions"):
        Shape(max_splits=-1)


def test_the_questions_of_a_tree_limit_its_leaves():
    """A tree has one leaf more than questions, so one limit is enough for the methods."""
    data = make_dataset({"a": (Kind.NUMERIC, [1, 2, 3])}, [0, 1, 1])
    assert Problem(data, Shape(max_splits=2)).size.max_leaf_nodes == 3
    assert Problem(data, Shape(max_splits=4, max_leaf_nodes=3)).size.max_leaf_nodes == 3
    assert Problem(data, Shape(ShapeKind.BDD, max_splits=2)).size.max_leaf_nodes is None


def test_problems_are_told_apart():
    """The identity of a problem follows its data and its shape."""
    data = make_dataset({"a": (Kind.NUMERIC, [1, 2, 3])}, [0, 1, 1])
    other = make_dataset({"a": (Kind.NUMERIC, [1, 2, 4])}, [0, 1, 1])
    assert len({Problem(data).id, Problem(other).id, Problem(data, Shape(max_depth=2)).id}) == 3
    assert Problem(data).id == Problem(data, Shape()).id
