"""Optima of random rank problems, and the work of their searches: `python -m tests.kernels.optima 20`."""

from __future__ import annotations

import json
import sys

import numpy as np

from solvers.kernels.tree_search import TreeSearch
from tests.kernels.problems import random_problem

FEW = 1_000_000
"""More work than any search here needs."""


def optima(count: int) -> list[tuple[int, int, int]]:
    """Cost, bound and scanned elements, some with leaf limits, split penalties or minimum leaf sizes."""
    found = []
    for seed in range(count):
        problem, rng = random_problem(seed + 9000, max_rows=18), np.random.default_rng(seed)
        depth, heaviest = 2 + seed % 3, int(problem.weight.max())
        free = int(problem.weight.sum() + heaviest * 2**depth + 1)
        search = TreeSearch(
            *problem,
            depth,
            free,
            leaves=int(rng.integers(1, 2**depth + 1)) if rng.random() < 0.3 else None,
            split=int(rng.integers(heaviest)) if rng.random() < 0.3 else 0,
            least_rows=min(len(problem.label), int(rng.choice([1, 1, 3]))),
        )
        while not search.advance(FEW):
            pass
        found.append((search.cost, search.bound, search.work))
    return found


if __name__ == "__main__":
    print(json.dumps(optima(int(sys.argv[1]))))
