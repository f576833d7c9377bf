"""Trees of a search: splits and predictions by slot, and the functions on them; at the end a `Diagram`.

Slots are numbered as in a heap: the root is 0, the children of s are 2 s + 1 (the first side: low ranks) and 2 s + 2.
`rank` has the ranks of rows by order, int (n_orders, n_rows) or one array per order; rows may also be cells of rows
that no split separates. A predicate is an order of two ranks: 0 for yes, 1 for no.

Example
-------
Rows of at most rank 7 in order 2 are of class 1, all others of class 0:

>>> tree = SplitTree({0: (2, 7)}, {1: 1, 2: 0})
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from ...diagram import Diagram, Leaf, Split
from ...problem import MissingPolicy, Op, Orders, Predicate, Problem, ShapeKind
from ...problem.threshold_set import ThresholdSet
from ..cases import added_up
from .slots import Slot, no_of, yes_of

Splits = dict[Slot, tuple[int, int]]
"""The splits of a tree: slot -> (order, highest rank of the first side)."""

Ranks = np.ndarray | Sequence[np.ndarray]
"""The ranks of rows, by order."""

Question = Callable[[Slot, Slot, np.ndarray], tuple[Predicate, bool]]
"""The predicate of a split, and whether its yes side is the first one.

Takes the slot, the slot if yes sides were the first ones, and the rows of the node.
"""


class SplitTree(NamedTuple):
    """A tree with the predicted class of each leaf; without one, a leaf predicts the class of the lowest cost."""

    splits: Splits
    labels: Mapping[Slot, int]

    @classmethod
    def joined(cls, slot: Slot, split: tuple[int, int], first: "SplitTree", second: "SplitTree") -> "SplitTree":
        """A split at a slot above two trees, whose roots are at the slots below."""
        return cls({slot: split, **first.splits, **second.splits}, {**first.labels, **second.labels})


def nodes_of(rank: Ranks, splits: Splits, rows: np.ndarray, root: Slot = 0) -> Iterator[tuple[Slot, np.ndarray]]:
    """The slots of all nodes, parents first, each with those of the rows that reach it."""
    waiting = deque([(root, rows)])
    while waiting:
        slot, here = waiting.popleft()
        yield slot, here
        if slot in splits:
            waiting += sides_of(rank, splits, slot, here)


def sides_of(rank: Ranks, splits: Splits, slot: Slot, rows: np.ndarray) -> list[tuple[Slot, np.ndarray]]:
    """The slots below a split, each with its share of the rows."""
    order, last = splits[slot]
    first = rank[order][rows] <= last
    return [(2 * slot + 1, rows[first]), (2 * slot + 2, rows[~first])]


def leaves_of(splits: Splits) -> set[Slot]:
    """The slots of the leaves."""
    return {0, *map(yes_of, splits), *map(no_of, splits)} - splits.keys()


def labelled(rank: Ranks, splits: Splits, costs: np.ndarray) -> SplitTree:
    """The tree of these splits whose leaves predict the class of the lowest cost, the first one in a tie.

    costs : int64 (n_rows, n_classes), the cost of each row by prediction.
    """
    leaves = ((slot, rows) for slot, rows in nodes_of(rank, splits, np.arange(len(costs))) if slot not in splits)
    return SplitTree(splits, {slot: int(costs[rows].sum(axis=0).argmin()) for slot, rows in leaves})


def merged(tree: SplitTree, kept: Collection[Slot] = ()) -> SplitTree:
    """The tree without splits whose leaves all predict one class, except those at the slots `kept`."""
    splits, labels = dict(tree.splits), dict(tree.labels)
    for slot in sorted(splits, reverse=True):
        first, second = labels.get(2 * slot + 1), labels.get(2 * slot + 2)
        if first is not None and first == second and slot not in kept:
            del splits[slot], labels[2 * slot + 1], labels[2 * slot + 2]
            labels[slot] = first
    return SplitTree(splits, labels)


def pruned(problem: Problem, rank: Ranks, splits: Splits, kept: Collection[Slot] = ()) -> SplitTree:
    """The tree of these splits with the cheapest predictions, without useless and forbidden splits.

    A split is removed if all its rows are on one side, if a side is smaller than the minimum leaf, if all its leaves
    predict the same class, and, if there is a split penalty, if its subtree saves no more than the penalties of its
    splits. Each removal only makes leaves larger.

    kept : slots whose splits are kept even if they are useless; all have rows on both sides.
    """
    penalty, least = problem.split_penalty, problem.class_costs.min(axis=1)

    def prune(slot: Slot, rows: np.ndarray, to: Slot) -> tuple[SplitTree, int, np.ndarray]:
        """The tree with its root moved to the slot `to`, its cost, and the weight of its classes."""
        sides = sides_of(rank, splits, slot, rows) if slot in splits else []
        for child, part in sides:
            if len(part) == len(rows):
                return prune(child, part, to)
        below = [prune(child, part, 2 * to + 1 + i) for i, (child, part) in enumerate(sides)]
        weight = np.sum([side[2] for side in below], axis=0) if below else class_weights(problem, rows)
        costs = problem.leaf_costs(weight)
        cost, alone = sum(side[1] for side in below) + penalty, int(costs.min())
        useful = cost < alone if penalty else weight @ least < alone
        if below and (slot in kept or (useful and all(may_be_leaf(problem, part) for _, part in sides))):
            return SplitTree.joined(to, splits[slot], below[0][0], below[1][0]), cost, weight
        return SplitTree({}, {to: int(costs.argmin())}), alone, weight

    return merged(prune(0, np.arange(problem.dataset.n_samples), 0)[0], kept)


def diagram_of(problem: Problem, rank: Ranks, tree: SplitTree, question: Question) -> Diagram:
    """The diagram of a tree, with nodes numbered breadth first, so children come after their parents."""
    dataset = problem.dataset
    nodes: list[Split | Leaf] = []
    waiting = [(0, 0, np.arange(dataset.n_samples))]
    for slot, place, rows in waiting:
        if slot not in tree.splits:
            label = tree.labels.get(slot)
            nodes.append(leaf_of(problem, rows) if label is None else leaf_with(problem, rows, label))
            continue
        predicate, first_is_yes = question(slot, place, rows)
        nodes.append(Split(predicate, len(waiting), len(waiting) + 1))
        sides = sides_of(rank, tree.splits, slot, rows)[:: 1 if first_is_yes else -1]
        waiting += [(child, to, part) for (child, part), to in zip(sides, (yes_of(place), no_of(place)), strict=True)]
    return Diagram(ShapeKind.TREE, dataset.schema, dataset.classes, dataset.outcome, dataset.positive, tuple(nodes))


def diagram_of_questions(
    problem: Problem, questions: Mapping[Slot, Predicate], labels: Mapping[Slot, int] | None = None
) -> Diagram:
    """The diagram of a tree of predicates, whose yes sides are the first ones."""
    dataset = problem.dataset
    rank = [~question.holds(dataset.schema, dataset.X) for question in questions.values()]
    tree = SplitTree({slot: (i, 0) for i, slot in enumerate(questions)}, labels or {})
    return diagram_of(problem, rank, tree, lambda slot, place, rows: (questions[slot], True))


def tree_of(diagram: Diagram, like: Callable[[Predicate], Iterable[tuple[int, int, bool]]]) -> SplitTree | None:
    """The tree of a diagram; `None` if a split is in no order.

    like : the splits that divide the rows as a predicate does, as `PermittedSplits.like` yields them.
    """
    splits: Splits = {}
    labels: dict[Slot, int] = {}
    waiting = [(0, 0)]
    for slot, i in waiting:
        node = diagram.nodes[i]
        if isinstance(node, Leaf):
            labels[slot] = node.label
            continue
        split = next(iter(like(node.predicate)), None) if isinstance(node.predicate, Predicate) else None
        if split is None:
            return None
        order, last, first_is_yes = split
        splits[slot] = order, last
        first, second = (node.yes, node.no) if first_is_yes else (node.no, node.yes)
        waiting += [(2 * slot + 1, first), (2 * slot + 2, second)]
    return SplitTree(splits, labels)


def grow(
    problem: Problem,
    orders: Orders,
    splits: Splits,
    *,
    fixed: Mapping[Slot, Predicate] | None = None,
    within: Mapping[int, ThresholdSet] | None = None,
) -> Diagram:
    """The diagram of these splits, without useless and forbidden ones, see `pruned`.

    Parameters
    ----------
    problem : gives rows, objective and minimum leaf size; all rows together must satisfy it.
    orders : the question orders of the problem's dataset.
    fixed : further splits by slot that are kept even if they are useless; all have rows on both sides, and their yes
        side is the first one.
    within : the permitted thresholds by column (position), if restricted; the gap of a split overlaps them.
    """
    dataset, fixed = problem.dataset, fixed or {}
    given = [~predicate.holds(dataset.schema, dataset.X) for predicate in fixed.values()]
    rank = [*orders.rank, *given]
    extra = {slot: (i, 0) for i, slot in enumerate(fixed, len(orders.rank))}
    tree = pruned(problem, rank, {**splits, **extra}, fixed)

    def question(slot: Slot, place: Slot, rows: np.ndarray) -> tuple[Predicate, bool]:
        if slot in fixed:
            return fixed[slot], True
        return rank_question(problem, orders, rows, *tree.splits[slot], within)

    return diagram_of(problem, rank, tree, question)


class Cut(NamedTuple):
    """The gap of a split between the rows of a node, and the side of missing values.

    low, high : neighbouring ranks of the order; missing_low : whether missing values are on the low side, if the order
        does not determine it.
    """

    low: int
    high: int
    missing_low: bool


def cut_of(problem: Problem, orders: Orders, rows: np.ndarray, order: int, last: int) -> Cut:
    """The gap of a split of rows (positions) after a rank; both sides have rows."""
    rank = orders.rank[order, rows]
    low = rank <= last
    return Cut(int(rank[low].max()), int(rank[~low].min()), is_larger(problem, rows, low))


def rank_question(
    problem: Problem,
    orders: Orders,
    rows: np.ndarray,
    order: int,
    last: int,
    within: Mapping[int, ThresholdSet] | None = None,
    cut: Cut | None = None,
) -> tuple[Predicate, bool]:
    """The split of rows (positions) after a rank of an order, and whether low ranks are its yes side.

    Both 'rank <= last' and its complement have rows. The threshold lies between the neighbouring values of the rows,
    and within the permitted thresholds of its column (position). If none of the rows has a missing value, missing
    values go to the heavier side. `cut` overrides both.
    """
    cut, column = cut or cut_of(problem, orders, rows, order, last), int(orders.column[order])
    predicate, low_is_yes = orders.question(
        order, cut.low, cut.high, missing=cut.missing_low, within=(within or {}).get(column)
    )
    if predicate.op is not Op.MISSING and may_choose_missing(problem, column, rows):
        # either an order or its twin may have been chosen here, so its side for missing values is arbitrary
        predicate = replace(predicate, missing=cut.missing_low == low_is_yes)
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
