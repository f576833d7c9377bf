"""The lower bound: the minimum over all possible forms of an optimal diagram.

An optimal diagram has no splits; or it is a tree; or it has k splits with merged nodes, k at least 4. Each of these
parts has its own lower bound, which rises during the search; the smallest of them bounds all diagrams. A part matters
only while its bound is below the best diagram known, so with a split penalty c only the k with (k - 1) c below its cost
matter. Constraints only exclude diagrams, so the bound is also valid under constraints.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from .grid import DiagramGrid
from .trees import ChargedTrees, FewLeaves, TreeTrial, Trials

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
