"""All trees of depth two of a node within budgets, as the set of trees that no other tree dominates.

Constraints that couple the leaves of a tree (fairness, accuracy on a group, expected costs, the number of leaves) limit
sums over its leaves and splits. So weighted sums of a tree have a *budget*, and a subtree may cost what its parent's
budget leaves after the split and a lower bound for its sibling (docs/constraints/proofs.md). `collect` opens only
splits for which both sides fit, under several weightings at once (a bundle, see `coupled_rules`). It keeps the trees
that no other tree matches in every sum. The lower bounds by rows ignore leaf and path rules, which only raise costs.
"""

import numpy as np

from .arrays import BoolVector, Int32Matrix, Int32Vector, Int64Matrix, Int64Vector, UInt8Vector, int64
from .compiled import allocating_njit as njit
from .coupled_rules import CoupledRules, may_ask
from .path_rules import joined
from .points import FLAT, TreePoints, first_points, join
from .positions import nearest_boundary
from .sides import BOTH_SIDES, count_tests, least, least_rest, price_split, separates
from .status import FULL, STOPPED
from .stumps import collect_one


@njit(cache=True, nogil=True)
def collect(
    rules: CoupledRules,
    rows: Int32Matrix,
    depth: int,
    used: int,
    spent: Int64Vector,
    budgets: Int64Vector,
    active: BoolVector,
    halt: Int64Vector,
    out: TreePoints,
    left: TreePoints,
    right: TreePoints,
) -> int:
    """Collect the trees of depth at most `depth` (0, 1 or 2) for the rows of a node, within the budgets.

    Parameters
    ----------
    rows : int32 (F, m), the node's rows in each order.
    used, spent : the columns on the path to the node, and what they cost, int64 (T,).
    budgets : int64 (J,); active : bool (Q,), the sums that count.
    halt : int64 (1,), set to 1 to end soon.
    out : receives the trees; left, right : scratch.

    Returns
    -------
    The number of trees, -FULL if there is no room, or -STOPPED after a halt.
    """
    ruling, leaves, trees, sums, bundle = rules
    side = np.zeros(sums.rank.shape[1], np.uint8)
    # a literal is a type of its own: without int64 everything called here would be compiled a second time
    both_sides, one, zero = int64(BOTH_SIDES), int64(1), int64(0)
    count = collect_one(rules, rows, side, both_sides, min(depth, one), used, spent, budgets, active, out)
    if depth < 2 or count == -FULL:
        return count
    n_orders, m = rows.shape
    n_tables, n_costs = len(spent), len(budgets)
    extra, weight = np.zeros(n_tables, np.int64), count_tests(sums, rows[0], side, both_sides)
    prices, left_budgets, right_budgets = np.empty((3, n_costs), np.int64)
    added, stack = np.empty(sums.amount.shape[2], np.int64), np.empty((m + 2, 4), np.int64)
    best = np.empty((2, 2), np.int64)
    both = np.empty((2, n_costs), np.int64)
    for f in range(n_orders):
        order = rows[f]
        ranks = sums.rank[f][order]
        if ranks[0] == ranks[m - 1] or not may_ask(ruling, used, spent, f, extra):
            continue
        below, paid = joined(ruling, used, f), spent + extra
        price_split(sums, bundle, extra, weight, added, prices)
        ahead = np.zeros(m + 1, np.int64)
        for j in range(m):
            ahead[j + 1] = ahead[j] + bundle.reach[order[j]]
        # open intervals (a, b) of positions, with the least cost of the left side at a and of the right side at b
        n_open = _push(stack, zero, zero, m, zero, zero)
        while n_open > 0:
            if halt[0]:
                return -STOPPED
            n_open -= 1
            a, b, left_a, right_b = stack[n_open]
            # between a and b the left side costs at least left_a and the right side at least right_b
            if left_a + right_b + prices[0] > budgets[0]:
                continue
            p = nearest_boundary(ranks, (a + b) >> 1, a + 1, b - 1)
            if p < 0:
                continue
            for j in range(m):
                side[order[j]] = j >= p
            within = True
            for j in range(n_costs):
                _least_of_sides(rules, rows, side, j, below, paid, best)
                both[0, j], both[1, j] = best[0, 0], best[1, 0]
                # lower bound of a weighted sum: both sides with at most one split, without leaf rules
                if best[0, 0] + best[1, 0] + prices[j] > budgets[j]:
                    within = False
                    if j == 0:
                        # a row that changes sides lowers the bound by at most its `reach`: skip nearer positions
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
            # left costs grow with the position and right costs fall, so the costs at p bound both parts
            if both[0, 0] + both[1, 0] + prices[0] <= budgets[0]:
                n_open = _push(stack, n_open, a, p, left_a, both[1, 0])
                n_open = _push(stack, n_open, p, b, both[0, 0], right_b)
            if not within or separates(leaves, sums.rank, f, ranks[p - 1], side, rows[0], both_sides):
                continue
            # each side may cost what the split and the lower bound of its sibling leave of the budget
            for j in range(n_costs):
                left_budgets[j] = budgets[j] - prices[j] - both[1, j]
                right_budgets[j] = budgets[j] - prices[j] - both[0, j]
            n_left = collect_one(rules, rows, side, zero, one, below, paid, left_budgets, active, left)
            if n_left == 0:
                continue
            n_right = collect_one(rules, rows, side, one, one, below, paid, right_budgets, active, right)
            if n_left == -FULL or n_right == -FULL:
                return -FULL
            lefts, rights = first_points(left, n_left), first_points(right, n_right)
            last = ranks[p - 1]
            count = join(out, count, lefts, rights, trees, f, last, added, prices, budgets, active, FLAT)
            if count == -FULL:
                return -FULL
    return count


@njit(cache=True, nogil=True)
def _push(stack: Int64Matrix, n_open: int, a: int, b: int, left_a: int, right_b: int) -> int:
    """Push an interval of positions on the stack; return the new number of intervals.

    stack : int64 (m + 2, 4); n_open : the intervals on it; a, b : the ends of the new one, 0 to m, both exclusive;
        left_a, right_b : lower bounds for the left side at a and the right side at b in the first weighted sum.
    """
    stack[n_open, 0], stack[n_open, 1], stack[n_open, 2], stack[n_open, 3] = a, b, left_a, right_b
    return n_open + 1


@njit(cache=True, nogil=True)
def _least_of_sides(
    rules: CoupledRules,
    rows: Int32Matrix,
    side: UInt8Vector,
    j: int,
    used: int,
    spent: Int64Vector,
    best: Int64Matrix,
) -> None:
    """Write the least weighted sum of a tree of depth at most one for each side of a split to `best[side, 0]`.

    j : the weighted sum, 0 to J - 1; best : int64 (2, 2).
    """
    ruling, sums, bundle = rules.ruling, rules.sums, rules.bundle
    n_orders, m = rows.shape
    cost = bundle.cost[j]
    n_answers = cost.shape[1]
    total, before = np.zeros((2, n_answers), np.int64), np.empty((2, n_answers), np.int64)
    for row in rows[0]:
        for k in range(n_answers):
            total[side[row], k] += cost[row, k]
    for s in range(2):
        best[s, 0] = least(total[s])
    priced = False
    for t in range(len(spent)):
        priced |= bundle.price[j, t] > 0
    extra, weight = np.zeros(len(spent), np.int64), np.zeros((2, len(spent)), np.int64)
    if priced:
        weight[0], weight[1] = count_tests(sums, rows[0], side, int64(0)), count_tests(sums, rows[0], side, int64(1))
    for g in range(n_orders):
        order, rank = rows[g], sums.rank[g]
        if rank[order[0]] == rank[order[m - 1]] or not may_ask(ruling, used, spent, g, extra):
            continue
        first, second = bundle.split[j], bundle.split[j]
        for t in range(len(spent)):
            first += bundle.price[j, t] * extra[t] * weight[0, t]
            second += bundle.price[j, t] * extra[t] * weight[1, t]
        # a split that costs as much as the best tree so far cannot improve either side
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
                best[0, 0] = min(best[0, 0], first + least(before[0]) + least_rest(total[0], before[0]))
                best[1, 0] = min(best[1, 0], second + least(before[1]) + least_rest(total[1], before[1]))


@njit(cache=True, nogil=True)
def _scan_two_answers(
    order: Int32Vector,
    rank: Int32Vector,
    cost: Int64Matrix,
    side: UInt8Vector,
    total: Int64Matrix,
    first: int,
    second: int,
    best: Int64Matrix,
) -> None:
    """Scan one order for two classes, with sums in registers.

    cost : int64 (n, 2), of a row by prediction; total : int64 (2, 2), of each side by prediction; first, second : the
        cost of a split on each side; best : as in `_least_of_sides`.
    """
    a0, a1, b0, b1 = 0, 0, 0, 0
    t0, t1, u0, u1 = total[0, 0], total[0, 1], total[1, 0], total[1, 1]
    least_first, least_second = best[0, 0], best[1, 0]
    here = rank[order[0]]
    for i in range(len(order) - 1):
        row = order[i]
        there = rank[order[i + 1]]
        second_side = int64(side[row])
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
