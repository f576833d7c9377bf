"""All trees of depth two of a node that stay within budgets, as the set of those of which none is better in every way.

Constraints that couple the leaves of a tree (fairness, accuracy on a group, expected costs, the number of leaves) limit
sums over its leaves and splits. For whole numbers p_k >= 0 the weighted sum of all sums of a tree that satisfies them
is at most p_0 * cost + sum of p_k * limit_k: its *budget*. Weighted sums are additive, so a subtree may cost what its
parent's budget leaves after the least cost of its sibling and of the split. `collect` opens only the splits for which
that is enough for both sides, under several weightings at once (a bundle, see `coupling`), and keeps the trees of which
none is at least as good in every sum; the least costs of the sides may be any lower bounds.

Leaf rules are checked where a leaf is made, path rules where a question is asked; neither is part of the lower bounds
by the rows, which hold with them all the more.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from solvers.kernels.coupling import Bundle, LeafRules, Sums, TreeRules, may_ask
from solvers.kernels.points import ANSWER, ASKED, FLAT, FULL, MIXED, SEEN, TREE_FIELDS, Points, join, keep, permitted
from solvers.kernels.ruling import Ruling, joined

HUGE = 1 << 60
BOTH_SIDES = -1
STOPPED = -2


@njit(cache=True, nogil=True)
def collect(
    ruling: Ruling,
    leaves: LeafRules,
    trees: TreeRules,
    sums: Sums,
    bundle: Bundle,
    rows,
    depth,
    used,
    spent,
    budgets,
    active,
    halt,
    out: Points,
    left: Points,
    right: Points,
):
    """The trees of at most this depth (0, 1 or 2) for the rows of a node, within the budgets.

    Parameters
    ----------
    rows : int32 (F, m), the node's rows in each order.
    used, spent : the columns on the path to the node, and int64 (T,) what they cost.
    budgets : int64 (J,); active : bool (Q,), which sums count.
    halt : int64 (1,), set to 1 to end soon.
    out : receives the trees; left, right : scratch.

    Returns
    -------
    The number of trees, FULL where there is no room, STOPPED after a halt.
    """
    side = np.zeros(sums.rank.shape[1], np.uint8)
    count = collect_one(
        ruling, leaves, trees, sums, bundle, rows, side, BOTH_SIDES, min(depth, 1), used, spent, budgets, active, out
    )
    if depth < 2 or count == FULL:
        return count
    n_orders, m = rows.shape
    n_tables, n_costs = len(spent), len(budgets)
    extra, weight = np.zeros(n_tables, np.int64), _test_weight(sums, rows[0], side, BOTH_SIDES)
    prices, left_budgets, right_budgets = np.empty((3, n_costs), np.int64)
    added, stack = np.empty(sums.amount.shape[2], np.int64), np.empty((m + 2, 4), np.int64)
    best = np.empty((2, 2), np.int64)
    both = np.empty((2, n_costs), np.int64)
    for f in range(n_orders):
        order, rank = rows[f], sums.rank[f]
        if rank[order[0]] == rank[order[m - 1]] or not may_ask(ruling, used, spent, f, extra):
            continue
        below, paid = joined(ruling, used, f), spent + extra
        _price(sums, bundle, extra, weight, added, prices)
        ahead = np.zeros(m + 1, np.int64)
        for j in range(m):
            ahead[j + 1] = ahead[j] + bundle.reach[order[j]]
        # open intervals (a, b) of positions with the least cost on the left of a and on the right of b
        stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, m, 0, 0
        n_open = 1
        while n_open > 0:
            if halt[0]:
                return STOPPED
            n_open -= 1
            a, b, left_a, right_b = stack[n_open]
            if left_a + right_b + prices[0] > budgets[0]:
                continue
            p = _middle(order, rank, a, b)
            if p < 0:
                continue
            for j in range(m):
                side[order[j]] = j >= p
            within = True
            for j in range(n_costs):
                _least_of_sides(ruling, sums, bundle, rows, side, j, below, paid, best)
                both[0, j], both[1, j] = best[0, 0], best[1, 0]
                if best[0, 0] + best[1, 0] + prices[j] > budgets[j]:
                    within = False
                    if j == 0:
                        # what is lacking tells how many rows must change side before a position can be within
                        lacking = best[0, 0] + best[1, 0] + prices[0] - budgets[0]
                        low, high = p, p
                        while low > a and ahead[p] - ahead[low] < lacking:
                            low -= 1
                        while high < b and ahead[high] - ahead[p] < lacking:
                            high += 1
                        if low > a:
                            n_open = _push(stack, n_open, a, low + 1, left_a, both[1, 0])
                        if high < b:
                            n_open = _push(stack, n_open, high - 1, b, both[0, 0], right_b)
                    break
            if both[0, 0] + both[1, 0] + prices[0] <= budgets[0]:
                n_open = _push(stack, n_open, a, p, left_a, both[1, 0])
                n_open = _push(stack, n_open, p, b, both[0, 0], right_b)
            if not within or _separates(leaves, sums.rank, f, rank[order[p - 1]], side, rows[0], BOTH_SIDES):
                continue
            for j in range(n_costs):
                left_budgets[j] = budgets[j] - prices[j] - both[1, j]
                right_budgets[j] = budgets[j] - prices[j] - both[0, j]
            n_left = collect_one(
                ruling, leaves, trees, sums, bundle, rows, side, 0, 1, below, paid, left_budgets, active, left
            )
            if n_left == 0:
                continue
            n_right = collect_one(
                ruling, leaves, trees, sums, bundle, rows, side, 1, 1, below, paid, right_budgets, active, right
            )
            if n_left == FULL or n_right == FULL:
                return FULL
            count = join(
                out,
                count,
                left,
                n_left,
                right,
                n_right,
                trees,
                f,
                rank[order[p - 1]],
                added,
                prices,
                budgets,
                active,
                FLAT,
            )
            if count == FULL:
                return FULL
    return count


@njit(cache=True, nogil=True)
def _push(stack, n_open, a, b, left_a, right_b):
    stack[n_open, 0], stack[n_open, 1], stack[n_open, 2], stack[n_open, 3] = a, b, left_a, right_b
    return n_open + 1


@njit(cache=True, nogil=True)
def _middle(order, rank, a, b):
    """The position in (a, b) nearest to its middle at which the rank changes; -1 for none."""
    low = (a + b) >> 1
    high = low + 1
    while low > a or high < b:
        if low > a:
            if rank[order[low - 1]] != rank[order[low]]:
                return low
            low -= 1
        if high < b:
            if rank[order[high - 1]] != rank[order[high]]:
                return high
            high += 1
    return -1


@njit(cache=True, nogil=True)
def _test_weight(sums: Sums, order, side, wanted):
    """How often tests are paid for by the rows of a side, int64 (T,)."""
    weight = np.zeros(len(sums.test_weight), np.int64)
    for t in range(len(weight)):
        for row in order:
            if wanted == BOTH_SIDES or side[row] == wanted:
                weight[t] += sums.test_weight[t, row]
    return weight


@njit(cache=True, nogil=True)
def _price(sums: Sums, bundle: Bundle, extra, weight, added, prices):
    """What a split adds to the sums and to the weighted sums."""
    for q in range(len(added)):
        t = sums.test[q]
        added[q] = sums.per_split[q] + (extra[t] * weight[t] if t >= 0 else 0)
    for j in range(len(prices)):
        prices[j] = bundle.split[j]
        for t in range(len(extra)):
            prices[j] += bundle.price[j, t] * extra[t] * weight[t]


@njit(cache=True, nogil=True)
def _separates(leaves: LeafRules, ranks, f, last, side, order, wanted):
    """Whether a split puts two rows apart that must share a leaf."""
    for i in range(len(leaves.together)):
        a, b = leaves.together[i]
        if (
            (ranks[f, a] <= last) != (ranks[f, b] <= last)
            and _has(order, a, side, wanted)
            and _has(order, b, side, wanted)
        ):
            return True
    return False


@njit(cache=True, nogil=True)
def _has(order, row, side, wanted):
    if wanted != BOTH_SIDES and side[row] != wanted:
        return False
    for other in order:  # noqa: SIM110 (numba compiles the loop)
        if other == row:
            return True
    return False


@njit(cache=True, nogil=True)
def _least_of_sides(ruling: Ruling, sums: Sums, bundle: Bundle, rows, side, j, used, spent, best):
    """The least of one weighted sum for a tree of depth one on each side of a split, in `best[side, 0]`."""
    n_orders, m = rows.shape
    cost = bundle.cost[j]
    n_answers = cost.shape[1]
    total, before = np.zeros((2, n_answers), np.int64), np.empty((2, n_answers), np.int64)
    for row in rows[0]:
        for k in range(n_answers):
            total[side[row], k] += cost[row, k]
    for s in range(2):
        best[s, 0] = _least(total[s])
    priced = False
    for t in range(len(spent)):
        priced |= bundle.price[j, t] > 0
    extra, weight = np.zeros(len(spent), np.int64), np.zeros((2, len(spent)), np.int64)
    if priced:
        weight[0], weight[1] = _test_weight(sums, rows[0], side, 0), _test_weight(sums, rows[0], side, 1)
    for g in range(n_orders):
        order, rank = rows[g], sums.rank[g]
        if rank[order[0]] == rank[order[m - 1]] or not may_ask(ruling, used, spent, g, extra):
            continue
        first, second = bundle.split[j], bundle.split[j]
        for t in range(len(spent)):
            first += bundle.price[j, t] * extra[t] * weight[0, t]
            second += bundle.price[j, t] * extra[t] * weight[1, t]
        if first >= best[0, 0] and second >= best[1, 0]:
            continue
        before[:] = 0
        if n_answers == 2:
            _scan_two_answers(order, rank, cost, side, total, first, second, best)
            continue
        for i in range(m - 1):
            row = order[i]
            s = side[row]
            for k in range(n_answers):
                before[s, k] += cost[row, k]
            if rank[row] != rank[order[i + 1]]:
                best[0, 0] = min(best[0, 0], first + _least(before[0]) + _least_rest(total[0], before[0]))
                best[1, 0] = min(best[1, 0], second + _least(before[1]) + _least_rest(total[1], before[1]))


@njit(cache=True, nogil=True)
def _scan_two_answers(order, rank, cost, side, total, first, second, best):
    """The scan of one order for two answers, in registers."""
    a0, a1, b0, b1 = 0, 0, 0, 0
    t0, t1, u0, u1 = total[0, 0], total[0, 1], total[1, 0], total[1, 1]
    least_first, least_second = best[0, 0], best[1, 0]
    here = rank[order[0]]
    for i in range(len(order) - 1):
        row = order[i]
        there = rank[order[i + 1]]
        second_side = np.int64(side[row])
        c0, c1 = cost[row, 0], cost[row, 1]
        b0 += c0 * second_side
        b1 += c1 * second_side
        a0 += c0 * (1 - second_side)
        a1 += c1 * (1 - second_side)
        if here != there:
            least_first = min(least_first, first + min(a0, a1) + min(t0 - a0, t1 - a1))
            least_second = min(least_second, second + min(b0, b1) + min(u0 - b0, u1 - b1))
            here = there
    best[0, 0], best[1, 0] = least_first, least_second


@njit(cache=True, nogil=True)
def _least(costs):
    least = costs[0]
    for k in range(1, len(costs)):
        least = min(least, costs[k])
    return least


@njit(cache=True, nogil=True)
def _least_rest(total, before):
    least = total[0] - before[0]
    for k in range(1, len(total)):
        least = min(least, total[k] - before[k])
    return least


@njit(cache=True, nogil=True)
def collect_one(
    ruling: Ruling,
    leaves: LeafRules,
    trees: TreeRules,
    sums: Sums,
    bundle: Bundle,
    rows,
    side,
    wanted,
    depth,
    used,
    spent,
    budgets,
    active,
    out: Points,
):
    """The trees of depth at most one for the rows of one side, within the budgets.

    Parameters
    ----------
    side : uint8 (n,); wanted : the side whose rows are meant, BOTH_SIDES for all; the others as in `collect`.
    """
    n_orders, m = rows.shape
    n_answers, n_sums, n_costs = sums.amount.shape[1], sums.amount.shape[2], len(budgets)
    # sums, weighted sums, weight by class, and rows: of all rows and of those before a position
    total, before = np.zeros((2, n_answers, n_sums), np.int64)
    total_cost, before_cost = np.zeros((2, n_costs, n_answers), np.int64)
    total_class, before_class = np.zeros((2, leaves.by_class.shape[1]), np.int64)
    number = 0
    for row in rows[0]:
        if wanted == BOTH_SIDES or side[row] == wanted:
            _add(sums, bundle, leaves, row, total, total_cost, total_class)
            number += leaves.number[row]
    vector, costs, marks = np.empty(n_sums, np.int64), np.empty(n_costs, np.int64), np.zeros(3, np.int64)
    tree = np.full(TREE_FIELDS, -1, np.int32)
    tracked = _any(trees.seen)
    count = 0
    split_last = np.int64(-1)
    for k in range(n_answers):
        if not (_within(total_cost, budgets, k) and _may_answer(leaves, total_class, number, k)):
            continue
        if not _keeps_apart(leaves, sums.rank, 0, split_last, False, rows[0], side, wanted):
            break
        marks[ASKED], marks[SEEN], marks[ANSWER] = 0, 0, k if tracked else MIXED
        tree[2], tree[3] = k, k
        vector[:] = total[k]
        costs[:] = total_cost[:, k]
        count = keep(out, count, vector, costs, marks, tree, active)
        if count == FULL:
            return FULL
    if depth == 0:
        return count
    extra, weight = np.zeros(len(spent), np.int64), _test_weight(sums, rows[0], side, wanted)
    added, prices = np.empty(n_sums, np.int64), np.empty(n_costs, np.int64)
    for g in range(n_orders):
        order, rank = rows[g], sums.rank[g]
        if rank[order[0]] == rank[order[m - 1]] or not may_ask(ruling, used, spent, g, extra):
            continue
        if not permitted(trees, trees.asked[g]):
            continue
        _price(sums, bundle, extra, weight, added, prices)
        before[:] = 0
        before_cost[:] = 0
        before_class[:] = 0
        seen = 0
        for i in range(m - 1):
            row = order[i]
            if wanted == BOTH_SIDES or side[row] == wanted:
                _add(sums, bundle, leaves, row, before, before_cost, before_class)
                seen += leaves.number[row]
            last = rank[row]
            if last == rank[order[i + 1]] or seen == 0 or seen == number:
                continue
            if prices[0] + _least(before_cost[0]) + _least_rest(total_cost[0], before_cost[0]) > budgets[0]:
                continue
            if _separates(leaves, sums.rank, g, last, side, rows[0], wanted):
                continue
            if not _keeps_apart(leaves, sums.rank, g, last, True, rows[0], side, wanted):
                continue
            for k in range(n_answers):
                if not _may_answer(leaves, before_class, seen, k):
                    continue
                for h in range(n_answers):
                    fits = True
                    for j in range(n_costs):
                        costs[j] = prices[j] + before_cost[j, k] + total_cost[j, h] - before_cost[j, h]
                        if costs[j] > budgets[j]:
                            fits = False
                            break
                    if not fits or not _may_answer(leaves, total_class - before_class, number - seen, h):
                        continue
                    marks[ASKED] = trees.asked[g]
                    marks[SEEN] = 0 if h == k else trees.seen[g]
                    marks[ANSWER] = k if h == k and tracked else MIXED
                    for q in range(n_sums):
                        vector[q] = before[k, q] + total[h, q] - before[h, q] + added[q]
                    tree[0], tree[1], tree[2], tree[3] = g, last, k, h
                    count = keep(out, count, vector, costs, marks, tree, active)
                    if count == FULL:
                        return FULL
    return count


@njit(cache=True, nogil=True)
def _any(masks):
    for mask in masks:  # noqa: SIM110 (numba compiles the loop)
        if mask:
            return True
    return False


@njit(cache=True, nogil=True)
def _add(sums: Sums, bundle: Bundle, leaves: LeafRules, row, vector, cost, by_class):
    for k in range(vector.shape[0]):
        for q in range(vector.shape[1]):
            vector[k, q] += sums.amount[row, k, q]
        for j in range(cost.shape[0]):
            cost[j, k] += bundle.cost[j, row, k]
    for c in range(len(by_class)):
        by_class[c] += leaves.by_class[row, c]


@njit(cache=True, nogil=True)
def _within(cost, budgets, k):
    for j in range(len(budgets)):  # noqa: SIM110 (numba compiles the loop)
        if cost[j, k] > budgets[j]:
            return False
    return True


@njit(cache=True, nogil=True)
def _may_answer(leaves: LeafRules, by_class, number, k):
    """Whether rows of these classes may be a leaf with the answer k."""
    if number < leaves.least[0]:
        return False
    every = 0
    for c in range(len(by_class)):
        every += by_class[c]
    if every < leaves.least[1]:
        return False
    for r in range(len(leaves.pure)):
        speaks = leaves.pure[r, 0] < 0 or leaves.pure[r, 0] == k
        if speaks and by_class[k] * leaves.pure[r, 2] < every * leaves.pure[r, 1]:
            return False
    return True


@njit(cache=True, nogil=True)
def _keeps_apart(leaves: LeafRules, ranks, g, last, split, order, side, wanted):
    """Whether the leaves of a side (one, or two after a split) separate all rows that must be in different leaves."""
    for i in range(len(leaves.apart)):
        a, b = leaves.apart[i]
        if split and (ranks[g, a] <= last) != (ranks[g, b] <= last):
            continue
        if _has(order, a, side, wanted) and _has(order, b, side, wanted):
            return False
    return True
