"""BDDs and decision diagrams as classifiers: optimal, with penalties, verified, and accepted by scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.utils.estimator_checks import check_array_api_input, parametrize_with_checks

from solvers import BinaryDecisionDiagramClassifier, DecisionDiagramClassifier, OptimalTreeClassifier
from solvers.errors import OptionError, ShapeError, UnsupportedError
from solvers.problem import ShapeKind
from tests.case_count import case_count


@parametrize_with_checks([BinaryDecisionDiagramClassifier(max_depth=2), DecisionDiagramClassifier((1, 2), alpha=0.5)])
def test_scikit_learn_accepts_it(estimator: BaseEstimator, check: Callable[[BaseEstimator], None]) -> None:
    """Every check of `check_estimator` passes, with no failure expected."""
    if check.func is not check_array_api_input:
        check(estimator)


def answers(n: int = 40, n_columns: int = 5, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Binary columns, three classes that depend on them a little, and weights in quarters."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.random((n, n_columns)) < 0.5, columns=list("abcdefgh")[:n_columns])
    y = np.where(rng.random(n) < 0.3, rng.integers(0, 3, n), X["a"] + (X["b"] & ~X["c"]))
    return X, y, rng.integers(1, 9, n) / 4


def weight_by_cell(answers: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The weight of each of three classes for each combination of values."""
    table = np.zeros((2 ** answers.shape[1], 3))
    np.add.at(table, (answers @ (1 << np.arange(answers.shape[1])), y), weight)
    return table


@pytest.mark.parametrize("seed", range(case_count(4)))
def test_predictions_of_a_bdd_have_the_minimum_weight(seed: int) -> None:
    """The best table of two columns whose predictions have a minimum share of the weight, by exhaustive search."""
    X, y, weight = answers(seed=seed, n_columns=3)
    share = 0.3
    model = BinaryDecisionDiagramClassifier(max_depth=2, min_weight_fraction_leaf=share).fit(X, y, sample_weight=weight)
    best = np.inf
    for pair in combinations(X.columns, 2):
        cells = weight_by_cell(X[[*pair]].to_numpy(), y, weight)
        for labels in product(range(3), repeat=4):
            given = np.bincount(labels, cells.sum(axis=1), minlength=3)
            used = np.isin(range(3), labels)
            if (given[used] >= share * weight.sum()).all():
                best = min(best, cells.sum() - cells[range(4), labels].sum())
    assert model.cost_ == model.bound_ == pytest.approx(best)
    found = model.predict(X)
    assert all(weight[found == label].sum() >= share * weight.sum() for label in set(found))


@pytest.mark.parametrize("seed", range(case_count(4)))
def test_a_bdd_has_the_cost_of_the_best_columns(seed: int) -> None:
    """With weights and three classes the optimum is the best majority over all pairs of columns."""
    X, y, weight = answers(seed=seed)
    model = BinaryDecisionDiagramClassifier(max_depth=2).fit(X, y, sample_weight=weight)
    best = min(
        sum(cell.sum() - cell.max() for cell in weight_by_cell(X[[*pair]].to_numpy(), y, weight))
        for pair in combinations(X.columns, 2)
    )
    assert model.cost_ == model.bound_ == pytest.approx(best)
    assert model.solution_.verified and model.diagram_.kind is ShapeKind.BDD
    assert model.cost_ == pytest.approx(weight[model.predict(X) != y].sum())


def test_a_split_of_a_diagram_has_its_penalty() -> None:
    """The cost is that of the errors and of the splits after the first; an expensive split is not used."""
    X, y, weight = answers(60)
    for alpha in (0.0, 0.2, 5.0):
        model = DecisionDiagramClassifier((1, 2, 2), alpha=alpha, gap=0.999).fit(X, y, sample_weight=weight)
        price = alpha * weight.sum() / 14
        wrong = weight[model.predict(X) != y].sum()
        paid = price * max(0, model.diagram_.n_splits - 1)
        assert model.cost_ == pytest.approx(wrong + paid, rel=1e-3)
        assert model.solution_.verified and model.diagram_.kind is ShapeKind.DIAGRAM
    assert model.diagram_.n_splits <= 1


def test_weights_count_as_rows_in_any_unit() -> None:
    """A row of weight 3 gives the same model as three rows, and tripled weights the same model as the original ones."""
    X, y, _ = answers()
    times = np.random.default_rng(1).integers(1, 4, len(y))
    for model in (BinaryDecisionDiagramClassifier(2), DecisionDiagramClassifier("1 2", alpha=1.0)):
        weighted = clone(model).fit(X, y, sample_weight=times / 8)
        repeated = clone(model).fit(X.loc[X.index.repeat(times)], np.repeat(y, times))
        assert weighted.cost_ * 8 == pytest.approx(repeated.cost_)
        assert (weighted.predict(X) == repeated.predict(X)).all()


def test_skeletons_are_presets_texts_or_lists() -> None:
    """A preset, a text and numbers mean the same, including NumPy's numbers."""
    X, y, _ = answers()
    rules = {
        DecisionDiagramClassifier(skeleton, alpha=1.0).fit(X, y).rules()
        for skeleton in ("I", "1 2 4 8", (1, 2, 4, 8), np.array([1, 2, 4, 8]))
    }
    assert len(rules) == 1


def test_importances_count_rows_of_shared_splits_once() -> None:
    """On XOR the second split has all the gain; a BDD has it on both of its paths."""
    X = np.array([[a, b, 0] for a in (0, 1) for b in (0, 1) for _ in range(5)], float)
    y = (X[:, 0] != X[:, 1]).astype(int)
    bdd = BinaryDecisionDiagramClassifier(2).fit(X, y)
    tree = OptimalTreeClassifier(2).fit(X, y)
    assert bdd.cost_ == 0 and bdd.get_n_leaves() == 2 and bdd.get_depth() == 2
    assert sorted(bdd.feature_importances_) == sorted(tree.feature_importances_) == [0, 0, 1]


def test_predictions_of_a_diagram_have_enough_rows() -> None:
    """The minimum rows and the minimum share of the weight hold, and shares above one half are refused."""
    X, y, weight = answers()
    for least in ({"min_samples_leaf": 12}, {"min_weight_fraction_leaf": 0.3}):
        model = DecisionDiagramClassifier((1, 2), alpha=0.0, **least).fit(X, y, sample_weight=weight)
        leaf = model.apply(X)
        used = np.unique(leaf)
        assert len(used) > 1
        assert min(np.bincount(leaf)[used]) >= least.get("min_samples_leaf", 1)
        assert min(np.bincount(leaf, weight)[used]) >= least.get("min_weight_fraction_leaf", 0) * weight.sum()
    with pytest.raises(ShapeError, match=r"between 0 and 0\.5"):
        DecisionDiagramClassifier(min_weight_fraction_leaf=0.6).fit(X, y)


def test_options_reach_the_method() -> None:
    """With all thresholds a BDD costs at most as much as with quantiles; another option is refused."""
    rng = np.random.default_rng(5)
    X = rng.random((120, 2))
    y = (X[:, 0] > 0.83).astype(int)
    costs = [
        BinaryDecisionDiagramClassifier(1, options={"thresholds": choice}).fit(X, y).cost_
        for choice in ("quantiles", "all")
    ]
    assert costs[0] > costs[1] == 0
    with pytest.raises(OptionError, match="no option 'threshold'"):
        BinaryDecisionDiagramClassifier(1, options={"threshold": "all"}).fit(X, y)
    with pytest.raises(OptionError, match="one of quantiles, all"):
        BinaryDecisionDiagramClassifier(1, options={"thresholds": "some"}).fit(X, y)


def test_invalid_parameters_are_refused() -> None:
    """Invalid skeletons, penalties and methods of another shape are errors in a sentence."""
    X, y, _ = answers()
    with pytest.raises(ShapeError, match="layer 3 can have at most 4"):
        DecisionDiagramClassifier((1, 2, 5)).fit(X, y)
    with pytest.raises(ShapeError, match="alpha must be"):
        DecisionDiagramClassifier(alpha=-1).fit(X, y)
    with pytest.raises(UnsupportedError, match="makes trees only"):
        BinaryDecisionDiagramClassifier(method="contree").fit(X, y)
