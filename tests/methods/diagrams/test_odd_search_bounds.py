"""The bounds of the diagram search: each one against enumeration of its subset."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from solvers.kernels import odd_trees
from solvers.kernels.odd_cells import MergedRows
from solvers.methods.diagrams.odd_search.bounds import GridBound
from solvers.methods.diagrams.odd_search.formulation import grid_of
from solvers.problem import Problem, Shape, ShapeKind
from solvers.problem.skeleton import objective_of
from tests.case_count import case_count
from tests.methods.diagrams.small_diagrams import questions, small_table
from tests.oracle.diagrams import diagram_least_cost


def trees_at_least(rank: np.ndarray, price: np.ndarray, charge: list[int]) -> int:
    """The cheapest tree under penalties by layer, by exhaustive search."""

    def best(rows: tuple[int, ...], layer: int) -> int:
        found = int(price[list(rows)].sum(axis=0).min())
        for line in rank if layer < len(charge) else ():
            for cut in range(int(line.max())):
                low, high = (tuple(i for i in rows if (line[i] <= cut) == side) for side in (True, False))
                if low and high:
                    found = min(found, charge[layer] + best(low, layer + 1) + best(high, layer + 1))
        return found

    return best(tuple(range(rank.shape[1])), 0)


@pytest.mark.parametrize("seed", range(case_count(150)))
def test_trees_under_penalties_are_exact(seed: int) -> None:
    """Below the ceiling the value is the least cost; else it is a lower bound and at least the ceiling."""
    rng = np.random.default_rng(seed)
    m, n_orders, n_classes = int(rng.integers(2, 9)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    rank = np.array([np.unique(rng.integers(0, 5, m), return_inverse=True)[1] for _ in range(n_orders)], np.int32)
    price = rng.integers(0, 8, (m, n_classes))
    price -= price.min(axis=1, keepdims=True)
    charge = sorted(rng.integers(0, 5, int(rng.integers(1, 5))).tolist(), reverse=True)
    charge[0] = charge[0] if rng.random() < 0.5 else 0
    ids, ones = np.argsort(rank, axis=1, kind="stable").astype(np.int32), np.ones(m, np.int64)
    cells = MergedRows(rank, ids, price, ones, ones, np.zeros((0, m, n_classes), np.int64), np.zeros(0, np.int64))
    true = trees_at_least(rank, price, charge)
    ceiling = int(rng.integers(0, true + 6))
    search = odd_trees.tree_bound(cells, np.array(charge), 2000)
    odd_trees.begin(cells, search, ceiling)
    while odd_trees.resume(cells, search, 50) == odd_trees.RUNNING:
        pass
    found = int(search.control[odd_trees.VALUE])
    assert found == true if true < ceiling else ceiling <= found <= true


def cheapest_with_merges(problem: Problem) -> dict[int, int]:
    """By number of splits, the least cost of diagrams in three layers of which the last has a merged node.

    Tries all targets of the arcs of the second layer and all splits; a leaf predicts its cheapest class.
    """
    dataset = problem.dataset
    price = problem.class_costs[dataset.y] * problem.weights[:, None]
    all_answers = [yes for _, yes in questions(dataset)]
    slots = range(problem.size.layer_widths[2])
    pairs = [(yes, no) for yes in (None, *slots) for no in (None, *slots) if yes != no]
    least: dict[int, int] = {}
    for ways in product(pairs, repeat=2):
        into = [arc for pair in ways for arc in pair if arc is not None]
        if len(set(into)) == len(into):
            continue
        for root, *below in product(all_answers, repeat=3):
            cost, rows = 0, {slot: np.zeros(dataset.n_samples, bool) for slot in into}
            for here, yes, way in zip((root, ~root), below, ways, strict=True):
                for arc, part in zip(way, (here & yes, here & ~yes), strict=True):
                    if arc is None:
                        cost += price[part].sum(axis=0).min()
                    else:
                        rows[arc] |= part
            for part in rows.values():
                cost += min(price[part & q].sum(axis=0).min() + price[part & ~q].sum(axis=0).min() for q in all_answers)
            k = 3 + len(rows)
            cost = int(cost) + problem.splits_cost(k)
            least[k] = min(least.get(k, cost), cost)
    return least


@pytest.mark.parametrize("seed", range(case_count(16)))
def test_bounds_hold_for_each_number_of_splits(seed: int) -> None:
    """No diagram of k splits with merged nodes costs less than the bound of its part, and no tree less than its own."""
    rng = np.random.default_rng(seed)
    table = small_table(rng, n_rows=9, n_values=3)
    widths = (1, 2, 2) if seed % 4 == 0 else (1, 2, 1)
    problem = Problem(
        table, Shape(kind=ShapeKind.DIAGRAM, widths=widths), objective_of(float(rng.choice([0.2, 0.7, 2])), 9)
    )
    arrays = grid_of(problem)
    proof = GridBound(arrays, 10**9, None)
    parts = (proof._plain, *proof._merged)
    for part in parts:
        while part.ahead:
            value = None
            trial = part.ahead.pop(0)
            search = trial.search(arrays, 10**8)
            while value is None:
                value = search.advance(100_000)
            proof._learn(part, trial, value)
    assert proof._plain.bound + arrays.cases.base <= diagram_least_cost(problem, tree=True)
    true = cheapest_with_merges(problem)
    assert all(part.bound + arrays.cases.base <= true[part.k] for part in proof._merged if part.k in true)
    assert {part.k for part in proof._merged} >= set(true)
