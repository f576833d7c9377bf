"""The lower bound: the minimum over all possible forms of an optimal diagram, each by trees.

An optimal diagram has no splits; or it is a tree; or it has k splits with merged nodes, k at least 4. Each of these
parts has its own lower bound, which rises during the search; the smallest of them bounds all diagrams. A part matters
only while its bound is below the best diagram known, so with a split penalty c only the k with (k - 1) c below its cost
matter. Constraints only exclude diagrams, so the bound is also valid under constraints.

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

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ....problem import Problem, Shape
from ...trees.exact_search import as_weighted_rows, tree_search
from ...trees.tree_of_splits import Splits
from .formulation import ENOUGH, DiagramGrid

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
        from ....kernels.status import DONE

        ended = self._kernel.resume(self._cells, self._state, budget)
        return int(self._state.control[self._kernel.VALUE]) if ended == DONE else None


class FewLeaves:
    """The cheapest tree of limited depth and leaves below a ceiling, by the tree search; costs are those of the cells.

    `split` is the penalty of a split.
    """

    def __init__(self, grid: DiagramGrid, depth: int, leaves: int | None, ceiling: int, split: int = 0) -> None:
        rows = as_weighted_rows(grid.problem)
        self._offset = rows.constant - grid.cases.base
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
        return self._search.splits if self._search.found else None


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


MOST_COUNTED = 24
"""The largest number of splits for which there is a separate bound."""


@dataclass
class DiagramSpace:
    """Diagrams with k splits and merged nodes, or with k or more (`or_more`); k = 0 means trees.

    `bound` is a lower bound on their cost, in the costs of the cells, and `ahead` are the trials not yet made.
    """

    k: int
    bound: int
    ahead: list[TreeTrial] = field(default_factory=list)
    or_more: bool = False


class _Running(NamedTuple):
    """A search in progress, and the part that it was started for."""

    part: DiagramSpace
    trial: TreeTrial
    search: ChargedTrees | FewLeaves


class GridBound:
    """The lower bound on all diagrams within the skeleton, in the costs of the cells.

    Parameters
    ----------
    grid : the problem; ceiling : the cost of the best diagram known.
    constant : the cost of the best diagram without splits; `None` if none is allowed.

    Attributes
    ----------
    tree : cost and depth of the cheapest tree known, if it costs less than the best diagram; `None` at first.
    searches, work : the searches started, and the elements that they scanned.
    """

    def __init__(self, grid: DiagramGrid, ceiling: int, constant: int | None) -> None:
        self._grid, self.ceiling = grid, ceiling
        self._least = grid.price(grid.most_questions) + ceiling if constant is None else constant
        self._trials = Trials(grid)
        self._depth = len(grid.widths)
        # shallow trees are quick, and deeper ones have more splits: this gives a first bound early
        space = grid.price(1), *[grid.problem.split_penalty] * (self._depth - 1)
        depths = range(min(2, self._depth), self._depth + 1)
        self._plain = DiagramSpace(0, grid.price(1), [TreeTrial(space[:depth]) for depth in depths])
        self._merged = list(self._merged_parts())
        self._running: _Running | None = None
        self._stopped = False
        self.tree: tuple[int, int] | None = None
        self.searches = self.work = 0

    def _merged_parts(self) -> Iterator[DiagramSpace]:
        """Diagrams with merged nodes by number of splits; large numbers, or free splits, share one part."""
        last = self._grid.most_questions
        counted = min(last, MOST_COUNTED) if self._grid.problem.split_penalty else 3
        for k in range(4, counted + 1):
            if trials := self._trials.of(k):
                yield DiagramSpace(k, self._grid.price(k), trials)
        if counted < last and self._trials.of(4):
            yield DiagramSpace(counted + 1, self._grid.price(counted + 1), [self._trials.any_number], or_more=True)

    @property
    def parts(self) -> list[DiagramSpace]:
        """The parts that may contain a diagram below the ceiling."""
        return [part for part in (self._plain, *self._merged) if part.bound < self.ceiling]

    @property
    def bound(self) -> int:
        """The lower bound on the cost of all diagrams."""
        return min([self.ceiling, self._least, *(part.bound for part in self.parts)])

    @property
    def stuck(self) -> bool:
        """Whether the part with the smallest bound has no trials left."""
        parts = self.parts
        return self._running is None and not (parts and min(parts, key=_standing).ahead)

    def stop(self) -> None:
        """End soon; may be called from another thread."""
        self._stopped = True
        if running := self._running:
            running.search.stop()

    def advance(self, budget: int) -> None:
        """Work on the part with the smallest bound for about `budget` scanned elements."""
        if self._stopped or self.stuck:
            return
        if self._running is None:
            part = min(self.parts, key=_standing)
            trial = part.ahead.pop(0)
            if part is self._plain and part.ahead and self._grid.price(len(trial.charge) + 1) <= part.bound:
                return
            if (ceiling := self._ceiling_of(part, trial)) <= 0:
                return
            self._running = _Running(part, trial, trial.search(self._grid, ceiling))
            self.searches += 1
        part, trial, search = self._running
        before = search.work
        value = search.advance(budget)
        self.work += search.work - before
        if self._stopped:
            return
        if value is not None:
            self._running = None
            self._learn(part, trial, value)
        elif self._ceiling_of(part, trial) <= 0:
            # better diagrams have been found, and this bound is no longer needed
            self._running = None

    def _ceiling_of(self, part: DiagramSpace, trial: TreeTrial) -> int:
        """The largest value of a tree bound that helps any part."""
        if part is self._plain:
            return self.ceiling
        gains = [self._gain(trial, other) for other in self.parts if other.k]
        return max((self.ceiling - gain for gain in gains if gain is not None), default=0)

    def _gain(self, trial: TreeTrial, part: DiagramSpace) -> int | None:
        """The amount to add to a tree bound to bound a part; `None` if it does not apply."""
        if part.or_more and trial != self._trials.any_number:
            return None
        return self._trials.gain(trial, part.k)

    def _learn(self, part: DiagramSpace, trial: TreeTrial, value: int) -> None:
        """Use the result of a search."""
        if part is self._plain:
            depth = len(trial.charge)
            # a deeper tree has at least one split per layer
            deeper = value if depth == self._depth else self._grid.price(depth + 1)
            part.bound = max(part.bound, min(value, deeper))
            if value < self.ceiling:
                self.tree = value, depth
            return
        for other in self._merged:
            gain = self._gain(trial, other)
            if gain is not None:
                other.bound = max(other.bound, value + gain)
            if trial in other.ahead:
                other.ahead.remove(trial)


def _standing(part: DiagramSpace) -> tuple[int, int]:
    return part.bound, part.k
