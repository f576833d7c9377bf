"""Lines in the space of linear splits, along which the search looks for the best split of a node.

Each line is a split (w, t), the *base*, and a *direction* in which it moves. All splits on a line are evaluated, so the
lines should pass near good splits: through the current split, and through hyperplanes between samples that should be
separated. All lines of a call are made at once; drawn one by one, they took nine tenths of the search time.
"""

from typing import NamedTuple

import numpy as np

from .....magnitude import midpoint
from ...terms import Terms

MOST_THRESHOLDS = 64
"""The largest number of terms whose thresholds are evaluated for a new split; of more terms this many are drawn."""

FEW, SOME = 6, 8
"""The number of random hyperplanes of each kind, and the number of terms along which a split is moved."""

LEAST_LINES, MOST_FIGURES = 8, 400_000
"""The least number of lines, and the largest number of values, lines times samples: a tenth of a second."""


class Lines(NamedTuple):
    """Bases and directions, float64 (n_lines, n_terms + 1) each."""

    bases: np.ndarray
    directions: np.ndarray


class LineMaker:
    """Draws lines for the samples at a node.

    `points`, float64 (n_samples, n_terms + 1), are the scaled terms of each sample and -1: a sample is on the yes side
    of a split (w, t) if its product with it is at most 0.
    """

    def __init__(self, terms: Terms, rng: np.random.Generator) -> None:
        n, most = terms.problem.dataset.n_samples, terms.problem.size.split_features
        self.points = np.hstack((terms.scaled, np.full((n, 1), -1.0)))
        self._n, self._rng = len(terms), rng
        columns, self._place = np.unique([term.column for term in terms.terms], return_inverse=True)
        self._n_columns = len(columns)
        self._most = self._n_columns if most is None else min(most, self._n_columns)

    def thresholds(self) -> Lines:
        """Lines with all splits on single terms."""
        chosen = np.arange(self._n)
        if self._n > MOST_THRESHOLDS:
            chosen = self._rng.choice(self._n, MOST_THRESHOLDS, replace=False)
        bases = np.zeros((len(chosen), self._n + 1))
        bases[np.arange(len(chosen)), chosen] = 1.0
        return self._moved(bases)

    def fresh(self, rows: np.ndarray) -> Lines:
        """Lines with single-term splits, and with random hyperplanes moved along their normals."""
        lines = self.thresholds()
        if self._most > 1 and len(rows) > 1:
            lines = _joined(lines, self._moved(self._hyperplanes(rows, self._some_columns(2 * FEW))))
        return self._shuffle(lines, rows)

    def around(self, plane: np.ndarray, rows: np.ndarray, prefers: np.ndarray) -> Lines:
        """Lines through the current split, float64 (n_terms + 1,), for the samples (positions) at its node.

        `prefers`, int64 (n,), is the gain of each sample on the yes side over the no side.
        """
        present = np.flatnonzero(plane[:-1])
        own = self._moved(plane[None])
        if self._most < 2:
            return own
        used = np.zeros(self._n_columns, bool)
        used[self._place[present]] = True
        room = self._with_others(used)
        between, steps = self._hyperplanes(rows, np.tile(room, (2 * FEW, 1))), self._steps(plane, rows, prefers, room)
        directions = np.vstack((between, steps))
        through = Lines(np.tile(plane, (len(directions), 1)), directions)
        return self._shuffle(_joined(_joined(own, self._along_terms(plane, used)), through), rows)

    def place(self, plane: np.ndarray, rows: np.ndarray) -> float:
        """A random threshold for the weights of a plane, between two of the samples."""
        sums = np.unique(self.points[rows][:, :-1] @ plane[:-1])
        if len(sums) < 2:
            return float(sums[0])
        at = self._rng.integers(len(sums) - 1)
        return midpoint(sums[at], sums[at + 1])

    def _shuffle(self, lines: Lines, rows: np.ndarray) -> Lines:
        """The lines in random order, since the first of equally good ones is taken; a sample of them for many rows."""
        count = len(lines.bases)
        chosen = self._rng.permutation(count)[: max(LEAST_LINES, MOST_FIGURES // len(rows))]
        return Lines(lines.bases[chosen], lines.directions[chosen])

    def _moved(self, bases: np.ndarray) -> Lines:
        """The lines on which only the thresholds of some splits move."""
        directions = np.zeros_like(bases)
        directions[:, -1] = 1.0
        return Lines(bases, directions)

    def _some_columns(self, count: int) -> np.ndarray:
        """Random sets of at least two columns, bool (count, n_columns)."""
        keys = self._rng.random((count, self._n_columns))
        sizes = self._rng.integers(2, self._most + 1, (count, 1))
        return keys.argsort(axis=1).argsort(axis=1) < sizes

    def _with_others(self, used: np.ndarray) -> np.ndarray:
        """The columns of a split and as many others as allowed, bool (n_columns,)."""
        keys = np.where(used, -1.0, self._rng.random(len(used)))
        return np.asarray((keys.argsort().argsort() < self._most) | used)

    def _within(self, planes: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Normals (n, n_terms), with zeros outside the terms of some columns (n, n_columns)."""
        return np.where(columns[:, self._place], planes, 0.0)

    def _hyperplanes(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Hyperplanes in the spaces of some columns: half of them between two samples, half through one of them."""
        count = len(columns)
        first, second = self.points[rows[self._rng.integers(len(rows), size=(2, count))], :-1]
        half = np.arange(count) < count // 2
        normals = np.where(half[:, None], first - second, self._rng.normal(size=first.shape))
        normals = self._within(normals, columns)
        foot = np.where(half[:, None], (first + second) / 2, first)
        return np.hstack((normals, (normals * foot).sum(axis=1, keepdims=True)))

    def _along_terms(self, plane: np.ndarray, used: np.ndarray) -> Lines:
        """Lines that change one weight of a split; if its column is one too many, another one is dropped."""
        terms = self._rng.permutation(self._n)[:SOME]
        directions = np.zeros((len(terms), self._n + 1))
        directions[np.arange(len(terms)), terms] = 1.0
        bases = np.tile(plane, (len(terms), 1))
        if np.count_nonzero(used) >= self._most:
            given_up = self._rng.choice(np.flatnonzero(used), len(terms))
            new = ~used[self._place[terms]]
            bases[:, :-1][new[:, None] & (self._place == given_up[:, None])] = 0.0
        return Lines(bases, directions)

    def _steps(self, plane: np.ndarray, rows: np.ndarray, prefers: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Perceptron steps, towards all samples on their costlier side, and towards one of them."""
        wrong = np.flatnonzero(np.where(self.points[rows] @ plane <= 0, prefers < 0, prefers > 0))
        if not len(wrong):
            return np.empty((0, self._n + 1))
        towards = -np.sign(prefers[wrong])[:, None] * self.points[rows[wrong]]
        steps = np.stack((towards.sum(axis=0), towards[self._rng.integers(len(wrong))]))
        steps[:, :-1] = self._within(steps[:, :-1], columns[None])
        return steps


def _joined(first: Lines, second: Lines) -> Lines:
    return Lines(np.vstack((first.bases, second.bases)), np.vstack((first.directions, second.directions)))
