"""Small labelled tables for certificates, and the smallest trees over them by trying everything."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from solvers.certificates.cases import Cases
from solvers.methods.trees.smallest.cases import DistinctCases, distinct_cases
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


def smallest(cases: Cases, used: list[int] | None = None) -> dict[int, int]:
    """The fewest leaves of trees that get cases right, by depth limit from 0 on; `NONE` where there is none."""
    sides = [
        frozenset(i for i, ranks in enumerate(cases.ranks) if ranks[o] <= r)
        for o, order in enumerate(cases.orders)
        for r in range(order.n_questions)
    ]

    @cache
    def leaves(here: frozenset[int], depth: int) -> int:
        if len({cases.labels[i] for i in here}) <= 1:
            return 1
        if depth == 0:
            return NONE
        parts = ((here & side, here - side) for side in sides)
        return min(
            (leaves(low, depth - 1) + leaves(high, depth - 1) for low, high in parts if low and high), default=NONE
        )

    whole = frozenset(range(len(cases.labels)) if used is None else used)
    return {depth: min(NONE, leaves(whole, depth)) for depth in range(6)}


def asked_of(problem: Problem) -> tuple[DistinctCases, Cases]:
    """The cases of a problem, as the search and as a certificate sees them."""
    distinct = distinct_cases(problem)
    return distinct, Cases.of(distinct)


def told_table(rows: np.ndarray, n_classes: int) -> dict[str, Any]:
    """What a certificate says of a table of no file, of which its cases stand for so many rows each."""
    n_rows = int(rows.sum())
    costs = (1 - np.eye(n_classes, dtype=int)).tolist()
    rows = [[1, n_rows]] if n_rows else []
    return {"outcome": "y", "rows": rows, "weights": None, "class_costs": costs, "missing": [], "absent": []}
