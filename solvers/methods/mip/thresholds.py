"""Univariate splits in a linear program: a family of the menu and a threshold.

A cell is on the low side of a place if its rank in the family is at most the threshold; thresholds count from 0. The
threshold beyond the last one of a family has all rows on the low side.

The threshold of a place is a ladder with one step per gap between two values. Nothing is discretised, and the
relaxation is stronger than in the papers, which compare a threshold with the values by big-M constants:
docs/methods/cptree-mip.md has figures.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .menu import Menu
from .model import ProgramBuilder

Cut = tuple[int, int]
"""A family of the menu and a threshold in it, from 0: cells of rank <= threshold are on the low side (yes)."""

Given = list[tuple[np.ndarray, np.ndarray]]
"""Positions of variables and their values."""

Sides = Callable[[int], tuple[np.ndarray, np.ndarray]]
"""For a place, variables of which one is 1 if a cell is on its low side, and on its high side, (n_cells, n)."""


class Ladders:
    """The splits of all places of a program: for each place and family a falling ladder with first step `asks`.

    A cell of rank j in a family is on the low side only if the ladder has reached step j, and on the high side only if
    it has not: for each place v and cell, with reached = sum over f of step[f, rank_f],

        low <= reached     and     high <= on_v - reached

    The step above the last is 0 if the family has no threshold beyond its last. Steps are integers, and the sides
    follow.

    Parameters
    ----------
    menu : the possible splits; n_places : the number of places.
    passes : bool (n_families,), the families that have the threshold beyond the last one; by default none.

    Attributes
    ----------
    asks : int64 (n_places, n_families), of which one is 1 if a place splits on the family.
    passing : int64 (n_places, n), of which one is 1 if a place has all rows on the low side.
    """

    passing: np.ndarray

    def __init__(
        self,
        model: ProgramBuilder,
        menu: Menu,
        n_places: int,
        passes: np.ndarray | None = None,
    ) -> None:
        self._model, self.n_places, self._n_cuts = model, n_places, menu.n_cuts
        self._rank = menu.rank
        self._passes = np.zeros(len(menu), bool) if passes is None else passes
        self.asks = model.variables((n_places, len(menu)), whole=True)

    def tie(self, sides: Sides, on: np.ndarray | None = None) -> None:
        """Tie cells to the splits of the places that they pass.

        `on`, int64 (n_places,), is 1 if a place has a split; without it, cells pass places without a split on the high
        side.
        """
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

    def fix(self, place: int, cut: Cut) -> None:
        """Fix the split of a place: all steps up to the threshold, and no other."""
        ladder = self._ladder(place, cut[0])
        self._model.limit(ladder[: cut[1] + 1], low=1)
        self._model.limit(ladder[cut[1] + 1 :], high=0)

    def cut(self, values: np.ndarray, place: int) -> Cut:
        """The split of a place from the values of all variables: the last used step of the ladder."""
        family = int(values[self.asks[place]].argmax())
        return family, max(int((values[self._ladder(place, family)] > 0.5).sum()) - 1, 0)

    def written(self, place: int, cut: Cut) -> Given:
        """The values that encode a split at a place: the steps up to the threshold."""
        at = self._ladder(place, cut[0])[: cut[1] + 1]
        return [(at, np.ones(len(at)))]
