"""Splits: values, text, thresholds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from solvers.errors import PredicateError
from solvers.problem import Column, Kind, Op, Predicate, Schema
from solvers.problem.predicate import simple_threshold

NAN = float("nan")
SCHEMA = Schema(
    (
        Column("bmi", Kind.NUMERIC, has_missing=True),
        Column("sex", Kind.BINARY, ("female", "male")),
        Column("stage", Kind.ORDERED, ("I", "II", "III")),
        Column("ward", Kind.CATEGORICAL, ("A", "B", "C"), has_missing=True),
        Column("seen", Kind.DATE),
    )
)
FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(FINITE, FINITE)
@example(1.0, math.nextafter(1.0, 2.0))
@example(-1.7e308, 1.7e308)
@example(0.0, 5e-324)
@example(-5e-324, 5e-324)
def test_a_threshold_is_between_its_neighbours(a, b):
    """low <= t < high holds for every pair of numbers, including adjacent floats and extremes."""
    assume(a != b)
    low, high = min(a, b), max(a, b)
    assert low <= simple_threshold(low, high) < high


@pytest.mark.parametrize(
    ("low", "high", "threshold"), [(17.3, 17.9, 17.6), (106.1, 117.2, 110.0), (50, 51, 50.5), (0, 1, 0.5), (-3, 4, 0.0)]
)
def test_a_threshold_is_a_short_number(low, high, threshold):
    """It has the fewest decimals near the middle."""
    assert simple_threshold(low, high) == threshold


@pytest.mark.parametrize(
    ("predicate", "yes"),
    [
        (Predicate("bmi", Op.LE, 30.0, False), [True, True, False, False]),
        (Predicate("bmi", Op.LE, 30.0, True), [True, True, False, True]),
        (Predicate("bmi", Op.IS, 30.0, False), [False, True, False, False]),
        (Predicate("bmi", Op.IS, 30.0, True), [False, True, False, True]),
        (Predicate("bmi", Op.MISSING, None, True), [False, False, False, True]),
    ],
)
def test_values_are_compared_with_the_threshold(predicate, yes):
    """The side of a missing value is part of the split."""
    np.testing.assert_array_equal(predicate.answer(np.array([20, 30, 30.1, NAN])), yes)


@pytest.mark.parametrize(
    ("predicate", "if_yes", "if_no"),
    [
        (Predicate("bmi", Op.LE, 30.0, True), "bmi is at most 30, or missing", "bmi is more than 30"),
        (Predicate("bmi", Op.LE, 30.5, False), "bmi is at most 30.5", "bmi is more than 30.5, or missing"),
        (Predicate("bmi", Op.MISSING, None, True), "bmi is missing", "bmi is known"),
        (Predicate("sex", Op.IS, 1.0, True), "sex is male", "sex is female"),
        (Predicate("stage", Op.LE, 1.0, True), "stage is I or II", "stage is III"),
        (Predicate("ward", Op.IS, 2.0, False), "ward is C", "ward is not C, or missing"),
        (Predicate("seen", Op.LE, 19000.0, False), "seen is 2022-01-08 or earlier", "seen is after 2022-01-08"),
    ],
)
def test_the_text_has_the_words_of_the_user(predicate, if_yes, if_no):
    """Columns and levels are named, and 'or missing' is added if the column has missing values."""
    assert (predicate.words(SCHEMA), predicate.words(SCHEMA, False)) == (if_yes, if_no)


def test_the_text_can_omit_missing_values():
    """A caller that knows whether values are missing may say so."""
    predicate = Predicate("bmi", Op.LE, 30.0, True)
    assert predicate.words(SCHEMA, mention_missing=False) == "bmi is at most 30"
    assert Predicate("stage", Op.LE, 0.0, True).words(SCHEMA, mention_missing=True) == "stage is I, or missing"


@pytest.mark.parametrize(
    ("op", "value", "missing"),
    [
        (Op.LE, None, False),
        (Op.LE, math.inf, False),
        (Op.IS, NAN, False),
        (Op.MISSING, 1.0, True),
        (Op.MISSING, None, False),
    ],
)
def test_invalid_splits_are_refused(op, value, missing):
    """A comparison needs a finite value; 'is missing' has none, and missing rows are on its yes side."""
    with pytest.raises(PredicateError):
        Predicate("bmi", op, value, missing)
