"""The levels of a diagram: the nodes on each line of its drawing, and the split of each level of a BDD."""

from typing import NamedTuple

from ..problem import LinearPredicate, Predicate, ShapeKind
from .diagram import Diagram, NodeId, Split


class Level(NamedTuple):
    """The nodes of one line, and their common split in a BDD; `None` for leaves, and in trees and diagrams."""

    nodes: tuple[NodeId, ...]
    question: Predicate | LinearPredicate | None = None


def question_order(diagram: Diagram) -> tuple[Predicate | LinearPredicate, ...] | None:
    """The distinct splits in the order in which every path uses them; `None` if there is no such order.

    Among several such orders, splits that occur first come first (Bryant 1986, section 2).
    """
    before: dict[Predicate | LinearPredicate, set[Predicate | LinearPredicate]] = {
        split.predicate: set() for _, split in diagram.splits
    }
    for _, split in diagram.splits:
        for child in (diagram.nodes[split.yes], diagram.nodes[split.no]):
            if isinstance(child, Split):
                before[child.predicate].add(split.predicate)
    order: list[Predicate | LinearPredicate] = []
    while before:
        free = next((question for question, earlier in before.items() if not earlier & before.keys()), None)
        if free is None:
            return None
        order.append(free)
        del before[free]
    return tuple(order)


def levels(diagram: Diagram) -> tuple[Level, ...]:
    """The nodes line by line, from the root.

    A BDD has one level per split and one for its terminals. A diagram has one level per layer, and one for all leaves
    at the bottom, wherever their arcs start. A tree has its layers.
    """
    order = question_order(diagram) if diagram.kind is ShapeKind.BDD else None
    leaves = Level(tuple(i for i, _ in diagram.leaves))
    if order is not None:
        levels = (Level(tuple(i for i, node in diagram.splits if node.predicate == q), q) for q in order)
        return (*levels, leaves)
    is_tree = diagram.kind is ShapeKind.TREE
    layered = range(diagram.n_nodes) if is_tree else [i for i, _ in diagram.splits]
    depths = sorted({int(diagram.layer[i]) for i in layered})
    layers = tuple(Level(tuple(i for i in layered if diagram.layer[i] == depth)) for depth in depths)
    return layers if is_tree else (*layers, leaves)
