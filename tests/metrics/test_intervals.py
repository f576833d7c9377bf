"""Wilson intervals, the intervals built on them, and the heterogeneity of shares between centres."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2
from statsmodels.stats.meta_analysis import combine_effects

from solvers.messages.division import describe_heterogeneity
from solvers.metrics import Estimate, Rate, difference, heterogeneity, mean_of_rates, rate, wilson

CASES = [(0, 1), (1, 1), (0, 10), (10, 10), (1, 10), (5, 10), (7, 9), (81, 263), (148, 148), (3, 100_000)]


@pytest.mark.parametrize(("k", "n"), CASES)
def test_wilson_is_the_published_interval(k, n):
    """The ends agree with scipy's, and are the roots of |share - p| = z sqrt(p (1 - p) / n)."""
    low, high = wilson(k / n, n)
    reference = binomtest(k, n).proportion_ci(0.95, method="wilson")
    assert (low, high) == pytest.approx((reference.low, reference.high), abs=1e-12)
    z = 1.959963984540054
    for p in (low, high):
        if 0 < p < 1:
            assert abs(k / n - p) == pytest.approx(z * math.sqrt(p * (1 - p) / n), rel=1e-9)


@settings(derandomize=True, deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_an_interval_contains_its_share(hits):
    """0 <= low <= value <= high <= 1, also at the ends."""
    r = rate(np.array(hits))
    assert 0 <= r.low <= r.value <= r.high <= 1
    assert (r.k, r.n) == (sum(hits), len(hits))


def test_a_share_of_no_rows_is_none():
    """It is not 0."""
    assert rate(np.zeros(0, bool)) == Rate(None, None, None, 0, 0, 0)
    assert rate(np.zeros(0, bool), np.zeros(0)) == Rate(None, None, None, 0, 0, 0)


def test_weights_change_the_share_and_widen_the_interval():
    """The share is weighted, the interval is that of the effective number of rows, and counts are not weighted."""
    hits, weight = np.array([True, False, True, False]), np.array([3.0, 1.0, 1.0, 1.0])
    r = rate(hits, weight)
    assert r.value == pytest.approx(4 / 6)
    assert (r.low, r.high) == pytest.approx(wilson(4 / 6, 36 / 12))
    assert (r.k, r.n) == (2, 4)


@settings(derandomize=True, deadline=None)
@given(*[st.lists(st.tuples(st.booleans(), st.floats(0.1, 5)), min_size=1, max_size=40)] * 2, st.booleans())
def test_a_difference_combines_the_ends_of_both_shares(first, second, weighted):
    """Newcombe's formula on the two Wilson intervals, with and without weights, from share to share at the ends."""
    a, b = (
        rate(np.array([hit for hit, _ in rows]), np.array([w for _, w in rows]) if weighted else None)
        for rows in (first, second)
    )
    found = difference(a, b)
    below = math.hypot(a.value - a.low, b.high - b.value)
    above = math.hypot(a.high - a.value, b.value - b.low)
    assert found == pytest.approx((a.value - b.value, a.value - b.value - below, a.value - b.value + above), abs=1e-9)
    assert -1 <= found.low <= found.value <= found.high <= 1


def test_a_mean_of_shares_combines_their_intervals():
    """The mean of one share keeps its interval; for two equal shares the interval is narrower by the root of two."""
    r = rate(np.arange(50) < 20)
    assert mean_of_rates([r]) == pytest.approx(r[:3])
    both = mean_of_rates([r, r, Rate(None, None, None, 0, 0, 0)])
    assert both.value == pytest.approx(0.4)
    assert both.high - both.value == pytest.approx((r.high - r.value) / math.sqrt(2))
    assert mean_of_rates([]) == Estimate(None, None, None)


def share(k: int, n: int):
    """A share of counts."""
    return rate(np.arange(n) < k)


@given(st.lists(st.tuples(st.integers(1, 200), st.floats(0, 1)), min_size=2, max_size=8))
def test_q_and_i_squared_are_those_of_statsmodels(centres):
    """On the log odds with 0.5 added to each count; centres without rows are ignored."""
    counts = [(int(part * n), n) for n, part in centres]
    right = np.array([k + 0.5 for k, _ in counts])
    wrong = np.array([n - k + 0.5 for k, n in counts])
    with np.errstate(divide="ignore"):
        known = combine_effects(np.log(right / wrong), 1 / right + 1 / wrong)
    found = heterogeneity([*(share(k, n) for k, n in counts), share(0, 0)])
    assert found.n == len(counts)
    assert found.q == pytest.approx(known.q, abs=1e-9)
    if known.q > 1e-9:  # a smaller q is rounding error
        assert found.i2 == pytest.approx(max(0.0, known.i2), abs=1e-9)
        assert found.p == pytest.approx(chi2.sf(known.q, len(counts) - 1), abs=1e-9)


def test_equal_centres_do_not_differ_and_one_centre_has_no_result():
    """In figures and in text."""
    assert heterogeneity([share(8, 10)]) is None and describe_heterogeneity("Accuracy", [share(8, 10)]) == ""
    assert heterogeneity([share(8, 10)] * 3)[1:] == (0.0, 1.0, 0.0)
    assert "no more than by chance" in describe_heterogeneity("Accuracy", [share(8, 10), share(7, 10)])
    words = describe_heterogeneity("Accuracy", [share(90, 100), share(50, 100)])
    assert (
        words.startswith("Accuracy differs between centres by more than chance: Cochran's Q = 3") and "p < 0" in words
    )
