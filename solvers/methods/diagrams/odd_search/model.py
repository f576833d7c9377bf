"""A diagram within a skeleton as a CP-SAT model: the last prover, where bounds from trees leave a gap.

For a node v, an order f and a rank r let c[v, f, r] say that v asks about f with a cut of at least r, so that cells of
rank r go low. For a cell i

    low[v, i] = sum_f c[v, f, rank_f(i)] + sum_p passing[v, p],    sum_f c[v, f, 0] + sum_p passing[v, p] = active[v]

An arc y[v, s, t] leads from side s of v to a slot of the next layer or a class. A cell that is at v and goes to side s
is at the target of the arc, and it is in one place of each layer:

    at[i, v], side s, y[v, s, t]  =>  at[i, t] or answers[i, t],      sum_v at[i, v] + gone[i, l] = 1 for each layer l

This has one Boolean a node, order and rank, and one a cell and node; constraints are linear over `answers`, `at` and
columns. Limits of what a path costs, and of answers that only rise, are left out at first: that is a relaxation, whose
bound holds all the same. `Model.learn` posts what a solution breaks of them, and the search goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....constraints.rules import (
    Chain,
    FewColumns,
    MustAppearRule,
    NeverBoth,
    NotBelow,
    OnlyBelow,
    PathCost,
    Reached,
    Rules,
    Sum,
)
from ....diagram import Diagram
from ...cases import added_up
from ...permitted import tests_of
from .cases import contradictions
from .grid import DiagramGrid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    """The model of a grid; `objective` is its cost, in the costs of the cells."""

    def __init__(self, grid: DiagramGrid) -> None:
        from ortools.sat.python.cp_model import CpModel

        self.grid, self.cp = grid, CpModel()
        self._first = grid.frame.first.tolist()
        self._n_nodes, self._depth = self._first[-1], len(grid.widths)
        self._n_cells, self._n_classes = grid.cells.price.shape
        self.active = [self.cp.new_bool_var(f"active {v}") for v in range(self._n_nodes)]
        self.answers: list[list[IntVar]] = []
        self.at: list[list[IntVar]] = []
        self._questions()
        self._arcs()
        self.used = [self.cp.new_bool_var("") for _ in range(self._n_classes)]
        for i in range(self._n_cells):
            self._walk(i)
        self.objective = self._cost()
        self._asks = [self._columns_of(v) for v in range(self._n_nodes)] if grid.follows_columns else []
        self._constraints()
        self._post_pairs(grid.pairs)

    def _questions(self) -> None:
        """Each active node asks one question; `low` tells which cells go low."""
        cells, cp = self.grid.cells, self.cp
        ranks = [int(line.max()) for line in cells.rank]
        self.cut = [[[cp.new_bool_var("") for _ in range(r)] for r in ranks] for _ in range(self._n_nodes)]
        self.passing = [[cp.new_bool_var("") for _ in range(self.grid.n_passing)] for _ in range(self._n_nodes)]
        for v in range(self._n_nodes):
            for cuts in self.cut[v]:
                for r in range(1, len(cuts)):
                    cp.add_implication(cuts[r], cuts[r - 1])
            cp.add_exactly_one([*self._orders(v), self.active[v].negated()])
        for literal, may_be_first in zip(self._orders(0), self.grid.frame.at_root.tolist(), strict=True):
            if not may_be_first:
                cp.add(literal == 0)

    def _orders(self, v: int) -> list[IntVar]:
        """By order, whether a node asks a question of it."""
        return [*(cuts[0] for cuts in self.cut[v]), *self.passing[v]]

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
        cp, last = self.cp, self.grid.cells.rank[:, i].tolist()
        at, low = ([cp.new_bool_var("") for _ in range(self._n_nodes)] for _ in range(2))
        answers = [cp.new_bool_var("") for _ in range(self._n_classes)]
        self.at.append(at)
        self.answers.append(answers)
        for v in range(self._n_nodes):
            under = [cuts[r] for cuts, r in zip(self.cut[v], last, strict=True) if r < len(cuts)]
            cp.add(sum([*under, *self.passing[v]]) == low[v])
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
            for side, other in ((LOW, low[v]), (HIGH, low[v].negated())):
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

    def _constraints(self) -> None:
        """Post what a diagram has to keep besides its skeleton, but for costs of paths and rising answers."""
        cp, cells, grid = self.cp, self.grid.cells, self.grid
        size, rules, used = grid.problem.size, grid.rules, self.used
        for rule, sums, limit in zip(rules.sums, cells.sums, cells.limits.tolist(), strict=True):
            nonzero = np.argwhere(sums).tolist()
            added = [int(sums[i, k]) * self.answers[i][k] for i, k in nonzero]
            cp.add(sum([*added, *self._paid(rule), rule.per_leaf * sum(used)]) <= limit)
        for rule in rules.of(Reached):
            for v in range(self._n_nodes):
                rows = sum(int(n) * self.at[i][v] for i, n in enumerate(cells.rows))
                cp.add(rows >= rule.rows).only_enforce_if(self.active[v])
        real = np.flatnonzero(cells.rows).tolist()
        for k in range(self._n_classes):
            for i in real:
                cp.add_implication(self.answers[i][k], used[k])
            for least, amounts in ((size.min_samples_leaf, cells.rows), (grid.problem.min_weight_leaf, cells.weight)):
                if least > 1:
                    got = sum(int(n) * self.answers[i][k] for i, n in enumerate(amounts))
                    cp.add(got >= least).only_enforce_if(used[k])
            cp.add_bool_or([*(self.answers[i][k] for i in real), used[k].negated()])
            if size.min_samples_leaf > 0:
                for arcs in self.arc:
                    cp.add_implication(arcs[LOW][~k], used[k])
                    cp.add_implication(arcs[HIGH][~k], used[k])
        if size.max_leaf_nodes is not None:
            cp.add(sum(used) <= size.max_leaf_nodes)
        for arcs, active in zip(self.arc, self.active, strict=True) if rules.of(Chain) else ():
            cp.add_bool_or(
                [active.negated(), *(arcs[side][~k] for side in (LOW, HIGH) for k in range(self._n_classes))]
            )
        self._columns(rules)
        self._fixed()
        if must := rules.of(MustAppearRule):
            self._matter({rule.column for rule in must})

    def _paid(self, rule: Sum) -> list[LinearExprT]:
        """What the rows of all cells pay for their tests."""
        if rule.tests is None or rule.test_weight is None:
            return []
        cp = self.cp
        paid: list[LinearExprT] = []
        weights = added_up(rule.test_weight, self.grid.cell, self._n_cells).tolist()
        for columns, cost in tests_of(rule.tests):
            asks = [[mine[c] for c in columns if c in mine] for mine in self._asks]
            for at, weight in zip(self.at, weights, strict=True):
                if weight:
                    pays = cp.new_bool_var("")
                    for v, literals in enumerate(asks):
                        for literal in literals:
                            cp.add_bool_or([at[v].negated(), literal.negated(), pays])
                    paid.append(cost * weight * pays)
        return paid

    def _columns(self, rules: Rules) -> None:
        """What may be asked below what, and how many columns in all."""
        cp, asks = self.cp, self._asks
        few, never = rules.of(FewColumns), rules.of(NeverBoth)
        below = {*((r.upper, "some") for r in rules.of(NotBelow)), *((r.upper, "every") for r in rules.of(OnlyBelow))}
        above = {which: self._above(asks, *which) for which in sorted(below)}
        nobody = cp.new_constant(0)
        for v, mine in enumerate(asks):
            for rule in rules.of(NotBelow):
                cp.add_implication(mine.get(rule.lower, nobody), above[rule.upper, "some"][v].negated())
            for rule in rules.of(OnlyBelow):
                cp.add_implication(mine.get(rule.column, nobody), above[rule.upper, "every"][v])
        if few or never:
            space = {c: cp.new_bool_var("") for c in sorted({c for mine in asks for c in mine})}
            for mine in asks:
                for c, literal in mine.items():
                    cp.add_implication(literal, space[c])
            for rule in few:
                cp.add(sum(space.values()) <= rule.most)
            for rule in never:
                cp.add_at_most_one([space.get(rule.first, nobody), space.get(rule.second, nobody)])

    def _columns_of(self, v: int) -> dict[int, IntVar]:
        """By column, whether a node asks about it."""
        by_column: dict[int, list[IntVar]] = {}
        for column, literal in zip(self.grid.column.tolist(), self._orders(v), strict=True):
            by_column.setdefault(column, []).append(literal)
        asks = {column: self.cp.new_bool_var("") for column in by_column}
        for column, literals in by_column.items():
            self.cp.add(sum(literals) == asks[column])
        return asks

    def _fixed(self) -> None:
        """Which node stands at each fixed place, and that it asks the question."""
        cp = self.cp
        here: list[dict[int, IntVar]] = []
        for above, side, order in self.grid.fixed.tolist():
            stands: dict[int, IntVar] = {}
            if above < 0:
                cp.add(self.active[0] == 1)
                stands[0] = cp.new_constant(1)
            for v, literal in here[above].items() if above >= 0 else ():
                begin = self._first[int(self.grid.frame.layer[v]) + 1]
                for t, arc in self.arc[v][side].items():
                    if t < 0:
                        cp.add_bool_or([literal.negated(), arc.negated()])
                        continue
                    if begin + t not in stands:
                        stands[begin + t] = cp.new_bool_var("")
                    cp.add_bool_or([literal.negated(), arc.negated(), stands[begin + t]])
            for v, literal in stands.items():
                cp.add_implication(literal, self._orders(v)[order])
            here.append(stands)

    def _matter(self, columns: set[int]) -> None:
        """Each of these columns is asked about by some node below which answers differ.

        `gives[v][k]` needs an arc of v to the terminal of k, or to a node that gives k.
        """
        cp, gives = self.cp, [[self.cp.new_bool_var("") for _ in range(self._n_classes)] for _ in self.active]
        for v in range(self._n_nodes):
            begin = self._first[int(self.grid.frame.layer[v]) + 1]
            for k in range(self._n_classes):
                reasons = [self.arc[v][side][~k] for side in (LOW, HIGH)]
                for side in (LOW, HIGH):
                    for t, arc in self.arc[v][side].items():
                        if t >= 0:
                            reasons.append(cp.new_bool_var(""))
                            cp.add_implication(reasons[-1], arc)
                            cp.add_implication(reasons[-1], gives[begin + t][k])
                cp.add_bool_or([*reasons, gives[v][k].negated()])
        for column in columns:
            matters = []
            for v, mine in enumerate(self._asks):
                if column in mine:
                    matters.append(cp.new_bool_var(""))
                    cp.add_implication(matters[-1], mine[column])
                    cp.add(sum(gives[v]) >= 2).only_enforce_if(matters[-1])
            cp.add_bool_or(matters)

    def _post_pairs(self, pairs: np.ndarray) -> None:
        """How the answers of pairs of cells must be to each other, int64 (n, 3) as in `Demands`."""
        from ....kernels.odd_rules import DIFFERENT, SAME

        cp, heights = self.cp, self.grid.height.tolist()
        for first, second, relation in pairs.tolist():
            for k, literal in enumerate(self.answers[first]):
                other = self.answers[second]
                if relation == SAME:
                    cp.add_implication(literal, other[k])
                elif relation == DIFFERENT:
                    cp.add_bool_or([literal.negated(), other[k].negated()])
                else:
                    height = heights[relation]
                    at_least = [other[c] for c in range(self._n_classes) if height[c] >= height[k]]
                    cp.add_bool_or([literal.negated(), *at_least])

    def learn(self, nodes: np.ndarray, diagram: Diagram) -> None:
        """Post what a solution breaks, int64 (V, 4) as in `DiagramGrid.draft`."""
        for path, columns in dear_paths(self.grid, nodes):
            arcs = [self.arc[v][side][int(nodes[v, 2 + side])] for v, side in path[:-1]]
            asks = [self._asks[v][c] for (v, _), c in zip(path, columns, strict=True)]
            self.cp.add_bool_or([literal.negated() for literal in (*arcs, *asks)])
        for line, points in contradictions(self.grid, diagram):
            if len(points):
                self.grid = self.grid.with_pairs(points, line)
                for i in range(self._n_cells, len(self.grid.cells.rows)):
                    self._walk(i)
                self._n_cells = len(self.grid.cells.rows)
                self._post_pairs(self.grid.pairs[-len(points) :])
            else:
                self.cp.add_bool_or([literal.negated() for literal in self._written(nodes)])

    def _written(self, nodes: np.ndarray) -> Iterator[IntVar]:
        """What makes a solution this one and no other, but for numbers of nodes."""
        for v, (order, last, *arcs) in enumerate(nodes.tolist()):
            if order < 0:
                continue
            yield from (self.arc[v][side][arc] for side, arc in enumerate(arcs))
            if order >= len(self.cut[v]):
                yield self._orders(v)[order]
                continue
            cuts = self.cut[v][order]
            yield cuts[last]
            yield from (cut.negated() for cut in cuts[last + 1 : last + 2])

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
                order = next(f for f, literal in enumerate(self._orders(v)) if value(literal))
                cuts = self.cut[v][order] if order < len(self.cut[v]) else ()
                nodes[v, 0], nodes[v, 1] = order, max(0, sum(value(cut) for cut in cuts) - 1)
                for side in (LOW, HIGH):
                    nodes[v, 2 + side] = next(t for t, arc in self.arc[v][side].items() if value(arc))
        return nodes


def dear_paths(grid: DiagramGrid, nodes: np.ndarray) -> Iterator[tuple[list[tuple[int, int]], list[int]]]:
    """Paths that cost more than they may, as nodes with the side that is taken, and their columns."""
    first, limits = grid.frame.first.tolist(), grid.rules.of(PathCost)
    todo: list[tuple[list[tuple[int, int]], list[int], int]] = [([], [], 0)] if limits else []
    while todo:
        path, above, v = todo.pop()
        columns = [*above, int(grid.column[nodes[v, 0]])]
        if any(rule.costs.of(columns) > rule.limit for rule in limits):
            yield [*path, (v, -1)], columns
            continue
        below = first[int(grid.frame.layer[v]) + 1]
        todo += [([*path, (v, s)], columns, below + int(nodes[v, 2 + s])) for s in (LOW, HIGH) if nodes[v, 2 + s] >= 0]
