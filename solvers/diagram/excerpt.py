"""Which nodes of a diagram are drawn: down to a level, without what is folded away, or those of one way alone."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ..errors import DiagramError
from .diagram import Diagram, NodeId


@dataclass(frozen=True)
class Excerpt:
    """The part of a diagram that is drawn: of `only` some nodes, or without what is below questions that are folded.

    Questions of the level `max_depth` (the root has 0) are folded but for those that are `opened`, and those in
    `folded`.
    """

    max_depth: int | None = None
    folded: frozenset[NodeId] = frozenset()
    opened: frozenset[NodeId] = frozenset()
    only: frozenset[NodeId] | None = None

    def __post_init__(self) -> None:
        if self.max_depth is not None and self.max_depth < 0:
            raise DiagramError(f"The depth that is drawn must be 0 or more. Got {self.max_depth}.")

    def hides_below(self, node: NodeId, level: int) -> bool:
        """Whether what is below a question is left out, where nothing but this question leads to it."""
        if self.only is not None:
            return False
        deep = self.max_depth is not None and level >= self.max_depth and node not in self.opened
        return deep or node in self.folded


def visible(diagram: Diagram, level: Mapping[NodeId, int], excerpt: Excerpt) -> list[NodeId]:
    """The numbers of the nodes that are drawn, in their order.

    Parameters
    ----------
    diagram : the whole model.
    level : the level of each node; that of the root is 0.
    excerpt : the part that is drawn.
    """
    if excerpt.only is not None:
        return sorted(i for i in excerpt.only if 0 <= i < diagram.n_nodes)
    shown = {0}
    for i, split in diagram.splits:
        if i in shown and not excerpt.hides_below(i, level[i]):
            shown |= {split.yes, split.no}
    return sorted(shown)


def folded_in(diagram: Diagram, level: Mapping[NodeId, int], excerpt: Excerpt) -> frozenset[NodeId]:
    """The numbers of the questions that are drawn folded; parameters as of `visible`."""
    shown = visible(diagram, level, excerpt)
    return frozenset(i for i, _ in diagram.splits if i in shown and excerpt.hides_below(i, level[i]))


def below(diagram: Diagram, nodes: Collection[NodeId]) -> frozenset[NodeId]:
    """The nodes that can be reached from some, without them."""
    reached = set(nodes)
    # children come after their parents
    for i, split in diagram.splits:
        if i in reached:
            reached |= {split.yes, split.no}
    return frozenset(reached - set(nodes))


def above(diagram: Diagram, nodes: Collection[NodeId]) -> frozenset[NodeId]:
    """The nodes on any way from the root to some, with them."""
    leading = set(nodes)
    for i, split in reversed(diagram.splits):
        if split.yes in leading or split.no in leading:
            leading.add(i)
    return frozenset(leading)
