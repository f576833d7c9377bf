"""Polishing: valid trees that only get better, within the same shape."""

from __future__ import annotations

from hypothesis import given, settings

from solvers.methods.trees.cart import cart_splits
from solvers.methods.trees.exact_search import as_weighted_rows
from solvers.methods.trees.improvement import polished
from solvers.methods.trees.tree_of_splits import grow
from solvers.problem import Problem, question_orders
from tests.case_count import case_count
from tests.strategies import problems


@settings(max_examples=case_count(80))
@given(problem=problems())
def test_every_polished_tree_is_better_and_within_the_shape(problem: Problem) -> None:
    """Costs fall from tree to tree, and depth, leaves and leaf sizes stay within the limits."""
    orders, rows = question_orders(problem.dataset), as_weighted_rows(problem)
    shape = problem.shape
    if not len(orders) or shape.max_depth < 1 or shape.max_leaf_nodes == 1:
        return
    splits = cart_splits(problem, orders, seed=0)
    diagram = grow(problem, orders, lambda _, slot: splits.get(slot))
    cost = problem.cost(diagram.predict(problem.dataset), diagram.n_splits)
    for better in polished(problem, orders, rows, splits, lambda: False):
        diagram = grow(problem, orders, lambda _, slot, better=better: better.get(slot))
        now = problem.cost(diagram.predict(problem.dataset), diagram.n_splits)
        assert now <= cost
        assert diagram.depth <= shape.max_depth
        assert shape.max_leaf_nodes is None or diagram.n_leaves <= shape.max_leaf_nodes
        cost = now


def test_the_children_of_the_root_become_optimal() -> None:
    """On parity of two bits below a greedy root the subtrees of height 2 are put right at once."""
    from solvers.problem import Shape
    from tests.strategies import Kind, make_dataset

    bits = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 2
    columns = {name: (Kind.NUMERIC, [float(row[i]) for row in bits]) for i, name in enumerate("abc")}
    problem = Problem(make_dataset(columns, [a ^ b ^ c for a, b, c in bits]), Shape(max_depth=3))
    orders = question_orders(problem.dataset)
    *_, best = polished(problem, orders, as_weighted_rows(problem), {0: (0, 0)}, lambda: False)
    diagram = grow(problem, orders, lambda _, slot: best.get(slot))
    assert problem.cost(diagram.predict(problem.dataset), diagram.n_splits) == 0
