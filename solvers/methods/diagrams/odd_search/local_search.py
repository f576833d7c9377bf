"""A simple interface to the kernels' local search: advance, and read the best diagram."""

from __future__ import annotations

import numpy as np

from .demands import demands_of
from .grid import DiagramGrid

UNIT = 64
"""Factor for costs here; a split costs 1 more, so ties go to fewer splits. It exceeds the number of splits."""

FIRST_SEED = 4
"""Added to the user's seed, so that no seed starts the generator at zero."""


class LocalSearch:
    """A search for better diagrams within the frame of a grid; with constraints, fewer violations come first.

    `before` is a search in a grid with fewer pairs of cells, whose best diagram is the start of this one.
    """

    def __init__(self, grid: DiagramGrid, seed: int, before: LocalSearch | None = None) -> None:
        from ....kernels import odd_climb
        from ....kernels.odd_sweep import target_space

        self._kernel, self.grid = odd_climb, grid
        m, n_classes = grid.cells.price.shape
        widest, n_sums = int(np.bincount(grid.frame.layer).max()), len(grid.cells.limits)
        slack = UNIT * grid.problem.scale // 2
        self._cells = grid.cells._replace(price=UNIT * grid.cells.price)
        self._frame = grid.frame._replace(split=UNIT * grid.problem.split_penalty + 1)
        self._climb = odd_climb.climber(len(grid.frame.layer), m, n_classes, n_sums, widest, seed + FIRST_SEED, slack)
        self._targets = target_space(m, n_classes, widest, n_sums)
        self._demands = demands_of(grid)
        self._read = 0
        if before is not None:
            self._climb.control[[odd_climb.WORK, odd_climb.STARTS]] = before.work, before.starts
            self.take(before.best)

    @property
    def work(self) -> int:
        """Elements scanned so far."""
        return int(self._climb.control[self._kernel.WORK])

    @property
    def starts(self) -> int:
        """The number of restarts so far."""
        return int(self._climb.control[self._kernel.STARTS])

    @property
    def best(self) -> np.ndarray:
        """The best diagram so far, int64 (V, 4), if there is one."""
        return self._climb.best

    def stop(self) -> None:
        """End soon; may be called from another thread."""
        self._climb.control[self._kernel.STOP] = 1

    def advance(self, budget: int) -> np.ndarray | None:
        """Continue for about `budget` scanned elements.

        Returns the best diagram, int64 (V, 4) as in `DiagramGrid.draft`, if it is new and violates nothing, else
        `None`.
        """
        climb, kernel = self._climb, self._kernel
        kernel.climb_on(self._cells, self._frame, self._demands, climb, self._targets, budget)
        new = int(climb.control[kernel.FOUND]) > self._read
        self._read = int(climb.control[kernel.FOUND])
        return climb.best.copy() if new and climb.control[kernel.BEST_FAULTS] == 0 else None

    def take(self, nodes: np.ndarray) -> None:
        """Continue from this diagram, int64 (V, 4)."""
        self._kernel.take(self._cells, self._frame, self._demands, self._climb, nodes)
