"""Rows as points that claim a class, and the pairs of points that must be told apart or paid for.

The rows of a cell are answered alike, so all of them that want another class are wrong. With a point for each distinct
row and class, of weight

    w(i, k) = max over l of cost(i, l)  -  cost(i, k)

a cell in which class k is answered loses the points of all other classes, and the least that it can lose is the
lightest set of points that leaves no two of different classes: a vertex cover of a complete multipartite graph. So

    cost of a set of questions  =  offset + least cover of the pairs that no question separates,

which holds for any number of classes and any class costs. Of two classes each row has one point at most.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from solvers.methods.features import Features

BLOCK = 2**22
"""Pairs that are looked at together."""


class SeparatedPairs(NamedTuple):
    """Pairs of points, by their positions, int64 (n,) each, and what keeps them apart.

    `features`, bool (n, n_features), says which features differ; none for two classes of one row.
    """

    first: np.ndarray
    second: np.ndarray
    features: np.ndarray


@dataclass(frozen=True)
class ClaimedPoints:
    """The claims of the distinct rows.

    Attributes
    ----------
    bits : uint8 (n_points, n_features).
    label : int64 (n_points,), the class that a point claims.
    weight : int64 (n_points,), what it costs to pass a point over, in units of `unit`; at least 1.
    unit, offset : a cover of weight v costs `unit * v + offset` cost units.
    n_classes : the number of classes.
    """

    bits: np.ndarray
    label: np.ndarray
    weight: np.ndarray
    unit: int
    offset: int
    n_classes: int

    def __len__(self) -> int:
        return len(self.label)

    @property
    def n_features(self) -> int:
        """The number of features."""
        return int(self.bits.shape[1])

    @cached_property
    def n_pairs(self) -> int:
        """The number of pairs of points of different classes."""
        held = np.bincount(self.label, minlength=self.n_classes).tolist()
        return int(sum(held) ** 2 - sum(count**2 for count in held)) // 2

    @cached_property
    def floats(self) -> np.ndarray:
        """The bits for products of matrices, float32 (n_points, n_features)."""
        return self.bits.astype(np.float32)

    def cells(self, chosen: np.ndarray) -> np.ndarray:
        """The cell of each point under some features, int (n_chosen,), numbered from 0 without gaps."""
        packed = np.packbits(self.bits[:, chosen], axis=1)
        return np.unique(packed, axis=0, return_inverse=True)[1].ravel()

    def held(self, cell: np.ndarray) -> np.ndarray:
        """The weight of each class in each cell, int64 (n_cells, n_classes)."""
        table = np.zeros((int(cell.max(initial=-1)) + 1, self.n_classes), np.int64)
        np.add.at(table, (cell, self.label), self.weight)
        return table

    def cover(self, cell: np.ndarray) -> int:
        """The least cover of the pairs that share a cell."""
        held = self.held(cell)
        return int(held.sum() - held.max(axis=1, initial=0).sum())

    def cost(self, cover: int) -> int:
        """A cover in cost units."""
        return self.unit * cover + self.offset

    def distances(self, some: np.ndarray, others: np.ndarray) -> np.ndarray:
        """In how many features points differ, float32 (n_some, n_others)."""
        a, b = self.floats[some], self.floats[others]
        return np.asarray(a.sum(axis=1)[:, None] + b.sum(axis=1) - 2 * (a @ b.T))


def points_of(features: Features) -> ClaimedPoints:
    """The points of the distinct rows of a problem."""
    most = features.costs.max(axis=1, keepdims=True)
    gain = most - features.costs
    row, label = np.nonzero(gain)
    weight = gain[row, label]
    unit = int(np.gcd.reduce(weight)) or 1
    return ClaimedPoints(
        bits=features.rows[row],
        label=label.astype(np.int64),
        weight=weight // unit,
        unit=unit,
        offset=int(most.sum() - gain.sum()),
        n_classes=features.costs.shape[1],
    )


class Pairs:
    """The pairs that a model knows; it is told of others as they are needed.

    A model that knows some pairs only is a relaxation: its optimum is a lower bound.
    """

    def __init__(self, points: ClaimedPoints) -> None:
        self.points = points
        self._known: set[int] = set()

    def __len__(self) -> int:
        return len(self._known)

    @property
    def size(self) -> dict[str, int]:
        """The size of the formula: variables, clauses (one a pair and one a point) and their literals."""
        points = self.points
        literals = len(points) + 2 * len(self) + int(self.known().features.sum())
        variables = points.n_features + len(points)
        return {"variables": variables, "clauses": len(self) + len(points), "literals": literals}

    def known(self) -> SeparatedPairs:
        """All pairs that are known."""
        return self._separation(sorted(self._known))

    def add(self, pairs: np.ndarray) -> SeparatedPairs:
        """Take in pairs, int (n, 2), and return those that are new."""
        pairs = np.sort(np.asarray(pairs, np.int64).reshape(-1, 2), axis=1)
        codes = np.unique(pairs[:, 0] * len(self.points) + pairs[:, 1]).tolist()
        fresh = [code for code in codes if code not in self._known]
        self._known.update(fresh)
        return self._separation(fresh)

    def _separation(self, codes: list[int]) -> SeparatedPairs:
        first, second = np.divmod(np.array(codes, np.int64), max(1, len(self.points)))
        return SeparatedPairs(first, second, self.points.bits[first] != self.points.bits[second])

    def everything(self) -> SeparatedPairs:
        """Take in all pairs."""
        label = self.points.label
        blocks = [np.zeros((0, 2), np.int64)]
        for p in range(len(label)):
            others = p + 1 + np.flatnonzero(label[p + 1 :] != label[p])
            blocks.append(np.column_stack([np.full(len(others), p), others]))
        return self.add(np.concatenate(blocks))

    def nearest(self) -> SeparatedPairs:
        """For each point the nearest one of each other class: pairs that few features separate."""
        blocks = []
        for k in range(self.points.n_classes):
            these = np.flatnonzero(self.points.label == k)
            for other in range(self.points.n_classes):
                those = np.flatnonzero(self.points.label == other)
                if other == k or not len(these) or not len(those):
                    continue
                step = max(1, BLOCK // len(those))
                for start in range(0, len(these), step):
                    some = these[start : start + step]
                    blocks.append(np.column_stack([some, those[self.points.distances(some, those).argmin(axis=1)]]))
        return self.add(np.concatenate(blocks) if blocks else np.zeros((0, 2)))

    def enforcing(self, cell: np.ndarray, paid: np.ndarray) -> SeparatedPairs:
        """Pairs that make a model pay for cells, int (n_points,), what they cost.

        `paid`, bool (n_points,), says which points the solution passes over. Returns new pairs within the cells for
        which it pays too little; none where it pays enough everywhere.
        """
        points = self.points
        held = points.held(cell)
        due = held.sum(axis=1) - held.max(axis=1, initial=0)
        given = np.bincount(cell[paid], points.weight[paid], len(held))
        pairs = []
        order = np.argsort(cell, kind="stable")
        starts = np.searchsorted(cell[order], np.arange(len(held) + 1))
        for c in np.flatnonzero(given < due - 0.5).tolist():
            members = order[starts[c] : starts[c + 1]]
            pairs += _matching(points, members, int(held[c].argmax()))
            if points.n_classes > 2:
                unpaid = members[~paid[members]]
                pairs += _matching(points, unpaid, int(np.bincount(points.label[unpaid]).argmax()))
        return self.add(np.array(pairs).reshape(-1, 2))


def _matching(points: ClaimedPoints, members: np.ndarray, heaviest: int) -> list[tuple[int, int]]:
    """Pairs of near points of a cell, of which each takes as much of the other's weight as is left.

    The weights that are taken are a lower bound of any cover of the pairs. Of two classes it is that of the whole cell.
    """
    major = members[points.label[members] == heaviest]
    minor = members[points.label[members] != heaviest]
    if not len(major) or not len(minor):
        return []
    left = points.weight[major].copy()
    distance = points.distances(minor, major)
    pairs = []
    for m in np.argsort(distance.min(axis=1), kind="stable").tolist():
        wanted = int(points.weight[minor[m]])
        for other in np.argsort(np.where(left > 0, distance[m], np.inf), kind="stable").tolist():
            if wanted <= 0 or left[other] <= 0:
                break
            taken = min(wanted, int(left[other]))
            wanted, left[other] = wanted - taken, left[other] - taken
            pairs.append((int(minor[m]), int(major[other])))
    return pairs
