"""The shared part of the linear programs for trees and for diagrams: cells, their costs, and the rules.

A *place* is a possible position of a split. Rules refer to columns, so all splits on a column count as one feature,
whatever their thresholds or levels. Each rule is one short function, and `POSTS` has them all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from math import gcd
from typing import Any

import numpy as np

from ...constraints.rules import (
    Allowed,
    ApartRule,
    FewColumns,
    MinNodeRowsRule,
    MustAppearRule,
    PathCost,
    PrecedenceRule,
    Pure,
    RuleListRule,
    Rules,
    Sum,
    TestCosts,
    ThresholdRange,
    TogetherRule,
)
from ...problem import Problem
from ..cases import Cases
from ..permitted import permitted_columns, tests_of
from .model import ProgramBuilder, Term


class CellProgram(ABC):
    """A model of a problem; subclasses make the variables and rows of their kind of model.

    Attributes
    ----------
    model : the program under construction.
    cases : the cells; n_cells : their number; n_places : the number of places.
    columns : the columns that may be split on.
    costs : int64 (n_cells, n_classes), the cost of each class above the cheapest, in units of `unit`.
    least : a lower bound on the cost of all trees or diagrams.
    """

    def __init__(self, problem: Problem, rules: Rules, cases: Cases, n_places: int) -> None:
        self.problem, self.rules, self.model = problem, rules, ProgramBuilder()
        self.cases, self.n_cells, self.n_places = cases, len(cases), n_places
        self.unit = gcd(problem.split_penalty, *np.unique(cases.regret).tolist()) or 1
        self.least, self.costs = cases.base, cases.regret // self.unit
        self.columns = sorted(permitted_columns(rules, problem.dataset.n_columns))

    @abstractmethod
    def asks_about(self, columns: Collection[int], place: int) -> np.ndarray:
        """Variables (1, n): one is 1 if the place splits on one of these columns; at most one is 1 per column."""

    @abstractmethod
    def on_some_path(self, place: int, column: int) -> Sequence[np.ndarray]:
        """Variables, each (1, n): in one of them one is 1 if some path to the place splits on the column."""

    @abstractmethod
    def paths(self) -> Iterable[tuple[Sequence[int], np.ndarray]]:
        """Paths through places that together have all paths of a model, and variables (n_links, n).

        The model has a path only if in each row one variable is 1; in no row several are.
        """

    @abstractmethod
    def classes_below(self, place: int) -> np.ndarray:
        """Variables (1, n_classes) that can be 1 only if a leaf below the place predicts the class."""

    @abstractmethod
    def splits_below(self, place: int) -> np.ndarray:
        """Variables (1, n): the number that are 1 is the number of sides of the place that lead to a split."""

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

    def some(self, columns: Collection[int], places: Iterable[int]) -> np.ndarray:
        """A new variable, (1,), that is at least 1 if one of these places splits on one of these columns."""
        # a place that splits on one column has one inequality for all of them, which is stronger
        groups = [columns] if self.problem.size.split_features == 1 else [{column} for column in columns]
        uses = [self.asks_about(group, place) for place in places for group in groups]
        at = np.concatenate([one[0] for one in uses] or [np.empty(0, np.int64)])
        some = self.model.variables((1,), value=lambda x: np.array([float(x[at].sum() > 0.5)]))
        for one in uses:
            self.model.at_most([(1, one), (-1, some[None])], 0)
        return some

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


def not_below(program: CellProgram, rule: PrecedenceRule) -> None:
    """Nanfack et al. (2023), section 4.1: no split on `lower` has a split on `upper` on some path to it."""
    for place in range(program.n_places):
        lower = program.asks_about({rule.lower}, place)
        for upper in program.on_some_path(place, rule.upper):
            program.model.at_most([(1, upper), (1, lower)], 1)


def path_cost(program: CellProgram, rule: PathCost) -> None:
    """Section 4.2: limit the total cost of the tests on each path, each paid once."""
    tests = tests_of(rule.costs)
    everything = sum(cost for _, cost in tests)
    for places, links in program.paths() if everything > rule.limit else ():
        paid = [(cost, program.some(columns, places)[None]) for columns, cost in tests]
        program.model.at_most([*paid, (everything, links.reshape(1, -1))], rule.limit + everything * len(links))


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
    for first, second in program.cases.pairs([rule]).tolist():
        if first != second:
            program.model.equal([(1, program.in_leaves(first)), (-1, program.in_leaves(second))], 0)


def apart(program: CellProgram, rule: ApartRule) -> None:
    """At most one row of a pair is in each leaf."""
    for first, second in program.cases.pairs([rule]).tolist():
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


def must_appear(program: CellProgram, rule: MustAppearRule) -> None:
    """Section 4.6, with an effect: some split on the column has two classes in the leaves below it."""
    counts = program.model.variables((0,))
    for place in range(program.n_places):
        about, below = program.asks_about({rule.column}, place), program.classes_below(place)
        count = program.model.variables((1,), value=partial(_counts, about, below))
        program.model.at_most([(1, count[None]), (-1, about)], 0)
        program.model.at_most([(1, count[None]), (1, program.asking(place)), (-1, below)], 0)
        counts = np.append(counts, count)
    program.model.at_most([(-1, counts[None])], -1)


def _counts(about: np.ndarray, below: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.array([float(x[about].sum() > 0.5 and x[below].sum() > 1.5)])


def few_columns(program: CellProgram, rule: FewColumns) -> None:
    """At most `most` of the columns are split on."""
    columns = sorted(rule.columns.intersection(program.columns))
    used = [program.some({column}, range(program.n_places)) for column in columns]
    program.model.at_most([(1, np.concatenate(used or [np.empty(0, np.int64)])[None])], rule.most)


def reached(program: CellProgram, rule: MinNodeRowsRule) -> None:
    """Florio et al. (2023), equation 20: at least `rows` rows reach a place with a split."""
    for place in range(program.n_places):
        passing, asking = program.passing(place), program.asking(place)
        rows = np.repeat(-program.cases.rows, passing.shape[1])[None]
        program.model.at_most([(rows, passing.reshape(1, -1)), (np.full(asking.shape, rule.rows), asking)], 0)


def chain(program: CellProgram, rule: RuleListRule) -> None:
    """At most one side of a place leads to a split."""
    for place in range(program.n_places):
        program.model.at_most([(1, program.splits_below(place)), (-1, program.asking(place))], 0)


POSTS: dict[type, Callable[[Any, Any], None]] = {
    PrecedenceRule: not_below,
    PathCost: path_cost,
    ThresholdRange: threshold_range,
    Allowed: allowed,
    Pure: pure,
    TogetherRule: together,
    ApartRule: apart,
    Sum: total,
    MustAppearRule: must_appear,
    FewColumns: few_columns,
    MinNodeRowsRule: reached,
    RuleListRule: chain,
}
"""The function that posts each class of rule, for trees and diagrams alike."""
