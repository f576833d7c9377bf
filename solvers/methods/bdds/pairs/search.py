"""What both backends share: the question in points and pairs, incumbents, bounds, and the end."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from solvers.constraints.rules import FewColumns, NeverBoth
from solvers.methods.bdds.pairs.points import ClaimedPoints, Pairs
from solvers.methods.bdds.ruled.rules import Posted
from solvers.methods.bdds.table import Unseen, bdd_of
from solvers.methods.search.context import SearchContext

RESTARTS = 10


@dataclass
class PairSearch:
    """A search for the best set of features, as it stands.

    Attributes
    ----------
    posted : the questions that may be asked, and the rules about which of them may be asked together.
    points, pairs : the rows, and the pairs that are known so far.
    depth : the largest number of features.
    context : incumbent and bound, and when to end.
    unseen : what cells without rows answer.
    chosen, cover : the features of the incumbent, and what it passes over; `None` while there is none.
    """

    posted: Posted
    points: ClaimedPoints
    pairs: Pairs
    depth: int
    context: SearchContext
    unseen: Unseen
    chosen: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    cover: int | None = None

    @property
    def n_columns(self) -> int:
        """How many columns need a variable: those of questions where rules are about columns together, else none."""
        together = self.posted.rules.kinds & {NeverBoth, FewColumns}
        return int(self.posted.features.family.max(initial=-1)) + 1 if together else 0

    def offer(self, chosen: np.ndarray) -> None:
        """Take a set of features that may be asked together, without those that it does not need, if it is better."""
        chosen = np.asarray(chosen, np.int64)
        if len(chosen) and not len(self.posted.fitting(chosen[None])):
            return
        cover = self.points.cover(self.points.cells(chosen))
        if self.cover is not None and cover >= self.cover:
            return
        self.chosen, self.cover = ordered(self.points, chosen), cover
        predicates = [self.posted.features.predicates[f] for f in self.chosen.tolist()]
        self.context.offer(bdd_of(self.context.problem, predicates, self.unseen))

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


def first_sets(points: ClaimedPoints, depth: int, seed: int, due: Callable[[], bool]) -> Iterator[np.ndarray]:
    """Sets of at most `depth` features, each the best that exchanging single features leads to.

    `seed` is that of the sets to begin from, besides the greedy one; `due` says whether to end.
    """
    rng = np.random.default_rng(seed)
    chosen = np.zeros(0, np.int64)
    while len(chosen) < min(depth, points.n_features) and points.cover(points.cells(chosen)) and not due():
        others = np.setdiff1d(np.arange(points.n_features), chosen)
        chosen = np.append(chosen, others[covers_with(points, chosen)[others].argmin()])
    yield chosen
    best, least = chosen, points.cover(points.cells(chosen))
    for _ in range(RESTARTS):
        for better in _exchanges(points, chosen, due):
            cover = points.cover(points.cells(better))
            if cover < least:
                best, least = better, cover
                yield best
        if due() or not least or len(best) == points.n_features:
            return
        staying = best[rng.random(len(best)) < 0.5]
        others = np.setdiff1d(np.arange(points.n_features), staying)
        chosen = np.append(staying, rng.choice(others, len(best) - len(staying), replace=False))


def covers_with(points: ClaimedPoints, chosen: np.ndarray) -> np.ndarray:
    """The least cover with one more feature, for each feature, int64 (n_features,)."""
    cell = points.cells(chosen)
    place = cell * points.n_classes + points.label
    size = (int(cell.max(initial=-1)) + 1) * points.n_classes
    whole = np.bincount(place, points.weight, size).reshape(-1, points.n_classes)
    heaviest = np.empty(points.n_features)
    for f in range(points.n_features):
        yes = np.bincount(place, points.weight * points.bits[:, f], size).reshape(-1, points.n_classes)
        heaviest[f] = yes.max(axis=1, initial=0).sum() + (whole - yes).max(axis=1, initial=0).sum()
    return np.asarray(np.rint(whole.sum() - heaviest), np.int64)


def _exchanges(points: ClaimedPoints, chosen: np.ndarray, due: Callable[[], bool]) -> Iterator[np.ndarray]:
    """Sets with ever smaller covers, until no exchange of one feature improves the last one."""
    least, at, tried = points.cover(points.cells(chosen)), 0, 0
    yield chosen
    while tried < len(chosen) and not due():
        others = np.delete(chosen, at)
        covers = covers_with(points, others)
        tried += 1
        if covers.min() < least:
            least, tried = int(covers.min()), 0
            chosen = np.insert(others, at, int(covers.argmin()))
            yield chosen
        at = (at + 1) % len(chosen)
