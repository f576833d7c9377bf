"""Net benefit by hand, and properties that hold for any model."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.errors import DataError
from solvers.metrics import decision_curve


def curve(risk, positive, *thresholds, weight=None):
    """The curve at these thresholds."""
    return decision_curve(np.array(risk, float), np.array(positive, bool), np.array(thresholds), weight)


def values(found):
    """The net benefits without their intervals."""
    return [one.value for one in found.model]


def test_net_benefit_by_hand():
    """Ten people, four ill: at 20% the model treats five and finds three: 3/10 - 2/10 * 1/4 = 0.25."""
    risk = [0.9, 0.9, 0.5, 0.5, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1]
    ill = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    found = curve(risk, ill, 0.2, 0.5, 0.6)
    assert values(found) == pytest.approx([0.25, 3 / 10 - 1 / 10, 2 / 10])
    assert found.everyone == pytest.approx((4 / 10 - 6 / 10 / 4, 4 / 10 - 6 / 10, 4 / 10 - 6 / 10 * 1.5))
    assert found.n == 10
    # at 20%, treat-all is as good: 0.25
    assert found.useful() == (False, True, True)


def test_a_risk_at_the_threshold_is_treated():
    """This also holds if the quotient of two counts differs from the decimal in its last bit."""
    assert values(curve([3 / 10, 0.1 + 0.2], [1, 1], 0.3)) == [1.0]


def test_treating_all_has_no_benefit_over_treat_all():
    """Not even by the last bit of a sum, however narrow the interval."""
    ill = np.random.default_rng(4).random(250) < 0.124
    same = decision_curve(np.full(250, 0.5), ill, np.linspace(0.01, 0.1, 10))
    assert not any(same.useful()) and not any(same.surely_useful())


def test_weights_count_as_repeated_rows():
    """A row of weight 2 counts as two."""
    heavy = curve([0.9, 0.4, 0.3], [1, 0, 1], 0.35, weight=np.array([2.0, 1.0, 1.0]))
    assert values(heavy) == pytest.approx(values(curve([0.9, 0.9, 0.4, 0.3], [1, 1, 0, 1], 0.35)))


@given(n=st.integers(2, 40), threshold=st.integers(1, 99).map(lambda t: t / 100), seed=st.integers(0, 2**32 - 1))
def test_intervals_are_those_of_a_mean_over_the_rows(n: int, threshold: float, seed: int) -> None:
    """Each row's contribution is written down and averaged, for the model and against the better default."""
    random = np.random.default_rng(seed)
    risk, ill = random.choice([0.1, 0.4, 0.8], n), random.random(n) < random.random()
    worth = np.where(ill, 1.0, -threshold / (1 - threshold))
    own = worth * (risk >= threshold)
    best = worth if worth.mean() > 0 else np.zeros(n)
    found = curve(risk, ill, threshold)
    for interval, rows in ((found.model[0], own), (found.gain[0], own - best)):
        half = 1.959963984540054 * rows.std(ddof=1) / np.sqrt(n)
        assert interval == pytest.approx((rows.mean(), rows.mean() - half, rows.mean() + half), abs=1e-7)


def test_invalid_thresholds_are_refused():
    """1 means certainty, a risk is not below 0, and without rows there is nothing to compute."""
    for wrong in (-0.1, 1.0):
        with pytest.raises(DataError, match="at least 0 and less than 1"):
            curve([0.5], [1], wrong)
    with pytest.raises(DataError, match="at least one row"):
        curve([], [], 0.5)
