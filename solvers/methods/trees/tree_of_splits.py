"""From a tree of rank splits to a `Diagram`: how methods that search in question orders return their result."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from ...diagram import Diagram, Leaf, Split
from ...problem import MissingPolicy, Orders, Predicate, Problem, ShapeKind
from ...problem.threshold_set import ThresholdSet
from ..cases import added_up
from ..cases import class_weights as weights_by_cell
from .exact_search import Splits

RankTree = tuple[()] | tuple[int] | tuple[int, int, "RankTree", "RankTree"]
"""A nested tree in ranks: `(order, highest rank of the first side, first side, second side)`; a leaf is `(class,)`, or
`()` for the class with the lowest cost."""

Tree = tuple[Leaf] | tuple[Predicate, "Tree", "Tree"]
"""A nested tree: `(leaf,)`, or `(predicate, tree of the yes side, tree of the no side)`."""


class _Part(NamedTuple):
    """Rows that take the same side of all splits above them; `question` divides them, `None` if nothing does.

    rows : int64 (n,), positions; question : a fixed split, or (order, highest rank of the first side).
    first : the number of the part of the first side; the other side is the next part.
    """

    rows: np.ndarray
    question: Predicate | tuple[int, int] | None
    first: int


def grow(
    problem: Problem,
    orders: Orders,
    splits: Splits,
    *,
    fixed: Mapping[int, Predicate] | None = None,
    within: Mapping[int, ThresholdSet] | None = None,
) -> Diagram:
    """Build the tree of these splits, without useless and forbidden ones.

    A split is removed if all its rows are on one side, if a side is smaller than the minimum leaf, if both its sides
    are leaves of the same class, and, if there is a split penalty, if its subtree saves no more than the penalties of
    its splits. Each removal only makes leaves larger.

    Parameters
    ----------
    problem : gives rows, objective and minimum leaf size; all rows together must satisfy it.
    orders : the question orders of the problem's dataset.
    splits : slots are numbered as in a heap: the root is 0, the children of s are 2 s + 1 (low ranks) and 2 s + 2.
    fixed : splits by slot that are kept even if they are useless; all have rows on both sides, and their yes side is
        the first child.
    within : the permitted thresholds by column (position), if restricted; the gap of a split overlaps them.
    """
    parts = _divided(problem, orders, splits, fixed or {})
    price, weight = problem.split_penalty, _class_weights(problem, parts)
    costs = problem.leaf_costs(weight)
    label, leaf_cost = costs.argmin(axis=1).tolist(), costs.min(axis=1).tolist()
    least = (weight @ problem.class_costs.min(axis=1)).tolist()
    large = (weight.sum(axis=1) >= problem.min_weight_leaf).tolist()
    cost, kept = list(leaf_cost), [False] * len(parts)
    for i in reversed(range(len(parts))):
        part = parts[i]
        if part.question is None:
            continue
        sides = part.first, part.first + 1
        below = sum(cost[side] for side in sides) + price
        if isinstance(part.question, tuple):
            if leaf_cost[i] == least[i] or (price and below >= leaf_cost[i]):
                continue
            if not all(large[s] and len(parts[s].rows) >= problem.size.min_samples_leaf for s in sides):
                continue
            if not any(kept[s] for s in sides) and label[sides[0]] == label[sides[1]]:
                continue
        cost[i], kept[i] = below, True

    def build(i: int) -> Tree:
        rows, question, side = parts[i]
        if question is None or not kept[i]:
            return (leaf_with(problem, rows, label[i]),)
        first, second = build(side), build(side + 1)
        if not isinstance(question, tuple):
            return question, first, second
        predicate, low_is_yes = rank_question(problem, orders, rows, *question, within)
        return (predicate, first, second) if low_is_yes else (predicate, second, first)

    return assemble(problem, build(0))


def _divided(problem: Problem, orders: Orders, splits: Splits, fixed: Mapping[int, Predicate]) -> list[_Part]:
    """All rows, divided by splits that have rows on both sides; a part comes before its sides."""
    dataset, parts = problem.dataset, []
    waiting = [(np.arange(dataset.n_samples), 0)]
    for rows, slot in waiting:
        question: Predicate | tuple[int, int] | None = None
        while slot in fixed or slot in splits:
            if slot in fixed:
                question = predicate = fixed[slot]
                first = predicate.answer(dataset.X[rows, dataset.schema.index(predicate.column)])
            else:
                question = order, last = splits[slot]
                first = orders.rank[order, rows] <= last
            n_first = np.count_nonzero(first)
            if 0 < n_first < len(rows):
                break
            slot, question = 2 * slot + (1 if n_first else 2), None
        parts.append(_Part(rows, question, len(waiting)))
        if question is not None:
            waiting += [(rows[first], 2 * slot + 1), (rows[~first], 2 * slot + 2)]
    return parts


def _class_weights(problem: Problem, parts: Sequence[_Part]) -> np.ndarray:
    """The weight of each class in each part, int64 (n_parts, n_classes)."""
    at = np.zeros(problem.dataset.n_samples, np.int64)
    for i, part in enumerate(parts):
        if part.question is None:
            at[part.rows] = i
    weight = weights_by_cell(problem, at, len(parts))
    for i in reversed(range(len(parts))):
        if parts[i].question is not None:
            weight[i] = weight[parts[i].first] + weight[parts[i].first + 1]
    return weight


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
    costs = problem.leaf_costs(class_weights(problem, rows))
    return leaf_with(problem, rows, int(costs.argmin()))


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
