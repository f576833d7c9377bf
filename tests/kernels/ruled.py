"""Random path rules for rank problems, and an obvious solution of each: a recursion with the path as an argument."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solvers.kernels.path_rules import BITS, PathRuleArrays
from solvers.kernels.workspace import FAR
from tests.kernels.problems import Oracle, RankProblem


class Fees(NamedTuple):
    """The costs of tests by column, groups that share a cost, the budget of a path, and the price per unit and row."""

    own: tuple[int, ...]
    groups: tuple[tuple[frozenset[int], int], ...]
    limit: int | None
    price: int

    def of(self, path: frozenset[int]) -> int:
        """The cost of a path with splits on these columns."""
        return sum(self.own[c] for c in path) + sum(cost for group, cost in self.groups if group & path)


class Book(NamedTuple):
    """Path rules: the column of each order, pairs (upper, lower) and (column, upper), columns for the root, tests."""

    column: tuple[int, ...]
    not_below: frozenset[tuple[int, int]]
    only_below: frozenset[tuple[int, int]]
    at_root: frozenset[int]
    tests: tuple[Fees, ...]

    def permits(self, path: frozenset[int], column: int, top: bool) -> bool:
        """Whether a split on a column may be below a path of splits."""
        return (
            not any(upper in path and lower == column for upper, lower in self.not_below)
            and all(upper in path for lower, upper in self.only_below if lower == column)
            and (not top or column in self.at_root)
            and all(t.limit is None or t.of(path | {column}) <= t.limit for t in self.tests)
        )

    def price(self, path: frozenset[int], column: int) -> int:
        """The price of the split on the column below the path, for each unit that a row counts."""
        return sum(t.price * (t.of(path | {column}) - t.of(path)) for t in self.tests)

    def ruling(self) -> PathRuleArrays:
        """The same as arrays for the search; the bit of a column is its own number."""
        column = np.array(self.column)
        barred, needed = np.zeros(len(column), np.int64), np.zeros(len(column), np.int64)
        for upper, lower in self.not_below:
            barred[column == lower] |= 1 << upper
        for lower, upper in self.only_below:
            needed[column == lower] |= 1 << upper
        most = max((len(t.groups) for t in self.tests), default=0)
        own = np.zeros((len(self.tests), BITS), np.int64)
        members, shared = np.zeros((2, len(self.tests), most), np.int64)
        for t, tests in enumerate(self.tests):
            own[t, : len(tests.own)] = tests.own
            for g, (group, cost) in enumerate(tests.groups):
                members[t, g], shared[t, g] = sum(1 << c for c in group), cost
        limits = [FAR if t.limit is None else t.limit for t in self.tests]
        prices = [t.price for t in self.tests]
        root = np.array([c in self.at_root for c in self.column], np.int64)
        numbers = column.astype(np.int64)
        return PathRuleArrays(
            numbers, barred, needed, root, own, members, shared, np.array(limits, np.int64), np.array(prices, np.int64)
        )


def random_book(rng: np.random.Generator, problem: RankProblem, priced: bool = True, needing: bool = True) -> Book:
    """One to three kinds of rule; twins have the same column, and sometimes other orders do, too."""
    column: list[int] = []
    for twin in problem.twin:
        fresh = max(column, default=-1) + 1
        column.append(
            column[twin] if twin >= 0 else int(rng.integers(0, fresh)) if column and rng.random() < 0.2 else fresh
        )
    n = max(column) + 1
    chosen = rng.permutation(6)[: int(rng.integers(1, 4))]

    def pairs(most: int) -> frozenset[tuple[int, int]]:
        return frozenset((int(rng.integers(n)), int(rng.integers(n))) for _ in range(int(rng.integers(1, most + 1))))

    tests = []
    for kind in (3, 4):
        if kind in chosen and (kind == 3 or priced):
            own = tuple(int(c) for c in rng.integers(0, 4, n))
            groups = tuple(
                (frozenset(int(c) for c in np.flatnonzero(rng.random(n) < 0.6)), int(rng.integers(1, 4)))
                for _ in range(int(rng.integers(0, 3)))
            )
            limit = int(rng.integers(0, 8)) if kind == 3 or rng.random() < 0.2 else None
            tests.append(Fees(own, groups, limit, int(rng.integers(1, 3)) if kind == 4 else 0))
    return Book(
        tuple(column),
        pairs(3) if 0 in chosen else frozenset(),
        pairs(2) if 1 in chosen and needing else frozenset(),
        frozenset(int(c) for c in np.flatnonzero(rng.random(n) < 0.5)) if 2 in chosen else frozenset(range(n)),
        tuple(tests),
    )


class RuledOracle(Oracle):
    """Optimal costs under path rules, over all thresholds of all orders and all divisions of the leaf limit.

    `tested` is how much the price of a split counts for each row; the other parameters are those of `Oracle`.
    """

    def __init__(
        self,
        problem: RankProblem,
        book: Book,
        *,
        split: int = 0,
        least_rows: int = 1,
        least_weight: int = 1,
        costs: np.ndarray | None = None,
        tested: np.ndarray | None = None,
    ) -> None:
        super().__init__(problem, split, least_rows, least_weight, costs)
        self.book = book
        self.tested = np.zeros(len(problem.label), int) if tested is None else tested

    def question(self, rows: frozenset[int], path: frozenset[int], f: int) -> int:
        """The cost of a split of these rows."""
        return self.split + self.book.price(path, self.book.column[f]) * int(self.tested[sorted(rows)].sum())

    def _best(
        self, rows: frozenset[int], depth: int, leaves: int, path: frozenset[int] = frozenset(), top: bool = True
    ) -> int:
        best = self.leaf(rows)
        if depth == 0 or leaves == 1:
            return best
        for f, rank in enumerate(self.problem.rank):
            column = self.book.column[f]
            if not self.book.permits(path, column, top):
                continue
            price, below = self.question(rows, path, f), path | {column}
            for last in sorted({int(rank[i]) for i in rows})[:-1]:
                low = frozenset(i for i in rows if rank[i] <= last)
                if not (self.allows(low) and self.allows(rows - low)):
                    continue
                for k in range(1, leaves):
                    first = self.best(low, depth - 1, k, below, False)
                    second = self.best(rows - low, depth - 1, leaves - k, below, False)
                    best = min(best, price + first + second)
        return best

    def cost(
        self, splits: dict[int, tuple[int, int]], depth: int, leaves: int, above: frozenset[int], top: bool
    ) -> int:
        """The cost of a tree by its splits, after checking that it satisfies all rules."""
        seen, ends = 0, 0

        def walk(rows: frozenset[int], path: frozenset[int], depth: int, top: bool, slot: int = 0) -> int:
            nonlocal ends, seen
            order, last = splits.get(slot, (-1, -1))
            assert self.allows(rows)
            if order < 0:
                ends += 1
                return self.leaf(rows)
            seen += 1
            assert depth > 0
            assert self.book.permits(path, self.book.column[order], top)
            low = frozenset(i for i in rows if self.problem.rank[order, i] <= last)
            below, price = path | {self.book.column[order]}, self.question(rows, path, order)
            first = walk(low, below, depth - 1, False, 2 * slot + 1)
            return price + first + walk(rows - low, below, depth - 1, False, 2 * slot + 2)

        total = walk(self.everything(), above, depth, top)
        assert ends <= leaves
        assert seen == len(splits)
        return total
