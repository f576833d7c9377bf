"""The row weights of all nodes and arcs of a diagram, derived from the counts of its leaves."""

from collections.abc import Sequence

import numpy as np

from .diagram import Diagram, NodeId


def training_counts(diagram: Diagram) -> tuple[np.ndarray | None, ...]:
    """The weight of the training rows of each class at each node, float64 (n_classes,) per node.

    Leaves store theirs. A split has the sum of its two sides if no node below it is shared; `None` if one is.
    """
    single = _single_parent(diagram)
    counts: list[np.ndarray | None] = [None] * diagram.n_nodes
    for i, leaf in diagram.leaves:
        counts[i] = np.array(leaf.counts, np.float64)
    for i, split in reversed(diagram.splits):
        yes, no = counts[split.yes], counts[split.no]
        if {split.yes, split.no} <= single and yes is not None and no is not None:
            counts[i] = yes + no
    return tuple(counts)


def arc_weights(
    diagram: Diagram, counts: Sequence[np.ndarray | None], flows: np.ndarray | None
) -> dict[tuple[NodeId, bool], float]:
    """The weight of each arc; without flows, only arcs to nodes with one parent, from the counts of the node."""
    if flows is not None:
        return {(i, yes): float(flows[i, 0 if yes else 1]) for arcs in diagram.parents for i, yes in arcs}
    single = _single_parent(diagram)
    known = ((arcs[0], counts[i]) for i, arcs in enumerate(diagram.parents) if i in single)
    return {arc: float(weight.sum()) for arc, weight in known if weight is not None}


def _single_parent(diagram: Diagram) -> frozenset[NodeId]:
    return frozenset(i for i, arcs in enumerate(diagram.parents) if len(arcs) == 1)
