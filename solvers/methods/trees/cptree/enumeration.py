"""The least that any subtree costs, by enumeration: what makes the bound of the constraint model strong.

Alone, the model of the paper bounds almost nothing: its linear relaxation sends half of every row to each side. But
once the upper questions are known, the best lower ones are quickly enumerated: the class counts of all pairs of
questions are matrix products. So before the search, the least cost of each subtree below the first question and below
the first two is computed, with the constraints that can be told from one leaf or path alone (order, costs of a path,
allowed and fixed questions, minimum leaf size, purity) and without the others. What is computed without a constraint is
a lower bound with it. `cuts` gives these figures to the solver.

ScaledPrices may include multipliers of sums (Lagrangian relaxation; see `multipliers`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from solvers.constraints.rules import (
    Allowed,
    NotBelow,
    OnlyBelow,
    PathCost,
    Pure,
    Rules,
    TestCosts,
)
from solvers.methods.search.deadline import SearchEndedError
from solvers.methods.trees.cptree.cells import AnswerCells
from solvers.methods.trees.cptree.questions import QuestionMenu
from solvers.methods.trees.slots import Slot, above, no_of, yes_of

Columns = frozenset[int]

NEAR = 8
"""How many second questions are tried on each side of each first one, where near trees are wanted."""


@dataclass(frozen=True)
class Size:
    """How large the tree may be: depth and leaves, and rows and weight of a leaf at least."""

    depth: int
    leaves: int
    rows: int
    weight: int

    def leaves_below(self, height: int) -> int:
        """The most leaves of a subtree of this height."""
        return min(1 << height, self.leaves)


@dataclass(frozen=True)
class ScaledPrices:
    """What is minimised: whole numbers, held as floats.

    `by_label`, float64 (n_cells, n_classes), is the price of the answers; `tests` are costs of tests, with the price of
    a unit of them for each cell, float64 (n_cells,).
    """

    by_label: np.ndarray
    leaf: float = 0.0
    split: float = 0.0
    tests: tuple[tuple[TestCosts, np.ndarray], ...] = ()


@dataclass(frozen=True)
class EnumeratedTree:
    """A tree: the question of each slot that has one, and the answer at the slot of each leaf."""

    splits: dict[Slot, int]
    labels: dict[Slot, int]


@dataclass(frozen=True)
class Least:
    """The least price of the subtrees at a slot; inf where there is none.

    Attributes
    ----------
    whole : float64 (1 + most leaves,), by the number of leaves at most; the first is inf.
    below : float64 (n_questions, 2, 1 + most leaves below), of the yes side and the no side of each question here,
        without the price of the split itself.
    nodes : what is known of these sides, by question and side, where they are more than two levels high and this is
        the root.
    """

    whole: np.ndarray
    below: np.ndarray
    nodes: dict[tuple[int, int], Least] = field(default_factory=dict)


@dataclass(frozen=True)
class Permission:
    """Which questions may stand where, as far as it can be told from the columns asked about above them."""

    questions: QuestionMenu
    rules: Rules
    n_columns: int
    _known: dict[tuple[Columns, Slot], np.ndarray] = field(default_factory=dict)

    @cached_property
    def kept(self) -> frozenset[Slot]:
        """The slots where a question must stand: those that are fixed, and those above them."""
        slots = set(self.questions.fixed.values())
        return frozenset(slots.union(*map(above, slots)))

    def column(self, column: int, columns_above: Columns, at_root: bool) -> bool:
        """Whether a column may be asked about below these."""
        rules = self.rules
        if at_root and any(column not in rule.columns for rule in rules.of(Allowed) if rule.at_root):
            return False
        if any(rule.lower == column and rule.upper in columns_above for rule in rules.of(NotBelow)):
            return False
        if any(rule.column == column and rule.upper not in columns_above for rule in rules.of(OnlyBelow)):
            return False
        return all(rule.costs.of(columns_above | {column}) <= rule.limit for rule in rules.of(PathCost))

    def at(self, columns_above: Columns, slot: Slot) -> np.ndarray:
        """Which questions may stand at a slot below questions about these columns, bool (n_questions,)."""
        key = columns_above, slot if slot == 0 or slot in self.kept else -1
        if key not in self._known:
            columns = np.array(
                [self.column(column, columns_above, slot == 0) for column in range(self.n_columns)], bool
            )
            here = columns[self.questions.family]
            bound = [question for question, place in self.questions.fixed.items() if place == slot]
            for question in self.questions.fixed if not bound else range(len(here)):
                here[question] &= [question] == bound
            self._known[key] = here
        return self._known[key]


class SubtreeEnumeration:
    """Computes the least prices of subtrees, and trees that attain them; `SearchEndedError` once it is due.

    Of the rules, purity is read here. Subtrees up to `exact_height` are enumerated; higher ones get a weaker bound
    (each cell on its own).
    """

    def __init__(
        self,
        cells: AnswerCells,
        permission: Permission,
        rules: Rules,
        size: Size,
        exact_height: int,
        due: Callable[[], bool],
    ) -> None:
        self.cells, self.permission, self.size, self.exact_height = cells, permission, size, exact_height
        self.due = due
        self.family = permission.questions.family
        self.bits = cells.bits.astype(float)
        self.pure = rules.of(Pure)
        self.n_classes = cells.cost.shape[1]

    def price(self, prices: ScaledPrices) -> Pricing:
        """The same with prices."""
        columns = [prices.by_label, self.cells.rows[:, None]]
        if self.size.weight:
            columns.append(self.cells.weight[:, None])
        if self.pure:
            columns.append(self.cells.class_weight)
        columns += [weight[:, None] for _, weight in prices.tests]
        columns.append(prices.by_label.min(axis=1, keepdims=True))
        return Pricing(self, prices, np.hstack(columns).astype(float))


@dataclass(frozen=True)
class Pricing:
    """An enumeration with prices.

    figures : float64 (n_cells, n_figures), what is added up over the cells of a leaf: the price of each answer, rows,
        weight and class weights where they matter, a figure for each price of tests, and the price of the cell alone.
    """

    of: SubtreeEnumeration
    prices: ScaledPrices
    figures: np.ndarray

    def leaf_prices(self, totals: np.ndarray) -> np.ndarray:
        """The price of leaves by answer, (..., n_classes), from their totals (..., n_figures); inf if not allowed."""
        n, size = self.of.n_classes, self.of.size
        price = totals[..., :n] + self.prices.leaf
        small = totals[..., n] < size.rows
        if size.weight:
            small |= totals[..., n + 1] < size.weight
        price[small] = np.inf
        first = n + 1 + bool(size.weight)
        for rule in self.of.pure:
            held = totals[..., first : first + n].astype(np.int64)  # times a denominator it may be no exact float
            impure = held * rule.share.denominator < held.sum(axis=-1, keepdims=True) * rule.share.numerator
            if rule.label is None:
                price[impure] = np.inf
            else:
                price[impure[..., rule.label], rule.label] = np.inf
        return price

    def leaf(self, totals: np.ndarray) -> np.ndarray:
        """The least price of a leaf."""
        return np.asarray(self.leaf_prices(totals).min(axis=-1))

    def asking(self, columns_above: Columns, totals: np.ndarray) -> np.ndarray:
        """The price of a split by question, (..., n_questions), at nodes with these totals."""
        price = np.full((*totals.shape[:-1], len(self.of.family)), self.prices.split)
        if not self.prices.tests:
            return price
        first = totals.shape[-1] - 1 - len(self.prices.tests)
        for i, (costs, _) in enumerate(self.prices.tests):
            before = costs.of(columns_above)
            more = np.array([costs.of(columns_above | {c}) - before for c in range(len(costs.own))], float)
            price += totals[..., first + i, None] * more[self.of.family]
        return price

    def least(self, height: int, index: np.ndarray, columns_above: Columns, slot: Slot) -> Least:
        """The least prices at a slot of this height for the cells `index`, below questions about `columns_above`."""
        if height <= 1:
            return self._lowest(height, index, columns_above, slot)
        if height == 2 or height > self.of.exact_height:
            return self._pairs(height, index, columns_above, slot)
        below = np.full((len(self.of.family), 2, 1 + self.of.size.leaves_below(height - 1)), np.inf)
        nodes = {}
        for question in np.flatnonzero(self.of.permission.at(columns_above, slot)).tolist():
            if self.of.due():
                raise SearchEndedError
            under = columns_above | {int(self.of.family[question])}
            for side, (child, part) in enumerate(self.sides(index, question, slot)):
                if not len(part):
                    break
                node = self.least(height - 1, part, under, child)
                below[question, side] = node.whole
                if slot == 0:
                    nodes[question, side] = node
                if np.isinf(node.whole[-1]):
                    break
        joined = self._joined(height, self.figures[index].sum(axis=0), below, columns_above, slot)
        return Least(joined.whole, joined.below, nodes)

    def sides(self, index: np.ndarray, question: int, slot: Slot) -> tuple[tuple[Slot, np.ndarray], ...]:
        """The slots below a question, yes first, each with its part of the cells."""
        yes = self.of.cells.bits[index, question]
        return (yes_of(slot), index[yes]), (no_of(slot), index[~yes])

    def _lowest(self, height: int, index: np.ndarray, columns_above: Columns, slot: Slot) -> Least:
        """Leaves, and single questions."""
        totals = self.figures[index].sum(axis=0)
        if height == 0:
            return Least(np.array([np.inf, self.leaf(totals)]), np.empty((0, 2, 2)))
        yes = self.of.bits[index].T @ self.figures[index]
        below = np.full((len(self.of.family), 2, 2), np.inf)
        below[:, 0, 1], below[:, 1, 1] = self.leaf(yes), self.leaf(totals - yes)
        return self._joined(1, totals, below, columns_above, slot)

    def _pairs(self, height: int, index: np.ndarray, columns_above: Columns, slot: Slot) -> Least:
        """Two levels of questions at once; or, at more than the exact height, one, and below it each cell alone."""
        bits, figures, exact = self.of.bits[index], self.figures[index], height == 2
        totals, yes = figures.sum(axis=0), bits.T @ figures
        below = np.full((len(yes), 2, 1 + self.of.size.leaves_below(height - 1)), np.inf)
        if exact:
            # one product for all figures: many small ones cost more in the threads of the linear algebra than in work
            weighted = (bits[:, :, None] * figures[:, None, :]).reshape(len(index), -1)
            both = (bits.T @ weighted).reshape(len(yes), len(yes), -1)
        for side, (child, here) in enumerate(((yes_of(slot), yes), (no_of(slot), totals - yes))):
            leaf = self.leaf(here)
            below[:, side, 1] = np.inf if child in self.of.permission.kept else leaf
            if exact:
                first = both if side == 0 else yes[None, :, :] - both
                pair = self.leaf(first) + self.leaf(here[:, None, :] - first)
                larger = self._cheapest(pair, here, columns_above, child)
            else:
                larger = np.where(here[:, self.of.n_classes] < self.of.size.rows, np.inf, here[:, -1])
            below[:, side, 2:] = np.minimum(below[:, side, 1], larger)[:, None]
        return self._joined(height, totals, below, columns_above, slot)

    def _cheapest(self, pair: np.ndarray, here: np.ndarray, columns_above: Columns, slot: Slot) -> np.ndarray:
        """The least price of a split below each question, (n_questions,), from that of its two leaves."""
        least = np.full(len(pair), np.inf)
        for column in np.unique(self.of.family):
            of_column = np.flatnonzero(self.of.family == column)
            under = columns_above | {int(column)}
            lower_questions = np.flatnonzero(self.of.permission.at(under, slot))
            if len(lower_questions):
                price = self.asking(under, here[of_column])[:, lower_questions]
                least[of_column] = (pair[np.ix_(of_column, lower_questions)] + price).min(axis=1)
        return least

    def _joined(self, height: int, totals: np.ndarray, below: np.ndarray, columns_above: Columns, slot: Slot) -> Least:
        """The least prices of the subtree from those of its sides."""
        below[~self.of.permission.at(columns_above, slot)] = np.inf
        asking = self.asking(columns_above, totals)
        whole = np.full(1 + self.of.size.leaves_below(height), np.inf)
        if slot not in self.of.permission.kept:
            whole[1:] = self.leaf(totals)
        for leaves in range(2, len(whole)):
            for first, second in shares(leaves, below.shape[2] - 1):
                both = below[:, 0, first] + below[:, 1, second] + asking
                whole[leaves] = min(whole[leaves], both.min(initial=np.inf))
        return Least(whole, below)

    def tree(self, root: Least, forced: dict[Slot, int] | None = None) -> EnumeratedTree | None:
        """A tree of the least price; `None` where there is none. All heights must be exact.

        `forced` are questions that stand at some slots; the rest is the best with them.
        """
        forced = forced or {}
        splits: dict[Slot, int] = {}
        labels: dict[Slot, int] = {}

        def build(node: Least, height: int, leaves: int, index: np.ndarray, columns_above: Columns, slot: Slot) -> bool:
            totals = self.figures[index].sum(axis=0)
            leaf = self.leaf_prices(totals)
            may_end = slot not in forced and slot not in self.of.permission.kept
            if may_end and leaf.min() <= node.whole[leaves]:
                labels[slot] = int(leaf.argmin())
                return True
            options = self._options(node, leaves, totals, columns_above, forced.get(slot))
            price, question, *parts = min(options, default=(np.inf, -1))
            if np.isinf(price):
                return False
            splits[slot] = question
            under = columns_above | {int(self.of.family[question])}
            for (child, part), share in zip(self.sides(index, question, slot), parts, strict=True):
                below = node.nodes.get((question, int(child == no_of(slot))))
                below = below or self.least(height - 1, part, under, child)
                if not build(below, height - 1, min(share, len(below.whole) - 1), part, under, child):
                    return False
            return True

        everything = np.arange(len(self.of.cells))
        if np.isinf(root.whole[-1]):
            return None
        complete = build(root, self.of.size.depth, len(root.whole) - 1, everything, frozenset(), 0)
        return EnumeratedTree(splits, labels) if complete else None

    def trees_near(self, root: Least) -> Iterator[EnumeratedTree]:
        """The best tree with each first question, and with each second question on one side, by their price."""
        everything = np.arange(len(self.of.cells))
        totals = self.figures.sum(axis=0)
        first = sorted(option[:2] for option in self._options(root, len(root.whole) - 1, totals, frozenset(), None))
        for question in dict.fromkeys(question for price, question in first if np.isfinite(price)):
            under = frozenset({int(self.of.family[question])})
            for side, (child, part) in enumerate(self.sides(everything, question, 0)):
                node = root.nodes.get((question, side))
                if node is None:
                    continue
                here = self._options(node, len(node.whole) - 1, self.figures[part].sum(axis=0), under, None)
                ranked = sorted(option[:2] for option in here if np.isfinite(option[0]))
                for second in dict.fromkeys(option[1] for option in ranked[:NEAR]):
                    if (tree := self.tree(root, {0: question, child: second})) is not None:
                        yield tree

    def _options(
        self, node: Least, leaves: int, totals: np.ndarray, columns_above: Columns, forced: int | None
    ) -> list[tuple[float, int, int, int]]:
        """Prices of a split with their questions and the leaves of both sides."""
        asking = self.asking(columns_above, totals)
        questions = range(len(asking)) if forced is None else [forced]
        return [
            (float(node.below[q, 0, yes] + node.below[q, 1, no] + asking[q]), q, yes, no)
            for yes, no in shares(leaves, node.below.shape[2] - 1)
            for q in questions
        ]


def shares(leaves: int, most: int) -> Collection[tuple[int, int]]:
    """How at most `leaves` leaves are shared out to two sides of at most `most` leaves each."""
    return [(first, min(leaves - first, most)) for first in range(1, min(most, leaves - 1) + 1)]
