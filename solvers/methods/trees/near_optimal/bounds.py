"""What the best tree of a depth costs at least for some cells, remembered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from solvers.kernels.parts import part_cost
from solvers.methods.search.deadline import SearchEndedError
from solvers.methods.search.watch import Watch
from solvers.methods.trees.exact_search import as_weighted_rows, tree_search
from solvers.methods.trees.near_optimal.table import CellTable, Rows
from solvers.problem import Shape

if TYPE_CHECKING:
    from solvers.kernels.tree_search import TreeSearch


@dataclass
class LeastCosts:
    """Lower bounds of trees below a node: exact without a minimum leaf size and without a limit on leaves."""

    table: CellTable
    due: Callable[[], bool]
    _known: dict[tuple[bytes, int], tuple[int, int]] = field(default_factory=dict)
    _space: TreeSearch | None = None

    def __post_init__(self) -> None:
        table, problem = self.table, self.table.problem
        self._problem = replace(problem, shape=Shape(max_depth=problem.size.max_depth), constraints=())
        self._rows = as_weighted_rows(self._problem)
        free = problem.weights * problem.class_costs.min(axis=1)[problem.dataset.y]
        self._spent = table.base.copy()
        np.subtract.at(self._spent, table.cell, free)

    def at(self, rows: Rows, depth: int, ceiling: int) -> int:
        """What trees of at most this depth, at least 1, cost: exactly if below `ceiling`, otherwise at least `ceiling`.

        Raises `SearchEndedError` where it is due.
        """
        if ceiling <= 0:
            return 0
        key = key_of(self.table.member(rows))
        value, exact_below = self._known.get((key, depth), (0, 0))
        if value < exact_below or exact_below >= ceiling:
            return value
        leaf = int(self.table.leaf_costs(rows).min())
        below = min(ceiling, leaf)
        if below > 0:
            # the search counts each row for itself, also what its cell costs whatever is answered
            spent = int(self._spent[rows].sum())
            find = self._shallow if depth <= 2 else self._deep
            below = min(below, find(rows, depth, below + spent) - spent)
        self._known[key, depth] = below, ceiling
        return below

    def _shallow(self, rows: Rows, depth: int, ceiling: int) -> int:
        """By the depth-two part of the exact search, in the space of one search over all rows."""
        if self._space is None:
            self._space = self._search(np.arange(len(self.table.cell)), 3, 1 << 30)
        state = self._space
        value = part_cost(
            state._rows, state._scan, state._state, state._ruling, self._rows_of(rows).view(np.uint8), 0, depth, ceiling
        )
        return int(value)

    def _deep(self, rows: Rows, depth: int, ceiling: int) -> int:
        search = self._search(np.flatnonzero(self._rows_of(rows)), depth, ceiling)
        with Watch(search.stop, self.due) as watch:
            while not search.advance():
                pass
        if watch.fired:
            raise SearchEndedError
        return search.cost

    def _rows_of(self, rows: Rows) -> np.ndarray:
        """Which rows of the table are in some cells, bool (n_samples,)."""
        return np.asarray(self.table.member(rows)[self.table.cell])

    def _search(self, index: np.ndarray, depth: int, ceiling: int) -> TreeSearch:
        return tree_search(self._problem, self.table.orders, self._rows, ceiling=ceiling, index=index, depth=depth)


def key_of(member: np.ndarray) -> bytes:
    """A set of cells, bool (n_cells,), as a key."""
    return np.packbits(member).tobytes()
