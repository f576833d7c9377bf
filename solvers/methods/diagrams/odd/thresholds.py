"""Univariate questions in the paper's form: a threshold a place, and large constants, equations (13) to (16).

With x the rank of a row in a family and b the threshold, for each place and cell

    sum over f of x_f asks_f <= b + M (1 - w-)        sum over f of (x_f - 1) asks_f >= b - M (1 - w+)

The weight a of equation (16) is `asks` itself: a place compares one column with a number, so nothing but 1 is needed,
and the low ranks are the negative side, which takes the place of (11). Ranks on the two sides are a step apart, which
is far above any tolerance of a solver, however close two measured values are, and all coefficients are whole. M is the
largest violation there can be for the cell, since b lies within the range of the family that is asked.
"""

from typing import ClassVar

import numpy as np

from solvers.methods.diagrams.odd.menus import Cut, Univariate
from solvers.methods.diagrams.odd.network import HIGH, LOW, Given, Network


class ThresholdForm(Univariate):
    """The form for tables of which the ladders would be too long."""

    turning: ClassVar[bool] = True

    def post(self, net: Network) -> None:
        """Thresholds, and the rows that are compared with them."""
        self._ask(net)
        model, menu, n_nodes = net.model, self.menu, net.frame.n_nodes
        n_cuts, rank = menu.n_cuts, menu.rank.T
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

    def cut(self, values: np.ndarray, place: int) -> Cut:
        """The whole number next to the threshold, which no rank lies between."""
        family = int(values[self.asks[place]].argmax())
        cuts = int(self.menu.n_cuts[family])
        return family, min(max(round(values[self._threshold[place]]), 0), cuts if self.passes[family] else cuts - 1)

    def written(self, place: int, cut: Cut) -> Given:
        """The last rank on the low side."""
        family, at = cut
        return [(self.asks[place, [family]], np.ones(1)), (self._threshold[[place]], np.array([float(at)]))]
