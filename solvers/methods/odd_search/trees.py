"""Bounds from trees: for diagrams without merged nodes, and for those with some, by their number of questions.

**No merged node.** Such a diagram is a tree, so the cheapest tree of the skeleton's depth bounds it.

**k questions, some node merged.** Unfolded, the diagram is a tree in which a node stands once for each path to it from
the root. Let P_l be the number of paths to the nodes of layer l, and mu_l at least 0 a charge for a question of layer
l. For the tree T of a diagram with k questions,

    errors = errors(T) + sum_l mu_l P_l - sum_l mu_l P_l  >=  min over trees [errors + charges]  -  W_k(mu)

where W_k(mu) is the largest sum_l mu_l P_l that k questions can have. A question sends its answers to two different
targets, so P_{l+1} <= 2 P_l, and P_{l+1} <= P_l where the next layer has a single question. With n_l questions in layer
l, W_k(mu) is the largest sum_l mu_l P_l over

    n_0 = 1,  n_l <= min(w_l, 2 n_{l-1}),  sum_l n_l = k,  P_{l+1} = P_l min(2, n_{l+1})

Every mu gives a bound; the sharpest ones depend on k. With mu_l = theta c / 2^(l-1), for instance, W_k is at most
theta c (k - 1), because a node of layer l has at most 2^(l-1) copies. A merge needs two parents in one layer, so k is
at least 4 and the depth at most k - 1.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from solvers.methods.odd_search.grid import Grid

MEMORY = 64 * 2**20
"""Bytes for the subsets that a search remembers."""


class TreeSearch:
    """The cheapest tree under charges by layer, as far as it is below a ceiling; costs are those of the cells.

    Parameters
    ----------
    grid : the problem; charge : int64 (D,), the cost of a question by layer, not rising from the second on.
    ceiling : only cheaper trees are looked for.
    """

    def __init__(self, grid: Grid, charge: np.ndarray, ceiling: int) -> None:
        from solvers.kernels import odd_trees

        self._kernel, self._cells = odd_trees, grid.cells
        self._state = odd_trees.tree_bound(grid.cells, np.asarray(charge, np.int64), MEMORY)
        odd_trees.begin(grid.cells, self._state, ceiling)

    def stop(self) -> None:
        """End soon; may be called from another thread."""
        self._state.control[self._kernel.STOP] = 1

    @property
    def work(self) -> int:
        """Elements scanned so far."""
        return int(self._state.control[self._kernel.WORK])

    def advance(self, budget: int) -> int | None:
        """Go on for a while; the result once there is one: the least cost if below the ceiling, else a lower bound."""
        ended = self._kernel.resume(self._cells, self._state, budget)
        return int(self._state.control[self._kernel.VALUE]) if ended == self._kernel.DONE else None


class Unfolding:
    """How many copies of questions a diagram with merged nodes can have, unfolded: W_k of the module's text.

    Parameters
    ----------
    widths : the most questions in each layer.
    """

    def __init__(self, widths: tuple[int, ...]) -> None:
        self._widths = widths

    def most(self, charge: np.ndarray, n_questions: int) -> int:
        """W_k(mu) for mu int64 (D,) and k questions; the root's charge counts once."""
        # best[(questions in the layer, questions so far)] = {paths: charges so far}, the most for each number of paths
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


class Charges:
    """Charges by layer worth trying for diagrams of k questions with merged nodes, the most promising first."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._unfolding = Unfolding(grid.widths)

    @cached_property
    def _split(self) -> int:
        return self._grid.problem.split_cost

    def of(self, k: int) -> list[np.ndarray]:
        """Charges, each int64 (depth,) with the depth that k questions can have."""
        depth = min(len(self._grid.widths), k - 1)
        root = 0 if self._grid.problem.objective.free_root else self._split
        ones = np.ones(depth, np.int64)
        ones[0] = 0
        copies = max(1, self._unfolding.most(ones, k))
        layer = np.maximum(0, np.arange(depth) - 1)
        shared = self._split // 2**layer
        even = np.full(depth, self._split * (k - 1) // copies)
        tried = [shared, even, shared // 2, even // 2, np.zeros(depth, np.int64)]
        found: list[np.ndarray] = []
        for charge in tried:
            charge = charge.astype(np.int64)
            charge[0] = root if charge.any() else 0
            if not any((charge == other).all() for other in found):
                found.append(charge)
        return found

    def gain(self, charge: np.ndarray, k: int) -> int:
        """What a bound for trees under these charges becomes for k questions: the price of k less W_k."""
        return self._grid.price(k) - self._unfolding.most(charge, k)
