"""Limits with confidence: the exact binomial limit, and the equivalent number of rows."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from solvers.constraints import (
    EqualisedOdds,
    MinAccuracy,
    MinSensitivity,
    Severity,
    Who,
    from_json,
)
from solvers.constraints.confidence import lower_limit, margin, need
from solvers.errors import ConstraintError
from solvers.methods import get
from solvers.problem import Dataset, Group, Kind, Problem
from solvers.solution import Status
from tests.case_count import case_count
from tests.constraints.trees import random_tree
from tests.methods.running import solve
from tests.strategies import datasets, make_dataset

CONFIDENCES = st.sampled_from([Fraction(n, 1000) for n in (500, 800, 900, 950, 990, 999)])
SHARES = st.integers(1, 100).map(lambda n: Fraction(n, 100))


def tail(k: int, n: int, share: Fraction) -> Fraction:
    """The exact probability of at least k of n."""
    return sum((math.comb(n, i) * share**i * (1 - share) ** (n - i) for i in range(k, n + 1)), Fraction(0))


@given(n=st.integers(1, 5000), data=st.data(), confidence=CONFIDENCES)
def test_the_limit_agrees_with_scipy(n: int, data: st.DataObject, confidence: Fraction) -> None:
    """The limit is the one-sided Clopper-Pearson limit, to nine decimals and never above it."""
    k = data.draw(st.integers(0, n))
    low = binomtest(k, n, alternative="greater").proportion_ci(float(confidence), "exact").low
    assert float(lower_limit(k, n, confidence)) == pytest.approx(low, abs=2e-9)
    assert float(lower_limit(k, n, confidence)) <= low + 1e-12


@settings(deadline=None)
@given(n=st.integers(1, 60), share=SHARES, confidence=CONFIDENCES)
def test_need_is_the_fewest_rows_that_show_the_share(n: int, share: Fraction, confidence: Fraction) -> None:
    """Compared with the binomial distribution in exact fractions."""
    enough = [k for k in range(n + 1) if k and tail(k, n, share) <= 1 - confidence]
    assert need(share, n, confidence) == min(enough, default=n + 1)


@settings(derandomize=True, deadline=None, max_examples=case_count(60))
@given(dataset=datasets(), share=SHARES, confidence=CONFIDENCES, seed=st.integers(0, 2**32 - 1))
def test_weights_count_as_repeated_rows(dataset: Dataset, share: Fraction, confidence: Fraction, seed: int) -> None:
    """A row of weight 3 equals three rows, in the value and in the limit."""
    rng = np.random.default_rng(seed)
    times = rng.integers(1, 4, dataset.n_samples)
    plain = replace(dataset, weight=None)
    repeated, weighted = plain.take(np.repeat(np.arange(dataset.n_samples), times)), replace(plain, weight=times * 1.0)
    tree = random_tree(plain, rng, depth=2)
    constraint = MinAccuracy(share, confidence=confidence)
    assert constraint.value(tree, weighted) == constraint.value(tree, repeated)
    assert bool(constraint.violations(tree, weighted)) == bool(constraint.violations(tree, repeated))


def test_fractional_weights_are_refused() -> None:
    """The finding states the reason; without a confidence the same constraint is valid."""
    dataset = make_dataset({"x": (Kind.NUMERIC, [1, 2, 3])}, [0, 1, 1], weight=[1, 0.5, 2])
    (finding,) = MinAccuracy("0.5", confidence="0.9").check(Problem(dataset))
    assert finding.severity is Severity.ERROR and "not whole numbers" in finding.text
    assert MinAccuracy("0.5").check(Problem(dataset))[0].severity is Severity.NOTE


def test_too_few_rows_are_reported_before_solving() -> None:
    """28 of 28 do not show 90% with 95% confidence, 29 of 29 do: 0.9 ** 29 < 5%."""
    for n, severity in ((28, Severity.IMPOSSIBLE), (29, Severity.NOTE)):
        dataset = make_dataset({"x": (Kind.NUMERIC, range(n + 1))}, [0] + [1] * n)
        constraint = MinSensitivity("0.9", positive="class 1", confidence="0.95")
        (finding,) = constraint.check(Problem(dataset))
        assert finding.severity is severity, finding.text
    assert constraint.words(dataset).endswith("is at least 90%, with 95% confidence")
    assert from_json(constraint.to_json()) == constraint


def test_a_group_without_rows_shows_nothing() -> None:
    """With a confidence the limit is impossible for an empty group; without one it always holds."""
    dataset = make_dataset({"x": (Kind.NUMERIC, range(6))}, [0, 1] * 3)
    plain = MinSensitivity("0.9", Who("x", low=50), positive="class 1")
    confident = MinSensitivity("0.9", Who("x", low=50), positive="class 1", confidence="0.95")
    for constraint, severity in ((plain, Severity.NOTE), (confident, Severity.IMPOSSIBLE)):
        (finding,) = constraint.check(Problem(dataset))
        assert finding.severity is severity and "There are no rows" in finding.text
    solution = solve(get("contree"), Problem(dataset, constraints=(confident,))).solution
    assert solution.status is Status.INFEASIBLE


@pytest.mark.parametrize("confidence", ["0.4", 1, "0.99999"])
def test_confidences_out_of_range_are_refused(confidence: object) -> None:
    """A confidence is at least 50% and at most 99.99%."""
    with pytest.raises(ConstraintError, match="Confidence: Enter a value between"):
        MinAccuracy("0.9", confidence=confidence)


def test_groups_too_small_for_the_confidence_are_reported() -> None:
    """Even equal shares of five and five may differ by 52% with 95% confidence."""
    dataset = make_dataset({"x": (Kind.NUMERIC, range(10))}, [0, 1] * 5)
    dataset = replace(dataset, groups=(Group("sex", ("f", "m"), np.array([0] * 5 + [1] * 5)),))
    found = EqualisedOdds("sex", "0.3", "class 1", confidence="0.95").check(Problem(dataset))
    assert [f.field for f in found if f.severity is Severity.IMPOSSIBLE] == ["confidence"]
    assert float(margin(5, 5, Fraction("0.95"))) == pytest.approx(0.5201, abs=1e-4)
