"""The tools of the ecosystem in docs/tools.md, each used on one of our classifiers as its users would."""

from __future__ import annotations

import io
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_validate,
    learning_curve,
    validation_curve,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from solvers import OptimalTreeClassifier
from solvers.errors import DataError

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tools.md"


def table() -> tuple[pd.DataFrame, pd.Series]:
    """160 tumours, 4 columns."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.iloc[:160, [0, 1, 20, 27]], y[:160]


X, Y = table()
TREE = OptimalTreeClassifier(max_depth=1)


def good(model: Any) -> None:
    """Most training predictions are correct."""
    assert model.fit(X, Y).score(X, Y) > 0.85


def grid_search() -> None:
    found = GridSearchCV(TREE, {"max_depth": [0, 1]}, cv=3).fit(X, Y)
    assert found.best_params_ == {"max_depth": 1}


def round_trip(write: Callable[[Any], bytes], read: Callable[[bytes], Any]) -> None:
    model = clone(TREE).fit(X, Y)
    assert (read(write(model)).predict(X) == model.predict(X)).all()


def by_joblib(model: Any) -> bytes:
    out = io.BytesIO()
    joblib.dump(model, out)
    return out.getvalue()


def by_skops(kept_bytes: bytes) -> Any:
    return skops.io.loads(kept_bytes, trusted=skops.io.get_untrusted_types(data=kept_bytes))


def mixed_columns() -> None:
    frame = X.assign(ward=np.where(Y == 1, "A", "B"))
    columns = make_column_transformer(
        (StandardScaler(), ["mean radius"]), ("passthrough", ["ward"]), verbose_feature_names_out=False
    )
    model = make_pipeline(columns.set_output(transform="pandas"), clone(TREE)).fit(frame, Y)
    assert model.score(frame, Y) == 1 and "ward" in model[-1].rules()


def sparse_levels() -> None:
    ward = pd.DataFrame({"ward": np.where(Y == 1, "A", "B")})
    assert make_pipeline(OneHotEncoder(), clone(TREE)).fit(ward, Y).score(ward, Y) == 1


def importances() -> None:
    found = permutation_importance(clone(TREE).fit(X, Y), X, Y, n_repeats=2, random_state=0).importances_mean
    features = clone(TREE).fit(X, Y).diagram_.features
    assert all((value != 0) == (name in features) for value, name in zip(found, X.columns, strict=True))


def dependence() -> None:
    model = clone(TREE).fit(X, Y)
    found = partial_dependence(model, X, list(model.diagram_.features), grid_resolution=5)
    assert len(np.unique(found["average"])) == 2


def curves() -> None:
    sizes, _, scores = learning_curve(clone(TREE), X, Y, train_sizes=[0.5, 1.0], cv=3, shuffle=True, random_state=0)
    assert scores.shape == (len(sizes), 3)


def validation() -> None:
    train, _ = validation_curve(clone(TREE), X, Y, param_name="max_depth", param_range=[0, 1], cv=3)
    assert (train[0] < train[1]).all()


def selection() -> None:
    found = SelectFromModel(clone(TREE)).fit(X, Y)
    assert tuple(X.columns[found.get_support()]) == clone(TREE).fit(X, Y).diagram_.features


def elimination() -> None:
    assert RFE(clone(TREE), n_features_to_select=1).fit(X, Y).n_features_ == 1


def several_outcomes() -> None:
    both = pd.DataFrame({"a": Y, "b": 1 - Y})
    found = MultiOutputClassifier(clone(TREE)).fit(X, both).predict(X)
    assert (found[:, 0] == 1 - found[:, 1]).all()
    with pytest.raises((DataError, ValueError)):
        clone(TREE).fit(X, both)


def frozen() -> None:
    model = FrozenEstimator(clone(TREE).fit(X, Y))
    assert (model.fit(X[:3], Y[:3]).predict(X) == clone(TREE).fit(X, Y).predict(X)).all()


def metric_frame() -> None:
    from fairlearn.metrics import MetricFrame, selection_rate

    model = clone(TREE).fit(X, Y)
    groups = np.where(X["mean texture"] > 19, "coarse", "fine")
    frame = MetricFrame(metrics=selection_rate, y_true=Y, y_pred=model.predict(X), sensitive_features=groups)
    assert frame.by_group["fine"] == pytest.approx(model.predict(X)[groups == "fine"].mean())


def fair_thresholds() -> None:
    from fairlearn.postprocessing import ThresholdOptimizer

    groups = np.where(X["mean texture"] > 19, "coarse", "fine")
    made = ThresholdOptimizer(estimator=clone(TREE).fit(X, Y), prefit=True, predict_method="predict_proba")
    found = made.fit(X, Y, sensitive_features=groups).predict(X, sensitive_features=groups, random_state=0)
    rates = [found[groups == name].mean() for name in ("coarse", "fine")]
    assert abs(rates[0] - rates[1]) < 0.2


TOOLS: dict[str, Callable[[], None]] = {
    "Pipeline": lambda: good(make_pipeline(StandardScaler(), clone(TREE))),
    "GridSearchCV": grid_search,
    "cross_validate": lambda: np.testing.assert_(cross_validate(TREE, X, Y, cv=3)["test_score"].mean() > 0.8),
    "clone": lambda: np.testing.assert_(clone(TREE).get_params() == TREE.get_params()),
    "pickle": lambda: round_trip(pickle.dumps, pickle.loads),
    "joblib": lambda: round_trip(by_joblib, lambda content: joblib.load(io.BytesIO(content))),
    "skops": lambda: round_trip(skops.io.dumps, by_skops),
    "ColumnTransformer, set_output": mixed_columns,
    "OneHotEncoder": sparse_levels,
    "permutation_importance": importances,
    "partial_dependence": dependence,
    "learning_curve": curves,
    "validation_curve": validation,
    "SelectFromModel": selection,
    "RFE": elimination,
    "CalibratedClassifierCV": lambda: good(CalibratedClassifierCV(clone(TREE), cv=3)),
    "FixedThresholdClassifier": lambda: good(FixedThresholdClassifier(clone(TREE), threshold=0.4)),
    "TunedThresholdClassifierCV": lambda: good(TunedThresholdClassifierCV(clone(TREE), cv=3)),
    "BaggingClassifier": lambda: good(BaggingClassifier(clone(TREE), n_estimators=3, random_state=0)),
    "AdaBoostClassifier": lambda: good(AdaBoostClassifier(clone(TREE), n_estimators=3)),
    "VotingClassifier": lambda: good(VotingClassifier([("a", clone(TREE)), ("b", clone(TREE))])),
    "StackingClassifier": lambda: good(StackingClassifier([("a", clone(TREE))], cv=3)),
    "OneVsRestClassifier": lambda: good(OneVsRestClassifier(clone(TREE))),
    "MultiOutputClassifier": several_outcomes,
    "FrozenEstimator": frozen,
    "fairlearn MetricFrame": metric_frame,
    "fairlearn ThresholdOptimizer": fair_thresholds,
}


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_works_with_our_classifiers(name: str) -> None:
    """It works as with the classifiers of scikit-learn."""
    TOOLS[name]()


def test_the_page_lists_all_tested_tools() -> None:
    """The table has one line for each tool tested here, and no other."""
    part = PAGE.read_text("utf-8").partition("## Other tools")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `([^`]+)` \|", part, re.M) == list(TOOLS)
