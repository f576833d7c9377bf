"""Heterogeneity between centres agrees with the usual formulas of a meta-analysis."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from statsmodels.stats.meta_analysis import combine_effects

from solvers.messages.division import describe_heterogeneity
from solvers.metrics import heterogeneity, rate


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
