"""Univariate splits: equations (13) to (16), as the ladders of `mip.thresholds`."""

from collections.abc import Collection
from typing import ClassVar

import numpy as np

from ....constraints.rules import MustAppearRule, Rules, Sum
from ....problem import Predicate, Problem
from ...mip.menu import Menu, menu_of
from ...mip.thresholds import Given, Ladders
from ..draft import Question, plain_yes
from .network import HIGH, LOW, Network


class Univariate:
    """Univariate splits.

    The threshold beyond the last one of a family has all rows on the low side: a split that passes on all rows, needed
    if an arc would skip a layer. `passes`, bool (n_families,), are the families that have one; its column matters only
    to rules on columns. `thresholds` are the splits once they are posted.
    """

    oriented: ClassVar[bool] = True
    thresholds: Ladders

    def __init__(self, problem: Problem, rules: Rules) -> None:
        self.menu: Menu = menu_of(problem, rules)
        self.cases = self.menu.cases
        self.passes = np.zeros(len(self.menu), bool)
        only_sums = not (rules.path or rules.tree or any(rule.tests for rule in rules.of(Sum)))
        columns = self.menu.column.tolist()
        for column in dict.fromkeys(columns):
            if not (only_sums and self.passes.any()) and self._passing(column) is not None:
                self.passes[columns.index(column)] = True

    def _passing(self, column: int) -> Predicate | None:
        return plain_yes(self.menu.problem.dataset, {column}, self.menu.splits.within)

    def post(self, net: Network) -> None:
        """Make the variables of the splits and tie them to the rows; (15): a place that is on has one family."""
        thresholds = Ladders(net.model, self.menu, net.frame.n_nodes, self.passes)
        net.model.equal([(1, thresholds.asks), (-1, net.on[:, None])], 0)
        thresholds.tie(lambda place: (net.through[LOW, :, [place]].T, net.through[HIGH, :, [place]].T), net.on)
        self.thresholds = thresholds
        self._no_vain_passing(net, thresholds.passing)

    def _no_vain_passing(self, net: Network, passing: np.ndarray) -> None:
        """A split that passes on all rows must lead to another split: the arc into it could lead to a leaf itself.

        This does not apply if some column must appear, as such a split may be its only one. Of `passing`, int64
        (n_nodes, n), one is 1 if the place passes on all rows.
        """
        if MustAppearRule in net.rules.kinds:
            return
        for place in range(net.frame.n_nodes):
            leaving = net.frame.leaving(place)
            ends = leaving[net.frame.head[leaving] >= net.frame.n_nodes]
            net.model.at_most([(1, passing[[place]]), (1, net.arcs[0, ends][None])], 1)

    def asks_about(self, columns: Collection[int], place: int) -> np.ndarray:
        """The variables of the families of these columns."""
        return np.asarray(self.thresholds.asks[place, self.menu.of(columns)][None])

    def question(
        self, values: np.ndarray, place: int, low: np.ndarray, high: np.ndarray
    ) -> tuple[Question, bool] | None:
        """The split, with a threshold between the values of the rows that reach it."""
        family, cut = self.thresholds.cut(values, place)
        problem = self.menu.problem
        if cut == self.menu.n_cuts[family]:
            passing = self._passing(int(self.menu.column[family]))
            return None if passing is None else (passing, True)
        rows = np.concatenate((low, high)) if len(low) and len(high) else np.arange(problem.dataset.n_samples)
        return self.menu.splits.question(problem, rows, family, cut)

    def given(self, place: int, question: Question, rows: np.ndarray) -> tuple[Given, bool] | None:
        """The threshold that divides the rows of the table as the split does."""
        if not isinstance(question, Predicate):
            return None
        cut = self.cut_of(question)
        return None if cut is None else (self.thresholds.written(place, cut[:2]), cut[2])

    def cut_of(self, question: Predicate) -> tuple[int, int, bool] | None:
        """Family and threshold of a split, and whether its yes side is the low one; `None` if there is none."""
        dataset = self.menu.problem.dataset
        yes = question.holds(dataset.schema, dataset.X)
        if yes.all() or not yes.any():
            column = dataset.schema.index(question.column)
            fits = [f for f in self.menu.of({column}) if self.passes[f]] or np.flatnonzero(self.passes)[:1].tolist()
            return (int(fits[0]), int(self.menu.n_cuts[fits[0]]), bool(yes.all())) if fits else None
        return next(iter(self.menu.places(question)), None)

    def flip_sides(self, values: Given) -> Given:
        """Never called: the split determines which side is low."""
        raise AssertionError("the sides of these questions are given")
