"""The lines of a drawing: the nodes on each, the split of each level of a BDD, and the part that is drawn."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..errors import DiagramError
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


@dataclass(frozen=True)
class Excerpt:
    """The part of a diagram to draw: the nodes in `only`, or all nodes that are not below folded splits.

    Folded are the splits in `folded`, and those from level `max_depth` (the root has 0) that are not in `opened`.
    """

    max_depth: int | None = None
    folded: frozenset[NodeId] = frozenset()
    opened: frozenset[NodeId] = frozenset()
    only: frozenset[NodeId] | None = None

    def __post_init__(self) -> None:
        if self.max_depth is not None and self.max_depth < 0:
            raise DiagramError(f"The depth to draw must be 0 or more, but is {self.max_depth}.")

    def hides_below(self, node: NodeId, level: int) -> bool:
        """Whether this split hides its descendants, unless another path leads to them."""
        if self.only is not None:
            return False
        deep = self.max_depth is not None and level >= self.max_depth and node not in self.opened
        return deep or node in self.folded


def visible(diagram: Diagram, level: Mapping[NodeId, int], excerpt: Excerpt) -> list[NodeId]:
    """The numbers of the visible nodes, ascending.

    Parameters
    ----------
    diagram : the whole model.
    level : the level of each node; that of the root is 0.
    excerpt : the part to draw.
    """
    if excerpt.only is not None:
        return sorted(i for i in excerpt.only if 0 <= i < diagram.n_nodes)
    shown = {0}
    for i, split in diagram.splits:
        if i in shown and not excerpt.hides_below(i, level[i]):
            shown |= {split.yes, split.no}
    return sorted(shown)


def folded_in(diagram: Diagram, level: Mapping[NodeId, int], excerpt: Excerpt) -> frozenset[NodeId]:
    """The numbers of the visible folded splits; parameters as in `visible`."""
    shown = visible(diagram, level, excerpt)
    return frozenset(i for i, _ in diagram.splits if i in shown and excerpt.hides_below(i, level[i]))


def below(diagram: Diagram, nodes: Collection[NodeId]) -> frozenset[NodeId]:
    """The descendants of some nodes, excluding them."""
    reached = set(nodes)
    # children come after their parents
    for i, split in diagram.splits:
        if i in reached:
            reached |= {split.yes, split.no}
    return frozenset(reached - set(nodes))


def above(diagram: Diagram, nodes: Collection[NodeId]) -> frozenset[NodeId]:
    """The nodes on any path from the root to some nodes, including them."""
    leading = set(nodes)
    for i, split in reversed(diagram.splits):
        if split.yes in leading or split.no in leading:
            leading.add(i)
    return frozenset(leading)
