"""Questions about one column each in a linear program: a family of the menu and a cut, in two forms.

Cells are on the low side of a place where their rank in the family is at most the cut; cuts count from 0. The cut
beyond the last one of a family has all rows on the low side.

In the papers' form a place has a threshold, a continuous variable, and large constants switch its rows on where a cell
passes the place. Thresholds are compared with ranks, which are whole numbers a step apart: no tolerance of a solver can
bridge a step, however close two measured values are, and all coefficients are whole.

In the tighter form the threshold is written as a ladder, with one step for each gap between two values. Nothing is
discretised, and no large constant is left: the relaxation is far stronger (docs/methods/cptree-mip.md has figures). It
needs a variable for each gap and place.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np

from .menu import Menu
from .model import ProgramBuilder

MOST_STEPS = 20_000
"""The largest number of steps of all ladders of a model."""

Cut = tuple[int, int]
"""A family of the menu and a cut in it, from 0: cells of rank <= cut are on the low side, which answers yes."""

Given = list[tuple[np.ndarray, np.ndarray]]
"""Positions of variables and their values."""

Sides = Callable[[int], tuple[np.ndarray, np.ndarray]]
"""For a place the variables of which one is 1 where a cell is on its low side, and on its high side, (n_cells, n)."""


class ThresholdQuestions(ABC):
    """The questions of all places of a program.

    Parameters
    ----------
    menu : what may be asked; n_places : the number of places.
    rank : int (n_families, n_cells), that of each cell; by default that of the menu.
    passes : bool (n_families,), which families have the cut beyond the last one; by default none.

    Attributes
    ----------
    makes_whole : whether the program must say that a cell is on one side as a whole; otherwise that follows.
    asks : int64 (n_places, n_families), of which one is 1 where a place asks about the family.
    passing : int64 (n_places, n), of which one is 1 where a place has all rows on the low side.
    """

    makes_whole: ClassVar[bool]
    passing: np.ndarray

    def __init__(
        self,
        model: ProgramBuilder,
        menu: Menu,
        n_places: int,
        rank: np.ndarray | None = None,
        passes: np.ndarray | None = None,
    ) -> None:
        self._model, self.n_places, self._n_cuts = model, n_places, menu.n_cuts
        self._rank = menu.rank if rank is None else rank
        self._passes = np.zeros(len(menu), bool) if passes is None else passes
        self.asks = model.variables((n_places, len(menu)), whole=True)

    @abstractmethod
    def tie(self, sides: Sides, on: np.ndarray | None = None) -> None:
        """Tie cells to the questions of the places that they pass.

        `on`, int64 (n_places,), is 1 where a place asks something; without it, cells pass others on the high side.
        """

    @abstractmethod
    def fix(self, place: int, cut: Cut, stands: np.ndarray) -> None:
        """Have a place ask a question where a variable, (1, 1), is 1."""

    @abstractmethod
    def cut(self, values: np.ndarray, place: int) -> Cut:
        """The question of a place in the values of all variables."""

    @abstractmethod
    def written(self, place: int, cut: Cut) -> Given:
        """The values that write down a question at a place."""


class Ladders(ThresholdQuestions):
    """The tighter form: for each place and family a falling ladder of steps, the first of which is `asks`.

    A cell of rank j in a family is on the low side only if the ladder has reached step j, and on the high side only if
    it has not: for each place v and cell, with reached = sum over f of step[f, rank_f],

        low <= reached     and     high <= on_v - reached

    The step above the last is 0 where the family does not pass. Steps are whole, and the sides follow them.
    """

    makes_whole: ClassVar[bool] = False

    def tie(self, sides: Sides, on: np.ndarray | None = None) -> None:
        """Ladders, and the rows that follow them."""
        model, n_cuts = self._model, self._n_cuts
        self._first = np.concatenate(([0], np.cumsum(n_cuts + 1)))
        bottom, top = self._first[:-1], self._first[1:] - 1
        inner = np.setdiff1d(np.arange(self._first[-1]), bottom)
        self._step = np.empty((self.n_places, self._first[-1]), np.int64)
        self._step[:, bottom] = self.asks
        self._step[:, inner] = model.variables((self.n_places, len(inner)), whole=True)
        self.passing = self._step[:, top]
        model.limit(self.passing[:, ~self._passes], high=0)
        if self._step[:, inner].size:
            model.at_most([(1, self._step[:, inner].reshape(-1, 1)), (-1, self._step[:, inner - 1].reshape(-1, 1))], 0)
        within = (self._rank <= n_cuts[:, None]).T.astype(np.int64)
        for place in range(self.n_places):
            reached = self._step[place, bottom[:, None] + np.minimum(self._rank, n_cuts[:, None])].T
            low, high = sides(place)
            model.at_most([(1, low), (-within, reached)], 0)
            if on is None:
                model.at_most([(1, high), (within, reached)], 1)
            else:
                model.at_most([(1, high), (within, reached), (-1, np.full((len(high), 1), on[place]))], 0)

    def _ladder(self, place: int, family: int) -> np.ndarray:
        return np.asarray(self._step[place, self._first[family] : self._first[family + 1]])

    def fix(self, place: int, cut: Cut, stands: np.ndarray) -> None:
        """The steps up to the cut, and no other."""
        ladder = self._ladder(place, cut[0])
        self._model.at_most([(1, stands), (-1, ladder[: cut[1] + 1, None])], 0)
        self._model.at_most([(1, stands), (1, ladder[cut[1] + 1 : cut[1] + 2, None])], 1)

    def cut(self, values: np.ndarray, place: int) -> Cut:
        """The last step of the ladder that is used."""
        family = int(values[self.asks[place]].argmax())
        return family, max(int((values[self._ladder(place, family)] > 0.5).sum()) - 1, 0)

    def written(self, place: int, cut: Cut) -> Given:
        """The steps up to the cut."""
        at = self._ladder(place, cut[0])[: cut[1] + 1]
        return [(at, np.ones(len(at)))]


class BigM(ThresholdQuestions):
    """The papers' form: one threshold a place, and large constants.

    With x the rank of a cell in a family and b the threshold, for each place and cell

        sum over f of x_f asks_f <= b + M (1 - low)     and     sum over f of (x_f - 1) asks_f >= b - M (1 - high)

    M is the largest violation that there can be for the cell, since b is at most the last cut of the family that is
    asked, or one more where all rows pass; where nothing is asked it is 0.
    """

    makes_whole: ClassVar[bool] = True

    def tie(self, sides: Sides, on: np.ndarray | None = None) -> None:
        """Thresholds, and the rows that are compared with them."""
        model, n_cuts, rank = self._model, self._n_cuts, self._rank.T
        self._threshold = model.variables((self.n_places,), high=float(n_cuts.max(initial=1)))
        self.passing = self._passing_places()
        above = rank.max(axis=1, initial=0)
        below = (n_cuts + self._passes - rank).max(axis=1, initial=0)
        for place in range(self.n_places):
            asks = np.broadcast_to(self.asks[place], rank.shape)
            b = np.full((len(rank), 1), self._threshold[place])
            low, high = sides(place)
            model.at_most([(1, b[:1]), (1 - n_cuts, asks[:1]), (-1, self.passing[[place]])], 0)
            model.at_most([(rank, asks), (-1, b), (above[:, None], low)], above)
            model.at_most([(1 - rank, asks), (1, b), (below[:, None], high)], below)
            if on is None:
                model.at_most([(1, low), (-1, asks)], 0)

    def _passing_places(self) -> np.ndarray:
        """A variable for each place and family that passes: the place passes all on, by a question of the family."""
        asks, n_cuts = self.asks[:, self._passes], self._n_cuts[self._passes]

        def value(x: np.ndarray) -> np.ndarray:
            return np.where(x[self._threshold][:, None] >= n_cuts, x[asks], 0.0)

        passing = self._model.variables(asks.shape, whole=True, value=value)
        if asks.size:
            self._model.at_most([(1, passing.reshape(-1, 1)), (-1, asks.reshape(-1, 1))], 0)
        return passing

    def fix(self, place: int, cut: Cut, stands: np.ndarray) -> None:
        """The family, and a threshold from both sides."""
        most, threshold = int(self._n_cuts.max()), self._threshold[[[place]]]
        self._model.at_most([(1, stands), (-1, self.asks[[[place]], cut[0]])], 0)
        self._model.at_most([(cut[1], stands), (-1, threshold)], 0)
        self._model.at_most([(1, threshold), (most, stands)], cut[1] + most)

    def cut(self, values: np.ndarray, place: int) -> Cut:
        """The whole number next to the threshold, which no rank lies between."""
        family = int(values[self.asks[place]].argmax())
        last = int(self._n_cuts[family]) - (not self._passes[family])
        return family, min(max(round(float(values[self._threshold[place]])), 0), last)

    def written(self, place: int, cut: Cut) -> Given:
        """The last rank on the low side."""
        family, at = cut
        return [(self.asks[place, [family]], np.ones(1)), (self._threshold[[place]], np.array([float(at)]))]


Form = type[Ladders] | type[BigM]


def form_for(menu: Menu, n_places: int) -> Form:
    """The tighter form where it is not too large."""
    return Ladders if n_places * int(menu.n_cuts.sum()) <= MOST_STEPS else BigM
