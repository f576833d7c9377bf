"""Of the cuts where bounds were computed, those that are enough to bound every cut between them."""

import numba

from solvers.kernels.arrays import Int64Matrix, Int64Vector

PATIENCE = 8
"""So many farther cuts are tried after one from which the stretch between is not covered."""


@numba.njit(cache=True, nogil=True)
def keep_cuts(
    cuts: Int64Vector,
    soft: Int64Matrix,
    hard: Int64Matrix,
    leaf: Int64Matrix,
    reach: Int64Vector,
    column: Int64Vector,
    allowed: Int64Vector,
    kept: Int64Vector,
    goal: int,
) -> None:
    """Mark the cuts of each order from one of which to the next all cuts between are at least at the goal.

    Parameters
    ----------
    cuts : int64 (n_cuts,), ascending positions among all cuts of all orders.
    soft, hard : int64 (2, n_cuts), bounds on both sides of each; they spread both ways, or to fewer rows only.
    leaf : int64 (2, n_positions), bounds that hold in any case.
    reach, column : int64 (n_positions,), the weight up to each position, and its order.
    allowed : int64 (n_positions,), 1 where a cut is one that must be covered.
    kept : int64 (n_cuts,), 1 where a cut stays in any case; is changed in place.
    goal : for the sum of both sides.
    """
    n = len(cuts)
    i = 0
    while i < n:
        end = i
        while end < n and column[cuts[end]] == column[cuts[i]]:
            end += 1
        last = i - 1
        while last < end - 1 and not _closes(cuts, soft, hard, leaf, reach, column, allowed, kept, goal, i, end, last):
            # the farthest cut that leaves nothing open up to it
            farthest, failed = last + 1, 0
            for b in range(last + 1, end):
                if _covers(cuts, soft, hard, leaf, reach, column, allowed, goal, i, last, b):
                    farthest, failed = b, 0
                else:
                    failed += 1
                if kept[b] or failed > PATIENCE:
                    break
            kept[farthest] = 1
            last = farthest
        i = end


@numba.njit(cache=True, nogil=True)
def _covers(
    cuts: Int64Vector,
    soft: Int64Matrix,
    hard: Int64Matrix,
    leaf: Int64Matrix,
    reach: Int64Vector,
    column: Int64Vector,
    allowed: Int64Vector,
    goal: int,
    first: int,
    a: int,
    b: int,
) -> bool:
    """Whether all is covered between cut a (none where before the first) and cut b (none where behind the last)."""
    p = cuts[a] + 1 if a >= first else cuts[first]
    if a < first:
        while p > 0 and column[p - 1] == column[cuts[first]]:
            p -= 1
    while p < len(column) and column[p] == column[cuts[first]] and (b < 0 or p < cuts[b]):
        if allowed[p]:
            left, right = 0, 0
            if b >= 0:
                left, right = max(0, hard[0, b] - (reach[cuts[b]] - reach[p])), soft[1, b]
            if a >= first:
                left, right = max(left, soft[0, a]), max(right, hard[1, a] - (reach[p] - reach[cuts[a]]))
            if min(left, leaf[0, p]) + min(right, leaf[1, p]) < goal:
                return False
        p += 1
    return True


@numba.njit(cache=True, nogil=True)
def _closes(
    cuts: Int64Vector,
    soft: Int64Matrix,
    hard: Int64Matrix,
    leaf: Int64Matrix,
    reach: Int64Vector,
    column: Int64Vector,
    allowed: Int64Vector,
    kept: Int64Vector,
    goal: int,
    first: int,
    end: int,
    a: int,
) -> bool:
    """Whether nothing is open behind cut a, and no later cut stays in any case."""
    for b in range(a + 1, end):
        if kept[b]:
            return False
    return _covers(cuts, soft, hard, leaf, reach, column, allowed, goal, first, a, -1)
