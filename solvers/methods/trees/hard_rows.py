"""Lower bounds from a subset of the rows: every tree costs at least as much on all rows as on a subset.

Rows that small trees misclassify determine most of the cost, and a search over a few hundred of them is far faster. If
a tree below the ceiling exists on the subset, rows that it misclassifies are added to the subset.
"""

from __future__ import annotations

import numpy as np

from ...problem import Orders
from .exact_search import WeightedRows
from .tree_of_splits import Splits, nodes_of

TREES, DEEPER = 10, 2
"""The number of trees that score the rows, each trained on half of them, and their extra depth."""

PER_CELL = 50
"""The time of one such tree, in scanned elements per row and order."""

LEAST, PER_ROW = 500, 16
"""The minimum size of the subset, and its number of rows per average row cost that the ceiling allows."""

MIXED = 5
"""One in this number of rows is random, alternating between the classes; the others are the hardest."""

GROWTH = 0.3
"""The maximum relative growth of the subset per tree, unless more rows are needed to rule the tree out."""


class HardRows:
    """A growing subset of some rows; deterministic.

    Parameters
    ----------
    orders : the orders of the search; depth : the depth of the trees that it searches for.
    among : int64 (n,), the rows from which the subset is taken, sorted.
    """

    def __init__(self, orders: Orders, rows: WeightedRows, depth: int, among: np.ndarray) -> None:
        from sklearn.tree import DecisionTreeClassifier

        n, label = len(among), rows.label[among]
        self._among, self._rank = among, orders.rank[:, among]
        self._row_costs = rows.weight[among][:, None] * rows.error_costs[label]
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
        self._chosen = np.zeros(n, bool)

    @staticmethod
    def work(orders: Orders, n: int) -> int:
        """The time to score `n` rows, in scanned elements."""
        return TREES * PER_CELL * len(orders) * n

    @property
    def index(self) -> np.ndarray:
        """The rows of the subset, int64, sorted."""
        return self._among[self._chosen]

    def grow_for(self, errors: int) -> bool:
        """Enlarge the subset to `PER_ROW` times this number of errors; False if it is then over half of the rows."""
        size = max(LEAST, PER_ROW * errors)
        self._chosen[self._first[:size]] = True
        return 2 * max(size, int(self._chosen.sum())) <= len(self._among)

    def costs(self, splits: Splits, root: int = 0) -> np.ndarray:
        """The cost of every row, int64 (n,), in a tree whose leaves predict the best class on the subset."""
        costs = np.empty(len(self._among), np.int64)
        for slot, rows in nodes_of(self._rank, splits, np.arange(len(self._among)), root):
            if slot not in splits:
                # the best class on the subset; ties are broken by the cost on all rows
                part = self._row_costs[rows[self._chosen[rows]]].sum(axis=0)
                every = self._row_costs[rows].sum(axis=0)
                costs[rows] = self._row_costs[rows, np.lexsort((every, part))[0]]
        return costs

    def add(self, costs: np.ndarray, needed: int) -> bool:
        """Add rows that a tree misclassifies, hardest first, until it costs at least `needed` more on the subset.

        Returns False if there are none.
        """
        self._score += costs > 0
        rows = np.flatnonzero((costs > 0) & ~self._chosen)
        rows = rows[np.argsort(-self._score[rows], kind="stable")]
        enough = int(np.searchsorted(np.cumsum(costs[rows]), needed)) + 1
        self._chosen[rows[: max(enough, int(GROWTH * self._chosen.sum()))]] = True
        return len(rows) > 0
