"""Questions and rows tied together: a row goes to the yes side where its rank is at most the cut, equation (16).

Two forms of the same. In the paper's form a node has a threshold, a continuous variable, and large constants switch
its rows on where a row passes the node. Thresholds are compared with ranks, which are whole numbers a step apart: no
tolerance of a solver can bridge a step, however close two measured values are, and all coefficients are whole.

In the tighter form the threshold is written as a ladder: step j of a family is 1 if the cut lies at or above its j-th
cut. Every gap between two values is a step, so nothing is discretised, and no large constant is left: the relaxation
is far stronger (docs/methods/cptree-mip.md has figures). It needs a variable for each gap, so that columns of many
values at many nodes are left to the first form.

Cuts count from 0 in a family. `whole_rows` says whether it must be said that a row is on one side as a whole; otherwise
that follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from solvers.methods.mip.menu import Menu

if TYPE_CHECKING:
    from solvers.methods.trees.cptree_mip.branches import Branches

MOST_STEPS = 20_000
"""The largest number of steps of all ladders of a model."""

Given = Iterator[tuple[np.ndarray, np.ndarray]]
"""Positions of variables and their values."""


def sides(tree: Branches, node: int) -> tuple[np.ndarray, np.ndarray]:
    """The variables of which one is 1 where a cell passes a node to the yes side, and to the no side, (n_cells, n)."""
    yes, no = np.split(tree.branches(node), 2)
    return tree.reach(yes), tree.reach(no)


class BigM:
    """The paper's form: one threshold a node, and large constants.

    With x the rank of a cell in a family and t the threshold, for each node and cell

        sum over f of x_f asks_f <= t + M_yes (1 - yes)     and     sum over f of (x_f - 1) asks_f >= t - M_no (1 - no)

    where yes and no say that the cell passes the node to that side: the ranks on the two sides are a step apart. M is
    the largest violation that there can be for the cell, since t is at most the last cut of the family that is asked.
    """

    whole_rows: ClassVar[bool] = True

    def __init__(self, tree: Branches) -> None:
        self._model, menu = tree.model, tree.menu
        n_nodes, n_cells = tree.n_places, menu.n_cells
        self._n_cuts = menu.n_cuts
        self._threshold = self._model.variables((n_nodes,), high=float(self._n_cuts.max(initial=1)))
        rank = menu.rank.T
        # where nothing is asked t is 0, and nobody goes to the yes side
        above, below = rank.max(axis=1, initial=0), (self._n_cuts - rank).max(axis=1, initial=0)
        for node in range(n_nodes):
            asks = np.broadcast_to(tree.asks[node], (n_cells, len(menu)))
            threshold = np.full((n_cells, 1), self._threshold[node])
            yes, no = sides(tree, node)
            self._model.at_most([(1, threshold[:1]), (1 - self._n_cuts, asks[:1])], 0)
            self._model.at_most([(rank, asks), (-1, threshold), (above[:, None], yes)], above)
            self._model.at_most([(1 - rank, asks), (1, threshold), (below[:, None], no)], below)
            self._model.at_most([(1, yes), (-1, asks)], 0)

    def fix(self, node: int, family: int, cut: int) -> None:
        """Let a node ask one question only, where it asks one of this family: by bounds of the threshold."""
        self._model.limit(self._threshold[[node]], cut, cut)

    def given(self, node: int, family: int, cut: int) -> Given:
        """The values that write down a question: the last rank on the yes side."""
        yield self._threshold[[node]], np.array([float(cut)])

    def cut(self, x: np.ndarray, node: int, family: int) -> int:
        """The cut of a node: the whole number next to the threshold, which no rank lies between."""
        return min(max(round(float(x[self._threshold[node]])), 0), int(self._n_cuts[family]) - 1)


class StepLadders:
    """The tighter form: for each node and family a falling ladder of steps, the first of which is `asks`.

    A cell of rank j in a family goes to the yes side only if the ladder has reached step j, and to the no side only if
    it has not: for each node and cell

        yes <= sum over f of step[f, rank_f]     and     no <= 1 - sum over f of step[f, rank_f]

    The step above the last is 0. Steps are whole, and rows follow them. At the root the two say that a cell ends in
    one branch at most.
    """

    whole_rows: ClassVar[bool] = False

    def __init__(self, tree: Branches) -> None:
        self._model, menu, n_nodes = tree.model, tree.menu, tree.n_places
        self._first = first = np.concatenate(([0], np.cumsum(menu.n_cuts + 1)))
        bottom, top = first[:-1], first[1:] - 1
        steps = np.delete(np.arange(first[-1]), np.concatenate((bottom, top)))
        self._step = np.empty((n_nodes, first[-1]), np.int64)
        self._step[:, bottom] = tree.asks
        self._step[:, top] = self._model.variables((1,), high=0)
        self._step[:, steps] = self._model.variables((n_nodes, len(steps)), whole=True)
        for node in range(n_nodes):
            step = self._step[node]
            if len(steps):
                self._model.at_most([(1, step[steps, None]), (-1, step[steps - 1, None])], 0)
            reached = step[bottom[:, None] + menu.rank].T
            yes, no = sides(tree, node)
            self._model.at_most([(1, yes), (-1, reached)], 0)
            self._model.at_most([(1, no), (1, reached)], 1)

    def _ladder(self, node: int, family: int) -> np.ndarray:
        return np.asarray(self._step[node, self._first[family] : self._first[family + 1]])

    def fix(self, node: int, family: int, cut: int) -> None:
        """Let a node ask one question only, where it asks one of this family: the ladder ends after this step."""
        self._model.limit(self._ladder(node, family)[cut + 1 :], high=0)
        ladder = self._ladder(node, family)
        self._model.at_most([(1, ladder[:1, None]), (-1, ladder[cut : cut + 1, None])], 0)

    def given(self, node: int, family: int, cut: int) -> Given:
        """The values that write down a question: the steps up to the cut."""
        yield self._ladder(node, family)[: cut + 1], np.ones(cut + 1)

    def cut(self, x: np.ndarray, node: int, family: int) -> int:
        """The cut of a node: the last step."""
        reached = x[self._ladder(node, family)] > 0.5
        return max(int(reached.sum()) - 1, 0)


Linking = BigM | StepLadders
"""A form of equation (16)."""


def linking_for(menu: Menu, n_nodes: int) -> type[Linking]:
    """The tighter form where it is not too large."""
    return StepLadders if n_nodes * int(menu.n_cuts.sum()) <= MOST_STEPS else BigM
