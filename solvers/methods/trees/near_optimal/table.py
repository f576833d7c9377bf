"""A problem for the enumeration: cells of rows that no split separates, and their costs."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ....constraints import rules_of
from ....constraints.rules import Allowed, Rules, ThresholdRange
from ....kernels.near_splits import CellRows, Scratch, scratch
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
    posted : the permitted splits, and the arrays for lower bounds.
    cells, space : inputs of the kernels. Costs are relative: for all cells together, `constant` is added.
    base : int64 (n_cells,), the minimum cost of each cell over all predictions.
    column : int64 (n_orders,), the column of each order.
    manifold : bool (n_orders,), whether other orders have the same column, so that splits may coincide.
    most_leaves : the maximum number of leaves.
    """

    problem: Problem
    posted: Posted
    cells: CellRows
    space: Scratch
    base: np.ndarray
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
    def everything(self) -> Rows:
        """All cells."""
        return np.arange(len(self.base))

    def member(self, rows: Rows) -> np.ndarray:
        """The set of cells as a mask, bool (n_cells,)."""
        member = np.zeros(len(self.base), bool)
        member[rows] = True
        return member

    def leaf_costs(self, rows: Rows) -> np.ndarray:
        """The cost of a leaf of these cells by prediction, int64 (n_classes,)."""
        return np.asarray(self.cells.cost[rows].sum(axis=0))

    def first_side(self, order: int, last: int, rows: Rows) -> np.ndarray:
        """Which of the cells are on the first side of a split, bool (n,)."""
        return np.asarray(self.cells.rank[order, rows] <= last)

    def answers_alike(self, rows: Rows) -> bool:
        """Whether every leaf of any of these cells has the same prediction, so that no split is useful."""
        return bool((self._cheapest[rows] == self._cheapest[rows[0]]).all())

    @cached_property
    def _cheapest(self) -> np.ndarray:
        return np.asarray(self.cells.cost.argmin(axis=1))


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
    base = amount.min(axis=1)
    leaves, column = posted.leaves, posted.orders.column.astype(np.int64)
    rank, weight = posted.orders.rank, leaves.by_class.sum(axis=1)
    cells = CellRows(rank, amount - base[:, None], leaves.number, weight, leaves.least)
    most = 2**depth if problem.size.max_leaf_nodes is None else min(2**depth, problem.size.max_leaf_nodes)
    manifold = np.bincount(column, minlength=n_columns)[column] > 1
    return CellTable(problem, posted, cells, scratch(cells), base, column, manifold, most)
