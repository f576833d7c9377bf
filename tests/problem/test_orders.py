"""The orders of the splits and the 0/1 matrix: ranks, bits, texts and values of splits agree, row by row."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.errors import DataError
from solvers.problem import Column, Dataset, Kind, MissingPolicy, Schema, Thresholds, binary_view, question_orders
from solvers.problem.decimals import n_decimals
from tests.case_count import case_count
from tests.strategies import datasets, make_dataset

NAN = float("nan")


@given(datasets(max_rows=14, max_columns=3), st.integers(0, 2**31), st.sampled_from((0.6, 1.0)), st.booleans())
@settings(max_examples=case_count(300))
def test_every_split_agrees_with_its_ranks(dataset, seed, share, missing):
    """Between two adjacent ranks of a node, the predicate splits its raw rows exactly as the ranks do."""
    orders = question_orders(dataset)
    rows = np.flatnonzero(np.random.default_rng(seed).random(dataset.n_samples) < share)
    for i, spec in enumerate(orders.orders):
        values = dataset.X[rows, dataset.schema.index(spec.column.name)]
        for low, high in pairwise(np.unique(orders.rank[i, rows])):
            predicate, low_is_yes = orders.question(i, int(low), int(high), missing)
            np.testing.assert_array_equal(predicate.answer(values) == low_is_yes, orders.rank[i, rows] <= low)


@given(datasets(max_rows=12, max_columns=2))
@settings(max_examples=case_count(200))
def test_ranks_are_dense_and_shared_by_equal_values(dataset):
    """Ranks count from 0 without gaps, there are at least two, and they depend on the value alone."""
    orders = question_orders(dataset)
    assert orders.rank.shape == (len(orders), dataset.n_samples)
    for i, spec in enumerate(orders.orders):
        rank = orders.rank[i]
        np.testing.assert_array_equal(np.unique(rank), np.arange(rank.max() + 1))
        assert rank.max() >= 1
        values = dataset.X[:, dataset.schema.index(spec.column.name)]
        for a in range(dataset.n_samples):
            same = (values == values[a]) | (np.isnan(values) & np.isnan(values[a]))
            assert (rank[same] == rank[a]).all()


@given(datasets(max_rows=10, max_columns=1))
@settings(max_examples=case_count(300))
def test_all_splits_of_the_policy_are_offered(dataset):
    """The orders together have exactly the splits that the column's kind and the policy define."""
    orders = question_orders(dataset)
    offered = {
        frozenset((side(orders.rank[i] <= low), side(orders.rank[i] > low)))
        for i in range(len(orders))
        for low in range(int(orders.rank[i].max()))
    }
    assert offered == allowed_splits(dataset)


@given(datasets(max_rows=12, max_columns=3))
@settings(max_examples=case_count(200))
def test_twins_and_missing_ranks_are_correct(dataset):
    """A twin equals its order on the rows without missing values, and only missing rows have the missing rank."""
    orders = question_orders(dataset)
    for i in range(len(orders)):
        missing = np.isnan(dataset.X[:, orders.column[i]])
        twin = orders.twin[i]
        if twin >= 0:
            assert twin < i
            a, b = orders.rank[i, ~missing], orders.rank[twin, ~missing]
            np.testing.assert_array_equal(a - a.min(initial=99), b - b.min(initial=99))
        if orders.missing_rank[i] >= 0:
            np.testing.assert_array_equal(orders.rank[i] == orders.missing_rank[i], missing)


def test_dates_have_thresholds_at_days():
    """A split on a column of whole days is 'on or before a day', not at noon."""
    dataset = make_dataset({"seen": (Kind.DATE, [19000, 19001, 19010])}, [0, 1, 1])
    predicates = [question_orders(dataset).question(0, low, low + 1, False)[0] for low in (0, 1)]
    assert [predicate.words(dataset.schema) for predicate in predicates] == [
        "seen is 2022-01-08 or earlier",
        "seen is 2022-01-14 or earlier",
    ]


def test_splits_name_missing_values():
    """With missing values as information there are splits with 'or missing' and 'is missing'."""
    dataset = make_dataset({"bmi": (Kind.NUMERIC, [20, 30, NAN])}, [0, 1, 1])
    orders = question_orders(dataset)
    words = {
        orders.question(i, low, low + 1, False)[0].words(dataset.schema)
        for i in range(len(orders))
        for low in range(int(orders.rank[i].max()))
    }
    assert words == {"bmi is missing", "bmi is at most 25, or missing", "bmi is at most 25"}


def test_complete_cases_refuse_missing_values():
    """Under 'complete cases' a missing value is an error with column and remedy, not a rank out of range."""
    dataset = make_dataset({"bmi": (Kind.NUMERIC, [20, 30, NAN])}, [0, 1, 1], missing=MissingPolicy.COMPLETE)
    with pytest.raises(DataError, match=r"'bmi' has missing values.*Drop these rows"):
        question_orders(dataset)


def test_imputation_requires_a_fill_value():
    """A column with missing values must have one."""
    schema = Schema((Column("bmi", Kind.NUMERIC, has_missing=True),), MissingPolicy.IMPUTE)
    dataset = Dataset("t", schema, np.array([[1.0], [2.0], [NAN]]), np.array([0, 1, 1]), ("a", "b"), "y")
    with pytest.raises(DataError, match="'bmi' has missing values but no fill value"):
        question_orders(dataset)


def side(mask: np.ndarray) -> frozenset[int]:
    """The rows on one side."""
    return frozenset(np.flatnonzero(mask).tolist())


def allowed_splits(dataset: Dataset) -> set[frozenset]:
    """All splits of the rows on the first column, from the definition of each kind and policy."""
    column, x = dataset.schema.columns[0], dataset.X[:, 0]
    missing, policy = np.isnan(x), dataset.schema.missing
    if policy is MissingPolicy.IMPUTE and column.fill is not None:
        x = np.where(missing, column.fill, x)
    known = np.unique(x[~np.isnan(x)])
    masks = [x == v for v in known] if column.kind is Kind.CATEGORICAL else [x <= v for v in known]
    if policy is MissingPolicy.INFORMATION:
        masks += [mask | missing for mask in masks]
    if policy is not MissingPolicy.COMPLETE:
        masks.append(missing)
    return {frozenset((side(mask), side(~mask))) for mask in masks if mask.any() and not mask.all()}


@given(st.integers(-2000, 2000), st.integers(1, 60), st.integers(1, 4))
def test_thresholds_have_the_precision_of_the_data(first, step, decimals):
    """Between two decimals the threshold has as many decimals, and separates them."""
    low, high = first / 10**decimals, (first + step) / 10**decimals
    data = make_dataset({"x": (Kind.NUMERIC, [low, high])}, [0, 1])
    threshold = question_orders(data).question(0, 0, 1, missing=False)[0].operand
    assert low <= threshold < high
    precision = max(n_decimals(low), n_decimals(high))
    assert precision == 0 or n_decimals(threshold) <= precision


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
