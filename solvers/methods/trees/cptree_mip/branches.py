"""CPTree's variables and what makes them a tree (Nanfack, Temple and Frénay 2023, section 3 and appendix A.1).

The paper describes a tree by its branches: Q says what branch i asks at depth j and which answer it takes, Z how far
two branches go together, S which row ends in which branch, H what a branch answers, R which rows it gets wrong. Any
branch may be any path, so equations (1) to (14) tie them together, and every tree is described once for each numbering.

Here the branches are numbered from left to right, as the leaves of a complete tree of depth K: branch i takes at depth
j the yes side if bit j of i, from the top, is 0. That fixes Z. Two branches with the same first j bits have the same
question at depth j, and share the variable. So

- `asks[m, f]` is Q: node m asks a question of family f; a node asks one or none (2), and none below none (4);
- (1) and (5) to (14) hold by construction, and each tree has one description;
- `ends[c, i, k]` is S and H at once: the rows of cell c end in branch i, and it answers k. Each ends once (15), follows
  the questions (16), and where the branch answers so (17), (19). It makes every cost linear: (20) is a plain sum;
- `answers[i, k]` is H; a branch of which a node above has no question takes part only if it goes right from there on.

Where the paper uses one threshold at a node and large constants, `links` has that, and a tighter form. The majority
vote (18) is not posted: it follows from what is minimised, and under constraints another answer may be the right one.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import TYPE_CHECKING

import numpy as np

from solvers.constraints.rules import Allowed, FewColumns, NeverBoth, NotBelow, PathCost, Rules, ThresholdRange
from solvers.methods.mip.menu import Menu
from solvers.methods.mip.model import ProgramBuilder, Term
from solvers.problem import Problem

if TYPE_CHECKING:
    from solvers.methods.trees.cptree_mip.links import Linking


BLIND = frozenset({NotBelow, PathCost, Allowed, ThresholdRange, NeverBoth, FewColumns})
"""Rules that do not look at rows, and that no tree breaks by asking less: a question that divides no rows can go."""


@dataclass(frozen=True)
class CompleteTreePlaces:
    """The complete tree that all trees of a problem are part of.

    Nodes are numbered as in a heap: the root is 0, below m are 2 m + 1 (yes) and 2 m + 2 (no). Branch i ends below the
    last level, in the i-th place from the left.
    """

    depth: int

    @property
    def n_nodes(self) -> int:
        """The number of places for questions."""
        return 2**self.depth - 1

    @property
    def n_branches(self) -> int:
        """The number of places for leaves."""
        return 2**self.depth

    def path(self, node: int) -> list[tuple[int, bool]]:
        """The nodes above a node (or above the branch i, as n_nodes + i) with the answer taken, the root first."""
        above: list[tuple[int, bool]] = []
        while node:
            above.append(((node - 1) // 2, node % 2 == 1))
            node = (node - 1) // 2
        return above[::-1]

    def above(self, node: int) -> list[int]:
        """The nodes above a node, the root first."""
        return [m for m, _ in self.path(node)]

    def branches(self, node: int) -> np.ndarray:
        """The branches below a node, int64."""
        layer = (node + 1).bit_length() - 1
        width = 2 ** (self.depth - layer)
        first = (node + 1 - 2**layer) * width
        return np.arange(first, first + width)

    @property
    def last_nodes(self) -> range:
        """The nodes of the last level; the path to each, with it, has all the questions of its two branches."""
        return range(self.n_nodes // 2, self.n_nodes)

    def gate(self, branch: int) -> int | None:
        """The node that must ask something for a branch to take part; `None` for the last branch, which always does.

        It is the lowest of those from which the branch goes to the yes side.
        """
        turns = [m for m, yes in self.path(self.n_nodes + branch) if yes]
        return turns[-1] if turns else None

    def branch(self, node: int) -> int:
        """The branch that stands for a leaf at this node."""
        while node < self.n_nodes:
            node = 2 * node + 2
        return node - self.n_nodes


class Branches:
    """The model of a problem: variables, tree, objective; rules are posted on top of it.

    Attributes
    ----------
    problem, rules, menu, frame : what it is about.
    model : where everything is posted.
    asks : int64 (n_nodes, n_families), positions of Q.
    answers : int64 (n_branches, n_classes), positions of H.
    ends : int64 (n_cells, n_branches, n_classes), positions of S and H together.
    linking : how questions and rows are tied together.
    costs : int64 (n_cells, n_classes), the cost of each answer less the cheapest, in units of `unit`.
    counted : bool (n_cells, n_classes), which of `ends` there are.
    unit, least, base : no tree costs less than `least`; a solution of objective v costs `unit * v + base`.
    """

    def __init__(self, problem: Problem, rules: Rules, menu: Menu, depth: int, linking: type[Linking]) -> None:
        self.problem, self.rules, self.menu = problem, rules, menu
        self.frame, self.model = CompleteTreePlaces(depth), ProgramBuilder()
        frame, n_classes = self.frame, problem.dataset.n_classes
        self.asks = self.model.variables((frame.n_nodes, len(menu)), whole=True)
        self.answers = self.model.variables((frame.n_branches, n_classes), whole=True)
        self.ends = self.model.variables((menu.n_cells, frame.n_branches, n_classes), whole=linking.whole_rows)
        self._price()
        self._tree()
        self.linking = linking(self)
        self._rows()

    @cached_property
    def n_rows(self) -> np.ndarray:
        """The number of rows of each cell, int64 (n_cells,)."""
        return np.bincount(self.menu.cell, minlength=self.menu.n_cells)

    @cached_property
    def weight(self) -> np.ndarray:
        """The weight of each class in each cell, int64 (n_cells, n_classes)."""
        dataset = self.problem.dataset
        by_class = np.where(dataset.y[:, None] == np.arange(dataset.n_classes), self.problem.weights[:, None], 0)
        return self.menu.add_up(by_class)

    def asked(self, columns: Collection[int], node: int) -> np.ndarray:
        """The variables of which one is 1 where a node asks about one of these columns, (1, n)."""
        return self.asks[node, self.menu.of(set(columns))][None]

    def reach(self, cells: np.ndarray, branches: np.ndarray) -> np.ndarray:
        """The variables of which one is 1 where a cell ends in one of these branches, (n_cells, n)."""
        return self.ends[np.ix_(cells, branches)].reshape(len(cells), -1)

    def _tree(self) -> None:
        model, frame, asks = self.model, self.frame, self.asks
        if frame.n_nodes:
            model.at_most([(1, asks)], 1)
        if frame.n_nodes > 1:
            below = np.arange(1, frame.n_nodes)
            model.at_most([(1, asks[below]), (-1, asks[(below - 1) // 2])], 0)
        if self.problem.size.max_leaf_nodes is not None:
            model.at_most([(1, asks.reshape(1, -1))], self.problem.size.max_leaf_nodes - 1)
        for i in range(frame.n_branches):
            gate = frame.gate(i)
            if gate is None:
                model.equal([(1, self.answers[[i]])], 1)
            else:
                model.equal([(1, self.answers[[i]]), (-1, asks[[gate]])], 0)

    def _price(self) -> None:
        total = self.weight @ self.problem.class_costs
        least = total.min(axis=1)
        self.unit = gcd(self.problem.split_cost, *np.unique(total - least[:, None]).tolist()) or 1
        self.least, self.costs = int(least.sum()), (total - least[:, None]) // self.unit

    def _rows(self) -> None:
        """Every row ends in one branch and gets its answer, (15), (17), (19), and what that costs, (20).

        Where no rule asks where rows are, it is enough to know which rows end in a branch whose answer costs less than
        the dearest one: the others are those that do not end anywhere. Of two classes that is half of the variables.
        """
        size, worst = self.problem.size, self.costs.max(axis=1)
        everywhere = bool(self.rules.kinds - BLIND) or size.min_samples_leaf > 1 or self.problem.min_leaf_weight > 1
        self.counted = np.full(self.costs.shape, True) if everywhere else self.costs < worst[:, None]
        self.base = self.least + self.unit * (0 if everywhere else int(worst.sum()))
        price = self.costs if everywhere else self.costs - worst[:, None]
        self.model.charge(np.broadcast_to(price[:, None], self.ends.shape), self.ends)
        self.model.charge(self.problem.split_cost // self.unit, self.asks)
        cell, label = np.nonzero(~self.counted)
        self.model.limit(self.ends[cell, :, label], high=0)
        once = [(1, self.ends.reshape(len(self.ends), -1))]
        if everywhere:
            self.model.equal(once, 1)
        elif self.linking.whole_rows:
            self.model.at_most(once, 1)
        cell, label = np.nonzero(self.counted)
        ends, answers = self.ends[cell, :, label], self.answers[:, label].T
        self.model.at_most([(1, ends.reshape(-1, 1)), (-1, answers.reshape(-1, 1))], 0)
        if everywhere:
            self._leaf_size(self.n_rows, max(1, size.min_samples_leaf))
            self._leaf_size(self.weight.sum(axis=1), self.problem.min_leaf_weight)

    def _leaf_size(self, per_cell: np.ndarray, least: int) -> None:
        """Every leaf holds at least so much (section 4.4)."""
        for i in range(self.frame.n_branches if least else 0):
            held: Term = (np.repeat(-per_cell, self.ends.shape[2])[None], self.ends[:, i].reshape(1, -1))
            self.model.at_most([held, (least, self.answers[[i]])], 0)

    def answers_differ(self) -> None:
        """No question is asked in vain: two leaves that share their last question answer differently.

        Two leaves of one answer could be one leaf: no cost rises and no rule breaks, but for rules that fix questions
        or keep rows apart. So this is not posted with those.
        """
        for node in range(self.frame.n_nodes):
            yes, no = 2 * node + 1, 2 * node + 2
            pair = self.answers[[self.frame.branch(yes), self.frame.branch(no)]]
            below = self.asks[[child for child in (yes, no) if child < self.frame.n_nodes]].reshape(1, -1)
            self.model.at_most([(1, pair.T), (-1, below)], 1)
