"""Small labelled tables for certificates, and the smallest trees over them by trying everything."""

from __future__ import annotations

from functools import cache

import numpy as np

from solvers.methods.trees.smallest.cases import DistinctCases
from solvers.problem import Kind, Problem, Shape
from tests.strategies import make_dataset

NONE = 10**6


def random_problem(seed: int, depth: int = 3, n_rows: int = 12, n_classes: int | None = None) -> Problem:
    """Few rows with a number, ordered levels and a category; the class follows the first two with some exceptions."""
    random = np.random.default_rng(seed)
    n_classes = n_classes or int(random.integers(2, 4))
    a, b, c = random.integers(0, 4, n_rows), random.integers(0, 3, n_rows), random.integers(0, 3, n_rows)
    y = (a // 2 + (b > 0) + (random.random(n_rows) < 0.3)) % n_classes
    columns = {"a": (Kind.NUMERIC, a), "b": (Kind.ORDERED, b), "c": (Kind.CATEGORICAL, c)}
    return Problem(make_dataset(columns, y.tolist(), n_classes=n_classes), Shape(max_depth=depth))


def checkerboard(depth: int = 4) -> Problem:
    """Sixteen rows in the pattern of a checkerboard; brute force finds depth 4 and many leaves."""
    a, b = np.divmod(np.arange(16), 4)
    columns = {"a": (Kind.NUMERIC, a), "b": (Kind.NUMERIC, b)}
    return Problem(make_dataset(columns, ((a + b) % 2).tolist()), Shape(max_depth=depth))


def smallest(cases: DistinctCases) -> dict[int, int]:
    """The fewest leaves of trees that get cases right, by depth limit from 0 on; `NONE` where there is none."""
    ranks, labels = cases.rank, cases.label.tolist()
    sides = [
        frozenset(np.flatnonzero(order <= r).tolist()) for order in ranks for r in range(int(order.max(initial=0)))
    ]

    @cache
    def leaves(here: frozenset[int], depth: int) -> int:
        if len({labels[i] for i in here}) <= 1:
            return 1
        if depth == 0:
            return NONE
        parts = ((here & side, here - side) for side in sides)
        return min(
            (leaves(low, depth - 1) + leaves(high, depth - 1) for low, high in parts if low and high), default=NONE
        )

    whole = frozenset(range(cases.n_cases))
    return {depth: min(NONE, leaves(whole, depth)) for depth in range(6)}
