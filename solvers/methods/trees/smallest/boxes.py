"""The sweep over boxes: smallest consistent trees where the columns have few values, by dynamic programming."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from solvers.methods.trees.exact_search import Splits

if TYPE_CHECKING:
    from solvers.kernels.smallest_boxes import BoxGrid

MOST_BOXES = 5_000_000
MOST_STATES = 5_000
MOST_VALUES = 62
CHUNK = 1 << 17
"""Boxes between two looks at the stop signal: some hundredths of a second."""
FIXED_BYTES = 9
"""What a box needs besides four bytes for each depth limit."""


class Attribute(NamedTuple):
    """A column as the sweep sees it.

    Attributes
    ----------
    value : int64 (n_cases,), the distinct value of each case.
    states : int64 (n_states,), a bit a value; closed under the questions, ordered by their number of values.
    questions : the order and the highest rank of the low side of each question.
    low : int64 (n_questions,), the values of the low side, a bit a value.
    """

    value: np.ndarray
    states: np.ndarray
    questions: list[tuple[int, int]]
    low: np.ndarray


def attributes_of(rank: np.ndarray, column: np.ndarray) -> list[Attribute] | None:
    """The columns with the sets of values that questions can leave; `None` where there are too many.

    `rank`, int32 (n_orders, n_cases), are the ranks of cases, and `column`, int (n_orders,), what each order asks
    about.
    """
    attributes, n_boxes = [], 1
    for j in np.unique(column):
        orders = np.flatnonzero(column == j)
        values, value = np.unique(rank[orders].T, axis=0, return_inverse=True)
        if len(values) > MOST_VALUES:
            return None
        power = 1 << np.arange(len(values), dtype=np.int64)
        questions, low = [], []
        for i, order in enumerate(orders):
            for last in range(int(values[:, i].max())):
                questions.append((int(order), last))
                low.append(int(power[values[:, i] <= last].sum()))
        states = _closed(int(power.sum()), low)
        if states is None:
            return None
        n_boxes *= len(states)
        if n_boxes > MOST_BOXES:
            return None
        attributes.append(Attribute(value.ravel(), states, questions, np.array(low, np.int64)))
    return attributes


def _closed(whole: int, low: list[int]) -> np.ndarray | None:
    """All sets of values that questions can leave of the whole; `None` where they are too many."""
    states, todo = {whole}, [whole]
    while todo:
        state = todo.pop()
        for side in low:
            for part in (state & side, state & ~side):
                if part and part not in states:
                    states.add(part)
                    todo.append(part)
        if len(states) > MOST_STATES:
            return None
    return np.array(sorted(states, key=lambda state: (state.bit_count(), state)), np.int64)


class BoxSearch:
    """Least depth and fewest leaves of trees that are consistent with labelled cases, with the face of `SubsetSearch`.

    `label`, int32 (n_cases,), is the class of each case, fewer than 63 of them.
    """

    name = "sweep over boxes"
    examples = None
    out_of_memory = False

    def __init__(self, attributes: list[Attribute], label: np.ndarray) -> None:
        self._attributes = attributes
        self._grid = _grid(attributes)
        self.n_boxes = int(np.prod(self._grid.size))
        self._mask = np.zeros(self.n_boxes, np.int64)
        self._depth = np.zeros(self.n_boxes, np.uint8)
        self._mask[self._cells()] = 1 << label.astype(np.int64)
        self._leaves = np.zeros((0, 0), np.int32)
        self._swept = {"depths": 0, "leaves": 0}
        self._stopped = False

    @staticmethod
    def memory_mb(n_boxes: int, depth: int) -> int:
        """What the sweep takes for trees of a depth, in MiB."""
        return (n_boxes * (FIXED_BYTES + 4 * (depth + 1)) >> 20) + 1

    @property
    def stats(self) -> dict[str, int]:
        """Figures of the search so far."""
        return {"boxes": self.n_boxes, "boxes swept": self._swept["depths"] + self._swept["leaves"]}

    def stop(self) -> None:
        """End soon; may be called from another thread."""
        self._stopped = True

    def resume(self) -> None:
        """Take back `stop`."""
        self._stopped = False

    def feasible(self, depth: int) -> bool | None:
        """Whether a tree of at most this depth is consistent; `None` where the sweep was stopped."""
        from solvers.kernels.smallest_boxes import sweep_depths

        if not self._sweep("depths", lambda begin, end: sweep_depths(self._grid, self._mask, self._depth, begin, end)):
            return None
        return bool(self._depth[-1] <= depth)

    def fewest(self, depth: int, most: int | None = None) -> int | None:
        """The fewest leaves of a consistent tree of at most this depth; `None` where the sweep was stopped.

        Any number above `most` where they are more, and where there is no tree.
        """
        from solvers.kernels.smallest_boxes import sweep_leaves

        if self.feasible(depth) is None:
            return None
        if self._leaves.shape[1] < depth + 1:
            self._leaves = np.empty((self.n_boxes, depth + 1), np.int32)
            self._swept["leaves"] = 0
        tables = self._grid, self._mask, self._depth, self._leaves
        if not self._sweep("leaves", lambda begin, end: sweep_leaves(*tables, begin, end)):
            return None
        return int(self._leaves[-1, depth])

    def best(self, depth: int) -> int | None:
        """The leaves of the smallest tree of this depth that is known; `None` where none is."""
        if self._swept["leaves"] < self.n_boxes or self._depth[-1] > depth or self._leaves.shape[1] <= depth:
            return None
        return int(self._leaves[-1, depth])

    def splits(self, depth: int, leaves: int | None = None) -> Splits:
        """A tree that was found: any that is consistent with this depth, or the one with as many leaves as `best`."""
        splits: Splits = {}
        todo = [(0, self.n_boxes - 1, depth)]
        while todo:
            slot, box, limit = todo.pop()
            while self._depth[box]:
                order, last, one, two = self._split(box, limit, small=leaves is not None)
                if self._mask[one] and self._mask[two]:
                    splits[slot] = (order, last)
                    todo += [(2 * slot + 1, one, limit - 1), (2 * slot + 2, two, limit - 1)]
                    break
                box = two if self._mask[one] == 0 else one
        return splits

    def _split(self, box: int, limit: int, small: bool) -> tuple[int, int, int, int]:
        """The question of a box in the tree that is wanted, and the boxes of its sides; a side may have no rows."""
        grid = self._grid
        for j, attribute in enumerate(self._attributes):
            stride = int(grid.stride[j])
            digit = box // stride % int(grid.size[j])
            for (order, last), q in zip(attribute.questions, range(grid.begin[j], grid.begin[j + 1]), strict=True):
                low, high = int(grid.low[q, digit]), int(grid.high[q, digit])
                if low < 0 or high < 0:
                    continue
                one, two = box + (low - digit) * stride, box + (high - digit) * stride
                if not (self._mask[one] and self._mask[two]):
                    return order, last, one, two
                if small:
                    wanted = self._leaves[one, limit - 1] + self._leaves[two, limit - 1] == self._leaves[box, limit]
                else:
                    wanted = 1 + max(int(self._depth[one]), int(self._depth[two])) == self._depth[box]
                if wanted:
                    return order, last, one, two
        raise AssertionError("every box of several classes has a split of its own depth and size")

    def _sweep(self, what: str, sweep: Callable[[int, int], None]) -> bool:
        """Sweep on; False where it was stopped."""
        while self._swept[what] < self.n_boxes:
            if self._stopped:
                return False
            end = min(self.n_boxes, self._swept[what] + CHUNK)
            sweep(self._swept[what], end)
            self._swept[what] = end
        return True

    def _cells(self) -> np.ndarray:
        """The box of each case alone."""
        box = np.zeros(len(self._attributes[0].value), np.int64)
        for attribute, stride in zip(self._attributes, self._grid.stride, strict=True):
            place = {int(state): i for i, state in enumerate(attribute.states)}
            alone = np.array([place[1 << v] for v in range(int(attribute.value.max()) + 1)], np.int64)
            box += alone[attribute.value] * stride
        return box


def _grid(attributes: list[Attribute]) -> BoxGrid:
    from solvers.kernels.smallest_boxes import BoxGrid

    size = np.array([len(attribute.states) for attribute in attributes], np.int64)
    stride = np.append(np.cumprod(size[::-1])[::-1][1:], 1).astype(np.int64)
    begin = np.cumsum([0, *(len(attribute.questions) for attribute in attributes)]).astype(np.int64)
    low = np.full((begin[-1], size.max()), -1, np.int32)
    high = low.copy()
    first = np.full((len(attributes), size.max()), -1, np.int32)
    for j, attribute in enumerate(attributes):
        place = {int(state): i for i, state in enumerate(attribute.states)}
        for q, side in enumerate(attribute.low.tolist(), start=int(begin[j])):
            for state, i in place.items():
                if state & side and state & ~side:
                    low[q, i], high[q, i] = place[state & side], place[state & ~side]
                    if first[j, i] < 0:
                        first[j, i] = q
    return BoxGrid(size, stride, begin, low, high, first)
