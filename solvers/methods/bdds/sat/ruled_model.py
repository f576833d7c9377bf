"""The model BDD2 under constraints: what rows are answer, and which questions stand on which path, as clauses.

To the order a[i, r], the cells c[j] and the answers d[i, q] of `models` come

    answer[q, k]    row q gets class k:  d[., q] lead to cell j, and c[j] = k  ->  answer[q, k]
    node[i, p]      after the answers p to the questions before it, the i-th is asked:
                    the halves of the subtable p of c differ, which is when the reduced diagram has a node there
    none[i]         level i has no question; those that have one have a node somewhere

so that the questions of levels are those of the reduced diagram, and a path of it is a path of places (i, p) with
nodes. Costs and limited sums add up over answer[q, k] and over the columns of paths, in whole numbers. Where
constraints are about answers of rows alone, cells without rows are free, and there are neither nodes nor empty levels.
"""

from collections.abc import Callable, Collection, Iterable
from functools import cached_property

import numpy as np

from solvers.constraints.rules import (
    Allowed,
    ApartRule,
    Chain,
    FewColumns,
    MustAppearRule,
    NeverBoth,
    NotBelow,
    OnlyBelow,
    PathCost,
    Sum,
    TestCosts,
    TogetherRule,
)
from solvers.diagram import Diagram
from solvers.methods.bdds.ruled.rules import Posted
from solvers.methods.bdds.sat.models import Answers, OrderPolicy, answers_of_rows, post_order
from solvers.methods.bdds.table import UNKNOWN, Unseen, reduced, truth_table
from solvers.methods.sat.formula import Formula, go_on, parts, paths
from solvers.methods.sat.rows import DistinctRows
from solvers.methods.sat.totalizer import BinarySum, totalizer
from solvers.problem import Problem

MOST_SUMS = 300
"""Up to so many values a sum is counted by a totalizer, beyond by binary adders."""


class RuledBddModel:
    """A formula whose models are BDDs of at most so many questions that keep the constraints; single answers aside.

    Attributes
    ----------
    formula : the clauses.
    order : int32 (depth, n_columns), a[i, r].
    cells, answers : what cells and rows answer.
    none : int32 (depth,), levels without a question; empty where nodes do not matter.
    nodes : for each level int32 (2^i,); empty where nodes do not matter.
    """

    def __init__(
        self, posted: Posted, rows: DistinctRows, depth: int, order: OrderPolicy, pause: Callable[[], None] = go_on
    ) -> None:
        """Write the clauses for at least one column and level; `pause` raises where the work has to end."""
        self.posted, self.rows, self.depth = posted, rows, depth
        self.formula = Formula(pause)
        self.order = self.formula.variables(depth, len(rows.columns))
        self.none = self.formula.variables(depth if posted.by_support else 0)
        post_order(self.formula, self.order, OrderPolicy.ANY if posted.in_order else order, self.none)
        self.cells = Answers(self.formula, 2**depth, rows.classes)
        self.answers = Answers(self.formula, len(rows), rows.classes)
        self._about: dict[frozenset[int], np.ndarray] = {}
        self._tell()
        self.nodes = self._nodes() if posted.by_support else []
        self._sizes()
        self._columns()
        self._paths()
        for rule in posted.rules.sums:
            self._sum(rule)
        self._pairs()

    # What rows are answer, and what it costs

    def _tell(self) -> None:
        """Lead rows to cells, and let wrong answers have their prices."""
        add, n_cells = self.formula.add, 2**self.depth
        self._leads = answers_of_rows(self.formula, self.order, self.rows.bits)
        if len(self.none):
            add(np.stack(np.broadcast_arrays(-self.none[:, None], -self._leads), axis=-1).reshape(-1, 2))
        signs = np.where(paths(self.depth), -1, 1).astype(np.int32)
        for part in parts(len(self.rows), n_cells * len(self.rows.classes) * (self.depth + 2)):
            elsewhere = self._leads.T[part, None, :] * signs
            for cell, answer in zip(self.cells.literal.T, self.answers.literal.T, strict=True):
                shape = elsewhere.shape[:2]
                last = [np.broadcast_to(-cell, shape), np.broadcast_to(answer[part, None], shape)]
                add(np.concatenate([elsewhere, np.stack(last, axis=-1)], axis=2).reshape(-1, self.depth + 2))
        demands = self.rows.demands
        selectors = self.formula.selectors(demands.price)
        for wanted in np.unique(demands.wanted, axis=0):
            which = np.flatnonzero((demands.wanted == wanted).all(axis=1))
            add(self.answers.literal[demands.row[which]][:, wanted], selectors[which])

    def _nodes(self) -> list[np.ndarray]:
        """Post which halves of subtables differ, that questions have a node, and that answers have rows."""
        nodes, add = [], self.formula.add
        for i in range(self.depth):
            halves = self.cells.literal.reshape(2**i, 2, -1, len(self.rows.classes))
            node, differ = self.formula.variables(2**i), self.formula.variables(*halves[:, 0, :, 0].shape)
            for low, high in zip(np.moveaxis(halves[:, 0], -1, 0), np.moveaxis(halves[:, 1], -1, 0), strict=True):
                add(np.stack([-differ, -low, -high], axis=-1).reshape(-1, 3))
                add(np.stack([differ, -low, high], axis=-1).reshape(-1, 3))
            add(np.column_stack([-node, differ]))
            add(np.stack(np.broadcast_arrays(node[:, None], -differ), axis=-1).reshape(-1, 2))
            add(np.append(node, self.none[i]))
            add(np.column_stack([np.full(len(node), -self.none[i]), -node]))
            nodes.append(node)
        for k, used in enumerate(self._used):
            add(np.column_stack([-self.cells.literal[:, k], np.full(2**self.depth, used)]))
            add(np.append(self.answers.literal[:, k], -used))
        return nodes

    @cached_property
    def _used(self) -> np.ndarray:
        """True for a class that some row is answer, int32 (n_classes,)."""
        used = self.formula.variables(len(self.rows.classes))
        for k, one in enumerate(used):
            self.formula.add(np.column_stack([-self.answers.literal[:, k], np.full(len(self.rows), one)]))
        return used

    def _sizes(self) -> None:
        """Post the limits of leaves: of a class that is answer, so many rows and such a weight are answer it."""
        problem, posted = self.posted.problem, self.posted
        size = problem.size
        if size.max_leaf_nodes is not None and size.max_leaf_nodes < problem.dataset.n_classes:
            self._at_most(self._used, np.ones(len(self._used), np.int64), size.max_leaf_nodes)
        for amount, least in ((posted.number, size.min_samples_leaf), (posted.weight, problem.min_weight_leaf)):
            if least > 1:
                for answer, used in zip(self.answers.literal.T, self._used, strict=True):
                    # those who are answer something else, and the least where the class is answer, are at most all
                    self._at_most(np.append(-answer, used), np.append(amount, least), int(amount.sum()))

    # Questions and paths

    def _asks(self, columns: Collection[int]) -> np.ndarray:
        """True where the question of a level is about one of some columns, int32 (depth,)."""
        known = frozenset(columns)
        if known not in self._about:
            some = self.order[:, np.isin(self.posted.features.family, list(known))]
            asks = self._about[known] = self.formula.variables(self.depth)
            self.formula.add(np.column_stack([some, -asks]))
            self.formula.add(np.stack(np.broadcast_arrays(-some, asks[:, None]), axis=-1).reshape(-1, 2))
        return self._about[known]

    def _columns(self) -> None:
        """Post the rules about the questions that are asked anywhere."""
        rules, add, family = self.posted.rules, self.formula.add, self.posted.features.family
        for must in rules.of(MustAppearRule):
            add(self._asks({must.column}))
        for both in rules.of(NeverBoth):
            pair = np.broadcast_arrays(self._asks({both.first})[:, None], self._asks({both.second}))
            add(-np.stack(pair, axis=-1).reshape(-1, 2))
        for few in rules.of(FewColumns):
            uses = self.formula.variables(family.max(initial=-1) + 1)
            add(np.stack(np.broadcast_arrays(-self.order, uses[family]), axis=-1).reshape(-1, 2))
            self._at_most(uses, np.ones(len(uses), np.int64), few.most)
        for root in rules.of(Allowed):
            if root.at_root:
                add(-self.order[0, ~np.isin(family, list(root.columns))][:, None])
        for place, feature in self.posted.fixed.items():
            self._fix(place, feature)

    def _fix(self, place: tuple[bool, ...], feature: int) -> None:
        """Let a question stand after these answers; no path that gives them ends before.

        at[i, p, l] says that the nodes on the way p gave the first l of the answers.
        """
        if feature < 0:
            self._refute()
            return
        add, k = self.formula.add, len(place)
        at = [self.formula.variables(2**i, k + 1) for i in range(self.depth + 1)]
        add(at[0][0, :1])
        for i, node in enumerate(self.nodes):
            for answer in (0, 1):
                below = at[i + 1][answer::2]
                add(np.stack([-at[i], np.broadcast_to(node[:, None], at[i].shape), below], axis=-1).reshape(-1, 3))
                for done in (done for done in range(k) if place[done] == bool(answer)):
                    add(np.column_stack([-at[i][:, done], -node, below[:, done + 1]]))
            add(np.column_stack([-at[i][:, k], -node, np.full(len(node), self.order[i, feature])]))
        add(-at[-1].reshape(-1, 1))

    def _paths(self) -> None:
        """Post the rules about the questions of a path."""
        rules, add = self.posted.rules, self.formula.add
        for i, node in enumerate(self.nodes):
            above = [(h, self.nodes[h][np.arange(len(node)) >> (i - h)]) for h in range(i)]
            for rule in rules.of(NotBelow):
                upper, lower = self._asks({rule.upper}), np.full(len(node), -self._asks({rule.lower})[i])
                for h, there in above:
                    add(np.column_stack([-there, np.full(len(node), -upper[h]), -node, lower]))
            for rule in rules.of(OnlyBelow):
                upper, column = self._asks({rule.upper}), np.full(len(node), -self._asks({rule.column})[i])
                some = [self._both(there, upper[h]) for h, there in above]
                add(np.column_stack([-node, column, *some]))
        for rule in rules.of(PathCost):
            way = np.arange(2 ** (self.depth - 1))
            paid, costs = self._tests(
                rule.costs, [self.nodes[i][way >> (self.depth - 1 - i)] for i in range(self.depth)]
            )
            for on_path in paid:
                self._at_most(on_path, costs, rule.limit)
        if rules.of(Chain):
            self._one_side()

    def _one_side(self) -> None:
        """Let one half of the subtable of each node answer the same everywhere."""
        below: tuple[np.ndarray, ...] = ()
        for node in reversed(self.nodes):
            if below:
                self.formula.add(np.column_stack([-node, *(-half for half in below)]))
            some = self.formula.variables(len(node))
            for inside in (node, *below):
                self.formula.add(np.column_stack([-inside, some]))
            below = some[::2], some[1::2]

    def _both(self, these: np.ndarray, one: int) -> np.ndarray:
        """True at most where each of these and one more literal are, int32 (n,)."""
        both = self.formula.variables(len(these))
        self.formula.add(np.column_stack([-both, these]))
        self.formula.add(np.column_stack([-both, np.full(len(both), one)]))
        return both

    def _tests(self, tests: TestCosts, ways: Iterable[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """What is tested on ways, int32 (n, n_tests), and what each test costs, int64 (n_tests,).

        `ways`, int32 (n,) for each level, are the literals of 'the way has a node there'.
        """
        every = [(frozenset({column}), cost) for column, cost in enumerate(tests.own) if cost]
        every += [(group, cost) for group, cost in tests.groups if cost]
        levels = list(ways)
        tested = self.formula.variables(len(levels[0]), len(every))
        for t, (columns, _) in enumerate(every):
            for asks, node in zip(self._asks(columns), levels, strict=True):
                self.formula.add(np.column_stack([-node, np.full(len(node), -asks), tested[:, t]]))
        return tested, np.array([cost for _, cost in every], np.int64)

    # Sums, and pairs of rows

    def _sum(self, rule: Sum) -> None:
        """Post that a sum over rows is at most its limit; each row adds its least anyway."""
        by_row = self.posted.by_row(rule.by_label)
        least = by_row.min(axis=1)
        literals, weights = [self.answers.literal.ravel()], [(by_row - least[:, None]).ravel()]
        if rule.tests is not None and rule.test_weight is not None:
            each = self.posted.by_row(rule.test_weight)
            there = np.flatnonzero(each)
            tested, costs = self._tests(rule.tests, self._passed(there))
            literals.append(tested.ravel())
            weights.append(np.multiply.outer(each[there], costs).ravel())
        self._at_most(np.concatenate(literals), np.concatenate(weights), rule.limit - int(least.sum()))

    def _passed(self, rows: np.ndarray) -> Iterable[np.ndarray]:
        """For each level, whether some rows come to a node there, int32 (n,): true at least where they do."""
        for i, node in enumerate(self.nodes):
            passed = self.formula.variables(len(rows))
            elsewhere = self._leads.T[rows, None, :i] * np.where(paths(i), -1, 1).astype(np.int32)
            shape = elsewhere.shape[:2]
            last = [np.broadcast_to(-node, shape), np.broadcast_to(passed[:, None], shape)]
            self.formula.add(np.concatenate([elsewhere, np.stack(last, axis=-1)], axis=2).reshape(-1, i + 2))
            yield passed

    def _at_most(self, literals: np.ndarray, weights: np.ndarray, most: int) -> None:
        """Let the weights, int64 of at least 0, of the true literals add up to at most this, exactly."""
        if most < 0:
            self._refute()
            return
        counts = (weights > 0) & (weights <= most)
        self.formula.add(-literals[weights > most][:, None])
        literals, weights = literals[counts], weights[counts]
        if sum(weights.tolist()) <= most:
            return
        unit = int(np.gcd.reduce(weights))
        weights, most = weights // unit, most // unit
        if most <= MOST_SUMS:
            totalizer(self.formula, literals, weights, most + 1).limit(self.formula, most)
        else:
            BinarySum(self.formula, literals, weights).limit(self.formula, most)

    def _refute(self) -> None:
        """Nothing keeps the constraints."""
        self.formula.add(np.array([self.order[0, :1], -self.order[0, :1]]))
        self.formula.add(self.order[0, :1])

    def _pairs(self) -> None:
        """Post which rows are answer the same, and which are not."""
        row, answer = self.posted.features.row, self.answers.literal
        for rule in self.posted.rules.of(TogetherRule):
            for one, other in row[np.array(rule.pairs, np.int64).reshape(-1, 2)]:
                self.formula.add(np.column_stack([-answer[one], answer[other]]))
        for rule in self.posted.rules.of(ApartRule):
            for one, other in row[np.array(rule.pairs, np.int64).reshape(-1, 2)]:
                self.formula.add(np.column_stack([-answer[one], -answer[other]]))

    # Assignments

    def cost(self, true: np.ndarray) -> int:
        """What the rows of an assignment bool (n_variables + 1,) are answer costs."""
        cost: int = self.rows.costs[np.arange(len(self.rows)), self.answers.read(true)].sum().item()
        return cost

    def diagram(self, problem: Problem, true: np.ndarray, unseen: Unseen) -> Diagram:
        """The BDD of an assignment; `unseen` says what cells without rows answer where that is free."""
        n = self.depth - int(true[self.none].sum())
        labels = self.cells.read(true).reshape(2**n, -1)[:, 0]
        table = truth_table(problem, self.rows.questions(true[self.order[:n]].argmax(axis=1)))
        if not self.posted.by_support:
            solved = labels if unseen is Unseen.SOLVED else None
            labels = table.filled(np.where(table.seen, labels, UNKNOWN), unseen, solved)
        return reduced(table, labels)


def literals_of(n_rows: int, n_columns: int, depth: int, n_classes: int) -> int:
    """About how many literals a model has, less those of sums."""
    return n_rows * (2 * depth * n_columns + (1 << depth) * n_classes * (depth + 2)) + 6 * depth * n_columns
