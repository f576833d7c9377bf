"""The pair formulation: exact for any classes, weights and costs, by either solver."""

from __future__ import annotations

import threading
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.errors import UnsupportedError
from solvers.methods.bdds.pairs import maxsat, method
from solvers.methods.bdds.pairs.method import BddPairs
from solvers.methods.bdds.pairs.mip import by_mip
from solvers.methods.bdds.pairs.points import Pairs, points_of
from solvers.methods.bdds.pairs.search import PairSearch, covers_with, first_sets
from solvers.methods.bdds.ruled.rules import post
from solvers.methods.bdds.table import Unseen
from solvers.methods.features import features_of
from solvers.methods.search.context import SearchContext
from solvers.metrics import verify
from solvers.problem import Kind, Limits, Objective, Problem, Shape, ShapeKind, Thresholds, binary_view
from solvers.solution import Status
from tests.case_count import case_count
from tests.methods.running import solve
from tests.strategies import make_dataset, problems

FEW = settings(derandomize=True, deadline=None, max_examples=case_count(40))
BACKENDS = ("maxsat", "mip")


def as_bdd(problem: Problem, depth: int) -> Problem:
    """The same table and prices of errors, as a BDD."""
    return Problem(problem.dataset, Shape(ShapeKind.BDD, max_depth=depth), Objective(problem.objective.class_costs))


def optimum(problem: Problem) -> int:
    """The least cost of a table over a set of questions, by trying all sets and adding up rows one by one."""
    view, prices = binary_view(problem.dataset), problem.class_costs.tolist()
    y, weight = problem.dataset.y.tolist(), problem.weights.tolist()
    n, best = len(view.predicates), None
    for chosen in combinations(range(n), min(problem.shape.max_depth, n)):
        cells: dict[tuple, list[int]] = {}
        for i, bits in enumerate(view.bits[:, list(chosen)].tolist()):
            cell = cells.setdefault(tuple(bits), [0] * problem.dataset.n_classes)
            for k in range(problem.dataset.n_classes):
                cell[k] += weight[i] * prices[y[i]][k]
        cost = sum(min(cell) for cell in cells.values())
        best = cost if best is None else min(best, cost)
    return best


def noisy(rows: int, columns: int, classes: int, seed: int) -> Problem:
    """A table of random answers whose classes follow three of them, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (rows, columns))
    y = np.where(rng.random(rows) < 0.2, rng.integers(0, classes, rows), (X[:, 0] + X[:, 1] * X[:, 2]) % classes)
    dataset = make_dataset({f"x{j}": (Kind.BINARY, X[:, j]) for j in range(columns)}, y, n_classes=classes)
    return Problem(dataset, Shape(ShapeKind.BDD, max_depth=3))


def search_of(problem: Problem) -> PairSearch:
    """A search that has nothing yet."""
    posted = post(problem, Thresholds.QUANTILES)
    points = points_of(posted.features)
    context = SearchContext("bdd-pairs", problem, Limits(), lambda event: None, threading.Event())
    return PairSearch(posted, points, Pairs(points), problem.shape.max_depth, context, Unseen.MERGE)


class TestPoints:
    """Rows as points, and covers of their pairs."""

    @FEW
    @given(problem=problems(max_rows=12), seed=st.integers(0, 99))
    def test_covers_are_costs(self, problem: Problem, seed: int) -> None:
        """The least cover of the pairs that some questions leave together is what the cells cost, for any prices."""
        problem = as_bdd(problem, 3)
        features = features_of(problem)
        points = points_of(features)
        rng = np.random.default_rng(seed)
        chosen = rng.permutation(len(features))[:3]
        cells: dict[tuple, list[int]] = {}
        for i, bits in enumerate(features.bits[:, chosen].tolist()):
            cell = cells.setdefault(tuple(bits), [0] * problem.dataset.n_classes)
            for k in range(problem.dataset.n_classes):
                cell[k] += int(problem.weights[i] * problem.class_costs[problem.dataset.y[i], k])
        assert points.cost(points.cover(points.cells(chosen))) == sum(min(cell) for cell in cells.values())

    @FEW
    @given(problem=problems(max_rows=9), seed=st.integers(0, 99))
    def test_covers_are_least(self, problem: Problem, seed: int) -> None:
        """No lighter set of points leaves no pair, by trying all sets."""
        points = points_of(features_of(as_bdd(problem, 2)))
        rng = np.random.default_rng(seed)
        cell = points.cells(rng.permutation(points.n_features)[:1])
        if len(points) > 11:
            return
        together = [
            (p, q)
            for p, q in combinations(range(len(points)), 2)
            if cell[p] == cell[q] and points.label[p] != points.label[q]
        ]
        lightest = min(
            sum(int(w) for w, passed in zip(points.weight, mask, strict=True) if passed)
            for mask in np.ndindex(*(2,) * len(points))
            if all(mask[p] or mask[q] for p, q in together)
        )
        assert points.cover(cell) == lightest

    @FEW
    @given(problem=problems(max_rows=14), seed=st.integers(0, 99))
    def test_next_feature(self, problem: Problem, seed: int) -> None:
        """The covers with one more feature are those of the sets with it."""
        points = points_of(features_of(as_bdd(problem, 3)))
        chosen = np.random.default_rng(seed).permutation(points.n_features)[:1]
        expected = [points.cover(points.cells(np.append(chosen, f))) for f in range(points.n_features)]
        assert covers_with(points, chosen).tolist() == expected

    @FEW
    @given(problem=problems(max_rows=14), seed=st.integers(0, 99))
    def test_pairs_are_known_once(self, problem: Problem, seed: int) -> None:
        """All pairs of different classes are as many as there are, and what is known is not new again."""
        points = points_of(features_of(as_bdd(problem, 3)))
        pairs = Pairs(points)
        some = pairs.nearest()
        assert (points.label[some.first] != points.label[some.second]).all()
        others = pairs.everything()
        assert len(some.first) + len(others.first) == len(pairs) == points.n_pairs
        assert not len(pairs.nearest().first)
        assert pairs.size["literals"] == len(points) + sum(2 + sum(row) for row in pairs.known().features.tolist())

    @FEW
    @given(problem=problems(max_rows=14), seed=st.integers(0, 99))
    def test_enforces_what_is_not_paid(self, problem: Problem, seed: int) -> None:
        """A solution that pays too little is told a pair that it breaks, until it pays enough; then none."""
        points = points_of(features_of(as_bdd(problem, 3)))
        rng = np.random.default_rng(seed)
        cell, pairs = points.cells(rng.permutation(points.n_features)[:2]), Pairs(points)
        paid = np.zeros(len(points), bool)
        while points.weight[paid].sum() < points.cover(cell):
            fresh = pairs.enforcing(cell, paid)
            assert (cell[fresh.first] == cell[fresh.second]).all()
            broken = ~paid[fresh.first] & ~paid[fresh.second]
            assert broken.any()
            paid[fresh.first[broken]] = True

    def test_first_sets_get_better(self) -> None:
        """Each set that the local search yields has a smaller cover than the one before."""
        points = points_of(features_of(noisy(80, 10, 2, 3)))
        covers = [points.cover(points.cells(chosen)) for chosen in first_sets(points, 3, 0, lambda: False)]
        assert covers == sorted(set(covers), reverse=True)


@pytest.mark.parametrize("backend", BACKENDS)
class TestOptimum:
    """Both backends prove the optimum."""

    @FEW
    @given(problem=problems(max_rows=12), depth=st.integers(0, 3))
    def test_equals_enumeration(self, backend: str, problem: Problem, depth: int) -> None:
        """The proved cost is the least over all sets of questions, with any classes, weights and class costs."""
        problem = as_bdd(problem, depth)
        solution = solve(BddPairs(backend=backend, thresholds="all"), problem).solution
        assert solution.status is Status.OPTIMAL
        assert solution.cost == solution.bound == optimum(problem)
        assert verify(problem, solution).ok, str(verify(problem, solution))

    @pytest.mark.parametrize("classes", [2, 3])
    @pytest.mark.parametrize("seed", range(case_count(3)))
    def test_equals_enumeration_without_a_start(self, backend: str, classes: int, seed: int) -> None:
        """The solver alone, with pairs as they turn out to be needed, proves the optimum of tables with noise."""
        problem = noisy(60, 7, classes, seed)
        search = search_of(problem)
        if backend == "maxsat":
            before, maxsat.ALL_PAIRS = maxsat.ALL_PAIRS, 0
            try:
                maxsat.by_maxsat(search)
            finally:
                maxsat.ALL_PAIRS = before
        else:
            search.offer(np.zeros(0))
            by_mip(search)
        assert search.context.cost == search.context.bound == optimum(problem)
        assert len(search.pairs) < search.points.n_pairs

    def test_within_a_gap(self, backend: str) -> None:
        """A gap ends the search earlier, with a bound that is true."""
        problem = noisy(60, 7, 2, 1)
        solution = solve(BddPairs(backend=backend), problem, Limits(gap=3)).solution
        assert solution.cost - solution.bound <= 3
        assert solution.bound <= optimum(problem) <= solution.cost

    def test_figures(self, backend: str) -> None:
        """The run tells how large the formulation was."""
        stats = solve(BddPairs(backend=backend), noisy(60, 7, 2, 1)).solution.stats
        assert stats["features"] == 7
        assert stats["encoding"]["variables"] == 7 + stats["points"]
        assert stats["encoding"]["literals"] > 0

    def test_weights_are_repetitions(self, backend: str) -> None:
        """Rows that weigh 2 count as two rows."""
        problem = noisy(30, 6, 3, 5)
        twice = np.append(np.arange(30), np.arange(0, 30, 2))
        heavy = replace(problem.dataset, weight=np.where(np.arange(30) % 2, 1.0, 2.0))
        one = solve(BddPairs(backend=backend), replace(problem, dataset=heavy)).solution
        other = solve(BddPairs(backend=backend), replace(problem, dataset=problem.dataset.take(twice))).solution
        assert one.cost == other.cost == other.bound


class TestRefusals:
    """What is not taken is said."""

    def test_too_many_rows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Rows that differ are counted, not rows."""
        problem = noisy(60, 4, 2, 0)
        assert len(points_of(features_of(problem))) <= 16
        monkeypatch.setattr(method, "MOST_POINTS", 16)
        assert BddPairs().check(problem) == ()
        monkeypatch.setattr(method, "MOST_POINTS", 10)
        (reason,) = BddPairs().check(problem)
        assert "More than 10 different rows" in reason.what and "bdd-search" in reason.remedy

    def test_rows_that_a_part_of_the_table_does_not_show(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """They are found out by the search, and refused in the same words."""
        x = np.zeros(400)
        x[1:13] = np.arange(12)
        table = make_dataset({"x": (Kind.NUMERIC, x)}, [0, 1] * 200)
        problem = Problem(table, Shape(ShapeKind.BDD, max_depth=2))
        monkeypatch.setattr(method, "MOST_POINTS", 5)
        assert BddPairs(thresholds="all").check(problem) == ()
        with pytest.raises(UnsupportedError, match="More than 5 different rows"):
            BddPairs(thresholds="all").run(problem, Limits(), lambda event: None, threading.Event())

    @pytest.mark.parametrize(
        ("shape", "objective", "named"),
        [
            ({"max_splits": 3}, {}, "At most 3 questions"),
            ({}, {"split_cost": 0.5}, "A cost of questions"),
            ({"max_leaf_nodes": 1}, {}, "At most 1 leaves"),
            ({"min_samples_leaf": 2}, {}, "A minimum size of leaves"),
        ],
    )
    def test_says_what_and_why(self, shape: dict, objective: dict, named: str) -> None:
        """Demands on nodes and leaves are refused, each by itself."""
        problem = noisy(20, 4, 2, 0)
        problem = Problem(problem.dataset, Shape(ShapeKind.BDD, max_depth=2, **shape), Objective(**objective))
        (reason,) = BddPairs().check(problem)
        assert reason.what == named
