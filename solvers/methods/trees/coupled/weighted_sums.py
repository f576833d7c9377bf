"""Weighted sums of the objective and limited sums, and their minima by the exact search.

For integers p_0, ..., p_Q of at least 0, every tree that satisfies the limits b_1, ..., b_Q and costs at most K has a
weighted sum p . sums of at most p_0 K + p_1 b_1 + ... . So the minimum weighted sum over all trees gives a lower bound
on the cost: the Lagrangian bound, valid for every p.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ....kernels.sweep import ABORTED
from ....magnitude import LARGEST_SUM
from ...search.deadline import SearchEndedError
from ..tree_of_splits import SplitTree, labelled
from .rule_arrays import Posted

if TYPE_CHECKING:
    from ....kernels.tree_search import TreeSearch

MOST_PATTERNS = 64

STEP = 2_000_000
"""Elements scanned between two checks for a stop: some milliseconds."""


@dataclass
class Weighting:
    """One weighting of the sums of a problem, for whole trees of a depth.

    `multiplier`, int64 (Q,), starts with the objective. `halt`, int64 (1,), is set to 1 to end soon, by
    `SearchEndedError`.
    """

    posted: Posted
    multiplier: np.ndarray
    depth: int
    halt: np.ndarray
    _known: dict[tuple[bytes, int, int, bool], tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sums = self.posted.sums
        by_answer = sums.amount @ self.multiplier
        least = by_answer.min(axis=1)
        self.cost = by_answer - least[:, None]
        self.split = int(sums.per_split @ self.multiplier)
        self.constant = int(least.sum() + self.posted.fixed @ self.multiplier)
        self.price = np.zeros(len(sums.test_weight), np.int64)
        for q, t in enumerate(sums.test.tolist()):
            if t >= 0:
                self.price[t] += self.multiplier[q]
        self._ruling = self.posted.ruling._replace(price=self.price)
        # the search weights rows equally for all tables of test costs: their minimum keeps its value a lower bound
        paid = sums.test_weight[self.price > 0]
        self._tested = paid.min(axis=0) if len(paid) else None
        self._search: TreeSearch | None = None
        leaves = self.posted.leaves
        # the search counts distinct rows, not the rows that they represent
        self._least_rows = int(leaves.least[0]) if (leaves.number == 1).all() else 1

    @cached_property
    def reach(self) -> np.ndarray:
        """The maximum change of the minimum weighted sum by one row, int64 (n,)."""
        sums, ruling = self.posted.sums, self.posted.ruling
        dearest = [int(ruling.own[t].sum() + ruling.shared[t].sum()) for t in range(len(self.price))]
        return np.asarray(self.cost.max(axis=1) + (self.price * np.array(dearest, np.int64)) @ sums.test_weight)

    def budget(self, most: int) -> int:
        """The budget of the rows and splits of a tree for the weighted sum, if the tree costs at most `most`."""
        limits = self.posted.limits.copy()
        limits[0] = most
        return int(limits @ self.multiplier) - self.constant

    def bound(self, least: int) -> int:
        """The lower bound on the cost under all limits, given a lower bound `least` on the weighted sum.

        `least` is without the constant. Requires a positive multiplier of the objective.
        """
        limits = self.posted.limits.copy()
        limits[0] = 0
        rest = least + self.constant - int(limits @ self.multiplier)
        return -(-rest // int(self.multiplier[0]))

    def whole(self) -> tuple[int, SplitTree]:
        """A lower bound on the weighted sum of all trees, without the constant, and the tree found with it."""
        steps = list(self.steps())
        return steps[-1][0], next(tree for _, tree in reversed(steps) if tree is not None)

    def steps(self, known: int | None = None) -> Iterator[tuple[int, SplitTree | None]]:
        """As `whole`, yielded after each step of the search; only new trees are returned.

        known : the weighted sum of some tree, without the constant: only smaller ones are searched.
        """
        ceiling = int(self.cost.sum(axis=0).min()) + 1
        ceiling = ceiling if known is None else min(ceiling, known)
        search, found, ended = self._make(self.depth, None, ceiling, sized=True), 0, False
        while not ended:
            ended = search.advance(STEP)
            self._look()
            new, found = search.found > found, search.found
            tree = labelled(self.posted.orders.rank, search.splits, self.cost) if new else None
            yield search.cost if ended else search.bound, tree

    def part(self, member: np.ndarray, depth: int, used: int, ceiling: int, sized: bool = False) -> int:
        """A lower bound on the weighted sum for the rows of `member`, uint8 (n,), exact if it is below `ceiling`.

        It is exact as far as the search can count. The depth is at least 1, and `used` are the columns on the path to
        the rows. With `sized`, leaves have the minimum size if it can be counted; then additional rows may lower the
        sum.
        """
        if ceiling <= 0:
            return 0
        key = np.packbits(member).tobytes(), depth, used, sized
        value, exact_below = self._known.get(key, (0, 0))
        if value >= ceiling or value < exact_below:
            return value
        self._look()
        value = self._part(member, depth, used, ceiling, sized)
        self._known[key] = value, ceiling
        return value

    def splits(
        self, f: int, member: np.ndarray, depth: int, used: int, budget: int, fixed: int | None = None
    ) -> Iterator[tuple[int, np.ndarray, np.ndarray, int, int]]:
        """The splits of some rows on an order whose sides, with trees of a depth, may stay within a budget together.

        As the position of a split moves right, the minimum weighted sum on its left does not decrease, and on its right
        it does not increase. Both change by at most the reach of the rows that change side. So a position that exceeds
        the budget rules out its neighbourhood.

        Parameters
        ----------
        f : the order; member : uint8 (n,), the rows.
        depth, used : of the sides, see `part`.
        fixed : the only permitted split, as the highest rank of its first side; by default all are permitted.

        Yields
        ------
        The highest rank of the first side, both sides as uint8 (n,), and the minimum weighted sum of each.
        """
        order = self.posted.by_rank[f]
        order = order[member[order] > 0]
        rank = self.posted.orders.rank[f, order]
        cuts = np.flatnonzero(rank[1:] != rank[:-1]) + 1
        if fixed is not None:
            cuts = cuts[rank[cuts - 1] <= fixed][-1:]
            cuts = cuts[rank[cuts] > fixed]
        ahead = np.concatenate(([0], np.cumsum(self.reach[order])))
        where = np.concatenate(([0], cuts, [len(order)]))
        ahead_there = ahead[where]
        todo = [(0, len(where) - 1, 0, 0)]
        while todo:
            a, b, left_a, right_b = todo.pop()
            if b - a < 2 or left_a + right_b > budget:
                continue
            i = (a + b) // 2
            p = int(where[i])
            low = np.zeros(len(member), np.uint8)
            low[order[:p]] = 1
            high = member - low
            left = self.part(low, depth, used, budget - right_b + 1)
            right = self.part(high, depth, used, budget - left_a + 1)
            lacking = left + right - budget
            if lacking <= 0:
                todo += [(i, b, left, right_b), (a, i, left_a, right)]
                yield int(rank[p - 1]), low, high, left, right
                continue
            # before a position can be within, rows must change side whose joint reach is at least the excess
            back = int(np.searchsorted(ahead_there, ahead[p] - lacking, side="right")) - 1
            on = int(np.searchsorted(ahead_there, ahead[p] + lacking, side="left"))
            todo += [(max(on - 1, i), b, left, right_b), (a, min(back + 1, i), left_a, right)]

    def _part(self, member: np.ndarray, depth: int, used: int, ceiling: int, sized: bool) -> int:
        from ....kernels.parts import part_cost

        if depth > 2:
            index = np.flatnonzero(member)
            leaf = int(self.cost[index].sum(axis=0).min())
            search = self._make(depth, index, min(ceiling, leaf + 1), used, sized)
            while not search.advance():
                self._look()
            self._look()
            return search.cost if search.found else ceiling
        if self._search is None:
            self._search = self._make(3, None, LARGEST_SUM, sized=True)
        state = self._search
        value, _ = part_cost(
            state._rows, state._scan, state._lanes, state._state, self._ruling, member, used, depth, ceiling,
            sized and self._least_rows > 1,
        )  # fmt: skip
        if value == ABORTED:
            raise SearchEndedError
        return int(value)

    def _look(self) -> None:
        if self.halt[0]:
            raise SearchEndedError

    def _make(
        self, depth: int, index: np.ndarray | None, ceiling: int, used: int = 0, sized: bool = False
    ) -> TreeSearch:
        from ....kernels.tree_search import TreeSearch

        label, weight, n_labels, costs = self._rows
        ruling = self._ruling
        if index is not None:
            # rules for the root do not apply below it
            ruling = ruling._replace(root=np.ones_like(ruling.root))
        part: np.ndarray | slice = slice(None) if index is None else index
        orders = self.posted.orders
        return TreeSearch(
            np.ascontiguousarray(orders.rank[:, part]),
            label[part],
            weight[part],
            orders.twin,
            orders.missing_rank,
            n_labels,
            depth,
            ceiling=ceiling,
            split=self.split,
            least_rows=self._least_rows if sized else 1,
            costs=costs,
            ruling=ruling,
            used=used,
            chain=self.posted.chain,
            tested=None if self._tested is None else self._tested[part],
        )

    @property
    def _rows(self) -> tuple[np.ndarray, np.ndarray, int, np.ndarray | None]:
        """Labels, weights, number of labels and costs by label: the costs of each row as a pattern times its weight."""
        cost = self.cost
        if cost.shape[1] == 2:
            return cost.argmin(axis=1), cost.max(axis=1), 2, None
        common = np.maximum(np.gcd.reduce(cost, axis=1), 1)
        patterns, label = np.unique(cost // common[:, None], axis=0, return_inverse=True)
        step = 1
        while len(patterns) > MOST_PATTERNS:
            # rounded down until there are few enough patterns: a lower bound suffices
            step, common = 2 * step, np.ones(len(cost), np.int64)
            patterns, label = np.unique(cost // step * step, axis=0, return_inverse=True)
        return label.ravel(), common, len(patterns), patterns
