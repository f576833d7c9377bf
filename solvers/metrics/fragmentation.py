"""Fragmentation: how thinly a diagram divides its rows. A leaf with few rows is weak evidence about new rows.

A tree divides its rows at every split, so lower splits are chosen from few rows. A diagram whose paths merge gives
them more rows (Florio et al. 2023, figure 4, compares the proportion of the samples at each node).
"""

from dataclasses import dataclass

import numpy as np

from ..diagram import Diagram, NodeId
from ..errors import DataError
from ..problem import Dataset


@dataclass(frozen=True, slots=True)
class NodeSupport:
    """The number of rows that reach a node."""

    node: NodeId
    n: int


@dataclass(frozen=True, slots=True)
class Fragmentation:
    """How the rows are distributed over the leaves. Each row counts once, even if rows have weights.

    Attributes
    ----------
    n : the number of rows.
    support : the number of rows that a leaf should have.
    leaves : the rows of each leaf.
    questions : the rows of each internal node.
    layers : the row counts of the nodes at each distance from the root.
    smallest : the number of rows of the smallest leaf.
    n_small : the number of leaves with fewer rows than the support.
    share_small_samples : the proportion of rows in such leaves.
    smallest_question, median_question, mean_question : of the row counts of the internal nodes; `None` if there are
        none.
    n_small_questions : the number of internal nodes with fewer rows than the support.
    effective_leaves : exp of the entropy of the leaves' proportions of the rows: k leaves of equal size count as k, and
        a leaf that few rows reach counts little (the Hill number of order 1).
    """

    n: int
    support: int
    leaves: tuple[NodeSupport, ...]
    questions: tuple[NodeSupport, ...]
    layers: tuple[tuple[int, ...], ...]
    smallest: int
    n_small: int
    share_small_samples: float
    smallest_question: int | None
    median_question: float | None
    mean_question: float | None
    n_small_questions: int
    effective_leaves: float


def fragmentation(diagram: Diagram, dataset: Dataset, *, support: int = 20) -> Fragmentation:
    """Measure how the rows of a dataset are distributed over the nodes of a diagram.

    Parameters
    ----------
    diagram : the model.
    dataset : the rows, for instance held-out ones.
    support : the number of rows that a leaf should have, at least 1.

    Raises
    ------
    DataError
        The support is below 1.
    """
    if support < 1:
        raise DataError(f"The support of a leaf must be at least 1 row, but is {support}.")
    reached = diagram.reach(dataset).sum(axis=0)
    nodes = [NodeSupport(i, int(n)) for i, n in enumerate(reached)]
    leaves = tuple(nodes[i] for i, _ in diagram.leaves)
    questions = tuple(nodes[i] for i, _ in diagram.splits)
    n_rows = np.array([node.n for node in questions])
    n = np.array([leaf.n for leaf in leaves])
    shares = n[n > 0] / n.sum()
    return Fragmentation(
        n=dataset.n_samples,
        support=support,
        leaves=leaves,
        questions=questions,
        layers=tuple(tuple(reached[diagram.layer == d].tolist()) for d in range(diagram.depth + 1)),
        smallest=int(n.min()),
        n_small=int((n < support).sum()),
        share_small_samples=float(n[n < support].sum() / n.sum()),
        smallest_question=int(n_rows.min()) if questions else None,
        median_question=float(np.median(n_rows)) if questions else None,
        mean_question=float(n_rows.mean()) if questions else None,
        n_small_questions=int((n_rows < support).sum()),
        effective_leaves=float(np.exp(-(shares * np.log(shares)).sum())),
    )
