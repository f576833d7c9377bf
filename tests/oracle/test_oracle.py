"""The oracle against figures worked out by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from msgspec import structs

from solvers.constraints import MaxExpectedCost, MaxMissed, MustAppear
from solvers.problem import Kind, MissingPolicy, Objective, Problem, Shape, ShapeKind
from tests.oracle import diagrams, trees
from tests.oracle.consistent import NONE, Consistent
from tests.oracle.near import near_trees
from tests.strategies import make_dataset

XOR = make_dataset({"a": (Kind.BINARY, [0, 0, 1, 1]), "b": (Kind.BINARY, [0, 1, 0, 1])}, [0, 1, 1, 0])


@pytest.mark.parametrize(
    ("depth", "price", "best"),
    [(0, 0.0, (2, 0)), (1, 0.0, (2, 0)), (2, 0.0, (0, 3)), (2, 0.1, (Fraction(3, 10), 3)), (2, 0.7, (2, 0))],
)
def test_the_parity_of_two_features(depth: int, price: float, best: tuple[Fraction, int]) -> None:
    """Three splits express the parity of two features; fewer do not."""
    assert trees.tree_optimum(Problem(XOR, Shape(max_depth=depth), Objective(split_penalty=price))) == best


def test_constraints_by_hand() -> None:
    """A test budget allows the split that it pays for; a limit of missed cases is met exactly, or not."""
    shape = Shape(max_depth=2)
    budget = MaxExpectedCost({"a": 1, "b": 0.1}, 1.1)
    assert trees.tree_optimum(Problem(XOR, shape, constraints=(budget,))) == (0, 3)
    assert trees.tree_optimum(Problem(XOR, shape, constraints=(structs.replace(budget, budget=1.09),))) == (1, 2)
    assert trees.tree_optimum(Problem(XOR, shape, constraints=(structs.replace(budget, budget=0.6),))) == (1, 2)
    assert trees.tree_optimum(Problem(XOR, shape, constraints=(structs.replace(budget, budget=0.59),))) == (2, 0)
    heavy = replace(XOR, weight=np.array([0.000001, 1.0, 2.0, 3.0]), positive=0)
    least = MaxMissed(0.000001)
    assert trees.tree_optimum(Problem(heavy, Shape(max_depth=0), constraints=(least,))) == (3, 0)
    depth, rule = Shape(max_depth=1), MustAppear("a")
    assert trees.tree_optimum(Problem(heavy, depth, constraints=(least, rule))) == (Fraction(2_000_001, 10**6), 1)
    assert trees.tree_optimum(Problem(heavy, depth, constraints=(structs.replace(least, most=0), rule))) is None


def test_an_imputed_value_has_its_own_thresholds() -> None:
    """Between 1 and 3 a threshold may leave the missing value, which counts as 2, on either side."""
    table = make_dataset({"a": (Kind.NUMERIC, [1, 3, float("nan")])}, [0, 1, 1], missing=MissingPolicy.IMPUTE)
    assert trees.tree_optimum(Problem(table, Shape(max_depth=1))) == (0, 1)
    assert trees.tree_optimum(Problem(replace(table, y=np.array([0, 1, 0])), Shape(max_depth=1))) == (0, 1)


def test_a_split_must_save_more_than_its_penalty() -> None:
    """Of two splits the first saves 3 errors and the second 1; if penalty and saving are equal, fewer splits win."""
    table = make_dataset({"x": (Kind.NUMERIC, [1, 1, 1, 2, 2, 2, 2, 3])}, [0, 0, 0, 1, 1, 1, 1, 0])
    for price, best in ((0.0, (0, 2)), (0.75, (Fraction(3, 2), 2)), (1.0, (2, 1)), (2.5, (3.5, 1)), (3.0, (4, 0))):
        assert trees.tree_optimum(Problem(table, Shape(max_depth=2), Objective(split_penalty=price))) == best


def test_small_leaves_are_not_made() -> None:
    """The one odd row is split off only if a leaf of one row, and of its weight, is allowed."""
    table = make_dataset({"x": (Kind.NUMERIC, [1, 2, 3, 4, 5])}, [0, 0, 0, 0, 1], weight=[1, 1, 1, 2, 5])
    best = [trees.optimum(Problem(table, Shape(max_depth=1, min_samples_leaf=least))) for least in (1, 2, 3, 6)]
    assert best == [(0, 1), (2, 1), (5, 0), None]
    weighed = [trees.optimum(Problem(table, Shape(max_depth=1, min_weight_leaf=least))) for least in (5, 5.5, 10.5)]
    assert weighed == [(0, 1), (5, 0), None]


def test_costly_errors_change_a_prediction() -> None:
    """One missed patient at 5 costs more than four false alarms: the minority is predicted."""
    table = make_dataset({"x": (Kind.NUMERIC, [1, 1, 1, 1, 1])}, [0, 0, 0, 0, 1])
    assert trees.tree_optimum(Problem(table, Shape(max_depth=2), Objective(((0, 1), (5, 0))))) == (4, 0)


def test_parity_needs_every_bit() -> None:
    """Consistent trees of the parity of three bits have eight leaves; its BDD and its diagram have five nodes."""
    bits = (np.arange(8)[:, None] >> np.arange(3)) & 1
    table = make_dataset({f"b{j}": (Kind.BINARY, bits[:, j]) for j in range(3)}, bits.sum(1) % 2)
    consistent = Consistent(table)
    assert (consistent.depth, consistent.at(3), consistent.at(2), consistent.tied) == (3, 8, NONE, False)
    bdd = Problem(table, Shape(ShapeKind.BDD, max_depth=3), Objective(split_penalty=0.1))
    assert diagrams.bdd_optimum(bdd) == (Fraction(1, 2), 5)
    assert diagrams.diagram_optimum(Problem(table, Shape(ShapeKind.DIAGRAM, widths=(1, 2, 2)))) == (0, 5)


def test_near_trees_are_counted_as_they_are_listed() -> None:
    """The list and the count of near-optimal trees share only the subsets of rows."""
    rng = np.random.default_rng(0)
    columns = {f"x{j}": (Kind.NUMERIC, rng.integers(0, 3, 8)) for j in range(2)}
    for price in (0.0, 0.5):
        problem = Problem(
            make_dataset(columns, rng.integers(0, 2, 8)), Shape(max_depth=2), Objective(split_penalty=price)
        )
        listed = Counter((judged.cost, judged.leaves - 1) for judged in near_trees(problem, 4 * problem.scale))
        counted = trees.near_counts(problem, Fraction(4))
        assert listed == {(cost * problem.scale, n): k for (cost, n), k in counted.items()} and len(listed) >= 2
