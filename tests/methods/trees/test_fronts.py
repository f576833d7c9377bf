"""The search under rules that couple the leaves of a tree: its bounds, its fronts, and its end."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from solvers.constraints import (
    KINDS,
    MaxLeaves,
    MinSensitivity,
    MinSpecificity,
    from_json,
    rules_of,
)
from solvers.methods import get
from solvers.methods.trees.coupled import weighted_sums
from solvers.methods.trees.coupled.dual import Dual, costliest
from solvers.methods.trees.coupled.greedy_start import constant_trees
from solvers.methods.trees.coupled.rule_arrays import post
from solvers.methods.trees.coupled.weighted_sums import Weighting
from solvers.problem import Dataset, Kind, Limits, Problem, Shape, question_orders
from solvers.solution import Status
from tests.case_count import case_count
from tests.constraints.problems import random_problem
from tests.constraints.trees import with_groups
from tests.hospital import clean_dataset
from tests.methods.running import solve
from tests.oracle.trees import countable, least_cost
from tests.strategies import make_dataset

CONTREE = get("contree")
RUNNING = np.zeros(1, np.int64)
"""A stop flag that is not set."""


def random_table(rng: np.random.Generator, n: int, columns: int, top: int = 4) -> Dataset:
    """Numbers from 0 to top - 1, two classes, a group."""
    values = {f"c{j}": (Kind.NUMERIC, rng.integers(0, top, n).astype(float).tolist()) for j in range(columns)}
    return with_groups(make_dataset(values, rng.integers(0, 2, n).tolist(), n_classes=2), rng)


@pytest.mark.parametrize("seed", range(case_count(60)))
def test_no_multiplier_bounds_above_the_optimum(seed: int) -> None:
    """The Lagrangian bound is below the optimum for every multiplier, and the costliest tree above it."""
    problem = random_problem(seed)
    cost = None if CONTREE.check(problem) else least_cost(problem)
    if cost is None:
        return
    posted = post(problem, question_orders(problem.dataset), rules_of(problem))
    assert costliest(posted) >= cost
    dual = Dual(posted, problem.size.max_depth, list(range(1, len(posted.limits))), RUNNING, problem.scale)
    for _ in dual.trees():
        assert dual.bound <= cost
    assert not dual.impossible
    rng = np.random.default_rng(seed)
    for _ in range(3):
        multiplier = rng.integers(0, 5, len(posted.limits))
        multiplier[0] = max(multiplier[0], 1)
        weighting = Weighting(posted, multiplier, problem.size.max_depth, RUNNING)
        assert weighting.bound(weighting.whole()[0]) <= cost


@pytest.mark.parametrize("seed", range(case_count(12)))
def test_a_bound_is_known_while_the_objective_is_searched(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With frequent checks, the search for the first multiplier reports bounds early, never above the optimum."""
    monkeypatch.setattr(weighted_sums, "STEP", 200)
    rng = np.random.default_rng(seed)
    dataset = random_table(rng, 24, 3)
    problem = Problem(dataset, Shape(max_depth=3), constraints=(MinSensitivity(0.5), MinSpecificity(0.5)))
    posted = post(problem, question_orders(dataset), rules_of(problem))
    weighting = Weighting(posted, np.array([1, 0, 0]), 3, RUNNING)
    *early, (least, _) = weighting.steps()
    plain = solve(CONTREE, replace(problem, constraints=())).solution
    # rows without a cost may end the search in one step
    assert (early or least == 0) and weighting.bound(least) == plain.cost
    assert [bound for bound, _ in early] == sorted(bound for bound, _ in early)
    assert all(weighting.bound(bound) <= plain.cost for bound, _ in early)
    whole = solve(CONTREE, problem, Limits(seconds=None))
    assert whole.solution.cost is None or all(bound <= whole.solution.cost for bound in whole.bounds)


def hard_problem() -> Problem:
    """A noisy table with three conflicting constraints."""
    rng = np.random.default_rng(0)
    values = {f"c{j}": (Kind.NUMERIC, rng.normal(size=400).round(2).tolist()) for j in range(6)}
    dataset = make_dataset(values, rng.integers(0, 2, 400).tolist(), n_classes=2)
    dataset = replace(with_groups(dataset, rng), positive=1)
    constraints = [
        KINDS["demographic-parity"].from_json({"kind": "demographic-parity", "column": "ward", "difference": 0.02})
    ]
    return Problem(dataset, Shape(max_depth=4), constraints=(*constraints, MinSensitivity(0.8), MaxLeaves(9)))


class TestEnding:
    """Stop, time limit, gap, and infeasibility."""

    def test_a_time_limit_leaves_a_valid_bound(self) -> None:
        """The bound is below the result of a longer run, and the best tree so far is kept."""
        CONTREE.precompile(constraints=True)
        problem = hard_problem()
        solution = solve(CONTREE, problem, Limits(seconds=1.5)).solution
        assert solution.seconds < 30
        assert solution.status in (Status.FEASIBLE, Status.NO_SOLUTION, Status.OPTIMAL)
        assert solution.cost is None or solution.bound <= solution.cost

    def test_a_stop_ends_the_search(self) -> None:
        """The search ends soon after the signal, also within the kernels."""
        stop = threading.Event()
        threading.Timer(0.5, stop.set).start()
        solution = CONTREE.run(hard_problem(), Limits(seconds=None), lambda event: None, stop)
        assert solution.status in (Status.CANCELLED, Status.OPTIMAL)


@pytest.mark.parametrize("seed", range(case_count(40)))
def test_monotone_optima_equal_brute_force(seed: int) -> None:
    """Monotone optima equal brute force, also with three classes in any order, levels, missing values."""
    rng = np.random.default_rng(seed)
    n, n_classes = int(rng.integers(5, 9)), int(rng.integers(2, 4))
    kinds = [(Kind.NUMERIC, Kind.ORDERED, Kind.BINARY, Kind.CATEGORICAL)[rng.integers(4)] for _ in range(2)]
    values = [rng.integers(0, 2 if kind is Kind.BINARY else 4, n).astype(float) for kind in (*kinds, Kind.NUMERIC)]
    for column in values:
        column[rng.random(n) < 0.15] = np.nan
    columns = {f"c{j}": (k, v.tolist()) for j, (k, v) in enumerate(zip((*kinds, Kind.NUMERIC), values, strict=True))}
    dataset = make_dataset(columns, rng.integers(0, n_classes, n).tolist(), n_classes=n_classes)
    order = [dataset.classes[k] for k in rng.permutation(n_classes)]
    constraint = {
        "kind": "monotone",
        "column": "c2",
        "order": order,
        "direction": ("rising", "falling")[rng.integers(2)],
    }
    problem = Problem(dataset, Shape(max_depth=2), constraints=(from_json(constraint),))
    if countable(problem):
        assert solve(CONTREE, problem).solution.cost == least_cost(problem)


def test_a_monotone_constraint_has_a_tree_before_it_has_a_proof() -> None:
    """If the proof takes too long, there is at least the best tree without the column."""
    CONTREE.precompile(constraints=True)
    rng = np.random.default_rng(2)
    values = {f"c{j}": (Kind.NUMERIC, rng.normal(size=300).round(2).tolist()) for j in range(4)}
    dataset = make_dataset(values, rng.integers(0, 2, 300).tolist(), n_classes=2)
    constraint = from_json({"kind": "monotone", "column": "c0", "order": ["class 0", "class 1"]})
    solution = solve(
        CONTREE, Problem(dataset, Shape(max_depth=3), constraints=(constraint,)), Limits(seconds=2)
    ).solution
    assert solution.status in (Status.FEASIBLE, Status.OPTIMAL)
    assert solution.diagram is not None and not constraint.violations(solution.diagram, dataset)
    assert solution.bound <= solution.cost


@pytest.mark.parametrize("seed", [1, 2, 3, 5])
def test_a_bound_that_is_known_costs_no_search(seed: int) -> None:
    """A known bound under all constraints costs no extra search, though many unconstrained trees are below it."""
    rng = np.random.default_rng(seed)
    columns = {name: (Kind.NUMERIC, rng.integers(0, 12, 120)) for name in "abcd"}
    y = (columns["a"][1] + columns["b"][1] > 13) & (rng.random(120) < 0.8)
    constraint = MinSensitivity("0.95", None, "class 1")
    problem = Problem(
        make_dataset(columns, y.astype(int).tolist()), Shape(max_depth=3, max_leaf_nodes=6), constraints=(constraint,)
    )
    plain = CONTREE.run(problem, Limits(), lambda event: None, threading.Event())
    known = next(tree for tree in constant_trees(problem) if not constraint.violations(tree, problem.dataset))
    again = CONTREE.resume(problem, Limits(), lambda event: None, threading.Event(), known, plain.cost - 1)
    assert (again.status, again.cost) == (plain.status, plain.cost) == (Status.OPTIMAL, again.bound)
    # the increasing cost limits of the search start elsewhere
    assert again.stats["nodes opened"] <= 2 * plain.stats["nodes opened"]


def test_a_demanded_sensitivity_for_a_rare_class_needs_no_optimum_of_the_errors_alone() -> None:
    """Mixed weightings bound the cost: the errors alone take far longer and say little if 7% of the rows are ill."""
    dataset = clean_dataset(600)
    problem = Problem(dataset, Shape(max_depth=2, min_samples_leaf=20), constraints=(MinSensitivity("0.9"),))
    posted = post(problem, question_orders(dataset), rules_of(problem))
    dual = Dual(posted, 2, [1], RUNNING, problem.scale)
    for _ in dual.trees():
        pass
    optimum = solve(CONTREE, problem).solution
    assert optimum.status is Status.OPTIMAL and optimum.cost is not None
    assert 0.8 * optimum.cost <= dual.bound <= optimum.cost
    assert not [one for _, one in dual.weightings if one.multiplier.tolist() == [1, 0]]
