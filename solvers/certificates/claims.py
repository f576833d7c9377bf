"""What a certificate claims, and the tree that it is about, free of anything that only this project knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from solvers.certificates.cases import Cases, whole
from solvers.errors import CertificateError


@dataclass(frozen=True)
class Claim:
    """No tree of at most this depth, and of at most so many leaves, gets all cases right.

    `leaves` is `None` where only the depth, the most questions on a path, is limited. A tree of n leaves has 2 n - 1
    nodes.
    """

    depth: int
    leaves: int | None = None

    def __post_init__(self) -> None:
        if self.depth < 0 or (self.leaves is not None and self.leaves < 1):
            raise CertificateError(f"A claim needs a depth of at least 0 and at least one leaf. Got {self}.")

    @property
    def name(self) -> str:
        """For the names of files."""
        return f"depth-{self.depth}" + ("" if self.leaves is None else f"-leaves-{self.leaves}")

    @property
    def words(self) -> str:
        """In a sentence."""
        return f"No tree of {self.size} gets all cases right."

    @property
    def size(self) -> str:
        """What is ruled out, in words."""
        words = f"depth at most {self.depth}"
        return words if self.leaves is None else f"{words} with at most {2 * self.leaves - 1} nodes"

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {"depth": self.depth, "leaves": self.leaves, "words": self.words}


@dataclass(frozen=True)
class PlainNode:
    """A node of a tree over the questions of the cases: a case of a rank of at most `last` goes to `low`."""

    order: int
    last: int
    low: PlainTree
    high: PlainTree


PlainTree = PlainNode | int
"""A node, or the class of a leaf."""


def tree_to_json(tree: PlainTree) -> Any:
    """A tree as plain values."""
    if isinstance(tree, int):
        return {"class": tree}
    return {
        "order": tree.order,
        "last": tree.last,
        "low": tree_to_json(tree.low),
        "high": tree_to_json(tree.high),
    }


def tree_from_json(data: Any) -> PlainTree:
    """Read what `tree_to_json` wrote; KeyError or TypeError where it is damaged."""
    if "class" in data:
        return whole(data["class"])
    return PlainNode(
        whole(data["order"]), whole(data["last"]), tree_from_json(data["low"]), tree_from_json(data["high"])
    )


def depth_of(tree: PlainTree) -> int:
    """The most questions on a path."""
    return 0 if isinstance(tree, int) else 1 + max(depth_of(tree.low), depth_of(tree.high))


def leaves_of(tree: PlainTree) -> int:
    """The number of leaves."""
    return 1 if isinstance(tree, int) else leaves_of(tree.low) + leaves_of(tree.high)


def nodes_of(tree: PlainTree) -> list[PlainNode]:
    """The nodes of a tree that ask."""
    return [] if isinstance(tree, int) else [tree, *nodes_of(tree.low), *nodes_of(tree.high)]


def class_of(tree: PlainTree, ranks: Sequence[int]) -> int:
    """What a tree says of a case."""
    while isinstance(tree, PlainNode):
        tree = tree.low if ranks[tree.order] <= tree.last else tree.high
    return tree


def mistakes(tree: PlainTree, cases: Cases) -> list[int]:
    """The cases that a tree gets wrong; IndexError where it asks about an order that there is not."""
    if any(not 0 <= node.order < len(cases.orders) for node in nodes_of(tree)):
        raise IndexError
    pairs = zip(cases.ranks, cases.labels, strict=True)
    return [i for i, (ranks, label) in enumerate(pairs) if class_of(tree, ranks) != label]
