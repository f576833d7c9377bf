"""From a tree of rank questions to a `Diagram`: how the methods that search in question orders write their result."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from solvers.diagram import Diagram, Leaf, Node, Split
from solvers.problem import Orders, Problem, ShapeKind

Choice = Callable[[np.ndarray, int], tuple[int, int] | None]
"""(rows at the node, slot) -> (order, highest rank of the first side), or `None` for a leaf. Slots are numbered as in a
heap: the root is 0, the children of s are 2 s + 1 (low ranks) and 2 s + 2."""


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
    user_weight = np.ones(dataset.n_samples) if dataset.weight is None else dataset.weight

    def build(rows: np.ndarray, slot: int) -> tuple:
        counts = np.bincount(dataset.y[rows], weights[rows], dataset.n_classes)
        label = int(counts.argmax())
        shown = np.bincount(dataset.y[rows], user_weight[rows], dataset.n_classes)
        leaf = (Leaf(label, tuple(float(c) for c in shown)),)
        choice = choose(rows, slot) if counts[label] < counts.sum() else None
        if choice is None:
            return leaf
        order, last = choice
        rank = orders.rank[order, rows]
        low = rank <= last
        if low.all() or not low.any():
            return build(rows, 2 * slot + (1 if low.all() else 2))
        first, second = build(rows[low], 2 * slot + 1), build(rows[~low], 2 * slot + 2)
        if len(first) == len(second) == 1 and first[0].label == second[0].label:
            return leaf
        low_is_larger = weights[rows[low]].sum() >= weights[rows[~low]].sum()
        low_rank, high_rank = int(rank[low].max()), int(rank[~low].min())
        predicate, low_is_yes = orders.question(order, low_rank, high_rank, missing=bool(low_is_larger))
        return (predicate, first, second) if low_is_yes else (predicate, second, first)

    return Diagram(
        ShapeKind.TREE,
        dataset.schema,
        dataset.classes,
        dataset.outcome,
        dataset.positive,
        _numbered(build(np.arange(dataset.n_samples), 0)),
    )


def _numbered(tree: tuple) -> tuple[Node, ...]:
    """Number the nodes breadth first, so that children come after their parents."""
    queue, nodes, at = [tree], [], 0
    while at < len(queue):
        node = queue[at]
        if len(node) == 1:
            nodes.append(node[0])
        else:
            nodes.append(Split(node[0], len(queue), len(queue) + 1))
            queue += node[1:]
        at += 1
    return tuple(nodes)
