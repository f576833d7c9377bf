"""The levels of a diagram: which nodes stand on one line of its drawing, and which question a level of a BDD asks."""

from typing import NamedTuple

from solvers.diagram.diagram import Diagram, NodeId, Split
from solvers.problem import LinearPredicate, Predicate, ShapeKind


class Level(NamedTuple):
    """Nodes of one line.

    Attributes
    ----------
    nodes : their numbers.
    question : what all of them ask, in a BDD; `None` for leaves, and in trees and diagrams.
    """

    nodes: tuple[NodeId, ...]
    question: Predicate | LinearPredicate | None = None


def question_order(diagram: Diagram) -> tuple[Predicate | LinearPredicate, ...] | None:
    """The different questions in the order in which every path asks them; `None` where there is no such order.

    Of several such orders it is the one in which the questions come up first (Bryant 1986, section 2).
    """
    nodes = diagram.nodes
    before: dict[Predicate | LinearPredicate, set[Predicate | LinearPredicate]] = {
        node.predicate: set() for node in nodes if isinstance(node, Split)
    }
    for node in nodes:
        if isinstance(node, Split):
            for child in (nodes[node.yes], nodes[node.no]):
                if isinstance(child, Split):
                    before[child.predicate].add(node.predicate)
    order: list[Predicate | LinearPredicate] = []
    while before:
        free = next((question for question, earlier in before.items() if not earlier & before.keys()), None)
        if free is None:
            return None
        order.append(free)
        del before[free]
    return tuple(order)


def levels(diagram: Diagram) -> tuple[Level, ...]:
    """The nodes from the root on, line by line.

    A BDD has a level a question and one for its terminals. A diagram has a level a layer, and its leaves stand together
    below all of them, wherever the arcs come from. A tree has its layers.
    """
    order = question_order(diagram) if diagram.kind is ShapeKind.BDD else None
    splits = [i for i, node in enumerate(diagram.nodes) if isinstance(node, Split)]
    leaves = tuple(i for i, node in enumerate(diagram.nodes) if not isinstance(node, Split))
    if order is not None:
        asked = [
            Level(tuple(i for i in splits if diagram.nodes[i].predicate == question), question) for question in order
        ]
        return (*asked, Level(leaves))
    if diagram.kind is ShapeKind.TREE:
        splits, leaves = list(range(diagram.n_nodes)), ()
    depths = sorted({int(diagram.layer[i]) for i in splits})
    layers = [Level(tuple(i for i in splits if diagram.layer[i] == depth)) for depth in depths]
    return (*layers, Level(leaves)) if leaves else tuple(layers)
