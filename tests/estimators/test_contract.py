"""scikit-learn's own checks of an estimator, and common uses of estimators."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_array_api_input, estimator_checks_generator, parametrize_with_checks

from solvers import OptimalTreeClassifier, OptimalTreeClassifierCV

ROOT = Path(__file__).resolve().parents[2]

CLASSIFIERS = [
    OptimalTreeClassifier(),
    OptimalTreeClassifier(max_depth=2, missing="complete", class_weight="balanced"),
    OptimalTreeClassifier(method="cart", missing="impute"),
]


@parametrize_with_checks(CLASSIFIERS)
def test_scikit_learn_accepts_it(estimator: BaseEstimator, check: Callable[[BaseEstimator], None]) -> None:
    """Every check of `check_estimator` passes, with no failure expected."""
    if check.func is not check_array_api_input:
        check(estimator)


@pytest.mark.parametrize("name", ["one_label", "2d_1sample", "in_init", "n_features", "dict_unchanged"])
def test_scikit_learn_accepts_the_size_selection(name: str) -> None:
    """Invalid input is refused with the messages that scikit-learn expects, and `fit` sets fitted attributes only."""
    model = OptimalTreeClassifierCV(OptimalTreeClassifier(method="cart"), cv=2)
    checks = [check for _, check in estimator_checks_generator(model) if name in check.func.__name__]
    assert checks
    for check in checks:
        check(model)


def test_scikit_learn_accepts_it_with_array_api_dispatch() -> None:
    """The one check that needs its switch before SciPy is imported, and therefore a separate process, also passes."""
    program = (
        "from sklearn.utils import estimator_checks as checks\n"
        "from solvers import OptimalTreeClassifier\n"
        "for model, check in checks.estimator_checks_generator(OptimalTreeClassifier()):\n"
        "    if check.func is checks.check_array_api_input:\n"
        "        check(model)\n"
        "        print('passed')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.strip() == "passed"


@pytest.mark.parametrize("missing", ["information", "impute", "complete"])
def test_tags_are_correct(missing: str) -> None:
    """The tags declare categories, and NaN if the policy allows it; the size selection declares the same."""
    estimator = OptimalTreeClassifier(max_depth=1, missing=missing)
    for one in (estimator, OptimalTreeClassifierCV(estimator, cv=2)):
        tags = get_tags(one).input_tags
        assert tags.categorical
        assert tags.sparse
        X, y = np.array([[0.0], [1.0], [np.nan], [0.0], [1.0], [np.nan]]), [0, 1, 1, 0, 1, 1]
        if tags.allow_nan:
            assert one.fit(X, y).score(X, y) == 1
        else:
            with pytest.raises(ValueError, match="NaN"):
                one.fit(X, y)


def iris() -> tuple[Any, Any]:
    """150 flowers, 4 columns, 3 classes."""
    return load_iris(return_X_y=True, as_frame=True)


def test_a_pipeline_works_in_a_grid_search() -> None:
    """A grid search over parameters of a pipeline's tree finds the depth that separates three classes."""
    X, y = iris()
    pipeline = make_pipeline(StandardScaler(), OptimalTreeClassifier())
    grid = {"optimaltreeclassifier__max_depth": np.arange(1, 3), "optimaltreeclassifier__missing": ["impute"]}
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X, y)
    assert search.best_params_["optimaltreeclassifier__max_depth"] == 2
    assert search.score(X, y) > 0.9


def test_threads_can_fit_at_the_same_time() -> None:
    """Fits in threads of one process do not disturb each other."""
    X, y = iris()
    fits = [delayed(OptimalTreeClassifier(max_depth=depth).fit)(X, y) for depth in (1, 2, 1, 2)]
    costs = [model.cost_ for model in Parallel(n_jobs=2, backend="threading")(fits)]
    assert costs[:2] == costs[2:]
    assert costs[0] > costs[1]


@pytest.mark.parametrize("levels", [False, True], ids=["numbers", "levels"])
def test_a_model_restored_from_plain_values_predicts(levels: bool) -> None:
    """As with skops: enums are restored as plain texts, and the model still reads rows and proves."""
    numbers = load_iris().data[:, 2:]
    X = np.where(numbers > 1.5, "long", "short").astype(object) if levels else numbers
    model = OptimalTreeClassifier(max_depth=2).fit(X, load_iris().target_names[load_iris().target])
    state = model.__getstate__()
    plain = {name: json.loads(json.dumps(state[name])) for name in ("diagram_", "solution_")}
    again = OptimalTreeClassifier.__new__(OptimalTreeClassifier)
    again.__setstate__(state | plain)
    assert np.array_equal(again.predict(X), model.predict(X))
    assert (again.diagram_, again.solution_) == (model.diagram_, model.solution_)


def test_a_clone_is_unfitted_and_a_pickle_is_fitted() -> None:
    """`clone` copies parameters only; a pickled model has the same predictions, explanations and proof."""
    X, y = iris()
    model = OptimalTreeClassifier(max_depth=2, class_weight={0: 1, 1: 2, 2: 3}).fit(X, y)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "diagram_")
    again = pickle.loads(pickle.dumps(model))
    assert again.solution_ == model.solution_
    assert again.rules() == model.rules()
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


OPENED = """
import sys, joblib, numpy, pandas, skops.io
X = pandas.read_pickle("X.pickle")
content = open("model.skops", "rb").read()
names = skops.io.get_untrusted_types(data=content)
for model in (joblib.load("model.joblib"), skops.io.loads(content, trusted=names)):
    print(model.predict_log_proba(X).tobytes().hex())
"""


def test_a_pipeline_is_opened_in_a_fresh_process(tmp_path: Path) -> None:
    """Saved with joblib and with skops, a pipeline over levels as sparse columns predicts the same to the last bit."""
    X, y = iris()
    X = pd.DataFrame({"length": np.where(X.iloc[:, 2] > 4.8, "long", "short"), "width": X.iloc[:, 3].round()})
    model = make_pipeline(OneHotEncoder(), OptimalTreeClassifier(max_depth=2)).fit(X, y)
    found = model.predict_log_proba(X)
    np.testing.assert_array_equal(np.exp(found).argmax(axis=1), model.predict(X))
    joblib.dump(model, tmp_path / "model.joblib")
    skops.io.dump(model, tmp_path / "model.skops")
    X.to_pickle(tmp_path / "X.pickle")
    done = subprocess.run(
        [sys.executable, "-c", OPENED],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.split() == [found.tobytes().hex()] * 2
