"""Rules as CP-SAT constraints: one short function per rule, for trees and decision diagrams alike.

The formulas are those of Nanfack, Temple and Frénay (2023), section 4, with nodes instead of branches, and columns
instead of encoded bits: all thresholds and levels of a column are one feature. A model defines how a case reaches a
node and a leaf (`RuledModel`). It posts by itself what depends only on that: fixed splits, path costs, purity
and monotone predictions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..constraints.rules import (
    Allowed,
    ApartRule,
    FewColumns,
    MinNodeRowsRule,
    MustAppearRule,
    PrecedenceRule,
    PrerequisiteRule,
    RuleListRule,
    Rules,
    Sum,
    ThresholdRange,
    TogetherRule,
)
from .cases import Cases
from .cp_sat import total

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, IntVar, LinearExpr


class RuledModel(ABC):
    """The parts of a model that rules refer to: nodes that may have a split, and leaves that cells reach.

    Attributes
    ----------
    cp : the model of CP-SAT.
    cells : the distinct rows.
    columns : the columns that nodes can split on; n_classes : the number of classes.
    asked : bool variables (n_nodes,), whether a node has a split; node 0 is the root.
    used : bool variables (n_leaves,), whether a row reaches the leaf.
    leaf_of : bool variables (n_cells, n_leaves), the leaf of each cell.
    """

    cp: CpModel
    cells: Cases
    columns: Sequence[int]
    n_classes: int
    asked: Sequence[IntVar]
    used: Sequence[IntVar]
    leaf_of: Sequence[Sequence[IntVar]]

    @abstractmethod
    def about(self, node: int, *columns: int) -> LinearExpr:
        """1 if the split of a node is on one of these columns, else 0."""

    @abstractmethod
    def on_some_path(self, node: int, column: int) -> Sequence[LinearExpr]:
        """Expressions, one of which is 1 if some path to a node splits on the column; all are 0 if none does."""

    @abstractmethod
    def on_every_path(self, node: int, column: int) -> LinearExpr:
        """At least 1 only if every path to a node splits on the column."""

    @abstractmethod
    def reaching(self, by_cell: np.ndarray, node: int) -> LinearExpr:
        """The sum of the values of cells (n_cells,) that reach a node."""

    @abstractmethod
    def answers_below(self, node: int) -> Sequence[Sequence[IntVar]]:
        """By class, literals of which one is true only if a leaf below a node predicts the class."""

    @abstractmethod
    def leaf_sides(self, node: int) -> Sequence[Any]:
        """Literals of which one is true if a child of a node is a leaf."""

    @abstractmethod
    def rows_sum(self, rule: Sum) -> LinearExpr:
        """The total over all rows of prediction values and test costs, or an upper bound on it."""

    def over(self, by_cell: np.ndarray, leaf: int) -> LinearExpr:
        """The sum of the values of cells (n_cells,) that reach a leaf."""
        return weigh(by_cell, [at[leaf] for at in self.leaf_of])

    def post(self, rules: Rules, posts: Mapping[type, Callable[[Any, Any], object]]) -> None:
        """Post the rules whose class is in `posts`."""
        for rule in rules.every:
            if type(rule) in posts:
                posts[type(rule)](self, rule)

    def post_leaf_sizes(self, rows: int, weight: int) -> None:
        """Used leaves have at least one row, and the minimum number of rows and weight."""
        for leaf, used in enumerate(self.used):
            if rows > 1:
                self.cp.add(self.over(self.cells.rows, leaf) >= rows).only_enforce_if(used)
            else:
                some = np.flatnonzero(self.cells.rows).tolist()
                self.cp.add_bool_or([self.leaf_of[cell][leaf] for cell in some]).only_enforce_if(used)
            if weight > 0:
                self.cp.add(self.over(self.cells.weight, leaf) >= weight).only_enforce_if(used)


def weigh(amounts: np.ndarray, literals: Sequence[IntVar]) -> LinearExpr:
    """The sum of the amounts whose literals are true."""
    from ortools.sat.python.cp_model import LinearExpr

    some = np.flatnonzero(amounts)
    return LinearExpr.weighted_sum([literals[i] for i in some.tolist()], amounts[some].tolist())


# Paths


def post_not_below(model: RuledModel, rule: PrecedenceRule) -> None:
    """Section 4.1: no path to a split on the lower column has a split on the upper one."""
    for node in range(len(model.asked)):
        for above in model.on_some_path(node, rule.upper):
            model.cp.add(above + model.about(node, rule.lower) <= 1)


def post_only_below(model: RuledModel, rule: PrerequisiteRule) -> None:
    """Every path to a split on the column has a split on the upper one."""
    for node in range(len(model.asked)):
        model.cp.add(model.about(node, rule.column) <= model.on_every_path(node, rule.upper))


def post_allowed(model: RuledModel, rule: Allowed) -> None:
    """The other columns are never used, or not at the root."""
    others = [column for column in model.columns if column not in rule.columns]
    for node in range(len(model.asked[:1] if rule.at_root else model.asked)):
        model.cp.add(model.about(node, *others) == 0)


def post_threshold_range(model: RuledModel, rule: ThresholdRange) -> None:
    """Only splits with a threshold in the range exist, see `permitted`."""


# Leaves


def post_together(model: RuledModel, rule: TogetherRule) -> None:
    """Section 4.5: both rows share a leaf."""
    for first, second in model.cells.pairs([rule]).tolist():
        for here, there in zip(model.leaf_of[first], model.leaf_of[second], strict=True):
            model.cp.add(here == there)


def post_apart(model: RuledModel, rule: ApartRule) -> None:
    """The rows share no leaf; infeasible if no split separates them."""
    for first, second in model.cells.pairs([rule]).tolist():
        for here, there in zip(model.leaf_of[first], model.leaf_of[second], strict=True):
            model.cp.add_bool_or([~here, ~there])


# Sums


def post_sum(model: RuledModel, rule: Sum) -> None:
    """Sections 4.3 and 4.7: the total of rows and leaves is within the limit."""
    # a limit that no model reaches may exceed the range of the solver
    most = rule.most(len(model.leaf_of))
    limit = max(-most - 1, min(rule.limit, most))
    model.cp.add(model.rows_sum(rule) + rule.per_leaf * total(model.used) <= limit)


# The whole model


def post_must_appear(model: RuledModel, rule: MustAppearRule) -> None:
    """Section 4.6; a split counts only if the leaves below it predict more than one class."""
    counts = []
    for node in range(len(model.asked)):
        counts.append(model.cp.new_bool_var(""))
        model.cp.add(model.about(node, rule.column) >= counts[-1])
        below = model.answers_below(node)
        for label in range(model.n_classes):
            others = [answer for k, answers in enumerate(below) if k != label for answer in answers]
            model.cp.add_bool_or(others).only_enforce_if(counts[-1])
    model.cp.add_bool_or(counts)


def post_few_columns(model: RuledModel, rule: FewColumns) -> None:
    """Section 4.6 as intended: the model uses few of the columns. (The paper counts branches, not splits.)"""
    used = []
    for column in sorted(rule.columns.intersection(model.columns)):
        used.append(model.cp.new_bool_var(""))
        for node in range(len(model.asked)):
            model.cp.add(model.about(node, column) <= used[-1])
    model.cp.add(total(used) <= rule.most)


def post_reached(model: RuledModel, rule: MinNodeRowsRule) -> None:
    """Florio et al. (2023), equation 20: at least `rule.rows` rows reach each internal node."""
    for node, asked in enumerate(model.asked):
        model.cp.add(model.reaching(model.cells.rows, node) >= rule.rows).only_enforce_if(asked)


def post_chain(model: RuledModel, rule: RuleListRule) -> None:
    """One child of each internal node is a leaf."""
    for node, asked in enumerate(model.asked):
        model.cp.add_bool_or(model.leaf_sides(node)).only_enforce_if(asked)


POST: dict[type, Callable[[Any, Any], object]] = {
    PrecedenceRule: post_not_below,
    PrerequisiteRule: post_only_below,
    Allowed: post_allowed,
    ThresholdRange: post_threshold_range,
    TogetherRule: post_together,
    ApartRule: post_apart,
    Sum: post_sum,
    MustAppearRule: post_must_appear,
    FewColumns: post_few_columns,
    MinNodeRowsRule: post_reached,
    RuleListRule: post_chain,
}
"""The function that posts each class of rule."""
