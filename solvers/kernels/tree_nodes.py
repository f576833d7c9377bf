"""Single nodes of a tree: their sorted rows, their split, and the best subtree if at most depth two remains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import control as word
from .path_rules import joined
from .stack import HARD, ask_orders, split_rows
from .sweep import ABORTED
from .tree_search import TreeSearch
from .workspace import FAR

CALL = 20_000
"""The overhead of splitting or solving a node besides its scans, in elements."""


class Node(NamedTuple):
    """A node: its rows as a stretch of a level, the features on the path to it, and the limits of its subtree.

    slot : as in `tree_of_splits`; level, offset, m, used : see `workspace`; depth, leaves : the maximum depth and
        number of leaves of its subtree.
    """

    slot: int
    level: int
    offset: int
    m: int
    used: int
    depth: int
    leaves: int


class StoppedError(Exception):
    """The search was stopped while a node was solved."""


class TreeNodes(TreeSearch):
    """The nodes of a tree that is built step by step: their rows, and the best subtree of nodes with depth two left.

    It takes the parameters of `TreeSearch`, with a depth of at least 3. Costs are in scaled units (`control.UNIT`) and
    include those of splits. The two sides of a node overwrite all that was below it.
    """

    @property
    def root(self) -> Node:
        """All rows."""
        return Node(0, 0, 0, self._n, self._used, self._depth, self._leaves)

    @property
    def _hard(self) -> bool:
        return bool(self._state.frames[0, HARD])

    def rows(self, node: Node) -> np.ndarray:
        """The rows of a node, int32 (m,)."""
        return self._rows.words[node.level, 0, node.offset : node.offset + node.m] >> 8

    def rows_by_order(self, node: Node) -> np.ndarray:
        """The rows of a node, sorted in each order, int32 (n_orders, m)."""
        return self._rows.words[node.level, :, node.offset : node.offset + node.m] >> 8

    def asks(self, node: Node) -> dict[int, int]:
        """The cost of a split at a node, by order; only orders that are allowed there."""
        state = self._state
        self.count(node)
        ask_orders(self._rows, state, self._ruling, node.level, node.offset, node.m, node.used, self._hard)
        return {f: ask for f, ask in enumerate(state.ask[node.level].tolist()) if ask < FAR}

    def cuts(self, node: Node, order: int) -> np.ndarray:
        """The positions of an order that leave both sides the minimum leaf size, int64 (n,)."""
        stretch = slice(node.offset, node.offset + node.m)
        ranks, control = self._rows.ranks[node.level, order, stretch], self._state.control
        cuts = np.flatnonzero(ranks[1:] != ranks[:-1]) + 1
        if control[word.LEAST_ROWS] > 1:
            cuts = cuts[np.minimum(cuts, node.m - cuts) >= control[word.LEAST_ROWS]]
        if control[word.LEAST_WEIGHT] > 1:
            rows = self._rows.words[node.level, order, stretch] >> 8
            before = np.cumsum(self._rows.weight[rows], dtype=np.int64)[cuts - 1]
            cuts = cuts[np.minimum(before, self._rows.weight[rows].sum() - before) >= control[word.LEAST_WEIGHT]]
        return cuts

    def last(self, node: Node, order: int, at: int) -> int:
        """The highest rank before a position of an order."""
        return int(self._rows.ranks[node.level, order, node.offset + at - 1])

    def position(self, node: Node, order: int, last: int) -> int:
        """The number of rows up to a rank of an order."""
        ranks = self._rows.ranks[node.level, order, node.offset : node.offset + node.m]
        return int(np.searchsorted(ranks, last, "right"))

    def divide(self, node: Node, order: int, at: int) -> tuple[Node, Node]:
        """The sides of a position; each may have as many leaves as its depth permits."""
        self.count(node)
        split_rows(self._rows, node.level, node.offset, node.m, order, at)
        used, depth, slot = int(joined(self._ruling, node.used, order)), node.depth - 1, 2 * node.slot + 1
        left = Node(slot, node.level + 1, node.offset, at, used, depth, 1 << depth)
        return left, left._replace(slot=slot + 1, offset=node.offset + at, m=node.m - at)

    def solve(self, node: Node, ceiling: int) -> tuple[int, dict[int, tuple[int, int]]]:
        """The best tree of depth two or less and its cost; if none is below the ceiling, a lower bound and no splits.

        Raises `StoppedError` after a stop.
        """
        self.count(node)
        depth = min(node.depth, 2)
        shape = depth, min(node.leaves, 1 << depth)
        value, size = self._depth_two(node.level, node.offset, node.m, node.used, ceiling, 0, *shape)
        if value == ABORTED:
            raise StoppedError
        return int(value), self._read(node.level, size)

    def count(self, node: Node) -> None:
        """Count the work of one pass over the rows in every order."""
        self._state.control[word.WORK] += CALL + node.m * self._rows.words.shape[1]
