"""Two models on the same rows: the difference of paired shares with its interval, and McNemar's exact test."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.errors import DataError
from solvers.metrics import paired

TABLES = st.tuples(*(st.integers(0, 30) for _ in range(4))).filter(sum)
"""Rows that both models predict correctly, only the second, only the first, neither."""


def rows(both: int, second: int, first: int, neither: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows that the first and the second model predict correctly."""
    a = [True] * both + [False] * second + [True] * first + [False] * neither
    b = [True] * both + [True] * second + [False] * first + [False] * neither
    return np.array(a, bool), np.array(b, bool)


def test_the_interval_agrees_with_a_published_example():
    """The 21 children of Fagerland, Lydersen and Laake (2014): difference -0.286, Newcombe -0.507 to -0.026."""
    found = paired(*rows(1, 1, 7, 12))
    assert (found.n, found.gained, found.lost) == (21, 1, 7)
    assert found.difference == pytest.approx((-0.286, -0.507, -0.026), abs=0.0005)
    # 2 * (1 + 8) / 2 ** 8
    assert found.p == pytest.approx(0.0703125)


@given(TABLES)
def test_exchanging_the_models_negates_the_difference(table):
    """The ends are negated and exchanged, and the p-value is the same."""
    first, second = rows(*table)
    there, back = paired(first, second), paired(second, first)
    value, low, high = there.difference
    assert back.difference == pytest.approx((-value, -high, -low))
    assert -1 <= low <= value <= high <= 1
    assert (there.gained, there.lost, there.p) == (back.lost, back.gained, back.p)


@given(TABLES, st.integers(2, 5))
def test_equal_weights_change_nothing(table, weight):
    """The same weight in every row gives the same interval; a p-value exists for unweighted rows only."""
    first, second = rows(*table)
    weighted = paired(first, second, np.full(len(first), float(weight)))
    assert weighted.difference == pytest.approx(paired(first, second).difference)
    assert weighted.p is None


def test_weights_count_in_the_difference():
    """A row of weight 3 counts as three."""
    first, second = np.array([True, False, False]), np.array([False, True, False])
    assert paired(first, second, np.array([1.0, 3.0, 4.0])).difference.value == pytest.approx(2 / 8)


def test_invalid_comparisons_are_refused_or_empty():
    """Different numbers of rows are refused; without rows the result is empty."""
    with pytest.raises(DataError, match="the same rows"):
        paired(np.ones(3, bool), np.ones(4, bool))
    nothing = paired(np.ones(0, bool), np.ones(0, bool))
    assert (nothing.n, nothing.difference.value, nothing.p) == (0, None, None)
