"""The list of near-optimal trees: those that differ in leaves, columns or first column, each checked and written."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

from solvers.diagram import Diagram
from solvers.methods.trees.near_optimal.iteration import RankTree, TreeKind, kind_of, trees_of, witness
from solvers.methods.trees.near_optimal.near_set import ColumnUse, NearTree, SizeCount
from solvers.methods.trees.near_optimal.parts import CellTrees, Parts, Tally, add
from solvers.methods.trees.near_optimal.table import CellTable
from solvers.methods.trees.tree_of_splits import Tree, assemble, leaf_of, rank_question

LOOKED_AT = 40
"""How many trees are looked at for each that is listed: many ask the same in another order."""

ALIKE = 6
"""How many trees of the same columns and first column are listed, where not all can be."""


@dataclass
class Catalogue:
    """Takes trees, keeps those that are wanted: all columns in `must` must be asked about.

    `checked` says whether there are constraints that only a look at each tree can tell.
    """

    table: CellTable
    must: frozenset[int] = frozenset()
    checked: bool = False
    _listed: dict[TreeKind, NearTree] = field(default_factory=dict)
    _alike: Counter[tuple[frozenset[int], int]] = field(default_factory=Counter)

    def fill(self, root: CellTrees, within: int, most: int, due: Callable[[], bool]) -> bool:
        """Take the trees that cost at most `within` (relative); whether these are all.

        Where there are too many for `most`, some of each cost and size are taken, and few that ask the same columns.
        `due` says when to end.
        """
        split, leaves = self.table.problem.split_cost, self.table.most_leaves
        keys = sorted(key for key in root.tally if key[0] <= within and key[1] <= leaves)
        # under constraints that are seen tree by tree only a look at all tells how many there are
        few = bool(sum(root.tally[key][0] for key in keys) <= most * (LOOKED_AT if self.checked else 2))
        for number, key in enumerate(keys):
            # what smaller groups leave is for the next ones
            share = most if few else len(self._listed) + (most - len(self._listed)) // (len(keys) - number)
            looked = trees_of(root, key, split)
            for tree in looked if few else islice(looked, most * LOOKED_AT // len(keys)):
                if len(self._listed) >= share or due():
                    break
                self.take(key[0], tree, None if few else ALIKE)
            if few and (len(self._listed) >= most or due()):
                return False
        return few

    def take(self, cost: int, tree: RankTree, alike: int | None = None) -> None:
        """Take a tree of a relative cost, if it is wanted, and there are not as many `alike` yet."""
        kind = kind_of(self.table, tree)
        known = self._listed.get(kind)
        if not self.must <= kind[1] or (known is None and alike and self._alike[kind[1:]] >= alike):
            return
        if known is None or self.checked:
            problem, diagram = self.table.problem, write(self.table, tree)
            if any(constraint.violations(diagram, problem.dataset) for constraint in problem.constraints):
                return
            if known is None:
                self._listed[kind] = NearTree(cost + self.table.constant, diagram, 0)
                self._alike[kind[1:]] += 1
        self._listed[kind] = self._listed[kind]._replace(orders=self._listed[kind].orders + 1)

    @property
    def trees(self) -> tuple[NearTree, ...]:
        """The list, the cheapest first and of these the smallest."""
        return tuple(sorted(self._listed.values(), key=lambda tree: (tree.cost, tree.diagram.n_splits)))

    def sizes(self) -> tuple[SizeCount, ...]:
        """How many trees were taken by cost and questions."""
        counts: Counter[tuple[int, int]] = Counter()
        for tree in self._listed.values():
            counts[tree.cost, tree.diagram.n_splits] += tree.orders
        return tuple(SizeCount(*key, n) for key, n in sorted(counts.items()))

    def columns(self) -> tuple[ColumnUse, ...]:
        """What the trees that were taken ask about."""
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


def extremes(parts: Parts, root: CellTrees, within: int) -> Iterator[tuple[int, RankTree]]:
    """The best tree with and without each column, and with each first column: for a list that ends early."""
    split = parts.table.problem.split_cost
    keys = sorted(key for key in root.tally if key[0] <= within)
    for column in range(parts.table.n_columns):
        for asked in (True, False):
            for key in keys:
                everything, never = root.tally[key][0], root.tally[key][1 + column]
                if (everything - never if asked else never) > 0:
                    yield key[0], witness(root, key, column, asked, split)
                    break
    for column in sorted({fork.column for fork in root.forks}):
        only = beginning(parts, root, column)
        cheapest = min((key for key in only.tally if key[0] <= within), default=None)
        if cheapest is not None:
            yield cheapest[0], next(trees_of(only, cheapest, split))


def beginning(parts: Parts, root: CellTrees, column: int) -> CellTrees:
    """The trees of a part whose first question is about a column."""
    forks = [fork for fork in root.forks if fork.column == column]
    stumps = tuple(stump for stump in root.stumps if stump.column == column)
    tally: Tally = {}
    for part in (*(parts.joined(fork, root.budget) for fork in forks), *(parts.counted(s) for s in stumps)):
        add(tally, part)
    # a leaf alone has no question: no tree costs as little as this one says
    return replace(root, leaf=-1, forks=forks, stumps=stumps, tally=tally)


def write(table: CellTable, tree: RankTree) -> Diagram:
    """The diagram of a tree, with thresholds near the middle between the rows of their nodes."""
    problem, asked = table.problem, table.asked

    def build(node: RankTree, rows: np.ndarray) -> Tree:
        if not node:
            return (leaf_of(problem, rows),)
        order, last = int(asked.kept[node[0]]), int(asked.lasts[node[0]][node[1]])
        low = asked.orders.rank[order, rows] <= last
        predicate, low_is_yes = rank_question(problem, asked.orders, rows, order, last, asked.within)
        first, second = build(node[2], rows[low]), build(node[3], rows[~low])
        return (predicate, first, second) if low_is_yes else (predicate, second, first)

    return assemble(problem, build(tree, np.arange(problem.dataset.n_samples)))
