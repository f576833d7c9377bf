"""Conceivable rows that show where a diagram violates monotonicity.

A diagram must be monotone on all conceivable rows, which are too many to enumerate. So the search starts with none, and
adds the two rows of each contradiction that it finds. As thresholds are midway between values of the table, a
conceivable row can be composed of values of existing rows.
"""

from collections.abc import Iterator

import numpy as np

from ....constraints.monotone import Box, MonotoneIn, whole_domain
from ....diagram import ColumnDomain, Diagram
from ....problem import Dataset
from .grid import DiagramGrid

MOST_PAIRS = 8
"""The largest number of pairs taken from one diagram."""


def contradictions(grid: DiagramGrid, diagram: Diagram) -> Iterator[tuple[int, np.ndarray]]:
    """For each rule that a diagram violates, its line of `height` and pairs of rows, int64 (n, 2, n_columns).

    There are no pairs if only values beyond those of the table show the violation.
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
    """For each column the rows that have the values of two conceivable rows, int64 (2, n_columns), or `None`.

    The two conceivable rows differ in one column only.
    """
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
    """Whether each row has a value in a domain, bool (n_samples,)."""
    values, place = np.unique(x, return_inverse=True)
    whole = domain or whole_domain(dataset, name)
    return np.array([whole.holds(value) for value in values.tolist()], bool)[place]
