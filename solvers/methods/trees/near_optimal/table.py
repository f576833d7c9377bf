"""A problem as the enumeration sees it: cells of rows that no question tells apart, and what their answers cost."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from solvers.constraints import rules_of
from solvers.kernels.near_splits import CellRows, Scratch, scratch
from solvers.methods.cells import added_up
from solvers.methods.trees.path_rules import SearchSpace, search_space
from solvers.problem import Orders, Problem, question_orders

Rows = np.ndarray
"""The cells of a node, int64 (n,), rising."""


@dataclass(frozen=True)
class CellTable:
    """The cells of a problem.

    Attributes
    ----------
    problem : what is asked.
    questions : what may be asked; orders : `questions.searched` with one rank where a column is left out.
    cells, space : for the kernels. Costs are relative: those of `constant` come on top for all cells together.
    base : int64 (n_cells,), what each cell costs whatever is answered.
    cell : int64 (n_samples,), the cell of each row.
    column : int64 (n_orders,), the column of each order.
    manifold : bool (n_orders,), whether other orders ask about the same column, so that two may split a node alike.
    most_leaves : the largest number of leaves.
    """

    problem: Problem
    questions: SearchSpace
    orders: Orders
    cells: CellRows
    space: Scratch
    base: np.ndarray
    cell: np.ndarray
    column: np.ndarray
    manifold: np.ndarray
    most_leaves: int

    @property
    def constant(self) -> int:
        """What all trees cost at least, because cells hold rows of several classes."""
        return int(self.base.sum())

    @property
    def n_columns(self) -> int:
        """The columns of the table."""
        return self.problem.dataset.n_columns

    @property
    def everything(self) -> Rows:
        """All cells."""
        return np.arange(len(self.base))

    def member(self, rows: Rows) -> np.ndarray:
        """Which cells are among some, bool (n_cells,)."""
        member = np.zeros(len(self.base), bool)
        member[rows] = True
        return member

    def leaf_costs(self, rows: Rows) -> np.ndarray:
        """What a leaf of these cells costs by its answer, int64 (n_classes,)."""
        return np.asarray(self.cells.cost[rows].sum(axis=0))

    def first_side(self, order: int, last: int, rows: Rows) -> np.ndarray:
        """Which of the cells are on the first side of a question, bool (n,)."""
        return np.asarray(self.cells.rank[order, rows] <= last)

    def answers_alike(self, rows: Rows) -> bool:
        """Whether every leaf of any of these cells answers the same, so that no question is of use."""
        return bool((self._cheapest[rows] == self._cheapest[rows[0]]).all())

    @cached_property
    def _cheapest(self) -> np.ndarray:
        return np.asarray(self.cells.cost.argmin(axis=1))


def cell_table(problem: Problem, without: frozenset[int] = frozenset()) -> CellTable:
    """The cells of a problem for trees; the columns `without` are not asked about.

    Of constraints those are kept that leave out columns or thresholds; others must be checked tree by tree.
    """
    questions = search_space(problem, question_orders(problem.dataset), rules_of(problem))
    dataset, searched = problem.dataset, questions.searched
    searchable = ~np.isin(searched.column, list(without))
    # an order that is not asked has one rank, so that the numbers of the others stay
    ranks = np.ascontiguousarray(np.where(searchable[:, None], searched.rank, 0).astype(np.int32))
    rank, cell = np.unique(ranks, axis=1, return_inverse=True)
    cell, n_cells = cell.ravel().astype(np.int64), rank.shape[1]
    cost = added_up(problem.weights[:, None] * problem.class_costs[dataset.y], cell, n_cells)
    base = cost.min(axis=1)
    weight = added_up(problem.weights, cell, n_cells)
    least = np.array([problem.size.min_samples_leaf, problem.min_weight_leaf], np.int64)
    number = np.bincount(cell, minlength=n_cells).astype(np.int64)
    cells = CellRows(np.ascontiguousarray(rank), cost - base[:, None], number, weight, least)
    column = searched.column.astype(np.int64)
    most = 2**problem.size.max_depth
    if problem.size.max_leaf_nodes is not None:
        most = min(most, problem.size.max_leaf_nodes)
    counts = np.bincount(column, minlength=dataset.n_columns)
    orders = replace(searched, rank=ranks)
    return CellTable(problem, questions, orders, cells, scratch(cells), base, cell, column, counts[column] > 1, most)
