"""A diagram within a skeleton as a CP-SAT model: the last step of the proof, if bounds from trees leave a gap.

For a node v, an order f and a rank r, c[v, f, r] means that v splits on f with a threshold of at least r, so that cells
of rank r go low. For a cell i

    low[v, i] = sum_f c[v, f, rank_f(i)] + sum_p passing[v, p],    sum_f c[v, f, 0] + sum_p passing[v, p] = active[v]

An arc y[v, s, t] leads from side s of v to a slot of the next layer or a class. A cell at v that takes side s is at the
target of the arc, and a cell is in one place of each layer:

    at[i, v], side s, y[v, s, t]  =>  at[i, t] or answers[i, t],      sum_v at[i, v] + gone[i, l] = 1 for each layer l

The model has one Boolean per node, order and rank, and one per cell and node; constraints are linear over `answers`,
`at` and columns. Limits on path costs and monotonicity are omitted at first: the model is a relaxation, so its lower
bound is valid. `Model.learn` posts those that a solution violates, and the search continues.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ....constraints.rules import PathCost, Sum
from ....diagram import Diagram
from ...cp_rules import POST, RuledModel, weigh
from ...cp_sat import total
from ...permitted import tests_of
from .formulation import DiagramGrid, contradictions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ortools.sat.python.cp_model import IntVar, LinearExpr

LOW, HIGH = 0, 1

MOST_LITERALS = 600_000
"""The largest model that is built; larger ones take too long to build."""


def n_literals(grid: DiagramGrid) -> int:
    """The size of a problem's model, in literals of its largest families."""
    m, n_classes = grid.cells.price.shape
    widths = [*grid.widths[1:], 0]
    moves = sum(w * 2 * (below + n_classes) for w, below in zip(grid.widths, widths, strict=True))
    return int(m * (3 * moves + sum(grid.widths) * grid.n_orders))


class Model(RuledModel):
    """The model of a grid; `objective` is its cost, in the costs of the cells."""

    def __init__(self, grid: DiagramGrid) -> None:
        from ortools.sat.python.cp_model import CpModel

        self.grid, self.cp = grid, CpModel()
        self._first = grid.frame.first.tolist()
        self._n_nodes, self._depth = self._first[-1], len(grid.widths)
        self._n_cells, self.n_classes = grid.cells.price.shape
        self.asked = [self.cp.new_bool_var(f"asked {v}") for v in range(self._n_nodes)]
        self.leaf_of: list[list[IntVar]] = []
        self.at: list[list[IntVar]] = []
        self.cells = grid.cases
        self._questions()
        self._arcs()
        self.used = [self.cp.new_bool_var("") for _ in range(self.n_classes)]
        for i in range(self._n_cells):
            self._walk(i)
        self.objective = self._cost()
        self.columns = np.unique(grid.column).tolist()
        self._above: dict[tuple[int, bool], list[IntVar]] = {}
        self._constraints()

    def _questions(self) -> None:
        """Each active node has one split; `cut` has its threshold by order and rank."""
        cells, cp = self.grid.cells, self.cp
        ranks = [int(line.max()) for line in cells.rank]
        self.cut = [[[cp.new_bool_var("") for _ in range(r)] for r in ranks] for _ in range(self._n_nodes)]
        self.passing = [[cp.new_bool_var("") for _ in range(self.grid.n_passing)] for _ in range(self._n_nodes)]
        for v in range(self._n_nodes):
            for cuts in self.cut[v]:
                for r in range(1, len(cuts)):
                    cp.add_implication(cuts[r], cuts[r - 1])
            cp.add_exactly_one([*self._orders(v), ~self.asked[v]])

    def _orders(self, v: int) -> list[IntVar]:
        """By order, whether a node splits on it."""
        return [*(cuts[0] for cuts in self.cut[v]), *self.passing[v]]

    def targets(self, v: int) -> list[int]:
        """The possible arcs of a node: slots of the next layer, then ~k for the classes."""
        below = int(self.grid.frame.layer[v]) + 1
        slots = self._first[below + 1] - self._first[below] if below < self._depth else 0
        return [*range(slots), *(~k for k in range(self.n_classes))]

    def _arcs(self) -> None:
        """Each side of an active node has a target of its own; a node is active if and only if an arc leads to it."""
        cp = self.cp
        self.arc = [
            [{t: cp.new_bool_var("") for t in self.targets(v)} for _ in (LOW, HIGH)] for v in range(self._n_nodes)
        ]
        into: list[list[IntVar]] = [[] for _ in range(self._n_nodes)]
        for v in range(self._n_nodes):
            begin = self._first[int(self.grid.frame.layer[v]) + 1]
            for side in (LOW, HIGH):
                cp.add_exactly_one([*self.arc[v][side].values(), ~self.asked[v]])
            for t in self.targets(v):
                cp.add_at_most_one([self.arc[v][LOW][t], self.arc[v][HIGH][t]])
                if t >= 0:
                    into[begin + t] += [self.arc[v][LOW][t], self.arc[v][HIGH][t]]
        for v in range(1, self._n_nodes):
            for arc in into[v]:
                cp.add_implication(arc, self.asked[v])
            cp.add_bool_or([*into[v], ~self.asked[v]])
            if self.grid.frame.layer[v] == self.grid.frame.layer[v - 1]:
                # slots are filled in order
                cp.add_implication(self.asked[v], self.asked[v - 1])
        cp.add(sum(self.asked) <= self.grid.most_questions)

    def _walk(self, i: int) -> None:
        """The path of a cell. If the root is not active, all cells get one class."""
        cp, last = self.cp, self.grid.cells.rank[:, i].tolist()
        at, low = ([cp.new_bool_var("") for _ in range(self._n_nodes)] for _ in range(2))
        answers = [cp.new_bool_var("") for _ in range(self.n_classes)]
        self.at.append(at)
        self.leaf_of.append(answers)
        for v in range(self._n_nodes):
            under = [cuts[r] for cuts, r in zip(self.cut[v], last, strict=True) if r < len(cuts)]
            cp.add(sum([*under, *self.passing[v]]) == low[v])
        cp.add_exactly_one(answers)
        gone = [cp.new_bool_var("") for _ in range(self._depth)]
        cp.add(at[0] == self.asked[0])
        for layer in range(self._depth):
            cp.add_exactly_one([*at[self._first[layer] : self._first[layer + 1]], gone[layer]])
            if layer:
                cp.add_implication(gone[layer - 1], gone[layer])
        for k in range(self.n_classes):
            if i:
                cp.add_bool_or([self.asked[0], ~answers[k], self.leaf_of[0][k]])
        for v in range(self._n_nodes):
            cp.add_implication(at[v], self.asked[v])
            below = int(self.grid.frame.layer[v]) + 1
            for side, other in ((LOW, low[v]), (HIGH, ~low[v])):
                for t, arc in self.arc[v][side].items():
                    here = [~at[v], ~other, ~arc]
                    cp.add_bool_or([*here, at[self._first[below] + t] if t >= 0 else answers[~t]])
                    if t < 0 and below < self._depth:
                        cp.add_bool_or([*here, gone[below]])

    def _cost(self) -> LinearExpr:
        grid = self.grid
        charged = self.asked[1:] if grid.problem.objective.free_root else self.asked
        paid = total(self.over(grid.cells.price[:, k], k) for k in range(self.n_classes))
        return paid + grid.problem.split_penalty * total(charged)

    def _constraints(self) -> None:
        """Post the constraints without path costs and monotonicity."""
        cp, size = self.cp, self.grid.problem.size
        for answers in self.leaf_of:
            for used, literal in zip(self.used, answers, strict=True):
                cp.add_implication(literal, used)
        self.post_leaf_sizes(size.min_samples_leaf, self.grid.problem.min_weight_leaf)
        if size.min_samples_leaf > 0:
            for low, high in self.arc:
                for k, used in enumerate(self.used):
                    cp.add_implication(low[~k], used)
                    cp.add_implication(high[~k], used)
        if size.max_leaf_nodes is not None:
            cp.add(sum(self.used) <= size.max_leaf_nodes)
        self.post(self.grid.rules, POST)
        self._fixed()

    # The interface for rules

    def about(self, node: int, *columns: int) -> LinearExpr:
        """1 if a node splits on one of these columns, else 0."""
        return total(self._asks[node][column] for column in columns if column in self._asks[node])

    def on_some_path(self, node: int, column: int) -> list[LinearExpr]:
        """Whether some path to a node splits on the column."""
        return [self._paths(column, every=False)[node]]

    def on_every_path(self, node: int, column: int) -> LinearExpr:
        """Whether every path to a node splits on the column."""
        return self._paths(column, every=True)[node]

    def reaching(self, by_cell: np.ndarray, node: int) -> LinearExpr:
        """The sum of `by_cell` (n_cells,) over the cells at a node."""
        return weigh(by_cell, [at[node] for at in self.at])

    def leaf_sides(self, node: int) -> list[IntVar]:
        """The arcs of a node to classes."""
        return [arcs[~k] for arcs in self.arc[node] for k in range(self.n_classes)]

    def rows_sum(self, rule: Sum) -> LinearExpr:
        """The sum over all cells by their predictions, and the costs of the tests on their paths."""
        added = self.cells.total(rule.by_label)
        paid: list[LinearExpr] = [self.over(added[:, k], k) for k in range(self.n_classes)]
        if rule.tests is not None and rule.test_weight is not None:
            weights = self.cells.total(rule.test_weight).tolist()
            for columns, cost in tests_of(rule.tests):
                for at, weight in zip(self.at, weights, strict=True):
                    if weight:
                        pays = self.cp.new_bool_var("")
                        for v, asks in enumerate(self._asks):
                            for column in columns & asks.keys():
                                self.cp.add_bool_or([~at[v], ~asks[column], pays])
                        paid.append(cost * weight * pays)
        return total(paid)

    def answers_below(self, node: int) -> list[list[IntVar]]:
        """By class, whether some path from a node ends there."""
        return [[literal] for literal in self._gives[node]]

    @cached_property
    def _gives(self) -> list[list[IntVar]]:
        """Whether a node leads to a class: by an arc to its terminal, or to a node that leads to it."""
        cp, gives = self.cp, [[self.cp.new_bool_var("") for _ in range(self.n_classes)] for _ in self.asked]
        for v in range(self._n_nodes):
            begin = self._first[int(self.grid.frame.layer[v]) + 1]
            for k in range(self.n_classes):
                reasons = [self.arc[v][side][~k] for side in (LOW, HIGH)]
                for side in (LOW, HIGH):
                    for t, arc in self.arc[v][side].items():
                        if t >= 0:
                            reasons.append(cp.new_bool_var(""))
                            cp.add_implication(reasons[-1], arc)
                            cp.add_implication(reasons[-1], gives[begin + t][k])
                cp.add_bool_or([*reasons, ~gives[v][k]])
        return gives

    def _paths(self, column: int, *, every: bool) -> list[IntVar]:
        """Whether a column is split on above each node, on some path or on every path."""
        if (column, every) in self._above:
            return self._above[column, every]
        cp = self.cp
        above = self._above[column, every] = [cp.new_bool_var("") for _ in range(self._n_nodes)]
        cp.add(above[0] == 0)
        for v in range(self._n_nodes):
            begin = self._first[int(self.grid.frame.layer[v]) + 1]
            here = [literal for c, literal in self._asks[v].items() if c == column]
            for arcs in self.arc[v]:
                for t, arc in arcs.items():
                    if t < 0:
                        continue
                    below = above[begin + t]
                    if every:
                        cp.add_bool_or([~arc, ~below, *here, above[v]])
                    else:
                        for literal in (*here, above[v]):
                            cp.add_bool_or([~arc, ~literal, below])
        return above

    @cached_property
    def _asks(self) -> list[dict[int, IntVar]]:
        """By node and column, whether the node splits on the column."""
        by_column: list[dict[int, IntVar]] = []
        for v in range(self._n_nodes):
            by_column.append({column: self.cp.new_bool_var("") for column in self.columns})
            for column, asks in by_column[-1].items():
                at = np.flatnonzero(self.grid.column == column)
                self.cp.add(total(self._orders(v)[f] for f in at) == asks)
        return by_column

    def _fixed(self) -> None:
        """Track which node is at each fixed place, and require its split."""
        cp = self.cp
        here: list[dict[int, IntVar]] = []
        for above, side, order in self.grid.fixed.tolist():
            stands: dict[int, IntVar] = {}
            if above < 0:
                cp.add(self.asked[0] == 1)
                stands[0] = cp.new_constant(1)
            for v, literal in here[above].items() if above >= 0 else ():
                begin = self._first[int(self.grid.frame.layer[v]) + 1]
                for t, arc in self.arc[v][side].items():
                    if t < 0:
                        cp.add_bool_or([~literal, ~arc])
                        continue
                    if begin + t not in stands:
                        stands[begin + t] = cp.new_bool_var("")
                    cp.add_bool_or([~literal, ~arc, stands[begin + t]])
            for v, literal in stands.items():
                cp.add_implication(literal, self._orders(v)[order])
            here.append(stands)

    def _post_rising(self, pairs: np.ndarray) -> None:
        """Require at least as high a class for the second cell of each pair, int64 (n, 3) as in `ConstraintArrays`."""
        for first, second, relation in pairs.tolist():
            height = self.grid.height[relation]
            for k, literal in enumerate(self.leaf_of[first]):
                at_least = np.flatnonzero(height >= height[k])
                self.cp.add_bool_or([~literal, *(self.leaf_of[second][c] for c in at_least)])

    def learn(self, nodes: np.ndarray, diagram: Diagram) -> None:
        """Post what a solution, int64 (V, 4) as in `DiagramGrid.draft`, violates."""
        for path, columns in dear_paths(self.grid, nodes):
            arcs = [self.arc[v][side][int(nodes[v, 2 + side])] for v, side in path[:-1]]
            asks = [self._asks[v][c] for (v, _), c in zip(path, columns, strict=True)]
            self.cp.add_bool_or([~literal for literal in (*arcs, *asks)])
        for line, points in contradictions(self.grid, diagram):
            if len(points):
                self.grid = self.grid.with_pairs(points, line)
                for i in range(self._n_cells, len(self.grid.cases)):
                    self._walk(i)
                self._n_cells = len(self.grid.cases)
                self._post_rising(self.grid.pairs[-len(points) :])
            else:
                self.cp.add_bool_or([~literal for literal in self._written(nodes)])

    def _written(self, nodes: np.ndarray) -> Iterator[IntVar]:
        """The literals that define a solution, up to the numbers of its nodes."""
        for v, (order, last, *arcs) in enumerate(nodes.tolist()):
            if order < 0:
                continue
            yield from (self.arc[v][side][arc] for side, arc in enumerate(arcs))
            if order >= len(self.cut[v]):
                yield self._orders(v)[order]
                continue
            cuts = self.cut[v][order]
            yield cuts[last]
            yield from (~cut for cut in cuts[last + 1 : last + 2])

    def read(self, value: Callable[[IntVar], int]) -> np.ndarray | int:
        """The diagram of a solution, int64 (V, 4) as in `DiagramGrid.draft`, or the class of all rows."""
        if not value(self.asked[0]):
            return next(k for k in range(self.n_classes) if value(self.leaf_of[0][k]))
        nodes = np.full((self._n_nodes, 4), -1, np.int64)
        for v in range(self._n_nodes):
            if value(self.asked[v]):
                order = next(f for f, literal in enumerate(self._orders(v)) if value(literal))
                cuts = self.cut[v][order] if order < len(self.cut[v]) else ()
                nodes[v, 0], nodes[v, 1] = order, max(0, sum(value(cut) for cut in cuts) - 1)
                for side in (LOW, HIGH):
                    nodes[v, 2 + side] = next(t for t, arc in self.arc[v][side].items() if value(arc))
        return nodes


def dear_paths(grid: DiagramGrid, nodes: np.ndarray) -> Iterator[tuple[list[tuple[int, int]], list[int]]]:
    """Paths that exceed the limit on their cost, as nodes with the side taken, and their columns."""
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
