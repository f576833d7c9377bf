"""Texts that differ only in Unicode normalization are equal."""

from __future__ import annotations

import unicodedata

import numpy as np
import pandas as pd
import pytest

from solvers import OptimalTreeClassifier
from solvers.constraints import DemographicParity, MaxErrors, Who
from solvers.errors import DataError
from solvers.problem import Column, Kind, Preparation, Request, build, read_table, table_of_frame
from solvers.problem.preparation import Replace

COMPOSED = "männlich"
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)
OLD_HEADER, HEADER = unicodedata.normalize("NFD", "größe"), "größe"


def rows() -> pd.DataFrame:
    """Twenty rows in which one level, one class and one header have two spellings."""
    sex = np.array([COMPOSED, "w"] * 10, object)
    sex[::4] = DECOMPOSED
    return pd.DataFrame({OLD_HEADER: sex, "n": np.arange(20) % 3, "y": np.where(sex == "w", "w", sex)})


@pytest.mark.parametrize("from_file", [False, True])
def test_spellings_of_classes_levels_and_headers_are_merged(from_file: bool) -> None:
    """The table has one level, one class and a composed header."""
    frame = rows()
    table = read_table(frame.to_csv(index=False).encode()) if from_file else table_of_frame(frame, "t")
    assert table.names == (HEADER, "n", "y")
    made = build(table, Request(target="y", positive=DECOMPOSED, features=(OLD_HEADER,), groups=(OLD_HEADER,)))
    assert made.dataset.classes == (COMPOSED, "w") and made.dataset.positive == 0
    assert made.dataset.schema[HEADER].levels == (COMPOSED, "w")
    assert made.dataset.groups[0].levels == (COMPOSED, "w")


def test_two_headers_of_one_spelling_are_refused() -> None:
    """The error names both columns."""
    with pytest.raises(DataError, match=f"'{HEADER}' appears twice .columns 1 and 2."):
        table_of_frame(pd.DataFrame({OLD_HEADER: [1, 2], HEADER: [3, 4]}), "t")


def test_an_estimator_merges_spellings_of_levels() -> None:
    """A tree that separates the rows has no error, whatever the spelling of a level or a header."""
    X, y = rows()[[OLD_HEADER]], np.where(rows()["y"] == "w", "w", COMPOSED)
    model = OptimalTreeClassifier(max_depth=1).fit(X, y)
    assert model.cost_ == 0 and model.classes_.tolist() == [COMPOSED, "w"] and model.score(X, y) == 1
    for sex in (COMPOSED, DECOMPOSED):
        for header in (OLD_HEADER, HEADER):
            new = pd.DataFrame({header: [sex, "w"]})
            assert model.predict(new).tolist() == [COMPOSED, "w"]
            assert model.diagram_.predict(new).tolist() == [0, 1]


def test_labels_keep_their_spelling() -> None:
    """Decomposed labels stay decomposed if no other spelling occurs."""
    y = [DECOMPOSED, "w"] * 5
    model = OptimalTreeClassifier(max_depth=1).fit(np.arange(10)[:, None] % 2, y)
    assert model.predict([[0]]).tolist() == [DECOMPOSED] and model.score(np.arange(10)[:, None] % 2, y) == 1


def test_constraints_and_steps_ignore_the_spelling() -> None:
    """Names and levels in constraints and preparation steps match in any spelling."""
    assert DemographicParity(OLD_HEADER, 0) == DemographicParity(HEADER, 0)
    assert Who(OLD_HEADER, DECOMPOSED) == Who(HEADER, COMPOSED)
    assert Replace(OLD_HEADER, (DECOMPOSED, "w"), "x") == Replace(HEADER, (COMPOSED, "w"), "x")
    joined = Preparation((Replace(OLD_HEADER, (DECOMPOSED, "w"), "x"),))
    assert set(joined.apply(table_of_frame(rows(), "t")).table.frame[HEADER]) == {"x"}
    assert Column(HEADER, Kind.BINARY, (DECOMPOSED, "w")).encode(pd.Series([COMPOSED])).tolist() == [0]
    X, y = rows()[["n"]], rows()["y"] == "w"
    model = OptimalTreeClassifier(max_depth=1, constraints=[DemographicParity(HEADER, 1, min_rows=1), MaxErrors(20)])
    model.fit(X, y, sensitive_features={OLD_HEADER: rows()[OLD_HEADER]})
    assert model.solution_.verified
