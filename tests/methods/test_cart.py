"""CART: the tree is scikit-learn's, in the user's words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import accuracy_score
from sklearn.tree import DecisionTreeClassifier

from solvers.methods import get
from solvers.methods.cart import fit_on_ranks
from solvers.problem import Dataset, Kind, Limits, MissingPolicy, Problem, Shape, question_orders
from tests.methods.running import solve
from tests.strategies import make_dataset, problems

NAN = float("nan")


def numeric(X: np.ndarray, y: np.ndarray) -> Dataset:
    """A table of numbers."""
    return make_dataset({f"x{j}": (Kind.NUMERIC, X[:, j]) for j in range(X.shape[1])}, y)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(problem=problems(max_rows=30, max_columns=4, max_depth=4))
def test_predicts_as_scikit_learn_does(problem: Problem) -> None:
    """On the training rows the diagram says exactly what scikit-learn's own tree says."""
    orders = question_orders(problem.dataset)
    assume(len(orders) and problem.shape.depth > 0 and problem.shape.leaves != 1)
    expected = fit_on_ranks(problem, orders, seed=3).predict(orders.rank.T)
    diagram = solve(get("cart"), problem, Limits(seed=3)).solution.diagram
    assert diagram.predict(problem.dataset).tolist() == expected.tolist()


@pytest.mark.parametrize("leaves", [None, 5])
@pytest.mark.parametrize("depth", [1, 2, 4, 8])
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_equals_scikit_learn_on_raw_values(load, depth: int, leaves: int | None) -> None:
    """Where no value is missing, ranks and raw values give scikit-learn the same training predictions."""
    X, y = load(return_X_y=True)
    reference = DecisionTreeClassifier(max_depth=depth, max_leaf_nodes=leaves, random_state=0).fit(X, y)
    problem = Problem(numeric(X, y), Shape(depth=depth, leaves=leaves))
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
        problem = Problem(numeric(x[:, None], y), Shape(depth=1))
        ours = fit_on_ranks(problem, question_orders(problem.dataset), seed=0)
        assert _purity(ours) == pytest.approx(_purity(native))


def _purity(fitted: DecisionTreeClassifier) -> float:
    """The mean Gini impurity of the leaves of a stump."""
    tree = fitted.tree_
    leaves = tree.children_left < 0
    return float((tree.impurity * tree.weighted_n_node_samples)[leaves].sum())


def test_64_bit_neighbours_are_told_apart() -> None:
    """Values that 32-bit floats merge are separated all the same, which scikit-learn alone cannot do."""
    x = np.array([16777216.0, 16777217.0, 16777218.0, 16777219.0])
    y = np.array([0, 1, 0, 1])
    raw = DecisionTreeClassifier(random_state=0).fit(x[:, None], y)
    assert accuracy_score(y, raw.predict(x[:, None])) < 1
    assert solve(get("cart"), Problem(numeric(x[:, None], y), Shape(depth=3))).solution.cost == 0


def test_words_say_where_the_missing_go() -> None:
    """The side that scikit-learn learns for the missing values is said in the question."""
    table = make_dataset({"bmi": (Kind.NUMERIC, [20, 22, NAN, NAN, 40, 42])}, [0, 0, 0, 0, 1, 1])
    diagram = solve(get("cart"), Problem(table, Shape(depth=1))).solution.diagram
    assert diagram.nodes[0].predicate.words(diagram.schema) == "bmi <= 30 or missing"


def test_weights_decide() -> None:
    """A heavy row outvotes two light ones."""
    table = make_dataset({"x": (Kind.NUMERIC, [1, 1, 1, 2])}, [0, 0, 1, 1], weight=[1, 1, 5, 1])
    solution = solve(get("cart"), Problem(table, Shape(depth=1))).solution
    assert (solution.cost, solution.diagram.nodes[0].label) == (2, 1)


def test_imputed_values_count_as_the_median() -> None:
    """Under 'impute' a missing value follows the median, and whether it was missing can be asked."""
    columns = {"x": (Kind.NUMERIC, [1, 2, 3, 8, 9, NAN, NAN])}
    table = make_dataset(columns, [0, 0, 0, 0, 0, 1, 1], missing=MissingPolicy.IMPUTE)
    solution = solve(get("cart"), Problem(table, Shape(depth=1))).solution
    assert solution.cost == 0
    assert solution.diagram.nodes[0].predicate.words(table.schema) == "x is missing"
