"""Questions about one column each, in two forms: ladders where they are short enough, and the paper's thresholds."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import ClassVar

import numpy as np

from solvers.constraints.rules import FixedQuestion, Monotone, MustAppearRule, Rules, Sum
from solvers.methods.diagrams.draft import Question, plain_yes
from solvers.methods.diagrams.odd.network import HIGH, LOW, Given, Network
from solvers.methods.mip.case_pairs import CasePairs
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
    makes_whole: ClassVar[bool]
    asks: np.ndarray

    def __init__(self, problem: Problem, rules: Rules, pairs: CasePairs | None = None) -> None:
        self.pairs = pairs or CasePairs.none(problem)
        self.menu: Menu = menu_of(problem, question_orders(problem.dataset), rules).with_cases(self.pairs.cases)
        self.cell, self.n_cells = self.menu.cell, self.menu.n_cells
        self.passes = np.zeros(len(self.menu), bool)
        only_sums = not (rules.path or rules.tree or any(rule.tests for rule in rules.of(Sum)))
        columns = [family.column for family in self.menu.families]
        for column in dict.fromkeys(columns):
            if not (only_sums and self.passes.any()) and self._passing(column) is not None:
                self.passes[columns.index(column)] = True
        self._monotone = bool(rules.of(Monotone))
        self.rank = self._ranks()

    def _ranks(self) -> np.ndarray:
        """The ranks of the menu, one higher for cases that no question of the family has on its low side."""
        rank, n_cases = self.menu.rank.copy(), 2 * len(self.pairs)
        for family in np.flatnonzero(self.passes) if n_cases else ():
            column = self.menu.families[family].column
            passing = self._passing(column)
            assert passing is not None
            rank[family, -n_cases:] += ~passing.answer(self.pairs.cases[:, column])
        return rank

    def _passing(self, column: int) -> Predicate | None:
        return plain_yes(self.menu.problem.dataset, {column}, self.menu.permitted)

    def _ask(self, net: Network) -> None:
        """Equation (15): a place that is on asks about one family."""
        self.asks = net.model.variables((net.frame.n_nodes, len(self.menu)), whole=True)
        net.model.equal([(1, self.asks), (-1, net.on[:, None])], 0)

    def _no_vain_passing(self, net: Network, passing: np.ndarray) -> None:
        """A question that passes all rows on leads to another question: to a leaf the arc before it can lead itself.

        But where some column or question must stand, it may be the one, and conceivable cases may lie beyond all rows.
        Of `passing`, int64 (n_nodes, n), one is 1 where the place passes all on.
        """
        if net.rules.kinds & {MustAppearRule, FixedQuestion, Monotone}:
            return
        for place in range(net.frame.n_nodes):
            leaving = net.frame.leaving(place)
            ends = leaving[net.frame.head[leaving] >= net.frame.n_nodes]
            net.model.at_most([(1, passing[[place]]), (1, net.arcs[0, ends][None])], 1)

    def asks_about(self, columns: Collection[int], place: int) -> np.ndarray:
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
        if self._monotone:
            return self.menu.question(family, cut)
        rows = np.concatenate((low, high)) if len(low) and len(high) else np.arange(problem.dataset.n_samples)
        return rank_question(problem, self.menu.orders, rows, order.order, last, self.menu.permitted)

    def given(self, place: int, question: Question, rows: np.ndarray) -> tuple[Given, bool] | None:
        """The cut that parts the rows of the table, or those that reach the place, as the question does."""
        if not isinstance(question, Predicate):
            return None
        cut = self.cut_of(question)
        return None if cut is None else (self.written(place, cut[:2]), cut[2])

    def cut_of(self, question: Predicate) -> tuple[int, int, bool] | None:
        """Family and cut of a question, and whether its yes side is the low one; `None` where there is none."""
        dataset = self.menu.problem.dataset
        yes = question.holds(dataset.schema, dataset.X)
        if yes.all() or not yes.any():
            column = dataset.schema.index(question.column)
            fits = [f for f in self.menu.of({column}) if self.passes[f]] or np.flatnonzero(self.passes)[:1].tolist()
            return (int(fits[0]), int(self.menu.n_cuts[fits[0]]), bool(yes.all())) if fits else None
        return next(iter(self.menu.places(question)), None)

    @abstractmethod
    def fix(self, net: Network, place: int, cut: Cut, stands: np.ndarray) -> None:
        """Have a place ask a question where a variable, (1, 1), is 1."""

    def flipped(self, values: Given) -> Given:
        """Never asked for: which side is low is a matter of the question."""
        raise AssertionError("the sides of these questions are given")


class Ladders(Univariate):
    """The tighter form of equations (13) to (16), without a threshold variable and without large constants.

    For each place and family stands a falling ladder of steps, of which the first is `asks`. A cell of rank j is on the
    low side if the ladder reaches step j. So for each place v and cell c, with reached = sum over f of step[f, rank of
    c in f],

        w-_cv <= reached        w+_cv <= d_v - reached

    The sides of rows follow from whole steps, so that lambda, (4) and (5) are not needed, and no place where the
    relaxation could cheat a constant. It takes one variable a place and cut.
    """

    makes_whole: ClassVar[bool] = False

    def post(self, net: Network) -> None:
        """Ladders, and the rows that follow them."""
        self._ask(net)
        model, n_cuts = net.model, self.menu.n_cuts
        self._first = np.concatenate(([0], np.cumsum(n_cuts + 1)))
        bottom, top = self._first[:-1], self._first[1:] - 1
        inner = np.setdiff1d(np.arange(self._first[-1]), bottom)
        self._step = np.empty((net.frame.n_nodes, self._first[-1]), np.int64)
        self._step[:, bottom] = self.asks
        self._step[:, inner] = model.variables((net.frame.n_nodes, len(inner)), whole=True)
        model.limit(self._step[:, top[~self.passes]], high=0)
        model.at_most([(1, self._step[:, inner].reshape(-1, 1)), (-1, self._step[:, inner - 1].reshape(-1, 1))], 0)
        within = (self.rank <= n_cuts[:, None]).T.astype(np.int64)
        for place in range(net.frame.n_nodes):
            reached = self._step[place, bottom[:, None] + np.minimum(self.rank, n_cuts[:, None])].T
            on = np.full((self.n_cells, 1), net.on[place])
            model.at_most([(1, net.through[LOW, :, [place]].T), (-within, reached)], 0)
            model.at_most([(1, net.through[HIGH, :, [place]].T), (within, reached), (-1, on)], 0)
        self._no_vain_passing(net, self._step[:, top])

    def _ladder(self, place: int, family: int) -> np.ndarray:
        return np.asarray(self._step[place, self._first[family] : self._first[family + 1]])

    def fix(self, net: Network, place: int, cut: Cut, stands: np.ndarray) -> None:
        """The steps up to the cut, and no other."""
        ladder = self._ladder(place, cut[0])
        net.model.at_most([(1, stands), (-1, ladder[: cut[1] + 1, None])], 0)
        net.model.at_most([(1, stands), (1, ladder[cut[1] + 1 : cut[1] + 2, None])], 1)

    def cut(self, values: np.ndarray, place: int) -> Cut:
        """The last step of the ladder that is used."""
        family = int(values[self.asks[place]].argmax())
        return family, max(int((values[self._ladder(place, family)] > 0.5).sum()) - 1, 0)

    def written(self, place: int, cut: Cut) -> Given:
        """The steps up to the cut."""
        at = self._ladder(place, cut[0])[: cut[1] + 1]
        return [(at, np.ones(len(at)))]


class ThresholdForm(Univariate):
    """The paper's form, for tables of which the ladders would be too long: equations (13) to (16).

    With x the rank of a row in a family and b the threshold, for each place and cell

        sum over f of x_f asks_f <= b + M (1 - w-)        sum over f of (x_f - 1) asks_f >= b - M (1 - w+)

    The weight a of equation (16) is `asks` itself: a place compares one column with a number, so nothing but 1 is
    needed, and the low ranks are the negative side, which takes the place of (11). Ranks on the two sides are a step
    apart, which is far above any tolerance of a solver, however close two measured values are, and all coefficients are
    whole. M is the largest violation there can be for the cell, since b lies within the range of the family that is
    asked.
    """

    makes_whole: ClassVar[bool] = True

    def post(self, net: Network) -> None:
        """Thresholds, and the rows that are compared with them."""
        self._ask(net)
        model, menu, n_nodes = net.model, self.menu, net.frame.n_nodes
        n_cuts, rank = menu.n_cuts, self.rank.T
        self._threshold = model.variables((n_nodes,), high=float(n_cuts.max()))
        passing = self._passing_places(net)
        # b is at most the last cut, or one more where all rows pass; where nothing is asked it is 0
        above, below = rank.max(axis=1), (n_cuts + 1 - rank).max(axis=1)
        for place in range(n_nodes):
            asks = np.broadcast_to(self.asks[place], rank.shape)
            b = np.full((self.n_cells, 1), self._threshold[place])
            low, high = net.through[LOW, :, [place]].T, net.through[HIGH, :, [place]].T
            model.at_most([(1, b[:1]), (1 - n_cuts, asks[:1]), (-1, passing[[place]])], 0)
            model.at_most([(rank, asks), (-1, b), (above[:, None], low)], above)
            model.at_most([(1 - rank, asks), (1, b), (below[:, None], high)], below)
        self._no_vain_passing(net, passing)

    def _passing_places(self, net: Network) -> np.ndarray:
        """`passing[v, f]` is 1 where the place passes all rows on, by a question of the family."""

        def value(x: np.ndarray) -> np.ndarray:
            return np.where(x[self._threshold][:, None] >= self.menu.n_cuts, x[self.asks], 0.0)

        passing = net.model.variables(self.asks.shape, whole=True, value=value)
        net.model.at_most([(1, passing.reshape(-1, 1)), (-1, self.asks.reshape(-1, 1))], 0)
        net.model.limit(passing[:, ~self.passes], high=0)
        return passing

    def fix(self, net: Network, place: int, cut: Cut, stands: np.ndarray) -> None:
        """The family, and a threshold from both sides."""
        most, threshold = int(self.menu.n_cuts.max()), self._threshold[[[place]]]
        net.model.at_most([(1, stands), (-1, self.asks[[[place]], cut[0]])], 0)
        net.model.at_most([(cut[1], stands), (-1, threshold)], 0)
        net.model.at_most([(1, threshold), (most, stands)], cut[1] + most)

    def cut(self, values: np.ndarray, place: int) -> Cut:
        """The whole number next to the threshold, which no rank lies between."""
        family = int(values[self.asks[place]].argmax())
        cuts = int(self.menu.n_cuts[family])
        return family, min(max(round(values[self._threshold[place]]), 0), cuts if self.passes[family] else cuts - 1)

    def written(self, place: int, cut: Cut) -> Given:
        """The last rank on the low side."""
        family, at = cut
        return [(self.asks[place, [family]], np.ones(1)), (self._threshold[[place]], np.array([float(at)]))]
