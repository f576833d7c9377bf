"""Exact methods agree with each other and with plain enumeration, and keep the laws that an optimum must keep."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from solvers.methods import Method, get, names
from solvers.problem import Column, Dataset, Kind, MissingPolicy, Problem, Schema, Shape
from solvers.solution import Status
from tests import naive
from tests.methods.running import solve, without_refused_limits
from tests.strategies import datasets, problems, shapes

EXACT = [name for name in names() if get(name).exact]
HEURISTIC = [name for name in names() if name not in EXACT]
FEW = settings(derandomize=True, deadline=None, max_examples=40)
UNFILLED = (MissingPolicy.INFORMATION, MissingPolicy.COMPLETE)
"""The policies under which the median of a column does not matter."""


@pytest.fixture(params=EXACT, scope="module")
def method(request: pytest.FixtureRequest) -> Method:
    """Each exact method."""
    return get(request.param)


def optimum(method: Method, dataset: Dataset, shape: Shape) -> int:
    """The proved optimum, in cost units."""
    solution = solve(method, without_refused_limits(method, Problem(dataset, shape))).solution
    assert solution.status is Status.OPTIMAL
    return solution.cost


def permuted(dataset: Dataset, order: list[int]) -> Dataset:
    """The columns in another order."""
    return dataset.select([dataset.schema.names[j] for j in order])


def with_column(dataset: Dataset, j: int, column: Column, values: np.ndarray) -> Dataset:
    """The dataset with another column at position j."""
    X = dataset.X.copy()
    X[:, j] = values
    columns = (*dataset.schema.columns[:j], column, *dataset.schema.columns[j + 1 :])
    return replace(dataset, schema=Schema(columns, dataset.schema.missing), X=X)


class TestAgainstEnumeration:
    """Agreement on the exact integer optimum."""

    @settings(derandomize=True, deadline=None, max_examples=250)
    @given(problem=problems(max_rows=8, max_columns=2, max_depth=2))
    def test_brute_equals_naive(self, problem: Problem) -> None:
        """Brute force over the questions of the library finds what a recursion over the raw cells finds."""
        assert solve(get("brute"), problem).solution.cost == naive.optimum(problem)

    @settings(derandomize=True, deadline=None, max_examples=60)
    @given(problem=problems(max_rows=7, max_columns=1, max_depth=3))
    def test_brute_equals_naive_at_depth_three(self, problem: Problem) -> None:
        """The same, one level deeper."""
        assert solve(get("brute"), problem).solution.cost == naive.optimum(problem)

    @pytest.mark.parametrize("name", [name for name in EXACT if name != "brute"])
    @settings(derandomize=True, deadline=None, max_examples=200)
    @given(problem=problems(max_rows=16, max_depth=4))
    def test_exact_methods_equal_brute(self, name: str, problem: Problem) -> None:
        """Every exact method proves the optimum of brute force."""
        problem = without_refused_limits(get(name), problem)
        solution = solve(get(name), problem).solution
        assert solution.status is Status.OPTIMAL
        assert solution.cost == solution.bound == solve(get("brute"), problem).solution.cost

    @settings(derandomize=True, deadline=None, max_examples=60)
    @given(problem=problems())
    def test_no_heuristic_beats_the_optimum(self, problem: Problem) -> None:
        """The cost of a heuristic tree within the shape is never below the optimum."""
        least = solve(get("brute"), problem).solution.cost
        for name in HEURISTIC:
            assert solve(get(name), problem).solution.cost >= least


class TestLaws:
    """Changes of a problem whose effect on the optimum is known."""

    @FEW
    @given(data=st.data(), dataset=datasets(), shape=shapes())
    def test_order_of_rows_and_columns(
        self, method: Method, data: st.DataObject, dataset: Dataset, shape: Shape
    ) -> None:
        """Rows and columns may come in any order."""
        rows = data.draw(st.permutations(range(dataset.n_samples)))
        columns = data.draw(st.permutations(range(dataset.n_columns)))
        shuffled = permuted(dataset.take(np.array(rows)), columns)
        assert optimum(method, shuffled, shape) == optimum(method, dataset, shape)

    @FEW
    @given(dataset=datasets(kinds=[Kind.BINARY, Kind.NUMERIC]), shape=shapes())
    def test_complement_of_a_binary_column(self, method: Method, dataset: Dataset, shape: Shape) -> None:
        """Swapping yes and no in a column changes nothing."""
        flipped = dataset
        for j, column in enumerate(dataset.schema.columns):
            if column.kind is Kind.BINARY:
                fill = None if column.fill is None else 1 - column.fill
                mirrored = replace(column, levels=column.levels[::-1], fill=fill)
                flipped = with_column(flipped, j, mirrored, 1 - dataset.X[:, j])
        assume(flipped is not dataset)
        assert optimum(method, flipped, shape) == optimum(method, dataset, shape)

    @FEW
    @given(data=st.data(), dataset=datasets(max_rows=7, weights=False), shape=shapes())
    def test_duplicates_are_weights(self, method: Method, data: st.DataObject, dataset: Dataset, shape: Shape) -> None:
        """A row of weight 3 is a row that is there three times."""
        n = dataset.n_samples
        times = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
        weighted = replace(dataset, weight=times.astype(float))
        repeated = dataset.take(np.repeat(np.arange(n), times))
        assert optimum(method, repeated, shape) == optimum(method, weighted, shape)

    @FEW
    @given(dataset=datasets(), shape=shapes())
    def test_constant_column(self, method: Method, dataset: Dataset, shape: Shape) -> None:
        """A column that says nothing changes nothing."""
        column = Column("constant", Kind.NUMERIC, fill=7.0)
        schema = Schema((column, *dataset.schema.columns), dataset.schema.missing)
        wider = replace(dataset, schema=schema, X=np.column_stack([np.full(dataset.n_samples, 7.0), dataset.X]))
        assert optimum(method, wider, shape) == optimum(method, dataset, shape)

    @FEW
    @given(dataset=datasets())
    def test_one_more_level_never_hurts(self, method: Method, dataset: Dataset) -> None:
        """One more level never raises the optimum."""
        by_depth = [optimum(method, dataset, Shape(depth=depth)) for depth in range(4)]
        assert by_depth == sorted(by_depth, reverse=True)

    @FEW
    @given(dataset=datasets())
    def test_more_leaves_never_hurt(self, method: Method, dataset: Dataset) -> None:
        """One more leaf never raises the optimum, and as many leaves as the depth permits are no limit at all."""
        limited = [Problem(dataset, Shape(depth=2, leaves=leaves)) for leaves in range(1, 5)]
        by_leaves = [solve(method, problem).solution.cost for problem in limited if not method.check(problem)]
        assert by_leaves == sorted(by_leaves, reverse=True)
        assert by_leaves[-1] == optimum(method, dataset, Shape(depth=2))

    @FEW
    @given(dataset=datasets(kinds=[Kind.NUMERIC, Kind.DATE], policies=UNFILLED), shape=shapes())
    def test_monotone_transform(self, method: Method, dataset: Dataset, shape: Shape) -> None:
        """Only the order of numbers counts: their ranks give the same optimum."""
        stretched = dataset
        for j, column in enumerate(dataset.schema.columns):
            x = dataset.X[:, j]
            rank = np.searchsorted(np.unique(x[~np.isnan(x)]), x).astype(float) ** 3 - 11
            stretched = with_column(stretched, j, replace(column, fill=None), np.where(np.isnan(x), x, rank))
        assert optimum(method, stretched, shape) == optimum(method, dataset, shape)

    @FEW
    @given(dataset=datasets(weights=False), shape=shapes(), unit=st.sampled_from([2.0, 0.5, 1000.0]))
    def test_unit_of_the_weights(self, method: Method, dataset: Dataset, shape: Shape, unit: float) -> None:
        """Weights in another unit change the cost by that unit alone."""
        weighted = replace(dataset, weight=np.full(dataset.n_samples, unit))
        problem = without_refused_limits(method, Problem(weighted, shape))
        solution = solve(method, problem).solution
        assert solution.cost / problem.scale == unit * optimum(method, dataset, shape)
