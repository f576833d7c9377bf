"""All trees within a budget as a graph of parts: for each set of cells and depth, the splits that stay within it.

A part is a set of cells with a depth. Its trees are a leaf, or a split with a tree of a part on each side. A part that
occurs below different splits is created once, so the graph is small even if the number of trees is astronomical.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

import numpy as np

from ...search.deadline import SearchEndedError
from ...search.watch import Watch
from ..coupled.weighted_sums import Weighting
from .table import CellTable, Rows

Counts = np.ndarray
"""Numbers of trees, object (1 + n_columns,) of unbounded integers: all, then those without splits on each column."""

Tally = dict[tuple[int, int], Counts]
"""Numbers of trees by cost and number of leaves."""

ROOM = 700
"""Approximate bytes per part; a tally of a wide table takes more."""


class Fork(NamedTuple):
    """A split with the parts on its sides; `column` is its column."""

    column: int
    order: int
    last: int
    first: CellTrees
    second: CellTrees


class Stump(NamedTuple):
    """A split into two leaves, and its cost including them."""

    column: int
    order: int
    last: int
    cost: int


@dataclass(slots=True)
class CellTrees:
    """The trees of limited depth for some cells.

    Attributes
    ----------
    rows : the cells; depth : the maximum depth.
    budget : trees that cost more are left out.
    leaf, answer : cost and prediction of a single leaf.
    stumps, forks : the splits; those into two leaves are separate if the depth is one.
    tally : the number of trees.
    """

    rows: Rows
    depth: int
    budget: int
    leaf: int
    answer: int
    stumps: tuple[Stump, ...] = ()
    forks: list[Fork] = field(default_factory=list)
    tally: Tally = field(default_factory=dict)

    @property
    def least(self) -> int | None:
        """The lowest cost of the trees; `None` if there is none within the budget."""
        return min((cost for cost, _ in self.tally), default=None)


@dataclass
class Parts:
    """Creates parts, each once for its largest budget, until the search is due.

    `most_bytes` is the memory for parts, `None` for no limit, and `full` whether it is used up. `open_root` is the root
    while it is being made; after an interruption it has what was found so far.
    """

    table: CellTable
    due: Callable[[], bool]
    most_bytes: int | None = None
    full: bool = False
    open_root: CellTrees | None = None
    _made: dict[tuple[bytes, int], CellTrees] = field(default_factory=dict)
    _used: int = 0

    def __post_init__(self) -> None:
        posted, depth = self.table.posted, self.table.problem.size.max_depth
        self._halt = np.zeros(1, np.int64)
        self._costs = Weighting(posted, np.eye(len(posted.limits), dtype=np.int64)[0], depth, self._halt)
        self._split = self.table.problem.split_penalty
        self._one = np.array([1] * (1 + self.table.n_columns), object)

    def part(self, rows: Rows, depth: int, budget: int) -> CellTrees:
        """The trees for some cells that cost at most `budget`; `SearchEndedError` if time or memory is used up."""
        key = key_of(self.table.member(rows))
        part = self._made.get((key, depth))
        if part is None or part.budget < budget:
            part = self._made[key, depth] = self._expand(rows, depth, budget)
            self._used += ROOM + len(rows) * 8 + (90 + 12 * len(self._one)) * (len(part.tally) + len(part.forks))
        return part

    def watched(self) -> Watch:
        """A watch that also checks the time while a lower bound is computed."""
        return Watch(lambda: self._halt.__setitem__(0, 1), self.due)

    def _look(self) -> None:
        if self.most_bytes is not None and self._used > self.most_bytes:
            self.full = True
            raise SearchEndedError
        if self.due():
            raise SearchEndedError

    def _expand(self, rows: Rows, depth: int, budget: int) -> CellTrees:
        self._look()
        costs = self.table.leaf_costs(rows)
        answer = int(costs.argmin())
        part = CellTrees(rows, depth, budget, int(costs[answer]), answer)
        if part.leaf <= budget:
            part.tally[part.leaf, 1] = self._one
        if depth and budget >= self._split and not self.table.answers_alike(rows):
            if depth == 1:
                part.stumps = tuple(self._stumps(rows, budget))
                self._count_stumps(part)
            else:
                if depth == self.table.problem.size.max_depth:
                    self.open_root = part
                for fork in self._forks(part):
                    part.forks.append(fork)
        return part

    def _stumps(self, rows: Rows, budget: int) -> Iterator[Stump]:
        table, by_rank = self.table, self.table.posted.by_rank
        cells = by_rank[table.member(rows)[by_rank] > 0].reshape(len(by_rank), -1)
        first = table.by_class[:, cells].cumsum(axis=2)
        second = first[:, :, -1:] - first
        # elementwise minima of whole arrays are several times faster than a reduction
        price = reduce(np.minimum, first) + reduce(np.minimum, second) + self._split
        f, i = np.nonzero(price[:, :-1] <= budget)
        last, after = table.rank[f, cells[f, i]], table.rank[f, cells[f, i + 1]]
        able = (last < after) & (first[:, f, i].argmin(axis=0) != second[:, f, i].argmin(axis=0))
        f, i, last = f[able], i[able], last[able]
        able = table.large(table.sizes[cells].cumsum(axis=1)[f, i], table.sizes[rows].sum(axis=0))
        columns = (part[able].tolist() for part in (f, last, price[f, i], i))
        for order, at, both, _ in self._apart(zip(*columns, strict=True), rows):
            yield Stump(int(table.column[order]), order, at, both)

    def counted(self, stump: Stump) -> Tally:
        """The tally of one split into leaves."""
        counts = self._one.copy()
        counts[1 + stump.column] = 0
        return {(stump.cost, 2): counts} if self.table.most_leaves >= 2 else {}

    def _count_stumps(self, part: CellTrees) -> None:
        if self.table.most_leaves < 2:
            return
        by_cost: dict[int, list[int]] = {}
        for stump in part.stumps:
            by_cost.setdefault(stump.cost, []).append(stump.column)
        for cost, columns in by_cost.items():
            counts = self._one * len(columns)
            for column in columns:
                counts[1 + column] -= 1
            part.tally[cost, 2] = counts

    def _forks(self, part: CellTrees) -> Iterator[Fork]:
        """The splits with trees on both sides; their counts are added to the tally."""
        rows, budget = part.rows, part.budget - self._split
        for f, last, first, second in self._candidates(rows, part.depth, part.budget):
            low = self.table.first_side(f, last, rows)
            # the first side before the second: its cost narrows the budget of the second
            first_part = self.part(rows[low], part.depth - 1, budget - second)
            if first_part.least is None:
                continue
            second_part = self.part(rows[~low], part.depth - 1, budget - max(first, first_part.least))
            if second_part.least is None:
                continue
            fork = Fork(int(self.table.column[f]), f, last, first_part, second_part)
            tally = self.joined(fork, part.budget)
            add(part.tally, tally)
            if tally:
                yield fork

    def joined(self, fork: Fork, budget: int) -> Tally:
        """The tally of trees with this root split that cost at most `budget`."""
        tally: Tally = {}
        one, two, most = fork.first, fork.second, self.table.most_leaves
        for (cost, leaves), counts in one.tally.items():
            left = budget - self._split - cost
            for (other, more), others in two.tally.items():
                if other > left or leaves + more > most:
                    continue
                if leaves == more == 1 and one.answer == two.answer:
                    # a split into two leaves of the same prediction does not count
                    continue
                key, product = (cost + other + self._split, leaves + more), counts * others
                tally[key] = tally[key] + product if key in tally else product
        for counts in tally.values():
            counts[1 + fork.column] = 0
        return tally

    def _candidates(self, rows: Rows, depth: int, budget: int) -> Iterator[tuple[int, int, int, int]]:
        """Order, rank, and lower bounds of both sides, for splits that may stay within a budget."""
        table, member, every = self.table, self.table.member(rows), self.table.sizes[rows].sum(axis=0)

        def splits() -> Iterator[tuple[int, int, int, int]]:
            for f in range(len(table.column)):
                self._look()
                sides = self._costs.splits(f, member, depth - 1, 0, budget - self._split)
                able = [(last, one, two) for last, low, _, one, two in sides if table.large(low @ table.sizes, every)]
                yield from ((f, *split) for split in sorted(able))

        return self._apart(splits(), rows)

    def _apart(self, splits: Iterable[tuple[int, int, int, int]], rows: Rows) -> Iterator[tuple[int, int, int, int]]:
        """Splits without duplicates: one for each column and division of the cells."""
        seen: set[tuple[int, bytes]] = set()
        table = self.table
        for f, last, first, second in splits:
            if table.manifold[f]:
                low = table.first_side(f, last, rows)
                key = int(table.column[f]), key_of(low if low[0] else ~low)
                if key in seen:
                    continue
                seen.add(key)
            yield f, last, first, second


def add(total: Tally, tally: Tally) -> None:
    """Add a tally to another one."""
    for key, counts in tally.items():
        total[key] = total[key] + counts if key in total else counts


def key_of(member: np.ndarray) -> bytes:
    """A set of cells as a key; `member` is a mask, bool or uint8 (n_cells,)."""
    return np.packbits(member).tobytes()
