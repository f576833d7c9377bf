"""A diagram within a skeleton as a CP-SAT model: the last prover, where bounds from trees leave a gap.

For a node v, an order f and a rank r let c[v, f, r] say that v asks about f with a cut of at least r, so that cells of
rank r go low. For a cell i

    low[v, i] = sum_f c[v, f, rank_f(i)],        sum_f c[v, f, 0] + passing[v] = active[v]

An arc y[v, s, t] leads from side s of v to a slot of the next layer or a class. A cell that is at v and goes to side s
is at the target of the arc, and it is in one place of each layer:

    at[i, v], side s, y[v, s, t]  =>  at[i, t] or answers[i, t],      sum_v at[i, v] + gone[i, l] = 1 for each layer l

This has one Boolean a node, order and rank, and one a cell and node; constraints are linear over `answers`, `at` and
columns. Limits of what a path costs are left out: then it is a relaxation, whose bound holds all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from solvers.constraints import rules_of
from solvers.constraints.rules import FewColumns, NeverBoth, NotBelow, OnlyBelow, PathCost, Reached, Rules
from solvers.methods.diagrams.odd_search.grid import DiagramGrid

if TYPE_CHECKING:
    from collections.abc import Callable

    from ortools.sat.python.cp_model import IntVar, LinearExprT

LOW, HIGH = 0, 1

MOST_LITERALS = 600_000
"""The largest model that is built; larger ones take longer to build than to be of use."""


def n_literals(grid: DiagramGrid) -> int:
    """How large the model of a problem would be, in literals of its largest families."""
    m, n_classes = grid.cells.price.shape
    widths = [*grid.widths[1:], 0]
    moves = sum(w * 2 * (below + n_classes) for w, below in zip(grid.widths, widths, strict=True))
    return int(m * (3 * moves + sum(grid.widths) * grid.n_orders))


class Model:
    """The model of a grid; `objective` is its cost, in the costs of the cells.

    `complete` says whether all constraints are in it.
    """

    def __init__(self, grid: DiagramGrid) -> None:
        from ortools.sat.python.cp_model import CpModel

        self.grid, self.cp = grid, CpModel()
        self._first = grid.frame.first.tolist()
        self._n_nodes, self._depth = self._first[-1], len(grid.widths)
        self._n_cells, self._n_classes = grid.cells.price.shape
        self.active = [self.cp.new_bool_var(f"active {v}") for v in range(self._n_nodes)]
        self.answers = self._table(self._n_cells, self._n_classes)
        self.at = self._table(self._n_cells, self._n_nodes)
        self._questions()
        self._arcs()
        for i in range(self._n_cells):
            self._walk(i)
        self.objective = self._cost()
        self.complete = self._constraints()

    def _table(self, rows: int, columns: int) -> list[list[IntVar]]:
        return [[self.cp.new_bool_var("") for _ in range(columns)] for _ in range(rows)]

    def _questions(self) -> None:
        """Each active node asks one question; `low` tells which cells go low."""
        cells, cp = self.grid.cells, self.cp
        ranks = [int(line.max()) for line in cells.rank]
        self.cut = [[[cp.new_bool_var("") for _ in range(r)] for r in ranks] for _ in range(self._n_nodes)]
        self.passing = [cp.new_bool_var("") for _ in range(self._n_nodes)]
        self.low = self._table(self._n_cells, self._n_nodes)
        for v in range(self._n_nodes):
            for cuts in self.cut[v]:
                for r in range(1, len(cuts)):
                    cp.add_implication(cuts[r], cuts[r - 1])
            space = [cuts[0] for cuts in self.cut[v]]
            cp.add_exactly_one([*space, self.passing[v], self.active[v].negated()])
            if not self.grid.frame.passing:
                cp.add(self.passing[v] == 0)
            for i in range(self._n_cells):
                below = [
                    cuts[r] for cuts, r in zip(self.cut[v], cells.rank[:, i].tolist(), strict=True) if r < len(cuts)
                ]
                cp.add(sum(below) + self.passing[v] == self.low[i][v])
        for f in np.flatnonzero(~self.grid.frame.at_root[:-1]).tolist():
            cp.add(self.cut[0][f][0] == 0)
        if not self.grid.frame.at_root[-1]:
            cp.add(self.passing[0] == 0)

    def targets(self, v: int) -> list[int]:
        """The arcs that a node can have: slots of the next layer, then ~k for the classes."""
        below = int(self.grid.frame.layer[v]) + 1
        slots = self._first[below + 1] - self._first[below] if below < self._depth else 0
        return [*range(slots), *(~k for k in range(self._n_classes))]

    def _arcs(self) -> None:
        """Each side of an active node has one target, different ones; a node is active if some arc leads to it."""
        cp = self.cp
        self.arc = [
            [{t: cp.new_bool_var("") for t in self.targets(v)} for _ in (LOW, HIGH)] for v in range(self._n_nodes)
        ]
        into: list[list[IntVar]] = [[] for _ in range(self._n_nodes)]
        for v in range(self._n_nodes):
            begin = self._first[int(self.grid.frame.layer[v]) + 1]
            for side in (LOW, HIGH):
                cp.add_exactly_one([*self.arc[v][side].values(), self.active[v].negated()])
            for t in self.targets(v):
                cp.add_at_most_one([self.arc[v][LOW][t], self.arc[v][HIGH][t]])
                if t >= 0:
                    into[begin + t] += [self.arc[v][LOW][t], self.arc[v][HIGH][t]]
        for v in range(1, self._n_nodes):
            for arc in into[v]:
                cp.add_implication(arc, self.active[v])
            cp.add_bool_or([*into[v], self.active[v].negated()])
            if self.grid.frame.layer[v] == self.grid.frame.layer[v - 1]:
                # slots are filled from the first one on
                cp.add_implication(self.active[v], self.active[v - 1])
        cp.add(sum(self.active) <= self.grid.most_questions)

    def _walk(self, i: int) -> None:
        """The way of a cell. With no active root it is told one class like all others."""
        cp, at, answers = self.cp, self.at[i], self.answers[i]
        cp.add_exactly_one(answers)
        gone = [cp.new_bool_var("") for _ in range(self._depth)]
        cp.add(at[0] == self.active[0])
        for layer in range(self._depth):
            cp.add_exactly_one([*at[self._first[layer] : self._first[layer + 1]], gone[layer]])
            if layer:
                cp.add_implication(gone[layer - 1], gone[layer])
        for k in range(self._n_classes):
            if i:
                cp.add_bool_or([self.active[0], answers[k].negated(), self.answers[0][k]])
        for v in range(self._n_nodes):
            cp.add_implication(at[v], self.active[v])
            below = int(self.grid.frame.layer[v]) + 1
            for side, other in ((LOW, self.low[i][v]), (HIGH, self.low[i][v].negated())):
                for t, arc in self.arc[v][side].items():
                    here = [at[v].negated(), other.negated(), arc.negated()]
                    cp.add_bool_or([*here, at[self._first[below] + t] if t >= 0 else answers[~t]])
                    if t < 0 and below < self._depth:
                        cp.add_bool_or([*here, gone[below]])

    def _cost(self) -> LinearExprT:
        price, grid = self.grid.cells.price, self.grid
        paid = [
            int(price[i, k]) * self.answers[i][k]
            for i in range(self._n_cells)
            for k in range(self._n_classes)
            if price[i, k]
        ]
        split, free = grid.problem.split_cost, grid.problem.objective.free_root
        charged = self.active[1:] if free else self.active
        return sum(paid) + split * sum(charged)

    def _constraints(self) -> bool:
        """Post what a diagram has to keep besides its skeleton; whether that is everything."""
        cp, cells, grid = self.cp, self.grid.cells, self.grid
        size, rules = grid.problem.size, rules_of(grid.problem)
        for sums, limit in zip(cells.sums, cells.limits.tolist(), strict=True):
            nonzero = np.argwhere(sums).tolist()
            cp.add(sum(int(sums[i, k]) * self.answers[i][k] for i, k in nonzero) <= limit)
        for rule in rules.of(Reached):
            for v in range(self._n_nodes):
                rows = sum(int(n) * self.at[i][v] for i, n in enumerate(cells.rows))
                cp.add(rows >= rule.rows).only_enforce_if(self.active[v])
        used = [cp.new_bool_var("") for _ in range(self._n_classes)]
        for k in range(self._n_classes):
            for i in range(self._n_cells):
                cp.add_implication(self.answers[i][k], used[k])
            for least, amounts in ((size.min_samples_leaf, cells.rows), (grid.problem.min_leaf_weight, cells.weight)):
                if least > 1:
                    got = sum(int(n) * self.answers[i][k] for i, n in enumerate(amounts))
                    cp.add(got >= least).only_enforce_if(used[k])
            cp.add_bool_or([*(self.answers[i][k] for i in range(self._n_cells)), used[k].negated()])
        if size.max_leaf_nodes is not None:
            cp.add(sum(used) <= size.max_leaf_nodes)
        self._columns(rules)
        return not rules.of(PathCost)

    def _columns(self, rules: Rules) -> None:
        """What may be asked below what, and how many columns in all."""
        cp = self.cp
        few, never = rules.of(FewColumns), rules.of(NeverBoth)
        below = {*((r.upper, "some") for r in rules.of(NotBelow)), *((r.upper, "every") for r in rules.of(OnlyBelow))}
        if not few and not never and not below:
            return
        asks = [self._asks(v) for v in range(self._n_nodes)]
        above = {which: self._above(asks, *which) for which in sorted(below)}
        nobody = cp.new_constant(0)
        for v in range(self._n_nodes):
            for rule in rules.of(NotBelow):
                cp.add_implication(asks[v].get(rule.lower, nobody), above[rule.upper, "some"][v].negated())
            for rule in rules.of(OnlyBelow):
                cp.add_implication(asks[v].get(rule.column, nobody), above[rule.upper, "every"][v])
        if few or never:
            space = {c: cp.new_bool_var("") for c in sorted({c for mine in asks for c in mine})}
            for mine in asks:
                for c, literal in mine.items():
                    cp.add_implication(literal, space[c])
            for rule in few:
                cp.add(sum(space.values()) <= rule.most)
            for rule in never:
                cp.add_at_most_one([space.get(rule.first, nobody), space.get(rule.second, nobody)])

    def _asks(self, v: int) -> dict[int, IntVar]:
        """By column, whether a node asks about it."""
        schema = self.grid.problem.dataset.schema
        by_column: dict[int, list[IntVar]] = {}
        for f, column in enumerate(self.grid.space.searched.column.tolist()):
            by_column.setdefault(column, []).append(self.cut[v][f][0])
        if self.grid.passing is not None:
            by_column.setdefault(schema.index(self.grid.passing.column), []).append(self.passing[v])
        asks = {}
        for column, literals in by_column.items():
            asks[column] = self.cp.new_bool_var("")
            self.cp.add(sum(literals) == asks[column])
        return asks

    def _above(self, asks: list[dict[int, IntVar]], column: int, which: str) -> list[IntVar]:
        """Whether a column is asked about above each node, on some path or on every path."""
        cp = self.cp
        nobody = cp.new_constant(0)
        above = [cp.new_bool_var("") for _ in range(self._n_nodes)]
        cp.add(above[0] == 0)
        for v in range(self._n_nodes):
            begin, mine = self._first[int(self.grid.frame.layer[v]) + 1], asks[v].get(column, nobody)
            for side in (LOW, HIGH):
                for t, arc in self.arc[v][side].items():
                    if t < 0:
                        continue
                    if which == "some":
                        cp.add_bool_or([arc.negated(), mine.negated(), above[begin + t]])
                        cp.add_bool_or([arc.negated(), above[v].negated(), above[begin + t]])
                    else:
                        cp.add_bool_or([arc.negated(), above[begin + t].negated(), mine, above[v]])
        return above

    def read(self, value: Callable[[IntVar], int]) -> np.ndarray | int:
        """The diagram of a solution, int64 (V, 4) as in `DiagramGrid.draft`, or the class that all rows get."""
        if not value(self.active[0]):
            return next(k for k in range(self._n_classes) if value(self.answers[0][k]))
        nodes = np.full((self._n_nodes, 4), -1, np.int64)
        for v in range(self._n_nodes):
            if value(self.active[v]):
                nodes[v, 0], nodes[v, 1] = self.grid.n_orders, 0
                for f, cuts in enumerate(self.cut[v]):
                    if value(cuts[0]):
                        nodes[v, 0], nodes[v, 1] = f, sum(value(cut) for cut in cuts) - 1
                for side in (LOW, HIGH):
                    nodes[v, 2 + side] = next(t for t, arc in self.arc[v][side].items() if value(arc))
        return nodes
