"""Trees without avoidable errors: the least depth, and the fewest leaves at each depth."""

from __future__ import annotations

from functools import cache

from solvers.problem import Dataset, Problem
from tests.oracle.trees import Parts

NONE = 10**6
"""The number of leaves if there is no tree."""


class Consistent:
    """Least depth and fewest leaves by exhaustive search: rows may be a leaf if none of their errors is avoidable.

    Parameters
    ----------
    problem : a problem of which only the rows and costs count; a dataset for its errors.
    """

    def __init__(self, problem: Problem | Dataset) -> None:
        self._search = Parts(Problem(problem) if isinstance(problem, Dataset) else problem)
        table = self._search.table
        self._sides = {table.yes(question) for question in table.questions()}
        cells = [self._search.everything]
        for side in self._sides:
            cells = [part for cell in cells for part in (cell & side, cell & ~side) if part]
        self._cells = [(cell, self._search.costs(cell)) for cell in cells]
        self._leaves, self._is_leaf = cache(self._fewest), cache(self._may_be_leaf)

    @property
    def tied(self) -> bool:
        """Whether two classes have the same least cost for rows that no split separates."""
        return any(costs.count(min(costs)) > 1 for _, costs in self._cells)

    def _may_be_leaf(self, mask: int) -> bool:
        return sum(min(costs) for cell, costs in self._cells if cell & mask) == min(self._search.costs(mask))

    def _fewest(self, mask: int, depth: int) -> int:
        if self._is_leaf(mask):
            return 1
        best = NONE
        for side in self._sides if depth else ():
            if mask & side and mask & ~side:
                best = min(best, self._leaves(mask & side, depth - 1) + self._leaves(mask & ~side, depth - 1))
        return best

    def at(self, depth: int) -> int:
        """The fewest leaves at a depth; `NONE` if every tree has avoidable errors."""
        return self._leaves(self._search.everything, depth)

    @property
    def depth(self) -> int:
        """The least depth."""
        return next(depth for depth in range(len(self._cells) + 1) if self.at(depth) < NONE)
