"""The tree as scikit-learn's own: equal answers, shares and leaves wherever its questions can be asked."""

from __future__ import annotations

import re
from base64 import b64decode
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import skops.io
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import issparse
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.tree import export_graphviz, export_text

from solvers import OptimalTreeClassifier, OptimalTreeClassifierCV
from solvers.constraints import MinSensitivity
from solvers.errors import UnsupportedError


@given(st.integers(0, 10**6), st.integers(0, 3), st.sampled_from(["information", "impute"]), st.sampled_from([4, 10]))
def test_it_answers_as_the_tree_does(seed: int, depth: int, missing: str, parts: int) -> None:
    """Numbers that single precision holds, or rounds, as it does thresholds; with missing ones, and truth values."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 8, (40, 3)) / parts, columns=["a", "b", "c"]).mask(rng.random((40, 3)) < 0.2)
    X["d"] = rng.random(40) < 0.5
    y = rng.integers(0, 3, 40)
    model = OptimalTreeClassifier(max_depth=depth, missing=missing, handle_unknown="ignore").fit(X, y)
    same = model.to_sklearn()
    rows = pd.concat([X, X.sample(frac=1, random_state=seed % 1000).assign(d=X.d.to_numpy())])
    numbers = rows.astype(float)
    assert (same.predict(numbers) == model.predict(rows)).all()
    np.testing.assert_allclose(same.predict_proba(numbers), model.predict_proba(rows), atol=1e-12)
    assert (same.apply(numbers) == model.apply(rows)).all()
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
    with pytest.raises(UnsupportedError, match="class costs or constraints"):
        costly.fit([[0], [0], [0]], ["no", "no", "yes"]).to_sklearn()
    found = OptimalTreeClassifier(max_depth=0, constraints=[MinSensitivity(1.0)])
    with pytest.raises(UnsupportedError, match="class costs or constraints"):
        found.fit([[0], [0], [0]], ["no", "no", "yes"]).to_sklearn()


def test_texts_that_read_like_truth_values_are_no_truth_values() -> None:
    """Texts 'false' and 'true' are levels, which scikit-learn cannot read; truth values are 0 and 1 to it."""
    y = ["no", "yes", "no", "yes"]
    with pytest.raises(UnsupportedError, match="cannot ask 'flag is"):
        OptimalTreeClassifier(1).fit(pd.DataFrame({"flag": ["false", "true", "false", "true"]}), y).to_sklearn()
    X = pd.DataFrame({"flag": [False, True, False, True]})
    for estimator in (OptimalTreeClassifier(1), OptimalTreeClassifierCV(cv=2)):
        same = estimator.fit(X, y).to_sklearn()
        assert same.predict(X.astype(float)).tolist() == y


def test_notebooks_draw_it_beside_the_representation_of_scikit_learn(tmp_path: Path) -> None:
    """`plot` gives SVG, also as a file; before `fit` there is no drawing, and the HTML of scikit-learn stays."""
    model = OptimalTreeClassifier(max_depth=1)
    assert model._repr_svg_() is None and "<img" not in model._repr_mimebundle_()["text/html"]
    with pytest.raises(NotFittedError):
        model.plot()
    model.fit(pd.DataFrame({"age": [30, 40, 50, 60]}), ["no", "no", "yes", "yes"])
    drawing = model.plot(tmp_path / "tree.svg")
    assert ElementTree.fromstring(drawing).tag.endswith("svg") and "age is 45" in drawing
    assert (tmp_path / "tree.svg").read_text("utf-8") == drawing == drawing._repr_svg_() == model._repr_svg_()
    shown = model._repr_mimebundle_()["text/html"]
    (picture,) = re.findall(r'<img alt="tree" src="data:image/svg\+xml;base64,(.*?)">', shown)
    assert "OptimalTreeClassifier" in shown and b64decode(picture).decode() == drawing


def test_skops_keeps_it_and_opens_it_again() -> None:
    """What is kept without pickle answers the same, and needs to trust this package's own class alone."""
    X = pd.DataFrame({"age": [30.0, 40, 50, 60, 70, np.nan], "ward": ["A", "B", "A", "B", "A", "B"]})
    model = OptimalTreeClassifier(max_depth=2).fit(X, [0, 0, 1, 1, 0, 1])
    content = skops.io.dumps(make_pipeline(FunctionTransformer(), model))
    types = skops.io.get_untrusted_types(data=content)
    assert all(name.startswith("solvers.estimators.") for name in types)
    again = skops.io.loads(content, trusted=types)
    assert (again.predict(X) == model.predict(X)).all()
    assert again[-1].rules() == model.rules() and again[-1].solution_.verified


def test_one_hot_columns_come_as_they_are() -> None:
    """A sparse matrix is the same table as a dense one, in `fit` and `predict`, and its tree is scikit-learn's too."""
    X = pd.DataFrame({"ward": ["A", "B", "C", "A", "B", "C"]})
    y = np.array([0, 1, 0, 0, 1, 0])
    pipeline = make_pipeline(OneHotEncoder(), OptimalTreeClassifier(max_depth=1)).fit(X, y)
    assert (pipeline.predict(X) == y).all()
    wide = pipeline[0].transform(X)
    assert issparse(wide) and (pipeline[-1].to_sklearn().predict(wide) == y).all()
    assert pipeline[-1].rules() == OptimalTreeClassifier(max_depth=1).fit(wide.toarray(), y).rules()
