"""The tree as scikit-learn's own: equal answers, shares and leaves wherever its questions can be asked."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import export_graphviz, export_text

from solvers import OptimalTreeClassifier
from solvers.errors import UnsupportedError


@given(st.integers(0, 10**6), st.integers(0, 3), st.sampled_from(["information", "impute"]))
def test_it_answers_as_the_tree_does(seed: int, depth: int, missing: str) -> None:
    """Numbers that single precision holds, with missing ones, and truth values."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 8, (40, 3)) / 4, columns=["a", "b", "c"]).mask(rng.random((40, 3)) < 0.2)
    X["d"] = rng.random(40) < 0.5
    y = rng.integers(0, 3, 40)
    model = OptimalTreeClassifier(max_depth=depth, missing=missing, unknown="follow").fit(X, y)
    same = model.to_sklearn()
    asked = pd.concat([X, X.sample(frac=1, random_state=seed % 1000).assign(d=X.d.to_numpy())])
    numbers = asked.astype(float)
    assert (same.predict(numbers) == model.predict(asked)).all()
    np.testing.assert_allclose(same.predict_proba(numbers), model.predict_proba(asked), atol=1e-12)
    assert (same.apply(numbers) == model.apply(asked)).all()
    assert (same.get_depth(), same.get_n_leaves()) == (model.get_depth(), model.get_n_leaves())
    if depth:
        np.testing.assert_allclose(same.feature_importances_, model.feature_importances_, atol=1e-12)


def test_it_is_drawn_and_written_by_scikit_learn() -> None:
    """What reads scikit-learn's trees reads this one."""
    X = pd.DataFrame({"age": [30, 40, 50, 60], "score": [1.0, 2.0, 1.0, 2.0]})
    same = OptimalTreeClassifier(max_depth=1).fit(X, ["no", "no", "yes", "yes"]).to_sklearn()
    assert "age <= 45.00" in export_text(same, feature_names=list(same.feature_names_in_))
    assert "age &le; 45.0" in export_graphviz(same, feature_names=["age", "score"], special_characters=True)


def test_what_it_cannot_ask_or_answer_is_named() -> None:
    """A level among three, and a leaf that answers by cost."""
    X = pd.DataFrame({"ward": ["A", "B", "C", "A", "B", "C"]})
    with pytest.raises(UnsupportedError, match="ward is B"):
        OptimalTreeClassifier(max_depth=1).fit(X, [0, 1, 0, 0, 1, 0]).to_sklearn()
    costly = OptimalTreeClassifier(max_depth=0, class_costs={"no": {"yes": 1}, "yes": {"no": 9}})
    with pytest.raises(UnsupportedError, match="most frequent"):
        costly.fit([[0], [0], [0]], ["no", "no", "yes"]).to_sklearn()
