"""What both backends share: the question in points and pairs, incumbents, bounds, and the end."""

from dataclasses import dataclass, field

import numpy as np

from solvers.methods.bdds.pairs.points import ClaimedPoints, Pairs
from solvers.methods.bdds.table import Unseen, bdd_of
from solvers.methods.features import Features
from solvers.methods.search.context import SearchContext


@dataclass
class Hunt:
    """A search for the best set of features, as it stands.

    Attributes
    ----------
    features, points, pairs : what is chosen from, and the pairs that are known so far.
    depth : the largest number of features.
    context : incumbent and bound, and when to end.
    unseen : what cells without rows answer.
    chosen, cover : the features of the incumbent, and what it passes over; `None` while there is none.
    """

    features: Features
    points: ClaimedPoints
    pairs: Pairs
    depth: int
    context: SearchContext
    unseen: Unseen
    chosen: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    cover: int | None = None

    def offer(self, chosen: np.ndarray) -> None:
        """Take a set of features, without those that it does not need, as the incumbent if it is better."""
        chosen = np.asarray(chosen, np.int64)
        cover = self.points.cover(self.points.cells(chosen))
        if self.cover is not None and cover >= self.cover:
            return
        self.chosen, self.cover = ordered(self.points, chosen), cover
        asked = [self.features.predicates[f] for f in self.chosen.tolist()]
        self.context.offer(bdd_of(self.context.problem, asked, self.unseen))

    def raise_bound(self, cover: int) -> None:
        """Take a lower bound of all covers."""
        bound, cost = self.points.cost(cover), self.context.cost
        self.context.raise_bound(bound if cost is None else min(bound, cost))


def ordered(points: ClaimedPoints, chosen: np.ndarray) -> np.ndarray:
    """The features that are needed, each in its turn the one that leaves the smallest cover."""
    least = points.cover(points.cells(chosen))
    for f in chosen.tolist():
        without = chosen[chosen != f]
        if points.cover(points.cells(without)) == least:
            chosen = without
    order: list[int] = []
    while len(order) < len(chosen):
        rest = [f for f in chosen.tolist() if f not in order]
        covers = [points.cover(points.cells(np.array([*order, f]))) for f in rest]
        order.append(rest[int(np.argmin(covers))])
    return np.array(order, np.int64)
