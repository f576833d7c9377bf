"""Net benefit by hand, and what must hold of it for any model."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.errors import DataError
from solvers.metrics import decision_curve


def curve(risk, positive, *thresholds, weight=None):
    """The curve at these thresholds."""
    return decision_curve(np.array(risk, float), np.array(positive, bool), np.array(thresholds), weight)


def test_net_benefit_by_hand():
    """Ten people, four ill: at 20 % the model acts on five and finds three: 3/10 - 2/10 * 1/4 = 0.25."""
    risk = [0.9, 0.9, 0.5, 0.5, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1]
    ill = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    found = curve(risk, ill, 0.2, 0.5, 0.6)
    assert found.model == pytest.approx((0.25, 3 / 10 - 1 / 10, 2 / 10))
    assert found.everyone == pytest.approx((4 / 10 - 6 / 10 / 4, 4 / 10 - 6 / 10, 4 / 10 - 6 / 10 * 1.5))
    assert (found.n, found.n_positive) == (10, 4)
    # at 20 % acting on everyone is as good: 0.25
    assert found.useful() == (False, True, True)


def test_a_risk_at_the_threshold_is_acted_on():
    """Also where the quotient of two counts misses the decimal by its last bit."""
    assert curve([3 / 10, 0.1 + 0.2], [1, 1], 0.3).model == (1.0,)


def test_acting_on_all_is_a_model_that_says_one_to_all():
    """And a model that says zero to all has no net benefit."""
    ill = np.random.default_rng(1).random(50) < 0.3
    thresholds = np.linspace(0.01, 0.99, 99)
    sure = decision_curve(np.ones(50), ill, thresholds)
    assert sure.model == pytest.approx(sure.everyone)
    assert set(decision_curve(np.zeros(50), ill, thresholds).model) == {0.0}
    # where the threshold is the prevalence acting on everyone comes to nothing
    assert curve([1] * 10, [1] * 3 + [0] * 7, 0.3).everyone == pytest.approx((0.0,))


def test_no_model_beats_knowing_the_truth():
    """The net benefit of any risks is at most the prevalence, which perfect risks reach at every threshold."""
    rng = np.random.default_rng(2)
    ill = rng.random(80) < 0.4
    thresholds = np.linspace(0.05, 0.95, 19)
    perfect = decision_curve(ill.astype(float), ill, thresholds)
    assert perfect.model == pytest.approx([ill.mean()] * 19)
    assert max(decision_curve(rng.random(80), ill, thresholds).model) <= ill.mean()


def test_weights_count_as_repeated_rows():
    """A row of weight 2 counts as two."""
    heavy = curve([0.9, 0.4, 0.3], [1, 0, 1], 0.35, weight=np.array([2.0, 1.0, 1.0]))
    assert heavy.model == pytest.approx(curve([0.9, 0.9, 0.4, 0.3], [1, 1, 0, 1], 0.35).model)


def test_what_is_no_threshold_is_refused():
    """0 and 1 are certainty, and without rows there is nothing to say."""
    for wrong in (0.0, 1.0):
        with pytest.raises(DataError, match="more than 0 and less than 1"):
            curve([0.5], [1], wrong)
    with pytest.raises(DataError, match="at least one row"):
        curve([], [], 0.5)
