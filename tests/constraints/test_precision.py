"""The predictive value of a prediction: plain, and with confidence by a linear bound below the exact limit."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from solvers.constraints import MinNPV, MinPPV, Severity
from solvers.constraints.confidence import AnswerLines, lower_limit
from solvers.errors import ConstraintError
from solvers.methods.trees.coupled.greedy_start import constant_trees
from solvers.problem import Dataset, Kind, Problem
from tests.case_count import case_count
from tests.constraints.trees import random_tree
from tests.strategies import datasets, make_dataset

CONFIDENCES = st.sampled_from([Fraction(n, 1000) for n in (500, 800, 950, 990)])
SHARES = st.integers(0, 1000).map(lambda n: Fraction(n, 1000))


@cache
def world(seed: int) -> Dataset:
    """Thirty rows of two columns that partly determine the class."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 4, (2, 30))
    y = (x[0] + x[1] + rng.normal(0, 1.2, 30) > 3).astype(int)
    dataset = make_dataset({f"x{j}": (Kind.NUMERIC, values) for j, values in enumerate(x)}, y, n_classes=2)
    return replace(dataset, positive=1)


@settings(derandomize=True, deadline=None, max_examples=case_count(40))
@given(dataset=datasets(), share=SHARES, seed=st.integers(0, 2**32 - 1))
def test_the_npv_of_a_class_is_the_ppv_of_the_other_one(dataset: Dataset, share: Fraction, seed: int) -> None:
    """With two classes, both have the same value and the same violations on any tree."""
    assume(dataset.n_classes == 2)
    tree = random_tree(dataset, np.random.default_rng(seed), depth=2)
    npv, ppv = MinNPV(share, positive=dataset.classes[0]), MinPPV(share, positive=dataset.classes[1])
    assert npv.value(tree, dataset) == ppv.value(tree, dataset)
    assert bool(npv.violations(tree, dataset)) == bool(ppv.violations(tree, dataset))


@settings(derandomize=True, deadline=None, max_examples=case_count(40))
@given(n=st.integers(0, 20), m=st.integers(0, 20), share=SHARES, confidence=CONFIDENCES, data=st.data())
def test_counts_that_pass_show_the_share(
    n: int, m: int, share: Fraction, confidence: Fraction, data: st.DataObject
) -> None:
    """Counts that pass have an exact limit of at least the share; their value is the largest share at which they
    pass.
    """
    lines = AnswerLines(n, m, confidence)
    line = lines.showing(share)
    for k in range(n + 1):
        for w in range(m + 1):
            shows = not share or (k > 0 and lower_limit(k, k + w, confidence) >= share)
            assert shows or not line.passes(k, w)
            assert line.passes(k, w) == (lines.shown(k, w) >= share)
    if share:
        exact = [k for k in range(1, n + 1) if lower_limit(k, k, confidence) >= share]
        assert line.passes(n, 0) or not exact or n < 5, "whether all right ones together show it is decided exactly"


@pytest.mark.parametrize("share", [50, 60, 70, 80, 90, 95])
@pytest.mark.parametrize(("n", "m"), [(30, 70), (100, 400), (300, 200)])
def test_the_line_is_near_the_exact_limit(n: int, m: int, share: int) -> None:
    """If at least a quarter of the class is selected, at most three fewer errors are allowed than by the exact
    limit.
    """
    line = AnswerLines(n, m, Fraction(95, 100)).showing(Fraction(share, 100))
    for k in range(n // 4, n + 1, n // 6):
        passing = sum(line.passes(k, w) for w in range(m + 1))
        assert not passing or lower_limit(k, k + passing - 1, Fraction(95, 100)) >= Fraction(share, 100)
        few = passing + 3
        assert few > m or lower_limit(k, k + few, Fraction(95, 100)) < Fraction(share, 100)


def test_millions_of_rows_are_approximated_safely() -> None:
    """For millions of rows only some counts are computed; the others are approximated conservatively."""
    lines = AnswerLines(2_000_000, 3_000_000, Fraction(95, 100))
    line = lines.showing(Fraction(9, 10))
    for k in (3_000, 500_000, 1_000_000, 2_000_000):
        w = line.right * (k - line.least) // line.wrong
        assert lower_limit(k, k + w, lines.confidence) >= Fraction(9, 10)
        assert w > 0.98 * 0.1 / 0.9 * k or k < 500_000


def test_a_class_that_is_never_predicted_shows_nothing() -> None:
    """Without confidence the constraint holds; with it the value is 0%, and the form states how many rows are
    needed.
    """
    dataset = world(0)
    nobody = next(constant_trees(Problem(dataset)))
    plain, confident = MinPPV("0.7"), MinPPV("0.7", confidence="0.8")
    assert (plain.value(nobody, dataset), plain.violations(nobody, dataset)) == (None, ())
    (broken,) = confident.violations(nobody, dataset)
    assert "no rows have the prediction 'class 1', so there is no evidence" in broken
    assert confident.value(nobody, dataset) == 0 and not MinPPV(0, confidence="0.8").violations(nobody, dataset)
    (note,) = plain.check(Problem(dataset))
    assert "never predicts 'class 1'" in note.text
    (note,) = confident.check(Problem(dataset))
    n = int((dataset.y == 1).sum())
    assert note.severity is Severity.NOTE
    assert f"There are {n} rows with outcome = class 1. The model must select at least 5 of them" in note.text
    (note,) = confident.check(Problem(dataset.take(np.flatnonzero(dataset.y == 1)[:1])))
    assert note.text.startswith("There is 1 row with outcome = class 1.")
    (finding,) = MinPPV("0.95", confidence="0.95").check(Problem(dataset))
    most = lower_limit(n, n, Fraction(95, 100))
    assert finding.severity is Severity.IMPOSSIBLE and f"only {float(100 * most):.3f}".rstrip("0") in finding.text


def test_weights_must_be_integers_under_a_confidence() -> None:
    """A row of weight 3 equals three rows; fractions are refused."""
    dataset = replace(world(1), weight=np.tile([1.0, 3.0], 15))
    repeated = replace(dataset, weight=None).take(np.repeat(np.arange(30), np.tile([1, 3], 15)))
    tree = random_tree(dataset, np.random.default_rng(3), depth=2)
    constraint = MinPPV("0.6", confidence="0.8")
    assert constraint.value(tree, dataset) == constraint.value(tree, repeated)
    with pytest.raises(ConstraintError, match="not whole numbers"):
        constraint.value(tree, replace(dataset, weight=dataset.weight / 2))
