"""What multipliers prove of single splits and under other limits, against all trees of small tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solvers.constraints import MinSensitivity, MinSpecificity, rules_of
from solvers.methods.trees.coupled.dual import Dual, sums_of
from solvers.methods.trees.coupled.rule_arrays import Posted, post
from solvers.methods.trees.coupled.search import FrontSearch, Node
from solvers.problem import Problem, Shape, question_orders
from tests.case_count import case_count
from tests.methods.trees.test_fronts import RUNNING, all_trees, random_table


def leaf_sizes(posted: Posted, tree: tuple, rows: np.ndarray) -> list[int]:
    """How many rows of the table each leaf of a tree has."""
    if len(tree) == 1:
        return [int(posted.leaves.number[rows].sum())]
    low = posted.orders.rank[tree[0], rows] <= tree[1]
    return leaf_sizes(posted, tree[2], rows[low]) + leaf_sizes(posted, tree[3], rows[~low])


def limited_problem(seed: int) -> tuple[Posted, list[tuple[tuple, np.ndarray]]]:
    """Distinct rows under two limits and a minimum leaf size, large weights at times; all its trees with their sums."""
    rng = np.random.default_rng(seed)
    dataset = random_table(rng, 9, 2)
    X = dataset.X.copy()
    X[:, 0], X[:, 1] = rng.permutation(9), rng.permutation(9)
    weight = rng.integers(1, 10**6, 9).astype(float) if seed % 2 else None
    dataset = replace(dataset, X=X, positive=1, weight=weight)
    limits = MinSensitivity(float(rng.choice([0.6, 0.8]))), MinSpecificity(float(rng.choice([0.6, 0.8])))
    problem = Problem(dataset, Shape(max_depth=2, min_samples_leaf=2), constraints=limits)
    posted = post(problem, question_orders(dataset), rules_of(problem))
    every = np.arange(posted.orders.rank.shape[1])
    trees = [tree for tree in all_trees(posted.orders, every, 2) if min(leaf_sizes(posted, tree, every)) >= 2]
    return posted, [(tree, sums_of(posted, tree)) for tree in trees]


@pytest.mark.parametrize("seed", range(case_count(12)))
def test_a_split_that_is_ruled_out_has_no_tree(seed: int) -> None:
    """Neither the least sums of both sides nor multipliers of its own rule out a split of which a tree is cheap."""
    posted, trees = limited_problem(seed)
    within = [(tree, int(sums[0])) for tree, sums in trees if (sums[1:] <= posted.limits[1:]).all() and len(tree) > 1]
    dual = Dual(posted, 2, [1, 2], RUNNING, 1)
    list(dual.trees())
    for most in sorted({cost for _, cost in within})[:3]:
        fronts = FrontSearch(posted, 2, dual.bundle(), [1, 2], (), RUNNING)
        fronts._most = most
        root = Node(np.ones(posted.orders.rank.shape[1], np.uint8), 2, 0, np.zeros(0, np.int64), root=True)
        left = {(split.order, split.last) for split in fronts._splits(root, fronts._budgets(), None)}
        assert {tree[:2] for tree, cost in within if cost <= most} <= left


@pytest.mark.parametrize("seed", range(case_count(12)))
def test_what_is_known_of_multipliers_holds_for_other_limits(seed: int) -> None:
    """The bound is below the optimum whichever limits took part before, and a bundle has none of the others."""
    posted, trees = limited_problem(seed)
    optima = [int(sums[0]) for _, sums in trees if (sums[1:] <= posted.limits[1:]).all()]
    dual = Dual(posted, 2, [], RUNNING, 1)
    for active in ([1, 2], [], [2], [1]):
        dual.active = active
        list(dual.trees())
        assert not optima or (not dual.impossible and dual.bound <= min(optima))
        within = [int(sums[0]) for _, sums in trees if (sums[active] <= posted.limits[active]).all()]
        assert not within or dual.best <= min(within)
        assert not any(w.multiplier[q] for w in dual.bundle() for q in (1, 2) if q not in active)
