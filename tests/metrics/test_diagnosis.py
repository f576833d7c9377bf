"""Figures of predictions and risks agree with scipy, fairlearn and scikit-learn, and with examples by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from fairlearn.metrics import (
    demographic_parity_difference,
    demographic_parity_ratio,
    equal_opportunity_difference,
    equalized_odds_difference,
    equalized_odds_ratio,
)
from scipy.stats import binomtest
from sklearn.metrics import brier_score_loss, roc_auc_score

from solvers.errors import DataError
from solvers.methods import get
from solvers.metrics import (
    Criterion,
    brier,
    diagnose,
    diagnosis,
    fairness,
    grouped_calibration,
    leaf_calibration,
    likelihood_ratios,
    predictive_values,
    roc_area,
)
from solvers.metrics.risks import calibration_band
from solvers.problem import Limits, Problem, Shape, sample_dataset
from tests.case_count import case_count
from tests.explain.worlds import never


def hits(k: int, n: int) -> np.ndarray:
    """k of n."""
    return np.arange(n) < k


def tree(key: str, **changes: object):
    """A greedy tree of a sample, and its rows."""
    dataset = sample_dataset(key, **changes)
    problem = Problem(dataset, Shape(max_depth=3))
    return get("cart").run(problem, Limits(), lambda event: None, never).diagram, dataset


def test_likelihood_ratios_of_empty_cells_have_one_finite_end():
    """Without false positives LR+ has only a lower end; without false negatives LR- is 0 with an upper end."""
    positive, negative = likelihood_ratios(found=10, missed=0, alarms=0, spared=20)
    assert positive.value is None and positive.high is None and 1 < positive.low < 41
    assert negative.value == negative.low == 0 and 0 < negative.high < 1
    assert likelihood_ratios(0, 0, 3, 4) == ((None,) * 3, (None,) * 3)
    assert likelihood_ratios(0, 5, 0, 5)[0] == (None, None, None)


def test_predictive_values_at_a_prevalence_by_hand():
    """Sensitivity 90% and specificity 80%, prevalence 1%: of 1,000 people 9 of 207 predicted positives are ill."""
    ratios = likelihood_ratios(90, 10, 20, 80)
    found = predictive_values(*ratios, 0.01)
    assert found.ppv.value == pytest.approx(9 / 207)
    assert found.npv.value == pytest.approx(792 / 793)
    assert found.ppv.low < found.ppv.value < found.ppv.high and found.npv.low < found.npv.value < found.npv.high
    same = predictive_values(*ratios, 0.5)
    assert (same.ppv.value, same.npv.value) == pytest.approx((90 / 110, 80 / 90))
    # the logit of PPV is that of the prevalence plus ln LR+
    assert same.ppv.low / (1 - same.ppv.low) == pytest.approx(ratios[0].low)


def test_predictive_values_without_false_positives():
    """PPV is then 100% with a lower end below it; a prevalence of 0 or 1 is refused."""
    found = predictive_values(*likelihood_ratios(10, 0, 0, 20), 0.1)
    assert found.ppv.value == 1 and found.ppv.high == 1 and 0 < found.ppv.low < 0.9
    assert found.npv.value == 1 and found.npv.low < 1
    with pytest.raises(DataError, match="more than 0 and less than 1"):
        predictive_values(*likelihood_ratios(10, 0, 0, 20), 1.0)


@pytest.mark.parametrize("seed", range(case_count(6)))
def test_brier_score_and_roc_area_are_those_of_scikit_learn(seed):
    """With ties, and with weights for odd seeds."""
    rng = np.random.default_rng(seed)
    y, risk = rng.integers(0, 2, 60), rng.integers(0, 6, 60) / 5
    weight = rng.uniform(0.5, 3, 60) if seed % 2 else None
    shares = np.column_stack((1 - risk, risk))
    found = brier(shares, y, 1, weight)
    assert found.score.value == pytest.approx(brier_score_loss(y, risk, sample_weight=weight))
    assert found.score.low < found.score.value < found.score.high
    assert brier(shares, y, None, weight).score.value == pytest.approx(2 * found.score.value)
    area = roc_area(risk, y == 1, weight)
    assert area.value == pytest.approx(roc_auc_score(y, risk, sample_weight=weight))
    assert area.low < area.value < area.high


def test_roc_area_variance_by_hand():
    """DeLong's variance of 3 positives and 2 negatives, from its definition; a perfect order has no interval."""
    risk, positive = np.array([0.9, 0.6, 0.3, 0.5, 0.2]), np.array([1, 1, 1, 0, 0], bool)
    found = roc_area(risk, positive)
    # each positive is above 2/2, 2/2 and 1/2 of the negatives; each negative below 2/3 and 3/3 of the positives
    variance = np.var([1, 1, 0.5], ddof=1) / 3 + np.var([2 / 3, 1], ddof=1) / 2
    area = 5 / 6
    half = 1.959964 * math.sqrt(variance) / (area * (1 - area))
    assert found.value == pytest.approx(area)
    assert math.log(found.high / (1 - found.high)) == pytest.approx(math.log(5) + half, rel=1e-5)
    assert roc_area(np.array([0.1, 0.9]), np.array([False, True])) == (1.0, None, None)


def test_three_classes_have_overall_figures_and_figures_against_the_rest():
    """Without a class only overall figures exist; with a class, figures compare it with the other two."""
    diagram, dataset = tree("iris")
    alike = diagnose(diagram, dataset, None)
    assert alike.sensitivity is alike.area is alike.positive_ratio is None and len(alike.by_class) == 3
    one = diagnose(diagram, dataset, 1)
    assert one.sensitivity == alike.by_class[1].recall and one.prevalence.value == pytest.approx(1 / 3)
    with pytest.raises(DataError, match="one of the 3"):
        diagnose(diagram, dataset, 3)


def test_integer_weights_give_the_values_of_repeated_rows():
    """A row of weight 3 changes every value as three rows do; intervals use the effective number."""
    diagram, dataset = tree("triage")
    times = 1 + (np.arange(dataset.n_samples) % 3)
    heavy = diagnose(diagram, replace(dataset, weight=times.astype(float)), dataset.positive)
    many = diagnose(diagram, dataset.take(np.repeat(np.arange(dataset.n_samples), times)), dataset.positive)
    for name in ("accuracy", "sensitivity", "ppv", "positive_ratio", "negative_ratio", "area", "balanced_accuracy"):
        one, other = getattr(heavy, name), getattr(many, name)
        assert one.value == pytest.approx(other.value)
        assert one.high - one.low > other.high - other.low
    assert heavy.brier.score.value == pytest.approx(many.brier.score.value)


def test_risks_must_fit_the_rows():
    """There must be one risk for each row and class."""
    diagram, dataset = tree("iris")
    with pytest.raises(DataError, match="150 rows and 3 classes"):
        diagnosis(dataset, diagram.predict(dataset), np.ones((150, 2)), None)


def test_calibration_of_other_rows_by_hand():
    """Risks come from the training rows, shares from the others; their mean difference is reported."""
    diagram, dataset = tree("triage")
    some = dataset.take(np.arange(0, dataset.n_samples, 7))
    found = leaf_calibration(diagram, some, dataset.positive)
    at, risks = diagram.apply(some), diagram.predict_proba(some)[:, dataset.positive]
    for point in found.points:
        here = at == point.node
        assert point.observed.n == here.sum()
        if here.any():
            assert point.risk == pytest.approx(risks[here][0])
            assert point.observed.value == pytest.approx((some.y[here] == dataset.positive).mean())
    assert found.expected == pytest.approx(risks.mean())
    assert found.in_the_large.value == pytest.approx((some.y == dataset.positive).mean() - risks.mean())


def test_groups_of_similar_risks_cover_all_rows():
    """Equal risks stay in one group, means and counts add up, and there are at most ten groups."""
    rng = np.random.default_rng(3)
    risk, positive = rng.integers(0, 40, 300) / 40, rng.random(300) < 0.4
    found = grouped_calibration(risk, positive, 1)
    assert len(found.points) <= 10
    assert sum(p.observed.n for p in found.points) == 300 and sum(p.observed.k for p in found.points) == positive.sum()
    assert sum(p.risk * p.observed.n for p in found.points) == pytest.approx(risk.sum())
    few = grouped_calibration(np.array([0.2, 0.2, 0.9]), np.array([True, False, True]), 1)
    assert [(p.risk, p.observed.k, p.observed.n) for p in few.points] == [(pytest.approx(0.2), 1, 2), (0.9, 1, 1)]


def ends_by_definition(risk, positive, at):
    """The band at a risk, from every run of adjacent risks, with the exact limits of scipy."""
    known = np.unique(risk)
    each = 0.05 / (len(known) * (len(known) + 1))
    low, high = [0.0], [1.0]
    for first in known:
        for last in known[known >= first]:
            here = (risk >= first) & (risk <= last)
            exact = binomtest(int(positive[here].sum()), int(here.sum())).proportion_ci(1 - 2 * each, method="exact")
            low += [exact[0]] * int(last <= at)
            high += [exact[1]] * int(first >= at)
    return max(low), min(high)


def test_the_band_is_the_tightest_of_simultaneous_exact_limits():
    """At each risk, between risks and beyond them, from the definition; equal weights change nothing."""
    rng = np.random.default_rng(5)
    for n, m in ((1, 1), (6, 2), (60, 4), (90, 7)):
        risk, positive = rng.integers(1, m + 1, n) / (m + 1), rng.random(n) < rng.random()
        band = calibration_band(risk, positive)
        assert list(band.low) == sorted(band.low) and list(band.high) == sorted(band.high)
        for at in (0.0, *np.unique(risk), *(np.unique(risk) + 0.01), 1.0):
            assert band.at(at) == pytest.approx(ends_by_definition(risk, positive, at), abs=1e-12)
        assert np.allclose(calibration_band(risk, positive, np.full(n, 2.5)), band)


@pytest.mark.parametrize(("key", "column"), [("lending", "sex"), ("triage", "language"), ("breast_cancer", "radius")])
def test_fairness_is_that_of_fairlearn(key, column):
    """Differences and ratios between groups on three samples; one has a numeric column, divided into thirds."""
    names = sample_dataset(key).schema.names
    column = next(name for name in names if column in name)
    diagram, dataset = tree(key, groups=(column,))
    predicted = diagram.predict(dataset)
    found = fairness(dataset, predicted, column, min_rows=1)
    about = {
        "y_true": (dataset.y == dataset.positive).astype(int),
        "y_pred": (predicted == dataset.positive).astype(int),
        "sensitive_features": dataset.groups[0].codes,
    }
    parity, opportunity, odds = (
        found.disparities[one] for one in (Criterion.PARITY, Criterion.OPPORTUNITY, Criterion.ODDS)
    )
    assert parity.difference.value == pytest.approx(demographic_parity_difference(**about))
    assert parity.ratio == pytest.approx(demographic_parity_ratio(**about))
    assert opportunity.difference.value == pytest.approx(equal_opportunity_difference(**about))
    assert odds.difference.value == pytest.approx(equalized_odds_difference(**about))
    assert odds.ratio == pytest.approx(equalized_odds_ratio(**about))
