"""Size selection by cross-validation."""

from __future__ import annotations

import numpy as np
import pytest

from solvers import OptimalTreeClassifier, OptimalTreeClassifierCV
from solvers.errors import DataError


def xor(n: int = 160, flipped: float = 0.15) -> tuple[np.ndarray, np.ndarray]:
    """Two classes by a rule of two splits, with some labels flipped."""
    rng = np.random.default_rng(0)
    X = rng.random((n, 3))
    return X, ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5) ^ (rng.random(n) < flipped)).astype(int)


def test_the_recommended_size_is_used() -> None:
    """The size equals that of `recommend` on the same rows, and the tree is its optimum on all of them."""
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


def test_groups_stay_whole_if_a_size_is_recommended() -> None:
    """Ten rows per patient with one outcome: only a division by patient keeps the tree from recognizing them."""
    rng = np.random.default_rng(2)
    patient = np.repeat(np.arange(12), 10)
    X, y = patient[:, None] + rng.normal(0, 0.01, (120, 1)), np.repeat(rng.permutation(np.arange(12) % 2), 10)
    model = OptimalTreeClassifierCV(OptimalTreeClassifier(time_limit=None), cv=2)
    leak = model.fit(X, y).recommendation_.error
    honest = model.fit(X, y, groups=patient).recommendation_.error
    assert leak is not None and honest is not None and leak < 0.1 and honest > 0.4


def test_groups_may_have_any_names_but_must_be_complete() -> None:
    """Numbers and texts may mix, few groups make few folds, and a row without a group is named."""
    X, y = xor(40)
    groups = np.array([1, "1", 2.5] * 13 + ["last"], dtype=object)
    model = OptimalTreeClassifierCV(OptimalTreeClassifier(method="cart"), cv=9)
    assert model.fit(X, y, groups=groups).best_params_["max_depth"] >= 1
    groups[7] = None
    with pytest.raises(DataError, match="row 7 has none"):
        model.fit(X, y, groups=groups)
    with pytest.raises(DataError, match="at least two groups"):
        model.fit(X, y, groups=np.zeros(40))


def test_other_parameters_come_from_the_estimator() -> None:
    """Method, policy and weights of the estimator apply in every fold and the final fit; it is not changed itself."""
    X, y = xor(80)
    base = OptimalTreeClassifier(method="cart", class_weight={1: 2})
    model = OptimalTreeClassifierCV(base, cv=3).fit(X, y)
    assert model.best_estimator_.class_weight == {1: 2}
    assert model.solution_.method == "cart"
    assert model.bound_ is None
    assert not hasattr(base, "diagram_")
