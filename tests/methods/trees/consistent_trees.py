"""Searches for smallest trees without errors, and tables for them."""

from __future__ import annotations

import threading

import numpy as np

from solvers.methods import get
from solvers.methods.trees.inferdt.search import SatSearch
from solvers.methods.trees.smallest.cases import distinct_cases
from solvers.methods.trees.smallest.subsets import SubsetSearch, subset_search
from solvers.problem import Dataset, Kind, Problem, Shape
from solvers.solution import Status
from tests.methods.running import solve
from tests.oracle.consistent import NONE
from tests.strategies import make_dataset

METHODS = {
    "inferdt-depth": {},
    "inferdt-size": {},
    "smallest-tree": {"minimize": "depth-then-nodes"},
    "smallest-tree at any depth": {"minimize": "nodes-at-any-depth"},
}
"""The methods for smallest trees, with the options of each objective."""


def subset_search_of(dataset: Dataset) -> SubsetSearch:
    """The search over a table of several classes."""
    return subset_search(distinct_cases(Problem(dataset)))


def contree_leaves(dataset: Dataset, depth: int) -> int:
    """The fewest leaves at a depth by ConTree; `NONE` if every tree has avoidable errors.

    No two classes of contradictory rows may have the same least cost: ConTree takes either.
    """
    problem = Problem(dataset, Shape(max_depth=depth))
    solution = solve(get("contree"), problem).solution
    assert solution.status is Status.OPTIMAL and solution.details.fewest_splits
    return solution.diagram.n_leaves if solution.cost == problem.unavoidable_cost else NONE


def noisy(seed: int | np.random.Generator, n: int, n_classes: int) -> Dataset:
    """A table of mixed columns with a rule, some noise, duplicates and contradictions."""
    rng = np.random.default_rng(seed)
    columns = {
        "a": (Kind.NUMERIC, rng.integers(0, 6, n)),
        "b": (Kind.ORDERED, rng.integers(0, 4, n)),
        "c": (Kind.CATEGORICAL, rng.integers(0, 4, n)),
        "d": (Kind.BINARY, rng.integers(0, 2, n)),
    }
    y = (columns["a"][1] > 2) * 1 + (columns["c"][1] == 1) * columns["d"][1]
    y = np.where(rng.random(n) < 0.1, rng.integers(0, n_classes, n), y) % n_classes
    return make_dataset(columns, y, n_classes=n_classes)


def fewest_in_spells(search: SatSearch | SubsetSearch, depth: int, longer: float) -> int | None:
    """The fewest leaves at a depth, by a search that is stopped repeatedly; `None` if it makes no progress.

    Each run is `longer` seconds longer than the one before.
    """
    for spell in range(1, 400):
        search.resume()
        timer = threading.Timer(spell * longer, search.stop)
        timer.start()
        answer = search.fewest(depth)
        timer.cancel()
        timer.join()
        if answer is not None:
            return answer
    return None
