"""CART's pruning path: the fully grown tree, cut back at its weakest question again and again until a leaf is left.

Breiman, Friedman, Olshen and Stone (1984), sections 3.2 and 3.3: at a price for each leaf, the best pruned tree is the
one of least errors + price * leaves, and the fewest leaves among equals. As the price rises these trees are nested, and
each is the one before without the questions that save the fewest errors for each leaf that they add. Prices are exact.
"""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import NamedTuple

from ..diagram import Diagram, Leaf, Node, NodeId, Split


class PrunedTree(NamedTuple):
    """A tree of the path: it is the best pruned one from a `price`, in errors for a leaf, up to that of the next."""

    price: Fraction
    diagram: Diagram
    errors: int


class _Below(NamedTuple):
    """What a node holds: rows by class, and the errors and leaves of the tree below it."""

    counts: tuple[int, ...]
    errors: int
    leaves: int

    @property
    def own(self) -> int:
        """The errors of a leaf in its place."""
        return sum(self.counts) - max(self.counts)


def pruning_path(grown: Diagram) -> tuple[PrunedTree, ...]:
    """The best pruned trees of a tree whose leaves count whole rows, from price 0 on until a leaf is left."""
    leaves: set[NodeId] = {i for i, _ in grown.leaves}
    path: list[PrunedTree] = []
    price = Fraction(0)
    while True:
        below = _below(grown, leaves)
        prices = {
            i: Fraction(below[i].own - below[i].errors, below[i].leaves - 1)
            for i in _reached(grown, leaves)
            if i not in leaves
        }
        lowest = min(prices.values(), default=None)
        if lowest is None or lowest > price:
            path.append(PrunedTree(price, _with_leaves(grown, leaves, below), below[0].errors))
        if lowest is None:
            return tuple(path)
        price = max(price, lowest)
        leaves |= {i for i, one in prices.items() if one <= price}


def _reached(grown: Diagram, leaves: Collection[NodeId]) -> list[NodeId]:
    """The nodes of the tree that ends at some nodes, those above before those below."""
    queue = [0]
    for i in queue:
        if i not in leaves and isinstance(node := grown.nodes[i], Split):
            queue += (node.yes, node.no)
    return queue


def _below(grown: Diagram, leaves: Collection[NodeId]) -> dict[NodeId, _Below]:
    found: dict[NodeId, _Below] = {}
    for i in reversed(_reached(grown, ())):
        if isinstance(node := grown.nodes[i], Leaf):
            counts = tuple(map(int, node.counts))
            found[i] = _Below(counts, sum(counts) - max(counts), 1)
            continue
        yes, no = found[node.yes], found[node.no]
        both = _Below(
            tuple(a + b for a, b in zip(yes.counts, no.counts, strict=True)),
            yes.errors + no.errors,
            yes.leaves + no.leaves,
        )
        found[i] = _Below(both.counts, both.own, 1) if i in leaves else both
    return found


def _with_leaves(grown: Diagram, leaves: Collection[NodeId], below: dict[NodeId, _Below]) -> Diagram:
    """The tree that ends at some nodes; a leaf answers its largest class."""
    reached = _reached(grown, leaves)
    place = {i: k for k, i in enumerate(reached)}
    nodes: list[Node] = []
    for i in reached:
        node = grown.nodes[i]
        if i not in leaves and isinstance(node, Split):
            nodes.append(Split(node.predicate, place[node.yes], place[node.no]))
        elif isinstance(node, Leaf):
            nodes.append(node)
        else:
            counts = below[i].counts
            nodes.append(Leaf(counts.index(max(counts)), tuple(map(float, counts))))
    return Diagram(grown.kind, grown.schema, grown.classes, grown.outcome, grown.positive, tuple(nodes))
