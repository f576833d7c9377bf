"""The typed table: its checks, its parts, its contradictory rows, and the best single split of each column."""

from __future__ import annotations

import pickle
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.constraints import ScreenedFeatures, rules_of
from solvers.constraints.rules import Allowed
from solvers.errors import DataError
from solvers.methods import get
from solvers.problem import Column, Dataset, Group, Kind, MissingPolicy, Problem, Schema, Shape, cells, contradictions
from solvers.problem.dataset import single_errors
from tests.case_count import case_count
from tests.methods.running import solve
from tests.oracle.meaning import single_errors as slow_errors
from tests.oracle.table import Table
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


@pytest.mark.parametrize("policy", [MissingPolicy.INFORMATION, MissingPolicy.IMPUTE])
@pytest.mark.parametrize("seed", range(case_count(20)))
def test_errors_of_single_splits_equal_brute_force(seed, policy):
    """With thresholds and levels, missing values, weights and many classes."""
    rng = np.random.default_rng(seed)
    n, classes = int(rng.integers(1, 15)), tuple("abcd"[: int(rng.integers(2, 5))])
    X = rng.integers(0, 4, (n, 5)).astype(float)
    X[rng.random(X.shape) < 0.2 * (seed % 2)] = np.nan
    kinds = [Kind.CATEGORICAL if draw else Kind.NUMERIC for draw in rng.integers(0, 2, 5)]
    fills = [None if np.isnan(x).all() else float(np.nanmedian(x)) for x in X.T]
    fills = [
        fill if fill is None or kind is Kind.NUMERIC else np.floor(fill)
        for fill, kind in zip(fills, kinds, strict=True)
    ]
    columns = [
        Column(
            f"c{j}",
            kind,
            tuple("wxyz") if kind.has_levels else (),
            fill=fill,
            has_missing=bool(np.isnan(X[:, j]).any()),
        )
        for j, (kind, fill) in enumerate(zip(kinds, fills, strict=True))
    ]
    weight = rng.integers(1, 5, n).astype(float)
    data = Dataset(
        "drawn", Schema(tuple(columns), policy), X, rng.integers(0, len(classes), n), classes, "y", weight=weight
    )
    unordered = np.array([kind is Kind.CATEGORICAL for kind in kinds])
    expected = [slow_errors(Table(data), j, [Fraction(int(w)) for w in weight]) for j in range(5)]
    if policy is MissingPolicy.INFORMATION:
        assert single_errors(X, data.y, weight, unordered).tolist() == expected
    assert data.n_better_columns.tolist() == [sum(other < one for other in expected) for one in expected]


@settings(derandomize=True, deadline=None, max_examples=case_count(200))
@given(data=st.data(), dataset=datasets(max_rows=8, max_columns=4), number=st.integers(1, 3))
def test_best_columns_do_not_depend_on_the_order_of_columns(data: st.DataObject, dataset: Dataset, number: int) -> None:
    """The allowed columns, and therefore the optimum, are the same in any order of columns; ties are kept."""
    names = data.draw(st.permutations(dataset.schema.names))
    shape = Shape(max_depth=1)
    first, second = (
        Problem(table, shape, constraints=(ScreenedFeatures(number),)) for table in (dataset, dataset.select(names))
    )
    allowed = [
        {problem.dataset.schema.names[j] for rule in rules_of(problem).of(Allowed) for j in rule.columns}
        for problem in (first, second)
    ]
    assert allowed[0] == allowed[1]
    assert solve(get("contree"), first).solution.cost == solve(get("contree"), second).solution.cost


def test_best_columns_are_ranked_by_the_splits_of_imputed_columns() -> None:
    """The missing cell of c0 is on the side of its median, so c0 alone makes two errors and only c1 is allowed."""
    X = np.array([[1, 1], [4, 1], [2, 3], [np.nan, 1], [1, 2]])
    columns = (Column("c0", Kind.NUMERIC, fill=1.5, has_missing=True), Column("c1", Kind.NUMERIC))
    data = Dataset("t", Schema(columns, MissingPolicy.IMPUTE), X, np.array([1, 0, 1, 0, 0]), ("a", "b"), "y")
    solution = solve(get("contree"), Problem(data, Shape(max_depth=2), constraints=(ScreenedFeatures(1),))).solution
    assert solution.cost == 1
    assert {node.predicate.column for node in solution.diagram.nodes[: solution.diagram.n_splits]} == {"c1"}
