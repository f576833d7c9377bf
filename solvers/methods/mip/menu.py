"""The possible splits of the nodes, and the rows that they can distinguish.

A *family* is an order of values with a range of thresholds: the threshold r is the split 'rank <= r'. Families apply
the constraints on single splits, the allowed columns and threshold ranges, so that the model need not.

Rows that no family distinguishes form one *cell*. They share their variables, whatever their classes.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ...constraints.rules import Rules
from ...problem import Dataset, Op, Orders, Predicate, Problem, question_orders
from ...problem.threshold_set import ThresholdSet
from ..cases import Cases, cases_of
from ..permitted import EVERYWHERE, permitted_columns, permitted_thresholds, splits_like


@dataclass(frozen=True)
class ThresholdFamily:
    """The splits 'rank <= r' of one order for first <= r <= last; `column` is its position in the schema."""

    order: int
    column: int
    first: int
    last: int


@dataclass(frozen=True)
class Menu:
    """All possible splits of a node.

    Attributes
    ----------
    problem, orders : the source of the splits.
    families : the families, those of a column next to each other.
    cases : the cells.
    rank : int32 (n_families, n_cells), the number of thresholds of the family below the cell: the cell is on the yes
        side of the threshold first + j if `rank <= j`.
    permitted : the permitted thresholds of each restricted column.
    """

    problem: Problem
    orders: Orders
    families: tuple[ThresholdFamily, ...]
    cases: Cases
    rank: np.ndarray
    permitted: dict[int, ThresholdSet]

    def __len__(self) -> int:
        return len(self.families)

    @property
    def n_cells(self) -> int:
        """The number of cells."""
        return len(self.cases)

    @property
    def n_cuts(self) -> np.ndarray:
        """The number of thresholds of each family, int64 (n_families,)."""
        return np.array([family.last - family.first + 1 for family in self.families], np.int64)

    def of(self, columns: Collection[int]) -> np.ndarray:
        """The families on any of these columns, int64."""
        return np.array([f for f, family in enumerate(self.families) if family.column in columns], np.int64)

    def places(self, predicate: Predicate) -> tuple[tuple[int, int, bool], ...]:
        """The splits that divide the rows like a predicate.

        Each is a family, a threshold, and whether the predicate's yes side is the side of the low ranks.
        """
        schema = self.problem.dataset.schema
        column = schema.index(predicate.column)
        permitted = self.permitted.get(column, EVERYWHERE)
        if predicate.value is not None and predicate.op is Op.LE and predicate.value not in permitted:
            return ()
        yes = predicate.answer(self.problem.dataset.X[:, column])
        places = []
        for f in self.of({column}):
            family = self.families[f]
            for last, low_is_yes in splits_like(self.orders.rank[family.order], yes):
                if family.first <= last <= family.last:
                    places.append((int(f), last - family.first, low_is_yes))
        return tuple(places)


def menu_of(problem: Problem, orders: Orders, rules: Rules) -> Menu:
    """The menu of a problem under its rules."""
    families = _families(orders, rules, problem.dataset.n_columns)
    ranks = _ranks(problem.dataset, orders, families)
    cases = cases_of(problem, ranks)
    return Menu(problem, orders, families, cases, ranks[:, cases.first], permitted_thresholds(rules))


def surely_has_more_cells(problem: Problem, rules: Rules, most: int) -> bool:
    """Whether a sample of the rows, spread over the table, shows that its menu has more than `most` cells.

    The time does not grow with the number of rows, so a screen can call it after every click.
    """
    if problem.dataset.n_samples <= most:
        return False
    dataset = problem.dataset.spread(4 * max(most, 1))
    orders = question_orders(dataset)
    families = _families(orders, rules, dataset.n_columns)
    return bool(families) and np.unique(_ranks(dataset, orders, families), axis=1).shape[1] > most


def _families(orders: Orders, rules: Rules, n_columns: int) -> tuple[ThresholdFamily, ...]:
    columns, permitted = permitted_columns(rules, n_columns), permitted_thresholds(rules)
    return tuple(
        ThresholdFamily(order, column, first, last)
        for order, column in enumerate(orders.column.tolist())
        if column in columns
        for first, last in _cuts(orders, order, permitted.get(column, EVERYWHERE))
    )


def _ranks(dataset: Dataset, orders: Orders, families: Collection[ThresholdFamily]) -> np.ndarray:
    """The number of thresholds of each family below each row, int32 (n_families, n_samples)."""
    ranks = [np.clip(orders.rank[f.order], f.first, f.last + 1) - f.first for f in families]
    return np.array(ranks, np.int32).reshape(len(families), dataset.n_samples)


def _cuts(orders: Orders, order: int, permitted: ThresholdSet) -> list[tuple[int, int]]:
    """The nonempty ranges of thresholds of an order.

    In an order with missing values last, the threshold 'known or missing' is omitted: it is 'is missing' with swapped
    sides, which the twin of the order has. So the low ranks are the yes side of every split of a menu.
    """
    values, permits = orders.orders[order].values, orders.permits(order, permitted)
    if len(values) and np.isnan(values[-1]):
        permits = permits[:-1]
    fits = np.flatnonzero(permits)
    # a grid of thresholds leaves several ranges of adjacent thresholds
    runs = np.split(fits, np.flatnonzero(np.diff(fits) > 1) + 1)
    return [(int(run[0]), int(run[-1])) for run in runs if len(run)]
