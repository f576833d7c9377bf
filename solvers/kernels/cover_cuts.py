"""Of the cuts where bounds were computed, those that are enough to bound every cut between them."""

from typing import NamedTuple

import numba
import numpy as np

from solvers.kernels.arrays import Int64Vector

PATIENCE = 8
"""So many farther cuts are tried after one from which the stretch between is not covered."""


class CutBounds(NamedTuple):
    """All cuts of all orders, one order behind the other, and the bounds that were computed at some of them.

    Attributes
    ----------
    at : int64 (n_cuts,), the ascending positions of those cuts among all.
    soft, hard : int64 (2, n_cuts), bounds on both sides of each; they spread both ways, or to fewer rows only.
    leaf : int64 (2, n_positions), bounds that hold in any case.
    reach, column : int64 (n_positions,), the weight up to each position, and its order.
    allowed : int64 (n_positions,), 1 where a cut is one that must be covered.
    goal : int64 (), for the sum of both sides.
    """

    at: np.ndarray
    soft: np.ndarray
    hard: np.ndarray
    leaf: np.ndarray
    reach: np.ndarray
    column: np.ndarray
    allowed: np.ndarray
    goal: np.ndarray


@numba.njit(cache=True, nogil=True)
def keep_cuts(bounds: CutBounds, kept: Int64Vector) -> None:
    """Mark the cuts of each order from one of which to the next all cuts between are at least at the goal.

    Parameters
    ----------
    kept : int64 (n_cuts,), 1 where a cut stays in any case; is changed in place.
    """
    at, column = bounds.at, bounds.column
    n = len(at)
    i = 0
    while i < n:
        end = i
        while end < n and column[at[end]] == column[at[i]]:
            end += 1
        last = i - 1
        while last < end - 1 and not _closes(bounds, kept, i, end, last):
            # the farthest cut that leaves nothing open up to it
            farthest, failed = last + 1, 0
            for b in range(last + 1, end):
                if _covers(bounds, i, last, b):
                    farthest, failed = b, 0
                else:
                    failed += 1
                if kept[b] or failed > PATIENCE:
                    break
            kept[farthest] = 1
            last = farthest
        i = end


@numba.njit(cache=True, nogil=True)
def _covers(bounds: CutBounds, first: int, a: int, b: int) -> bool:
    """Whether all is covered between cut a (none where before the first) and cut b (none where behind the last)."""
    at, leaf, reach, column = bounds.at, bounds.leaf, bounds.reach, bounds.column
    p = at[a] + 1 if a >= first else at[first]
    if a < first:
        while p > 0 and column[p - 1] == column[at[first]]:
            p -= 1
    while p < len(column) and column[p] == column[at[first]] and (b < 0 or p < at[b]):
        if bounds.allowed[p]:
            left, right = 0, 0
            if b >= 0:
                left, right = max(0, bounds.hard[0, b] - (reach[at[b]] - reach[p])), bounds.soft[1, b]
            if a >= first:
                left = max(left, bounds.soft[0, a])
                right = max(right, bounds.hard[1, a] - (reach[p] - reach[at[a]]))
            if min(left, leaf[0, p]) + min(right, leaf[1, p]) < bounds.goal[()]:
                return False
        p += 1
    return True


@numba.njit(cache=True, nogil=True)
def _closes(bounds: CutBounds, kept: Int64Vector, first: int, end: int, a: int) -> bool:
    """Whether nothing is open behind cut a, and no later cut stays in any case."""
    for b in range(a + 1, end):
        if kept[b]:
            return False
    return _covers(bounds, first, a, -1)
