"""The lower bound: the least over everything that an optimal diagram could look like.

An optimal diagram asks nothing; or it is a tree; or it has k questions of which some are merged, k at least 4. Each of
these parts has a bound of its own that rises while it is worked on, and the least of them bounds all diagrams. A part
counts only while its bound is below the best diagram that is known, so with a price c for a question only the k with
(k - 1) c below its cost have to be looked at. Wishes only take diagrams away, so the bound holds under them, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from solvers.methods.odd_search.grid import Grid
from solvers.methods.odd_search.trees import Charges, TreeSearch


@dataclass
class Part:
    """Diagrams of one look.

    Attributes
    ----------
    k : the number of questions, all of them where no node is merged (0).
    bound : the least that they can cost, in the costs of the cells.
    ahead : charges by layer that were not tried yet.
    """

    k: int
    bound: int
    ahead: list[np.ndarray] = field(default_factory=list)


class Proof:
    """The bound of all diagrams within the skeleton, in the costs of the cells.

    Parameters
    ----------
    grid : the problem; ceiling : the cost of the best diagram that is known.

    Attributes
    ----------
    tree : the cost of the cheapest tree, once it is known to be cheaper than the best diagram; `None` elsewhere.
    """

    def __init__(self, grid: Grid, ceiling: int) -> None:
        self._grid, self.ceiling = grid, ceiling
        self._charges = Charges(grid)
        self._leaf = int(grid.cells.price.sum(axis=0).min())
        depth = len(grid.widths)
        self._merged: list[Part] = []
        if depth > 2 and grid.n_orders:
            self._merged = [Part(k, grid.price(k), self._charges.of(k)) for k in range(4, grid.most_questions + 1)]
        even = np.full(depth, grid.problem.split_cost)
        if depth:
            even[0] = grid.price(1)
        asks = depth > 0 and grid.n_orders > 0 and grid.most_questions > 0
        self._plain = Part(0, grid.price(1) if asks else self._leaf, [even] if asks else [])
        self.tree: int | None = None
        self._running: tuple[Part, np.ndarray, int, TreeSearch] | None = None
        self._stopped = False
        self.searches = 0
        self.work = 0

    @property
    def parts(self) -> list[Part]:
        """Those that may hold a diagram below the ceiling."""
        return [part for part in (self._plain, *self._merged) if part.bound < self.ceiling]

    @property
    def bound(self) -> int:
        """The least that any diagram can cost."""
        return min([self.ceiling, self._leaf, *(part.bound for part in self.parts)])

    @property
    def stuck(self) -> bool:
        """Whether nothing is left to try for the part with the least bound."""
        parts = self.parts
        return self._running is None and not (parts and min(parts, key=_standing).ahead)

    def stop(self) -> None:
        """End soon; may be called from another thread."""
        self._stopped = True
        if self._running is not None:
            self._running[3].stop()

    def advance(self, budget: int) -> None:
        """Work on the part with the least bound for about `budget` scanned elements."""
        parts = self.parts
        if self._stopped or not parts:
            return
        if self._running is None:
            part = min(parts, key=_standing)
            if not part.ahead:
                return
            charge = part.ahead.pop(0)
            ceiling = self._ceiling_of(part, charge)
            self._running = part, charge, ceiling, TreeSearch(self._grid, charge, ceiling)
            self.searches += 1
        part, charge, ceiling, search = self._running
        before = search.work
        value = search.advance(budget)
        self.work += search.work - before
        if value is not None:
            self._running = None
            self._learn(part, charge, value)
        elif self._ceiling_of(part, charge) <= 0:
            # better diagrams were found meanwhile, and nobody needs this bound
            self._running = None

    def _ceiling_of(self, part: Part, charge: np.ndarray) -> int:
        """The largest value of a tree bound that helps any part."""
        if part is self._plain:
            return self.ceiling
        gains = [self._charges.gain(charge, p.k) for p in self.parts if self._fits(p, charge)]
        return max((self.ceiling - gain for gain in gains), default=0)

    def _fits(self, part: Part, charge: np.ndarray) -> bool:
        """Whether trees of as many layers as there are charges can be what k questions unfold to."""
        return part.k >= 4 and min(part.k - 1, len(self._grid.widths)) <= len(charge)

    def _learn(self, part: Part, charge: np.ndarray, value: int) -> None:
        if part is self._plain:
            part.bound = max(part.bound, value)
            if value < self.ceiling:
                self.tree = value
            return
        for other in self._merged:
            if self._fits(other, charge):
                other.bound = max(other.bound, value + self._charges.gain(charge, other.k))
                other.ahead = [c for c in other.ahead if len(c) != len(charge) or (c != charge).any()]


def _standing(part: Part) -> tuple[int, int]:
    return part.bound, part.k
