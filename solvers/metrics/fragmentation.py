"""Fragmentation: how thinly a diagram divides its rows. A leaf with few rows is weak evidence about new rows.

A tree divides its rows at every split, so lower splits are chosen from few rows. A diagram whose paths merge gives
them more rows (Florio et al. 2023, figure 4, compares the proportion of the samples at each node).
"""

import math
from dataclasses import dataclass

from ..diagram import Diagram
from ..errors import DataError
from ..problem import Dataset


@dataclass(frozen=True)
class Fragmentation:
    """How the rows are distributed over the nodes. Each row counts once, even if rows have weights.

    Attributes
    ----------
    n : the number of rows.
    support : the number of rows that a node should have.
    leaves, questions : the row counts of the leaves and of the internal nodes, in the order of the diagram.
    layers : the row counts of the nodes at each distance from the root.
    """

    n: int
    support: int
    leaves: tuple[int, ...]
    questions: tuple[int, ...]
    layers: tuple[tuple[int, ...], ...]

    @property
    def n_small(self) -> int:
        """The number of leaves with fewer rows than the support."""
        return sum(n < self.support for n in self.leaves)

    @property
    def n_small_questions(self) -> int:
        """The number of internal nodes with fewer rows than the support."""
        return sum(n < self.support for n in self.questions)

    @property
    def share_small_samples(self) -> float:
        """The proportion of rows in leaves with fewer rows than the support."""
        return sum(n for n in self.leaves if n < self.support) / self.n

    @property
    def effective_leaves(self) -> float:
        """Exp of the entropy of the leaves' proportions of the rows, the Hill number of order 1.

        k leaves of equal size count as k, and a leaf that few rows reach counts little.
        """
        return math.exp(math.fsum(-n / self.n * math.log(n / self.n) for n in self.leaves if n))


def fragmentation(diagram: Diagram, dataset: Dataset, *, support: int = 20) -> Fragmentation:
    """Measure how the rows of a dataset are distributed over the nodes of a diagram.

    Parameters
    ----------
    diagram : the model.
    dataset : the rows, for instance held-out ones.
    support : the number of rows that a node should have, at least 1.

    Raises
    ------
    DataError
        The support is below 1.
    """
    if support < 1:
        raise DataError(f"The support of a leaf must be at least 1 row, but is {support}.")
    reached = diagram.reach(dataset).sum(axis=0)
    return Fragmentation(
        dataset.n_samples,
        support,
        tuple(int(reached[i]) for i, _ in diagram.leaves),
        tuple(int(reached[i]) for i, _ in diagram.splits),
        tuple(tuple(reached[diagram.layer == d].tolist()) for d in range(diagram.depth + 1)),
    )
