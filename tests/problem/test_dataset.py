"""The typed table: its checks, its parts, and its contradictory rows."""

from __future__ import annotations

import pickle
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given

from solvers.errors import DataError
from solvers.problem import Column, Dataset, Group, Kind, Schema, cells, contradictions
from tests.strategies import datasets, make_dataset

NAN = float("nan")
SCHEMA = Schema((Column("a", Kind.NUMERIC), Column("b", Kind.BINARY, ("no", "yes"))))
X = np.array([[1.0, 0.0], [2.0, 1.0], [NAN, 1.0]])
Y = np.array([0, 1, 1])


@given(datasets(max_rows=12))
def test_contradictions_agree_with_counting(dataset):
    """Duplicates, contradictory rows and unavoidable errors equal those counted with a dictionary of rows."""
    classes = defaultdict(Counter)
    keys = [tuple("?" if np.isnan(v) else v for v in row) for row in dataset.X.tolist()]
    for key, label in zip(keys, dataset.y.tolist(), strict=True):
        classes[key][label] += 1
    found = contradictions(dataset)
    assert found.n_duplicates == dataset.n_samples - len(classes)
    assert found.unavoidable == sum(c.total() - max(c.values()) for c in classes.values())
    assert found.rows.tolist() == [i + 1 for i, key in enumerate(keys) if len(classes[key]) > 1]
    assert found.n_contradictory == len(found.rows)
    for together in (1, 2 * dataset.n_samples, 1 << 20):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("solvers.problem.dataset._TOGETHER", together)
            same = cells(dataset)
        assert all((same[i] == same[j]) == (keys[i] == keys[j]) for i in range(len(keys)) for j in range(i))


def test_negative_zero_is_zero():
    """Rows that differ only in the sign of a zero are the same."""
    dataset = make_dataset({"a": (Kind.NUMERIC, [0.0, -0.0])}, [0, 1])
    assert contradictions(dataset).unavoidable == 1


def test_rows_without_features_are_equal():
    """They form a single cell."""
    dataset = make_dataset({"a": (Kind.NUMERIC, [1.0, 2.0, 3.0])}, [0, 1, 1]).select([])
    assert contradictions(dataset).unavoidable == 1


@given(datasets(max_rows=10))
def test_a_dataset_survives_a_round_trip_through_text(dataset):
    """The table as text, read with the schema, gives the same matrix."""
    np.testing.assert_allclose(dataset.schema.encode(dataset.frame()), dataset.X, rtol=0, atol=0)


def test_arrays_are_read_only_and_their_sources_are_not():
    """Arrays of a dataset are read-only, and the arrays that it was made from remain writable."""
    source = np.zeros((4, 2))
    view = source[1:]
    dataset = Dataset("t", SCHEMA, view, Y, ("n", "y"), "out", weight=np.ones(3))
    for array in (dataset.X, dataset.y, dataset.weight, dataset.rows):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    view[0, 0] = 5
    assert source[1, 0] == 5


def test_the_fingerprint_identifies_a_dataset():
    """Equal tables have equal fingerprints, also after pickling; a changed cell, label, weight or class changes it."""
    base = Dataset("t", SCHEMA, X, Y, ("n", "y"), "out")
    changed = X.copy()
    changed[0, 0] = 9
    others = [
        Dataset("t", SCHEMA, changed, Y, ("n", "y"), "out"),
        Dataset("t", SCHEMA, X, 1 - Y, ("n", "y"), "out"),
        Dataset("t", SCHEMA, X, Y, ("n", "y"), "out", positive=1),
        Dataset("t", SCHEMA, X, Y, ("n", "y"), "out", weight=np.array([1, 2, 1.0])),
    ]
    assert len({base.fingerprint, *(other.fingerprint for other in others)}) == 5
    assert pickle.loads(pickle.dumps(base)).fingerprint == base.fingerprint


def test_taken_rows_keep_all_their_data():
    """Labels, weights, groups and row numbers are taken with their rows, by positions or by a mask."""
    dataset = Dataset(
        "t", SCHEMA, X, Y, ("n", "y"), "out", weight=np.array([1, 2, 3.0]), groups=(Group("g", ("u", "v"), [0, 1, -1]),)
    )
    for index in (np.array([2, 0]), np.array([True, False, True])):
        part = dataset.take(index)
        order = dataset.rows[index]
        assert part.rows.tolist() == order.tolist()
        assert part.weight.tolist() == order.tolist()
        assert part.groups[0].codes.tolist() == [{1: 0, 2: 1, 3: -1}[row] for row in order]
    assert dataset.select(["b"]).X.tolist() == [[0], [1], [1]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"X": np.zeros((3, 5))}, r"must be 3 x 2, but is \(3, 5\)"),
        ({"X": np.zeros((0, 2)), "y": np.zeros(0, int)}, "has no rows"),
        ({"X": np.array([[1, 0], [np.inf, 1], [0, 0]])}, "'a' has an infinite value in row 2"),
        ({"y": np.array([0, 1, 2])}, "one of the classes"),
        ({"y": np.array([0, 1, -1])}, "one of the classes"),
        ({"positive": 2}, "positive class must be one of n, y"),
        ({"weight": np.array([1, 0, 1.0])}, "must be positive"),
        ({"weight": np.array([1.0])}, "one per row"),
        ({"groups": (Group("g", ("u",), [0]),)}, "'g' must have one value per row"),
        ({"outcome": "a"}, "'a' is the outcome and cannot also be a feature"),
    ],
)
def test_invalid_datasets_are_refused(changes, message):
    """A dataset is checked when it is created."""
    with pytest.raises(DataError, match=message):
        Dataset(**({"name": "t", "schema": SCHEMA, "X": X, "y": Y, "classes": ("n", "y"), "outcome": "out"} | changes))
