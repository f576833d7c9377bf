"""Drawings of fitted classifiers, models without pickle, and sparse matrices."""

from __future__ import annotations

import re
from base64 import b64decode
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import skops.io
from scipy.sparse import issparse
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from solvers import OptimalTreeClassifier


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
    """A sparse matrix is the same table as a dense one, in `fit` and `predict`."""
    X = pd.DataFrame({"ward": ["A", "B", "C", "A", "B", "C"]})
    y = np.array([0, 1, 0, 0, 1, 0])
    pipeline = make_pipeline(OneHotEncoder(), OptimalTreeClassifier(max_depth=1)).fit(X, y)
    assert (pipeline.predict(X) == y).all()
    wide = pipeline[0].transform(X)
    assert issparse(wide)
    assert pipeline[-1].rules() == OptimalTreeClassifier(max_depth=1).fit(wide.toarray(), y).rules()
