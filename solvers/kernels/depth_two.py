"""The optimal tree of depth two of a node, over all pairs of orders and thresholds.

For a first question f at position p let L(p) and R(p) be the least errors of a single threshold on either side. L does
not decrease and R does not increase with p, and each changes by at most the weight of the rows that change side. A
sweep evaluates up to sixteen positions at once (see `lanes`) and keeps the intervals between them that may still hold
a better position: for p in (a, b), L(p) + R(p) >= L(a) + R(b), and also >= L(a) + R(a) - weight(a..p) and L(b) + R(b) -
weight(p..b), which is Theorem 1 of Brita, van der Linden and Demirovic (2025) with both bounds at once. A cost per split
changes none of this; with at most three leaves one side must stay a leaf, and each choice is a sweep of its own.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from solvers.kernels.control import SPLIT, STOP, WORK
from solvers.kernels.lanes import BOUNDARY, MANY_LANES, scan_many, scan_two
from solvers.kernels.prepare import class_bound, count_classes, least_error_of_one, pack
from solvers.kernels.workspace import FAR, Rows, Scan

ABORTED = -FAR


@njit(cache=True, nogil=True)
def depth_two(rows: Rows, scan: Scan, tree, bounds, closed, control, level, offset, m, ceiling, known, depth, leaves):
    """The optimal tree of depth at most two (or one) of a node, if it costs less than `ceiling`.

    Parameters
    ----------
    tree : int32 (S, 2), receives the tree in preorder where it is found.
    bounds : int64 (F,), lower bounds by the order at the root: read, and raised to what was shown.
    closed : int64 (F,), scratch.
    control : int64, `STOP` and `SPLIT` are read and `WORK` is counted up.
    level, offset, m : the node's stretch.
    ceiling : only trees below it matter; known : a lower bound of the optimum; depth : 1 or 2.
    leaves : the largest number of leaves.

    Returns
    -------
    A cost below `ceiling` is the optimum; any other value is a lower bound of at least `ceiling`; ABORTED after a stop.
    And the number of nodes of the tree, 0 where none was written.
    """
    every, largest = count_classes(rows, scan.total, level, offset, m)
    leaf = every - largest
    split = control[SPLIT]
    known = max(known, class_bound(scan.total, depth, leaves))
    if leaf <= known or leaf <= split or leaves < 2:
        return _leaf(tree, bounds, leaf, ceiling)
    if known >= ceiling:
        for f in range(len(bounds)):
            bounds[f] = max(bounds[f], known)
        return known, 0
    upper, one = pack(rows, scan, level, offset, m)
    if one == FAR:
        return _leaf(tree, bounds, leaf, ceiling)
    stump = min(leaf, one + split)
    best = min(ceiling, stump)
    root, at, left_order, right_order = -1, -1, -1, -1
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
            found, cut, left, right = _sweep(
                rows, scan, closed, control, f, level, offset, m, upper, best - split, known - split, leaf, stump, only
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
    if root < 0:
        return value, _write_stump(rows, scan, tree, level, offset, m, leaf, one, split)
    _place(scan, root, m)
    tree[0, 0] = root
    tree[0, 1] = rows.ranks[level, root, offset + at - 1]
    size = _write_side(rows, scan, tree, 1, left_order, level, offset, m, at, True)
    size = _write_side(rows, scan, tree, size, right_order, level, offset, m, at, False)
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
def _place(scan: Scan, f, m):
    packed = scan.packed[f]
    for j in range(m):
        scan.place[packed[j] >> 8] = j


@njit(cache=True, nogil=True)
def _sweep(
    rows: Rows, scan: Scan, closed, control, f, level, offset, m, upper, best, known, leaf, stump, only
):  # fmt: skip
    """All positions of one first question; costs are those of the two sides, without the first split.

    Parameters
    ----------
    best : only positions below it matter; known : a lower bound for all positions.
    leaf, stump : the cost of the node as a leaf, and of its best tree of depth one.
    only : which side must stay a leaf: 0 left, 1 right, -1 neither.

    Returns
    -------
    The best cost (at least `best` if nothing better was found, ABORTED after a stop), its position and the orders of
    both sides. `closed[f]` becomes the least cost that is left for any other position.
    """
    ahead = rows.ahead[level * rows.stride[()], f * rows.stride[()]]
    _place(scan, f, m)
    n_cuts = _boundaries(scan, f, m)
    closed[f] = FAR - 1
    found, at, left_order, right_order = best, -1, -1, -1
    now = 0
    n_spans = 1
    width = len(scan.cut) if upper >= 0 else MANY_LANES
    _put(scan.spans[now], 0, 0, n_cuts + 1, 0, leaf if only == 1 else stump, leaf if only == 0 else stump, 0)
    while n_spans > 0:
        if control[STOP]:
            return ABORTED, -1, -1, -1
        n_spans = _filter(scan, closed, ahead, f, offset, now, n_spans, found)
        if n_spans == 0 or found <= known:
            break
        n_lanes, taken = _choose(scan, now, n_spans, width)
        if upper >= 0:
            _scan_two(scan, ahead, offset, m, upper, control)
        else:
            _scan_many(scan, ahead, f, offset, m, n_lanes, control)
        if only >= 0:
            for k in range(width):
                scan.best[only * width + k] = scan.leaves[only * width + k]
                scan.best[(2 + only) * width + k] = -1
        for k in range(n_lanes):
            cost = np.int64(scan.best[k]) + scan.best[width + k]
            closed[f] = min(closed[f], cost)
            if cost < found:
                found, at = cost, scan.cuts[scan.chosen[k]]
                left_order, right_order = scan.best[2 * width + k], scan.best[3 * width + k]
        n_spans = _divide(scan, now, n_spans, taken, n_lanes, width)
        now = 1 - now
    if found <= known:
        closed[f] = min(closed[f], max(known, 0))
    return found, at, left_order, right_order


@njit(cache=True, nogil=True)
def _boundaries(scan: Scan, f, m):
    """Fill `cuts` with the boundary positions (0 and m at the ends), `upper` with the weight of class 1 before each."""
    packed, amount = scan.packed[f], scan.amount[f]
    scan.cuts[0], scan.upper[0] = 0, 0
    count, upper = 0, 0
    for j in range(m):
        if amount[j] > 0:
            upper += amount[j]
        if packed[j] & BOUNDARY:
            count += 1
            scan.cuts[count], scan.upper[count] = j + 1, upper
    scan.cuts[count + 1], scan.upper[count + 1] = m, upper
    return count


@njit(cache=True, nogil=True)
def _filter(scan: Scan, closed, ahead, f, offset, now, n_spans, best):
    """Drop and shrink the open intervals by what is known at their ends; fields 6 and 7 become first and last cut."""
    spans, cuts = scan.spans[now], scan.cuts
    kept = 0
    for i in range(n_spans):
        a, b = spans[i, 0], spans[i, 1]
        left_a, right_a, left_b, right_b = spans[i, 2], spans[i, 3], spans[i, 4], spans[i, 5]
        if left_a + right_b >= best:
            closed[f] = min(closed[f], left_a + right_b)
            continue
        first, last = a + 1, b - 1
        reach = left_a + right_a - best
        if reach >= 0:
            while first <= last and ahead[offset + cuts[first]] - ahead[offset + cuts[a]] <= reach:
                first += 1
        reach = left_b + right_b - best
        if reach >= 0:
            while first <= last and ahead[offset + cuts[b]] - ahead[offset + cuts[last]] <= reach:
                last -= 1
        if first > a + 1 or last < b - 1:
            closed[f] = min(closed[f], best)
        if first <= last:
            for c in range(6):
                spans[kept, c] = spans[i, c]
            spans[kept, 6], spans[kept, 7] = first, last
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def _choose(scan: Scan, now, n_spans, width):
    """Spread `width` lanes over the open intervals; return the number of lanes in use and of intervals served."""
    spans = scan.spans[now]
    taken = min(n_spans, width)
    lane = 0
    for i in range(taken):
        first, last = spans[i, 6], spans[i, 7]
        room = last - first + 1
        points = min(room, width // taken + (1 if i < width % taken else 0))
        for t in range(points):
            scan.chosen[lane] = first + (room * (2 * t + 1)) // (2 * points)
            lane += 1
    for k in range(lane, width):
        scan.chosen[k] = scan.chosen[lane - 1]
    for k in range(width):
        scan.cut[k] = scan.cuts[scan.chosen[k]]
    return lane, taken


@njit(cache=True, nogil=True)
def _scan_two(scan: Scan, ahead, offset, m, upper_class, control):
    """The least cost of both sides for every lane over all second orders, two classes."""
    width, split = len(scan.cut), control[SPLIT]
    every, every_upper = 0, scan.total[upper_class]
    for k in range(len(scan.total)):
        every += scan.total[k]
    for k in range(width):
        upper = scan.upper[scan.chosen[k]]
        lower = ahead[offset + scan.cut[k]] - ahead[offset] - upper
        scan.sides[k], scan.sides[width + k] = upper + split, lower + split
        scan.leaves[k] = min(upper, lower)
        upper, lower = every_upper - upper, every - every_upper - lower
        scan.sides[2 * width + k], scan.sides[3 * width + k] = upper + split, lower + split
        scan.leaves[width + k] = min(upper, lower)
    _start_from_leaves(scan, width)
    for g in range(len(scan.live)):
        if scan.live[g]:
            scan_two(scan.packed[g], scan.amount[g], m, scan.place, scan.cut, scan.sides, g, scan.best)
            control[WORK] += m


@njit(cache=True, nogil=True)
def _start_from_leaves(scan: Scan, width):
    for k in range(2 * width):
        scan.best[k] = scan.leaves[k]
        scan.best[2 * width + k] = -1


@njit(cache=True, nogil=True)
def _scan_many(scan: Scan, ahead, f, offset, m, n_lanes, control):
    """The least cost of both sides for every lane over all second orders, any number of classes."""
    split = control[SPLIT]
    every = 0
    for k in range(len(scan.total)):
        every += scan.total[k]
    for k in range(MANY_LANES):
        before = ahead[offset + scan.cut[k]] - ahead[offset]
        scan.sides[k], scan.sides[MANY_LANES + k] = before + split, every - before + split
    _leaves_of_many(scan, f, n_lanes)
    _start_from_leaves(scan, MANY_LANES)
    for g in range(len(scan.live)):
        if not scan.live[g]:
            continue
        n_blocks = scan.n_blocks[g]
        _fill_histogram(scan, f, g, n_lanes)
        for k in range(len(scan.left_counts)):
            scan.left_counts[k] = 0
        for k in range(len(scan.counts)):
            scan.counts[k] = 0
        scan_many(
            scan.histogram,
            scan.info[g],
            scan.size[g],
            n_blocks,
            scan.left_counts,
            scan.counts,
            scan.suffix,
            scan.sides,
            g,
            scan.best,
        )
        control[WORK] += m + 6 * n_blocks


@njit(cache=True, nogil=True)
def _leaves_of_many(scan: Scan, f, n_lanes):
    """The cost of either side as a leaf, for every lane in use."""
    packed, amount, left = scan.packed[f], scan.amount[f], scan.tally[0]
    n_classes = len(scan.total)
    every = 0
    for c in range(n_classes):
        left[c] = 0
        every += scan.total[c]
    first, before = 0, 0
    for k in range(MANY_LANES):
        last = scan.cuts[scan.chosen[k]]
        if k < n_lanes:
            for j in range(first, last):
                left[packed[j] >> 1 & 63] += amount[j]
                before += amount[j]
            first = last
        largest, largest_right = 0, 0
        for c in range(n_classes):
            largest = max(largest, left[c])
            largest_right = max(largest_right, scan.total[c] - left[c])
        scan.leaves[k] = before - largest
        scan.leaves[MANY_LANES + k] = every - before - largest_right


@njit(cache=True, nogil=True)
def _fill_histogram(scan: Scan, f, g, n_lanes):
    """The weight of each block of order g between two neighbouring cuts of order f."""
    histogram, block, packed, amount = scan.histogram, scan.block[g], scan.packed[f], scan.amount[f]
    for i in range(scan.n_blocks[g] * MANY_LANES):
        histogram[i] = 0
    first = 0
    for k in range(n_lanes):
        last = scan.cuts[scan.chosen[k]]
        for j in range(first, last):
            histogram[block[packed[j] >> 8] * MANY_LANES + k] += amount[j]
        first = last


@njit(cache=True, nogil=True)
def _divide(scan: Scan, now, n_spans, taken, n_lanes, width):
    """Replace the served intervals by those between their evaluated positions; the others wait for the next round."""
    spans, following, best = scan.spans[now], scan.spans[1 - now], scan.best
    count, lane = 0, 0
    for i in range(n_spans):
        a, left, right = spans[i, 0], spans[i, 2], spans[i, 3]
        while i < taken and lane < n_lanes and scan.chosen[lane] <= spans[i, 7]:
            _put(following, count, a, scan.chosen[lane], left, right, best[lane], best[width + lane])
            count += 1
            a, left, right = scan.chosen[lane], best[lane], best[width + lane]
            lane += 1
        _put(following, count, a, spans[i, 1], left, right, spans[i, 4], spans[i, 5])
        count += 1
    return count


@njit(cache=True, nogil=True)
def _put(spans, i, a, b, left_a, right_a, left_b, right_b):
    spans[i, 0], spans[i, 1] = a, b
    spans[i, 2], spans[i, 3], spans[i, 4], spans[i, 5] = left_a, right_a, left_b, right_b


@njit(cache=True, nogil=True)
def _write_stump(rows: Rows, scan: Scan, tree, level, offset, m, leaf, one, split):
    """Write the best tree of at most one split; return the number of its nodes."""
    order = -1
    if one + split < leaf:
        for f in range(len(scan.live)):
            if order < 0 and scan.live[f] and scan.stump[f] == one:
                order = f
    return _write_side(rows, scan, tree, 0, order, level, offset, m, FAR, True)


@njit(cache=True, nogil=True)
def _write_side(rows: Rows, scan: Scan, tree, size, order, level, offset, m, cut, low_side):
    """Append the best single threshold of one order for one side, or a leaf; return the new number of nodes."""
    where = -1
    if order >= 0:
        _, where = least_error_of_one(scan, order, m, cut, low_side)
    tree[size, 0] = tree[size, 1] = -1
    if where < 0:
        return size + 1
    tree[size, 0] = order
    tree[size, 1] = rows.ranks[level, order, offset + where]
    for leaf in (size + 1, size + 2):
        tree[leaf, 0] = tree[leaf, 1] = -1
    return size + 3
