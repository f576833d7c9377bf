"""Unfold a diagram into the equivalent tree: every node is copied for each path that leads to it.

Trees repeat what diagrams share. A concept such as 'a and b, or c and d' needs its second half twice in a tree (the
replication problem, Pagallo and Haussler 1990), and each copy receives only the rows of its own path. Unfolding shows
how much a diagram saves: the tree gives the same predictions.
"""

from dataclasses import replace

from msgspec import structs

from ..diagram import Diagram, Leaf, Node, NodeId, Split
from ..diagram.words import merge_paths
from ..problem import ShapeKind

MOST_NODES = 4096
"""Maximum number of nodes of a tree: a diagram may unfold to exponentially many nodes."""

_Way = tuple[tuple[NodeId, bool], ...]
"""The splits on the path to a node, with the side taken at each."""


def unfolded(diagram: Diagram, most: int = MOST_NODES) -> Diagram | None:
    """The equivalent tree, without splits whose result follows from the path.

    Its leaves have no row counts. `None` if it would have more than `most` nodes.
    """
    nodes = _unfold(diagram, most)
    return None if nodes is None else replace(diagram, kind=ShapeKind.TREE, nodes=tuple(nodes))


def _unfold(diagram: Diagram, most: int) -> list[Node] | None:
    """The nodes of the tree, children after parents."""
    origin: list[NodeId] = []
    child_of: dict[tuple[int, bool], int] = {}
    todo: list[tuple[NodeId, _Way, int, bool]] = [(0, (), -1, True)]
    while todo:
        at, way, parent, answer = todo.pop()
        node = diagram.nodes[at]
        sides = _sides(at, node, way, diagram) if isinstance(node, Split) else []
        if len(sides) == 1:
            todo.append((*sides[0], parent, answer))
            continue
        if len(origin) == most:
            return None
        child_of[parent, answer] = len(origin)
        for side, (child, longer) in zip((True, False), sides, strict=False):
            todo.append((child, longer, len(origin), side))
        origin.append(at)
    copies = [diagram.nodes[at] for at in origin]
    nothing = (0.0,) * len(diagram.classes)
    return [
        Leaf(node.label, nothing)
        if isinstance(node, Leaf)
        else structs.replace(node, yes=child_of[i, True], no=child_of[i, False])
        for i, node in enumerate(copies)
    ]


def _sides(at: NodeId, split: Split, way: _Way, diagram: Diagram) -> list[tuple[NodeId, _Way]]:
    """The possible continuations of this path: (child, longer path), yes first; both sides or one."""
    both: list[tuple[NodeId, _Way]] = [(split.yes, (*way, (at, True))), (split.no, (*way, (at, False)))]
    possible = [side for side in both if merge_paths(diagram, side[1]) is not None]
    return possible or both[:1]
