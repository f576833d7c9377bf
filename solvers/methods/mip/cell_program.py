"""The shared part of the linear programs for trees and for diagrams: cells, their costs, and the rules.

A *place* is a possible position of a split. Rules refer to columns, so all splits on a column count as one feature,
whatever their thresholds or levels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from functools import cached_property
from math import gcd
from typing import Any

import numpy as np

from ...constraints.rules import (
    Allowed,
    ApartRule,
    FewColumns,
    MinNodeRowsRule,
    NeverBoth,
    Pure,
    Rules,
    Sum,
    TestCosts,
    ThresholdRange,
    TogetherRule,
)
from ...problem import Problem
from ..cases import Cases
from .model import ProgramBuilder, Term


class CellProgram(ABC):
    """A model of a problem; subclasses make the variables and rows of their kind of model.

    Attributes
    ----------
    model : the program under construction.
    cases : the cells; n_cells : their number; n_places : the number of places.
    costs : int64 (n_cells, n_classes), the cost of each class above the cheapest, in units of `unit`.
    least : a lower bound on the cost of all trees or diagrams.
    """

    def __init__(self, problem: Problem, rules: Rules, cases: Cases, n_places: int) -> None:
        self.problem, self.rules, self.model = problem, rules, ProgramBuilder()
        self.cases, self.n_cells, self.n_places = cases, len(cases), n_places
        self.unit = gcd(problem.split_penalty, *np.unique(cases.regret).tolist()) or 1
        self.least, self.costs = cases.base, cases.regret // self.unit

    @abstractmethod
    def asks_about(self, columns: Collection[int], place: int) -> np.ndarray:
        """Variables (1, n): one is 1 if the place splits on one of these columns; at most one is 1 per column."""

    @abstractmethod
    def some(self, columns: Collection[int], places: Collection[int]) -> np.ndarray:
        """A new variable, (1,), that is at least 1 if one of these places splits on one of these columns."""

    @abstractmethod
    def passing(self, place: int) -> np.ndarray:
        """Variables (n_cells, n): one is 1 if the cell passes the place."""

    @abstractmethod
    def asking(self, place: int) -> np.ndarray:
        """Variables (1, n): one is 1 if the place has a split."""

    @property
    @abstractmethod
    def answers_of_cells(self) -> np.ndarray:
        """Variables that are 1 if a cell gets a class, (n_cells, n_branches, n_classes)."""

    @property
    @abstractmethod
    def leaves(self) -> np.ndarray:
        """Variables (1, n): the number that are 1 is the number of leaves."""

    @abstractmethod
    def in_leaves(self, cell: int) -> np.ndarray:
        """Variables by leaf, (n_leaves, n): one is 1 if the cell is in the leaf."""

    @abstractmethod
    def paid(self, costs: TestCosts, weight: np.ndarray) -> list[tuple[int, np.ndarray]]:
        """The test costs of the rows of all cells, with these weights int64 (n_cells,), as terms."""

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """The columns that may be split on."""
        return tuple(range(self.problem.dataset.n_columns))

    def post(self, posts: dict[type, Callable[[Any, Any], None]]) -> None:
        """Post all rules, each with the function for its class."""
        for rule in self.rules.every:
            posts[type(rule)](self, rule)


def threshold_range(program: CellProgram, rule: ThresholdRange) -> None:
    """Only splits with a threshold in the range exist, see `permitted`."""


def allowed(program: CellProgram, rule: Allowed) -> None:
    """At the root, forbid splits on other columns; elsewhere, only splits on the allowed columns exist."""
    if rule.at_root and program.n_places:
        others = set(range(program.problem.dataset.n_columns)) - rule.columns
        program.model.limit(program.asks_about(others, 0), high=0)


def pure(program: CellProgram, rule: Pure) -> None:
    """In each leaf that predicts k: weight of k >= share * weight of the leaf. All cells of such a leaf get k."""
    labels = range(program.costs.shape[1]) if rule.label is None else [rule.label]
    for label in labels:
        held = program.cases.class_weight[:, label]
        lacking = rule.share.numerator * program.cases.weight - rule.share.denominator * held
        small = lacking // (np.gcd.reduce(lacking) or 1)
        program.model.at_most([(small[None], program.answers_of_cells[:, :, label].T)], 0)


def together(program: CellProgram, rule: TogetherRule) -> None:
    """Both rows of a pair are in the same leaf."""
    for first, second in program.cases.pairs(rule.pairs):
        if first != second:
            program.model.equal([(1, program.in_leaves(first)), (-1, program.in_leaves(second))], 0)


def apart(program: CellProgram, rule: ApartRule) -> None:
    """At most one row of a pair is in each leaf."""
    for first, second in program.cases.pairs(rule.pairs):
        if first == second:
            program.model.never()
        else:
            program.model.at_most([(1, program.in_leaves(first)), (1, program.in_leaves(second))], 1)


def total(program: CellProgram, rule: Sum) -> None:
    """Accuracy and fairness by the sums of the cells under their predictions, tests by their costs."""
    by_cell = program.cases.total(rule.by_label)
    tests: list[tuple[int, np.ndarray]] = []
    if rule.tests is not None and rule.test_weight is not None:
        tests = program.paid(rule.tests, program.cases.total(rule.test_weight))
    unit = gcd(rule.per_leaf, *np.unique(by_cell).tolist(), *(cost for cost, _ in tests)) or 1
    ends = program.answers_of_cells
    added: Term = (np.broadcast_to(by_cell[:, None] // unit, ends.shape).reshape(1, -1), ends.reshape(1, -1))
    paid = [(cost // unit, at) for cost, at in tests]
    program.model.at_most([added, (rule.per_leaf // unit, program.leaves), *paid], rule.limit // unit)


def never_both(program: CellProgram, rule: NeverBoth) -> None:
    """One of the two columns is not split on anywhere, for any number of leaves."""
    places = range(program.n_places)
    first, second = ([program.asks_about({column}, place) for place in places] for column in (rule.first, rule.second))
    at = np.concatenate([one[0] for one in first] or [np.empty(0, np.int64)])
    choice = program.model.variables((1,), whole=True, value=lambda x: np.array([float(x[at].sum() > 0.5)]))
    for place in places:
        program.model.at_most([(1, first[place]), (-1, choice[None])], 0)
        program.model.at_most([(1, second[place]), (1, choice[None])], 1)


def few_columns(program: CellProgram, rule: FewColumns) -> None:
    """At most `most` columns are split on."""
    used = [program.some({column}, range(program.n_places)) for column in program.columns]
    program.model.at_most([(1, np.concatenate(used or [np.empty(0, np.int64)])[None])], rule.most)


def reached(program: CellProgram, rule: MinNodeRowsRule) -> None:
    """Florio et al. (2023), equation 20: at least `rows` rows reach a place with a split."""
    for place in range(program.n_places):
        passing, asking = program.passing(place), program.asking(place)
        rows = np.repeat(-program.cases.rows, passing.shape[1])[None]
        program.model.at_most([(rows, passing.reshape(1, -1)), (np.full(asking.shape, rule.rows), asking)], 0)


POSTS: dict[type, Callable[[Any, Any], None]] = {
    ThresholdRange: threshold_range,
    Allowed: allowed,
    Pure: pure,
    TogetherRule: together,
    ApartRule: apart,
    Sum: total,
    NeverBoth: never_both,
    FewColumns: few_columns,
    MinNodeRowsRule: reached,
}
"""The rules that are posted alike for trees and diagrams, with their functions."""
