"""The search for sets of features: kernel arrays, local search, branch and bound, and the collection of sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...features import Features

if TYPE_CHECKING:
    from ....kernels.bdd_leaf import LeafScratch
    from ....kernels.bdd_matchings import OpenLevels, RowPoints

SLICE = 4_000_000
"""Work between two checks of the clock, a few hundredths of a second."""

CLIMBING = 1_500_000_000
"""Work limit of all climbs together: the sum of rows times features times squared size."""


class Collected(NamedTuple):
    """Sets of features, int32 (n, size), and whether the collection is complete."""

    sets: np.ndarray
    all: bool


class SetSearch:
    """The search for the set of a given size whose truth table costs least.

    Parameters
    ----------
    features : the variables and distinct rows.
    size : how many features to choose, from 1 to the number of features.

    Attributes
    ----------
    cost : the cost of the best set so far; bound : no set of this size (or smaller) costs less.
    best : its features, int32 (size,).
    near : the sets that `search` has collected; `None` if there is no complete collection.
    """

    def __init__(self, features: Features, size: int) -> None:
        assert 1 <= size <= len(features)
        self.size, self._base = size, features.cases.base
        self.points = points_of(features)
        self.best = np.arange(size, dtype=np.int32)
        self.cost: int | None = None
        self.near: Collected | None = None
        self.bound = self._base
        self.work = self.nodes = self.subsets = 0
        n_points, n_classes = self.points.regret.shape
        self._scratch = (
            np.zeros(n_points, np.int32),
            np.zeros(2 * n_points + 2, np.int32),
            np.zeros((2 * n_points + 2, n_classes), np.int64),
        )

    def climb(self, rng: np.random.Generator) -> bool:
        """Climb from the empty set or a random restart; returns whether the result improves on the best so far."""
        from ....kernels.bdd_local_search import climb

        chosen, given = np.zeros(self.size, np.int32), 0
        n_features = len(self.points.bits)
        if self.cost is not None:
            # keep half of the best set or draw all features again, each with probability 1/2
            given = self.size // 2 if rng.random() < 0.5 else self.size
            pool = self.best if given < self.size else n_features
            chosen[:given] = rng.permutation(pool)[:given]
        cost = self._base + int(climb(self.points, chosen, given, self._scratch))
        if self.cost is not None and cost >= self.cost:
            return False
        self.best, self.cost = chosen, cost
        if self.size == 1:
            self.bound = cost
        return True

    def prove(self, seed: int, due: Callable[[], bool]) -> None:
        """Climb, then search until the least cost is proved or `due`; the seed sets the starts."""
        rng = np.random.default_rng(seed)
        for _ in range(self.climbs):
            self.climb(rng)
            if due():
                return
        self.search(0, due)

    @property
    def climbs(self) -> int:
        """How many starts are worth their time: more for smaller tables."""
        n_features, n_points = self.points.bits.shape
        return int(np.clip(CLIMBING // max(1, n_points * n_features * self.size**2), 3, 60))

    def search(self, gap: int, tell: Callable[[], bool], slack: int = 0, most_sets: int = 0) -> bool:
        """Branch and bound until bound and cost differ by at most `gap`.

        Parameters
        ----------
        gap : in cost units.
        tell : called after each slice of work; returns whether to stop.
        slack : if `most_sets` is positive and `gap` is 0, all sets that exceed the best cost by at most this are
            collected into `near`.

        Returns
        -------
        Whether the search is complete.
        """
        from ....kernels import bdd_search as kernel

        assert self.cost is not None
        if self.cost - self.bound <= gap:
            return True
        margin = slack + 1 if most_sets and not gap else 0
        control = self._control(kernel, self.cost - self._base - gap + margin, gap)
        control[kernel.SLACK] = margin
        collected = np.zeros((most_sets if margin else 0, self.size), np.int32)
        ended = False
        for _ in self._advance(kernel, control, self.best, collected):
            self.cost = min(self.cost, self._base + int(control[kernel.COST]))
            self.bound = max(self.bound, min(self.cost, self._base + int(control[kernel.BOUND])))
            ended = control[kernel.LEVEL] == kernel.AFTER
            if tell():
                break
        if ended and margin and control[kernel.COLLECTED] <= most_sets:
            sets = collected[: control[kernel.COLLECTED]]
            self.near = Collected(_sort(sets[self.costs(sets) <= self.cost + slack]), True)
        return ended

    def collect(self, most_cost: int, most_sets: int, tell: Callable[[], bool]) -> Collected:
        """All sets that cost at most `most_cost`, in lexicographic order, unless there are too many.

        `tell` is called after each slice of work and returns whether to stop.
        """
        from ....kernels import bdd_search as kernel
        from ....kernels.status import DONE, FULL

        if self.size == 1:
            return self._singles(most_cost, most_sets)
        control = self._control(kernel, most_cost - self._base + 1, 0)
        control[kernel.COLLECT] = 1
        collected = np.zeros((most_sets, self.size), np.int32)
        complete = False
        for status in self._advance(kernel, control, self.best.copy(), collected):
            complete = status == DONE and control[kernel.LEVEL] == kernel.AFTER
            if status == FULL or tell():
                break
        return Collected(_sort(collected[: control[kernel.COLLECTED]]), complete)

    def costs(self, sets: np.ndarray) -> np.ndarray:
        """The costs of the best tables of sets, int (n, size), as int64 (n,)."""
        from ....kernels.bdd_local_search import costs_of

        return np.asarray(self._base + costs_of(self.points, np.ascontiguousarray(sets, np.int32), self._scratch))

    @property
    def memory_mb(self) -> int:
        """Approximate memory for `search` and `collect`, in MiB."""
        n_features, n_points = self.points.bits.shape
        n_classes = self.points.regret.shape[1]
        rows, words, _ = _leaf_size(self.points, self._n_levels)
        leaf = 4 * rows * n_features**2 + 16 * words * n_features
        return int((leaf + (self._n_levels + 1) * n_points * (4 + 24 * (n_classes - 1))) // 2**20 + 1)

    @property
    def _n_levels(self) -> int:
        """How many features are chosen one by one."""
        return max(0, self.size - 3)

    def _singles(self, most_cost: int, most_sets: int) -> Collected:
        """The single features that cost at most `most_cost`."""
        bits, regret = self.points.bits.astype(np.int64), self.points.regret
        ones = bits @ regret
        costs = self._base + ones.min(axis=1) + (regret.sum(axis=0) - ones).min(axis=1)
        sets = np.flatnonzero(costs <= most_cost).astype(np.int32)[:, None]
        return Collected(sets[:most_sets], len(sets) <= most_sets)

    def _control(self, kernel: ModuleType, ceiling: int, gap: int) -> np.ndarray:
        assert self.cost is not None
        control = np.zeros(16, np.int64)
        control[kernel.LEVEL] = kernel.BEFORE
        control[kernel.CEILING], control[kernel.COST], control[kernel.GAP] = ceiling, self.cost - self._base, gap
        return control

    def _advance(self, kernel: ModuleType, control: np.ndarray, best: np.ndarray, sets: np.ndarray) -> Iterator[int]:
        """Run the kernel slice by slice; yields its status after each."""
        from ....kernels.status import RUNNING

        stack = stack_for(self.points, self._n_levels)
        leaf = leaf_for(self.points, self._n_levels)
        before = control[[kernel.NODES, kernel.SUBSETS, kernel.WORK]]
        status = RUNNING
        while status == RUNNING:
            status = kernel.advance(self.points, stack, leaf, control, best, sets, SLICE)
            now = control[[kernel.NODES, kernel.SUBSETS, kernel.WORK]]
            self.nodes, self.subsets, self.work = (
                old + int(new) for old, new in zip((self.nodes, self.subsets, self.work), now - before, strict=True)
            )
            before = now
            yield status


def _sort(sets: np.ndarray) -> np.ndarray:
    """Sets with sorted features, in lexicographic order."""
    sets = np.sort(sets, axis=1)
    return sets[np.lexsort(sets.T[::-1])]


def points_of(features: Features) -> RowPoints:
    """The distinct rows that can cost anything; features with more ones than zeros are complemented."""
    from ....kernels.bdd_matchings import RowPoints

    regret = features.cases.regret
    matters = regret.max(axis=1) > 0
    bits, regret = np.ascontiguousarray(features.rows[matters].T), np.ascontiguousarray(regret[matters])
    n_features, n_points = bits.shape
    bits ^= (2 * bits.sum(axis=1, dtype=np.int64, keepdims=True) > n_points).astype(np.uint8)
    n_words = -(-n_features // 64)
    packed = np.zeros((n_points, 8 * n_words), np.uint8)
    packed[:, : -(-n_features // 8)] = np.packbits(bits.T, axis=1, bitorder="little")
    words = packed.view("<u8").astype(np.uint64)
    return RowPoints(bits, words, regret, regret.max(axis=1, keepdims=True) - regret)


def stack_for(points: RowPoints, n_levels: int) -> OpenLevels:
    """Empty levels of a search that chooses `n_levels` features one by one."""
    from ....kernels.bdd_matchings import OpenLevels

    (n_features, n_points), n_classes, n_words = points.bits.shape, points.regret.shape[1], points.packed.shape[1]
    levels, pairs = n_levels + 1, n_points * (n_classes - 1)
    return OpenLevels(
        index=np.zeros((levels, n_points), np.int32),
        first=np.zeros((levels, min(n_points, 2**n_levels) + 2), np.int64),
        n_cells=np.zeros(levels, np.int64),
        candidate=np.zeros((levels, n_features), np.int32),
        weight=np.zeros((levels, n_features), np.int64),
        n_candidates=np.zeros(levels, np.int64),
        place=np.zeros(levels, np.int64),
        matched=np.zeros(levels, np.int64),
        rounds=np.ones(levels, np.int64),
        pair=np.zeros((levels, pairs, 3), np.int64),
        n_pairs=np.zeros(levels, np.int64),
        chosen=np.zeros(levels, np.int32),
        rest=np.zeros((n_points, n_classes), np.int64),
        home=np.zeros(n_points, np.int64),
        left=np.zeros(n_points, np.int32),
        near=np.zeros(n_points, np.float64),
        partner=np.zeros(n_points, np.int32),
        mask=np.zeros(n_words, np.uint64),
        divided=np.zeros(64 * n_words, np.int64),
        gathered=np.zeros(64 * n_words, np.int64),
        heat=np.zeros(64 * n_words, np.float64),
        price=np.zeros(64 * n_words, np.float64),
        prices=np.zeros((8 * n_words, 256), np.float64),
        top=np.zeros(n_levels + 4, np.int64),
    )


def leaf_for(points: RowPoints, n_levels: int) -> LeafScratch:
    """Scratch for the last features."""
    from ....kernels.bdd_leaf import LeafScratch

    n_features = len(points.bits)
    rows, words, segments = _leaf_size(points, n_levels)
    return LeafScratch(
        column=np.zeros((words, n_features), np.uint64),
        inside=np.zeros((words, n_features), np.uint64),
        segment=np.zeros((segments, 4), np.int32),
        n=np.array([_planes(points), 0, 0, 0, 0, 0]),
        whole=np.zeros(rows, np.int32),
        whole_inside=np.zeros(rows, np.int32),
        one=np.zeros((rows, n_features), np.int32),
        one_inside=np.zeros((rows, n_features), np.int32),
        two=np.zeros((n_features, rows, n_features), np.int32),
        three=np.zeros((rows, n_features), np.int32),
        most=np.zeros((8, n_features), np.int32),
        saved=np.zeros(n_features, np.int32),
        common=np.zeros(n_features, np.int32),
    )


def _leaf_size(points: RowPoints, n_levels: int) -> tuple[int, int, int]:
    """Upper bounds on the rows of sums, the words of a column, and the segments."""
    n_points, n_classes = points.regret.shape
    cells = min(n_points, 2**n_levels)
    set_bits = sum(int((points.gain >> plane & 1).sum()) for plane in range(_planes(points)))
    segments = min(cells * n_classes * _planes(points), set_bits)
    return cells * (1 if n_classes == 2 else n_classes), set_bits // 64 + segments, segments


def _planes(points: RowPoints) -> int:
    """The number of bits of a gain."""
    return int(points.gain.max(initial=0)).bit_length()
