"""Drawings of fitted classifiers, models without pickle, and sparse matrices."""

from __future__ import annotations

import re
from base64 import b64decode
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from solvers import OptimalTreeClassifier


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
