"""The set of features whose truth table costs least, by a resumable depth-first branch and bound over sets.

A node has chosen features and an ordered list of candidates. Its child q takes candidate q and inherits the candidates
before q, so every set is visited once. By the bound of `bdd_matchings`, T further features need weights w of at least
need = R - ceiling + 1 together. Candidates that fall short with the T - 1 largest are dropped, the others are taken
from the largest w down, until the rest cannot reach `need`. The last two of three features are tried together
(`bdd_leaf`).

Rounds of prices pay off only at nodes with much work below them. The other nodes complete the pairs that they inherit,
with equal prices. After rounds of prices, R, w and `need` are sums over the rounds.

control : int64 (13 or more,), see below; level : the level of a node, which is the number of features chosen above it,
    -1 before the root; here : the level of the node that is opened; size : the number of features of a set.
best, kept : see `advance`.
"""

import numpy as np

from .arrays import Int32Matrix, Int32Vector, Int64Vector, int64
from .bdd_leaf import MOST, PLANES, ROWS, WORDS, LeafScratch, count_common, lay_out, save, save_many, take
from .bdd_matchings import STEP, OpenLevels, RowPoints, inherit, largest, match, refine, set_prices, weigh
from .compiled import njit
from .status import DONE, FULL, RUNNING

CEILING, COST, BOUND, FOUND, NODES, SUBSETS, WORK, LEVEL, GAP, COLLECT, COLLECTED, LAID_OUT, SLACK = range(13)
"""Words of the control array. Costs exclude the cost of all features together.

CEILING: only cheaper sets are of interest. COLLECT: set to collect all of these; CEILING then stays the same. SLACK: by
how much the ceiling stays above the best cost. If it is not 0, sets are collected during the search, COLLECTED also
counts those without room, and with SLACK 1 (sets as cheap as the best) it restarts at each better set. LAID_OUT:
whether the columns of the last features are those of the node at LEVEL."""

BEFORE, AFTER = -2, -1
"""The level of a search that has not begun, and of one that has ended."""

QUICK = np.array([0, 100, 1])
THOROUGH = np.array([200, 200, 12])
"""`search` of `match`: below the root, where there are many nodes; at the root and in rounds of prices."""

ROUNDS = 12
"""Rounds of prices at a node where they pay off."""

AFRESH = (2, 5)
"""Rounds that restart the mean."""

WORTH = 8
"""Minimum ratio of the work below a node to the work of the rounds."""


@njit(cache=True, nogil=True)
def advance(
    points: RowPoints,
    stack: OpenLevels,
    leaf: LeafScratch,
    control: Int64Vector,
    best: Int32Vector,
    kept: Int32Matrix,
    budget: int,
) -> int:
    """Continue the search until `budget` more work is done.

    best : int32 (size,), the features of the cheapest set; kept : int32 (n, size), the collected sets.

    Returns
    -------
    DONE, RUNNING, or FULL if `kept` is full.
    """
    # all but the last two or three features are chosen one by one
    size, n_classes, n_levels = len(best), points.gain.shape[1], len(stack.index) - 1
    end = control[WORK] + budget
    while control[LEVEL] != AFTER:
        if control[WORK] > end:
            return RUNNING
        level = control[LEVEL]
        if level >= 0:
            missing, place = size - level, stack.place[level]
            # the most weight that the remaining candidates can divide
            reach = int64(0)
            for j in range(max(0, place + 1 - missing), place + 1):
                reach += stack.weight[level, j]
            if level == 0 and not control[COLLECT]:
                # lower bound: the sets left at the root, or the ceiling below which all others were searched
                left = -((reach - stack.matched[0]) // stack.rounds[0])
                control[BOUND] = max(control[BOUND], min(left, min(control[CEILING], control[COST])))
            # no remaining child can bring the bound R - sum of w below the ceiling
            if place < missing - 1 or reach < stack.matched[level] - stack.rounds[level] * (control[CEILING] - 1):
                control[LEVEL] = level - 1
                continue
            if level == n_levels:
                n = stack.n_candidates[level]
                if not control[LAID_OUT]:
                    lay_out(points, stack, level, leaf)
                    control[LAID_OUT] = 1
                    control[WORK] += leaf.n[WORDS] * n * n // 8
                # with two features to choose there is no first one: all pairs are tried at once
                stack.place[level] = place - 1 if missing == 3 else -1
                if not try_last(leaf, stack, control, best, kept, level, place if missing == 3 else -1, n_classes):
                    return FULL
                continue
            stack.place[level] = place - 1
        level = max(level, -1)
        opened = open_node(points, stack, control, level, size, leaf.n[PLANES])
        control[LEVEL] = level + 1 if opened else level
        control[LAID_OUT] = 0
    if not control[COLLECT]:
        control[BOUND] = max(control[BOUND], min(control[CEILING], control[COST]))
    return DONE


@njit(cache=True, nogil=True)
def open_node(points: RowPoints, stack: OpenLevels, control: Int64Vector, level: int, size: int, planes: int) -> bool:
    """Open the child of the next candidate of a level, or the root for level -1; False if it is pruned."""
    mask, n_points, here = stack.mask, len(points.packed), level + 1
    index, first, candidate = stack.index[here], stack.first[here], stack.candidate[here]
    if level < 0:
        for i in range(n_points):
            index[i] = i
        first[0], first[1], stack.n_cells[0], n = 0, n_points, 1, len(points.bits)
        for f in range(n):
            candidate[f] = f
        n_old = 0
    else:
        n = stack.place[level] + 1
        chosen = stack.candidate[level, n]
        stack.chosen[level] = chosen
        control[NODES] += 1
        for j in range(n):
            candidate[j] = stack.candidate[level, j]
        refine(points, stack, here, chosen)
        n_old = stack.n_pairs[level]
    n_cells, missing = stack.n_cells[here], size - here
    for word in range(len(mask)):
        mask[word] = 0
    for j in range(n):
        mask[candidate[j] // 64] |= np.uint64(1) << np.uint64(candidate[j] % 64)
    inherit(points, stack, here)
    control[WORK] += first[n_cells] + n_old + n
    # equal prices are missing / n: a pair divided by more than n / missing features is worth nothing
    control[WORK] += match(points, stack, here, stack.prices[:0], n / missing + 1.0, THOROUGH if level < 0 else QUICK)
    stack.matched[here] = weigh(points, stack, here)
    stack.rounds[here] = 1
    if n < missing:
        return False
    # lower bound: the weight of all pairs less the most that `missing` features can divide
    bound = stack.matched[here] - largest(stack, stack.divided, here, n, missing)
    if bound < control[CEILING] and worth_rounds(first, n_cells, n, missing, planes, len(mask)):
        bound = improve_matching(points, stack, control, here, n, missing)
    if bound >= control[CEILING]:
        return False
    return rank(stack, control, here, n, missing)


@njit(cache=True, nogil=True)
def worth_rounds(first: Int64Vector, n_cells: int, n: int, missing: int, planes: int, n_words: int) -> bool:
    """Whether the work below a node is much more than that of rounds of prices, with `n_words` per point."""
    subsets, pairs = 1.0, 0.0
    for j in range(missing):
        subsets *= (n - j) / (j + 1.0)
    for cell in range(n_cells):
        size = first[cell + 1] - first[cell]
        pairs += size * min(size, THOROUGH[0] + THOROUGH[1])
    below = subsets * (1.0 + planes * first[n_cells] / 512.0 + n_cells / 4.0)
    return below > WORTH * ROUNDS * pairs * n_words


@njit(cache=True, nogil=True)
def improve_matching(
    points: RowPoints, stack: OpenLevels, control: Int64Vector, here: int, n: int, missing: int
) -> int:
    """Improve the pairs by rounds of prices; return the bound of their mean, with its weights in `stack.divided`."""
    candidate, index, n_points = stack.candidate[here], stack.index[here], stack.first[here, stack.n_cells[here]]
    divided, gathered, heat, rest = stack.divided, stack.gathered, stack.heat, stack.rest
    for f in range(len(heat)):
        heat[f] = 0.0
        gathered[f] = 0
    matched = bound = int64(0)
    rounds = 0
    for t in range(ROUNDS):
        if t in AFRESH:
            # the first rounds are far off, and the mean is better without them
            matched, rounds = int64(0), 0
            for f in range(len(gathered)):
                gathered[f] = 0
        set_prices(stack, here, n, missing)
        for j in range(n_points):
            for k in range(rest.shape[1]):
                rest[index[j], k] = points.regret[index[j], k]
        stack.n_pairs[here] = 0
        control[WORK] += match(points, stack, here, stack.prices, 1.0, THOROUGH) * len(stack.mask)
        matched += weigh(points, stack, here)
        most = int64(1)
        for j in range(n):
            gathered[candidate[j]] += divided[candidate[j]]
            most = max(most, divided[candidate[j]])
        # each matching gives a lower bound, so their mean over the rounds does, rounded up
        reach = largest(stack, gathered, here, n, missing)
        rounds += 1
        bound = -((reach - matched) // rounds)
        stack.rounds[here] = rounds
        if bound >= control[CEILING]:
            return bound
        for j in range(n):
            heat[candidate[j]] += STEP / (t + 1.0) ** 0.5 * divided[candidate[j]] / most
    stack.matched[here] = matched
    for f in range(len(divided)):
        divided[f] = gathered[f]
    return bound


@njit(cache=True, nogil=True)
def rank(stack: OpenLevels, control: Int64Vector, here: int, n: int, missing: int) -> bool:
    """Drop the useless candidates of a level and sort the others; False if too few are left."""
    candidate, weight, divided = stack.candidate[here], stack.weight[here], stack.divided
    least = stack.matched[here] - stack.rounds[here] * (control[CEILING] - 1)
    threshold = least - largest(stack, divided, here, n, missing - 1)
    kept = 0
    for j in range(n):
        # the largest pass too: the node would have been pruned if the `missing` largest fell short
        if divided[candidate[j]] >= threshold:
            candidate[kept], weight[kept] = candidate[j], divided[candidate[j]]
            kept += 1
    # Shell's sort: lists are short and often nearly sorted
    gap = kept // 2
    while gap > 0:
        for i in range(gap, kept):
            c, w = candidate[i], weight[i]
            j = i
            while j >= gap and weight[j - gap] > w:
                candidate[j], weight[j] = candidate[j - gap], weight[j - gap]
                j -= gap
            candidate[j], weight[j] = c, w
        gap //= 2
    stack.n_candidates[here], stack.place[here] = kept, kept - 1
    return kept >= missing


@njit(cache=True, nogil=True)
def try_last(
    leaf: LeafScratch,
    stack: OpenLevels,
    control: Int64Vector,
    best: Int32Vector,
    kept: Int32Matrix,
    level: int,
    f: int,
    n_classes: int,
) -> bool:
    """Try all sets of a leaf node whose last candidate is `f`, or all pairs of candidates if `f` is -1.

    n_classes : the number of classes.

    Returns
    -------
    False if there is no room for the sets to collect.
    """
    weight, two = stack.weight[level], n_classes == 2
    matched, rounds = stack.matched[level], stack.rounds[level]
    last, own = (f, weight[f]) if f >= 0 else (stack.n_candidates[level], int64(0))
    take(leaf, f, last)
    n_rows = leaf.n[ROWS]
    low = 0
    for g in range(last - 1, 0, -1):
        least = matched - rounds * (control[CEILING] - 1) - own - weight[g]
        # candidates are sorted by weight: no pair with g or below reaches the need
        if weight[g - 1] < least:
            break
        while weight[low] < least:
            low += 1
        count_common(leaf, leaf.inside, g, low, g, leaf.three)
        if two:
            save(leaf, g, low, g)
        else:
            save_many(leaf, g, low, g, n_classes)
        control[SUBSETS] += g - low
        control[WORK] += (leaf.n[WORDS] + 8 * n_rows) * (g - low) // 8 + 1
        # only sets that cost less than the ceiling; for two classes `saved` is twice the gains less all weight
        enough = leaf.n[MOST] - control[CEILING] if not two else leaf.n[MOST] - 2 * control[CEILING]
        for h in range(low, g):
            if leaf.saved[h] > enough:
                cost = leaf.n[MOST] - leaf.saved[h]
                if not note(stack, control, best, kept, level, f, g, h, cost // 2 if two else cost):
                    return False
                enough = leaf.n[MOST] - control[CEILING] if not two else leaf.n[MOST] - 2 * control[CEILING]
    return True


@njit(cache=True, nogil=True)
def note(
    stack: OpenLevels,
    control: Int64Vector,
    best: Int32Vector,
    kept: Int32Matrix,
    level: int,
    f: int,
    g: int,
    h: int,
    cost: int,
) -> bool:
    """Record a set of interest as the best or in the collection; False if all are collected and there is no room.

    f, g, h : the positions of its last features among the candidates, f -1 if there are only two; cost : its cost less
        the cost of all features together.
    """
    size = len(best)
    better = not control[COLLECT] and cost < control[COST]
    if better:
        control[COST], control[CEILING] = cost, cost - control[GAP] + control[SLACK]
        control[FOUND] += 1
        if control[SLACK] == 1:
            control[COLLECTED] = 0
    room = control[COLLECTED] < len(kept)
    if control[COLLECT] and not room:
        return False
    collected = control[COLLECT] or control[SLACK]
    for target in range(2):
        if (target == 0 and better) or (target == 1 and collected and room):
            into = best if target == 0 else kept[control[COLLECTED]]
            for j in range(level):
                into[j] = stack.chosen[j]
            into[size - 1], into[size - 2] = stack.candidate[level, h], stack.candidate[level, g]
            if f >= 0:
                into[level] = stack.candidate[level, f]
    if collected:
        control[COLLECTED] += 1
    return True
