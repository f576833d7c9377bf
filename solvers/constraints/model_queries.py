"""How constraints look at a model: which columns are asked about on the way to a node, and where rows end.

Models may be graphs in which a node is reached on several ways, so what holds 'on a path' is said of every way. What
stands on a path is a matter of the questions alone, whether a row takes that path or not.
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from ..diagram import Diagram, Leaf, NodeId, Split
from ..problem import Dataset
from .rules import Path
from .values import weights_of


def columns_above(diagram: Diagram) -> list[set[frozenset[str]]]:
    """For each node the sets of columns that are asked about on the ways to it, without the node itself."""
    before: list[set[frozenset[str]]] = [set() for _ in diagram.nodes]
    before[0].add(frozenset())
    for i, node in diagram.splits:
        after = {columns.union(node.predicate.columns) for columns in before[i]}
        before[node.yes] |= after
        before[node.no] |= after
    return before


def ways_taken(diagram: Diagram, dataset: Dataset) -> Iterator[tuple[frozenset[str], np.ndarray]]:
    """The columns that are asked about on each way to a leaf, and the rows (positions) that take it, if any do."""
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
    """The node at a place; `None` where the model ends before it."""
    at = 0
    for answer in place:
        node = diagram.nodes[at]
        if not isinstance(node, Split):
            return None
        at = node.yes if answer else node.no
    return at


def answers_below(diagram: Diagram) -> list[frozenset[int]]:
    """For each node the classes that the leaves below it answer."""
    below: list[frozenset[int]] = [frozenset()] * diagram.n_nodes
    for i in reversed(range(diagram.n_nodes)):
        node = diagram.nodes[i]
        below[i] = frozenset({node.label}) if isinstance(node, Leaf) else below[node.yes] | below[node.no]
    return below


def weight(dataset: Dataset, rows: np.ndarray) -> Fraction:
    """The weight of rows (mask or positions), exactly, in the user's unit."""
    weights, scale = weights_of(dataset)
    return Fraction(int(weights[rows].sum()), scale)
