"""Constraints and groups in the estimators: the same problem as the library's, refusals with reasons, grid searches."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from solvers import BinaryDecisionDiagramClassifier, OptimalTreeClassifier, OptimalTreeClassifierCV
from solvers.constraints import (
    CannotLink,
    DemographicParity,
    MaxErrors,
    MinSamplesLeaf,
    MinSensitivity,
    MustLink,
    NeverColumns,
)
from solvers.errors import ConstraintError, DataError, ShapeError, UnsupportedError
from solvers.methods import get
from solvers.problem import Column, Dataset, Kind, Limits, Problem, Schema, Shape
from tests.explain.worlds import never


def table(seed: int = 0, n: int = 120) -> tuple[pd.DataFrame, pd.Series]:
    """Three columns, one a category, and an outcome that depends on two of them and noise."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"age": rng.integers(20, 90, n), "score": rng.random(n).round(2), "sex": rng.choice(["f", "m"], n)}
    )
    ill = (X.age > 60) ^ (X.score > 0.7) ^ (rng.random(n) < 0.15)
    return X, pd.Series(np.where(ill, "yes", "no"), name="ill")


@pytest.mark.parametrize("kind", [OptimalTreeClassifier, BinaryDecisionDiagramClassifier])
def test_a_constraint_is_satisfied_and_the_optimum_proved(kind: type[OptimalTreeClassifier]) -> None:
    """The model has the required sensitivity, and its cost is proved optimal under the constraint."""
    X, y = table()
    free = kind(max_depth=2).fit(X, y)
    found = kind(max_depth=2, constraints=[MinSensitivity("0.97")]).fit(X, y)
    sick = y == "yes"
    assert (found.predict(X)[sick] == "yes").mean() >= 0.97 > (free.predict(X)[sick] == "yes").mean()
    assert found.solution_.verified and found.cost_ == found.bound_ > free.cost_
    assert (found.gap_, found.ended_, found.n_classes_) == (0, "proved", 2)


@pytest.mark.parametrize(
    "written",
    [
        [{"kind": "never-columns", "columns": ["age"]}],
        {"kind": "never-columns", "columns": ["age"]},
        json.dumps([{"kind": "never-columns", "columns": ["age"]}]),
        json.dumps({"title": "without age", "constraints": [{"kind": "never-columns", "columns": ["age"]}]}),
        (NeverColumns(("age",)),),
    ],
)
def test_constraints_are_objects_or_json(written: object) -> None:
    """A list of either, a single one, or the text saved by the dashboard."""
    X, y = table()
    found = OptimalTreeClassifier(max_depth=2, constraints=written).fit(X, y)
    assert "age" not in found.diagram_.features
    assert found.cost_ == OptimalTreeClassifier(max_depth=2).fit(X.drop(columns="age"), y).cost_


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(0, 60))
def test_the_problem_equals_that_of_the_library(seed: int, least: int, most: int) -> None:
    """The estimator has the same minimum cost, or the same refusal, as the library on the same rows."""
    rng = np.random.default_rng(seed)
    X, y, weight = rng.integers(0, 4, (25, 2)).astype(float), rng.integers(0, 2, 25), rng.integers(0, 4, 25)
    constraints = (MinSamplesLeaf(least), MaxErrors(most))
    used = weight > 0
    schema = Schema((Column("a", Kind.NUMERIC), Column("b", Kind.NUMERIC)))
    data = Dataset("rows", schema, X[used], y[used], ("0", "1"), "y", weight=weight[used])
    best = get("contree").run(
        Problem(data, Shape(max_depth=2), constraints=constraints), Limits(), lambda event: None, never
    )
    model = OptimalTreeClassifier(max_depth=2, constraints=constraints)
    if best.diagram is None:
        with pytest.raises(ShapeError):
            model.fit(X, y, weight)
    else:
        assert model.fit(X, y, weight).cost_ == best.cost


def test_groups_are_columns_or_passed_to_fit() -> None:
    """A category of X is a group by its name; other groups are passed to `fit` by name, and divided as the rows are."""
    X, y = table()
    parity = DemographicParity("sex", "0.05")
    within = OptimalTreeClassifier(max_depth=2, constraints=[parity]).fit(X, y)
    beside = OptimalTreeClassifier(max_depth=2, constraints=[parity, NeverColumns(("sex",))]).fit(X, y)
    apart = OptimalTreeClassifier(max_depth=2, constraints=[parity])
    apart.fit(X[["age", "score"]], y, sensitive_features=X[["sex"]])
    for model, columns in ((within, X), (beside, X), (apart, X[["age", "score"]])):
        answers = pd.Series(model.predict(columns) == "yes").groupby(X.sex).mean()
        assert answers.max() - answers.min() <= 0.05
    assert beside.cost_ == apart.cost_ >= within.cost_
    search = GridSearchCV(apart, {"max_depth": [1, 2]}, cv=3)
    search.fit(X[["age", "score"]], y, sensitive_features=X[["sex"]])
    assert search.best_estimator_.solution_.verified


def test_groups_are_crossed_by_name() -> None:
    """Pairs of a column of X and one passed to `fit` are compared, also in a grid search."""
    X, y = table()
    site = pd.Series(np.where(X.age % 3 == 0, "north", "south"), name="site")
    parity = DemographicParity("sex × site", "0.1")
    model = OptimalTreeClassifier(max_depth=2, constraints=[parity]).fit(X, y, sensitive_features=site)
    answers = pd.Series(model.predict(X) == "yes").groupby([X.sex, site]).mean()
    assert len(answers) == 4 and answers.max() - answers.min() <= 0.1
    free = OptimalTreeClassifier(max_depth=2).fit(X, y)
    unequal = pd.Series(free.predict(X) == "yes").groupby([X.sex, site]).mean()
    assert unequal.max() - unequal.min() > 0.1 and model.cost_ > free.cost_
    search = GridSearchCV(model, {"max_depth": [1, 2]}, cv=3).fit(X, y, sensitive_features=site)
    assert search.best_estimator_.solution_.verified


def test_groups_keep_the_order_of_the_rows() -> None:
    """The index of a series is ignored, and 'unknown' is a group like any other."""
    X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 1, 0, 0, 1, 1])
    groups = pd.Series(list("ababbaab"), index=[3, 0, 7, 2, 5, 1, 6, 4])
    parity = OptimalTreeClassifier(max_depth=2, constraints=[DemographicParity("G", 0, min_rows=1)])
    alone = parity.fit(X, y, sensitive_features={"G": groups.tolist()}).cost_
    assert parity.fit(X, y, sensitive_features={"G": groups, "H": pd.Series(range(8))}).cost_ == alone
    costs = {
        name: parity.fit(X, y, sensitive_features={"G": np.where(y == 1, name, "q")}).cost_
        for name in ("p", "unknown", "NA")
    }
    assert costs["p"] > 0 and len(set(costs.values())) == 1
    with pytest.raises(ConstraintError, match="must be a list"):
        OptimalTreeClassifier(constraints=iter([MaxErrors(3)])).fit(X, y)


def test_rows_are_identified_by_number() -> None:
    """Must-link rows are rows of X, counted from 1, in any order of the search."""
    X, y = table()
    free = OptimalTreeClassifier(max_depth=2).fit(X, y)
    leaves = free.apply(X)
    other = int(np.flatnonzero(leaves != leaves[0])[0])
    held = OptimalTreeClassifier(max_depth=2, constraints=[MustLink([[1, other + 1]])]).fit(X, y)
    assert held.apply(X)[0] == held.apply(X)[other] and held.cost_ >= free.cost_


def test_unsupported_constraints_are_refused_with_a_reason() -> None:
    """No feasible tree; an unknown kind, column or group; a method without support; weights that are not counts."""
    X, y = table()
    refusals = [
        ([MaxErrors(1)], ShapeError, "No tree"),
        ([{"kind": "never-column"}], ConstraintError, "never-column"),
        ("[", ConstraintError, "JSON"),
        ([NeverColumns(("agee",))], ConstraintError, "agee"),
        ([DemographicParity("ward", "0.1")], ConstraintError, "ward"),
        ([CannotLink([[1, 999]])], ConstraintError, "there is no row 999"),
    ]
    for constraints, error, reason in refusals:
        with pytest.raises(error, match=reason):
            OptimalTreeClassifier(max_depth=1, constraints=constraints).fit(X, y)
    with pytest.raises(UnsupportedError, match="SAT-BDD"):
        BinaryDecisionDiagramClassifier(max_depth=2, method="bdd-sat", constraints=[MinSensitivity("0.9")]).fit(X, y)
    with pytest.raises(DataError, match="whole numbers"):
        OptimalTreeClassifier(max_depth=1, constraints=[MaxErrors(50)]).fit(X, y, np.full(len(X), 0.5))
    with pytest.raises(DataError, match="3 rows"):
        OptimalTreeClassifier(constraints=[MaxErrors(50)]).fit(X, y, sensitive_features=["f", "m", "f"])


def test_constraints_are_searched_cloned_and_pickled() -> None:
    """A grid over constraints; a recommended size under one; copies that fit identically."""
    X, y = table()
    grid = {"constraints": [None, [MinSensitivity("0.9")]], "max_depth": [1, 2]}
    search = GridSearchCV(OptimalTreeClassifier(), grid, cv=3, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 4
    parallel = GridSearchCV(OptimalTreeClassifier(), grid, cv=3, n_jobs=2, error_score="raise").fit(X, y)
    scores = "mean_test_score"
    assert parallel.cv_results_[scores].tolist() == search.cv_results_[scores].tolist()
    held = OptimalTreeClassifier(max_depth=2, constraints=[MinSensitivity("0.95")])
    copies = [clone(held).fit(X, y), pickle.loads(pickle.dumps(held)).fit(X, y)]
    again = pickle.loads(pickle.dumps(copies[0]))
    assert (again.predict(X) == copies[1].predict(X)).all() and copies[0].cost_ == copies[1].cost_
    sized = OptimalTreeClassifierCV(OptimalTreeClassifier(constraints=held.constraints, time_limit=5), cv=2).fit(X, y)
    assert (sized.predict(X)[y == "yes"] == "yes").mean() >= 0.95
