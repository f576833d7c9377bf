"""How constraints inspect a model: the columns on the paths to a node, and the leaves of rows.

A model may be a graph with several paths to a node, so a condition 'on a path' must hold for each of them. The columns
of a path depend on the splits alone, whether or not a row takes the path.
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from ..diagram import Diagram, Leaf, NodeId, Split
from ..problem import Dataset
from .rules import Path
from .values import weights_of


def columns_above(diagram: Diagram) -> list[set[frozenset[str]]]:
    """For each node, the sets of columns on the paths to it, without the node itself."""
    before: list[set[frozenset[str]]] = [set() for _ in diagram.nodes]
    before[0].add(frozenset())
    for i, node in diagram.splits:
        after = {columns.union(node.predicate.columns) for columns in before[i]}
        before[node.yes] |= after
        before[node.no] |= after
    return before


def ways_taken(diagram: Diagram, dataset: Dataset) -> Iterator[tuple[frozenset[str], np.ndarray]]:
    """The columns on each path to a leaf, and the rows (positions) that take it; only paths with rows."""
    X = diagram.encode(dataset)
    todo: list[tuple[NodeId, np.ndarray, frozenset[str]]] = [(0, np.arange(dataset.n_samples), frozenset())]
    while todo:
        at, rows, columns = todo.pop()
        if not len(rows):
            continue
        node = diagram.nodes[at]
        if isinstance(node, Leaf):
            yield columns, rows
            continue
        yes = node.predicate.holds(diagram.schema, X[rows])
        further = columns.union(node.predicate.columns)
        todo += [(node.yes, rows[yes], further), (node.no, rows[~yes], further)]


def node_at(diagram: Diagram, place: Path) -> NodeId | None:
    """The node at a position; `None` if the model ends before it."""
    at = 0
    for answer in place:
        node = diagram.nodes[at]
        if not isinstance(node, Split):
            return None
        at = node.yes if answer else node.no
    return at


def weight(dataset: Dataset, rows: np.ndarray) -> Fraction:
    """The exact weight of rows (mask or positions), in the user's unit."""
    weights, scale = weights_of(dataset)
    return Fraction(int(weights[rows].sum()), scale)
