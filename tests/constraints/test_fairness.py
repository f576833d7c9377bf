"""Fairness constraints limit the same values that the fairness metrics show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.constraints import (
    DemographicParity,
    DemographicParityRatio,
    EqualisedOdds,
    EqualisedOddsRatio,
    EqualOpportunity,
    EqualOpportunityRatio,
    PredictiveEquality,
    PredictiveEqualityRatio,
    Severity,
)
from solvers.metrics import Criterion, fairness
from solvers.problem import Dataset, Group, Kind, Problem
from tests.case_count import case_count
from tests.constraints.trees import random_tree, with_groups
from tests.strategies import datasets, make_dataset

PAIRS = {
    Criterion.PARITY: (DemographicParity, DemographicParityRatio),
    Criterion.OPPORTUNITY: (EqualOpportunity, EqualOpportunityRatio),
    Criterion.EQUALITY: (PredictiveEquality, PredictiveEqualityRatio),
}


@settings(derandomize=True, deadline=None, max_examples=case_count(150))
@given(dataset=datasets(), seed=st.integers(0, 2**32 - 1), min_rows=st.sampled_from((1, 2, 3)))
def test_values_equal_the_metrics(dataset: Dataset, seed: int, min_rows: int) -> None:
    """Differences and ratios equal those of `solvers.metrics.fairness`, and are undefined for the same groups."""
    rng = np.random.default_rng(seed)
    dataset = with_groups(dataset, rng)
    shift = Group("shift", ("day", "night"), rng.integers(-1, 2, dataset.n_samples))
    dataset = replace(dataset, groups=(*dataset.groups, shift))
    tree = random_tree(dataset, rng, depth=2)
    for column in (
        ("ward", "ward × shift") if ((dataset.groups[0].codes >= 0) & (shift.codes >= 0)).any() else ("ward",)
    ):
        metric = fairness(dataset, tree.predict(dataset), column, min_rows=min_rows)
        for name, (gap, ratio) in PAIRS.items():
            disparity = metric.disparities[name]
            assert gap(column, 0, min_rows=min_rows).value(tree, dataset) == near(disparity.difference.value)
            assert ratio(column, 0, min_rows=min_rows).value(tree, dataset) == near(disparity.ratio)
        odds = metric.disparities[Criterion.ODDS]
        if odds.difference.value is not None:
            assert EqualisedOdds(column, 0, min_rows=min_rows).value(tree, dataset) == near(odds.difference.value)
            assert EqualisedOddsRatio(column, 0, min_rows=min_rows).value(tree, dataset) == near(odds.ratio)


def near(value: float | None) -> object:
    """The value up to rounding; `None` stays `None`."""
    return None if value is None else pytest.approx(value, abs=1e-12)


def table() -> Dataset:
    """Five women and four men; no man has the positive class, and one row has no sex."""
    sex = Group("sex", ("female", "male"), [0, 0, 0, 0, 0, 1, 1, 1, 1, -1])
    dataset = make_dataset({"x": (Kind.NUMERIC, range(10))}, [1, 1, 0, 0, 0, 0, 0, 0, 0, 1])
    return replace(dataset, positive=1, groups=(sex,))


def test_groups_without_rows_for_a_rate_are_reported() -> None:
    """A group without positive rows is left out of equal opportunity, which then has no groups to compare."""
    found = EqualOpportunity("sex", "0.05").check(Problem(table()))
    assert {f.severity for f in found} == {Severity.NOTE}
    text = " ".join(f.text for f in found)
    assert "because the group has no row: male" in text
    assert "Fewer than two groups can be compared" in text
    assert "1 row has no group" in text
    assert EqualOpportunity("sex", "0.05").rules(Problem(table())) == ()


def test_the_limit_is_exact() -> None:
    """Rates of 2 in 5 and 1 in 4 differ by 3/20: a limit of 15% holds, a slightly lower one does not."""
    dataset = table()
    answers = np.array([1, 1, 0, 0, 0, 1, 0, 0, 0, 1])
    for limit, holds in (("0.15", True), ("0.149999", False), ("3/20", True)):
        sums = DemographicParity("sex", limit).rules(Problem(dataset))
        totals = [int(rule.by_label[np.arange(10), answers].sum()) for rule in sums]
        assert all(total <= rule.limit for total, rule in zip(totals, sums, strict=True)) == holds


def test_weights_that_are_too_fine_are_an_error_before_solving() -> None:
    """A sum beyond 64 bits is refused with a message, not computed wrongly."""
    fine = replace(table(), weight=20000 + np.arange(1, 11) / 1000)
    (error,) = (f for f in DemographicParityRatio("sex", "0.123456789").check(Problem(fine)) if f.severity != "note")
    assert error.severity is Severity.ERROR
    assert "too fine" in error.text
    assert all(f.severity is Severity.NOTE for f in DemographicParityRatio("sex", "0.8").check(Problem(fine)))


def test_a_positive_class_is_needed() -> None:
    """Without a positive class the constraint is invalid, unless it names one."""
    dataset = replace(table(), positive=None)
    (error,) = DemographicParity("sex", "0.05").check(Problem(dataset))
    assert error.severity is Severity.ERROR
    assert "Choose the positive class" in error.text
    assert all(f.severity is Severity.NOTE for f in DemographicParity("sex", 0, "class 1").check(Problem(dataset)))
