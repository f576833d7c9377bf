"""Small counts are hidden, and as many others as it takes that nobody can compute them from what is shown.

The counts of the leaves by class form a table with many known sums: the rows of a leaf, of an answer (the confusion
matrix), of a class, all rows, and the errors that the proof speaks of. A count below k is shown as '<k'. A count of at
least k is hidden, too ('complementary suppression'), where otherwise a small one would follow: by adding and
subtracting, or because no other whole numbers fit to what is shown and to the rule that hid the rest.

Counts are shown one after the other, the most useful first, as long as no small one is a combination of them. Then for
each small count another table is sought that shows the same and differs in it; where there is none, more is hidden.
Zero is shown as '<k', too, but needs no protection: it speaks of nobody.

References
----------
Hundepool et al. (2012), 'Statistical Disclosure Control', Wiley, chapter 4 (tables: primary and secondary suppression).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from solvers.diagram import Diagram, Leaf
from solvers.errors import DataError

LEAST = 3
"""With k = 2 the sign '<2' would say '1' (or nobody) and hide nothing."""

HIDDEN = "hidden"
_TINY = 1e-9


class Bounds(NamedTuple):
    """What a reader knows of a count: it is at least `low` and at most `high`."""

    low: int
    high: int


@dataclass(frozen=True)
class Suppressed:
    """A table of counts with what of it is shown.

    Attributes
    ----------
    k : counts below it are hidden.
    counts : int64 (n_leaves, n_classes).
    answers : int64 (n_leaves,), the class that each leaf answers.
    cells : bool (n_leaves, n_classes), which counts are shown.
    sizes : bool (n_leaves,), the same for the rows of a leaf.
    errors : whether the number of errors is shown.
    confusion : bool (n_classes, n_classes), for the rows of a true class (row) with an answer (column).
    answered, classes : bool (n_classes,), for the rows with an answer, and for those of a true class.
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
        """A count as it is shown."""
        return shown(int(self.counts[leaf, label]), self.k, self.cells[leaf, label])

    def size(self, leaf: int) -> str:
        """The rows of a leaf as they are shown."""
        return shown(int(self.counts[leaf].sum()), self.k, self.sizes[leaf])

    def bounds(self, leaf: int, label: int) -> Bounds:
        """What the row of a leaf alone tells of a count."""
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
    """A count as text: itself, '<k', or 'hidden' where it would betray another one."""
    if visible:
        return f"{count:,}"
    return f"<{k}" if count < k else HIDDEN


def suppress(counts: np.ndarray, answers: Sequence[int], k: int) -> Suppressed:
    """Decide which counts are shown; `DataError` where k is too small, or the counts are no whole numbers.

    Parameters
    ----------
    counts : int (n_leaves, n_classes), the rows of each class in each leaf.
    answers : the class that each leaf answers, as an index.
    k : the least count that may be shown, at least 3.
    """
    if k < LEAST:
        raise DataError(f"Counts can be hidden below {LEAST} or more. Got {k}.")
    counts = np.asarray(counts)
    if not np.array_equal(counts, np.round(counts)):
        raise DataError("Small counts of rows can be hidden, not weights. Give the rows themselves.")
    return _decided(tuple(map(tuple, counts.astype(np.int64).tolist())), tuple(int(a) for a in answers), k)


@lru_cache(maxsize=64)
def _decided(counts: tuple[tuple[int, ...], ...], answers: tuple[int, ...], k: int) -> Suppressed:
    """The same, remembered: screens ask for it again and again."""
    return _Table(np.array(counts, np.int64), np.array(answers, np.int64), k).decided()


class _Table:
    """All sums over the cells of a table that may be shown, as 0/1 rows over the cells."""

    def __init__(self, counts: np.ndarray, answers: np.ndarray, k: int) -> None:
        n, m = counts.shape
        self.counts, self.answers, self.k = counts, answers, k
        self.values = counts.ravel()
        unit = np.eye(n * m).reshape(n, m, n * m)
        by_answer = [answers == g for g in range(m)]
        confusion = np.array([[unit[by_answer[g], c].sum(0) for g in range(m)] for c in range(m)])
        wrong = unit[np.arange(m)[None, :] != answers[:, None]].sum(0)
        # in the order in which they are shown
        self.parts = {
            "errors": wrong[None, :],
            "classes": unit.sum(0),
            "sizes": unit.sum(1),
            "answered": np.array([unit[here].sum((0, 1)) for here in by_answer]),
            "confusion": confusion.reshape(m * m, -1),
            "cells": unit.reshape(n * m, -1),
        }
        rows = np.vstack(tuple(self.parts.values()))
        self.rows, self.sums = rows, (rows @ self.values).astype(np.int64)
        self.small = self.sums < k
        self.guarded = self.small & (self.sums > 0)

    def decided(self) -> Suppressed:
        """Show what can be shown."""
        visible = self._independent()
        while visible.any() and (betrayed := self._betrayed(visible)) is not None:
            # of the sums that it is a part of, the one of fewest rows tells the reader least
            near = visible & ((self.rows * self.rows[betrayed]).sum(1) > 0)
            chosen = np.flatnonzero(near if near.any() else visible)
            visible[chosen[self.sums[chosen].argmin()]] = False
        return self._result(visible)

    def _independent(self) -> np.ndarray:
        """As many sums as can be shown so that no small one is a combination of them, bool (n_sums,)."""
        visible = np.zeros(len(self.rows), bool)
        space = _Span(self.rows[self.guarded])
        space.add(np.ones(self.rows.shape[1]))
        start = 0
        for part in self.parts.values():
            ends = start + len(part)
            # large counts betray the least
            for i in sorted(range(start, ends), key=lambda i: -self.sums[i]):
                if not self.small[i] and (after := space.after(self.rows[i])) is not None:
                    visible[i], space = True, after
            start = ends
        return visible

    def _betrayed(self, visible: np.ndarray) -> int | None:
        """A small sum that only one value fits to; `None` where other tables that show the same differ in each."""
        from scipy.optimize import Bounds as Box
        from scipy.optimize import LinearConstraint, milp

        total = int(self.values.sum())
        low = np.where(visible, self.sums, np.where(self.small, 0, self.k))
        high = np.where(visible, self.sums, np.where(self.small, self.k - 1, total))
        rows = np.vstack((self.rows, np.ones(len(self.values))))
        limits = LinearConstraint(rows, [*low, total], [*high, total])
        whole, box = np.ones(len(self.values)), Box(0, total)
        open_ones = set(np.flatnonzero(self.guarded).tolist())
        while open_ones:
            i = min(open_ones)
            for direction in (1, -1):
                found = milp(direction * self.rows[i], integrality=whole, bounds=box, constraints=limits)
                if found.x is None:
                    continue
                differs = self.rows @ np.round(found.x) != self.sums
                open_ones -= set(np.flatnonzero(differs).tolist())
            if i in open_ones:
                return i
        return None

    def _result(self, visible: np.ndarray) -> Suppressed:
        n, m = self.counts.shape
        shapes = {"errors": (), "classes": (m,), "sizes": (n,), "answered": (m,), "confusion": (m, m), "cells": (n, m)}
        out, start = {}, 0
        for name, part in self.parts.items():
            out[name] = visible[start : start + len(part)].reshape(shapes[name])
            start += len(part)
        errors = bool(out.pop("errors"))
        return Suppressed(self.k, self.counts, self.answers, errors=errors, **out)


class _Span:
    """The sums that follow from those that are shown, by what is left of the guarded ones outside of them."""

    def __init__(self, guarded: np.ndarray, basis: tuple[np.ndarray, ...] = ()) -> None:
        self.left, self.basis = guarded, list(basis)

    def add(self, row: np.ndarray) -> None:
        """Show a sum, whatever follows."""
        u = self._new(row)
        if u is not None:
            self.basis.append(u)
            self.left = self.left - np.outer(self.left @ u, u)

    def after(self, row: np.ndarray) -> _Span | None:
        """What can be computed if this sum is shown, too; `None` where a guarded one could."""
        u = self._new(row)
        if u is None:
            return self
        left = self.left - np.outer(self.left @ u, u)
        if len(left) and ((left**2).sum(1) < _TINY).any():
            return None
        return _Span(left, (*self.basis, u))

    def _new(self, row: np.ndarray) -> np.ndarray | None:
        rest = row.astype(np.float64)
        for u in (*self.basis, *self.basis):  # twice, against rounding
            rest = rest - (rest @ u) * u
        size = float(np.sqrt(rest @ rest))
        return None if size < 1e-7 else rest / size


def with_guesses(diagram: Diagram, found: Suppressed) -> Diagram:
    """The model with counts that say no more than what is shown: for formats that must have numbers.

    A hidden small count becomes the middle of what it may be, one hidden beside it what is then left of the rows of the
    leaf. The classes that leaves answer stay.
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
