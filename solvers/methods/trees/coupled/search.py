"""The trees of a problem that stay within budgets, from the root down to the nodes that the kernels handle.

See `kernels.fronts` for the idea. Above depth two the splits of a node are opened here, one order at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ....kernels.coupled_rules import Bundle, CoupledRules, may_ask
from ....kernels.fronts import collect
from ....kernels.path_rules import joined
from ....kernels.points import SEEN, TreePoints, at_least_as_good, first_points, join, keep, point_space
from ....kernels.status import FULL, STOPPED
from ...search.deadline import SearchEndedError
from ..slots import Slot
from ..tree_of_splits import Splits, SplitTree
from .rule_arrays import Posted
from .weighted_sums import Weighting

FIRST_ROOM = 256

MOST_POINTS = 2**20
"""Number of trees of a node above which the search gives up: they would fill the memory."""


@dataclass(frozen=True)
class Node:
    """A node of the enumeration.

    Attributes
    ----------
    member : uint8 (n,), its rows; depth : of the tree below it.
    used : the columns on the path to it; spent : int64 (T,), the cost of the path.
    slot : its slot; above : the splits above it.
    open : whether one of them is on a monotone column: then the best tree here depends on the other nodes.
    """

    member: np.ndarray
    depth: int
    used: int
    spent: np.ndarray
    slot: Slot
    above: Splits
    open: bool = False


class Division(NamedTuple):
    """A split of a node.

    order, last : its position; used, spent : the columns and the cost of the path below.
    added : int64 (Q,), its contribution to the sums; prices : int64 (J,), to the weighted sums.
    least : int64 (2, J), lower bounds on the weighted sums of both sides.
    """

    order: int
    last: int
    used: int
    spent: np.ndarray
    added: np.ndarray
    prices: np.ndarray
    least: np.ndarray


@dataclass(frozen=True)
class Front:
    """Trees for a node, and the fronts of the sides that they are made of."""

    points: TreePoints
    sides: tuple[tuple[Front, Front], ...] = ()

    @property
    def size(self) -> int:
        """The number of trees."""
        return len(self.points.sums)

    def tree(self, i: int, slot: Slot) -> SplitTree:
        """The i-th tree, with its root at a slot."""
        order, last, *fields = self.points.tree[i].tolist()
        first, second = 2 * slot + 1, 2 * slot + 2
        if fields[2] < 0:
            return _stump(slot, order, last, *fields[:2])
        if self.sides:
            left, right = self.sides[fields[2]]
            return SplitTree.joined(slot, (order, last), left.tree(fields[0], first), right.tree(fields[1], second))
        return SplitTree.joined(slot, (order, last), _stump(first, *fields[:4]), _stump(second, *fields[4:]))


def _stump(slot: Slot, order: int, last: int, first: int, second: int) -> SplitTree:
    """A split into two leaves, or a leaf of class `first` if the order is -1."""
    if order < 0:
        return SplitTree({}, {slot: first})
    return SplitTree({slot: (order, last)}, {2 * slot + 1: first, 2 * slot + 2: second})


@dataclass
class FrontSearch:
    """Enumerates the trees within budgets.

    Attributes
    ----------
    posted : the problem; depth : the maximum depth.
    weightings : the bundle, with the one that prunes best first.
    active : the numbers of the sums whose limits are enforced.
    fixed : the fixed splits; each but the root is below another one.
    halt : int64 (1,), set to 1 to end soon.
    rises : whether a tree satisfies the rules about monotone columns; `None` if there are none.
    """

    posted: Posted
    depth: int
    weightings: list[Weighting]
    active: list[int]
    fixed: Splits
    halt: np.ndarray
    rises: Callable[[SplitTree], bool] | None = None
    room: int = FIRST_ROOM
    opened: int = 0

    def __post_init__(self) -> None:
        self._counts = np.zeros(len(self.posted.limits), bool)
        self._counts[[0, *self.active]] = True
        self._monotone = self.posted.monotone if self.rises else frozenset()
        # whether the kernel checks all that rules about monotone columns require of single splits
        columns = self.posted.orders.column
        self._known = all(self.posted.trees.climb[columns == c].any(axis=1).all() for c in self._monotone)
        self._bundle = Bundle(
            np.ascontiguousarray([w.cost for w in self.weightings], np.int64),
            np.array([w.split for w in self.weightings], np.int64),
            np.array([w.price for w in self.weightings], np.int64),
            self.weightings[0].reach.astype(np.int64),
        )
        posted = self.posted
        self._rules = CoupledRules(posted.ruling, posted.leaves, posted.trees, posted.sums, self._bundle)

    def best(self, most: int) -> tuple[int, SplitTree] | None:
        """The cheapest tree found within all active limits, and its cost, after all trees of at most cost `most`.

        `None` if there is none within the budgets; a cost above `most` is not proved optimal. May raise
        `SearchEndedError`.
        """
        spent = np.zeros(len(self.posted.ruling.limit), np.int64)
        every = np.ones(len(self.posted.leaves.number), np.uint8)
        root = Node(every, self._depth(every, self.depth), 0, spent, 0, {})
        self._most = most
        front = self._front(root, self._budgets())
        best = self._cheapest(front.points)
        return None if best is None else (best[0], front.tree(best[1], 0))

    def _depth(self, member: np.ndarray, depth: int) -> int:
        """The depth of trees for some rows, 0 if there are too few rows for a split."""
        return depth if self.posted.leaves.number[member > 0].sum() >= self.posted.reached else 0

    def _budgets(self) -> np.ndarray:
        """The budget of trees of at most the cost `_most`, by weighted sum, int64 (J,)."""
        return np.array([w.budget(self._most) for w in self.weightings], np.int64)

    def _cheapest(self, points: TreePoints) -> tuple[int, int] | None:
        """The lowest cost of whole trees that satisfy all active limits, and the number of such a tree."""
        sums = points.sums + self.posted.fixed
        within = (sums[:, self.active] <= self.posted.limits[self.active]).all(axis=1)
        within &= points.marks[:, SEEN] & self.posted.wanted == self.posted.wanted
        if not within.any():
            return None
        best = int(np.flatnonzero(within)[sums[within, 0].argmin()])
        return int(sums[best, 0]), best

    def _front(self, node: Node, budgets: np.ndarray) -> Front:
        self.opened += 1
        if self.halt[0]:
            raise SearchEndedError
        if (budgets < 0).any():
            return Front(point_space(0, 1, 1))
        whole_root = bool(self.posted.ruling.root.all()) or node.slot > 0
        deepest = 2 if not self._monotone else int(self._known)
        deepest = min(deepest, 1) if self.posted.chain or self.posted.reached else deepest
        if node.depth <= deepest and node.slot not in self.fixed and whole_root:
            return self._collect(node, node.depth, budgets)
        return self._joined(node, budgets)

    def _compared(self, node: Node) -> np.ndarray:
        """The sums by which trees of a node dominate others; none if all trees must be kept."""
        return np.zeros(0, bool) if node.open else self._counts

    def _collect(self, node: Node, depth: int, budgets: np.ndarray) -> Front:
        """The trees of at most depth two, by the kernel."""
        shape, by_rank = (len(self.posted.limits), len(self.weightings)), self.posted.by_rank
        rows = np.ascontiguousarray(by_rank[node.member[by_rank] > 0].reshape(len(by_rank), -1))
        while True:
            out, left, right = (point_space(self.room, *shape) for _ in range(3))
            size = collect(
                self._rules, rows, depth, node.used, node.spent, budgets, self._compared(node), self.halt, out, left,
                right,
            )  # fmt: skip
            if size == -STOPPED:
                raise SearchEndedError
            if size != -FULL:
                return Front(_copied(out, size))
            self.room *= 2
            if self.room > MOST_POINTS:
                raise SearchEndedError

    def _joined(self, node: Node, budgets: np.ndarray) -> Front:
        """The trees of a node, from those of both sides of each split that may be within the budgets."""
        given = self.fixed.get(node.slot)
        front = Front(point_space(0, len(self.posted.limits), len(budgets)))
        if given is None:
            front = self._collect(node, 0, budgets)
        if node.depth == 0:
            return front
        sides: list[tuple[Front, Front]] = []
        points, size = _with_room(front.points, front.size, self.room), front.size
        for split in self._splits(node, budgets, given):
            for first, second in self._children(node, split):
                left = self._front(first, budgets - split.prices - split.least[1])
                if not left.size:
                    continue
                right = self._front(second, budgets - split.prices - left.points.costs.min(axis=0))
                if not right.size:
                    continue
                begins = first.open and not node.open
                if begins:
                    rising = self._rising(node, split, left, right, budgets, len(sides))
                    for i in range(rising.size):
                        points, size = self._kept(points, size, rising.points, i)
                else:
                    points, size = self._add_pairs(points, size, split, left, right, budgets, node, len(sides))
                sides.append((left, right))
                best = None if node.slot else self._cheapest(first_points(points, size))
                if best is not None and best[0] <= self._most:
                    # all further trees must cost less than the tree found
                    self._most = best[0] - 1
                    budgets = self._budgets()
        return Front(_copied(points, size), tuple(sides))

    def _add_pairs(
        self,
        points: TreePoints,
        size: int,
        split: Division,
        left: Front,
        right: Front,
        budgets: np.ndarray,
        node: Node,
        serial: int,
    ) -> tuple[TreePoints, int]:
        """Add the pairs of trees of both sides to the points of a node."""
        while True:
            joined = join(
                points, size, left.points, right.points, self.posted.trees, split.order, split.last, split.added,
                split.prices, budgets, self._compared(node), serial,
            )  # fmt: skip
            if joined != -FULL:
                return points, joined
            # with more room, the pairs of this call are joined again from the start
            if len(points.sums) > MOST_POINTS:
                raise SearchEndedError
            points = _with_room(points, size, 2 * len(points.sums))

    def _rising(
        self, node: Node, split: Division, left: Front, right: Front, budgets: np.ndarray, serial: int
    ) -> Front:
        """The undominated pairs of trees under a split on a monotone column that satisfy its rule."""
        nothing = point_space(self.room, len(self.posted.limits), len(budgets))
        within = replace(node, open=True)
        points, size = self._add_pairs(nothing, 0, split, left, right, budgets, within, serial)
        rising, n_kept = point_space(FIRST_ROOM, len(self.posted.limits), len(budgets)), 0
        every = Front(points, ((left, right),) * (serial + 1))
        for i in points.sums[:size, 0].argsort(kind="stable").tolist():
            if self.halt[0]:
                raise SearchEndedError
            better = any(
                at_least_as_good(rising.sums[j], rising.marks[j], points.sums[i], points.marks[i], self._counts)
                for j in range(n_kept)
            )
            if not better and self._rises(node, every.tree(i, node.slot)):
                rising, n_kept = self._kept(rising, n_kept, points, i)
        return Front(_copied(rising, n_kept))

    def _rises(self, node: Node, tree: SplitTree) -> bool:
        """Whether a tree for a node satisfies the rules if the other sides of the splits above are leaves."""
        return self.rises is None or self.rises(tree._replace(splits=node.above | tree.splits))

    def _kept(self, points: TreePoints, size: int, others: TreePoints, i: int) -> tuple[TreePoints, int]:
        """The points with one more point of `others`, unless another is at least as good."""
        added = keep(points, size, others.sums[i], others.costs[i], others.marks[i], others.tree[i], self._counts)
        if added != -FULL:
            return points, added
        return self._kept(_with_room(points, size, 2 * len(points.sums) + 1), size, others, i)

    def _children(self, node: Node, split: Division) -> tuple[tuple[Node, Node], ...]:
        """The two sides of a split; in a rule list either of them must be a leaf, which gives two pairs."""
        f, last = split.order, split.last
        low = self.posted.orders.rank[f] <= last
        opened = node.open or int(self.posted.orders.column[f]) in self._monotone
        above = node.above | {node.slot: (f, last)}
        members = [(node.member & side).astype(np.uint8) for side in (low, ~low)]
        first, second = (
            Node(member, self._depth(member, node.depth - 1), split.used, split.spent, slot, above, opened)
            for slot, member in enumerate(members, 2 * node.slot + 1)
        )
        if not self.posted.chain:
            return ((first, second),)
        return (first, replace(second, depth=0)), (replace(first, depth=0), second)

    def _splits(self, node: Node, budgets: np.ndarray, given: tuple[int, int] | None) -> Iterator[Division]:
        """The splits of a node for which the minimum weighted sums of both sides are within all budgets."""
        posted, ruling = self.posted, self.posted.ruling
        member = node.member > 0
        extra = np.zeros(len(node.spent), np.int64)
        weight = posted.sums.test_weight[:, member].sum(axis=1)
        for f in range(len(posted.orders)):
            if given is not None and f != given[0]:
                continue
            if (node.slot == 0 and not ruling.root[f]) or not may_ask(ruling, node.used, node.spent, f, extra):
                continue
            added = posted.sums.per_split.copy()
            for q, t in enumerate(posted.sums.test.tolist()):
                added[q] += extra[t] * weight[t] if t >= 0 else 0
            prices = self._bundle.split + self._bundle.price @ (extra * weight)
            below = int(joined(ruling, node.used, f))
            left = (budgets if node.slot else self._budgets()) - prices
            fixed = None if given is None else given[1]
            sides = self.weightings[0].splits(f, node.member, node.depth - 1, below, int(left[0]), fixed)
            for last, low, high, *_ in sides:
                least = self._least_sums(low, high, node.depth - 1, below, left)
                if least is None:
                    continue
                split = Division(f, last, below, node.spent + extra, added, prices, least)
                if not self._separates(f, last, member):
                    yield split

    def _separates(self, f: int, last: int, member: np.ndarray) -> bool:
        """Whether a split separates two rows of the node that must share a leaf."""
        a, b = self.posted.leaves.together.T
        low = self.posted.orders.rank[f] <= last
        return bool((member[a] & member[b] & (low[a] != low[b])).any())

    def _least_sums(
        self, low: np.ndarray, high: np.ndarray, depth: int, below: int, budgets: np.ndarray
    ) -> np.ndarray | None:
        """The minimum weighted sums of both sides, int64 (2, J); `None` if together they exceed a budget."""
        least = np.zeros((2, len(self.weightings)), np.int64)
        for j, weighting in enumerate(self.weightings):
            budget = int(budgets[j])
            least[0, j] = weighting.part(low, depth, below, budget + 1, True)
            least[1, j] = weighting.part(high, depth, below, budget - int(least[0, j]) + 1, True)
            if least[0, j] + least[1, j] > budget:
                return None
        return least


def _copied(points: TreePoints, size: int) -> TreePoints:
    """A copy of the first points, without the room for others."""
    return TreePoints(*(array[:size].copy() for array in points))


def _with_room(points: TreePoints, size: int, room: int) -> TreePoints:
    """The same points with room for more."""
    larger = point_space(max(room, size), points.sums.shape[1], points.costs.shape[1])
    for new, old in zip(larger, points, strict=True):
        new[:size] = old[:size]
    return larger
