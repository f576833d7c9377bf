"""Required relations of the predictions of two cells."""

from .arrays import Int64Matrix, Int64Vector, int64
from .compiled import njit

SAME, DIFFERENT = -1, -2
"""Relations; from 0 on, a line of heights by which the second prediction must not be lower."""


@njit(cache=True, nogil=True)
def broken_pairs(pairs: Int64Matrix, height: Int64Matrix, labels: Int64Vector) -> int:
    """The number of pairs whose predictions violate their relation.

    pairs : int64 (P, 3), two cells and the relation; height : int64 (R, K), of the classes; labels : int64 (C,), the
        predictions, -1 if open.
    """
    n = int64(0)
    for p in range(len(pairs)):
        one, other, relation = labels[pairs[p, 0]], labels[pairs[p, 1]], pairs[p, 2]
        if one >= 0 and other >= 0:
            if relation < 0:
                n += (one == other) == (relation == DIFFERENT)
            else:
                n += height[relation, one] > height[relation, other]
    return n
