"""Bounds from trees: for diagrams without merged nodes, and for those with some, by their number of splits.

**No merged node.** Such a diagram is a tree, so the cheapest tree of the skeleton's depth bounds it.

**k splits, some node merged.** Unfolded, the diagram is a tree in which a node occurs once for each path to it from the
root. Let P_l be the number of paths to the nodes of layer l, and mu_l >= 0 a penalty for a split in layer l. For the
tree T of a diagram with k splits,

    errors = errors(T) + sum_l mu_l P_l - sum_l mu_l P_l  >=  min over trees [errors + penalties]  -  W_k(mu)

where W_k(mu) is the largest sum_l mu_l P_l that k splits can have. The sides of a split lead to two different targets,
so P_{l+1} <= 2 P_l, and P_{l+1} <= P_l if the next layer has a single split. With n_l splits in layer l, W_k(mu) is the
largest sum_l mu_l P_l over

    n_0 = 1,  n_l <= min(w_l, 2 n_{l-1}),  sum_l n_l = k,  P_{l+1} = P_l min(2, n_{l+1})

Every mu gives a bound; the sharpest ones depend on k. With mu_l = theta c / 2^(l-1), for instance, W_k is at most
theta c (k - 1), because a node of layer l has at most 2^(l-1) copies. A merge needs two parents in one layer, so k is
at least 4 and the depth at most k - 1.

**Few leaves.** The same tree has at most U = W_k(1, 1, ...) splits and so U + 1 leaves. The least errors of a tree with
at most U + 1 leaves, plus the penalty of k splits, are another bound. It is sometimes sharper: it has no multipliers,
and so no duality gap. From k = 7 on, U allows nearly all trees of depth 4, and the bound equals that of penalties 0.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ....problem import Problem, Shape
from ...trees.exact_search import Splits, as_weighted_rows, in_preorder, tree_search
from .grid import ENOUGH, DiagramGrid

MANY = 7
"""From this many splits on, no limit on leaves is tried."""

BUDGET = 20_000_000
"""Elements scanned between two checks of the time."""

MEMORY = 64 * 2**20
"""Bytes for the cache of subsets in a search."""


def memory_mb(grid: DiagramGrid) -> int:
    """The memory of a search with penalties, in MiB."""
    levels, (n_orders, m) = len(grid.widths) + 1, grid.cells.rank.shape
    return int((levels * m * (4 * n_orders + 48) + MEMORY) // 2**20 + 1)


class ChargedTrees:
    """The cheapest tree with penalties by layer, if it is below a ceiling; costs are those of the cells.

    `charge`, int64 (D,), is the penalty of a split by layer, not rising from the second on.
    """

    def __init__(self, grid: DiagramGrid, charge: np.ndarray, ceiling: int) -> None:
        from ....kernels import odd_stumps, odd_trees

        self._kernel, self._words, self._cells = odd_trees, odd_stumps, grid.cells
        self._state = odd_trees.tree_bound(grid.cells, np.asarray(charge, np.int64), MEMORY)
        odd_trees.begin(grid.cells, self._state, ceiling)

    def stop(self) -> None:
        """End soon; may be called from another thread."""
        self._state.control[self._words.STOP] = 1

    @property
    def work(self) -> int:
        """Elements scanned so far."""
        return int(self._state.control[self._words.WORK])

    def advance(self, budget: int) -> int | None:
        """Continue for a while; returns the result once complete: the least cost if below the ceiling, else a bound."""
        ended = self._kernel.resume(self._cells, self._state, budget)
        return int(self._state.control[self._kernel.VALUE]) if ended == self._kernel.DONE else None


class FewLeaves:
    """The cheapest tree of limited depth and leaves below a ceiling, by the tree search; costs are those of the cells.

    `split` is the penalty of a split.
    """

    def __init__(self, grid: DiagramGrid, depth: int, leaves: int | None, ceiling: int, split: int = 0) -> None:
        rows = as_weighted_rows(grid.problem)
        self._offset = rows.constant - grid.constant
        costs = replace(grid.problem.objective, split_penalty=0.0, free_root=False)
        plain = Problem(grid.problem.dataset, Shape(max_depth=depth), costs)
        self._search = tree_search(
            plain,
            grid.space.searched,
            rows,
            ceiling=max(0, ceiling - self._offset),
            split=split,
            depth=depth,
            leaves=leaves,
        )

    def stop(self) -> None:
        """End soon; may be called from another thread."""
        self._search.stop()

    @property
    def work(self) -> int:
        """Elements scanned so far."""
        return self._search.work

    def advance(self, budget: int) -> int | None:
        """Continue for a while; returns the result once complete: the least cost if below the ceiling, else a bound."""
        return self._search.bound + self._offset if self._search.advance(budget) else None

    @property
    def splits(self) -> Splits | None:
        """The cheapest tree, if one below the ceiling was found."""
        return in_preorder(self._search.tree) if self._search.found else None


class Unfolding:
    """The largest penalties of an unfolded diagram with merged nodes: W_k of the module docstring."""

    def __init__(self, widths: tuple[int, ...]) -> None:
        self._widths = widths

    def most(self, charge: np.ndarray, n_questions: int) -> int:
        """W_k(mu) for mu int64 (D,) and k splits; the root's penalty counts once."""
        # by (splits in the layer, splits so far): the largest penalty so far, for each number of paths
        states: dict[tuple[int, int], dict[int, int]] = {(1, 1): {1: int(charge[0])}}
        most = 0
        for layer, width in enumerate(self._widths[: len(charge)]):
            if layer:
                states = self._next(states, width, int(charge[layer]), n_questions)
            ends = [max(sums.values()) for (_, used), sums in states.items() if used == n_questions]
            most = max([most, *ends])
        return most

    @staticmethod
    def _next(
        states: dict[tuple[int, int], dict[int, int]], width: int, charge: int, n_questions: int
    ) -> dict[tuple[int, int], dict[int, int]]:
        following: dict[tuple[int, int], dict[int, int]] = {}
        for (before, used), sums in states.items():
            for n in range(1, min(width, 2 * before, n_questions - used) + 1):
                to = following.setdefault((n, used + n), {})
                for paths, charged in sums.items():
                    more = paths * min(2, n)
                    to[more] = max(to.get(more, 0), charged + charge * more)
        return following


@dataclass(frozen=True)
class TreeTrial:
    """A candidate bound from trees: the penalty of a split by layer, for as many layers as trees may have.

    `leaves` is the largest number of leaves; `None` for any number.
    """

    charge: tuple[int, ...]
    leaves: int | None = None

    def search(self, grid: DiagramGrid, ceiling: int) -> ChargedTrees | FewLeaves:
        """The search for the cheapest tree below a ceiling."""
        if self.leaves is None:
            return ChargedTrees(grid, np.array(self.charge, np.int64), ceiling)
        return FewLeaves(grid, len(self.charge), self.leaves, ceiling)


class Trials:
    """Bounds worth trying for diagrams with merged nodes, by their number of splits."""

    def __init__(self, grid: DiagramGrid) -> None:
        self._grid = grid
        self._unfolding = Unfolding(grid.widths)
        self._gains: dict[tuple[TreeTrial, int], int | None] = {}

    @property
    def any_number(self) -> TreeTrial:
        """The trial for every number of splits: the fewest errors of a tree."""
        return TreeTrial((0,) * len(self._grid.widths))

    def _depth(self, k: int) -> int:
        return min(len(self._grid.widths), k - 1)

    def _copies(self, k: int) -> int:
        """The largest number of splits, without the root, of the tree that k splits unfold to."""
        ones = np.ones(self._depth(k), np.int64)
        ones[0] = 0
        return self._unfolding.most(ones, k)

    def of(self, k: int) -> list[TreeTrial]:
        """The trials for k splits, most promising first; none if k splits cannot have a merge."""
        from ....kernels.workspace import MAX_CLASSES

        depth, copies, split = self._depth(k), self._copies(k), self._grid.problem.split_penalty
        if copies == 0:
            return []
        shared = split // 2 ** np.maximum(0, np.arange(depth) - 1)
        even = np.full(depth, split * (k - 1) // copies)
        nothing = np.zeros(depth, np.int64)
        few = k < MANY and copies + 2 < 2**depth and self._grid.problem.dataset.n_classes <= MAX_CLASSES
        order = (
            (even, shared // 2, even // 2, shared, nothing) if few else (nothing, shared // 2, even, even // 2, shared)
        )
        trials = [TreeTrial((0,) * depth, copies + 2)] if few else []
        trials += [TreeTrial(tuple(self._with_root(charge).tolist())) for charge in order]
        return list(dict.fromkeys(trials))

    def _with_root(self, charge: np.ndarray) -> np.ndarray:
        charge = charge.copy()
        charge[0] = self._grid.price(1) if charge.any() else 0
        return charge

    def gain(self, trial: TreeTrial, k: int) -> int | None:
        """The amount to add to a tree bound for k splits: their penalty minus W_k; `None` if it does not apply."""
        if (trial, k) not in self._gains:
            fits = self._depth(k) <= len(trial.charge) and self._copies(k) + 2 <= (trial.leaves or ENOUGH)
            gain = self._grid.price(k) - self._unfolding.most(np.array(trial.charge), k) if fits else None
            self._gains[trial, k] = gain
        return self._gains[trial, k]


def cheapest_tree(grid: DiagramGrid, cost: int, depth: int, due: Callable[[], bool]) -> Splits | None:
    """A tree of this cost, the least for its depth; `None` if time is up or there are too many classes.

    The tree search stores its trees, which `ChargedTrees` does not.
    """
    from ....kernels.workspace import MAX_CLASSES

    free = grid.problem.split_penalty if grid.problem.objective.free_root else 0
    if grid.problem.dataset.n_classes > MAX_CLASSES:
        return None
    search = FewLeaves(grid, depth, None, cost + free + 1, grid.problem.split_penalty)
    while search.advance(BUDGET) is None:
        if due():
            return None
    return search.splits
