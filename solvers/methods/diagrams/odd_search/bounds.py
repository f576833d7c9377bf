"""The lower bound: the minimum over all possible forms of an optimal diagram, each by trees.

An optimal diagram has no splits; or it is a tree; or it has k splits with merged nodes, k at least 4. Each of these
parts has its own lower bound, which rises during the search; the smallest of them bounds all diagrams. A part matters
only while its bound is below the best diagram known, so with a split penalty c only the k with (k - 1) c below its cost
matter. Constraints only exclude diagrams, so the bound is also valid under constraints.

**No merged node.** Such a diagram is a tree, so the cheapest tree of the skeleton's depth bounds it.

**k splits, some node merged.** Unfolded, the diagram is a tree T in which a node occurs once for each path to it from
the root. It has at most U splits, root excluded, and so at most U + 2 leaves, where U is the largest sum_l P_l of
layers l >= 1 with P_l paths to n_l splits:

    n_0 = P_0 = 1,  n_l <= min(w_l, 2 n_{l-1}),  sum_l n_l = k,  P_{l+1} = P_l min(2, n_{l+1})

because the sides of a split lead to two different targets, so P_{l+1} <= 2 P_l, and P_{l+1} <= P_l if the next layer
has a single split. A merge needs two parents in one layer, so k is at least 4 and the depth at most k - 1. For every
penalty mu >= 0 of a split, the first one free,

    errors = errors(T) + mu * splits(T) - mu * splits(T)  >=  min over such trees [errors + mu * splits]  -  mu U

With the limit on leaves, mu = 0 is sharpest. Without it, some mu above 0 is, and the search is faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from ....magnitude import LARGEST_ROWS
from ...trees.exact_search import as_weighted_rows
from ...trees.tree_of_splits import Splits
from .formulation import DiagramGrid


def memory_mb(grid: DiagramGrid) -> int:
    """The memory of a search for trees, in MiB."""
    from ....kernels import tree_search

    n_orders, n = grid.rank.shape
    return tree_search.memory_mb(n_orders, n, grid.problem.dataset.n_classes, len(grid.widths))


@dataclass(frozen=True)
class TreeTrial:
    """A bound from trees: the cheapest one of limited depth and leaves, with a penalty for each split but the first."""

    depth: int
    leaves: int
    split: int = 0

    def search(self, grid: DiagramGrid, ceiling: int) -> TrialSearch:
        """The search for the cheapest tree below a ceiling."""
        return TrialSearch(grid, self, ceiling)


class TrialSearch:
    """The search of a trial; costs are those of the cells."""

    def __init__(self, grid: DiagramGrid, trial: TreeTrial, ceiling: int) -> None:
        from ....kernels.tree_search import TreeSearch

        rows, searched = as_weighted_rows(grid.problem), grid.space.searched
        self._offset = rows.constant - grid.cases.base
        # orders of fixed splits have neither twins nor missing values
        fixed = np.full(grid.n_orders - len(searched), -1, np.int32)
        self._search = TreeSearch(
            np.ascontiguousarray(grid.rank),
            rows.label,
            rows.weight,
            np.append(searched.twin, fixed),
            np.append(searched.missing_rank, fixed),
            rows.n_labels,
            trial.depth,
            ceiling=max(0, ceiling - self._offset),
            leaves=trial.leaves,
            split=trial.split,
            free=True,
            costs=rows.costs,
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


def most_copies(widths: tuple[int, ...], n_splits: int) -> int:
    """The largest number of splits, without the root, of the tree that a diagram unfolds to: U of the module docstring.

    0 if no diagram within the `widths` of the layers has `n_splits` splits.
    """
    # by (splits in the layer, splits so far, paths to a split of the layer): the most splits of the tree so far
    states, most = {(1, 1, 1): 0}, 0
    for width in widths[1 : n_splits - 1]:
        following: dict[tuple[int, int, int], int] = {}
        for (before, used, paths), total in states.items():
            for n in range(1, min(width, 2 * before, n_splits - used) + 1):
                more = paths * min(2, n)
                state = n, used + n, more
                following[state] = max(following.get(state, 0), total + more)
        states = following
        most = max([most, *(total for (_, used, _), total in states.items() if used == n_splits)])
    return most


class Trials:
    """Bounds worth trying, by the number of splits; none if the tree search cannot count the rows or classes."""

    def __init__(self, grid: DiagramGrid) -> None:
        from ....kernels.workspace import MAX_CLASSES

        self._grid, self._depth = grid, len(grid.widths)
        few = grid.problem.dataset.n_classes <= MAX_CLASSES and grid.rank.shape[1] <= LARGEST_ROWS
        self._possible = few and grid.n_orders > 0
        self.copies = cache(partial(most_copies, grid.widths))

    @property
    def plain(self) -> list[TreeTrial]:
        """The trials for diagrams that are trees, by depth: shallow trees are quick, deeper ones have more splits."""
        most, split = self._grid.most_questions + 1, self._grid.problem.split_penalty
        depths = range(min(2, self._depth), self._depth + 1) if self._possible else ()
        return [TreeTrial(depth, min(most, 2**depth), split) for depth in depths]

    @property
    def any_number(self) -> list[TreeTrial]:
        """The trial for every number of splits: the fewest errors of a tree."""
        return [TreeTrial(self._depth, 2**self._depth)] if self._possible else []

    def _size(self, k: int) -> tuple[int, int]:
        """The largest depth and number of leaves of the tree that k splits unfold to."""
        depth = min(self._depth, k - 1)
        return depth, min(self.copies(k) + 2, 2**depth)

    def of(self, k: int) -> list[TreeTrial]:
        """The trials for k splits with merged nodes, quickest first."""
        depth, leaves = self._size(k)
        even = self._grid.problem.split_penalty * (k - 1) // self.copies(k)
        # a limit on leaves makes the search about ten times slower
        trials = [TreeTrial(depth, 2**depth, split) for split in (0, even // 2, even)]
        return list(dict.fromkeys([*trials, TreeTrial(depth, leaves)])) if self._possible else []

    def gain(self, trial: TreeTrial, k: int) -> int | None:
        """The amount to add to a tree bound for k splits; `None` if it does not apply."""
        depth, leaves = self._size(k)
        applies = depth <= trial.depth and leaves <= trial.leaves
        return self._grid.price(k) - trial.split * self.copies(k) if applies else None


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
    search: TrialSearch


class GridBound:
    """The lower bound on all diagrams within the skeleton, in the costs of the cells.

    Parameters
    ----------
    grid : the problem; ceiling : the cost of the best diagram known.
    constant : the cost of the best diagram without splits; `None` if none is allowed.

    Attributes
    ----------
    tree : the splits of the last tree found that costs less than the best diagram; `None` at first.
    searches, work : the searches started, and the elements that they scanned.
    """

    def __init__(self, grid: DiagramGrid, ceiling: int, constant: int | None) -> None:
        self._grid, self.ceiling = grid, ceiling
        self._least = grid.price(grid.most_questions) + ceiling if constant is None else constant
        self._trials = Trials(grid)
        self._depth = len(grid.widths)
        # shallow trees are quick, and deeper ones have more splits: this gives a first bound early
        self._plain = DiagramSpace(0, grid.price(1), self._trials.plain)
        self._merged = list(self._merged_parts())
        self._running: _Running | None = None
        self._stopped = False
        self.tree: Splits | None = None
        self.searches = self.work = 0

    def _merged_parts(self) -> Iterator[DiagramSpace]:
        """Diagrams with merged nodes by number of splits; large numbers, or free splits, share one part."""
        last = self._grid.most_questions
        counted = min(last, MOST_COUNTED) if self._grid.problem.split_penalty else 3
        for k in range(4, counted + 1):
            if self._trials.copies(k):
                yield DiagramSpace(k, self._grid.price(k), self._trials.of(k))
        if counted < last and self._trials.copies(4):
            yield DiagramSpace(counted + 1, self._grid.price(counted + 1), self._trials.any_number, or_more=True)

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
            if part is self._plain and part.ahead and self._grid.price(trial.depth + 1) <= part.bound:
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
            self._learn(part, trial, search, value)
        elif self._ceiling_of(part, trial) <= 0:
            # better diagrams have been found, and this bound is no longer needed
            self._running = None

    def _ceiling_of(self, part: DiagramSpace, trial: TreeTrial) -> int:
        """The largest value of a tree bound that helps any part."""
        if part is self._plain:
            return self.ceiling - self._grid.price(1)
        gains = [self._gain(trial, other) for other in self.parts if other.k]
        return max((self.ceiling - gain for gain in gains if gain is not None), default=0)

    def _gain(self, trial: TreeTrial, part: DiagramSpace) -> int | None:
        """The amount to add to a tree bound to bound a part; `None` if it does not apply."""
        if part.or_more and trial not in self._trials.any_number:
            return None
        return self._trials.gain(trial, part.k)

    def _learn(self, part: DiagramSpace, trial: TreeTrial, search: TrialSearch, value: int) -> None:
        """Use the result of a search."""
        if part is self._plain:
            value += self._grid.price(1)
            # a deeper tree has at least one split per layer
            deeper = value if trial.depth == self._depth else self._grid.price(trial.depth + 1)
            part.bound = max(part.bound, min(value, deeper))
            if value < self.ceiling:
                self.tree = search.splits
            return
        for other in self._merged:
            gain = self._gain(trial, other)
            if gain is not None:
                other.bound = max(other.bound, value + gain)
            if trial in other.ahead:
                other.ahead.remove(trial)


def _standing(part: DiagramSpace) -> tuple[int, int]:
    return part.bound, part.k
