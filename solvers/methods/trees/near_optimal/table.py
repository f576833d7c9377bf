"""A problem for the enumeration: cells of rows that no split separates, and their costs."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ....constraints import rules_of
from ....constraints.rules import Allowed, Rules, ThresholdRange
from ....problem import Problem, question_orders
from ..coupled.rule_arrays import Posted, post

Rows = np.ndarray
"""The cells of a node, int64 (n,), ascending."""


@dataclass(frozen=True)
class CellTable:
    """The cells of a problem.

    Attributes
    ----------
    problem : the problem.
    posted : the permitted splits, and the cells as rows of arrays for lower bounds.
    base : int64 (n_cells,), the minimum cost of each cell over all predictions.
    cost : int64 (n_cells, n_classes), the cost above `base` by prediction.
    column : int64 (n_orders,), the column of each order.
    manifold : bool (n_orders,), whether other orders have the same column, so that splits may coincide.
    most_leaves : the maximum number of leaves.
    """

    problem: Problem
    posted: Posted
    base: np.ndarray
    cost: np.ndarray
    column: np.ndarray
    manifold: np.ndarray
    most_leaves: int

    @property
    def constant(self) -> int:
        """The minimum cost of all trees, because cells have rows of several classes."""
        return int(self.base.sum())

    @property
    def n_columns(self) -> int:
        """The number of columns of the table."""
        return self.problem.dataset.n_columns

    @property
    def rank(self) -> np.ndarray:
        """The rank of each cell in each order, int32 (n_orders, n_cells)."""
        return self.posted.orders.rank

    @cached_property
    def by_class(self) -> np.ndarray:
        """The costs by prediction first, int64 (n_classes, n_cells)."""
        return np.ascontiguousarray(self.cost.T)

    @property
    def everything(self) -> Rows:
        """All cells."""
        return np.arange(len(self.base))

    def member(self, rows: Rows) -> np.ndarray:
        """The set of cells as a mask, uint8 (n_cells,)."""
        member = np.zeros(len(self.base), np.uint8)
        member[rows] = 1
        return member

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number and the weight of the rows of each cell, int64 (n_cells, 2)."""
        return np.column_stack((self.posted.leaves.number, self.posted.leaves.by_class.sum(axis=1)))

    def large(self, first: np.ndarray, every: np.ndarray) -> np.ndarray:
        """Whether sides of these sizes, int64 (..., 2), and the rest of `every`, int64 (2,), may be leaves."""
        return np.asarray((np.minimum(first, every - first) >= self.posted.leaves.least).all(axis=-1))

    def leaf_costs(self, rows: Rows) -> np.ndarray:
        """The cost of a leaf of these cells by prediction, int64 (n_classes,)."""
        return np.asarray(self.cost[rows].sum(axis=0))

    def first_side(self, order: int, last: int, rows: Rows) -> np.ndarray:
        """Which of the cells are on the first side of a split, bool (n,)."""
        return np.asarray(self.rank[order, rows] <= last)

    def answers_alike(self, rows: Rows) -> bool:
        """Whether every leaf of any of these cells has the same prediction, so that no split is useful."""
        return bool((self._cheapest[rows] == self._cheapest[rows[0]]).all())

    @cached_property
    def _cheapest(self) -> np.ndarray:
        return np.asarray(self.cost.argmin(axis=1))


def cell_table(problem: Problem, without: frozenset[int] = frozenset()) -> CellTable:
    """The cells of a problem for trees without splits on the columns `without`.

    Of the constraints, only those that exclude columns or thresholds are applied; others must be checked tree by tree.
    """
    n_columns, depth = problem.dataset.n_columns, problem.size.max_depth
    path = [
        r for r in rules_of(problem).path if isinstance(r, Allowed | ThresholdRange) and not getattr(r, "at_root", 0)
    ]
    rules = Rules(path=(*path, Allowed(frozenset(range(n_columns)) - without)))
    posted = post(problem, question_orders(problem.dataset), rules)
    amount = posted.sums.amount[:, :, 0]
    base, column = amount.min(axis=1), posted.orders.column.astype(np.int64)
    most = 2**depth if problem.size.max_leaf_nodes is None else min(2**depth, problem.size.max_leaf_nodes)
    manifold = np.bincount(column, minlength=n_columns)[column] > 1
    return CellTable(problem, posted, base, amount - base[:, None], column, manifold, most)
