"""What the two forms of univariate questions share: the menu of questions, and the way between questions and cuts."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import ClassVar

import numpy as np

from solvers.constraints.rules import Rules, Sum
from solvers.methods.diagrams.draft import Question, plain_yes
from solvers.methods.diagrams.odd.network import Given, Network
from solvers.methods.mip.menu import Menu, menu_of
from solvers.methods.trees.tree_of_splits import rank_question
from solvers.problem import Predicate, Problem, question_orders

Cut = tuple[int, int]
"""A family of the menu and a cut in it, from 0: cells of rank <= cut are on the low side, which answers yes."""


class Univariate(ABC):
    """Questions about one column each.

    The cut beyond the last one of a family has all rows on the low side: a question that passes them on, as a diagram
    needs where an arc would lead past a layer. `passes`, bool (n_families,), says which families have one; about which
    column it is makes no difference but to rules about columns. Of `asks`, int64 (n_nodes, n_families), one is 1 where
    a place asks a question of the family.
    """

    oriented: ClassVar[bool] = True
    turning: ClassVar[bool]
    asks: np.ndarray

    def __init__(self, problem: Problem, rules: Rules) -> None:
        self.menu: Menu = menu_of(problem, question_orders(problem.dataset), rules)
        self.cell, self.n_cells = self.menu.cell, self.menu.n_cells
        self.passes = np.zeros(len(self.menu), bool)
        only_sums = not (rules.path or rules.tree or any(rule.tests for rule in rules.of(Sum)))
        columns = [family.column for family in self.menu.families]
        for column in dict.fromkeys(columns):
            if not (only_sums and self.passes.any()) and self._passing(column) is not None:
                self.passes[columns.index(column)] = True

    def _passing(self, column: int) -> Predicate | None:
        return plain_yes(self.menu.problem.dataset, {column}, self.menu.ranges)

    def _ask(self, net: Network) -> None:
        """Equation (15): a place that is on asks about one family."""
        self.asks = net.model.variables((net.frame.n_nodes, len(self.menu)), whole=True)
        net.model.equal([(1, self.asks), (-1, net.on[:, None])], 0)

    def _no_vain_passing(self, net: Network, passing: np.ndarray) -> None:
        """A question that passes all rows on leads to another question: to a leaf the arc before it can lead itself.

        Of `passing`, int64 (n_nodes, n), one is 1 where the place passes all on.
        """
        for place in range(net.frame.n_nodes):
            leaving = net.frame.leaving(place)
            ends = leaving[net.frame.head[leaving] >= net.frame.n_nodes]
            net.model.at_most([(1, passing[[place]]), (1, net.arcs[0, ends][None])], 1)

    def asked(self, columns: Collection[int], place: int) -> np.ndarray:
        """The families of these columns."""
        return np.asarray(self.asks[place, self.menu.of(columns)][None])

    @abstractmethod
    def cut(self, values: np.ndarray, place: int) -> Cut:
        """The question of a place in the values of all variables."""

    @abstractmethod
    def written(self, place: int, cut: Cut) -> Given:
        """The values that write down a question at a place."""

    def question(
        self, values: np.ndarray, place: int, low: np.ndarray, high: np.ndarray
    ) -> tuple[Question, bool] | None:
        """The question, with a threshold between the values of the rows that reach it."""
        family, cut = self.cut(values, place)
        order, problem = self.menu.families[family], self.menu.problem
        last = order.first + cut
        if cut == self.menu.n_cuts[family]:
            passing = self._passing(order.column)
            return None if passing is None else (passing, True)
        rows = np.concatenate((low, high)) if len(low) and len(high) else np.arange(problem.dataset.n_samples)
        return rank_question(problem, self.menu.orders, rows, order.order, last, self.menu.ranges)

    def given(self, place: int, question: Question, rows: np.ndarray) -> tuple[Given, bool] | None:
        """The cut that parts the rows of the table, or those that reach the place, as the question does."""
        if not isinstance(question, Predicate):
            return None
        dataset = self.menu.problem.dataset
        yes = question.holds(dataset.schema, dataset.X)
        if yes.all() or not yes.any():
            column = dataset.schema.index(question.column)
            fits = [f for f in self.menu.of({column}) if self.passes[f]] or np.flatnonzero(self.passes)[:1].tolist()
            if not fits:
                return None
            return self.written(place, (int(fits[0]), int(self.menu.n_cuts[fits[0]]))), bool(yes.all())
        places = self.menu.places(question)
        if not places:
            return None
        family, cut, low_is_yes = places[0]
        return self.written(place, (family, cut)), low_is_yes

    def flipped(self, values: Given) -> Given:
        """Never asked for: which side is low is a matter of the question."""
        raise AssertionError("the sides of these questions are given")
