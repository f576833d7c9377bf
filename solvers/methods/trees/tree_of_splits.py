"""From a tree of rank splits to a `Diagram`: how methods that search in question orders return their result."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from ...diagram import Diagram, Leaf, Split
from ...problem import MissingPolicy, Orders, Predicate, Problem, ShapeKind
from ...problem.threshold_set import ThresholdSet
from ..cases import added_up

Choice = Callable[[np.ndarray, int], tuple[int, int] | None]
"""(rows of the node, slot) -> (order, highest rank of the first side), or `None` for a leaf. Slots are numbered as in a
heap: the root is 0, the children of s are 2 s + 1 (low ranks) and 2 s + 2."""

RankTree = tuple[()] | tuple[int] | tuple[int, int, "RankTree", "RankTree"]
"""A nested tree in ranks: `(order, highest rank of the first side, first side, second side)`; a leaf is `(class,)`, or
`()` for the class with the lowest cost."""

Tree = tuple[Leaf] | tuple[Predicate, "Tree", "Tree"]
"""A nested tree: `(leaf,)`, or `(predicate, tree of the yes side, tree of the no side)`."""


def grow(
    problem: Problem,
    orders: Orders,
    choose: Choice,
    *,
    fixed: Mapping[int, Predicate] | None = None,
    within: Mapping[int, ThresholdSet] | None = None,
) -> Diagram:
    """Build the tree of the splits that `choose` returns, without useless and forbidden splits.

    A split is removed if all its rows are on one side, if a side is smaller than the minimum leaf, if both its sides
    are leaves of the same class, and, if there is a split penalty, if its subtree saves no more than the penalties of
    its splits. Each removal only makes leaves larger.

    Parameters
    ----------
    problem : gives rows, objective and minimum leaf size; all rows together must satisfy it.
    orders : the question orders of the problem's dataset.
    choose : the split of each node.
    fixed : splits by slot that are kept even if they are useless; all have rows on both sides, and their yes side is
        the first child.
    within : the permitted thresholds by column (position), if restricted; the gap of a split overlaps them.
    """
    dataset, fixed = problem.dataset, fixed or {}

    def build(rows: np.ndarray, slot: int) -> tuple[Tree, int]:
        """The tree for these rows, and its cost."""
        if slot in fixed:
            predicate = fixed[slot]
            yes = predicate.answer(dataset.X[rows, dataset.schema.index(predicate.column)])
            first, first_cost = build(rows[yes], 2 * slot + 1)
            second, second_cost = build(rows[~yes], 2 * slot + 2)
            return (predicate, first, second), first_cost + second_cost + problem.split_penalty
        leaf, cost, least = priced_leaf(problem, rows)
        choice = choose(rows, slot) if cost > least else None
        if choice is None:
            return (leaf,), cost
        order, last = choice
        low = orders.rank[order, rows] <= last
        if low.all() or not low.any():
            return build(rows, 2 * slot + (1 if low.all() else 2))
        if not (may_be_leaf(problem, rows[low]) and may_be_leaf(problem, rows[~low])):
            return (leaf,), cost
        first, first_cost = build(rows[low], 2 * slot + 1)
        second, second_cost = build(rows[~low], 2 * slot + 2)
        below = first_cost + second_cost + problem.split_penalty
        same_class = len(first) == 1 == len(second) and first[0].label == second[0].label
        if same_class or (problem.split_penalty and below >= cost):
            return (leaf,), cost
        predicate, low_is_yes = rank_question(problem, orders, rows, order, last, within)
        return ((predicate, first, second) if low_is_yes else (predicate, second, first)), below

    return assemble(problem, build(np.arange(dataset.n_samples), 0)[0])


def rank_question(
    problem: Problem,
    orders: Orders,
    rows: np.ndarray,
    order: int,
    last: int,
    within: Mapping[int, ThresholdSet] | None = None,
) -> tuple[Predicate, bool]:
    """The split of rows (positions) after a rank of an order, and whether low ranks are its yes side.

    Both 'rank <= last' and its complement have rows. The threshold lies between the neighbouring values of the rows,
    and within the permitted thresholds of its column (position). If none of the rows has a missing value, missing
    values go to the heavier side.
    """
    rank, column = orders.rank[order, rows], int(orders.column[order])
    low = rank <= last
    low_is_larger = is_larger(problem, rows, low)
    predicate, low_is_yes = orders.question(
        order, int(rank[low].max()), int(rank[~low].min()), missing=low_is_larger, within=(within or {}).get(column)
    )
    if may_choose_missing(problem, column, rows):
        # either an order or its twin may have been chosen here, so its side for missing values is arbitrary
        predicate = replace(predicate, missing=low_is_larger)
    return predicate, low_is_yes


def is_larger(problem: Problem, rows: np.ndarray, side: np.ndarray) -> bool:
    """Whether a side of these rows (positions), bool (n,), is at least as heavy as the other."""
    weight = problem.weights[rows]
    return bool(2 * weight[side].sum() >= weight.sum())


def may_choose_missing(problem: Problem, column: int, rows: np.ndarray) -> bool:
    """Whether these rows leave the side of missing values open."""
    dataset = problem.dataset
    return dataset.schema.missing is MissingPolicy.INFORMATION and not np.isnan(dataset.X[rows, column]).any()


def may_be_leaf(problem: Problem, rows: np.ndarray) -> bool:
    """Whether these rows (positions) satisfy the minimum number and weight of a leaf."""
    least = problem.min_weight_leaf
    # every row has a weight of at least 1
    return len(rows) >= problem.size.min_samples_leaf and (len(rows) >= least or problem.weights[rows].sum() >= least)


def leaf_of(problem: Problem, rows: np.ndarray) -> Leaf:
    """The leaf of these rows (positions): the class with the lowest cost, the first one in a tie."""
    return priced_leaf(problem, rows)[0]


def priced_leaf(problem: Problem, rows: np.ndarray) -> tuple[Leaf, int, int]:
    """The leaf of these rows, its cost, and a lower bound on the cost of any tree for them."""
    by_class = class_weights(problem, rows)
    costs = problem.leaf_costs(by_class)
    label = int(costs.argmin())
    return leaf_with(problem, rows, label), int(costs[label]), int(by_class @ problem.class_costs.min(axis=1))


def leaf_with(problem: Problem, rows: np.ndarray, label: int) -> Leaf:
    """The leaf of these rows (positions, or a mask) that predicts a class."""
    dataset, weight = problem.dataset, problem.dataset.weight
    counts = np.bincount(dataset.y[rows], None if weight is None else weight[rows], dataset.n_classes)
    return Leaf(label, tuple(float(count) for count in counts))


def class_weights(problem: Problem, rows: np.ndarray) -> np.ndarray:
    """The weight of each class among rows (positions), int64 (n_classes,)."""
    return added_up(problem.weights[rows], problem.dataset.y[rows], problem.dataset.n_classes)


def assemble(problem: Problem, tree: Tree) -> Diagram:
    """The diagram of a nested tree, with nodes numbered breadth first, so children come after their parents."""
    queue: list[Tree] = [tree]
    nodes: list[Split | Leaf] = []
    for node in queue:
        if len(node) == 1:
            nodes.append(node[0])
        else:
            nodes.append(Split(node[0], len(queue), len(queue) + 1))
            queue += node[1:]
    dataset = problem.dataset
    return Diagram(ShapeKind.TREE, dataset.schema, dataset.classes, dataset.outcome, dataset.positive, tuple(nodes))
