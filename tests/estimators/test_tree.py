"""The optimal tree as a classifier: optimum, bound, warnings and text."""

from __future__ import annotations

import re
import warnings
from base64 import b64decode
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.tree import DecisionTreeClassifier

from solvers import OptimalTreeClassifier
from solvers.certificates import check_optimum, reader
from solvers.diagram import Leaf
from solvers.errors import DataError, LimitError, ShapeError, UnknownMethodError, UnsupportedError


def noise(n: int = 60, n_columns: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Columns independent of two classes, so that every split saves few errors."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 30, (n, n_columns)).astype(float), rng.integers(0, 2, n)


@pytest.mark.parametrize("method", ["contree", "cart"])
def test_limits_on_leaves_and_their_size_hold(method: str) -> None:
    """The tree has at most the given number of leaves, and none with fewer rows or less weight than required."""
    X, y = noise(30)
    weight = np.where(np.arange(30) < 15, 1.0, 3.0)

    def sizes(model: OptimalTreeClassifier) -> list[float]:
        return [sum(node.counts) for node in model.diagram_.nodes if isinstance(node, Leaf)]

    free = OptimalTreeClassifier(2, method=method).fit(X, y)
    assert free.get_n_leaves() == 4
    assert OptimalTreeClassifier(2, max_leaf_nodes=3, method=method).fit(X, y).get_n_leaves() <= 3
    assert min(sizes(free)) < 7
    assert min(sizes(OptimalTreeClassifier(2, min_samples_leaf=7, method=method).fit(X, y))) >= 7
    heavy = OptimalTreeClassifier(2, min_weight_fraction_leaf=0.25, method=method).fit(X, y, sample_weight=weight)
    assert min(sizes(heavy)) >= 15
    rows = OptimalTreeClassifier(2, min_samples_leaf=7, method=method).fit(X, y, sample_weight=weight)
    assert np.bincount(rows.apply(X))[np.unique(rows.apply(X))].min() >= 7


def test_a_split_must_save_its_penalty() -> None:
    """A split that saves three errors is used for a penalty of two, but not of four."""
    X, y = np.array([[0.0]] * 5 + [[1.0]] * 3), [0] * 5 + [1] * 3
    cheap = OptimalTreeClassifier(1, split_penalty=2).fit(X, y)
    assert (cheap.get_n_leaves(), cheap.cost_, cheap.bound_) == (2, 2, 2)
    dear = OptimalTreeClassifier(1, split_penalty=4).fit(X, y)
    assert (dear.get_n_leaves(), dear.cost_) == (1, 3)
    half = OptimalTreeClassifier(1, split_penalty=2.5).fit(X, y, sample_weight=[0.5] * 8)
    assert (half.get_n_leaves(), half.cost_) == (1, 1.5)


def test_a_time_limit_warns_and_keeps_tree_and_bound() -> None:
    """A search that ends early warns, and has the best tree, its cost and a valid lower bound."""
    X, y = noise(3000, 12)
    with pytest.warns(ConvergenceWarning, match="no tree of its size can cost less than"):
        model = OptimalTreeClassifier(5, time_limit=0.2).fit(X, y)
    assert model.solution_.status == "feasible"
    assert 0 <= model.bound_ < model.cost_ < 1500
    assert (model.predict(X) != y).sum() == model.cost_


@pytest.mark.parametrize(("gap", "allowed"), [(0.2, 12), (6, 6)])
def test_a_requested_gap_holds_without_a_warning(gap: float, allowed: int) -> None:
    """The search may end within the gap."""
    X, y = noise()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = OptimalTreeClassifier(3, gap=gap).fit(X, y)
    assert model.cost_ - model.bound_ <= allowed


@pytest.mark.parametrize(("weight", "allowed"), [(10.0, 5), (0.1, 5)])
def test_a_gap_in_errors_has_the_units_of_the_weights(weight: float, allowed: float) -> None:
    """A gap of 5 is 5 units of sample weight, whatever integer units the solver uses."""
    X, y = noise()
    model = OptimalTreeClassifier(3, gap=allowed).fit(X, y, sample_weight=np.full(len(y), weight))
    assert model.cost_ - model.bound_ <= allowed
    if weight > allowed:
        assert model.solution_.status == "optimal"


def test_heuristics_have_no_bound_and_no_warning() -> None:
    """CART never proves anything, so no warning is necessary."""
    X, y = noise()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = OptimalTreeClassifier(2, method="cart").fit(X, y)
    assert model.bound_ is None
    assert model.solution_.status == "feasible"


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"max_depth": -1}, ShapeError, "max_depth"),
        ({"max_depth": 2.5}, ShapeError, "max_depth"),
        ({"max_leaf_nodes": 0}, ShapeError, "leaves"),
        ({"min_samples_leaf": 0}, ShapeError, "minimum number of rows"),
        ({"min_samples_leaf": 9}, ShapeError, "9"),
        ({"min_weight_fraction_leaf": 0.7}, ShapeError, "min_weight_fraction_leaf"),
        ({"split_penalty": -1}, ShapeError, "split penalty"),
        ({"time_limit": 0}, LimitError, "time limit"),
        ({"memory_limit": 1}, LimitError, "memory limit"),
        ({"gap": -1}, LimitError, "gap"),
        ({"missing": "median"}, ValueError, "information, complete, impute"),
        ({"class_weight": "even"}, ValueError, "balanced"),
        ({"method": "cort"}, UnknownMethodError, "Did you mean .cart."),
    ],
)
def test_parameters_out_of_range_are_refused(parameters: dict, error: type[Exception], words: str) -> None:
    """The error names what must hold and what was given."""
    with pytest.raises(error, match=words):
        OptimalTreeClassifier(**parameters).fit([[1.0], [2.0], [3.0]], [0, 1, 0])


def test_unsupported_problems_are_refused() -> None:
    """The error has a remedy."""
    X, y = noise(100, 5)
    with pytest.raises(UnsupportedError, match=r"split penalty.*contree"):
        OptimalTreeClassifier(6, method="smallest-tree", split_penalty=1).fit(X, y)


def test_paths_leaves_and_importances_are_consistent() -> None:
    """Paths end in the leaf of `apply`, counts add up, and importances belong to the columns of splits."""
    X, y = noise()
    model = OptimalTreeClassifier(3).fit(X, y)
    path, leaf = model.decision_path(X), model.apply(X)
    assert path.shape == (len(y), model.diagram_.n_nodes)
    assert path.dtype == np.int64
    assert (path[:, 0].toarray() == 1).all()
    np.testing.assert_array_equal([row.indices.max() for row in path], leaf)
    for node in np.unique(leaf):
        assert model.diagram_.nodes[node].counts == tuple(np.bincount(y[leaf == node], minlength=2))
    assert model.get_depth() == 3
    assert model.get_n_leaves() == len(np.unique(leaf))
    assert model.feature_importances_.sum() == pytest.approx(1)
    columns = [f"x{j}" for j in np.flatnonzero(model.feature_importances_)]
    assert set(columns) <= set(model.diagram_.features)


def test_importances_equal_those_of_scikit_learn() -> None:
    """If the greedy method grows scikit-learn's tree, the importances are the same, weights included."""
    rng = np.random.default_rng(0)
    X, weight = rng.random((300, 4)), rng.integers(1, 4, 300)
    y = (X[:, 0] > 0.5).astype(int) + (X[:, 1] + 0.2 * rng.random(300) > 0.6)
    greedy = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y, sample_weight=weight)
    model = OptimalTreeClassifier(2, method="cart").fit(X, y, sample_weight=weight)
    assert model.diagram_.n_nodes == greedy.tree_.node_count == 7
    np.testing.assert_allclose(model.feature_importances_, greedy.feature_importances_)


@pytest.mark.parametrize("name", ["get_depth", "get_n_leaves", "rules"])
def test_an_unfitted_classifier_raises_an_error(name: str) -> None:
    """Methods of the tree require `fit` first, and importances do not exist before."""
    with pytest.raises(NotFittedError):
        getattr(OptimalTreeClassifier(), name)()
    assert not hasattr(OptimalTreeClassifier(), "feature_importances_")


def test_a_certificate_is_written_for_the_training_rows(tmp_path: Path) -> None:
    """Other rows are refused."""
    X, y = load_iris(return_X_y=True)
    weight = np.where(y == 1, 2.0, 1.0)
    model = OptimalTreeClassifier(max_depth=2).fit(X, y, weight)
    report = model.certificate(X, y, tmp_path / "certificate.zip", weight)
    assert report.accepted and report.path is not None
    assert check_optimum(reader(Path(report.path))).accepted
    with pytest.raises(DataError, match="other rows"):
        model.certificate(X[:50], y[:50], tmp_path / "other.zip")


def test_notebooks_show_a_drawing_and_the_html_of_scikit_learn(tmp_path: Path) -> None:
    """`plot` returns SVG, also as a file; before `fit` there is no drawing, and scikit-learn's HTML is unchanged."""
    model = OptimalTreeClassifier(max_depth=1)
    assert model._repr_svg_() is None and "<img" not in model._repr_mimebundle_()["text/html"]
    with pytest.raises(NotFittedError):
        model.plot()
    model.fit(pd.DataFrame({"age": [30, 40, 50, 60]}), ["no", "no", "yes", "yes"])
    drawing = model.plot(tmp_path / "tree.svg")
    assert ElementTree.fromstring(drawing).tag.endswith("svg") and "age is at most 45" in drawing
    assert (tmp_path / "tree.svg").read_text("utf-8") == drawing == drawing._repr_svg_() == model._repr_svg_()
    shown = model._repr_mimebundle_()["text/html"]
    (picture,) = re.findall(r'<img alt="tree" src="data:image/svg\+xml;base64,(.*?)">', shown)
    assert "OptimalTreeClassifier" in shown and b64decode(picture).decode() == drawing
