"""What path rules permit: question orders without forbidden splits, the rules below a split, and fixed splits.

Path rules restrict the splits on a path and do not depend on rows, so the exact search handles each of them directly:

- a forbidden column has no order, and a forbidden threshold is no boundary of its order: values that only forbidden
  thresholds separate have one rank. A threshold may move within the gap between its two values, so it is in range if
  the gap overlaps the range;
- which splits may follow which, and the cost limit of a path, are in the search's `PathRuleArrays`;
- fixed splits divide the rows before the search begins. The search continues at each *open place* below them, with the
  columns that are on the path to it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, get_args

import numpy as np

from ...constraints.rules import (
    Allowed,
    Path,
    PathCost,
    PathRule,
    PrecedenceRule,
    PrerequisiteRule,
    RuleListRule,
    Rules,
    TestCosts,
)
from ...problem import Op, Orders, Predicate, Problem
from ...problem.threshold_set import ThresholdSet
from ..cases import added_up
from ..permitted import EVERYWHERE, PermittedSplits, cost_masks, fixed_places, order_masks, permitted_boundaries
from .slots import above
from .tree_of_splits import Splits

if TYPE_CHECKING:
    from ...kernels.path_rules import PathRuleArrays

POSTED = get_args(PathRule)
"""The classes of rule that are handled here."""


class Place(NamedTuple):
    """An open place, where the search continues below the fixed splits: the root if there are none.

    slot : as in `tree_of_splits`; rows : int64 (n,), the rows that reach it.
    depth : the remaining depth; used : the columns on the path to it, as a mask of the ruling's bits.
    """

    slot: int
    rows: np.ndarray
    depth: int
    used: int


@dataclass(frozen=True)
class SearchSpace(PermittedSplits):
    """The permitted splits of a search under path rules.

    Attributes
    ----------
    ruling : which splits may follow which.
    fixed : the fixed splits by slot; their yes side is the first child.
    places : the open places.
    chain : whether one side of every split must be a leaf.
    trouble : why no tree is possible; empty if one is.
    """

    ruling: PathRuleArrays
    fixed: Mapping[int, Predicate]
    places: tuple[Place, ...]
    chain: bool
    trouble: str

    def original(self, splits: Splits) -> Splits:
        """Convert splits of a search to the numbers of `orders`."""
        return {slot: (int(self.kept[f]), int(self.lasts[f][last])) for slot, (f, last) in splits.items()}

    def ruling_at(self, slot: int) -> PathRuleArrays:
        """The ruling for a search that begins at a slot: rules for the first split apply at the root only."""
        return self.ruling if slot == 0 else self.ruling._replace(root=np.ones_like(self.ruling.root))

    def used(self, splits: Splits, slot: int) -> int:
        """The columns on the path to a slot of a tree, in the numbers of `searched`, as a mask of the ruling's bits."""
        from ...kernels.path_rules import joined

        used = 0
        for upper in above(slot):
            used = int(joined(self.ruling, used, splits[upper][0]))
        return used

    def without_forbidden(self, splits: Splits) -> Splits:
        """A tree, in the numbers of `searched`, without forbidden splits and their subtrees."""
        from ...kernels.path_rules import charge
        from ...kernels.workspace import FAR

        allowed: Splits = {}
        for slot in sorted(splits):
            if slot == 0 or (slot - 1) // 2 in allowed:
                costs = np.zeros(len(self.searched), np.int64)
                charge(self.ruling, self.used(allowed, slot), slot == 0, True, 0, costs)
                if costs[splits[slot][0]] < FAR:
                    allowed[slot] = splits[slot]
        return allowed


def search_space(problem: Problem, orders: Orders, rules: Rules, priced: Sequence[TestCosts] = ()) -> SearchSpace:
    """The splits that path rules, those in `POSTED`, permit. All rows together must be large enough for a leaf.

    `priced` are test costs to which prices will be assigned; they come last in the ruling, with prices of 0.
    """
    boundaries = [
        ranks[_large(problem, orders.rank[f])[ranks]] if len(ranks) else ranks
        for f, ranks in enumerate(permitted_boundaries(orders, rules))
    ]
    splits = PermittedSplits.of(orders, rules, boundaries)
    top = _Top(problem, rules, splits.within, path_bits(rules, priced))
    return SearchSpace(
        **vars(splits),
        ruling=_ruling(splits.searched, rules, priced),
        fixed=top.fixed,
        places=() if top.trouble else top.places,
        chain=bool(rules.of(RuleListRule)),
        trouble=top.trouble,
    )


def _large(problem: Problem, rank: np.ndarray) -> np.ndarray:
    """After which ranks of an order each side of all rows is large enough for a leaf, bool (n_ranks - 1,).

    A threshold that leaves too few of all rows on a side does so for every subset.
    """
    number = np.bincount(rank)
    before = np.cumsum([number, added_up(problem.weights, rank, len(number))], axis=1)
    least = np.array([[problem.size.min_samples_leaf], [problem.min_weight_leaf]])
    return np.asarray((np.minimum(before, before[:, -1:] - before)[:, :-1] >= least).all(axis=0))


def path_bits(rules: Rules, priced: Sequence[TestCosts]) -> dict[int, int]:
    """The bit number of each column that rules need to know on a path."""
    columns = {rule.upper for rule in (*rules.of(PrecedenceRule), *rules.of(PrerequisiteRule))}
    for costs in (*(rule.costs for rule in rules.of(PathCost)), *priced):
        columns |= {c for c, cost in enumerate(costs.own) if cost}
        columns |= {c for group, cost in costs.groups if cost for c in group}
    return {column: k for k, column in enumerate(sorted(columns))}


def _ruling(orders: Orders, rules: Rules, priced: Sequence[TestCosts]) -> PathRuleArrays:
    """The path rules by order."""
    from ...kernels.path_rules import BITS, PathRuleArrays
    from ...kernels.workspace import FAR

    bits, column = path_bits(rules, priced), orders.column
    barred, needed, root = order_masks(rules, column, bits)
    limited = rules.of(PathCost)
    tables = [*(rule.costs for rule in limited), *priced]
    limit = np.array([*(rule.limit for rule in limited), *(FAR for _ in priced)], np.int64)
    number = np.array([bits.get(int(c), -1) for c in column], np.int64)
    costs, price = cost_masks(tables, bits, BITS), np.zeros(len(tables), np.int64)
    return PathRuleArrays(number, barred, needed, root.astype(np.int64), *costs, limit, price)


class _Top:
    """The fixed splits of a problem, and conflicts between them and other rules."""

    def __init__(
        self, problem: Problem, rules: Rules, within: Mapping[int, ThresholdSet], bits: Mapping[int, int]
    ) -> None:
        self._problem, self._rules, self._within, self._bits = problem, rules, within, bits
        self._at, self.trouble = fixed_places(rules, problem.dataset)
        self.fixed: dict[int, Predicate] = {}
        self.places: tuple[Place, ...] = ()
        if not self.trouble:
            self.places = tuple(self._walk((), 0, np.arange(problem.dataset.n_samples), ()))
        most = problem.size.max_leaf_nodes
        if most is not None and len(self.places) > most and not self.trouble:
            self.trouble = f"The fixed questions make {len(self.places)} leaves; the maximum is {most}."

    def _words(self, predicate: Predicate) -> str:
        return f"'{predicate.words(self._problem.dataset.schema)}'"

    def _walk(self, place: Path, slot: int, rows: np.ndarray, upper: Collection[int]) -> Iterator[Place]:
        problem, dataset = self._problem, self._problem.dataset
        predicate = self._at.get(place)
        if predicate is None:
            used = sum(1 << self._bits[c] for c in set(upper) if c in self._bits)
            yield Place(slot, rows, problem.size.max_depth - len(place), used)
            return
        column = dataset.schema.index(predicate.column)
        yes = predicate.answer(dataset.X[rows, column])
        self.fixed[slot] = predicate
        self.trouble = (
            self.trouble or self._against(predicate, column, place, upper) or self._too_small(predicate, rows, yes)
        )
        if not self.trouble:
            yield from self._walk((*place, True), 2 * slot + 1, rows[yes], (*upper, column))
            yield from self._walk((*place, False), 2 * slot + 2, rows[~yes], (*upper, column))

    def _too_small(self, predicate: Predicate, rows: np.ndarray, yes: np.ndarray) -> str:
        problem = self._problem
        for answer, side in (("yes", rows[yes]), ("no", rows[~yes])):
            heavy = int(problem.weights[side].sum()) >= problem.min_weight_leaf
            if not len(side) or len(side) < problem.size.min_samples_leaf or not heavy:
                count = f"{len(side)} rows answer {self._words(predicate)} with {answer}"
                return f"{count}, below the minimum leaf size."
        return ""

    def _against(self, predicate: Predicate, column: int, place: Path, upper: Collection[int]) -> str:
        """The rule that forbids a fixed split at its place, as text; empty if none does."""
        rules, what = self._rules, self._words(predicate)
        names = self._problem.dataset.schema.names
        if len(place) >= self._problem.size.max_depth:
            return f"{what} is too deep: at most {self._problem.size.max_depth} questions are allowed on a path."
        for rule in rules.of(Allowed):
            if column not in rule.columns and not (rule.at_root and place):
                return f"{what} splits on {names[column]}, which is not allowed{' first' if rule.at_root else ''}."
        for rule in rules.of(PrecedenceRule):
            if rule.lower == column and rule.upper in upper:
                return f"{what} is below a split on {names[rule.upper]}."
        for rule in rules.of(PrerequisiteRule):
            if rule.column == column and rule.upper not in upper:
                return f"{what} is not below a split on {names[rule.upper]}."
        for rule in rules.of(PathCost):
            cost = rule.costs.of({*upper, column})
            if cost > rule.limit:
                scale = rule.costs.scale
                return f"The path to {what} costs {cost / scale:g}, more than {rule.limit / scale:g}."
        permitted = self._within.get(column, EVERYWHERE)
        if predicate.op is Op.LE and predicate.operand not in permitted:
            why = "in its range" if permitted.unit is None else "one of the permitted round numbers"
            return f"The threshold of {what} is not {why}."
        return ""
