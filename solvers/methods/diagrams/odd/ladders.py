"""Univariate questions as ladders: the tighter form, without a threshold variable and without large constants.

For each place and family stands a falling ladder of steps, of which the first is `asks`. A cell of rank j is on the low
side if the ladder reaches step j. So for each place v and cell c, with reached = sum over f of step[f, rank of c in f],

    w-_cv <= reached        w+_cv <= d_v - reached

The sides of rows follow from whole steps, so that lambda, (4) and (5) are not needed, and no place where the relaxation
could cheat a constant. It takes one variable a place and cut.
"""

from typing import ClassVar

import numpy as np

from solvers.methods.diagrams.odd.menus import Cut, Univariate
from solvers.methods.diagrams.odd.network import HIGH, LOW, Given, Network


class Ladders(Univariate):
    """The tighter form of equations (13) to (16) for univariate questions."""

    turning: ClassVar[bool] = False

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
        for place in range(net.frame.n_nodes):
            reached = self._step[place, bottom[:, None] + self.menu.rank].T
            on = np.full((self.n_cells, 1), net.on[place])
            model.at_most([(1, net.through[LOW, :, [place]].T), (-1, reached)], 0)
            model.at_most([(1, net.through[HIGH, :, [place]].T), (1, reached), (-1, on)], 0)
        self._no_vain_passing(net, self._step[:, top])

    def _ladder(self, place: int, family: int) -> np.ndarray:
        return np.asarray(self._step[place, self._first[family] : self._first[family + 1]])

    def cut(self, values: np.ndarray, place: int) -> Cut:
        """The last step of the ladder that is used."""
        family = int(values[self.asks[place]].argmax())
        return family, max(int((values[self._ladder(place, family)] > 0.5).sum()) - 1, 0)

    def written(self, place: int, cut: Cut) -> Given:
        """The steps up to the cut."""
        at = self._ladder(place, cut[0])[: cut[1] + 1]
        return [(at, np.ones(len(at)))]
