"""The 0/1 matrix: each bit is the value of its split, none is constant and none is repeated."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from solvers.errors import ShapeError
from solvers.problem import Kind, Thresholds, binary_view, question_orders
from tests.case_count import case_count
from tests.strategies import datasets, make_dataset

NAN = float("nan")


@given(datasets(max_rows=14))
@settings(max_examples=case_count(200))
def test_bits_are_the_values_of_their_splits(dataset):
    """Every bit has a text with its meaning, and differs from all others."""
    view = binary_view(dataset)
    assert view.bits.shape == (dataset.n_samples, len(view.predicates))
    for j, predicate in enumerate(view.predicates):
        column = dataset.schema.index(predicate.column)
        assert view.family[j] == column
        np.testing.assert_array_equal(view.bits[:, j], predicate.answer(dataset.X[:, column]))
        assert 0 < view.bits[:, j].sum() < dataset.n_samples
    seen = [(int(f), bits.tobytes()) for f, bits in zip(view.family, view.bits.T, strict=True)]
    assert len(set(seen)) == len(seen)


@given(datasets(max_rows=14))
def test_all_thresholds_include_every_split(dataset):
    """Each boundary of each order is a bit or the complement of one."""
    view, orders = binary_view(dataset), question_orders(dataset)
    have = {(int(f), bits.tobytes()) for f, bits in zip(view.family, view.bits.T, strict=True)}
    for i in range(len(orders)):
        for low in range(int(orders.rank[i].max())):
            bit = (orders.rank[i] <= low).astype(np.uint8)
            assert {(int(orders.column[i]), b.tobytes()) for b in (bit, 1 - bit)} & have


@given(datasets(max_rows=14))
def test_quantiles_are_a_subset_of_all_thresholds(dataset):
    """The quantile view has bits of the full view, at most one per edge of a bin."""
    full, some = binary_view(dataset), binary_view(dataset, Thresholds.QUANTILES, 3)
    assert set(some.names) <= set(full.names)


def test_quantiles_divide_a_number_into_equal_parts():
    """Ten bins of a hundred values are nine thresholds, ten rows apart; there is also a split on 'is missing'."""
    values = list(range(100))
    view = binary_view(make_dataset({"a": (Kind.NUMERIC, values)}, [0, 1] * 50), Thresholds.QUANTILES, 10)
    assert sorted(view.bits.sum(0).tolist()) == list(range(10, 100, 10))
    view = binary_view(make_dataset({"a": (Kind.NUMERIC, [*values, NAN])}, [0, 1] * 50 + [1]), Thresholds.QUANTILES, 10)
    assert "a is missing" in view.names


def test_equal_bits_far_apart_are_both_kept():
    """Regression: columns 256 apart with equal bits were taken for one."""
    columns = {f"x{j}": (Kind.NUMERIC, [0, 1] if j in (0, 256) else [0, 0]) for j in range(257)}
    assert binary_view(make_dataset(columns, [0, 1])).names == ("x0 is at most 0.5", "x256 is at most 0.5")


def test_one_bin_is_refused():
    """A split needs at least two bins."""
    with pytest.raises(ShapeError, match="at least 2"):
        binary_view(make_dataset({"a": (Kind.NUMERIC, [0, 1])}, [0, 1]), Thresholds.QUANTILES, 1)
