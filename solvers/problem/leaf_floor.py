"""The fewest training rows on which an answer should stand."""

import math


def leaf_floor(n_samples: int) -> int:
    """The default for the fewest rows of a leaf: one in a hundred and at least 5, but at most one in ten, at least 1.

    A share that is measured on five rows has a 95% interval of half the scale; one in ten keeps small tables, such as
    those of lessons, solvable.
    """
    return max(1, min(max(5, math.ceil(n_samples / 100)), n_samples // 10))
