"""Thresholds that a column may have, compared with trying every multiple."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.problem.threshold_set import ThresholdSet

UNITS = st.sampled_from([None, "0.000001", "0.05", "0.1", "0.25", "0.3", "1", "2", "5", "7", "20", "1000"])
VALUES = st.one_of(
    st.integers(-60, 60).map(float),
    st.integers(-600, 600).map(lambda n: n / 10),
    st.floats(-1e6, 1e6, allow_nan=False).filter(lambda x: x == 0 or abs(x) > 1e-9),
)


def made(unit: str | None, low: float = -math.inf, high: float = math.inf) -> ThresholdSet:
    """The multiples of a unit in a range."""
    return ThresholdSet(low, high, None if unit is None else Fraction(unit))


def first_permitted(permitted: ThresholdSet, low: float, high: float) -> float | None:
    """The smallest allowed threshold t with low <= t < high, as a fraction."""
    least: Fraction | float = max(low, permitted.low)
    if permitted.unit is not None and math.isfinite(least):
        k = math.floor(Fraction(least) / permitted.unit) - 1
        while float(k * permitted.unit) < least:
            k += 1
        least = float(k * permitted.unit)
    return float(least) if least < high and least <= permitted.high else None


@given(UNITS, st.lists(VALUES, min_size=2, max_size=8, unique=True), st.tuples(VALUES, VALUES), VALUES)
def test_a_gap_has_a_threshold_if_it_contains_a_multiple(unit, values, ends, wanted):
    """Gaps, and the threshold of each, agree with trying multiples one by one; it is a nearest one."""
    for permitted in (made(unit), made(unit, *sorted(ends))):
        ordered = np.sort(values)
        assert permitted.covers(ordered)
        parting = permitted.parting(ordered).tolist()
        for low, high, parts in zip(ordered[:-1].tolist(), ordered[1:].tolist(), parting, strict=True):
            first = first_permitted(permitted, low, high)
            threshold = permitted.between(low, high, wanted)
            assert parts == (first is not None) == (threshold is not None)
            if threshold is None:
                continue
            assert low <= threshold < high and threshold in permitted
            if permitted.unit is not None:
                for k in (-1, 1):
                    other = float(Fraction(repr(threshold)) + k * permitted.unit)
                    nearer = abs(other - wanted) < abs(threshold - wanted) * (1 - 1e-9)
                    assert not nearer or not (low <= other < high and permitted.low <= other <= permitted.high)


def test_a_split_on_missing_values_has_no_threshold():
    """It is allowed whatever the thresholds."""
    assert made("5").parting(np.array([np.nan, 1.0, 2.0, 5.0])).tolist() == [True, False, False]
    assert made("5").parting(np.array([4.0, 5.0, 6.0, np.nan])).tolist() == [False, True, True]


def test_two_sets_share_the_thresholds_that_both_allow():
    """Multiples of both units, in both ranges."""
    both = made("0.4", 0, 9) & made("0.6", -3, 7)
    assert (both.low, both.high, both.unit) == (0, 7, Fraction("1.2"))
    assert (made(None) & made("5")).unit == 5 and (made(None) & made(None)).unit is None


@pytest.mark.parametrize(
    ("unit", "largest", "fits"), [("0.000001", 1e8, True), ("0.000001", 1e10, False), ("5", 1e14, True)]
)
def test_multiples_with_too_many_digits_are_not_covered(unit, largest, fits):
    """Beyond 15 digits a float differs from the decimal that it prints."""
    assert made(unit).covers(np.array([1.0, np.nan, -largest])) is fits
