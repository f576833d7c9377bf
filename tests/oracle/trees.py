"""Every split and every tree, with costs in exact fractions.

Uses nothing of the program except the types of a problem: it reads the decimals that the user gave, enumerates, and
adds up. Costs are `Fraction`s in the user's own units, independent of the program's scaling.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

from solvers.diagram import Diagram
from solvers.problem import Dataset, Problem, Shape
from tests.oracle import meaning
from tests.oracle.facts import Facts, facts_of
from tests.oracle.table import Answers, Question, Table, Tree, answers, fixed_questions, tree_of

TREES = 8_000
"""Maximum number of constrained trees that are tried one by one by default."""


class TooManyError(Exception):
    """The problem has too many models to try them all."""


class Best(NamedTuple):
    """The least cost, in the user's units, and the fewest splits of a model of that cost."""

    cost: Fraction
    questions: int


class Prices(NamedTuple):
    """Costs as multiples of one unit.

    Attributes
    ----------
    unit : the number of them in one unit of the user's cost.
    by_row : the cost of each row by predicted class.
    question : the split penalty; free_root : whether the first split costs nothing.
    """

    unit: int
    by_row: list[list[int]]
    question: int
    free_root: bool

    def questions(self, n: int) -> int:
        """The penalty of a number of splits."""
        return self.question * (max(0, n - 1) if self.free_root else n)


def decimal(value: object) -> Fraction:
    """The intended decimal, such as a tenth for 0.1."""
    return Fraction(value) if isinstance(value, int | Fraction) else Fraction(repr(float(value)))


def weights(dataset: Dataset) -> list[Fraction]:
    """The weights of the rows."""
    return [Fraction(1)] * len(dataset.y) if dataset.weight is None else [decimal(w) for w in dataset.weight.tolist()]


def class_costs(problem: Problem) -> list[list[Fraction]]:
    """The cost of a row of each class by its prediction, in the user's units."""
    n, given = problem.dataset.n_classes, problem.objective.class_costs
    if given is not None:
        return [[decimal(cost) for cost in row] for row in given]
    return [[Fraction(a != b) for b in range(n)] for a in range(n)]


def prices(problem: Problem) -> Prices:
    """The costs of errors and splits."""
    matrix = class_costs(problem)
    labels = problem.dataset.y.tolist()
    rows = [[w * cost for cost in matrix[y]] for w, y in zip(weights(problem.dataset), labels, strict=True)]
    split_penalty = decimal(problem.objective.split_penalty)
    unit = math.lcm(split_penalty.denominator, *(cost.denominator for row in rows for cost in row))
    by_row = [[int(cost * unit) for cost in row] for row in rows]
    return Prices(unit, by_row, int(split_penalty * unit), problem.objective.free_root)


def predict(diagram: Diagram, dataset: Dataset) -> list[int]:
    """The predicted class of each row."""
    table = Table(dataset)
    return answers(tree_of(diagram, table), table)


def cost(problem: Problem, labels: list[int], n_questions: int) -> Fraction:
    """The cost of predictions for all rows and a number of splits, in the units of the problem."""
    own = prices(problem)
    paid = sum(row[label] for row, label in zip(own.by_row, labels, strict=True)) + own.questions(n_questions)
    return Fraction(paid, own.unit) * problem.scale


def may_be_leaf(shape: Shape, heavy: list[Fraction]) -> bool:
    """Whether a leaf may hold rows of these weights."""
    return len(heavy) >= shape.min_samples_leaf and sum(heavy) >= decimal(shape.min_weight_leaf)


def total_units(problem: Problem) -> Fraction:
    """All weights times the largest cost (1 at least), and the split penalty, in the smallest common unit."""
    given = problem.objective.class_costs
    costs = [Fraction(1)] if given is None else [decimal(cost) for row in given for cost in row]
    heavy = weights(problem.dataset)
    weight_unit = math.lcm(*(w.denominator for w in heavy))
    split_penalty = decimal(problem.objective.split_penalty) * weight_unit
    cost_unit = math.lcm(split_penalty.denominator, *(cost.denominator for cost in costs))
    return (sum(heavy) * weight_unit * max(1, max(costs) * cost_unit)) + split_penalty * cost_unit


class Parts:
    """Subsets of the rows, as bits of a number: their costs, and the possible numbers of leaves."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.table, self.prices = problem, Table(problem.dataset), prices(problem)
        self.shape, self.heavy = problem.shape, weights(problem.dataset)
        self.everything = (1 << self.table.n) - 1
        self.depth = min([self.shape.max_depth, *(c.depth for c in problem.constraints if c.kind == "max-depth")])
        leaves = [
            2**self.depth,
            self.shape.max_leaf_nodes,
            *(c.leaves for c in problem.constraints if c.kind == "max-leaves"),
        ]
        questions = [self.shape.max_splits, *(c.questions for c in problem.constraints if c.kind == "max-questions")]
        self.most_leaves = min([k for k in leaves if k is not None] + [k + 1 for k in questions if k is not None])

    def rows(self, mask: int) -> tuple[int, ...]:
        """The row numbers of a subset."""
        return tuple(i for i in range(self.table.n) if mask >> i & 1)

    def may_be_leaf(self, mask: int) -> bool:
        """Whether a leaf may hold these rows, by the limits on size."""
        return may_be_leaf(self.shape, [self.heavy[i] for i in self.rows(mask)])

    def costs(self, mask: int) -> list[int]:
        """The cost of the rows by predicted class."""
        rows = self.rows(mask)
        return [sum(self.prices.by_row[i][k] for i in rows) for k in range(self.table.n_classes)]


class _FreeTrees(Parts):
    """Subsets with limits on their size only."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        parted = {self.table.yes(question) for question in self.table.questions()}
        self.sides = sorted({min(yes, self.everything ^ yes) for yes in parted} - {0})
        self.by_leaves = cache(self._by_leaves)

    def _by_leaves(self, mask: int, depth: int) -> tuple[int | None, ...]:
        """The least cost of a tree of exactly 1, 2, ... leaves; `None` if there is none."""
        best: list[int | None] = [None] * min(2**depth, self.most_leaves)
        if self.may_be_leaf(mask):
            best[0] = min(self.costs(mask))
        if depth and len(best) > 1:
            for side in self.sides:
                if mask & side and mask & ~side:
                    pairs = product(
                        enumerate(self.by_leaves(mask & side, depth - 1), 1),
                        enumerate(self.by_leaves(mask & ~side, depth - 1), 1),
                    )
                    for (n, one), (m, two) in pairs:
                        if one is not None and two is not None and n + m <= len(best):
                            cost = one + two + self.prices.question
                            if best[n + m - 1] is None or cost < best[n + m - 1]:
                                best[n + m - 1] = cost
        return tuple(best)

    def best(self) -> Best | None:
        """The cheapest tree, and of those the smallest."""
        found = [(cost, n) for n, cost in enumerate(self.by_leaves(self.everything, self.depth)) if cost is not None]
        return Best(Fraction(min(found)[0], self.prices.unit), min(found)[1]) if found else None


def optimum(problem: Problem, most: int = TREES) -> tuple[int, int] | None:
    """The same as `tree_optimum`, with the cost in the units of the problem."""
    best = tree_optimum(problem, most)
    if best is None:
        return None
    units = best.cost * problem.scale
    assert units.denominator == 1, "the scale must make every cost whole"
    return int(units), best.questions


def least_cost(problem: Problem, most: int = TREES) -> int | None:
    """The least cost of a tree in the units of the problem; `None` if there is no tree."""
    best = optimum(problem, most)
    return None if best is None else best[0]


def countable(problem: Problem) -> bool:
    """Whether there are few enough trees to try them all."""
    try:
        tree_optimum(problem)
    except TooManyError:
        return False
    return True


def tree_optimum(problem: Problem, most: int = TREES) -> Best | None:
    """The least cost of a tree, and the fewest splits at that cost; `None` if there is no tree.

    Raises
    ------
    TooManyError
        Under constraints there are too many trees to try.
    """
    sized = {"max-depth", "max-leaves", "max-questions"}
    if all(constraint.kind in sized for constraint in problem.constraints):
        return _FreeTrees(problem).best()
    search = _RuledTrees(problem, most)
    for cost, n, tree in search.trees():
        if search.allowed(tree):
            return Best(Fraction(cost, search.prices.unit), n)
    return None


def chain_optimum(problem: Problem, depth: int) -> tuple[int, int] | None:
    """Cost and number of splits of the best tree in which every split has a leaf as a child, of any shape."""
    search = Parts(problem)
    sides = {search.table.yes(question) for question in search.table.questions()}
    sides |= {search.everything ^ side for side in sides}

    @cache
    def best(mask: int, depth: int) -> tuple[int, int] | None:
        found = [(min(search.costs(mask)), 0)] if search.may_be_leaf(mask) else []
        for side in sides if depth else ():
            ended, rest = mask & side, mask & ~side
            if ended and rest and search.may_be_leaf(ended):
                after = best(rest, depth - 1)
                if after is not None:
                    paid = min(search.costs(ended)) + search.prices.question
                    found.append((paid + after[0], after[1] + 1))
        return min(found, default=None)

    found = best(search.everything, depth)
    return None if found is None else (found[0] * problem.scale // search.prices.unit, found[1])


class _RuledTrees(Parts):
    """Subsets under constraints: trees are listed one by one, cheapest first, unless there are too many."""

    def __init__(self, problem: Problem, most: int = TREES) -> None:
        super().__init__(problem)
        self.most = most
        kinds = {constraint.kind for constraint in problem.constraints}
        fixed = [constraint for constraint in problem.constraints if constraint.kind == "fixed-top"]
        self.fixed: dict[Answers, list[Question]] = {}
        for constraint in fixed:
            for place, question in fixed_questions(constraint.questions, self.table):
                self.fixed.setdefault(place, []).append(question)
        self.questions = self.table.questions(
            ranges=[c for c in problem.constraints if c.kind == "thresholds-within"],
            rounded=[c for c in problem.constraints if c.kind == "round-thresholds"],
            further=[question for questions in self.fixed.values() for question in questions],
        )
        # if constraints compare leaves beyond their rows, two splits with the same partition may differ
        self.alike = not kinds & {"monotone", "fixed-top"}
        self.any_answer = any(meaning.sees_answers(kind) for kind in kinds)
        self._known: dict[tuple[Answers, int, int], list[tuple[int, int, Tree]]] = {}

    def trees(self) -> list[tuple[int, int, Tree]]:
        """Cost, number of splits and tree, sorted by the first two."""
        found = self._below((), self.everything, self.depth)
        return sorted((t for t in found if t[1] < self.most_leaves), key=lambda entry: entry[:2])

    def allowed(self, tree: Tree) -> bool:
        """Whether a tree satisfies every constraint."""
        facts = facts_of(tree, self.table)
        return all(meaning.holds(constraint, facts, self.table, self.heavy) for constraint in self.problem.constraints)

    def _below(self, place: Answers, mask: int, depth: int) -> list[tuple[int, int, Tree]]:
        """The same for a position of the tree; without fixed splits all positions are alike."""
        key = (place if self.fixed else ()), mask, depth
        if key not in self._known:
            self._known[key] = self._made(*key)
        return self._known[key]

    def _made(self, place: Answers, mask: int, depth: int) -> list[tuple[int, int, Tree]]:
        found: list[tuple[int, int, Tree]] = []
        if self.may_be_leaf(mask) and place not in self.fixed:
            costs = self.costs(mask)
            labels = range(len(costs)) if self.any_answer else [costs.index(min(costs))]
            found += [(costs[label], 0, (label,)) for label in labels]
        seen = set()
        for question in self._asked(place) if depth else ():
            yes = self.table.yes(question) & mask
            no = mask ^ yes
            key = (question.column, min(yes, no)) if self.alike else question
            if not yes or not no or key in seen:
                continue
            seen.add(key)
            first = self._below((*place, True), yes, depth - 1)
            second = self._below((*place, False), no, depth - 1)
            if len(found) + len(first) * len(second) > self.most:
                raise TooManyError
            found += [
                (one[0] + two[0] + self.prices.question, one[1] + two[1] + 1, (question, one[2], two[2]))
                for one in first
                for two in second
            ]
        return found

    def _asked(self, place: Answers) -> list[Question]:
        fixed = self.fixed.get(place)
        if fixed is None:
            return self.questions
        return fixed[:1] if all(self.table.same(question, fixed[0]) for question in fixed) else []


def n_trees(problem: Problem) -> int:
    """The number of trees to try.

    Raises
    ------
    TooManyError
        There are too many.
    """
    return len(_RuledTrees(problem).trees())


def least(problem: Problem, value: Callable[[Facts, Table, list[Fraction]], Fraction]) -> Fraction | None:
    """The least value of a measure over all trees that satisfy the constraints, of any cost; `None` without a tree.

    Raises
    ------
    TooManyError
        There are too many trees to try.
    """
    search = _RuledTrees(problem)
    search.any_answer = True
    allowed = (facts_of(tree, search.table) for _, _, tree in search.trees() if search.allowed(tree))
    return min((value(facts, search.table, search.heavy) for facts in allowed), default=None)


def near_counts(problem: Problem, most: Fraction) -> Counter[tuple[Fraction, int]]:
    """The number of trees by cost (up to `most`) and number of splits, as counted in docs/near-optimal.md.

    Thresholds with the same partition of a node's rows are one split of a column; a leaf predicts the class of least
    cost, the first of ties; a split with two leaves of the same prediction does not count.
    """
    search = Parts(problem)
    columns = sorted({(q.column, search.table.yes(q)) for q in search.table.questions()})

    @cache
    def counted(mask: int, depth: int) -> Counter[tuple[int, int, int | None]]:
        """By cost, leaves and, for a leaf, its prediction."""
        found: Counter[tuple[int, int, int | None]] = Counter()
        if search.may_be_leaf(mask):
            costs = search.costs(mask)
            found[min(costs), 1, costs.index(min(costs))] += 1
        parted = {(c, min(yes & mask, mask & ~yes)) for c, yes in columns if yes & mask and mask & ~yes}
        for _, side in parted if depth else ():
            one, two = counted(side, depth - 1), counted(mask ^ side, depth - 1)
            for ((a, n, k), times), ((b, m, j), more) in product(one.items(), two.items()):
                if k is None or k != j:
                    found[a + b + search.prices.question, n + m, None] += times * more
        return found

    counts: Counter[tuple[Fraction, int]] = Counter()
    for (cost, leaves, _), times in counted(search.everything, search.depth).items():
        if leaves <= search.most_leaves and Fraction(cost, search.prices.unit) <= most:
            counts[Fraction(cost, search.prices.unit), leaves - 1] += times
    return counts
