"""The set of features whose truth table costs least: depth-first branch and bound over sets, resumed at will.

A node of the search has chosen features and an ordered list of candidates. Its child q takes candidate q and inherits
the candidates before q, so that every set is met once, whatever the order of each list. With the bound of
`bdd_matching` a node needs T features more whose w add up to at least need = R - ceiling + 1: it is left where the
largest w do not, a candidate is dropped where it does not together with the largest others, and the rest stand by w in
ascending order, taken from the top, so that the list ends as soon as what is before cannot reach `need`. The last two
of three features are tried together (`bdd_leaf`).
"""

from typing import NamedTuple

import numba as nb
import numpy as np

from solvers.kernels.bdd_leaf import count_common, lay_out, save, save_many, take
from solvers.kernels.bdd_matching import inherit, match, refine, weigh

STOP, CEILING, COST, BOUND, FOUND, NODES, SUBSETS, WORK, LEVEL, GAP, COLLECT, COLLECTED = range(12)
"""Words of the control array: the driver writes STOP, the search the others. Costs are those beyond what all features
together cost. CEILING: only cheaper sets are of interest; COLLECT: set where all of them are, and CEILING stays."""

ENDED, PAUSED, FULL = 0, 1, 2
BEFORE = -2
"""The level of a search that has not begun; it ends at -1."""
FAR = 1 << 30
NEAR = (1, 2, 4, 8)
"""The distances up to which points of the root are paired, one after the other: the nearest ones first."""


class Points(NamedTuple):
    """The distinct rows.

    bits : uint8 (n_features, n_points); packed : uint64 (n_points, n_words), the same, a bit a feature.
    regret : int64 (n_points, n_classes); gain : the same, what a point costs at most less its regret.
    """

    bits: np.ndarray
    packed: np.ndarray
    regret: np.ndarray
    gain: np.ndarray


class Stack(NamedTuple):
    """The open nodes, a level each, and scratch.

    index : int32 (n_levels, n_points), the points of the open cells, cell after cell; first : int32, where each begins.
    candidate : int32 (n_levels, n_features), weight : int64, the weight of the pairs that each divides; place : the
    position of the child that is next. pair : int32 (n_levels, n_pairs, 2), pair_weight : int64; matched : their sum.
    """

    index: np.ndarray
    first: np.ndarray
    n_cells: np.ndarray
    candidate: np.ndarray
    weight: np.ndarray
    n_candidates: np.ndarray
    place: np.ndarray
    pair: np.ndarray
    pair_weight: np.ndarray
    n_pairs: np.ndarray
    matched: np.ndarray
    chosen: np.ndarray
    rest: np.ndarray
    home: np.ndarray
    left: np.ndarray
    sums: np.ndarray
    mask: np.ndarray
    divided: np.ndarray


class Leaf(NamedTuple):
    """Scratch of the last three features; see `bdd_leaf`.

    n : segments, words, cells, rows of sums, and what the points cost at most.
    """

    column: np.ndarray
    inside: np.ndarray
    segment: np.ndarray
    coefficient: np.ndarray
    n: np.ndarray
    whole: np.ndarray
    whole_inside: np.ndarray
    one: np.ndarray
    one_inside: np.ndarray
    two: np.ndarray
    three: np.ndarray
    most: np.ndarray
    saved: np.ndarray
    common: np.ndarray
    amount: np.ndarray


@nb.njit(cache=True, nogil=True)
def advance(points, stack, leaf, control, best, kept, planes, n_levels, budget):
    """Search on until `budget` more work is done.

    n_levels : how many features are chosen one by one before the last two or three.
    best : int32 (size,), the features of the cheapest set; kept : int32 (n, size), the sets that were collected.

    Returns
    -------
    ENDED (also where STOP was set), PAUSED, or FULL where `kept` is.
    """
    size = len(best)
    end = control[WORK] + budget
    if control[LEVEL] == BEFORE:
        control[LEVEL] = 0
        open_root(points, stack, control, size)
        if n_levels == 0 and stack.n_candidates[0]:
            start_leaf(points, stack, leaf, control, 0, planes)
    while control[LEVEL] >= 0:
        if control[STOP]:
            return ENDED
        if control[WORK] > end:
            return PAUSED
        level = control[LEVEL]
        missing = size - level
        place = stack.place[level]
        if level == 0 and not control[COLLECT]:
            raise_bound(stack, control, missing)
        if place < missing - 1 or top(stack, level, place + 1, missing) < need(stack, control, level):
            control[LEVEL] = level - 1
            continue
        stack.place[level] = place - 1
        if level == n_levels:
            if not try_last(points, stack, leaf, control, best, kept, level, place):
                return FULL
            continue
        feature = stack.candidate[level, place]
        stack.chosen[level] = feature
        control[NODES] += 1
        if open_child(points, stack, control, level, place, size):
            control[LEVEL] = level + 1
            if level + 1 == n_levels:
                start_leaf(points, stack, leaf, control, level + 1, planes)
    if not control[COLLECT]:
        control[BOUND] = max(control[BOUND], control[CEILING])
    return ENDED


@nb.njit(cache=True, nogil=True)
def need(stack, control, level):
    """The weight of pairs that further features must divide to be of interest."""
    return stack.matched[level] - control[CEILING] + 1


@nb.njit(cache=True, nogil=True)
def top(stack, level, n, missing):
    """The largest weight that `missing` of the first n candidates of a level divide."""
    total = 0
    for j in range(max(0, n - missing), n):
        total += stack.weight[level, j]
    return total


@nb.njit(cache=True, nogil=True)
def raise_bound(stack, control, missing):
    """What is left of the root bounds the cost from below, up to the ceiling under which all else was searched."""
    left = stack.matched[0] - top(stack, 0, stack.place[0] + 1, missing)
    control[BOUND] = max(control[BOUND], min(left, control[CEILING]))


@nb.njit(cache=True, nogil=True)
def open_root(points, stack, control, size):
    """Pair all points, the nearest ones first, and order the candidates."""
    n_points, n_features = points.packed.shape[0], points.bits.shape[0]
    for i in range(n_points):
        stack.index[0, i] = i
    stack.first[0, 0], stack.first[0, 1] = 0, n_points
    stack.n_cells[0] = 1
    for f in range(n_features):
        stack.candidate[0, f] = f
        stack.mask[f // 64] |= np.uint64(1) << np.uint64(f % 64)
    stack.n_candidates[0] = n_features
    matched = inherit(points, stack, 0)
    for nearest in NEAR:
        matched += match(points, stack, 0, nearest)
    matched += match(points, stack, 0, FAR)
    stack.matched[0] = matched
    rank(points, stack, control, 0, size)


@nb.njit(cache=True, nogil=True)
def open_child(points, stack, control, level, place, size):
    """Open the child of a candidate on the next level; False where nothing of interest can be below it."""
    refine(points, stack, level, stack.candidate[level, place])
    stack.mask[:] = 0
    for j in range(place):
        f = stack.candidate[level, j]
        stack.candidate[level + 1, j] = f
        stack.mask[f // 64] |= np.uint64(1) << np.uint64(f % 64)
    stack.n_candidates[level + 1] = place
    matched = inherit(points, stack, level + 1)
    matched += match(points, stack, level + 1, FAR)
    stack.matched[level + 1] = matched
    cells = stack.n_cells[level + 1]
    control[WORK] += 4 * stack.first[level + 1, cells] + place
    return rank(points, stack, control, level + 1, size - level - 1)


@nb.njit(cache=True, nogil=True)
def rank(points, stack, control, level, missing):
    """Weigh the candidates of a level, drop those of no use, and order the rest; False where nothing is left."""
    weigh(points, stack, level)
    candidate, weight, divided = stack.candidate[level], stack.weight[level], stack.divided
    n = stack.n_candidates[level]
    for j in range(n):
        weight[j] = divided[candidate[j]]
    sort_by_weight(candidate, weight, n)
    least = need(stack, control, level)
    stack.place[level] = n - 1
    if n < missing or top(stack, level, n, missing) < least:
        stack.n_candidates[level] = 0
        stack.place[level] = -1
        return False
    threshold = least - top(stack, level, n, missing - 1)
    dropped = 0
    while dropped < n - missing and weight[dropped] < threshold:
        dropped += 1
    for j in range(dropped, n):
        candidate[j - dropped], weight[j - dropped] = candidate[j], weight[j]
    stack.n_candidates[level] = n - dropped
    stack.place[level] = n - dropped - 1
    return True


@nb.njit(cache=True, nogil=True)
def sort_by_weight(candidate, weight, n):
    """Sort by weight, ascending, in place (Shell's sort: lists are short, and often nearly in order)."""
    gap = n // 2
    while gap > 0:
        for i in range(gap, n):
            c, w = candidate[i], weight[i]
            j = i
            while j >= gap and weight[j - gap] > w:
                candidate[j], weight[j] = candidate[j - gap], weight[j - gap]
                j -= gap
            candidate[j], weight[j] = c, w
        gap //= 2


@nb.njit(cache=True, nogil=True)
def start_leaf(points, stack, leaf, control, level, planes):
    """Lay out the columns of a node below which the last features are chosen together."""
    lay_out(points, stack, level, planes, leaf, points.gain.shape[1] == 2)
    control[WORK] += leaf.n[1] * stack.n_candidates[level] ** 2 // 8


@nb.njit(cache=True, nogil=True)
def try_last(points, stack, leaf, control, best, kept, level, f):
    """Try all sets of a leaf node whose last candidate is f; with two features to choose, all pairs at once.

    Returns
    -------
    False where more sets are to be kept than there is room for.
    """
    pairs_only = len(best) - level == 2
    n_classes = points.gain.shape[1]
    two = n_classes == 2
    weight, n_candidates = stack.weight[level], stack.n_candidates[level]
    open_cost = leaf.n[4]
    last, own = (n_candidates, 0) if pairs_only else (f, weight[f])
    take(leaf, -1 if pairs_only else f, n_candidates)
    if pairs_only:
        stack.place[level] = -1
    low = 0
    for g in range(last - 1, 0, -1):
        least = need(stack, control, level) - own - weight[g]
        if weight[g - 1] < least:
            break
        while weight[low] < least:
            low += 1
        if pairs_only:
            leaf.three[: leaf.n[3], low:g] = leaf.two[g, : leaf.n[3], low:g]
        else:
            count_common(leaf, leaf.inside, g, low, g, leaf.three)
        if two:
            save(leaf, g, low, g)
        else:
            save_many(leaf, g, low, g, n_classes)
        control[SUBSETS] += g - low
        control[WORK] += (leaf.n[1] + 8 * leaf.n[3]) * (g - low) // 8 + 1
        most = leaf.saved[low]
        for h in range(low + 1, g):
            most = max(most, leaf.saved[h])
        if cost_of(open_cost, most, two) < control[CEILING]:
            for h in range(low, g):
                cost = cost_of(open_cost, leaf.saved[h], two)
                if cost < control[CEILING] and not note(stack, control, best, kept, level, f, g, h, cost):
                    return False
        if control[STOP]:
            break
    return True


@nb.njit(cache=True, nogil=True)
def cost_of(open_cost, saved, two):
    """What the open cells cost where so much is saved."""
    return (open_cost - np.int64(saved)) // 2 if two else open_cost - np.int64(saved)


@nb.njit(cache=True, nogil=True)
def note(stack, control, best, kept, level, f, g, h, cost):
    """Take a set of interest: as the best, or into the collection; False where that is full."""
    size = len(best)
    into = best
    if control[COLLECT]:
        if control[COLLECTED] == len(kept):
            return False
        into = kept[control[COLLECTED]]
        control[COLLECTED] += 1
    else:
        control[COST] = cost
        control[CEILING] = cost - control[GAP]
        control[FOUND] += 1
    for j in range(level):
        into[j] = stack.chosen[j]
    into[size - 1], into[size - 2] = stack.candidate[level, h], stack.candidate[level, g]
    if size - level == 3:
        into[level] = stack.candidate[level, f]
    return True
