"""The choice of size by cross-validation."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import make_scorer, recall_score
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneGroupOut, StratifiedGroupKFold, cross_val_score

from solvers import OptimalTreeClassifier, OptimalTreeClassifierCV
from solvers.errors import DataError, ShapeError, UnsupportedError
from solvers.estimators.selection import smallest_best, smallest_within_one_standard_error, standard_error


def xor(n: int = 160, flipped: float = 0.15) -> tuple[np.ndarray, np.ndarray]:
    """Two classes by a rule of two questions, with some labels flipped."""
    rng = np.random.default_rng(0)
    X = rng.random((n, 3))
    return X, ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5) ^ (rng.random(n) < flipped)).astype(int)


def results(*folds: list[float]) -> dict[str, np.ndarray]:
    """Cross-validation results with these scores, a list a fold."""
    scores = np.array(folds)
    return {"mean_test_score": scores.mean(axis=0)} | {f"split{k}_test_score": row for k, row in enumerate(scores)}


def test_one_standard_error_takes_the_smallest_size_that_is_close() -> None:
    """By hand: means 0.6, 0.79, 0.8; the best has folds 0.7, 0.8, 0.9, so a standard error of 0.1 / sqrt(3) = 0.058."""
    close = results([0.5, 0.7, 0.7], [0.6, 0.8, 0.8], [0.7, 0.87, 0.9])
    np.testing.assert_allclose(standard_error(close)[[0, 2]], 0.1 / np.sqrt(3))
    assert smallest_within_one_standard_error(close) == 1
    assert smallest_best(close) == 2
    assert smallest_within_one_standard_error(results([0.5, 0.7, 0.8], [0.5, 0.7, 0.8])) == 2
    assert smallest_best(results([0.5, 0.8, 0.8])) == 1
    assert smallest_within_one_standard_error(results([0.5, 0.7, 0.8])) == 2


def test_the_rule_of_the_data_is_found() -> None:
    """A rule of two questions with noise is not fitted deeper, and the tree is that of all rows."""
    X, y = xor()
    model = OptimalTreeClassifierCV(max_depths=(3, 1, 2), cv=4).fit(X, y)
    assert model.best_params_ == {"max_depth": 2, "max_leaf_nodes": None}
    assert model.cv_results_["param_max_depth"].tolist() == [1, 2, 3]
    assert model.best_index_ == 1
    assert model.best_score_ == model.cv_results_["mean_test_score"][1]
    alone = OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert model.diagram_ == alone.diagram_ == model.best_estimator_.diagram_
    assert (model.cost_, model.bound_) == (alone.cost_, alone.bound_)
    np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))


def test_without_named_sizes_the_recommended_one_is_taken() -> None:
    """It is what `recommend` says of the same rows, and the tree is the optimum of that size on all of them."""
    X, y = xor()
    weight = np.random.default_rng(1).integers(1, 4, len(y)) / 2
    model = OptimalTreeClassifierCV(OptimalTreeClassifier(time_limit=None, split_penalty=9), cv=3).fit(X, y, weight)
    choice = model.recommendation_.choice
    assert choice is not None and model.best_params_["max_depth"] == choice.max_depth == 2
    assert model.best_score_ == 1 - choice.mean > 0.75
    assert model.recommendation_.error is not None and 0.1 < model.recommendation_.error < 0.3
    alone = OptimalTreeClassifier(**model.best_params_).fit(X, y, weight)
    assert model.diagram_ == alone.diagram_ and model.cost_ == alone.cost_ == alone.bound_
    candidates = model.recommendation_.candidates
    assert all(len(one.errors) == 6 for one in candidates) and any(one.greedy for one in candidates)


def test_groups_stay_whole_where_a_size_is_recommended() -> None:
    """Ten rows a patient with one outcome: by row the tree knows the patients, by patient nobody does."""
    rng = np.random.default_rng(2)
    patient = np.repeat(np.arange(12), 10)
    X, y = patient[:, None] + rng.normal(0, 0.01, (120, 1)), np.repeat(rng.permutation(np.arange(12) % 2), 10)
    model = OptimalTreeClassifierCV(OptimalTreeClassifier(time_limit=None), cv=2)
    leak = model.fit(X, y).recommendation_.error
    honest = model.fit(X, y, groups=patient).recommendation_.error
    assert leak is not None and honest is not None and leak < 0.1 and honest > 0.4


@pytest.mark.parametrize("sizes", [{}, {"max_depths": (1,)}])
def test_groups_may_have_any_names_but_none_may_lack(sizes: dict) -> None:
    """Numbers and texts mix, few groups make few folds, and a row without a group is named."""
    X, y = xor(40)
    groups = np.array([1, "1", 2.5] * 13 + ["last"], dtype=object)
    model = OptimalTreeClassifierCV(OptimalTreeClassifier(method="cart"), cv=9, **sizes)
    assert model.fit(X, y, groups=groups).best_params_["max_depth"] >= 1
    assert hasattr(model, "recommendation_") != hasattr(model, "cv_results_")
    groups[7] = None
    with pytest.raises(DataError, match="Row 7 of groups has none"):
        model.fit(X, y, groups=groups)
    with pytest.raises(DataError, match="at least two groups"):
        model.fit(X, y, groups=np.zeros(40))


def test_a_recommended_size_takes_no_other_scores_or_folds() -> None:
    """The error says what to do instead."""
    for wrong in ({"scoring": "recall"}, {"cv": KFold(3)}):
        with pytest.raises(UnsupportedError, match="Name max_depths"):
            OptimalTreeClassifierCV(**wrong).fit(*xor(20))


def test_every_size_is_fitted_anew_in_every_fold() -> None:
    """The scores are those of cross-validating each size by itself."""
    X, y = xor()
    cv = KFold(3, shuffle=True, random_state=1)
    model = OptimalTreeClassifierCV(max_depths=(1, 2), cv=cv).fit(X, y)
    for i, depth in enumerate((1, 2)):
        scores = cross_val_score(OptimalTreeClassifier(depth), X, y, cv=cv)
        np.testing.assert_array_equal([model.cv_results_[f"split{k}_test_score"][i] for k in range(3)], scores)
        assert model.cv_results_["se_test_score"][i] == pytest.approx(scores.std(ddof=1) / np.sqrt(3))


def test_groups_are_never_fitted_to_and_scored_on() -> None:
    """A number of folds means whole groups, and a splitter gets the groups."""
    X, y = xor(60)
    groups = np.arange(60) // 5
    for cv, splitter in ((3, StratifiedGroupKFold(3)), (LeaveOneGroupOut(), LeaveOneGroupOut())):
        model = OptimalTreeClassifierCV(max_depths=(1,), cv=cv).fit(X, y, groups=groups)
        scores = cross_val_score(OptimalTreeClassifier(1), X, y, cv=splitter, groups=groups)
        np.testing.assert_array_equal(
            [model.cv_results_[f"split{k}_test_score"][0] for k in range(len(scores))], scores
        )


def test_limits_on_leaves_are_compared_in_rising_order() -> None:
    """Sizes that ask for the same trees are compared once, as the one without a limit that cannot bind."""
    X, y = xor(80)
    base = OptimalTreeClassifier(method="cart")
    model = OptimalTreeClassifierCV(base, max_depths=(3, 2), max_leaf_nodes=(None, 9, 3, 2), cv=3).fit(X, y)
    sizes = [(p["max_depth"], p["max_leaf_nodes"]) for p in model.cv_results_["params"]]
    assert sizes == [(1, None), (2, 3), (2, None), (3, None)]


def test_the_other_parameters_come_from_the_estimator() -> None:
    """Method, policy and weights of the estimator hold in every fold and at the end; it is not changed itself."""
    X, y = xor(80)
    base = OptimalTreeClassifier(method="cart", class_weight={1: 2})
    model = OptimalTreeClassifierCV(base, max_depths=(1, 2), cv=3).fit(X, y)
    assert model.best_estimator_.class_weight == {1: 2}
    assert model.solution_.method == "cart"
    assert model.bound_ is None
    assert not hasattr(base, "diagram_")


def test_scoring_decides() -> None:
    """With recall as the score the choice is the best recall, where a scorer asks for it."""
    X, y = xor()
    scorer = make_scorer(recall_score)
    model = OptimalTreeClassifierCV(max_depths=(1, 2, 3), scoring=scorer, one_standard_error=False, cv=3).fit(X, y)
    grid = GridSearchCV(OptimalTreeClassifier(), {"max_depth": [1, 2, 3]}, scoring=scorer, cv=3).fit(X, y)
    np.testing.assert_allclose(model.cv_results_["mean_test_score"], grid.cv_results_["mean_test_score"])
    assert model.best_params_["max_depth"] == grid.best_params_["max_depth"]


def test_weights_count_in_fits_and_scores() -> None:
    """Rows of weight 0 neither teach nor test: without them all folds are right."""
    X, y = xor(flipped=0.0)
    wrong = np.arange(len(y)) % 5 == 0
    model = OptimalTreeClassifierCV(max_depths=(2,), cv=4)
    assert model.fit(X, np.where(wrong, 1 - y, y)).best_score_ < 0.9
    weighted = model.fit(X, np.where(wrong, 1 - y, y), sample_weight=~wrong)
    assert weighted.cost_ == 0
    assert weighted.best_score_ > 0.9


@pytest.mark.parametrize("sizes", [{"max_depths": ()}, {"max_depths": (1, -1)}, {"max_leaf_nodes": (0,)}])
def test_impossible_sizes_are_refused(sizes: dict) -> None:
    """No size, a negative depth and a tree without leaves are errors."""
    with pytest.raises(ShapeError):
        OptimalTreeClassifierCV(**sizes).fit(*xor(20))
