"""Typed columns: texts and numbers become matrix values, and values become text again."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.errors import DataError
from solvers.problem import Column, Kind, Schema

AGE = Column("age", Kind.NUMERIC)
SEX = Column("sex", Kind.BINARY, ("female", "male"))
STAGE = Column("stage", Kind.ORDERED, ("I", "II", "III"))
SEEN = Column("seen", Kind.DATE)
BOTH = Schema((AGE, SEX))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_numbers_survive_their_text_exactly(values):
    """A number written with all its digits is restored bit for bit, whatever the other cells."""
    texts = pd.Series([*map(repr, values), ""], dtype=str)
    np.testing.assert_array_equal(AGE.encode(texts), [*values, np.nan])


@given(st.lists(st.sampled_from([*STAGE.levels, "", "?", "NA", " II "]), min_size=1, max_size=20))
def test_levels_are_their_positions(cells):
    """Each level is its position, surrounding blanks are ignored, and the usual marks are missing."""
    expected = [STAGE.levels.index(c.strip()) if c.strip() in STAGE.levels else np.nan for c in cells]
    np.testing.assert_array_equal(STAGE.encode(pd.Series(cells, dtype=str)), expected)


@given(st.datetimes(dt.datetime(1600, 1, 1), dt.datetime(2400, 1, 1)).map(lambda d: d.replace(microsecond=0, fold=0)))
def test_dates_survive_a_round_trip(moment):
    """A date, or a time to the second, is restored from its text."""
    value = SEEN.encode(pd.Series([moment.isoformat()]))
    assert SEEN.encode(pd.Series([SEEN.format(value[0])])) == pytest.approx(value, abs=1e-6)


def test_frames_of_any_types_are_read():
    """A user's data frame may have floats, integers, Booleans, timestamps and None."""
    np.testing.assert_array_equal(AGE.encode(pd.Series([1, 2])), [1, 2])
    np.testing.assert_array_equal(AGE.encode(pd.Series([1, None, "3.5"], dtype=object)), [1, np.nan, 3.5])
    flag = Column("flag", Kind.BINARY, ("False", "True"))
    np.testing.assert_array_equal(flag.encode(pd.Series([True, False])), [1, 0])
    code = Column("code", Kind.CATEGORICAL, ("1", "2", "3"))
    np.testing.assert_array_equal(code.encode(pd.Series([2.0, np.nan, 3.0])), [1, np.nan, 2])
    np.testing.assert_array_equal(SEEN.encode(pd.Series(pd.to_datetime(["1970-01-03", None]))), [2, np.nan])


def test_levels_are_matched_as_numbers_and_without_case():
    """'1.0' is the level '1' and 'Male' is 'male', but only if a single level matches."""
    assert Column("code", Kind.BINARY, ("1", "2")).encode(pd.Series(["1.0"]))[0] == 0
    assert SEX.encode(pd.Series(["MALE"]))[0] == 1
    both = Column("unit", Kind.CATEGORICAL, ("mg", "Mg", "g"))
    assert list(both.encode(pd.Series(["Mg", "mg"]))) == [1, 0]
    with pytest.raises(DataError, match="'MG' in row 1"):
        both.encode(pd.Series(["MG"]))


def test_a_level_may_look_like_a_missing_mark():
    """If 'none' is a level, it is not missing."""
    pain = Column("pain", Kind.ORDERED, ("none", "mild", "severe"))
    np.testing.assert_array_equal(pain.encode(pd.Series(["none", "", "severe"])), [0, np.nan, 2])


@pytest.mark.parametrize(
    ("column", "cells", "message"),
    [
        (AGE, ["1", "abc", "x", "abc"], r"'age' holds numbers, but 3 of 4 rows have text \(first: 'abc' in row 2\)"),
        (AGE, ["1", "2_1"], r"1 of 2 rows have text \(first: '2_1' in row 2\)"),
        (AGE, ["1", "inf"], r"'age' has an infinite value in row 2"),
        (AGE, ["1e999"], r"infinite value in row 1"),
        (AGE, [1.0, np.inf], r"'age' has an infinite value in row 2"),
        (SEX, ["male", "other"], r"'sex' has the level 'other' in row 2.*known levels: female, male"),
        (SEEN, ["2024-01-01", "03/04/2024"], r"'seen' holds dates, but row 2 has '03/04/2024'.*year-month-day"),
    ],
)
def test_invalid_cells_are_refused(column, cells, message):
    """The error names column, row, cell and remedy."""
    with pytest.raises(DataError, match=message):
        column.encode(pd.Series(cells))
    assert column.encode(pd.Series(cells), strict=False)[-1] == np.inf, "a matter of its row"
    assert column.never_had(np.array([np.inf]))[0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Column("a", Kind.CATEGORICAL), "has no levels"),
        (lambda: Column("a", Kind.ORDERED, ("x", "x")), "names a level twice"),
        (lambda: Column("a", Kind.BINARY, ("x", "y", "z")), "must have 2 levels, but has 3"),
        (lambda: Schema((AGE, AGE)), "'age' appears twice"),
        (lambda: Schema((AGE,))["bmi"], "no column 'bmi'. Columns: age"),
        (
            lambda: BOTH.encode(pd.DataFrame({"sex": ["male"]})),
            "The model needs these columns. The table lacks 'age'. It has: sex",
        ),
        (lambda: BOTH.encode(pd.DataFrame({"x": ["1"]})), "lacks 'age', 'sex'"),
        (lambda: BOTH.encode(pd.DataFrame([[1, 2]], columns=["age", "age"])), "column 'age' appears twice"),
        (lambda: BOTH.encode(pd.DataFrame({"age": ["1"], "sex": ["diverse"]})), "not in the training data"),
    ],
)
def test_invalid_columns_and_tables_are_refused(make, message):
    """A schema is checked when it is created; a table for prediction must have its columns and levels."""
    with pytest.raises(DataError, match=message):
        make()


def test_a_prediction_table_may_have_extra_columns_in_any_order():
    """Columns are found by name; unknown ones are ignored, and those that the model does not use may be absent."""
    frame = pd.DataFrame({"sex": ["male"], "shoe size": ["42"], "age": ["50"]})
    np.testing.assert_array_equal(BOTH.encode(frame), [[50, 1]])
    np.testing.assert_array_equal(BOTH.encode(frame[["sex"]], frozenset({"sex"})), [[np.nan, 1]])


@pytest.mark.parametrize(("value", "words"), [(50.0, "50"), (0.1, "0.1"), (1e300, "1e+300"), (np.nan, ""), (-0.0, "0")])
def test_numbers_are_written_in_their_shortest_form(value, words):
    """The shortest text that is read as the same number."""
    assert AGE.format(value) == words
