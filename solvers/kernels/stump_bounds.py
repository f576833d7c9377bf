"""The least costs of stumps on both sides of many cuts of some cases, as the checker of certificates computes them."""

from typing import NamedTuple

import numba
import numpy as np

from solvers.kernels.arrays import Int64Matrix, Int64Vector

NONE = 2**60


class StumpCases(NamedTuple):
    """Cases sorted along each order, and what is counted of them.

    The sums that are counted are first what each answer but one costs more than that one, then rows and weights.

    Attributes
    ----------
    order : int64 (n_orders, n), the cases along each order.
    place : int64 (n_all_cases, n_orders), the step of each case among the steps of all orders.
    first : int64 (n_orders + 1,), the first step of each order.
    sums : int64 (n_all_cases, n_sums); n_answers : how many of them are of answers.
    under : int64 (n_steps, n_sums), at or below the end of each step.
    total : int64 (n_sums,)
    least : int64 (n_sums,), what a leaf must have of it, for rows and weights.
    permitted : bool (2, n_orders, n_orders), below which order another one may stand, without and with limits.
    """

    order: np.ndarray
    place: np.ndarray
    first: np.ndarray
    sums: np.ndarray
    n_answers: int
    under: np.ndarray
    total: np.ndarray
    least: np.ndarray
    permitted: np.ndarray


@numba.njit(cache=True, nogil=True)
def least_splits(
    cases: StumpCases, column: Int64Vector, end: Int64Vector, below: Int64Matrix, found: np.ndarray
) -> None:
    """The least that a split of each side of each cut exceeds its first answer by; `NONE` where none is allowed.

    Parameters
    ----------
    column, end : int64 (n_cuts,), the order of each cut, ascending, and how many cases are at or below it, ascending.
    below : int64 (n_cuts, n_sums), the sums at or below each cut.
    found : int64 (2, 2, n_cuts), without and with limits, by side; is changed in place.
    """
    n_steps, n_sums = cases.under.shape
    n_answers = cases.n_answers
    steps, running = np.zeros((n_steps, n_sums), np.int64), np.zeros(n_sums, np.int64)
    found[:] = NONE
    begin = 0
    for i in range(len(column)):
        if i and column[i] != column[i - 1]:
            steps[:] = 0
            begin = 0
        for j in range(begin, end[i]):
            case = cases.order[column[i], j]
            for q in range(len(cases.order)):
                for s in range(n_sums):
                    steps[cases.place[case, q], s] += cases.sums[case, s]
        begin = end[i]
        for q in range(len(cases.order)):
            soft, hard = cases.permitted[0, column[i], q], cases.permitted[1, column[i], q]
            if not (soft or hard):
                continue
            if n_sums == n_answers == 1 and soft and hard:
                in_low, in_high, low = below[i, 0], cases.total[0] - below[i, 0], np.int64(0)
                least_low, least_high = np.int64(0), np.int64(0)
                for step in range(cases.first[q], cases.first[q + 1]):
                    low += steps[step, 0]
                    high = cases.under[step, 0] - low
                    least_low = min(least_low, min(low, 0) + min(in_low - low, 0))
                    least_high = min(least_high, min(high, 0) + min(in_high - high, 0))
                for limited in range(2):
                    found[limited, 0, i] = min(found[limited, 0, i], least_low)
                    found[limited, 1, i] = min(found[limited, 1, i], least_high)
                continue
            running[:] = 0
            for step in range(cases.first[q], cases.first[q + 1]):
                lows, highs = np.int64(0), np.int64(0)
                low_rest, high_rest = np.int64(0), np.int64(0)
                low_enough, high_enough = hard, hard
                for s in range(n_sums):
                    running[s] += steps[step, s]
                    low, in_low = running[s], below[i, s]
                    high, in_high = cases.under[step, s] - low, cases.total[s] - in_low
                    if s < n_answers:
                        lows, low_rest = min(lows, low), min(low_rest, in_low - low)
                        highs, high_rest = min(highs, high), min(high_rest, in_high - high)
                    else:
                        low_enough &= low >= cases.least[s] and in_low - low >= cases.least[s]
                        high_enough &= high >= cases.least[s] and in_high - high >= cases.least[s]
                if soft:
                    found[0, 0, i] = min(found[0, 0, i], lows + low_rest)
                    found[0, 1, i] = min(found[0, 1, i], highs + high_rest)
                if low_enough:
                    found[1, 0, i] = min(found[1, 0, i], lows + low_rest)
                if high_enough:
                    found[1, 1, i] = min(found[1, 1, i], highs + high_rest)


class CoveredCuts(NamedTuple):
    """All cuts of some orders that must be bounded, ascending, and what is known of their sides.

    Attributes
    ----------
    column, end : int64 (n_cuts,), the order of each cut, and how many cases are at or below it.
    below : int64 (n_cuts, n_sums), the sums at or below each cut.
    base : int64 (2, n_cuts), the first answer of each side, and the price of its split.
    leaf : int64 (2, n_cuts), the least costs of both sides as leaves.
    reach : int64 (n_cuts,), the largest costs of the cases at or below each cut, added up.
    soft, hard : int64 (2, n_cuts), bounds on both sides, without and with limits, 0 where they are not computed.
    done : bool (n_cuts,), where they are.
    """

    column: np.ndarray
    end: np.ndarray
    below: np.ndarray
    base: np.ndarray
    leaf: np.ndarray
    reach: np.ndarray
    soft: np.ndarray
    hard: np.ndarray
    done: np.ndarray


@numba.njit(cache=True, nogil=True)
def cover_cuts(cases: StumpCases, cuts: CoveredCuts, price: int, goal: int, rounds: int) -> tuple[int, bool]:
    """Compute bounds until those of both sides and the price come to the goal at all cuts, or to the least there is.

    In each of at most so many rounds the middle of every stretch of cuts that are too low is looked into. Soft and hard
    bounds and where they are computed are changed in place. Returned are the goal, or the least cost where that is
    less, and whether nothing is open.
    """
    n = len(cuts.column)
    for _ in range(rounds):
        low = _too_low(cuts, goal - price)
        chosen, first, many = np.empty(n, np.int64), -1, 0
        for i in range(n + 1):
            if i < n and low[i]:
                first = i if first < 0 else first
            elif first >= 0:
                chosen[many] = (first + i - 1) // 2
                first, many = -1, many + 1
        if not many:
            return goal, True
        chosen = chosen[:many]
        found = np.empty((2, 2, many), np.int64)
        least_splits(cases, cuts.column[chosen], cuts.end[chosen], cuts.below[chosen], found)
        for i in range(many):
            at, both = chosen[i], price
            for side in range(2):
                for strict in range(2):
                    value = found[strict, side, i]
                    value = (
                        min(cuts.leaf[side, at], cuts.base[side, at] + value) if value < NONE else cuts.leaf[side, at]
                    )
                    if strict:
                        cuts.hard[side, at] = value
                        both += value
                    else:
                        cuts.soft[side, at] = value
            cuts.done[at] = True
            goal = min(goal, both)
    return goal, False


@numba.njit(cache=True, nogil=True)
def _too_low(cuts: CoveredCuts, goal: int) -> np.ndarray:
    """Where the bounds on both sides that follow from those computed are below the goal, bool (n_cuts,)."""
    n = len(cuts.column)
    left, right, low = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.bool_)
    more, mirrored = np.int64(0), np.int64(0)
    for i in range(n):
        if i == 0 or cuts.column[i] != cuts.column[i - 1]:
            more, mirrored = np.int64(0), np.int64(0)
        more, mirrored = max(more, cuts.soft[0, i]), max(mirrored, cuts.hard[1, i] + cuts.reach[i])
        left[i], right[i] = more, mirrored - cuts.reach[i]
    more, mirrored = np.int64(0), np.int64(-NONE)
    for i in range(n - 1, -1, -1):
        if i == n - 1 or cuts.column[i] != cuts.column[i + 1]:
            more, mirrored = np.int64(0), np.int64(-NONE)
        more, mirrored = max(more, cuts.soft[1, i]), max(mirrored, cuts.hard[0, i] - cuts.reach[i])
        at_left, at_right = max(left[i], mirrored + cuts.reach[i]), max(right[i], more)
        low[i] = min(at_left, cuts.leaf[0, i]) + min(at_right, cuts.leaf[1, i]) < goal
    return low
