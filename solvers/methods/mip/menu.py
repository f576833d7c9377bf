"""The possible splits of the nodes, and the rows that they can distinguish.

A *family* is an order of values: the threshold r is the split 'rank <= r'. Families apply the constraints on single
splits, the allowed columns and threshold ranges, so that the model need not.

Rows that no family distinguishes form one *cell*. They share their variables, whatever their classes.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ...constraints.rules import Rules
from ...problem import Predicate, Problem, question_orders
from ..cases import Cases, cases_of
from ..permitted import PermittedSplits


@dataclass(frozen=True)
class Menu:
    """All possible splits of a node.

    Attributes
    ----------
    problem, splits : the families are the searched orders of `splits`, those of a column next to each other.
    cases : the cells.
    rank : int32 (n_families, n_cells): the cell is on the low side of the threshold j if `rank <= j`.
    """

    problem: Problem
    splits: PermittedSplits
    cases: Cases
    rank: np.ndarray

    def __len__(self) -> int:
        return len(self.splits.searched)

    @property
    def n_cells(self) -> int:
        """The number of cells."""
        return len(self.cases)

    @property
    def column(self) -> np.ndarray:
        """The column of each family, int32 (n_families,)."""
        return self.splits.searched.column

    @property
    def n_cuts(self) -> np.ndarray:
        """The number of thresholds of each family, int64 (n_families,)."""
        return np.array([len(ranks) for ranks in self.splits.lasts], np.int64)

    def of(self, columns: Collection[int]) -> np.ndarray:
        """The families on any of these columns, int64."""
        return np.flatnonzero(np.isin(self.column, list(columns)))

    def places(self, predicate: Predicate) -> tuple[tuple[int, int, bool], ...]:
        """The splits that divide the rows like a predicate.

        Each is a family, a threshold, and whether the predicate's yes side is the side of the low ranks.
        """
        return tuple(self.splits.like(self.problem.dataset, predicate))


def menu_of(problem: Problem, rules: Rules) -> Menu:
    """The menu of a problem under its rules."""
    splits = PermittedSplits.of(question_orders(problem.dataset), rules)
    cases = cases_of(problem, splits.searched.rank)
    return Menu(problem, splits, cases, splits.searched.rank[:, cases.first])


def surely_has_more_cells(problem: Problem, rules: Rules, most: int) -> bool:
    """Whether a sample of the rows, spread over the table, shows that its menu has more than `most` cells.

    The time does not grow with the number of rows, so a screen can call it after every click.
    """
    if problem.dataset.n_samples <= most:
        return False
    dataset = problem.dataset.spread(4 * max(most, 1))
    rank = PermittedSplits.of(question_orders(dataset), rules).searched.rank
    return bool(len(rank)) and np.unique(rank, axis=1).shape[1] > most
