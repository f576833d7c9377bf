"""Classifiers with steps of preparation take raw data frames, in fit and in predict, alone and in a search of sizes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from solvers.errors import DataError, UnsupportedError
from solvers.estimators import OptimalTreeClassifier
from solvers.problem import Kind, Preparation
from solvers.problem.preparation import Combine, Cut, JoinLevels, KeepRows, Rename, TreatAsMissing

STEPS = Preparation(
    (
        TreatAsMissing("crp", ("-99",)),
        JoinLevels("sex", ("Male",), "male"),
        Combine("in", "days to", "out", "stay"),
        Cut("crp", (40,), ("low", "high")),
        Rename("Age", "age"),
        KeepRows("age", "is at least", ("18",)),
    )
)


@pytest.fixture
def raw():
    """A raw frame and labels that the days between two dates decide."""
    rng = np.random.default_rng(2)
    n = 80
    days = rng.integers(1, 15, n)
    start = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 50, n), "D")
    X = pd.DataFrame(
        {
            "Age": rng.integers(12, 90, n),
            "crp": np.where(rng.random(n) < 0.1, -99.0, rng.integers(1, 90, n)),
            "sex": rng.choice(["male", "Male", "female"], n),
            "in": start,
            "out": start + pd.to_timedelta(days, "D"),
        }
    )
    return X, np.where(days > 7, "long", "short")


def test_fit_and_predict_take_raw_rows(raw):
    """The tree asks for what steps made, its columns are typed, rows that steps leave out are refused."""
    X, y = raw
    model = OptimalTreeClassifier(max_depth=1, preparation=STEPS).fit(X, y)
    assert model.diagram_.features == ("stay",)
    kinds = {column.name: column.kind for column in model.diagram_.schema.columns}
    assert [kinds[name] for name in ("age", "crp", "sex", "in", "stay")] == [
        *(Kind.NUMERIC, Kind.BINARY, Kind.BINARY, Kind.DATE, Kind.NUMERIC),
    ]
    adults = X["Age"] >= 18
    assert model.cost_ == 0
    assert (model.predict(X[adults]) == y[adults]).all()
    with pytest.raises(DataError, match="gets no answer: the model is not for such rows"):
        model.predict(X)
    assert sum(sum(leaf.counts) for _, leaf in model.diagram_.leaves) == adults.sum()
    with pytest.raises(UnsupportedError, match="has no steps"):
        model.to_sklearn()
    assert clone(model).preparation == STEPS


def test_steps_need_names(raw):
    """An array has no names of columns, and a step must fit."""
    X, y = raw
    with pytest.raises(DataError, match="X must be a data frame"):
        OptimalTreeClassifier(preparation=STEPS).fit(X[["Age", "crp"]].to_numpy(), y)
    with pytest.raises(DataError, match="Step 1 of the preparation"):
        OptimalTreeClassifier(preparation=Preparation((Rename("sex", "Age"),))).fit(X, y)
