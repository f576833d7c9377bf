"""Exact methods agree with each other and with the oracle, and satisfy the laws of an optimum."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.certificates import check_optimum, make_optimum_certificate, uncertified
from solvers.diagram import Diagram
from solvers.methods import Method, get, names
from solvers.problem import Column, Dataset, Kind, Limits, MissingPolicy, Objective, Problem, Schema, Shape, ShapeKind
from solvers.solution import Status
from tests.case_count import case_count
from tests.methods.running import solve, without_refused_demands
from tests.oracle.trees import class_costs, least_cost
from tests.oracle.trees import optimum as optimum_by_trying
from tests.strategies import datasets, make_dataset, objectives, problems, shapes

MOST_ROWS = 200
"""Optima of tables with at most this number of rows are also proved by a certificate."""

CERTIFIED: set[tuple[str, int | None]] = set()
"""The problems whose optimum was certified, and its cost."""

EXACT = [name for name in names() if get(name).exact and get(name).kinds[0] is not ShapeKind.DIAGRAM]
"""For trees and BDDs; decision diagrams take much longer, so their laws are tested with their method."""

EXACT_TREES = [name for name in EXACT if ShapeKind.TREE in get(name).kinds]
HEURISTIC = [name for name in names() if name not in EXACT and ShapeKind.TREE in get(name).kinds]
FEW = settings(derandomize=True, deadline=None, max_examples=case_count(15))
UNFILLED = (MissingPolicy.INFORMATION, MissingPolicy.COMPLETE)
"""The policies under which the median of a column does not matter."""


@pytest.fixture(params=EXACT, scope="module")
def method(request: pytest.FixtureRequest) -> Method:
    """Each exact method."""
    return get(request.param)


def optimum(method: Method, dataset: Dataset, shape: Shape) -> int | None:
    """The proved optimum, in cost units; `None` if it is proved that there is no tree."""
    return proved(method, without_refused_demands(method, Problem(dataset, shape)))


def proved(method: Method, problem: Problem) -> int | None:
    """The same for a problem that the method supports as it is."""
    solution = solve(method, problem).solution
    assert solution.status is (Status.INFEASIBLE if solution.cost is None else Status.OPTIMAL)
    assert_certified(problem, solution.diagram)
    return solution.cost


def assert_certified(problem: Problem, diagram: Diagram | None) -> None:
    """The checker of certificates, which shares no code with the search, finds the same optimum of a tree.

    Other models may cost more than the best tree that they unfold to, and must not cost less. A problem that several
    methods solve is certified once for each cost that they find.
    """
    key = (problem.id, None if diagram is None else problem.cost(diagram.predict(problem.dataset), diagram.n_splits))
    if key in CERTIFIED or uncertified(problem, diagram) or problem.dataset.n_samples > MOST_ROWS:
        return
    CERTIFIED.add(key)
    files = make_optimum_certificate(problem, diagram)
    report = check_optimum(files.__getitem__)
    # the least costs by leaves need not be convex
    may_differ = problem.size.max_leaf_nodes is not None or problem.shape.kind is not ShapeKind.TREE
    assert report.accepted and (report.optimal or may_differ), report.fault


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

    @pytest.mark.parametrize("name", EXACT_TREES)
    @settings(derandomize=True, deadline=None, max_examples=case_count(150))
    @given(problem=problems(max_rows=16, max_depth=4))
    def test_exact_methods_find_the_optimum(self, name: str, problem: Problem) -> None:
        """Every exact method proves the optimum of exhaustive search."""
        problem = without_refused_demands(get(name), problem)
        assert proved(get(name), problem) == least_cost(problem)

    @settings(derandomize=True, deadline=None, max_examples=case_count(200))
    @given(problem=problems())
    def test_no_heuristic_beats_the_optimum(self, problem: Problem) -> None:
        """The cost of a heuristic tree within the shape is never below the optimum."""
        least = least_cost(problem)
        for name in HEURISTIC:
            cost = solve(get(name), problem).solution.cost
            assert (cost is None) == (least is None)
            assert least is None or cost >= least


class TestLaws:
    """Changes of a problem whose effect on the optimum is known."""

    @FEW
    @given(data=st.data(), dataset=datasets(), shape=shapes())
    def test_order_of_rows_and_columns(
        self, method: Method, data: st.DataObject, dataset: Dataset, shape: Shape
    ) -> None:
        """Rows and columns may be in any order."""
        rows = data.draw(st.permutations(range(dataset.n_samples)))
        columns = data.draw(st.permutations(range(dataset.n_columns)))
        shuffled = permuted(dataset.take(np.array(rows)), columns)
        assert optimum(method, shuffled, shape) == optimum(method, dataset, shape)

    @FEW
    @given(data=st.data(), dataset=datasets(max_rows=7, weights=False), shape=shapes(leaf_sizes=False))
    def test_duplicates_are_weights(self, method: Method, data: st.DataObject, dataset: Dataset, shape: Shape) -> None:
        """A row of weight 3 equals a row repeated three times."""
        n = dataset.n_samples
        times = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
        weighted = replace(dataset, weight=times.astype(float))
        repeated = dataset.take(np.repeat(np.arange(n), times))
        assert optimum(method, repeated, shape) == optimum(method, weighted, shape)

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
        heavier = replace(shape, min_weight_leaf=unit * shape.min_weight_leaf)
        problem = without_refused_demands(method, Problem(weighted, heavier))
        cost, without = proved(method, problem), optimum(method, dataset, shape)
        assert cost is without or cost / problem.scale == unit * without

    @FEW
    @given(data=st.data(), dataset=datasets(), shape=shapes(), factor=st.sampled_from([3.0, 0.5, 10.0]))
    def test_unit_of_the_costs(
        self, method: Method, data: st.DataObject, dataset: Dataset, shape: Shape, factor: float
    ) -> None:
        """Costs of errors and splits in another unit change the total cost by the conversion factor alone."""
        objective = data.draw(objectives(dataset.n_classes))
        one = without_refused_demands(method, Problem(dataset, shape, objective))
        dearer = Objective(
            tuple(tuple(factor * float(price) for price in row) for row in class_costs(one)),
            factor * one.objective.split_penalty,
        )
        other = replace(one, objective=dearer)
        if method.check(other):
            return
        cost, dear = proved(method, one), proved(method, other)
        assert cost is dear or dear / other.scale == pytest.approx(factor * cost / one.scale)


@settings(max_examples=case_count(150))
@given(problem=problems())
def test_fewest_splits_are_proved(problem: Problem) -> None:
    """Contree proves for every tree that none of the same cost has fewer splits, and enumeration finds none."""
    exact = get("contree")
    problem = without_refused_demands(exact, problem)
    solution, best = solve(exact, problem).solution, optimum_by_trying(problem)
    assert solution.status is (Status.INFEASIBLE if best is None else Status.OPTIMAL)
    if best is not None:
        assert solution.details.fewest_splits
        assert (solution.cost, solution.diagram.n_splits) == best


def test_columns_without_large_leaves_do_not_block_the_search() -> None:
    """Regression: a column whose splits all violate the minimum leaf size made the search skip all other columns."""
    for seed in range(case_count(150)):
        rng = np.random.default_rng(seed)
        columns = {name: (Kind.CATEGORICAL, rng.integers(0, 4, 10)) for name in "ab"}
        table = make_dataset(columns, rng.integers(0, 2, 10), n_classes=2, missing=MissingPolicy.COMPLETE)
        problem = Problem(table, Shape(max_depth=3, min_samples_leaf=2), Objective(split_penalty=float(seed % 3) / 2))
        solution, best = solve(get("contree"), problem).solution, optimum_by_trying(problem)
        assert (solution.diagram is None) == (best is None)
        assert best is None or (solution.cost, solution.bound, solution.diagram.n_splits) == (best[0], *best), seed


def test_a_stop_or_too_little_memory_after_the_proof_leaves_fewest_splits_open() -> None:
    """CART's tree has no error, so its cost is proved; four splits suffice, which takes a longer search."""
    values = np.random.default_rng(0).random((2000, 12))
    one, two = values[:, 0], values[:, 1]
    labels = (one > 0.5).astype(int) ^ (one > 0.8) ^ ((one < 0.2) & (two > 0.5))
    columns = {f"x{j}": (Kind.NUMERIC, list(column)) for j, column in enumerate(values.T)}
    stop = threading.Event()
    problem = Problem(make_dataset(columns, list(labels)), Shape(max_depth=5))
    for limits in (Limits(memory_mb=256, threads=200), Limits()):
        solution = get("contree").run(problem, limits, lambda event: None, stop)
        assert (solution.status, solution.cost, solution.bound) == (Status.OPTIMAL, 0, 0)
        assert solution.diagram.n_splits > 4
        assert not solution.details.fewest_splits
        stop.set()


def test_a_greedy_tree_that_saves_nothing_is_not_called_smallest() -> None:
    """CART splits off a tie and reaches the bound with it; a single leaf costs the same."""
    table = make_dataset({"a": (Kind.NUMERIC, [1.0, 1.0, 2.0])}, [0, 1, 1])
    solution = solve(get("contree"), Problem(table, Shape(max_depth=3))).solution
    assert (solution.cost, solution.bound, solution.diagram.n_splits) == (1, 1, 0)
