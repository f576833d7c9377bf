"""Pareto sets of trees: no tree of a set dominates another."""

from typing import NamedTuple

import numpy as np

from .arrays import BoolVector, Int32Vector, Int64Vector
from .bits import popcount
from .compiled import allocating_njit as njit
from .coupled_rules import TreeRules
from .status import FULL

COLUMNS, SEEN, ANSWER = 0, 1, 2
MIXED = -1
"""The prediction mark of a tree whose leaves predict different classes."""

FLAT = -1
TREE_FIELDS = 10
"""Fields of a depth-two tree: order and last rank of its root, then (order, last rank, first prediction, second
prediction) of each side, with order -1 for a leaf."""


class TreePoints(NamedTuple):
    """Trees for the rows of one node.

    Attributes
    ----------
    sums : int64 (P, Q), what each tree adds to each sum.
    costs : int64 (P, J), what each tree adds to each weighted sum.
    marks : int64 (P, 3), the limited columns that it splits on, the required columns that it splits on, and the one
        prediction of all its leaves or `MIXED`.
    tree : int32 (P, TREE_FIELDS), its structure (see `join`).
    """

    sums: np.ndarray
    costs: np.ndarray
    marks: np.ndarray
    tree: np.ndarray


def point_space(room: int, n_sums: int, n_multipliers: int) -> TreePoints:
    """Allocate space for `room` points."""
    return TreePoints(
        np.empty((room, n_sums), np.int64),
        np.empty((room, n_multipliers), np.int64),
        np.empty((room, 3), np.int64),
        np.empty((room, TREE_FIELDS), np.int32),
    )


@njit(cache=True, nogil=True)
def first_points(points: TreePoints, count: int) -> TreePoints:
    """The first `count` points, not copied."""
    return TreePoints(points.sums[:count], points.costs[:count], points.marks[:count], points.tree[:count])


@njit(cache=True, nogil=True)
def at_least_as_good(
    sums_a: Int64Vector, marks_a: Int64Vector, sums_b: Int64Vector, marks_b: Int64Vector, active: BoolVector
) -> bool:
    """Whether tree a can replace tree b without loss.

    Only sums with `active` set are compared. Fewer limited columns, more required columns and mixed predictions are
    better (if predictions differ, a split above counts as one that changes the prediction).

    sums_a, sums_b : int64 (Q,), marks_a, marks_b : int64 (3,), see `TreePoints`.
    """
    for q in range(len(sums_a)):
        if active[q] and sums_a[q] > sums_b[q]:
            return False
    if marks_a[COLUMNS] & ~marks_b[COLUMNS] or marks_b[SEEN] & ~marks_a[SEEN]:
        return False
    return marks_a[ANSWER] == MIXED or marks_a[ANSWER] == marks_b[ANSWER]


@njit(cache=True, nogil=True)
def keep(
    points: TreePoints,
    count: int,
    sums: Int64Vector,
    costs: Int64Vector,
    marks: Int64Vector,
    tree: Int32Vector,
    active: BoolVector,
) -> int:
    """Add a tree unless an existing one is at least as good, and drop the trees that it dominates.

    count : the number of trees in `points`; sums, costs, marks, tree : the new one, as a row of each array of
        `TreePoints`.

    Returns
    -------
    The new number of points, or -FULL if there is no room.
    """
    compare = count if len(active) else 0
    for i in range(compare):
        if at_least_as_good(points.sums[i], points.marks[i], sums, marks, active):
            return count
    kept = count - compare
    for i in range(compare):
        if not at_least_as_good(sums, marks, points.sums[i], points.marks[i], active):
            if kept < i:
                points.sums[kept] = points.sums[i]
                points.costs[kept] = points.costs[i]
                points.marks[kept] = points.marks[i]
                points.tree[kept] = points.tree[i]
            kept += 1
    if kept >= len(points.sums):
        return -FULL
    points.sums[kept] = sums
    points.costs[kept] = costs
    points.marks[kept] = marks
    points.tree[kept] = tree
    return kept + 1


@njit(cache=True, nogil=True)
def permit(trees: TreeRules, columns: int) -> bool:
    """Whether a tree may split on these limited `columns`, a bit mask."""
    broken = 0
    for i in range(len(trees.few)):
        broken += popcount(columns & trees.few[i, 0]) > trees.few[i, 1]
    return broken == 0


@njit(cache=True, nogil=True)
def join(
    out: TreePoints,
    count: int,
    left: TreePoints,
    right: TreePoints,
    trees: TreeRules,
    f: int,
    last: int,
    added: Int64Vector,
    prices: Int64Vector,
    budgets: Int64Vector,
    active: BoolVector,
    serial: int,
) -> int:
    """Combine left and right trees under one split, and add those within the budgets to `out`.

    Parameters
    ----------
    count : the number of trees in `out`; left, right : all trees of the sides.
    f, last : the split.
    added : int64 (Q,), what the split adds to the sums; prices : int64 (J,), to the weighted sums.
    budgets : int64 (J,), the most that a tree may cost in each weighted sum.
    serial : FLAT for a split over trees of depth one, which are copied; otherwise a number that identifies the left
        and right points, and the tree is stored as (f, last, left point, right point, serial).

    Returns
    -------
    The new number of points, or -FULL if there is no room.
    """
    n_sums, n_costs = left.sums.shape[1], left.costs.shape[1]
    sums, costs = np.empty(n_sums, np.int64), np.empty(n_costs, np.int64)
    marks, tree = np.empty(3, np.int64), np.full(TREE_FIELDS, -1, np.int32)
    tree[0], tree[1] = f, last
    trims = trees.trim[()] > 0 and len(active) == 0
    for a in range(len(left.sums)):
        for b in range(len(right.sums)):
            fits = True
            for j in range(n_costs):
                costs[j] = left.costs[a, j] + right.costs[b, j] + prices[j]
                if costs[j] > budgets[j]:
                    fits = False
                    break
            if not fits:
                continue
            marks[COLUMNS] = left.marks[a, COLUMNS] | right.marks[b, COLUMNS] | trees.column_mark[f]
            if not permit(trees, marks[COLUMNS]):
                continue
            same = left.marks[a, ANSWER] == right.marks[b, ANSWER]
            if trims and same and left.marks[a, ANSWER] != MIXED:
                continue
            marks[ANSWER] = left.marks[a, ANSWER] if same else MIXED
            marks[SEEN] = left.marks[a, SEEN] | right.marks[b, SEEN]
            if marks[ANSWER] == MIXED:
                marks[SEEN] |= trees.seen[f]
            for q in range(n_sums):
                sums[q] = left.sums[a, q] + right.sums[b, q] + added[q]
            if serial == FLAT:
                for c in range(4):
                    tree[2 + c], tree[6 + c] = left.tree[a, c], right.tree[b, c]
            else:
                tree[2], tree[3], tree[4] = a, b, serial
            count = keep(out, count, sums, costs, marks, tree, active)
            if count == -FULL:
                return -FULL
    return count
