"""The bounds of the diagram search: each one against enumeration of its subset."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from solvers.methods.diagrams.odd_search.bounds import GridBound, most_copies
from solvers.methods.diagrams.odd_search.formulation import grid_of
from solvers.problem import Kind, Problem, Shape, ShapeKind
from solvers.problem.skeleton import objective_of
from tests.case_count import case_count
from tests.methods.diagrams.small_diagrams import questions, small_table
from tests.oracle.diagrams import diagram_least_cost
from tests.strategies import make_dataset


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
            proof._learn(part, trial, search, value)
    assert proof._plain.bound + arrays.cases.base <= diagram_least_cost(problem, tree=True)
    true = cheapest_with_merges(problem)
    assert all(part.bound + arrays.cases.base <= true[part.k] for part in proof._merged if part.k in true)
    assert {part.k for part in proof._merged} >= set(true)


def test_copies_of_splits_in_the_unfolded_tree() -> None:
    """Layers of 1, 2, 2, 2 splits unfold to 2 + 4 + 8 copies; a single split has as many copies as the layer above."""
    assert [most_copies((1, 2, 4, 8), k) for k in (4, 5, 6, 7)] == [2 + 2, 2 + 4, 2 + 4 + 4, 2 + 4 + 8]
    assert most_copies((1, 2, 1), 4) == 2 + 2 and most_copies((1, 2, 1), 5) == 0


def test_a_table_with_more_classes_than_the_tree_search_counts() -> None:
    """There is no search for trees, and the bound stays valid."""
    table = make_dataset({"x": (Kind.NUMERIC, range(70))}, range(70), n_classes=70)
    problem = Problem(table, Shape(kind=ShapeKind.DIAGRAM, widths=(1, 2, 2)), objective_of(0.2, 70))
    proof = GridBound(grid_of(problem), 10**9, None)
    proof.advance(1000)
    assert proof.stuck and proof.bound == problem.splits_cost(1)
