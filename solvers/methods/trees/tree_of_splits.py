"""From a tree of rank questions to a `Diagram`: how the methods that search in question orders write their result."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from solvers.diagram import Diagram, Leaf, Split
from solvers.problem import MissingPolicy, Orders, Predicate, Problem, ShapeKind

Choice = Callable[[np.ndarray, int], tuple[int, int] | None]
"""(rows at the node, slot) -> (order, highest rank of the first side), or `None` for a leaf. Slots are numbered as in a
heap: the root is 0, the children of s are 2 s + 1 (low ranks) and 2 s + 2."""

Tree = tuple[Any, ...]
"""A nested tree: `(leaf,)`, or `(predicate, tree of the yes side, tree of the no side)`."""


def grow(
    problem: Problem,
    orders: Orders,
    choose: Choice,
    *,
    fixed: Mapping[int, Predicate] | None = None,
    within: Mapping[int, tuple[float, float]] | None = None,
) -> Diagram:
    """Build the tree whose splits `choose` names, without those that are of no use or not allowed.

    A split is left out where all its rows go one way, where a side would be smaller than a leaf must be, where both its
    sides are leaves of the same class, and, if splits cost something, where what is below it saves no more than its
    splits cost. Each of these only makes leaves larger. A missing value that the training rows never had at a node goes
    to the larger side (by weight).

    Parameters
    ----------
    problem : gives rows, objective and minimum leaf size; all rows together must make a leaf.
    orders : the question orders of the problem's dataset.
    choose : the split of each node.
    fixed : questions that stand at a slot whatever they are good for, all with rows on both sides; of these the yes
        side is the first child.
    within : the range of thresholds by column (position), where there is one; the gap that a split lies in meets it.
    """
    dataset, weights = problem.dataset, problem.weights
    fixed, within = fixed or {}, within or {}
    as_information = dataset.schema.missing is MissingPolicy.INFORMATION

    def build(rows: np.ndarray, slot: int) -> tuple[Tree, int]:
        """The tree for these rows, and its cost."""
        if slot in fixed:
            asked = fixed[slot]
            yes = asked.answer(dataset.X[rows, dataset.schema.index(asked.column)])
            first, first_cost = build(rows[yes], 2 * slot + 1)
            second, second_cost = build(rows[~yes], 2 * slot + 2)
            return (asked, first, second), first_cost + second_cost + problem.split_cost
        leaf, cost, least = _leaf(problem, rows)
        choice = choose(rows, slot) if cost > least else None
        if choice is None:
            return (leaf,), cost
        order, last = choice
        rank = orders.rank[order, rows]
        low = rank <= last
        if low.all() or not low.any():
            return build(rows, 2 * slot + (1 if low.all() else 2))
        if not (may_be_leaf(problem, rows[low]) and may_be_leaf(problem, rows[~low])):
            return (leaf,), cost
        first, first_cost = build(rows[low], 2 * slot + 1)
        second, second_cost = build(rows[~low], 2 * slot + 2)
        below = first_cost + second_cost + problem.split_cost
        same_class = len(first) == len(second) == 1 and first[0].label == second[0].label
        if same_class or (problem.split_cost and below >= cost):
            return (leaf,), cost
        low_is_larger = bool(weights[rows[low]].sum() >= weights[rows[~low]].sum())
        low_rank, high_rank = int(rank[low].max()), int(rank[~low].min())
        predicate, low_is_yes = orders.question(
            order, low_rank, high_rank, missing=low_is_larger, within=within.get(int(orders.column[order]))
        )
        if as_information and not np.isnan(dataset.X[rows, orders.column[order]]).any():
            # of an order and its twin either may have been chosen here, so where it puts the missing says nothing
            predicate = replace(predicate, missing=low_is_larger)
        return ((predicate, first, second) if low_is_yes else (predicate, second, first)), below

    return assemble(problem, build(np.arange(dataset.n_samples), 0)[0])


def may_be_leaf(problem: Problem, rows: np.ndarray) -> bool:
    """Whether these rows (positions) are as many, and as heavy, as a leaf must be."""
    return len(rows) >= problem.size.min_samples_leaf and int(problem.weights[rows].sum()) >= problem.min_leaf_weight


def leaf_of(problem: Problem, rows: np.ndarray) -> Leaf:
    """The leaf that these rows (positions) make: the class of the least cost, the first one of equals."""
    return _leaf(problem, rows)[0]


def _leaf(problem: Problem, rows: np.ndarray) -> tuple[Leaf, int, int]:
    """The leaf of these rows, its cost, and what no tree for them can cost less than."""
    dataset, weight = problem.dataset, problem.dataset.weight
    by_class = np.bincount(dataset.y[rows], problem.weights[rows], dataset.n_classes).astype(np.int64)
    costs = problem.leaf_costs(by_class)
    label = int(costs.argmin())
    shown = np.bincount(dataset.y[rows], None if weight is None else weight[rows], dataset.n_classes)
    least = int(by_class @ problem.class_costs.min(axis=1))
    return Leaf(label, tuple(float(count) for count in shown)), int(costs[label]), least


def assemble(problem: Problem, tree: Tree) -> Diagram:
    """The diagram of a nested tree, its nodes numbered breadth first so that children come after their parents."""
    queue, nodes, at = [tree], [], 0
    while at < len(queue):
        node = queue[at]
        if len(node) == 1:
            nodes.append(node[0])
        else:
            nodes.append(Split(node[0], len(queue), len(queue) + 1))
            queue += node[1:]
        at += 1
    dataset = problem.dataset
    return Diagram(ShapeKind.TREE, dataset.schema, dataset.classes, dataset.outcome, dataset.positive, tuple(nodes))
