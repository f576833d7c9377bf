"""All trees that cost at most a slack more than the best one, counted exactly and listed in order of cost.

The set is the Rashomon set of Xin et al. (2022), 'Exploring the Whole Rashomon Set of Sparse Decision Trees', NeurIPS,
over all thresholds: here it is an AND/OR graph of parts (see `parts`), whose splits are those that the lower bounds of
the exact search do not rule out. Trees are counted as follows:

- thresholds that give the same two sets of training rows at a node are one split;
- a leaf predicts the class of the lowest cost, the first one in a tie;
- a split into two leaves of the same prediction does not count.

Example
-------
>>> near_trees(problem, best=12, tolerance=2).n_trees  # doctest: +SKIP
317
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np
from msgspec import structs

from ....constraints import rules_of
from ....constraints.rules import Allowed, ThresholdRange
from ....errors import UnsupportedError
from ....magnitude import LARGEST_SUM
from ....problem import Limits, Problem, ShapeKind
from ....solution import EndReason, Stop
from ...search.clock import Clock
from ...search.deadline import Deadline, SearchEndedError
from ..tree_of_splits import Splits, SplitTree, may_be_leaf
from .iteration import TreeKind, kind_of, trees_of
from .near_set import LISTED, ColumnUse, NearSet, NearTree, SizeCount, TreeFilter
from .parts import CellTrees, Parts, Tally, add
from .table import CellTable, cell_table

SHARE = 0.7
"""Share of the time for the search; the rest is for the list."""

ROOM_SHARE = 0.5
"""Share of the memory limit that the search may use."""

FIRST_LOOK = 40
"""Trees listed while the search continues."""

GRACE = 0.3
"""Seconds for the list after the user stopped the search."""

LOOKED_AT = 40
"""How many trees are looked at for each listed one: many have the same splits in another order."""

ALIKE = 6
"""How many trees of the same columns and root column are listed, if there are too many to list all."""


def near_trees(
    problem: Problem,
    best: int,
    tolerance: int,
    wanted: TreeFilter | None = None,
    *,
    most: int = LISTED,
    limits: Limits | None = None,
    stop: Stop | None = None,
    tell: Callable[[NearSet], None] | None = None,
) -> NearSet:
    """The trees of a problem that cost at most `best + tolerance`, both in cost units, filtered by `wanted`.

    At most `most` are listed, within limits of time and memory; `tell` receives intermediate results. Raises
    `UnsupportedError` if the problem is not for trees, or its root split is free of the split penalty.
    """
    if problem.shape.kind is not ShapeKind.TREE or (problem.objective.free_root and problem.split_penalty):
        raise UnsupportedError(
            "Near-optimal models can be listed only for trees in which every split has the same cost."
        )
    search = _Enumeration(problem, best, tolerance, wanted or TreeFilter(), most, limits or Limits(seconds=None), stop)
    return search.run(tell or (lambda known: None))


class _Enumeration:
    """One enumeration, with increasing slack."""

    def __init__(
        self, problem: Problem, best: int, slack: int, wanted: TreeFilter, most: int, limits: Limits, stop: Stop | None
    ) -> None:
        self._problem, self._wanted, self._most = problem, wanted, most
        self._clock = Clock()
        self._deadline = Deadline(limits, self._clock, stop or threading.Event())
        self._stopped: float | None = None
        self._found = NearSet(best, slack)
        table = cell_table(problem, wanted.never)
        if wanted.questions is not None:
            table = replace(table, most_leaves=min(table.most_leaves, wanted.questions + 1))
        self._table: CellTable = table
        # the compiled search allocates memory, too
        room = None if limits.memory_mb is None else int(limits.memory_mb * 2**20 * ROOM_SHARE)
        searching = self._deadline if limits.seconds is None else self._deadline.within(SHARE * limits.seconds)
        self._parts = Parts(table, searching.due, room)
        self._by_tree = _by_tree(problem, self._wanted)

    def run(self, tell: Callable[[NearSet], None]) -> NearSet:
        """Enumerate with increasing slack, then list."""
        slack, root = self._found.slack, None
        if not may_be_leaf(self._problem, np.arange(self._problem.dataset.n_samples)):
            return self._known(reached=slack, all_listed=True, counted=True, finished=True)
        for step in sorted({0, slack // 4, slack // 2, slack}):
            try:
                budget = min(self._found.best + step, LARGEST_SUM) - self._table.constant
                with self._parts.watched():
                    root = self._parts.part(self._table.everything, self._problem.size.max_depth, budget)
                root = self._chosen(root)
            except SearchEndedError:
                break
            self._take_counts(root, step)
            if step < slack:
                self._take_list(root, step, FIRST_LOOK)
                tell(self._known())
        if root is not None and self._found.reached is not None:
            self._take_list(root, self._found.reached, self._most)
        elif self._parts.open_root is not None:
            # not all trees of the best cost were found, but these were
            self._take_list(self._chosen(self._parts.open_root), slack, self._most)
        return self._known(finished=True, note=self._note())

    def _chosen(self, root: CellTrees) -> CellTrees:
        """The root, restricted to root splits on the column that `wanted` requires, if any."""
        return root if self._wanted.first is None else beginning(self._parts, root, self._wanted.first)

    # Counts

    def _take_counts(self, root: CellTrees, slack: int) -> None:
        """Record how many trees there are within a slack that was fully enumerated."""
        self._found = structs.replace(self._found, reached=slack, counted=not self._by_tree, sizes=(), columns=())
        if not self._found.counted:
            return
        constant = self._table.constant
        within = {key: n for key, n in root.tally.items() if key[0] + constant <= self._found.best + slack}
        must = next(iter(self._wanted.must), None)
        sizes = [
            SizeCount(cost + constant, leaves - 1, int(n[0] - (0 if must is None else n[1 + must])))
            for (cost, leaves), n in sorted(within.items())
        ]
        columns = () if self._wanted.must else tuple(self._uses(root, within))
        self._found = structs.replace(self._found, sizes=tuple(size for size in sizes if size.n), columns=columns)

    def _uses(self, root: CellTrees, within: Tally) -> Iterator[ColumnUse]:
        root_columns = {stump.column for stump in root.stumps} | {fork.column for fork in root.forks}
        for c, name in enumerate(self._problem.dataset.schema.names):
            heads = beginning(self._parts, root, c).tally if c in root_columns else {}
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
        """List trees, as many as time and limit permit."""
        within = self._found.best + slack - self._table.constant
        list_of = Catalogue(self._table, self._wanted.must, self._by_tree)
        ended = list_of.fill(root, within, most, self._list_due)
        self._found = structs.replace(
            self._found, trees=list_of.trees, all_listed=ended and slack == self._found.reached
        )
        if self._found.all_listed and not self._found.counted:
            self._found = structs.replace(self._found, sizes=list_of.sizes(), columns=list_of.columns(), counted=True)

    # End

    def _list_due(self) -> bool:
        due = self._deadline.due()
        if self._deadline.reason is not EndReason.STOPPED:
            return due
        if self._stopped is None:
            self._stopped = self._clock.elapsed
        return self._clock.elapsed > self._stopped + GRACE

    def _note(self) -> str:
        answer = self._found
        if answer.complete:
            return ""
        why = (
            "The memory limit was reached"
            if self._parts.full
            else "The search was stopped, or its time limit was reached"
        )
        if answer.reached is None:
            return f"{why} before all trees that are as good as the best were found. There may be more."
        return f"{why}: the list is complete for a smaller tolerance only."

    def _known(self, **changes: Any) -> NearSet:
        """The result so far, with changes."""
        self._found = structs.replace(self._found, seconds=self._clock.elapsed, **changes)
        return self._found


def _by_tree(problem: Problem, wanted: TreeFilter) -> bool:
    """Whether each tree must be checked against constraints and filter.

    Forbidden columns and thresholds are not searched at all; sizes are always respected.
    """
    rules = rules_of(problem)
    at_root = any(rule.at_root for rule in rules.of(Allowed))
    return bool(rules.kinds - {Allowed, ThresholdRange}) or at_root or len(wanted.must) > 1


@dataclass
class Catalogue:
    """Collects trees that pass the filter: all columns in `must` must be used.

    `checked` is whether there are constraints that must be checked for each tree.
    """

    table: CellTable
    must: frozenset[int] = frozenset()
    checked: bool = False
    _listed: dict[TreeKind, NearTree] = field(default_factory=dict)
    _alike: Counter[tuple[frozenset[int], int]] = field(default_factory=Counter)

    def fill(self, root: CellTrees, within: int, most: int, due: Callable[[], bool]) -> bool:
        """Take the trees that cost at most `within` (relative); return whether these are all.

        If there are more than `most`, take some of each cost and size, and few with the same columns. `due` returns
        whether to end.
        """
        split, leaves = self.table.problem.split_penalty, self.table.most_leaves
        keys = sorted(key for key in root.tally if key[0] <= within and key[1] <= leaves)
        # under constraints that are checked tree by tree, the number is known only after the last tree
        few = bool(sum(root.tally[key][0] for key in keys) <= most * (LOOKED_AT if self.checked else 2))
        for number, key in enumerate(keys):
            # places that smaller groups leave free go to the next ones
            share = most if few else len(self._listed) + (most - len(self._listed)) // (len(keys) - number)
            looked = trees_of(root, key, split)
            for splits in looked if few else islice(looked, most * LOOKED_AT // len(keys)):
                if len(self._listed) >= share or due():
                    break
                self.take(key[0], splits, None if few else ALIKE)
            if few and (len(self._listed) >= most or due()):
                return False
        return few

    def take(self, cost: int, splits: Splits, alike: int | None = None) -> None:
        """Take a tree of a relative cost, if it passes the filter and the limit `alike` is not reached."""
        kind = kind_of(self.table, splits)
        listed = self._listed.get(kind)
        if not self.must <= kind[1] or (listed is None and alike and self._alike[kind[1:]] >= alike):
            return
        if listed is None or self.checked:
            problem, space = self.table.problem, self.table.posted.space
            diagram = space.diagram(problem, SplitTree(splits, {}), space.fixed)
            if any(constraint.violations(diagram, problem.dataset) for constraint in problem.constraints):
                return
            if listed is None:
                self._listed[kind] = NearTree(cost + self.table.constant, diagram, 0)
                self._alike[kind[1:]] += 1
        self._listed[kind] = self._listed[kind]._replace(orders=self._listed[kind].orders + 1)

    @property
    def trees(self) -> tuple[NearTree, ...]:
        """The list, by cost, then by size."""
        return tuple(sorted(self._listed.values(), key=lambda tree: (tree.cost, tree.diagram.n_splits)))

    def sizes(self) -> tuple[SizeCount, ...]:
        """The number of trees taken, by cost and number of splits."""
        counts: Counter[tuple[int, int]] = Counter()
        for tree in self._listed.values():
            counts[tree.cost, tree.diagram.n_splits] += tree.orders
        return tuple(SizeCount(*key, n) for key, n in sorted(counts.items()))

    def columns(self) -> tuple[ColumnUse, ...]:
        """The use of columns by the trees taken."""
        taken = [(columns, first, tree) for (_, columns, first), tree in self._listed.items()]
        uses = []
        for c, name in enumerate(self.table.problem.dataset.schema.names):
            used = [tree for columns, _, tree in taken if c in columns]
            unused = [tree for columns, _, tree in taken if c not in columns]
            heads = [tree for _, first, tree in taken if first == c]
            groups = used, unused, heads
            numbers = [sum(tree.orders for tree in group) for group in groups]
            uses.append(ColumnUse(name, *numbers, *(min((t.cost for t in group), default=None) for group in groups)))
        return tuple(uses)


def beginning(parts: Parts, root: CellTrees, column: int) -> CellTrees:
    """The trees of a part whose root split is on a column."""
    forks = [fork for fork in root.forks if fork.column == column]
    stumps = tuple(stump for stump in root.stumps if stump.column == column)
    tally: Tally = {}
    for part in (*(parts.joined(fork, root.budget) for fork in forks), *(parts.counted(s) for s in stumps)):
        add(tally, part)
    # a single leaf has no split: no tree has this cost
    return replace(root, leaf=-1, forks=forks, stumps=stumps, tally=tally)
