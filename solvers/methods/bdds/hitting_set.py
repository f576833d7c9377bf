"""The fewest features that tell all rows apart which must not be answered alike: a minimum hitting set.

Distinct rows *conflict* where no class costs each of them least. A set of features makes no avoidable mistake just
where every conflict has a feature in the set on which its rows differ. So the fewest features are a minimum hitting set
of the sets of differing features of all conflicts. There are far too many, but few matter (implicit hitting sets,
Chandrasekaran et al. 2011): a minimum hitting set of those known so far is a lower bound, and where it divides the rows
without a conflict it is the optimum; else conflicts in its cells are added, near ones first: small sets say most.

Example
-------
Rows 00, 01, 11 with the classes a, b, a: the conflicts (00, 01) and (01, 11) ask for the second and the first feature.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from solvers.methods.features import Features
from solvers.methods.search.watch import Watch

SOLVER = "glucose4"
ROWS_A_CELL = 300
"""Rows of a cell among which conflicts are sought at a time."""

CONFLICTS_A_CELL = 20
FIRST_ROWS = 2_000
"""Rows whose nearest conflict is known from the start."""


class HittingSetStep(NamedTuple):
    """What is known: so many features are needed, and the set that was tried; whether it leaves no conflict."""

    least: int
    chosen: tuple[int, ...]
    done: bool


def minimum_features(features: Features, due: Callable[[], bool], seed: int = 0) -> Iterator[HittingSetStep]:
    """Minimum hitting sets of more and more conflicts, until one hits all of them or `due`.

    Yields a step after each hitting set; its `least` never falls.
    """
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    conflicts = Conflicts(features, seed)
    soft = WCNF()
    for f in range(len(features)):
        soft.append([-1 - f], weight=1)
    with RC2(soft, solver=SOLVER) as solver, Watch(solver.interrupt, due):
        new = conflicts.first()
        while not due():
            for clause in new:
                solver.add_clause([1 + f for f in clause])
            model = solver.compute(expect_interrupt=True)
            if model is None:
                return
            chosen = tuple(literal - 1 for literal in model if literal > 0)
            new = conflicts.left_by(chosen)
            yield HittingSetStep(len(chosen), chosen, not new)
            if not new:
                return


class Conflicts:
    """Finds conflicts between the distinct rows of a problem."""

    def __init__(self, features: Features, seed: int) -> None:
        # rows that every class costs alike conflict with none
        free = features.regret == 0
        self._free = free[~free.all(axis=1)]
        self._bits = features.rows[~free.all(axis=1)]
        self._rng = np.random.default_rng(seed)
        self._known: set[frozenset[int]] = set()

    def first(self) -> list[tuple[int, ...]]:
        """The nearest conflict of each row, or of many rows."""
        rows = np.arange(len(self._bits))
        return self._among(self._rng.permutation(rows)[:FIRST_ROWS], FIRST_ROWS)

    def left_by(self, chosen: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Conflicts within the cells of a set of features, some of each cell that has any."""
        cell = np.zeros(len(self._bits), np.int64)
        for f in chosen:
            cell = np.unique(2 * cell + self._bits[:, f], return_inverse=True)[1].ravel()
        order = np.argsort(cell, kind="stable")
        starts = np.flatnonzero(np.diff(cell[order], prepend=-1))
        possible = np.asarray(np.logical_and.reduceat(self._free[order], starts, axis=0).any(axis=1))
        new: list[tuple[int, ...]] = []
        for rows in (part for part, fine in zip(np.split(order, starts[1:]), possible, strict=True) if not fine):
            some = self._rng.permutation(rows)[:ROWS_A_CELL]
            near = self._among(some, CONFLICTS_A_CELL)
            new += near or self._of_many(rows)
        return new

    def _among(self, rows: np.ndarray, most: int) -> list[tuple[int, ...]]:
        """The nearest conflicts of pairs of these rows, one a row, as the features on which they differ."""
        bits, free = self._bits[rows].astype(np.float32), self._free[rows].astype(np.float32)
        ones = bits.sum(axis=1)
        distance = ones[:, None] + ones[None, :] - 2 * bits @ bits.T
        distance[free @ free.T > 0] = np.inf
        nearest = distance.argmin(axis=1)
        near = distance[np.arange(len(rows)), nearest]
        new = []
        for i in np.argsort(near, kind="stable")[:most]:
            if np.isfinite(near[i]):
                new += self._added(rows[[i, nearest[i]]])
        return new

    def _added(self, rows: np.ndarray) -> list[tuple[int, ...]]:
        """The features on which some rows differ, unless these are known."""
        differ = tuple(np.flatnonzero(self._bits[rows].min(axis=0) < self._bits[rows].max(axis=0)).tolist())
        if frozenset(differ) in self._known:
            return []
        self._known.add(frozenset(differ))
        return [differ]

    def _of_many(self, rows: np.ndarray) -> list[tuple[int, ...]]:
        """A conflict of at most as many rows as there are classes, in a cell that has one.

        The row at which the rows in order lose their last common class belongs to it; then those before it are looked
        at together with it.
        """
        members: list[int] = []
        common = np.ones(self._free.shape[1], bool)
        while common.any():
            agree = np.logical_and.accumulate(self._free[rows] & common, axis=0).any(axis=1)
            last = int(agree.argmin())
            members.append(rows[last])
            common, rows = common & self._free[rows[last]], rows[:last]
        return self._added(np.array(members))
