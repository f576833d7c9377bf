"""Suppression of small counts, and of complementary counts so that they cannot be computed from the rest.

The counts of the leaves by class form a table. Its sums are published as well: the rows of a leaf, of a predicted
class, of each cell of the confusion matrix, of a class, and the errors. The total is always known.

Primary suppression shows a sum below k as '<k'. Complementary suppression then protects each small sum, except zero,
which describes nobody. It needs a second table that looks the same and differs in that sum. The second table is one
move away: one row goes to another leaf or class, or two rows of two leaves exchange their classes (four cells at the
corners of a rectangle). All sums that the move changes are hidden, so a reader cannot distinguish the two tables. The
move must keep every mark: a sum below k stays below k, a sum of k or more stays at k or more. Of all such moves, the
one that hides the smallest sums is chosen. If there is no move for some small sum, every sum is hidden under one mark.

Example: leaves with 30 and 2, 14 and 51, and 70 and 10 rows of two classes, the second leaf predicting the second
class. For k = 5 the 2 is small. Its rectangle hides the 30 beside it, and the 70 and 10 of the other leaf that predicts
the first class: (30, 2), (70, 10) and (31, 1), (69, 11) have equal sums.

References
----------
Hundepool et al. (2012), 'Statistical Disclosure Control', Wiley, chapter 4: primary and secondary suppression, and the
hypercube method, which protects a cell by the corners of a rectangle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..diagram import Diagram, Leaf
from ..errors import DataError
from ..messages.results import HIDDEN

if TYPE_CHECKING:
    from scipy.sparse import csc_array

LEAST = 3
"""With k = 2 the mark '<2' would mean '1' (or nobody) and hide nothing."""

PARTNERS = 40
"""A leaf exchanges rows with at most this many leaves, the next in size: all pairs of 1,000 would be too many."""


class Bounds(NamedTuple):
    """A reader's knowledge of a count: it is at least `low` and at most `high`."""

    low: int
    high: int


@dataclass(frozen=True)
class Suppressed:
    """A table of counts, with which of them are shown.

    Attributes
    ----------
    k : counts below it are hidden; more than all rows if every count is.
    counts : int64 (n_leaves, n_classes).
    answers : int64 (n_leaves,), the predicted class of each leaf.
    cells : bool (n_leaves, n_classes), which counts are shown.
    sizes : bool (n_leaves,), the same for the rows of a leaf.
    errors : whether the number of errors is shown.
    confusion : bool (n_classes, n_classes), for the rows of a true class (row) with a predicted class (column).
    answered, classes : bool (n_classes,), for the rows of a predicted class, and for those of a true class.
    """

    k: int
    counts: np.ndarray
    answers: np.ndarray
    errors: bool
    cells: np.ndarray
    sizes: np.ndarray
    confusion: np.ndarray
    answered: np.ndarray
    classes: np.ndarray

    def cell(self, leaf: int, label: int) -> str:
        """A count as displayed."""
        return shown(int(self.counts[leaf, label]), self.k, self.cells[leaf, label])

    def size(self, leaf: int) -> str:
        """The rows of a leaf as displayed."""
        return shown(int(self.counts[leaf].sum()), self.k, self.sizes[leaf])

    def bounds(self, leaf: int, label: int) -> Bounds:
        """What the row of a leaf alone reveals about a count."""
        own = self._known(leaf, label)
        if not self.sizes[leaf]:
            return own
        n = int(self.counts[leaf].sum())
        others = [self._known(leaf, other) for other in range(self.counts.shape[1]) if other != label]
        low, high = n - sum(one.high for one in others), n - sum(one.low for one in others)
        return Bounds(max(own.low, low), min(own.high, high))

    def _known(self, leaf: int, label: int) -> Bounds:
        count = int(self.counts[leaf, label])
        if self.cells[leaf, label]:
            return Bounds(count, count)
        most = int(self.counts[leaf].sum()) if self.sizes[leaf] else int(self.counts.sum())
        return Bounds(0, min(self.k - 1, most)) if count < self.k else Bounds(self.k, most)


def shown(count: int, k: int, visible: bool) -> str:
    """A count as text: the number, '<k', or 'hidden' if it would reveal another one."""
    if visible:
        return f"{count:,}"
    return f"<{k}" if count < k else HIDDEN


def suppress(counts: np.ndarray, answers: Sequence[int], k: int) -> Suppressed:
    """Decide which counts are shown; `DataError` if k is too small, or the counts are not integers.

    Parameters
    ----------
    counts : int (n_leaves, n_classes), the rows of each class in each leaf.
    answers : the predicted class of each leaf, as an index.
    k : the minimum count that may be shown, at least 3.
    """
    if k < LEAST:
        raise DataError(f"Counts can be hidden below {LEAST} or more, but the limit is {k}.")
    counts = np.asarray(counts)
    if not np.array_equal(counts, np.round(counts)):
        raise DataError("Small counts can be hidden only for rows, not for weights. Pass the rows themselves.")
    return _decide(tuple(map(tuple, counts.astype(np.int64).tolist())), tuple(int(a) for a in answers), k)


@lru_cache(maxsize=64)
def _decide(counts: tuple[tuple[int, ...], ...], answers: tuple[int, ...], k: int) -> Suppressed:
    """`suppress`, cached because screens call it repeatedly."""
    table, labels = np.array(counts, np.int64), np.array(answers, np.int64)
    parts = _parts(labels, table.shape[1])
    rows = np.vstack(tuple(parts.values()))
    visible = _visible(rows, table, k)
    if visible is None:
        k, visible = int(table.sum()) + 1, np.zeros(len(rows), bool)
    ends = np.cumsum([len(part) for part in parts.values()])[:-1]
    flags = dict(zip(parts, np.split(visible, ends), strict=True))
    n, m = table.shape
    return Suppressed(
        k,
        table,
        labels,
        errors=bool(flags["errors"][0]),
        cells=flags["cells"].reshape(n, m),
        sizes=flags["sizes"],
        confusion=flags["confusion"].reshape(m, m),
        answered=flags["answered"],
        classes=flags["classes"],
    )


def _parts(answers: np.ndarray, m: int) -> dict[str, np.ndarray]:
    """All published sums over the cells of n leaves by m classes: for each kind, float (n_sums, n * m) of 0 and 1."""
    n = len(answers)
    unit = np.eye(n * m).reshape(n, m, n * m)
    by_answer = [unit[answers == g].sum(0) for g in range(m)]
    return {
        "cells": unit.reshape(n * m, -1),
        "sizes": unit.sum(1),
        "confusion": np.array([[by_answer[g][c] for g in range(m)] for c in range(m)]).reshape(m * m, -1),
        "answered": np.array([cells.sum(0) for cells in by_answer]),
        "classes": unit.sum(0),
        "errors": unit[np.arange(m) != answers[:, None]].sum(0)[None, :],
    }


def _visible(rows: np.ndarray, counts: np.ndarray, k: int) -> np.ndarray | None:
    """Which sums can be shown, bool (n_sums,); `None` if a small sum has no move that protects it."""
    from scipy.sparse import csr_array

    sums = (rows @ counts.ravel()).astype(np.int64)
    small = sums < k
    # one entry for each sum that a move changes
    changes = (csr_array(rows) @ _moves(counts)).tocoo()
    changes.eliminate_zeros()
    at, move, after = changes.row, changes.col, sums[changes.row] + changes.data
    allowed = np.ones(changes.shape[1], bool)
    allowed[move[(after < 0) | ((after < k) != small[at])]] = False
    at, move = at[allowed[move]], move[allowed[move]]
    visible: np.ndarray = ~small
    protected = ~small | (sums == 0)
    while not protected.all():
        able = move[at == np.flatnonzero(~protected)[0]]
        if not len(able):
            return None
        price = np.bincount(move, np.where(visible, sums, 0)[at], changes.shape[1])
        changed = at[move == able[price[able].argmin()]]
        visible[changed], protected[changed] = False, True
    return visible


def _moves(counts: np.ndarray) -> csc_array:
    """The changes of the cells by each move, sparse (n_cells, n_moves), with entries -1 and 1."""
    from scipy.sparse import csc_array, eye_array, hstack

    n, m = counts.shape
    unit = csc_array(eye_array(n * m))
    by_size = counts.sum(1).argsort(kind="stable")
    near = [(i, j) for i in range(n) for j in range(i + 1, min(n, i + 1 + PARTNERS))]
    first, second = by_size[np.array(near, np.int64).reshape(-1, 2)].T
    plus, minus = np.array(list(permutations(range(m), 2)), np.int64).reshape(-1, 2).T

    def cell(leaf: np.ndarray, label: np.ndarray) -> np.ndarray:
        cells: np.ndarray = (leaf[:, None] * m + label).ravel()
        return cells

    leaves, labels = np.arange(n), np.arange(m)
    to_leaf = unit[:, cell(first, labels)] - unit[:, cell(second, labels)]
    to_class = unit[:, cell(leaves, plus)] - unit[:, cell(leaves, minus)]
    exchange = (
        unit[:, cell(first, plus)]
        - unit[:, cell(first, minus)]
        - unit[:, cell(second, plus)]
        + unit[:, cell(second, minus)]
    )
    return csc_array(hstack((exchange, to_leaf, -to_leaf, to_class)))


def with_guesses(diagram: Diagram, found: Suppressed) -> Diagram:
    """The model with counts that reveal no more than what is shown, for formats that require numbers.

    A hidden small count is replaced by the middle of its range, a complementary hidden count by the remaining rows of
    the leaf. The predicted classes of leaves are unchanged.
    """
    nodes = list(diagram.nodes)
    for position, (number, leaf) in enumerate(diagram.leaves):
        nodes[number] = Leaf(leaf.label, tuple(_guesses(found, position)))
    return replace(diagram, nodes=tuple(nodes))


def _guesses(found: Suppressed, leaf: int) -> list[float]:
    n_classes, n = found.counts.shape[1], int(found.counts[leaf].sum())
    if not found.sizes[leaf] and n < found.k:
        return [(found.k - 1) / 2 / n_classes] * n_classes
    middles = [
        sum(found.bounds(leaf, c)) / 2 if found.sizes[leaf] else found._known(leaf, c).low for c in range(n_classes)
    ]
    return [float(middle) for middle in middles]
