"""Trees changed by hand: another class in a leaf, another value in a split."""

from dataclasses import replace

from msgspec import structs

from ..diagram import Diagram, Leaf, NodeId, Split
from ..errors import DiagramError
from ..problem import Dataset, Op, Predicate
from .counts import node_counts


def with_label(diagram: Diagram, number: NodeId, label: int) -> Diagram:
    """The model with another class, an index, in a leaf."""
    return _with(diagram, number, structs.replace(diagram.leaf(number), label=label))


def with_value(diagram: Diagram, number: NodeId, value: float, dataset: Dataset) -> Diagram:
    """The model with another threshold or level in a split; leaves keep their class and count the rows of `dataset`.

    Raises
    ------
    DiagramError
        The split has no single value: it is a weighted sum, or asks whether a value is missing.
    """
    split = diagram.split(number)
    predicate = split.predicate
    if not isinstance(predicate, Predicate) or predicate.op is Op.MISSING:
        raise DiagramError("This split has no single threshold or level to edit. Choose another node.")
    predicate = structs.replace(predicate, value=value).with_fill(diagram.schema)
    found = _with(diagram, number, structs.replace(split, predicate=predicate))
    counts = node_counts(found, dataset)
    nodes = (
        structs.replace(node, counts=tuple(counts[i].tolist())) if isinstance(node, Leaf) else node
        for i, node in enumerate(found.nodes)
    )
    return replace(found, nodes=tuple(nodes))


def _with(diagram: Diagram, number: NodeId, node: Leaf | Split) -> Diagram:
    return replace(diagram, nodes=(*diagram.nodes[:number], node, *diagram.nodes[number + 1 :]))
