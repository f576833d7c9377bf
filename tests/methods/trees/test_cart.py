"""CART: the tree is scikit-learn's, with named columns and levels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import accuracy_score
from sklearn.tree import DecisionTreeClassifier

from solvers.methods import get
from solvers.methods.trees.cart import cart_splits, class_stakes, fit_on_ranks
from solvers.methods.trees.tree_of_splits import grow
from solvers.problem import Dataset, Kind, Limits, Objective, Problem, Shape, question_orders
from tests.case_count import case_count
from tests.methods.running import solve
from tests.strategies import make_dataset, problems

NAN = float("nan")


def numeric(X: np.ndarray, y: np.ndarray) -> Dataset:
    """A table of numbers."""
    return make_dataset({f"x{j}": (Kind.NUMERIC, X[:, j]) for j in range(X.shape[1])}, y)


@settings(derandomize=True, deadline=None, max_examples=case_count(150))
@given(problem=problems(max_rows=30, max_columns=4, max_depth=4, priced=False))
def test_predicts_as_scikit_learn_does(problem: Problem) -> None:
    """On the training rows the diagram predicts exactly what scikit-learn's own tree does, with its limits on leaf size
    and number.
    """
    orders = question_orders(problem.dataset)
    diagram = solve(get("cart"), problem, Limits(seed=3)).solution.diagram
    assume(len(orders) and problem.shape.max_depth > 0 and problem.shape.max_leaf_nodes != 1 and diagram is not None)
    expected = fit_on_ranks(problem, orders, seed=3).predict(orders.rank.T)
    assert diagram.predict(problem.dataset).tolist() == expected.tolist()


@pytest.mark.parametrize("leaves", [None, 5])
@pytest.mark.parametrize("depth", [1, 2, 4, 8])
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_equals_scikit_learn_on_raw_values(load, depth: int, leaves: int | None) -> None:
    """Without missing values, ranks and raw values give scikit-learn the same training predictions."""
    X, y = load(return_X_y=True)
    reference = DecisionTreeClassifier(max_depth=depth, max_leaf_nodes=leaves, random_state=0).fit(X, y)
    problem = Problem(numeric(X, y), Shape(max_depth=depth, max_leaf_nodes=leaves))
    diagram = solve(get("cart"), problem).solution.diagram
    assert diagram.predict(problem.dataset).tolist() == reference.predict(X).tolist()


def test_as_good_as_native_missing_values() -> None:
    """A stump on a column with missing values gets the Gini gain of scikit-learn's own treatment of them."""
    rng = np.random.default_rng(5)
    for _ in range(30):
        x = rng.integers(0, 6, 25).astype(float)
        x[rng.random(25) < 0.3] = NAN
        y = ((np.nan_to_num(x, nan=rng.integers(0, 9)) > 2) ^ (rng.random(25) < 0.2)).astype(int)
        native = DecisionTreeClassifier(max_depth=1, random_state=0).fit(x[:, None], y)
        problem = Problem(numeric(x[:, None], y), Shape(max_depth=1))
        ours = fit_on_ranks(problem, question_orders(problem.dataset), seed=0)
        assert _purity(ours) == pytest.approx(_purity(native))


def _purity(fitted: DecisionTreeClassifier) -> float:
    """The mean Gini impurity of the leaves of a stump."""
    tree = fitted.tree_
    leaves = tree.children_left < 0
    return float((tree.impurity * tree.weighted_n_node_samples)[leaves].sum())


def test_64_bit_neighbours_are_separated() -> None:
    """Values that 32-bit floats merge are separated, which scikit-learn alone cannot do."""
    x = np.array([16777216.0, 16777217.0, 16777218.0, 16777219.0])
    y = np.array([0, 1, 0, 1])
    raw = DecisionTreeClassifier(random_state=0).fit(x[:, None], y)
    assert accuracy_score(y, raw.predict(x[:, None])) < 1
    assert solve(get("cart"), Problem(numeric(x[:, None], y), Shape(max_depth=3))).solution.cost == 0


def test_class_costs_decide_splits_and_labels() -> None:
    """A costly error justifies another column's split, and a leaf predicts the cheapest class, not the majority."""
    columns = {"a": (Kind.BINARY, [0] * 8 + [1] * 8), "b": (Kind.BINARY, [0] * 4 + [1] * 12)}
    y = [0] * 4 + [0, 0, 0, 2] + [1] * 4 + [1, 1, 1, 2]
    table = make_dataset(columns, y)
    same = solve(get("cart"), Problem(table, Shape(max_depth=1))).solution
    assert (same.diagram.features, same.cost) == (("a",), 2)
    dear = Objective(class_costs=((0, 1, 1), (1, 0, 1), (50, 50, 0)))
    solution = solve(get("cart"), Problem(table, Shape(max_depth=1), dear)).solution
    assert solution.diagram.features == ("b",), "4 rows without the dear class are split off"
    assert [node.label for node in solution.diagram.nodes[1:]] == [2, 0]
    assert solution.cost == 10, "3 rows of class 0 and 7 of class 1 are told to be of class 2"


@pytest.mark.parametrize(
    ("costs", "stakes"),
    [
        (None, [1, 1, 1]),
        (((0, 7, 7), (7, 0, 7), (7, 7, 0)), [1, 1, 1]),
        (((0, 2, 4), (2, 0, 2), (3, 6, 0)), [2, 1, 0]),
        (((4, 4, 4), (0, 0, 0), (0, 9, 0)), [1, 1, 1]),
        (((4, 4, 4), (1, 0.5, 1), (0, 9, 0)), [0, 1, 0]),
    ],
)
def test_stakes_of_the_classes(costs, stakes) -> None:
    """The weight of a class is its costliest minus its cheapest prediction; absent classes and constants have none."""
    table = make_dataset({"x": (Kind.NUMERIC, [1, 2])}, [0, 1], n_classes=3)
    found = class_stakes(Problem(table, Shape(max_depth=1), Objective(costs)))
    present = slice(0, 2) if costs is None or stakes == [1, 1, 1] else slice(None)
    assert found.tolist()[present] == stakes[present]


def test_a_split_that_does_not_pay_is_pruned() -> None:
    """A tree of two splits saves three errors: both stay at a penalty below 1.5, and none at 1.5."""
    a, b = [0] * 5 + [1] * 4, [0, 0, 1, 1, 1, 0, 0, 1, 1]
    table = make_dataset({"a": (Kind.BINARY, a), "b": (Kind.BINARY, b)}, [0] * 2 + [1] * 3 + [0] * 4)
    for price, n_splits in ((1.25, 2), (1.5, 0)):
        problem = Problem(table, Shape(max_depth=2), Objective(split_penalty=price))
        solution = solve(get("cart"), problem).solution
        assert solution.diagram.n_splits == n_splits
        assert solution.cost == problem.scale * (2 * price if n_splits else 3)


def test_the_minimum_weight_holds_under_class_costs() -> None:
    """With class costs scikit-learn uses other weights than the user's, and the minimum weight still holds."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 6, (60, 3)).astype(float)
    y = ((X[:, 0] > 2) ^ (rng.random(60) < 0.2)).astype(int)
    table = replace(numeric(X, y), weight=rng.choice([0.5, 1.0, 4.0], 60))
    problem = Problem(table, Shape(max_depth=3, min_weight_leaf=8), Objective(((0, 1), (5, 0))))
    orders = question_orders(table)

    def lightest(leaf: np.ndarray) -> float:
        """The least weight of a leaf, from the leaf of each row."""
        return min(table.weight[leaf == i].sum() for i in np.unique(leaf))

    assert lightest(fit_on_ranks(problem, orders, seed=0).apply(orders.rank.T)) < 8
    splits = cart_splits(problem, orders, seed=0)
    diagram = grow(problem, orders, splits)
    assert diagram.n_splits == 2
    assert lightest(diagram.apply(table)) >= 8
