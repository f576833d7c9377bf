"""The subset search: smallest consistent trees, with a memory of all sets of cases visited; it can be resumed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ....errors import UnsupportedError
from ....problem.problem import MAX_DEPTH
from ..tree_of_splits import Splits
from .cases import DistinctCases
from .search import ConsistentSearch

if TYPE_CHECKING:
    from ....kernels.smallest_subsets import Memory

FIRST_ENTRIES = 1 << 12
BASE_MB = 200
"""Memory of a process before the search begins, in MiB."""
MOST_CLAIM = 1 << 29
"""A number of leaves that no tree reaches."""


class SubsetSearch(ConsistentSearch):
    """Minimum depth and fewest leaves of trees that are consistent with labelled cases.

    `rank`, int32 (n_orders, n_cases), is the rank of each case in each question order; all cases are distinct. `label`,
    int32 (n_cases,), is the class of each case, from 0 without gaps. `memory_mb` is the limit for the memory of sets,
    in MiB; `None` for no limit.
    """

    name = "subset search"

    def __init__(self, rank: np.ndarray, label: np.ndarray, memory_mb: int | None = None) -> None:
        from ....kernels import smallest_subsets

        self._sets = smallest_subsets
        n_orders, n = rank.shape
        n_classes, n_levels, self._words = int(label.max()) + 1, min(MAX_DEPTH, n) + 2, (n + 63) // 64
        self._cases = smallest_subsets.CaseArrays(
            np.ascontiguousarray(rank, np.int32), label.astype(np.int32), np.array(n_classes)
        )
        self._sorted = np.argsort(rank, axis=1, kind="stable").astype(np.int32)
        stack_mb = 4 * n_levels * (n_orders + 1) * n >> 20
        entry_bytes = 8 * self._words + 4 * 7
        self._most_entries = 1 << 30
        if memory_mb is not None:
            # while the memory grows, its old and new arrays exist at the same time
            self._most_entries = ((memory_mb - stack_mb - BASE_MB) << 20) * 2 // (3 * entry_bytes)
            if self._most_entries < FIRST_ENTRIES:
                raise UnsupportedError(
                    f"The exact search over {n} distinct rows and {n_orders} question orders needs about "
                    f"{stack_mb + BASE_MB + 1} MiB; the limit is {memory_mb} MiB. Raise the memory limit, or use fewer "
                    f"columns."
                )
        size, present, built, order, begin, end = np.zeros((6, n_levels), np.int64)
        self._stack = smallest_subsets.SetStack(
            np.zeros((n_levels, n_orders, n), np.int32),
            np.zeros((n_levels, self._words), np.uint64),
            np.zeros((n_levels, n_classes), np.int32),
            size,
            present,
            built,
            order,
            begin,
            end,
            np.zeros((n_levels, n), np.int32),
            np.zeros((n_levels, 80, 4), np.int64),
        )
        self._control = np.zeros(4, np.int64)
        self._memory = self._made(FIRST_ENTRIES)
        self._all = np.arange(n)

    @property
    def stats(self) -> dict[str, int]:
        """Statistics of the search so far."""
        used, work = self._control[[self._sets.USED, self._sets.WORK]].tolist()
        return {"sets of cases": used, "cases looked at": work}

    def stop(self) -> None:
        """End soon; may be called from another thread."""
        self._control[0] = 1

    def resume(self) -> None:
        """Undo `stop`."""
        self._control[0] = 0

    def feasible(self, depth: int) -> bool | None:
        """Whether there is a consistent tree of at most this depth; `None` if the search was stopped."""
        answer = self._feasible(self._all, depth)
        return None if answer < 0 else answer == 1

    def fewest(self, depth: int, most: int | None = None) -> int | None:
        """The fewest leaves of a consistent tree of at most this depth; `None` if the search was stopped.

        If the minimum is above `most`, any lower bound on it above `most`; `MOST_CLAIM` if there is no tree.
        """
        answer = self._fewest(self._all, depth, MOST_CLAIM - 1 if most is None else most)
        return None if answer < 0 else answer

    def best(self, depth: int) -> int | None:
        """The number of leaves of the smallest known tree of this depth; `None` if none is known."""
        return 1 if not self._cases.label.any() else self._best(depth)[0]

    def splits(self, depth: int, leaves: int | None = None) -> Splits:
        """A known tree: any that is consistent at this depth, or the one with as many leaves as `best`."""
        self.resume()
        splits: Splits = {}
        entry = self._known(self._all, depth, None)[1] if leaves is None else self._best(depth)[1]
        todo = [(0, self._all, depth, leaves, entry)]
        while todo:
            slot, cases, left, most, entry = todo.pop()
            if entry < 0:
                continue
            order = int(self._memory.order[entry])
            last = int(self._cases.rank[order, self._memory.last[entry]])
            splits[slot] = (order, last)
            low = self._cases.rank[order, cases] <= last
            for child, side in ((2 * slot + 1, cases[low]), (2 * slot + 2, cases[~low])):
                needed, entry = self._known(side, left - 1, None if most is None else most - 1)
                todo.append((child, side, left - 1, needed, entry))
        return splits

    def _best(self, depth: int) -> tuple[int | None, int]:
        """Leaves and memory entry of the smallest known tree of this depth for all cases."""
        known, none = [], self._sets.INF
        for limit, beyond in ((depth, none), (self._sets.UNLIMITED, min(none, depth + 2))):
            entry = self._find(self._all, limit)
            if entry >= 0 and self._memory.high[entry] < beyond:
                known.append((int(self._memory.high[entry]), entry))
        return min(known, default=(None, -1))

    def _known(self, cases: np.ndarray, depth: int, most: int | None) -> tuple[int | None, int]:
        """Leaves and memory entry of the tree for these cases: with the fewest leaves, or any if `most` is `None`.

        The entry is -1 if one leaf suffices. Missing entries are searched for, which is quick: the memory lacks
        only subtrees of very few splits.
        """
        if self._feasible(cases, 0):
            return 1, -1
        if most is None:
            self._feasible(cases, depth)
            return None, self._find(cases, self._sets.DEPTH_OF)
        for again in (False, True):
            if again:
                self._fewest(cases, depth, most)
            for limit, highest in ((depth, most), (self._sets.UNLIMITED, min(most, depth + 1))):
                entry = self._find(cases, limit)
                if entry >= 0 and self._memory.low[entry] == self._memory.high[entry] <= highest:
                    return int(self._memory.high[entry]), entry
        raise AssertionError("a tree that was found has smallest trees on both sides")

    def _feasible(self, cases: np.ndarray, depth: int) -> int:
        if depth == 0:
            return int(len(np.unique(self._cases.label[cases])) == 1)
        return self._run(self._sets.feasible, cases, depth)

    def _fewest(self, cases: np.ndarray, depth: int, most: int) -> int:
        if depth == 0:
            return 1 if self._feasible(cases, 0) else MOST_CLAIM
        return self._run(self._sets.fewest, cases, depth, most)

    def _run(self, search: Callable[..., int], cases: np.ndarray, *limits: int) -> int:
        """Search a set of cases within limits; repeat with more memory as long as the search runs out of it."""
        from ....kernels.status import DONE, FULL

        sets = self._sets
        while True:
            self._load(cases)
            self._control[sets.ENDED] = DONE
            answer = int(search(self._cases, self._stack, self._memory, self._control, 0, *limits))
            if answer >= 0 or self._control[sets.ENDED] != FULL:
                return answer
            if not self._grow():
                self.out_of_memory = True
                return answer

    def _load(self, cases: np.ndarray) -> None:
        """Load a set of cases at the first level."""
        stack, inside = self._stack, np.zeros(len(self._all), bool)
        inside[cases] = True
        stack.size[0], stack.built[0] = len(cases), 1
        for b, ordered in enumerate(self._sorted):
            stack.listed[0, b, : len(cases)] = ordered[inside[ordered]]
        stack.key[0] = self._key(cases)
        stack.count[0] = np.bincount(self._cases.label[cases], minlength=stack.count.shape[1])
        stack.present[0] = (stack.count[0] > 0).sum()

    def _key(self, cases: np.ndarray) -> np.ndarray:
        bits = np.zeros(64 * self._words, np.uint8)
        bits[cases] = 1
        return np.packbits(bits, bitorder="little").view("<u8").astype(np.uint64)

    def _find(self, cases: np.ndarray, limit: int) -> int:
        return int(self._sets.find(self._memory, self._key(cases), limit, self._control, False))

    def _made(self, n: int) -> Memory:
        """An empty memory of n entries."""
        key, slot = np.zeros((n, self._words), np.uint64), np.full(1 << (2 * n - 1).bit_length(), -1, np.int32)
        limit, low, high, order, last = np.zeros((5, n), np.int32)
        return self._sets.Memory(key, limit, low, high, order, last, slot)

    def _grow(self) -> bool:
        """Double the memory of sets; False if the limit does not permit it."""
        old, used = self._memory, int(self._control[self._sets.USED])
        if 2 * used > self._most_entries:
            return False
        self._memory = self._made(2 * used)
        for before, after in zip(old[:-1], self._memory[:-1], strict=True):
            after[:used] = before[:used]
        self._sets.rebuild(self._memory, used, self._control)
        return True


def subset_search(distinct: DistinctCases, memory_mb: int | None = None) -> SubsetSearch:
    """The search over distinct cases; `memory_mb` as in `SubsetSearch`."""
    label = np.unique(distinct.label, return_inverse=True)[1].ravel().astype(np.int32)
    return SubsetSearch(distinct.rank, label, memory_mb)
