"""The exact search for BDDs: optimal for any classes, weights and costs, and of these the smallest."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from solvers.magnitude import LARGEST_TOTAL
from solvers.methods import get
from solvers.methods.bdds.priced import Charge, cheapest_bdd
from solvers.methods.bdds.sat.consistent import BddSat
from solvers.methods.bdds.sizes import diagram_of_entry, sifted
from solvers.methods.bdds.smallest import smallest_bdd
from solvers.methods.bdds.subsets.method import BddSearch
from solvers.methods.bdds.subsets.search import SetSearch
from solvers.methods.bdds.unsupported import MAX_LEVELS
from solvers.methods.features import features_of
from solvers.metrics import verify
from solvers.problem import Kind, Limits, Objective, Problem, Shape, ShapeKind, binary_view
from solvers.solution import Scope, Solution, Status
from solvers.words import result_words
from tests.case_count import case_count
from tests.methods.bdds import binary_tables as bdds
from tests.methods.bdds.binary_tables import as_bdd, random_problem
from tests.methods.bdds.bit_tables import bdd, table
from tests.methods.running import solve
from tests.oracle.diagrams import bdd_least_cost, fewest_nodes_of, least_with_charge, nodes
from tests.strategies import make_dataset, problems

FEW = settings(derandomize=True, deadline=None, max_examples=case_count(25))
SEEDS = st.integers(0, 2**32 - 1)
XOR = make_dataset({"a": (Kind.BINARY, [0, 0, 1, 1]), "b": (Kind.BINARY, [0, 1, 0, 1])}, [0, 1, 1, 0])


def solved(problem: Problem, method: BddSearch | BddSat | None = None, limits: Limits | None = None) -> Solution:
    """The checked solution."""
    method = method or BddSearch()
    assert method.check(problem) == ()
    solution = solve(method, problem, limits).solution
    verification = verify(problem, solution)
    assert verification.ok, verification.failures
    return solution


class TestOptimum:
    """The cost is the least of all sets of questions."""

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
    def test_on_many_questions(self, seed: int, classes: int, depth: int, weights: int) -> None:
        """With more questions than levels, so that bounds, nodes and the last three questions all take part."""
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
        """Every set that costs at most so much is found, once."""
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

    def test_a_full_collection_says_so(self) -> None:
        """Where there is no room for all sets, what was found is not called all."""
        problem = random_problem(np.random.default_rng(1), rows=25, columns=8, classes=2, depth=3)
        search = SetSearch(features_of(problem), 3)
        search.climb(np.random.default_rng(0))
        found, whole = search.collect(10**6, 7, lambda: False)
        assert len(found) == 7 and not whole
        assert len(search.collect(10**6, 56, lambda: False).sets) == 56


class TestSize:
    """Of the diagrams of least cost, the smallest."""

    @FEW
    @given(seed=SEEDS, n=st.integers(0, 3), classes=st.integers(2, 3), share=st.sampled_from((0.3, 0.6, 0.9)))
    def test_fewest_nodes(self, seed: int, n: int, classes: int, share: float) -> None:
        """Over all orders and all ways to answer cells that leave it open."""
        rng = np.random.default_rng(seed)
        classes = 2 if n == 3 else classes
        allowed = rng.random((2**n, classes)) < share
        allowed[~allowed.any(axis=1), 0] = True
        found, proved, _ = smallest_bdd(allowed)
        fewest = fewest_nodes_of(allowed)
        assert proved and found.n_splits == fewest
        assert _keeps(found.order, found.labels, allowed)
        assert nodes(found.labels, tuple(range(len(found.order)))) == fewest
        assert smallest_bdd(allowed, most=fewest - 1)[:2] == (None, True)

    @FEW
    @given(seed=SEEDS)
    def test_sifting_keeps_the_table(self, seed: int) -> None:
        """The quick way is no smaller than the smallest, and answers as it may."""
        rng = np.random.default_rng(seed)
        table = rng.integers(0, 2, 16)
        allowed = np.stack([table != 1, table != 0], axis=1) | (rng.random((16, 1)) < 0.4)
        allowed[0], allowed[1] = (True, False), (False, True)
        found = sifted(allowed)
        assert _keeps(found.order, found.labels, allowed)
        assert nodes(found.labels, tuple(range(4))) == found.n_splits >= smallest_bdd(allowed)[0].n_splits

    @FEW
    @given(seed=SEEDS, classes=st.sampled_from((2, 3)))
    def test_over_all_optimal_sets(self, seed: int, classes: int) -> None:
        """No set of questions of the least cost has a smaller diagram."""
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
        assert "with fewer nodes" in result_words(problem, solution)

    def test_ends_without_a_proof(self) -> None:
        """A search that may take no step says that nothing is proved."""
        allowed = np.array([[1, 0], [0, 1], [0, 1], [1, 0]], bool)
        assert smallest_bdd(allowed, steps=0) == (None, False, 1)
        assert smallest_bdd(allowed, due=lambda: True)[1] is False


class TestNearlyOptimal:
    """The list of sets that are nearly as good."""

    @FEW
    @given(seed=SEEDS, classes=st.sampled_from((2, 3)), slack=st.integers(0, 3))
    @example(seed=1815968392, classes=2, slack=0)  # a column of one value, about which nothing is asked
    def test_lists_all(self, seed: int, classes: int, slack: int) -> None:
        """Each set within the slack is there, or a part of it that costs as much; and each is what it claims."""
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


class TestCharges:
    """Where nodes cost something, or are limited."""

    @settings(FEW, max_examples=case_count(40))
    @given(
        seed=SEEDS,
        n=st.integers(0, 2),
        classes=st.integers(2, 3),
        each=st.integers(0, 4),
        free=st.booleans(),
        most=st.sampled_from((None, 0, 1, 2)),
    )
    def test_of_one_set(self, seed: int, n: int, classes: int, each: int, free: bool, most: int | None) -> None:
        """The least sum of errors and nodes over all tables and orders, cells that answer another class included."""
        rng = np.random.default_rng(seed)
        costs = rng.integers(0, 7, (2**n, classes)) * (rng.random((2**n, 1)) < 0.8)
        charge = Charge(each, free, most)
        least = least_with_charge(costs, each, free, most)
        found, proved, _ = cheapest_bdd(costs, charge, budget=10**6)
        assert proved and found.cost == least
        assert nodes(found.labels, tuple(range(len(found.order)))) == found.n_splits
        assert cheapest_bdd(costs, charge, budget=least - 1)[:2] == (None, True)

    @settings(FEW, max_examples=case_count(25))
    @given(
        seed=SEEDS,
        classes=st.sampled_from((2, 3)),
        split_cost=st.sampled_from((0.0, 0.5, 1.0, 2.5)),
        free=st.booleans(),
        most=st.sampled_from((None, 1, 2)),
    )
    def test_of_all_sets(self, seed: int, classes: int, split_cost: float, free: bool, most: int | None) -> None:
        """The least sum over all sets of questions."""
        problem = random_problem(np.random.default_rng(seed), rows=18, columns=4, classes=classes, depth=2)
        shape = replace(problem.shape, max_splits=most)
        problem = replace(problem, shape=shape, objective=Objective(split_cost=split_cost, free_root=free))
        solution = solved(problem)
        least = min(
            least_with_charge(bdds.cost_table(problem, chosen), problem.split_cost, free, most)
            for chosen in bdds.sets(problem, 2)
        )
        assert (solution.status, solution.cost) == (Status.OPTIMAL, least)

    def test_three_levels(self) -> None:
        """More levels than the oracle can try: a higher charge never makes the diagram larger."""
        problem = random_problem(np.random.default_rng(7), rows=120, columns=9, classes=2, depth=4)
        before = None
        for split_cost in (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 60.0):
            charged = replace(problem, objective=Objective(split_cost=split_cost))
            solution = solved(charged)
            assert solution.status is Status.OPTIMAL
            size = solution.diagram.n_splits
            assert before is None or size <= before
            before = size
        assert before == 0

    def test_needs_the_table_as_solved(self) -> None:
        """Another policy for cells without rows would change the number of nodes, so it is refused."""
        problem = Problem(XOR, Shape(ShapeKind.BDD, max_depth=2), Objective(split_cost=1))
        (reason,) = BddSearch(empty_cells="parent").check(problem)
        assert "unseen = solved" in reason.remedy


class TestWords:
    """What is said about special tables."""

    def test_more_levels_than_questions(self) -> None:
        """Levels that nothing can be asked on are not needed."""
        problem = Problem(XOR, Shape(ShapeKind.BDD, max_depth=5))
        solution = solved(problem)
        assert (solution.cost, solution.diagram.n_splits) == (0, 3)
        words = result_words(problem, solution)
        assert "Only 2 different splits distinguish rows, so 5 levels are not needed." in words

    def test_thinned_thresholds(self) -> None:
        """Where thresholds were left out, the proof is said to be about those offered; with all of them it is not."""
        x = np.arange(40.0)
        table = make_dataset({"x": (Kind.NUMERIC, x)}, (x >= 17).astype(int))
        problem = Problem(table, Shape(ShapeKind.BDD, max_depth=1))
        thinned, whole = solved(problem), solved(problem, BddSearch(thresholds="all"))
        assert thinned.cost > 0 and thinned.scope is Scope.QUANTILES
        assert "Thresholds: quantiles only." in result_words(problem, thinned)
        assert whole.cost == 0 and whole.scope is None
        assert "Thresholds: quantiles only." not in result_words(problem, whole)

    def test_too_many_levels(self) -> None:
        """Tables that nobody reads are refused."""
        problem = random_problem(np.random.default_rng(0), rows=20, columns=3, classes=2, depth=MAX_LEVELS + 1)
        (reason,) = BddSearch().check(problem)
        assert f"at most {MAX_LEVELS}" in reason.reason

    def test_too_little_memory(self) -> None:
        """A search that does not fit into the memory is refused before it begins."""
        problem = random_problem(np.random.default_rng(0), rows=300, columns=700, classes=3, depth=9)
        with pytest.raises(ValueError, match="Raise the memory limit"):
            solve(BddSearch(), problem, Limits(memory_mb=256, seconds=60))


def test_kernels_are_exact_without_compilation() -> None:
    """The kernels as plain Python find the same optimum as the compiled ones."""
    root = Path(__file__).resolve().parents[3]
    chosen = "tests/methods/bdds/test_bdd_search.py::TestOptimum::test_without_climbing"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", chosen]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "1 passed" in done.stdout


def _keeps(order: tuple[int, ...], labels: tuple[int, ...], allowed: np.ndarray) -> bool:
    """Whether the labels, by the answers in an order, are allowed in all cells."""
    n = len(allowed).bit_length() - 1
    for cell in range(len(allowed)):
        bits = [cell >> (n - 1 - v) & 1 for v in order]
        if not allowed[cell, labels[sum(bit << (len(bits) - 1 - i) for i, bit in enumerate(bits))]]:
            return False
    return True


@settings(derandomize=True, deadline=None, max_examples=case_count(60))
@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 4))
def test_sums_of_32_bits_reach_the_largest_total(seed: int, n_classes: int) -> None:
    """Sets of three and four features cost what adding up says where all rows cost as much as rows may."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 30))
    cuts = np.sort(rng.choice(LARGEST_TOTAL - 1, n - 1, replace=False) + 1)
    weight = np.diff(cuts, prepend=0, append=LARGEST_TOTAL)
    labels = rng.integers(0, n_classes, n).tolist()
    bits = rng.integers(0, 2, (n, 6))
    problem = bdd(table(bits, labels, n_classes=n_classes, weight=weight.tolist()), int(rng.integers(3, 5)))
    solution = solve(get("bdd-search"), problem).solution
    assert (solution.status, solution.cost) == (Status.OPTIMAL, bdd_least_cost(problem))
