"""All trees that cost at most a slack more than the best one, counted exactly and listed from the cheapest on.

The set is the Rashomon set of Xin et al. (2022), 'Exploring the Whole Rashomon Set of Sparse Decision Trees', NeurIPS,
over all thresholds: here it is an AND/OR graph of parts (see `parts`), whose splits are those that lower bounds of the
exact search leave. What counts as one tree:

- thresholds that part the training rows of a node in the same way are one question;
- a leaf answers what costs least, the first class of equals;
- a question with two leaves of the same answer is none.

Example
-------
>>> near_trees(problem, best=12, slack=2).n_trees  # doctest: +SKIP
317
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from solvers.constraints import rules_of
from solvers.constraints.rules import Allowed, ThresholdRange
from solvers.errors import UnsupportedError
from solvers.magnitude import LARGEST_SUM
from solvers.methods.search.clock import Clock
from solvers.methods.search.deadline import SearchEndedError
from solvers.methods.trees.near_optimal.catalogue import Catalogue, beginning, extremes
from solvers.methods.trees.near_optimal.near_set import LISTED, ColumnUse, NearSet, SizeCount, Taste
from solvers.methods.trees.near_optimal.parts import CellTrees, Parts, Tally
from solvers.methods.trees.near_optimal.table import CellTable, cell_table
from solvers.methods.trees.tree_of_splits import may_be_leaf
from solvers.problem import Limits, Problem, ShapeKind
from solvers.solution import Stop

SHARE = 0.7
"""Of the time for finding; the rest is for the list."""

ROOM_SHARE = 0.5
"""Of the memory that the search may take."""

FIRST_LOOK = 40
"""Trees listed while the search goes on."""

GRACE = 0.3
"""Seconds for the list after the user stopped the search."""


def near_trees(
    problem: Problem,
    best: int,
    slack: int,
    taste: Taste | None = None,
    *,
    most: int = LISTED,
    limits: Limits | None = None,
    stop: Stop | None = None,
    tell: Callable[[NearSet], None] | None = None,
) -> NearSet:
    """The trees of a problem that cost at most `best + slack`, both in cost units, as far as `taste` wants them.

    At most `most` are listed, within limits of time and memory, and `tell` takes what is known so far. Raises
    `UnsupportedError` where the problem is not for trees, or its first question costs nothing.
    """
    if problem.shape.kind is not ShapeKind.TREE or (problem.objective.free_root and problem.split_cost):
        raise UnsupportedError("Near-optimal models are enumerated for trees whose every question costs the same.")
    search = _Enumeration(problem, best, slack, taste or Taste(), most, limits or Limits(seconds=None), stop)
    return search.run(tell or (lambda known: None))


class _Enumeration:
    """One enumeration, slack by slack."""

    def __init__(
        self, problem: Problem, best: int, slack: int, taste: Taste, most: int, limits: Limits, stop: Stop | None
    ) -> None:
        self._problem, self._taste, self._most, self._limits, self._stop = problem, taste, most, limits, stop
        self._clock = Clock()
        self._stopped: float | None = None
        self._found = NearSet(best, slack)
        table = cell_table(problem, taste.never)
        if taste.questions is not None:
            table = replace(table, most_leaves=min(table.most_leaves, taste.questions + 1))
        self._table: CellTable = table
        # the compiled search allocates, too
        room = None if limits.memory_mb is None else int(limits.memory_mb * 2**20 * ROOM_SHARE)
        self._parts = Parts(table, lambda: self._due(SHARE), room)
        self._by_tree = _by_tree(problem, self._taste)

    def run(self, tell: Callable[[NearSet], None]) -> NearSet:
        """Go through growing slacks, then list."""
        slack, root = self._found.slack, None
        if not may_be_leaf(self._problem, np.arange(self._problem.dataset.n_samples)):
            return self._known(reached=slack, all_listed=True, counted=True, finished=True)
        for step in sorted({0, slack // 4, slack // 2, slack}):
            try:
                budget = min(self._found.best + step, LARGEST_SUM) - self._table.constant
                root = self._chosen(self._parts.part(self._table.everything, self._problem.size.max_depth, budget))
            except SearchEndedError:
                break
            self._take_counts(root, step)
            if step < slack:
                self._take_list(root, step, FIRST_LOOK)
                tell(self._known())
        if root is not None and self._found.reached is not None:
            self._take_list(root, self._found.reached, self._most)
        elif self._parts.open_root is not None:
            # not all trees that are as good as the best were found, but these were
            self._take_list(self._chosen(self._parts.open_root), slack, self._most)
        return self._known(finished=True, note=self._note())

    def _chosen(self, root: CellTrees) -> CellTrees:
        """The root with the first questions that are wanted alone."""
        return root if self._taste.first is None else beginning(self._parts, root, self._taste.first)

    # What is known of all of them

    def _take_counts(self, root: CellTrees, slack: int) -> None:
        """Note how many trees there are within a slack that was gone through."""
        self._found = replace(self._found, reached=slack, counted=not self._by_tree, sizes=(), columns=())
        if not self._found.counted:
            return
        constant = self._table.constant
        within = {key: n for key, n in root.tally.items() if key[0] + constant <= self._found.best + slack}
        must = next(iter(self._taste.must), None)
        sizes = [
            SizeCount(cost + constant, leaves - 1, int(n[0] - (0 if must is None else n[1 + must])))
            for (cost, leaves), n in sorted(within.items())
        ]
        columns = () if self._taste.must else tuple(self._uses(root, within))
        self._found = replace(self._found, sizes=tuple(size for size in sizes if size.n), columns=columns)

    def _uses(self, root: CellTrees, within: Tally) -> Iterator[ColumnUse]:
        asked_first = {stump.column for stump in root.stumps} | {fork.column for fork in root.forks}
        for c, name in enumerate(self._problem.dataset.schema.names):
            heads = beginning(self._parts, root, c).tally if c in asked_first else {}
            groups = (
                [(cost, n[0] - n[1 + c]) for (cost, _), n in within.items()],
                [(cost, n[1 + c]) for (cost, _), n in within.items()],
                [(key[0], n[0]) for key, n in heads.items() if key in within],
            )
            numbers = [int(sum(n for _, n in group)) for group in groups]
            least = [min((cost + self._table.constant for cost, n in group if n), default=None) for group in groups]
            yield ColumnUse(name, *numbers, *least)

    # The list

    def _take_list(self, root: CellTrees, slack: int, most: int) -> None:
        """List trees, as many as there is time and room for."""
        within = self._found.best + slack - self._table.constant
        list_of = Catalogue(self._table, self._taste.must, self._by_tree)
        ended = list_of.fill(root, within, most, self._list_due)
        if not ended:
            for cost, tree in extremes(self._parts, root, within):
                if self._list_due():
                    break
                list_of.take(cost, tree)
        self._found = replace(self._found, trees=list_of.trees, all_listed=ended and slack == self._found.reached)
        if self._found.all_listed and not self._found.counted:
            self._found = replace(self._found, sizes=list_of.sizes(), columns=list_of.columns(), counted=True)

    # How it ended

    def _due(self, share: float) -> bool:
        seconds = self._limits.seconds
        return (self._stop is not None and self._stop.is_set()) or (
            seconds is not None and self._clock.elapsed > share * seconds
        )

    def _list_due(self) -> bool:
        if self._stop is not None and self._stop.is_set() and self._stopped is None:
            self._stopped = self._clock.elapsed
        if self._stopped is not None:
            return self._clock.elapsed > self._stopped + GRACE
        return self._due(1.0)

    def _note(self) -> str:
        known = self._found
        if known.complete:
            return ""
        why = "The memory was used up" if self._parts.full else "It was stopped, or its time was up"
        if known.reached is None:
            return f"{why} before all trees that are as good as the best were found: there may be more."
        return f"{why}: it is complete for a smaller slack than was asked for."

    def _known(self, **changes: Any) -> NearSet:
        """What is known so far, with changes."""
        self._found = replace(self._found, seconds=self._clock.elapsed, **changes)
        return self._found


def _by_tree(problem: Problem, taste: Taste) -> bool:
    """Whether only a look at each tree tells if it is wanted.

    The questions that are searched leave out columns and thresholds that may not be asked; sizes are kept everywhere.
    """
    rules = rules_of(problem)
    at_root = any(rule.at_root for rule in rules.of(Allowed))
    return bool(rules.kinds - {Allowed, ThresholdRange}) or at_root or len(taste.must) > 1
