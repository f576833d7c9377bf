"""Random rank problems for the kernels, and an obvious solution of each."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numba import config

from solvers.kernels.tree_search import TreeSearch


def seeds(block: int) -> range:
    """The seeds of a block of tests: 40, or 8 without compilation, which takes a hundred times longer."""
    return range(40 * block, 40 * block + (8 if config.DISABLE_JIT else 40))


def run(search: TreeSearch, budget: int = 1) -> TreeSearch:
    """The search after its end, in steps of some work."""
    while not search.advance(budget):
        pass
    return search


class RankProblem(NamedTuple):
    """Rows as ranks: rank (n_orders, n), label (n,), weight (n,), twins and missing ranks (n_orders,)."""

    rank: np.ndarray
    label: np.ndarray
    weight: np.ndarray
    twin: np.ndarray
    missing: np.ndarray
    n_classes: int


def random_problem(seed: int, max_rows: int = 14, max_orders: int = 4) -> RankProblem:
    """A problem with frequent ties, constant orders, absent classes, weights and columns with missing values."""
    rng = np.random.default_rng(seed)
    n, n_classes = int(rng.integers(1, max_rows + 1)), int(rng.integers(2, 6))
    ranks, twin, missing = [], [], []
    while len(ranks) < int(rng.integers(1, max_orders + 1)):
        value = np.unique(rng.integers(0, rng.integers(1, n + 2), n), return_inverse=True)[1]
        gone = rng.random(n) < 0.3
        if rng.random() < 0.4 and gone.any() and not gone.all():
            known = np.unique(value[~gone], return_inverse=True)[1]
            first, last = np.zeros(n, int), np.full(n, known.max() + 1)
            first[~gone], last[~gone] = known + 1, known
            twin += [-1, len(ranks)]
            missing += [0, int(last.max())]
            ranks += [first, last]
        else:
            twin.append(-1)
            missing.append(-1)
            ranks.append(value)
    weight = rng.integers(1, 6, n) if rng.random() < 0.4 else np.ones(n, int)
    unit = int(rng.choice([1, 20_000, 10**11], p=[0.8, 0.1, 0.1]))  # for lanes of 16, 32 and 64 bits
    weight = weight * unit + rng.integers(0, unit, n)
    label = rng.integers(0, rng.integers(1, n_classes + 1), n)
    return RankProblem(
        np.array(ranks, np.int32), label, weight, np.array(twin, np.int32), np.array(missing, np.int32), n_classes
    )


class Oracle:
    """Optimal costs of a rank problem, over all thresholds of all orders and all divisions of the leaf limit.

    A set of rows is a frozenset of row numbers; `split` is the split penalty; `least_rows` and `least_weight` are the
    minimum of a leaf. With a `unit` above 1 all costs are multiplied by it, and each split costs 1 more. If `free`, the
    first split has no penalty.
    """

    def __init__(
        self,
        problem: RankProblem,
        split: int = 0,
        least_rows: int = 0,
        least_weight: int = 0,
        costs: np.ndarray | None = None,
        unit: int = 1,
        free: bool = False,
    ) -> None:
        self.problem, self.split, self.unit = problem, split * unit + (unit > 1), unit
        self.saved = split * unit if free else 0
        self.costs = 1 - np.eye(problem.n_classes, dtype=int) if costs is None else costs
        self.least_rows, self.least_weight = least_rows, least_weight
        self.best = cache(self._best)

    def allows(self, rows: frozenset[int]) -> bool:
        """Whether these rows may be a leaf; an empty set may, because it is no leaf."""
        weight = sum(int(self.problem.weight[i]) for i in rows)
        return not rows or (len(rows) >= self.least_rows and weight >= self.least_weight)

    def leaf(self, rows: frozenset[int]) -> int:
        """The cost of one leaf."""
        index = sorted(rows)
        totals = np.bincount(self.problem.label[index], self.problem.weight[index], self.problem.n_classes)
        return int((totals @ self.costs).min()) * self.unit

    def optimum(self, depth: int, leaves: int = 10**6) -> int:
        """The cost of the best tree for all rows."""
        rows, best = self.everything(), self.best(self.everything(), 0)
        if depth and leaves > 1:
            trees = (self.rooted(rows, depth, f, leaves) for f in range(len(self.problem.rank)))
            best = min(best, min(trees) - self.saved)
        return best

    def _best(self, rows: frozenset[int], depth: int, leaves: int = 10**6) -> int:
        if not rows:
            return 0
        if depth == 0 or leaves == 1:
            return self.leaf(rows)
        trees = (self.rooted(rows, depth, f, leaves) for f in range(len(self.problem.rank)))
        return min(self.leaf(rows), *trees)

    def rooted(self, rows: frozenset[int], depth: int, f: int, leaves: int = 10**6) -> int:
        """The cost of the best tree with order f at the root, whose threshold may also leave all rows on one side."""
        rank = self.problem.rank[f]
        most = 2 ** (depth - 1)
        shares = [(most, most)] if leaves >= 2 * most else [(k, leaves - k) for k in range(1, leaves)]
        best = self.split + self.best(rows, depth - 1, leaves - 1)
        for last in sorted({int(rank[i]) for i in rows})[:-1]:
            low = frozenset(i for i in rows if rank[i] <= last)
            if not (self.allows(low) and self.allows(rows - low)):
                continue
            for k, others in shares:
                best = min(best, self.split + self.best(low, depth - 1, k) + self.best(rows - low, depth - 1, others))
        return best

    def everything(self) -> frozenset[int]:
        """All rows."""
        return frozenset(range(len(self.problem.label)))


class Measured(NamedTuple):
    """The properties of a tree on its rows: cost of the leaves, depth, splits, least rows and weight of a leaf."""

    cost: int
    depth: int
    splits: int
    rows: int
    weight: int


def measure(problem: RankProblem, splits: dict[int, tuple[int, int]], costs: np.ndarray | None = None) -> Measured:
    """Send the rows through the splits of a tree."""
    oracle = Oracle(problem, costs=costs)

    def walk(rows: frozenset[int], slot: int = 0) -> Measured:
        order, last = splits.get(slot, (-1, -1))
        if order < 0:
            weight = sum(int(problem.weight[i]) for i in rows)
            return Measured(oracle.leaf(rows) if rows else 0, 0, 0, len(rows), weight)
        low = frozenset(i for i in rows if problem.rank[order, i] <= last)
        left, right = walk(low, 2 * slot + 1), walk(rows - low, 2 * slot + 2)
        return Measured(
            left.cost + right.cost,
            1 + max(left.depth, right.depth),
            1 + left.splits + right.splits,
            min(left.rows, right.rows),
            min(left.weight, right.weight),
        )

    measured = walk(oracle.everything())
    assert measured.splits == len(splits), "some splits belong to no parent"
    return measured
