"""The bars of a split: each side sums to the rows on that side, in the order of the values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.diagram import Diagram, Leaf, Split
from solvers.diagram.labels import BARS_HEIGHT, Bars, bar_heights
from solvers.metrics import node_bars
from solvers.metrics.distributions import MOST_BARS
from solvers.problem import (
    Column,
    Dataset,
    Kind,
    LinearPredicate,
    MissingPolicy,
    Op,
    Predicate,
    Schema,
    ShapeKind,
)

LEVELS = tuple("abcdefghijklmnop")
COLUMNS = (
    Column("age", Kind.NUMERIC, has_missing=True, integral=True),
    Column("bmi", Kind.NUMERIC, has_missing=True),
    Column("stage", Kind.ORDERED, LEVELS[:4], has_missing=True),
    Column("ward", Kind.CATEGORICAL, LEVELS, has_missing=True),
    Column("sex", Kind.BINARY, ("female", "male"), has_missing=True),
)
SCHEMA = Schema(COLUMNS, MissingPolicy.INFORMATION)

QUESTIONS = st.one_of(
    st.builds(lambda t, m: Predicate("age", Op.LE, float(t), m), st.integers(-5, 45), st.booleans()),
    st.builds(lambda t, m: Predicate("bmi", Op.LE, t, m), st.floats(-50, 50), st.booleans()),
    st.builds(lambda t, m: Predicate("stage", Op.LE, float(t), m), st.integers(0, 2), st.booleans()),
    st.builds(lambda t, m: Predicate("ward", Op.IS, float(t), m), st.integers(0, 15), st.booleans()),
    st.builds(lambda t, m: Predicate("sex", Op.IS, float(t), m), st.integers(0, 1), st.booleans()),
    st.sampled_from([Predicate(c.name, Op.MISSING, None, True) for c in COLUMNS]),
    st.builds(lambda t, m: LinearPredicate(("age", "bmi"), (0.3, -0.7), t, m), st.floats(-50, 50), st.booleans()),
)


def rows(seed: int, n: int) -> Dataset:
    """Rows of all kinds of columns, with some missing values."""
    rng = np.random.default_rng(seed)
    span = int(rng.integers(1, 41))
    X = np.column_stack(
        [rng.integers(0, span, n), rng.normal(0, 20, n), *(rng.integers(0, k, n) for k in (4, 16, 2))]
    ).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    return Dataset("made", SCHEMA, X, rng.integers(0, 3, n).astype(np.int32), ("x", "y", "z"), "outcome", None)


def asking(question: Predicate | LinearPredicate) -> Diagram:
    """A tree with one split."""
    nodes = (Split(question, 1, 2), Leaf(0, (0.0,) * 3), Leaf(1, (0.0,) * 3))
    return Diagram(ShapeKind.TREE, SCHEMA, ("x", "y", "z"), "outcome", None, nodes)


@given(question=QUESTIONS, seed=st.integers(0, 10_000), n=st.integers(1, 60))
def test_each_side_sums_to_its_rows(question: Predicate | LinearPredicate, seed: int, n: int):
    """By class, without the rows that have no value; the text states their number."""
    data = rows(seed, n)
    found = node_bars(asking(question), data).get(0)
    linear = isinstance(question, LinearPredicate)
    values = question.values(SCHEMA, data.X) if linear else data.X[:, SCHEMA.index(question.column)]
    known = ~np.isnan(values) | (not linear and question.op is Op.MISSING)
    if found is None:
        assert not known.any()
        return
    yes = question.holds(SCHEMA, data.X)
    for side, bars in ((yes, found.weights[: found.cut]), (~yes, found.weights[found.cut :])):
        assert np.array_equal(bars.sum(axis=0), np.bincount(data.y[side & known], minlength=3))
    assert len(found.weights) <= MOST_BARS + 2
    assert found.words.endswith(f", {(~known).sum()} missing") == bool((~known).any())


@pytest.mark.parametrize(
    ("values", "threshold", "bars", "cut"),
    [
        # one bar per value, from the minimum to the maximum
        ([1, 1, 2, 4], 2, [2, 1, 0, 1], 2),
        ([1, 1, 2, 4], 3, [2, 1, 0, 1], 3),
        # all on one side
        ([3, 4], 9, [1, 1], 2),
        ([3, 4], 1, [1, 1], 0),
        ([5], 5, [1], 1),
    ],
)
def test_each_of_few_whole_numbers_has_a_bar(values: list[int], threshold: float, bars: list[int], cut: int):
    """The cut is after the last value up to the threshold; a value that does not occur leaves a gap."""
    X = np.full((len(values), len(COLUMNS)), 0.0)
    X[:, 0] = values
    data = Dataset("made", SCHEMA, X, np.zeros(len(values), np.int32), ("x", "y", "z"), "outcome", None)
    found = node_bars(asking(Predicate("age", Op.LE, float(threshold), False)), data)[0]
    assert found.weights[:, 0].tolist() == bars
    assert found.cut == cut
    assert found.words == f"{min(values)} to {max(values)}"
    # a bar of a whole number has it in its middle
    middles = found.at + np.arange(len(bars)) - cut + 0.5
    assert middles.tolist() == list(range(min(values), max(values) + 1))


def test_bars_of_numbers_are_in_the_order_of_the_values():
    """No value of a bar is above a value of a later one, and the highest bar fills the height."""
    data = rows(1, 500)
    threshold = 3.3
    found = node_bars(asking(Predicate("bmi", Op.LE, threshold, False)), data)[0]
    values = data.X[:, 1][~np.isnan(data.X[:, 1])]
    width = (values.max() - values.min()) / MOST_BARS
    assert (found.at, found.width) == (threshold, width)
    edges = found.at + found.width * np.arange(-found.cut, len(found.weights) - found.cut + 1)
    assert np.array_equal(found.weights.sum(axis=1), np.histogram(values, edges)[0])
    assert bar_heights(found).sum(axis=1).max() == BARS_HEIGHT


def test_a_bar_of_one_row_is_visible():
    """One row beside a thousand has a height of one point, and no rows have none."""
    heights = bar_heights(Bars(np.array([[1000.0, 1.0], [0.0, 1.0], [0.0, 0.0]]), 1, ""))
    assert heights[2].sum() == 0 and heights[1].tolist() == [0, 1] and heights[0].sum() == BARS_HEIGHT
