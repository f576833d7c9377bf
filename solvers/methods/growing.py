"""From a tree of rank questions to a `Diagram`: how the methods that search in question orders write their result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from solvers.diagram import Diagram, Leaf, Split
from solvers.problem import MissingPolicy, Orders, Problem, ShapeKind

Choice = Callable[[np.ndarray, int], tuple[int, int] | None]
"""(rows at the node, slot) -> (order, highest rank of the first side), or `None` for a leaf. Slots are numbered as in a
heap: the root is 0, the children of s are 2 s + 1 (low ranks) and 2 s + 2."""

Tree = tuple
"""A nested tree: `(leaf,)`, or `(predicate, tree of the yes side, tree of the no side)`."""


def grow(problem: Problem, orders: Orders, choose: Choice) -> Diagram:
    """Build the tree whose splits `choose` names, and prune splits that change no prediction.

    A split is left out where all its rows go one way, or where both its sides are leaves of the same class. A missing
    value that the training rows never had at a node goes to the larger side (by weight).

    Parameters
    ----------
    problem : gives rows, weights and classes.
    orders : the question orders of the problem's dataset.
    choose : the split of each node.
    """
    dataset, weights = problem.dataset, problem.weights
    as_information = dataset.schema.missing is MissingPolicy.INFORMATION

    def build(rows: np.ndarray, slot: int) -> Tree:
        leaf = leaf_of(problem, rows)
        choice = choose(rows, slot) if (dataset.y[rows] != leaf.label).any() else None
        if choice is None:
            return (leaf,)
        order, last = choice
        rank = orders.rank[order, rows]
        low = rank <= last
        if low.all() or not low.any():
            return build(rows, 2 * slot + (1 if low.all() else 2))
        first, second = build(rows[low], 2 * slot + 1), build(rows[~low], 2 * slot + 2)
        if len(first) == len(second) == 1 and first[0].label == second[0].label:
            return (leaf,)
        low_is_larger = bool(weights[rows[low]].sum() >= weights[rows[~low]].sum())
        low_rank, high_rank = int(rank[low].max()), int(rank[~low].min())
        predicate, low_is_yes = orders.question(order, low_rank, high_rank, missing=low_is_larger)
        if as_information and not np.isnan(dataset.X[rows, orders.column[order]]).any():
            # of an order and its twin either may have been chosen here, so where it puts the missing says nothing
            predicate = replace(predicate, missing=low_is_larger)
        return (predicate, first, second) if low_is_yes else (predicate, second, first)

    return assemble(problem, build(np.arange(dataset.n_samples), 0))


def leaf_of(problem: Problem, rows: np.ndarray) -> Leaf:
    """The leaf that these rows (positions) make: the class of the largest weight, the first one of equals."""
    dataset = problem.dataset
    label = int(np.bincount(dataset.y[rows], problem.weights[rows], dataset.n_classes).argmax())
    shown = np.bincount(dataset.y[rows], None if dataset.weight is None else dataset.weight[rows], dataset.n_classes)
    return Leaf(label, tuple(float(count) for count in shown))


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
