"""From a tree of rank questions to a `Diagram`: how the methods that search in question orders write their result."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from ...diagram import Diagram, Leaf, Split
from ...problem import MissingPolicy, Orders, Predicate, Problem, ShapeKind
from ...problem.threshold_set import ThresholdSet
from ..cases import added_up

Choice = Callable[[np.ndarray, int], tuple[int, int] | None]
"""(rows at the node, slot) -> (order, highest rank of the first side), or `None` for a leaf. Slots are numbered as in a
heap: the root is 0, the children of s are 2 s + 1 (low ranks) and 2 s + 2."""

RankTree = tuple[()] | tuple[int] | tuple[int, int, "RankTree", "RankTree"]
"""A nested tree in ranks: `(order, highest rank of the first side, first side, second side)`; a leaf is `(answer,)`, or
`()` for the answer that costs least."""

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
    """Build the tree whose splits `choose` names, without those that are of no use or not allowed.

    A split is left out where all its rows go one way, where a side would be smaller than a leaf must be, where both its
    sides are leaves of the same class, and, if splits cost something, where what is below it saves no more than its
    splits cost. Each of these only makes leaves larger.

    Parameters
    ----------
    problem : gives rows, objective and minimum leaf size; all rows together must make a leaf.
    orders : the question orders of the problem's dataset.
    choose : the split of each node.
    fixed : questions that stand at a slot whatever they are good for, all with rows on both sides; of these the yes
        side is the first child.
    within : the range of thresholds by column (position), where there is one; the gap that a split lies in meets it.
    """
    dataset, fixed = problem.dataset, fixed or {}

    def build(rows: np.ndarray, slot: int) -> tuple[Tree, int]:
        """The tree for these rows, and its cost."""
        if slot in fixed:
            predicate = fixed[slot]
            yes = predicate.answer(dataset.X[rows, dataset.schema.index(predicate.column)])
            first, first_cost = build(rows[yes], 2 * slot + 1)
            second, second_cost = build(rows[~yes], 2 * slot + 2)
            return (predicate, first, second), first_cost + second_cost + problem.split_cost
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
        below = first_cost + second_cost + problem.split_cost
        same_class = len(first) == 1 == len(second) and first[0].label == second[0].label
        if same_class or (problem.split_cost and below >= cost):
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
    """The question that parts rows (positions) after a rank of an order, and whether low ranks answer yes.

    Some rows answer 'rank <= last' with yes, others with no. The threshold lies between the values that the rows have
    next to it, and is one of those `within` which its column (position) has to stay. A missing value that none of the
    rows has goes to the larger side (by weight).
    """
    rank, column = orders.rank[order, rows], int(orders.column[order])
    low = rank <= last
    low_is_larger = is_larger(problem, rows, low)
    predicate, low_is_yes = orders.question(
        order, int(rank[low].max()), int(rank[~low].min()), missing=low_is_larger, within=(within or {}).get(column)
    )
    if may_choose_missing(problem, column, rows):
        # of an order and its twin either may have been chosen here, so where it puts the missing says nothing
        predicate = replace(predicate, missing=low_is_larger)
    return predicate, low_is_yes


def is_larger(problem: Problem, rows: np.ndarray, side: np.ndarray) -> bool:
    """Whether a side of some rows (positions), bool (n,), is at least as heavy as the other."""
    weight = problem.weights[rows]
    return bool(2 * weight[side].sum() >= weight.sum())


def may_choose_missing(problem: Problem, column: int, rows: np.ndarray) -> bool:
    """Whether these rows leave open what a missing value answers."""
    dataset = problem.dataset
    return dataset.schema.missing is MissingPolicy.INFORMATION and not np.isnan(dataset.X[rows, column]).any()


def may_be_leaf(problem: Problem, rows: np.ndarray) -> bool:
    """Whether these rows (positions) are as many, and as heavy, as a leaf must be."""
    least = problem.min_weight_leaf
    # a row has a weight of at least 1
    return len(rows) >= problem.size.min_samples_leaf and (len(rows) >= least or problem.weights[rows].sum() >= least)


def leaf_of(problem: Problem, rows: np.ndarray) -> Leaf:
    """The leaf that these rows (positions) make: the class of the least cost, the first one of equals."""
    return priced_leaf(problem, rows)[0]


def priced_leaf(problem: Problem, rows: np.ndarray) -> tuple[Leaf, int, int]:
    """The leaf of these rows, its cost, and what no tree for them can cost less than."""
    by_class = class_weights(problem, rows)
    costs = problem.leaf_costs(by_class)
    label = int(costs.argmin())
    return leaf_with(problem, rows, label), int(costs[label]), int(by_class @ problem.class_costs.min(axis=1))


def leaf_with(problem: Problem, rows: np.ndarray, label: int) -> Leaf:
    """The leaf of these rows (positions, or a mask) that answers a class."""
    dataset, weight = problem.dataset, problem.dataset.weight
    counts = np.bincount(dataset.y[rows], None if weight is None else weight[rows], dataset.n_classes)
    return Leaf(label, tuple(float(count) for count in counts))


def class_weights(problem: Problem, rows: np.ndarray) -> np.ndarray:
    """The weight of each class among rows (positions), int64 (n_classes,)."""
    return added_up(problem.weights[rows], problem.dataset.y[rows], problem.dataset.n_classes)


def assemble(problem: Problem, tree: Tree) -> Diagram:
    """The diagram of a nested tree, its nodes numbered breadth first so that children come after their parents."""
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
