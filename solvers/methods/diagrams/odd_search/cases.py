"""Conceivable cases that show where the answers of a diagram move the wrong way.

A diagram must be monotone on all conceivable cases, of which there are too many to follow. So a search follows none at
first, and the two cases of each contradiction that it comes upon from then on. With thresholds midway between values of
the table, a case may be put together from values that rows have.
"""

from collections.abc import Iterator

import numpy as np

from ....constraints.monotone import Box, MonotoneIn, whole_domain
from ....diagram import ColumnDomain, Diagram
from ....problem import Dataset
from .grid import DiagramGrid

MOST_PAIRS = 8
"""How many pairs of cases are taken from one diagram."""


def contradictions(grid: DiagramGrid, diagram: Diagram) -> Iterator[tuple[int, np.ndarray]]:
    """For each rule that a diagram breaks, its line of `height` and pairs of cases, int64 (n, 2, n_columns).

    There may be no such pair, where only values beyond those of the rows show it.
    """
    dataset = grid.problem.dataset
    for line, rule in enumerate(grid.monotone):
        constraint = grid.problem.constraints[rule.source]
        assert isinstance(constraint, MonotoneIn)
        broken = list(constraint.contradictions(diagram, dataset))
        if broken:
            found = (_pair(dataset, rule.column, low, high) for low, high in broken)
            pairs = [pair for pair in found if pair is not None][:MOST_PAIRS]
            yield line, np.array(pairs, np.int64).reshape(len(pairs), 2, dataset.n_columns)


def _pair(dataset: Dataset, rising: int, low: Box, high: Box) -> np.ndarray | None:
    """For each column the rows that have the values of two cases, int64 (2, n_columns); only one column differs."""
    pair = np.zeros((2, dataset.n_columns), np.int64)
    for j, name in enumerate(dataset.schema.names):
        x = dataset.X[:, j]
        first, second = (_holds(dataset, box.domains.get(name), name, x) for box in (low, high))
        if j == rising:
            first, second = np.flatnonzero(first & ~np.isnan(x)), np.flatnonzero(second & ~np.isnan(x))
            if not len(first) or not len(second):
                return None
            pair[:, j] = first[x[first].argmin()], second[x[second].argmax()]
            if x[pair[0, j]] >= x[pair[1, j]]:
                return None
        else:
            both = np.flatnonzero(first & second)
            if not len(both):
                return None
            pair[:, j] = both[0]
    return pair


def _holds(dataset: Dataset, domain: ColumnDomain | None, name: str, x: np.ndarray) -> np.ndarray:
    """Which rows have a value in a domain, bool (n_samples,)."""
    values, place = np.unique(x, return_inverse=True)
    whole = domain or whole_domain(dataset, name)
    return np.array([whole.holds(value) for value in values.tolist()], bool)[place]
