"""Sums over the rows of one side of a split, and tests of leaf rules on them."""

import numpy as np

from .arrays import Int32Matrix, Int32Vector, Int64Matrix, Int64Vector, UInt8Vector
from .compiled import allocating_njit as njit
from .coupled_rules import Bundle, LeafRules, Sums

BOTH_SIDES = -1
"""In place of a side: all rows."""


@njit(cache=True, nogil=True)
def count_tests(sums: Sums, order: Int32Vector, side: UInt8Vector, wanted: int) -> Int64Vector:
    """How often the rows of a side pay each table of test costs, int64 (T,)."""
    weight = np.zeros(len(sums.test_weight), np.int64)
    for t in range(len(weight)):
        for row in order:
            if wanted == BOTH_SIDES or side[row] == wanted:
                weight[t] += sums.test_weight[t, row]
    return weight


@njit(cache=True, nogil=True)
def price_split(
    sums: Sums, bundle: Bundle, extra: Int64Vector, weight: Int64Vector, added: Int64Vector, prices: Int64Vector
) -> None:
    """Compute what a split adds to the sums and to the weighted sums; `weight` : int64 (T,), see `count_tests`."""
    for q in range(len(added)):
        t = sums.test[q]
        added[q] = sums.per_split[q] + (extra[t] * weight[t] if t >= 0 else 0)
    for j in range(len(prices)):
        prices[j] = bundle.split[j]
        for t in range(len(extra)):
            prices[j] += bundle.price[j, t] * extra[t] * weight[t]


@njit(cache=True, nogil=True)
def add_row(
    sums: Sums,
    bundle: Bundle,
    leaves: LeafRules,
    row: int,
    vector: Int64Matrix,
    cost: Int64Matrix,
    by_class: Int64Vector,
) -> None:
    """Add a row to the sums and weighted sums by prediction, and to the weight by class.

    row : its number, 0 to n - 1; vector : int64 (K, Q), the sums; cost : int64 (J, K), the weighted sums; by_class :
        int64 (C,), the weights.
    """
    for k in range(vector.shape[0]):
        for q in range(vector.shape[1]):
            vector[k, q] += sums.amount[row, k, q]
        for j in range(cost.shape[0]):
            cost[j, k] += bundle.cost[j, row, k]
    for c in range(len(by_class)):
        by_class[c] += leaves.by_class[row, c]


@njit(cache=True, nogil=True)
def within(cost: Int64Matrix, budgets: Int64Vector, k: int) -> bool:
    """Whether a leaf with prediction k is within all budgets; `cost` is int64 (J, K)."""
    for j in range(len(budgets)):  # noqa: SIM110 (numba compiles the loop)
        if cost[j, k] > budgets[j]:
            return False
    return True


@njit(cache=True, nogil=True)
def may_answer(leaves: LeafRules, by_class: Int64Vector, number: int, k: int) -> bool:
    """Whether the rules allow a leaf with prediction k.

    by_class : int64 (C,), the weight of its rows by class; number : their number.
    """
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
def keeps_apart(
    leaves: LeafRules,
    ranks: Int32Matrix,
    g: int,
    last: int,
    split: bool,
    order: Int32Vector,
    side: UInt8Vector,
    wanted: int,
) -> bool:
    """Whether the leaves of a side (one, or two after a split) satisfy all cannot-link pairs.

    split : whether there are two leaves, separated by order g after the rank `last`.
    """
    for i in range(len(leaves.apart)):
        a, b = leaves.apart[i]
        if split and (ranks[g, a] <= last) != (ranks[g, b] <= last):
            continue
        if has_row(order, a, side, wanted) and has_row(order, b, side, wanted):
            return False
    return True


@njit(cache=True, nogil=True)
def separates(
    leaves: LeafRules, ranks: Int32Matrix, f: int, last: int, side: UInt8Vector, order: Int32Vector, wanted: int
) -> bool:
    """Whether a split separates a must-link pair."""
    for i in range(len(leaves.together)):
        a, b = leaves.together[i]
        if (
            (ranks[f, a] <= last) != (ranks[f, b] <= last)
            and has_row(order, a, side, wanted)
            and has_row(order, b, side, wanted)
        ):
            return True
    return False


@njit(cache=True, nogil=True)
def has_row(order: Int32Vector, row: int, side: UInt8Vector, wanted: int) -> bool:
    """Whether a `row`, 0 to n - 1, is on a side; `order` holds all rows of the node."""
    if wanted != BOTH_SIDES and side[row] != wanted:
        return False
    for other in order:  # noqa: SIM110 (numba compiles the loop)
        if other == row:
            return True
    return False


@njit(cache=True, nogil=True)
def least(costs: Int64Vector) -> int:
    """The minimum of `costs`, int64 (K,)."""
    least = costs[0]
    for k in range(1, len(costs)):
        least = min(least, costs[k])
    return least


@njit(cache=True, nogil=True)
def least_rest(total: Int64Vector, before: Int64Vector) -> int:
    """The minimum of `total - before`, both int64 (K,)."""
    least = total[0] - before[0]
    for k in range(1, len(total)):
        least = min(least, total[k] - before[k])
    return least
