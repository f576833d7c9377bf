"""The default minimum number of training rows per leaf."""

import math


def leaf_floor(n_samples: int) -> int:
    """The default minimum of rows per leaf: 1% and at least 5, but at most 10%, and at least 1.

    The 95% interval of a proportion from five rows covers half the scale; the maximum of 10% keeps small tables, such
    as those of lessons, solvable.
    """
    return max(1, min(max(5, math.ceil(n_samples / 100)), n_samples // 10))
