"""The best single split of each column, compared with all splits one by one."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.constraints import ScreenedFeatures, rules_of
from solvers.constraints.rules import Allowed
from solvers.methods import get
from solvers.problem import Column, Dataset, Kind, MissingPolicy, Problem, Schema, Shape
from solvers.problem.dataset import single_errors
from tests.case_count import case_count
from tests.methods.running import solve
from tests.oracle.meaning import single_errors as slow_errors
from tests.oracle.table import Table
from tests.strategies import datasets


@pytest.mark.parametrize("policy", [MissingPolicy.INFORMATION, MissingPolicy.IMPUTE])
@pytest.mark.parametrize("seed", range(case_count(20)))
def test_errors_of_single_splits_equal_brute_force(seed, policy, monkeypatch):
    """With thresholds and levels, missing values, weights and many classes, for blocks of a few columns."""
    monkeypatch.setattr("solvers.problem.dataset.MOST_CELLS", 30)
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
