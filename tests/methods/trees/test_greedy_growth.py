"""From splits of rank orders to a diagram: thresholds, pruning, and the side of missing values."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.diagram import Diagram, Leaf, Split
from solvers.methods.trees.tree_of_splits import grow
from solvers.problem import Kind, MissingPolicy, Objective, Orders, Problem, Shape, question_orders
from solvers.problem.orders import Where
from tests.strategies import make_dataset

NAN = float("nan")


def grown(problem: Problem, splits: dict[int, tuple[int, int]]) -> Diagram:
    """The tree with these splits by slot."""
    return grow(problem, question_orders(problem.dataset), splits)


def order_where(orders: Orders, column: str, where: Where) -> int:
    """The position of the order of a column with missing values on that side."""
    return next(i for i, spec in enumerate(orders.orders) if spec.column.name == column and spec.where is where)


def test_threshold_lies_between_the_values_at_the_node() -> None:
    """The threshold separates the neighbours among the rows of the node, not of the table."""
    columns = {"b": (Kind.BINARY, [1, 1, 0, 0]), "x": (Kind.NUMERIC, [1, 9, 2, 3])}
    problem = Problem(make_dataset(columns, [0, 1, 0, 0]), Shape(max_depth=2))
    diagram = grown(problem, {0: (0, 0), 1: (1, 0)})
    assert [node.predicate.value for node in diagram.nodes if isinstance(node, Split)] == [1.0, 5.0]


def test_splits_that_change_nothing_are_left_out() -> None:
    """A split with all rows on one side, and a split into leaves of the same class, do not appear."""
    columns = {"x": (Kind.NUMERIC, [1, 2, 3, 4])}
    problem = Problem(make_dataset(columns, [0, 0, 1, 1]), Shape(max_depth=3))
    diagram = grown(problem, {0: (0, 2), 1: (0, 2), 3: (0, 1)})
    assert diagram.n_splits == 2, "the second split sends all its rows one way"
    same = Problem(make_dataset(columns, [0, 0, 0, 1], weight=[3, 3, 3, 1]), Shape(max_depth=1))
    assert grown(same, {0: (0, 1)}).nodes == (Leaf(0, (9.0, 1.0)),)


def test_ties_give_the_first_class() -> None:
    """A tie in a leaf is resolved in favour of the first class."""
    problem = Problem(make_dataset({"x": (Kind.NUMERIC, [1, 2])}, [1, 0]), Shape(max_depth=0))
    assert grown(problem, {}).nodes == (Leaf(0, (1.0, 1.0)),)


def test_splits_with_small_sides_are_left_out() -> None:
    """A split with a side below the minimum rows or weight of a leaf is left out with all splits below it."""
    columns = {"x": (Kind.NUMERIC, [1, 2, 3, 4, 5, 6])}
    table = make_dataset(columns, [0, 1, 1, 1, 0, 0], weight=[1, 1, 1, 1, 1, 0.5])
    splits = {0: (0, 3), 1: (0, 0)}
    for shape, n_splits in (
        (Shape(max_depth=2), 2),
        (Shape(max_depth=2, min_samples_leaf=2), 1),
        (Shape(max_depth=2, min_weight_leaf=1.5), 1),
        (Shape(max_depth=2, min_weight_leaf=1.75), 0),
        (Shape(max_depth=2, min_samples_leaf=3), 0),
    ):
        assert grown(Problem(table, shape), splits).n_splits == n_splits, shape


def test_splits_that_do_not_pay_are_left_out() -> None:
    """With a split penalty, a split stays only if it and those below it save more, together, than they cost."""
    table = make_dataset({"x": (Kind.NUMERIC, [1, 2, 3, 4, 5, 6, 7])}, [0, 0, 0, 1, 1, 1, 0])
    splits = {0: (0, 2), 2: (0, 5)}
    for price, n_splits in ((0.0, 2), (0.9, 2), (1.0, 1), (1.9, 1), (2.0, 0)):
        problem = Problem(table, Shape(max_depth=2), Objective(split_penalty=price))
        assert grown(problem, splits).n_splits == n_splits, price
    xor = make_dataset({"a": (Kind.BINARY, [0, 0, 1, 1]), "b": (Kind.BINARY, [0, 1, 0, 1])}, [0, 1, 1, 0])
    full = {0: (0, 0), 1: (1, 0), 2: (1, 0)}
    assert [
        grown(Problem(xor, Shape(max_depth=2), Objective(split_penalty=c)), full).n_splits for c in (0.5, 0.75)
    ] == [
        3,
        0,
    ]


def test_costs_decide_the_label_of_a_leaf() -> None:
    """A leaf predicts the class of least cost, the first one of ties, and counts the rows as they are."""
    table = make_dataset({"x": (Kind.NUMERIC, [1, 1, 1])}, [0, 0, 1], n_classes=3)
    for costs, label in ((((0, 1, 1), (3, 0, 1), (0, 0, 0)), 1), (((0, 1, 1), (2, 0, 0), (1, 1, 0)), 0)):
        problem = Problem(table, Shape(max_depth=1), Objective(costs))
        assert grown(problem, {}).nodes == (Leaf(label, (2.0, 1.0, 0.0)),)


def test_nodes_without_possible_savings_are_not_split() -> None:
    """A leaf with the cheapest prediction for every row is not split, even if some rows are of another class."""
    table = make_dataset({"x": (Kind.NUMERIC, [1, 2])}, [0, 1])
    costs = Objective(((0, 0), (1, 0)))
    assert grown(Problem(table, Shape(max_depth=1), costs), {0: (0, 0)}).nodes == (Leaf(1, (1.0, 1.0)),)


@pytest.mark.parametrize("where", [Where.FIRST, Where.LAST])
@pytest.mark.parametrize(("cut", "missing_gives"), [(2, 1), (5, 0)])
def test_a_new_missing_value_goes_to_the_larger_side(where: Where, cut: int, missing_gives: int) -> None:
    """Below a node that removed all missing rows, a missing value goes to the larger side, for both twin orders."""
    x = [0, 1, 2, 3, 4, 5, 6, NAN, NAN]
    b = [0] * 7 + [1, 1]
    y = [0] * cut + [1] * (7 - cut) + [2, 2]
    problem = Problem(make_dataset({"b": (Kind.BINARY, b), "x": (Kind.NUMERIC, x)}, y), Shape(max_depth=2))
    orders = question_orders(problem.dataset)
    last = cut if where is Where.FIRST else cut - 1
    diagram = grown(problem, {0: (0, 0), 2: (order_where(orders, "x", where), last)})
    assert problem.cost(diagram.predict(problem.dataset)) == 0
    assert diagram.predict(np.array([[0, NAN]])).tolist() == [missing_gives]


@pytest.mark.parametrize(
    ("where", "words"), [(Where.FIRST, "x is at most 1.5, or missing"), (Where.LAST, "x is at most 1.5")]
)
def test_missing_rows_of_the_node_decide_their_side(where: Where, words: str) -> None:
    """Missing rows of a node go to the side given by the order, even if the other side is larger."""
    x = [1, 2, 3, 4, NAN] if where is Where.FIRST else [0, 1, 1, 1, 2, NAN]
    y = [0, 1, 1, 1, 0] if where is Where.FIRST else [0, 0, 0, 0, 1, 1]
    problem = Problem(make_dataset({"x": (Kind.NUMERIC, x)}, y), Shape(max_depth=1))
    orders = question_orders(problem.dataset)
    diagram = grown(problem, {0: (order_where(orders, "x", where), 1)})
    assert diagram.nodes[0].predicate.words(diagram.schema) == words
    assert problem.cost(diagram.predict(problem.dataset)) == 0


def test_imputed_values_follow_the_median() -> None:
    """Under 'impute' a missing value is the median, even at a node whose larger side is the other one."""
    columns = {"x": (Kind.NUMERIC, [1, 2, 3, 4, 5, 6, 7])}
    table = make_dataset(columns, [0, 0, 0, 0, 1, 1, 1], weight=[1, 1, 1, 1, 9, 9, 9], missing=MissingPolicy.IMPUTE)
    diagram = grown(Problem(table, Shape(max_depth=1)), {0: (0, 3)})
    assert diagram.predict(np.array([[NAN]])).tolist() == [0]
