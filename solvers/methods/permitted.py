"""What path rules permit for single splits, and as masks of the columns on a path: columns, thresholds and costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..constraints.paths import same_question
from ..constraints.rules import (
    Allowed,
    FixedQuestion,
    Path,
    PrecedenceRule,
    PrerequisiteRule,
    Rules,
    TestCosts,
    ThresholdRange,
)
from ..diagram import Diagram
from ..problem import Dataset, Op, Orders, Predicate, Problem
from ..problem.threshold_set import ThresholdSet
from .trees.slots import Slot
from .trees.tree_of_splits import Cut, SplitTree, cut_of, diagram_of, rank_question

EVERYWHERE = ThresholdSet()


def permitted_columns(rules: Rules, n_columns: int) -> frozenset[int]:
    """The columns that may be used somewhere."""
    return frozenset(range(n_columns)).intersection(*(rule.columns for rule in rules.of(Allowed) if not rule.at_root))


def permitted_thresholds(rules: Rules) -> dict[int, ThresholdSet]:
    """The thresholds of each column whose thresholds are restricted."""
    permitted: dict[int, ThresholdSet] = {}
    for rule in rules.of(ThresholdRange):
        permitted[rule.column] = permitted.get(rule.column, EVERYWHERE) & rule.thresholds
    return permitted


def fixed_places(rules: Rules, dataset: Dataset) -> tuple[dict[Path, Predicate], str]:
    """The fixed split of each place, parents first, and why two of them contradict each other; '' if none do."""
    places: dict[Path, Predicate] = {}
    trouble = ""
    for rule in sorted(rules.of(FixedQuestion), key=lambda rule: len(rule.place)):
        other = places.setdefault(rule.place, rule.predicate)
        if not same_question(other, rule.predicate, dataset):
            first, second = (f"'{one.words(dataset.schema)}'" for one in (other, rule.predicate))
            trouble = f"{first} and {second} are fixed at the same node."
    return places, trouble


def permitted_boundaries(orders: Orders, rules: Rules) -> list[np.ndarray]:
    """By order, the ranks after which a permitted threshold lies, int64; none for a column that is not permitted."""
    columns = permitted_columns(rules, int(orders.column.max(initial=-1)) + 1)
    within = permitted_thresholds(rules)
    return [
        np.flatnonzero(orders.permits(f, within.get(column, EVERYWHERE)) & (column in columns))
        for f, column in enumerate(orders.column.tolist())
    ]


@dataclass(frozen=True)
class PermittedSplits:
    """The splits that a search may use: orders in which values that no permitted threshold separates are one rank.

    Attributes
    ----------
    orders : all question orders of the dataset.
    searched : the permitted orders, with values that are never separated merged; splits of a search use its numbers.
    kept : int64 (n_searched,), their positions in `orders`.
    lasts : for each, int64 (n_boundaries,), the ranks in `orders` after which its boundaries lie.
    within : the permitted thresholds by column (position), if restricted.
    """

    orders: Orders
    searched: Orders
    kept: np.ndarray
    lasts: tuple[np.ndarray, ...]
    within: Mapping[int, ThresholdSet]

    @classmethod
    def of(cls, orders: Orders, rules: Rules, boundaries: Sequence[np.ndarray] | None = None) -> PermittedSplits:
        """The splits of some orders under rules, by default those at `permitted_boundaries`."""
        boundaries = permitted_boundaries(orders, rules) if boundaries is None else boundaries
        kept = np.flatnonzero([len(ranks) > 0 for ranks in boundaries])
        lasts = tuple(ranks for ranks in boundaries if len(ranks))
        return cls(orders, _joined(orders, kept, lasts), kept, lasts, permitted_thresholds(rules))

    def question(
        self, problem: Problem, rows: np.ndarray, f: int, last: int, cut: Cut | None = None
    ) -> tuple[Predicate, bool]:
        """The split of some rows (positions) after a rank of a searched order, as `rank_question` returns it."""
        order, rank = int(self.kept[f]), int(self.lasts[f][last])
        return rank_question(problem, self.orders, rows, order, rank, self.within, cut)

    def cut(self, problem: Problem, rows: np.ndarray, f: int, last: int) -> Cut:
        """The gap of such a split, in ranks of `orders`."""
        return cut_of(problem, self.orders, rows, int(self.kept[f]), int(self.lasts[f][last]))

    def diagram(
        self,
        problem: Problem,
        tree: SplitTree,
        fixed: Mapping[Slot, Predicate],
        cuts: Mapping[Slot, Cut] | None = None,
    ) -> Diagram:
        """The diagram of a tree of searched orders.

        Parameters
        ----------
        fixed : predicates by slot, if yes sides were the first ones. One is written as it is if it divides the rows
            there as the tree does.
        cuts : the gaps of splits by slot, if not the usual ones.
        """
        dataset, rank = problem.dataset, self.searched.rank

        def question(slot: Slot, place: Slot, rows: np.ndarray) -> tuple[Predicate, bool]:
            f, last = tree.splits[slot]
            if place in fixed:
                yes, low = fixed[place].holds(dataset.schema, dataset.X[rows]), rank[f, rows] <= last
                if (yes == low).all() or (yes != low).all():
                    return fixed[place], bool(yes[low][0])
            return self.question(problem, rows, f, last, (cuts or {}).get(slot))

        return diagram_of(problem, rank, tree, question)

    def like(self, dataset: Dataset, predicate: Predicate) -> Iterator[tuple[int, int, bool]]:
        """The splits that divide the rows as a predicate does.

        Yields the order, the highest rank of the low side, and whether it is the yes side.
        """
        column = dataset.schema.index(predicate.column)
        if predicate.op is Op.LE and predicate.operand not in self.within.get(column, EVERYWHERE):
            return
        yes = predicate.answer(dataset.X[:, column])
        for f in np.flatnonzero(self.searched.column == column).tolist():
            for last, low_is_yes in splits_like(self.searched.rank[f], yes):
                yield f, last, low_is_yes


def _joined(orders: Orders, used: np.ndarray, lasts: Sequence[np.ndarray]) -> Orders:
    """The orders at positions `used`, with values that no boundary separates merged into one rank."""
    if len(used) == len(orders) and all(len(t) == int(rank.max()) for t, rank in zip(lasts, orders.rank, strict=True)):
        return orders
    number = np.full(len(orders) + 1, -1, np.int32)
    number[used] = np.arange(len(used))
    ranks = [np.searchsorted(t, orders.rank[f]) for f, t in zip(used, lasts, strict=True)]
    missing = [
        np.searchsorted(t, orders.missing_rank[f]) if orders.missing_rank[f] >= 0 else -1
        for f, t in zip(used, lasts, strict=True)
    ]
    return Orders(
        tuple(orders.orders[f] for f in used),
        np.ascontiguousarray(np.array(ranks, np.int32).reshape(len(used), orders.rank.shape[1])),
        orders.column[used],
        number[orders.twin[used]],
        np.array(missing, np.int32),
    )


def splits_like(rank: np.ndarray, yes: np.ndarray) -> Iterator[tuple[int, bool]]:
    """The splits of an order that divide the rows as a predicate does, which separates some.

    rank : (n,), the ranks of the rows; yes : bool (n,), their sides. Yields the highest rank of the low side, and
    whether it is the yes side.
    """
    for low, low_is_yes in ((yes, True), (~yes, False)):
        if low.any() and not low.all() and rank[low].max() < rank[~low].min():
            yield int(rank[low].max()), low_is_yes


def tests_of(costs: TestCosts) -> list[tuple[frozenset[int], int]]:
    """Groups of columns that are paid for once, with their cost; free ones are left out."""
    own = [(frozenset({column}), cost) for column, cost in enumerate(costs.own)]
    return [(columns, cost) for columns, cost in (*own, *costs.groups) if cost]


def order_masks(rules: Rules, column: np.ndarray, bits: Mapping[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What may be above a split, for splits on `column`, int64 (n,), with `bits`, the bit number of each column.

    Returns
    -------
    int64 (n,), a mask of the columns of which none may be above; int64 (n,), of those that must all be above; and bool
    (n,), whether the split may be at the root.
    """
    barred, needed, first = np.zeros(len(column), np.int64), np.zeros(len(column), np.int64), np.ones(len(column), bool)
    for rule in rules.of(PrecedenceRule):
        barred[column == rule.lower] |= 1 << bits[rule.upper]
    for rule in rules.of(PrerequisiteRule):
        needed[column == rule.column] |= 1 << bits[rule.upper]
    for rule in rules.of(Allowed):
        if rule.at_root:
            first &= np.isin(column, list(rule.columns))
    return barred, needed, first


def cost_masks(
    tables: Sequence[TestCosts], bits: Mapping[int, int], n_bits: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tables of test costs by bit.

    Returns
    -------
    int64 (n_tables, n_bits), the cost of each column; int64 (n_tables, n_groups), the columns of each group as a mask;
    and int64 (n_tables, n_groups), the cost of each group.
    """
    own = np.zeros((len(tables), n_bits), np.int64)
    group, shared = np.zeros((2, len(tables), max((len(t.groups) for t in tables), default=0)), np.int64)
    for t, costs in enumerate(tables):
        for column, cost in enumerate(costs.own):
            if cost:
                own[t, bits[column]] = cost
        for g, (columns, cost) in enumerate(costs.groups):
            if cost:
                group[t, g], shared[t, g] = sum(1 << bits[column] for column in columns), cost
    return own, group, shared
