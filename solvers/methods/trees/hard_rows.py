"""Lower bounds from disjoint subsets of the rows: every tree costs at least as much on all rows as on them together.

Rows that small trees misclassify determine most of the cost, and a search over a few hundred of them is far faster. If
a tree below the ceiling exists on a subset, rows that it misclassifies are added to the subset. Two small ceilings on
two subsets take less time than one ceiling of their sum on both together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...problem import Orders
from .exact_search import Splits, WeightedRows

TREES, DEEPER = 20, 2
"""The number of trees that score the rows, each trained on half of them, and their extra depth."""

PER_CELL = 50
"""The time of one such tree, in scanned elements per row and order."""

PARTS = 4
"""The maximum number of subsets."""

LEAST, PER_ROW = 500, 16
"""The minimum size of a subset, and its number of rows per average row cost that the ceiling allows."""

MIXED = 5
"""One in this number of rows is random, alternating between the classes; the others are the hardest."""

GROWTH = 0.3
"""The maximum relative growth of a subset per tree, unless more rows are needed to rule the tree out."""


@dataclass(eq=False)
class Part:
    """A subset of the rows: those of its share that are in `chosen`.

    bound : the lower bound on the cost of every tree on the subset.
    effort : elements scanned per unit of the bound, at the last ceiling; 0 before the first.
    """

    share: np.ndarray
    chosen: np.ndarray
    bound: int = 0
    effort: float = 0.0

    def join(self, other: Part) -> None:
        """Take the rows and the bound of another part."""
        self.share, self.chosen = self.share | other.share, self.chosen | other.chosen
        self.bound, self.effort = self.bound + other.bound, max(self.effort, other.effort)


class HardRows:
    """Growing, disjoint `parts` of the rows `index`; deterministic.

    Parameters
    ----------
    orders : the orders of the search; depth : the depth of the trees that it searches for.
    index : int64 (n,), the rows to divide.
    """

    def __init__(self, orders: Orders, rows: WeightedRows, depth: int, index: np.ndarray) -> None:
        from sklearn.tree import DecisionTreeClassifier

        n, label = len(index), rows.label[index]
        self._index, self._rank = index, orders.rank[:, index]
        self._row_costs = rows.weight[index][:, None] * rows.error_costs[label]
        random, values = np.random.default_rng(0), self._rank.T.astype(np.float32)
        self._score = random.random(n) / 2
        for seed in range(TREES):
            half = random.choice(n, max(1, n // 2), replace=False)
            tree = DecisionTreeClassifier(max_depth=depth + DEEPER, max_features=0.5, random_state=seed)
            self._score += tree.fit(values[half], label[half]).predict(values) != label
        shuffled, turn = random.permutation(n), np.empty(n, np.int64)
        for each in range(rows.n_labels):
            mine = shuffled[label[shuffled] == each]
            turn[mine] = np.arange(len(mine))
        place = np.empty((2, n), np.float64)
        place[0, np.argsort(-self._score, kind="stable")] = np.arange(n) / (MIXED - 1)
        place[1, np.argsort(turn, kind="stable")] = np.arange(n)
        self._first = np.argsort(place.min(axis=0), kind="stable")
        turn[self._first] = np.arange(n)
        number = min(PARTS, max(1, n // LEAST))
        self.parts = [Part(turn % number == k, np.zeros(n, bool)) for k in range(number)]

    @staticmethod
    def work(orders: Orders, n: int) -> int:
        """The time to score `n` rows, in scanned elements."""
        return TREES * PER_CELL * len(orders) * n

    def easiest(self) -> Part:
        """The part whose bound is the least work to raise."""
        return min(self.parts, key=lambda part: part.effort)

    def grow_for(self, part: Part, errors: int) -> bool:
        """Enlarge a part to `PER_ROW` times this number of errors; False if it is then over half of the rows."""
        mine = self._first[part.share[self._first]]
        part.chosen[mine[: max(LEAST, PER_ROW * errors)]] = True
        return 2 * int(part.chosen.sum()) <= len(self._index)

    def index(self, part: Part) -> np.ndarray:
        """The rows of a part, int64, sorted."""
        return self._index[part.chosen]

    def costs(self, part: Part, splits: Splits, root: int = 0) -> np.ndarray:
        """The cost of every row, int64 (n,), in a tree whose leaves predict the best class on a part."""
        costs = np.empty(len(self._index), np.int64)
        todo = [(root, np.arange(len(self._index)))]
        while todo:
            slot, rows = todo.pop()
            if slot in splits:
                order, last = splits[slot]
                low = self._rank[order, rows] <= last
                todo += [(2 * slot + 1, rows[low]), (2 * slot + 2, rows[~low])]
            else:
                # the best class on the part; ties are broken by the cost on all rows
                among = self._row_costs[rows[part.chosen[rows]]].sum(axis=0)
                every = self._row_costs[rows].sum(axis=0)
                costs[rows] = self._row_costs[rows, np.lexsort((every, among))[0]]
        return costs

    def add(self, part: Part, costs: np.ndarray, needed: int) -> bool:
        """Add rows that a tree misclassifies, hardest first, until it costs at least `needed` more on the part.

        If its share has no such row, the next part joins it. Returns False if there is neither.
        """
        self._score += costs > 0
        rows = np.flatnonzero((costs > 0) & part.share & ~part.chosen)
        if not len(rows):
            others = [other for other in self.parts if other is not part]
            if others:
                part.join(others[0])
                self.parts.remove(others[0])
            return bool(others)
        rows = rows[np.argsort(-self._score[rows], kind="stable")]
        enough = int(np.searchsorted(np.cumsum(costs[rows]), needed)) + 1
        part.chosen[rows[: max(enough, int(GROWTH * part.chosen.sum()))]] = True
        return True
