"""Univariate questions in the paper's form: a threshold a place, and large constants, equations (13) to (16).

With x the rank of a row in a family scaled to [0, 1], e the margin and b the threshold, for each place and cell

    sum over f of (x_f + e_f) asks_f <= b + M (1 - w-)        sum over f of (x_f - e_f) asks_f >= b - M (1 - w+)

The weight a of equation (16) is `asks` itself: a place compares one column with a number, so nothing but 1 is needed,
and the low ranks are the negative side, which takes the place of (11). Thresholds lie between ranks, so that a margin
of a quarter of their distance is far above any tolerance of a solver, however close two measured values are. M is the
largest violation there can be for the cell, since b lies within the range of the family that is asked.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from solvers.methods.odd.menus import Cut, Univariate
from solvers.methods.odd.network import HIGH, LOW, Given, Network

MARGIN = 0.25
"""How far a threshold stays from the ranks on its two sides, in steps between ranks."""


class Thresholds(Univariate):
    """The form for tables of which the ladders would be too long."""

    turning: ClassVar[bool] = True

    def post(self, net: Network) -> None:
        """Thresholds, and the rows that are compared with them."""
        self._ask(net)
        model, menu, n_nodes = net.model, self.menu, net.frame.n_nodes
        self._gap = 1.0 / menu.n_cuts
        edge = MARGIN * self._gap
        self._threshold = model.variables((n_nodes,), high=2.0)
        passing = self._passing_places(net)
        rank = (menu.rank * self._gap[:, None]).T
        # b lies between e and 1 - e, or above 1 where all rows pass; where nothing is asked it is 0
        above, below = rank.max(axis=1) + edge.max(), 1.0 - rank.min(axis=1) + 2 * edge.max()
        for place in range(n_nodes):
            asks = np.broadcast_to(self.asks[place], rank.shape)
            b = np.full((self.n_cells, 1), self._threshold[place])
            low, high = net.through[LOW, :, [place]].T, net.through[HIGH, :, [place]].T
            model.at_most([(edge, asks[:1]), (-1, b[:1])], 0)
            model.at_most([(1, b[:1]), (edge - 1, asks[:1]), (-2 * edge, passing[[place]])], 0)
            model.at_most([(rank + edge, asks), (-1, b), (above[:, None], low)], above)
            model.at_most([(edge - rank, asks), (1, b), (below[:, None], high)], below)
        self._no_vain_passing(net, passing)

    def _passing_places(self, net: Network) -> np.ndarray:
        """`passing[v, f]` is 1 where the place passes all rows on, by a question of the family."""
        passing = net.model.variables(
            self.asks.shape, whole=True, value=lambda x: (x[self._threshold] > 1)[:, None] * x[self.asks]
        )
        net.model.at_most([(1, passing.reshape(-1, 1)), (-1, self.asks.reshape(-1, 1))], 0)
        net.model.limit(passing[:, ~self.passes], high=0)
        return passing

    def cut(self, values: np.ndarray, place: int) -> Cut:
        """The gap that the threshold lies in."""
        family = int(values[self.asks[place]].argmax())
        cuts = int(self.menu.n_cuts[family])
        last = cuts if self.passes[family] else cuts - 1
        return family, min(max(int(values[self._threshold[place]] / self._gap[family]), 0), last)

    def written(self, place: int, cut: Cut) -> Given:
        """The middle of the gap; beyond the last rank where all pass."""
        family, at = cut
        over = at == self.menu.n_cuts[family]
        value = 1 + MARGIN * self._gap[family] if over else (at + 0.5) * self._gap[family]
        return [(self.asks[place, [family]], np.ones(1)), (self._threshold[[place]], np.array([value]))]
