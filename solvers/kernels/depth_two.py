"""The optimal tree of depth two of a node, over all pairs of orders and thresholds; see `sweep` for its bounds."""

from __future__ import annotations

import numpy as np
from numba import njit

from solvers.kernels.control import SPLIT
from solvers.kernels.prepare import ALL_ROWS, FIRST_SIDE, class_bound, count_classes, least_cost_of_one, pack
from solvers.kernels.sweep import ABORTED, place_rows, sweep
from solvers.kernels.workspace import FAR, Rows, Scan


@njit(cache=True, nogil=True)
def depth_two(
    rows: Rows, scan: Scan, tree, bounds, closed, control, level, offset, m, ceiling, known, depth, leaves, hard
):
    """The optimal tree of depth at most two (or one) of a node, if it costs less than `ceiling`.

    Parameters
    ----------
    tree : int32 (S, 2), receives the tree in preorder where it is found.
    bounds : int64 (F,), lower bounds by the order at the root: read, and raised to what was shown.
    closed : int64 (F,), scratch.
    control : int64, `STOP` and `SPLIT` are read and `WORK` is counted up.
    level, offset, m : the node's stretch.
    ceiling : only trees below it matter; known : a lower bound of the optimum; depth : 1 or 2.
    leaves : the largest number of leaves; hard : whether leaves must have the minimum size.

    Returns
    -------
    A cost below `ceiling` is the optimum; any other value is a lower bound of at least `ceiling`; ABORTED after a stop.
    And the number of nodes of the tree, 0 where none was written.
    """
    leaf = count_classes(rows, scan, level, offset, m)
    split = control[SPLIT]
    known = max(known, class_bound(scan, depth, leaves))
    if leaf <= known or leaf <= split or leaves < 2:
        return _leaf(tree, bounds, leaf, ceiling)
    if known >= ceiling:
        for f in range(len(bounds)):
            bounds[f] = max(bounds[f], known)
        return known, 0
    upper, one = pack(rows, scan, level, offset, m, hard)
    if one == FAR:
        return _leaf(tree, bounds, leaf, ceiling)
    relaxed_stump = min(leaf, one + split)
    if hard:
        one = _hard_stumps(scan, control, m)
    stump = min(leaf, one + split)
    best = min(ceiling, stump)
    none = np.int64(-1)
    root, at, left_order, right_order = none, none, none, none
    n_orders = len(bounds)
    deep = depth == 2 and leaves > 2
    for f in range(n_orders):
        closed[f] = FAR if deep else scan.stump[f] + split
    for _ in range(n_orders if deep else 0):
        f = _most_promising(bounds, closed, scan.live)
        if f < 0 or max(bounds[f], known) >= best:
            break
        shown = FAR
        for only in range(-1 if leaves > 3 else 0, 0 if leaves > 3 else 2):
            ends = leaf, relaxed_stump, stump
            found, cut, left, right = sweep(
                rows, scan, closed, control, f, level, offset, m, upper, best - split, known - split, ends, only, hard
            )
            if found == ABORTED:
                return ABORTED, 0
            if found + split < best:
                best, root, at, left_order, right_order = found + split, f, cut, left, right
            shown = min(shown, closed[f] + split)
        closed[f] = shown
    value = best if best < ceiling else _shown(bounds, closed, scan.live, known, ceiling, stump)
    for f in range(n_orders):
        if not scan.live[f]:
            bounds[f] = value
        elif closed[f] < FAR:
            bounds[f] = max(bounds[f], closed[f])
    if best >= ceiling:
        return value, 0
    size = np.int64(0)
    if root >= 0:
        place_rows(scan, root, m)
        tree[0, 0], tree[0, 1] = root, rows.ranks[level, root, offset + at - 1]
        size += 1
    for side in range(ALL_ROWS + 1):
        if (side == ALL_ROWS) == (root < 0):
            order = left_order if side == FIRST_SIDE else right_order
            if side == ALL_ROWS:
                order = _best_stump(scan) if one + split < leaf else none
            size = _write_side(rows, scan, tree, control, size, order, level, offset, m, at, side, hard)
    return value, size


@njit(cache=True, nogil=True)
def _leaf(tree, bounds, leaf, ceiling):
    for f in range(len(bounds)):
        bounds[f] = leaf
    tree[0, 0] = tree[0, 1] = -1
    return leaf, 1 if leaf < ceiling else 0


@njit(cache=True, nogil=True)
def _most_promising(bounds, closed, live):
    """The order with the least bound among those not yet swept, -1 for none."""
    best = -1
    for f in range(len(bounds)):
        if live[f] and closed[f] == FAR and (best < 0 or bounds[f] < bounds[best]):
            best = f
    return best


@njit(cache=True, nogil=True)
def _shown(bounds, closed, live, known, ceiling, stump):
    """What a search without a tree below the ceiling has proved: the least of the bounds of all root orders."""
    least = FAR
    for f in range(len(bounds)):
        if live[f]:
            least = min(least, max(bounds[f], closed[f] if closed[f] < FAR else 0))
    return min(max(least, known, ceiling), stump)


@njit(cache=True, nogil=True)
def _hard_stumps(scan: Scan, control, m):
    """Replace the stumps by those that keep the minimum leaf size (FAR where none does); return the least."""
    least = FAR
    for f in range(len(scan.live)):
        if scan.live[f]:
            cost, where = least_cost_of_one(scan, control, f, m, np.int64(0), np.int64(ALL_ROWS), np.bool_(1))
            scan.stump[f] = cost - control[SPLIT] if where >= 0 else FAR
            least = min(least, scan.stump[f])
    return least


@njit(cache=True, nogil=True)
def _best_stump(scan: Scan):
    """The first order with the least stump."""
    order = np.int64(-1)
    for f in range(len(scan.live)):
        if scan.live[f] and (order < 0 or scan.stump[f] < scan.stump[order]):
            order = np.int64(f)
    return order


@njit(cache=True, nogil=True)
def _write_side(rows: Rows, scan: Scan, tree, control, size, order, level, offset, m, cut, side, hard):
    """Append the best single threshold of one order for one side, or a leaf; return the new number of nodes."""
    where = -1
    if order >= 0:
        _, where = least_cost_of_one(scan, control, order, m, cut, side, hard)
    tree[size, 0] = tree[size, 1] = -1
    if where < 0:
        return size + 1
    tree[size, 0] = order
    tree[size, 1] = rows.ranks[level, order, offset + where]
    for leaf in (size + 1, size + 2):
        tree[leaf, 0] = tree[leaf, 1] = -1
    return size + 3
