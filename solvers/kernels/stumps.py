"""All trees of depth at most one within budgets for the rows of one side of a split; see `methods.trees.coupled`."""

import numpy as np

from .arrays import BoolVector, Int32Matrix, Int64Vector, UInt8Vector, bool_, int32, int64
from .compiled import allocating_njit as njit
from .coupled_rules import CoupledRules, may_ask
from .points import ANSWER, COLUMNS, MIXED, SEEN, TREE_FIELDS, TreePoints, keep, permit
from .sides import (
    BOTH_SIDES,
    add_row,
    count_tests,
    keeps_apart,
    least,
    least_rest,
    may_answer,
    price_split,
    separates,
    within,
)
from .status import FULL


@njit(cache=True, nogil=True)
def collect_one(
    rules: CoupledRules,
    rows: Int32Matrix,
    side: UInt8Vector,
    wanted: int,
    depth: int,
    used: int,
    spent: Int64Vector,
    budgets: Int64Vector,
    active: BoolVector,
    out: TreePoints,
) -> int:
    """All trees of depth at most one for the rows of one side, within the budgets.

    Parameters
    ----------
    side : uint8 (n,); wanted : the side, or BOTH_SIDES for all rows; the other parameters as in `collect`.

    Returns
    -------
    The number of points in `out`, or -FULL if there is no room for another.
    """
    ruling, leaves, trees, sums, bundle = rules
    n_orders, m = rows.shape
    n_answers, n_sums, n_costs = sums.amount.shape[1], sums.amount.shape[2], len(budgets)
    # sums, weighted sums, weight by class and number: of all rows, and of the rows before a position
    total, before = np.zeros((2, n_answers, n_sums), np.int64)
    total_cost, before_cost = np.zeros((2, n_costs, n_answers), np.int64)
    total_class, before_class = np.zeros((2, leaves.by_class.shape[1]), np.int64)
    number = int64(0)
    for row in rows[0]:
        if wanted == BOTH_SIDES or side[row] == wanted:
            add_row(sums, bundle, leaves, row, total, total_cost, total_class)
            number += leaves.number[row]
    vector, costs, marks = np.empty(n_sums, np.int64), np.empty(n_costs, np.int64), np.zeros(3, np.int64)
    tree = np.full(TREE_FIELDS, -1, np.int32)
    tracked = trees.seen.any() or trees.trim[()] > 0
    trims = trees.trim[()] > 0 and len(active) == 0
    count = 0
    # the types of the call below, so that `keeps_apart` is compiled only once
    no_order, no_rank = int64(0), int32(-1)
    for k in range(n_answers):
        if not (within(total_cost, budgets, k) and may_answer(leaves, total_class, number, k)):
            continue
        if not keeps_apart(leaves, sums.rank, no_order, no_rank, bool_(False), rows[0], side, wanted):
            break
        marks[COLUMNS], marks[SEEN], marks[ANSWER] = 0, 0, k if tracked else MIXED
        tree[2], tree[3] = k, k
        vector[:] = total[k]
        costs[:] = total_cost[:, k]
        count = keep(out, count, vector, costs, marks, tree, active)
        if count == -FULL:
            return -FULL
    if depth == 0:
        return count
    extra, weight = np.zeros(len(spent), np.int64), count_tests(sums, rows[0], side, wanted)
    added, prices = np.empty(n_sums, np.int64), np.empty(n_costs, np.int64)
    for g in range(n_orders):
        order, rank = rows[g], sums.rank[g]
        if rank[order[0]] == rank[order[m - 1]] or not may_ask(ruling, used, spent, g, extra):
            continue
        if not permit(trees, trees.column_mark[g]):
            continue
        price_split(sums, bundle, extra, weight, added, prices)
        before[:] = 0
        before_cost[:] = 0
        before_class[:] = 0
        seen = int64(0)
        for i in range(m - 1):
            row = order[i]
            if wanted == BOTH_SIDES or side[row] == wanted:
                add_row(sums, bundle, leaves, row, before, before_cost, before_class)
                seen += leaves.number[row]
            last = rank[row]
            if last == rank[order[i + 1]] or seen == 0 or seen == number:
                continue
            # lower bound of the first weighted sum: both sides with their best predictions
            if prices[0] + least(before_cost[0]) + least_rest(total_cost[0], before_cost[0]) > budgets[0]:
                continue
            if separates(leaves, sums.rank, g, last, side, rows[0], wanted):
                continue
            if not keeps_apart(leaves, sums.rank, g, last, bool_(True), rows[0], side, wanted):
                continue
            for k in range(n_answers):
                if not may_answer(leaves, before_class, seen, k):
                    continue
                for h in range(n_answers):
                    fits = trees.climb[g, k] <= trees.climb[g, h] and not (trims and h == k)
                    for j in range(n_costs):
                        costs[j] = prices[j] + before_cost[j, k] + total_cost[j, h] - before_cost[j, h]
                        if costs[j] > budgets[j]:
                            fits = False
                            break
                    if not fits or not may_answer(leaves, total_class - before_class, number - seen, h):
                        continue
                    marks[COLUMNS] = trees.column_mark[g]
                    marks[SEEN] = 0 if h == k else trees.seen[g]
                    marks[ANSWER] = k if h == k and tracked else MIXED
                    for q in range(n_sums):
                        vector[q] = before[k, q] + total[h, q] - before[h, q] + added[q]
                    tree[0], tree[1], tree[2], tree[3] = g, last, k, h
                    count = keep(out, count, vector, costs, marks, tree, active)
                    if count == -FULL:
                        return -FULL
    return count
