"""The visible nodes of a diagram: down to a level, without folded parts, or only the nodes of one path."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ..errors import DiagramError
from .diagram import Diagram, NodeId


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
