"""The exact search for BDDs: optimal for any classes, weights and costs, and of these the smallest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from solvers.messages import describe_result
from solvers.methods.bdds.options import MAX_LEVELS
from solvers.methods.bdds.sat.method import BddSat
from solvers.methods.bdds.sizes import diagram_of_entry
from solvers.methods.bdds.smallest import smallest_bdd
from solvers.methods.bdds.subsets.method import BddSearch
from solvers.methods.bdds.subsets.sets import SetSearch
from solvers.methods.features import features_of
from solvers.metrics import verify
from solvers.problem import Kind, Limits, Objective, Problem, Shape, ShapeKind, binary_view
from solvers.solution import Scope, Solution, Status
from tests.case_count import case_count
from tests.methods.bdds import binary_tables as bdds
from tests.methods.bdds.binary_tables import as_bdd, random_problem
from tests.methods.running import solve
from tests.oracle.diagrams import bdd_least_cost, fewest_nodes_of, least_with_charge
from tests.strategies import make_dataset, problems

FEW = settings(derandomize=True, deadline=None, max_examples=case_count(25))
SEEDS = st.integers(0, 2**32 - 1)
XOR = make_dataset({"a": (Kind.BINARY, [0, 0, 1, 1]), "b": (Kind.BINARY, [0, 1, 0, 1])}, [0, 1, 1, 0])


def solved(problem: Problem, method: BddSearch | BddSat | None = None, limits: Limits | None = None) -> Solution:
    """The verified solution."""
    method = method or BddSearch()
    assert method.check(problem) == ()
    solution = solve(method, problem, limits).solution
    verification = verify(problem, solution)
    assert verification.ok, verification.failures
    return solution


class TestOptimum:
    """The cost is the least over all sets of features."""

    @FEW
    @given(problem=problems(max_rows=14), depth=st.integers(0, 4))
    def test_on_any_table(self, problem: Problem, depth: int) -> None:
        """Numbers, categories, missing values, two to four classes, weights and class costs."""
        problem = as_bdd(problem, depth)
        solution = solved(problem)
        assert solution.status is Status.OPTIMAL
        assert solution.cost == bdd_least_cost(problem)

    @FEW
    @given(seed=SEEDS, classes=st.sampled_from((2, 2, 3, 4)), depth=st.integers(1, 6), weights=st.sampled_from((1, 9)))
    def test_on_many_features(self, seed: int, classes: int, depth: int, weights: int) -> None:
        """Tables with more features than levels, so that bounds, nodes and the last three features are all used."""
        rng = np.random.default_rng(seed)
        problem = random_problem(rng, rows=40, columns=9, classes=classes, depth=depth, weights=weights)
        solution = solved(problem)
        assert solution.status is Status.OPTIMAL
        assert solution.cost == bdd_least_cost(problem)

    def test_without_climbing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The proof does not depend on a good first set."""
        monkeypatch.setattr(SetSearch, "climbs", 0)
        monkeypatch.setattr(SetSearch, "climb", lambda self, rng: False)
        rng = np.random.default_rng(5)
        for classes in (2, 3):
            for depth in (2, 3, 5):
                problem = random_problem(rng, rows=60, columns=10, classes=classes, depth=depth)
                search = SetSearch(features_of(problem), depth)
                search.cost = int(features_of(problem).cases.cost.sum(axis=0).min()) + 1
                assert search.search(0, lambda: False)
                assert search.cost == search.bound == bdd_least_cost(problem)
                assert search.costs(search.best[None])[0] == search.cost

    @FEW
    @given(seed=SEEDS, classes=st.sampled_from((2, 3)), depth=st.integers(1, 5), slack=st.integers(0, 4))
    def test_collects_all_sets(self, seed: int, classes: int, depth: int, slack: int) -> None:
        """Every set within a cost limit is found, once."""
        problem = random_problem(np.random.default_rng(seed), rows=25, columns=8, classes=classes, depth=depth)
        features = features_of(problem)
        search = SetSearch(features, min(depth, len(features)))
        search.climb(np.random.default_rng(0))
        search.search(0, lambda: False, slack, most_sets=1000)
        found, whole = search.collect(search.cost + slack, 1000, lambda: False)
        assert search.near is None or np.array_equal(search.near.sets, found)
        assert search.near is not None or search.size == 1 or search.cost == features.cases.base
        view = [features.offered.index(predicate) for predicate in features.predicates]
        wanted = {
            chosen
            for chosen in bdds.sets(problem, search.size)
            if set(chosen) <= set(view) and bdds.cost_of(problem, chosen) <= search.cost + slack
        }
        assert whole
        assert [tuple(view[f] for f in chosen) for chosen in found] == sorted(wanted)


class TestSize:
    """Of the diagrams of least cost, the smallest."""

    @FEW
    @given(seed=SEEDS, classes=st.sampled_from((2, 3)))
    def test_over_all_optimal_sets(self, seed: int, classes: int) -> None:
        """No set of features of the least cost has a smaller diagram."""
        problem = random_problem(np.random.default_rng(seed), rows=20, columns=6, classes=classes, depth=2)
        solution = solved(problem)
        assert solution.status is Status.OPTIMAL
        fewest = None
        for chosen in bdds.sets(problem, 2):
            costs = bdds.cost_table(problem, chosen)
            if int(costs.min(axis=1).sum()) == solution.cost:
                nodes = fewest_nodes_of(costs == costs.min(axis=1, keepdims=True))
                fewest = nodes if fewest is None else min(fewest, nodes)
        assert solution.diagram.n_splits == fewest
        assert solution.details.fewest_splits
        assert "with fewer nodes" in describe_result(problem, solution)

    def test_ends_without_a_proof(self) -> None:
        """A search without any steps reports that nothing is proved."""
        allowed = np.array([[1, 0], [0, 1], [0, 1], [1, 0]], bool)
        assert smallest_bdd(allowed, steps=0) == (None, False, 1)
        assert smallest_bdd(allowed, due=lambda: True)[1] is False


class TestNearlyOptimal:
    """The list of near-optimal sets."""

    @FEW
    @given(seed=SEEDS, classes=st.sampled_from((2, 3)), slack=st.integers(0, 3))
    @example(seed=1815968392, classes=2, slack=0)  # a column of one value, which has no split
    def test_lists_all(self, seed: int, classes: int, slack: int) -> None:
        """Each set within the slack is listed, or a subset of it with the same cost; and each has its reported cost."""
        problem = random_problem(np.random.default_rng(seed), rows=25, columns=7, classes=classes, depth=3)
        solution = solved(problem, BddSearch(tolerance=str(slack)))
        entries = solution.details.near_optimal
        assert solution.details.all_near_optimal
        costs = [entry.cost for entry in entries]
        assert costs == sorted(costs) and costs[0] == solution.cost and costs[-1] <= solution.cost + slack
        listed = []
        for entry in entries:
            diagram = diagram_of_entry(problem, entry)
            assert problem.cost(diagram.predict(problem.dataset), diagram.n_splits) == entry.cost
            assert diagram.n_splits == entry.n_splits
            listed.append((frozenset(q.column for q in entry.questions), entry.cost))
        assert len(set(listed)) == len(listed)
        questions = binary_view(problem.dataset).predicates
        for chosen in bdds.sets(problem, 3):
            cost = bdds.cost_of(problem, chosen)
            if cost <= solution.cost + slack:
                columns = {questions[j].column for j in chosen}
                assert any(part <= columns and priced == cost for part, priced in listed)


class TestPenalties:
    """If nodes have a penalty, or are limited."""

    @settings(FEW, max_examples=case_count(25))
    @given(
        seed=SEEDS,
        classes=st.sampled_from((2, 3)),
        split_penalty=st.sampled_from((0.0, 0.5, 1.0, 2.5)),
        free=st.booleans(),
        most=st.sampled_from((None, 1, 2)),
    )
    def test_of_all_sets(self, seed: int, classes: int, split_penalty: float, free: bool, most: int | None) -> None:
        """The least sum over all sets of features."""
        problem = random_problem(np.random.default_rng(seed), rows=18, columns=4, classes=classes, depth=2)
        shape = replace(problem.shape, max_splits=most)
        problem = replace(problem, shape=shape, objective=Objective(split_penalty=split_penalty, free_root=free))
        solution = solved(problem)
        least = min(
            least_with_charge(bdds.cost_table(problem, chosen), problem.split_penalty, free, most)
            for chosen in bdds.sets(problem, 2)
        )
        assert (solution.status, solution.cost) == (Status.OPTIMAL, least)

    def test_needs_the_table_as_solved(self) -> None:
        """Another policy for cells without rows would change the number of nodes, so it is refused."""
        problem = Problem(XOR, Shape(ShapeKind.BDD, max_depth=2), Objective(split_penalty=1))
        (reason,) = BddSearch(empty_cells="parent").check(problem)
        assert "empty_cells to 'solved'" in reason.remedy


class TestMessages:
    """Messages about special tables."""

    def test_more_levels_than_splits(self) -> None:
        """Levels without any possible split are not needed."""
        problem = Problem(XOR, Shape(ShapeKind.BDD, max_depth=5))
        solution = solved(problem)
        assert (solution.cost, solution.diagram.n_splits) == (0, 3)
        words = describe_result(problem, solution)
        assert "Only 2 different splits distinguish rows, so 5 levels are not needed." in words

    def test_thinned_thresholds(self) -> None:
        """If thresholds were left out, the proof covers the offered ones only; with all of them it is complete."""
        x = np.arange(40.0)
        table = make_dataset({"x": (Kind.NUMERIC, x)}, (x >= 17).astype(int))
        problem = Problem(table, Shape(ShapeKind.BDD, max_depth=1))
        thinned, whole = solved(problem), solved(problem, BddSearch(thresholds="all"))
        assert thinned.cost > 0 and thinned.scope is Scope.QUANTILES
        assert "Thresholds: quantiles only." in describe_result(problem, thinned)
        assert whole.cost == 0 and whole.scope is None
        assert "Thresholds: quantiles only." not in describe_result(problem, whole)

    def test_too_many_levels(self) -> None:
        """Impractically large tables are refused."""
        problem = random_problem(np.random.default_rng(0), rows=20, columns=3, classes=2, depth=MAX_LEVELS + 1)
        (reason,) = BddSearch().check(problem)
        assert f"at most {MAX_LEVELS}" in reason.reason

    def test_too_little_memory(self) -> None:
        """A search that does not fit into memory is refused before it begins."""
        problem = random_problem(np.random.default_rng(0), rows=300, columns=700, classes=3, depth=9)
        with pytest.raises(ValueError, match="Raise the memory limit"):
            solve(BddSearch(), problem, Limits(memory_mb=256, seconds=60))
