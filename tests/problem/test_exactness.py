"""Numbers with many digits, and the largest floats, which never overflow."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.errors import DataError
from solvers.magnitude import midpoint
from solvers.problem import (
    Column,
    Kind,
    LinearPredicate,
    Schema,
    build_dataset,
    infer_columns,
    table_of_frame,
)
from solvers.problem.predicate import simple_threshold
from solvers.problem.quality import issues
from tests.case_count import case_count

LARGEST = 1.79e308


def outcome(n: int) -> list[str]:
    """Two classes in turn."""
    return ["no" if i % 2 else "yes" for i in range(n)]


def test_integers_above_2_to_53_are_identifiers_unless_chosen() -> None:
    """Record numbers of 17 digits are omitted unless chosen."""
    frame = pd.DataFrame({"record": 10**16 + np.arange(8), "b": [1, 2, 3, 1, 2, 3, 1, 2], "y": outcome(8)})
    table = table_of_frame(frame, "t")
    assert [report.identifier for report in infer_columns(table)] == [True, False, False]
    assert build_dataset(table, "y").schema.names == ("b",)
    assert build_dataset(table, "y", features=["record", "b"]).schema.names == ("record", "b")


def test_a_level_does_not_match_another_integer_with_the_same_float() -> None:
    """The level 9007199254740992 does not match 9007199254740993."""
    column = Column("ward", Kind.CATEGORICAL, ("9007199254740993", "1", "x"))
    assert column.encode(pd.Series(["9007199254740993", "1.0"])).tolist() == [0, 1]
    with pytest.raises(DataError, match="has the level '9007199254740992'"):
        column.encode(pd.Series(["9007199254740992"]))


FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(FINITE, FINITE)
@settings(max_examples=case_count(300))
def test_midpoints_never_overflow(a: float, b: float) -> None:
    """The midpoint of two finite numbers, and a threshold between them, are finite and between them."""
    low, high = min(a, b), max(a, b)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert low <= midpoint(np.float64(low), np.float64(high)) <= high
        threshold = simple_threshold(low, high)
    assert low == high or low <= threshold < high


def test_the_largest_floats_make_a_finite_table_without_warnings() -> None:
    """Columns near the largest float get a finite fill value, and their checks do not overflow."""
    huge = np.array([-LARGEST, LARGEST] * 20)
    frame = pd.DataFrame({"a": huge, "b": LARGEST - np.arange(40) * 1e300, "y": outcome(20) + outcome(20)[::-1]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = build_dataset(table_of_frame(frame, "t"), "y", kinds={"a": Kind.NUMERIC})
        assert [math.isfinite(column.fill or 0) for column in data.schema.columns] == [True, True]
        assert data.schema["a"].fill == 0
        list(issues(data))


def test_weighted_sums_of_the_largest_floats_are_exact() -> None:
    """A sum whose terms overflow and cancel is compared exactly, without a warning."""
    schema = Schema((Column("a", Kind.NUMERIC), Column("b", Kind.NUMERIC)))
    X = np.array([[1e308, 1e308], [1e308, 0.9e308], [-1e308, -0.9e308], [1e308, np.nan], [1.0, 2.0]])
    question = LinearPredicate(("a", "b"), (5.0, -5.0), 10.0, True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert question.values(schema, X)[[0, 4]].tolist() == [0.0, -5.0]
        assert question.holds(schema, X).tolist() == [True, False, True, True, True]
