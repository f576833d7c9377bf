"""Multipliers of the sums of a problem: prices for them, so that what the enumeration finds counts them, too.

With a price p_k >= 0 for each unit of the sum q_k <= b_k, a tree within all limits costs at least

    min over all trees T of  cost(T) + sum of p_k (q_k(T) - b_k),

whatever the prices (Lagrangian relaxation). The best prices are found by cutting planes: each tree that was best for
some prices is a line, and the next prices are where the lower envelope of the lines is highest (Kelley 1960).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from solvers.magnitude import EXACT_FLOAT, sum_of
from solvers.methods.trees.cptree.cells import AnswerCells, CellSum
from solvers.methods.trees.cptree.enumeration import EnumeratedTree, Least, Pricing, ScaledPrices, SubtreeEnumeration
from solvers.methods.trees.cptree.questions import QuestionMenu
from solvers.methods.trees.slots import no_of, yes_of
from solvers.problem import Problem

MOST_ROUNDS = 24
FINEST_UNIT = 2**20


@dataclass(frozen=True)
class Priced:
    """What was found at some prices.

    Attributes
    ----------
    unit : how often the cost counts.
    multipliers : how often each sum counts, whole numbers.
    pricing, root : the least prices at the root, and what they come from.
    bound : no tree within all limits costs less; `None` where there is no tree at all.
    tree : a tree of the least price; `None` where there is none, or where the enumeration was not exact.
    finest : the factor of all prices in `root`.
    most : what no tree costs more than at these prices, either way from 0.
    """

    unit: int
    multipliers: tuple[int, ...]
    pricing: Pricing
    root: Least
    bound: int | None
    tree: EnumeratedTree | None
    finest: int
    most: int


def priced(
    enumeration: SubtreeEnumeration,
    cells: AnswerCells,
    sums: Sequence[CellSum],
    split_cost: int,
    multipliers: Sequence[int],
    unit: int,
) -> Priced:
    """Enumerate at some prices; without sums the unit leaves room to prefer fewer splits."""
    by_label, leaf, tests = unit * cells.cost, 0, []
    for times, some in zip(multipliers, sums, strict=True):
        by_label = by_label + times * some.by_label
        leaf += times * some.rule.per_leaf
        if times and some.rule.tests is not None and some.test_weight is not None:
            tests.append((some.rule.tests, times * some.test_weight.astype(float)))
    # of the trees of one price that with the fewest splits: each costs one more, and they are fewer than `finest`
    finest = 2**enumeration.size.depth
    most = most_at(cells, sums, split_cost, multipliers, unit, finest)
    prices = ScaledPrices(
        by_label.astype(float) * finest,
        float(leaf * finest),
        float(unit * split_cost * finest + 1),
        tuple((costs, weight * finest) for costs, weight in tests),
    )
    pricing = enumeration.price(prices)
    everything = np.arange(len(cells))
    root = pricing.least(enumeration.size.depth, everything, frozenset(), 0)
    if np.isinf(root.whole[-1]):
        return Priced(unit, tuple(multipliers), pricing, root, None, None, finest, most)
    least = int(root.whole[-1]) // finest - sum(t * s.rule.limit for t, s in zip(multipliers, sums, strict=True))
    exact = enumeration.exact_height >= enumeration.size.depth
    tree = pricing.tree(root) if exact else None
    return Priced(unit, tuple(multipliers), pricing, root, -(-least // unit), tree, finest, most)


def most_at(
    cells: AnswerCells, sums: Sequence[CellSum], split_cost: int, multipliers: Sequence[int], unit: int, n_leaves: int
) -> int:
    """What no tree of so many leaves costs more than at some prices, either way from 0."""
    cost = sum_of(cells.cost.max(axis=1)) + split_cost * n_leaves
    return unit * cost + sum(times * one.rule.most(n_leaves) for times, one in zip(multipliers, sums, strict=True))


def best_multipliers(
    evaluate: Callable[[tuple[int, ...], int], Priced],
    value_of: Callable[[EnumeratedTree], tuple[int, tuple[int, ...]]],
    first: Priced,
    most_of: Callable[[tuple[int, ...], int], int],
    most: int,
    due: Callable[[], bool],
) -> list[Priced]:
    """Prices that make the bound high, the best one last.

    `evaluate` enumerates at multipliers and a unit, `first` is what it found without. `value_of` gives the cost of a
    tree, and by how much each sum is over its limit (negative where it is within), and `most_of` what no tree costs
    more than at multipliers and a unit, see `most_at`; `most` is that without.
    """
    from scipy.optimize import linprog

    assert first.tree is not None, "the enumeration without multipliers was exact"
    lines = [value_of(first.tree)]
    rounds = [first]
    if max(lines[0][1]) <= 0:
        return rounds
    while len(rounds) < MOST_ROUNDS and not due():
        # highest t with t <= cost_j + sum p_k over_jk for every tree j
        # (sums may be far larger than costs, so that both are in units of their largest number)
        over = np.array([over for _, over in lines], float)
        units = np.maximum(np.abs(over).max(axis=0), 1.0)
        plane = linprog(
            [-1.0] + [0.0] * len(units),
            A_ub=np.column_stack((np.ones(len(lines)), -over / units)),
            b_ub=[cost / (most + 1) for cost, _ in lines],
            bounds=[(None, None), *((0.0, u) for u in units)],
        )
        if plane.x is None:
            break
        rounded = _whole(plane.x[1:] / units * (most + 1), most_of, first.finest)
        if rounded is None or rounded in {(one.multipliers, one.unit) for one in rounds}:
            break
        last = evaluate(*rounded)
        rounds.append(last)
        if last.tree is None or last.bound is None or last.bound > most:
            break
        lines.append(value_of(last.tree))
        if max(one.bound for one in rounds if one.bound is not None) >= -plane.fun * (most + 1) - 1e-6:
            break
    return sorted(rounds, key=lambda one: most + 1 if one.bound is None else one.bound)


def _whole(
    prices: np.ndarray, most_of: Callable[[tuple[int, ...], int], int], finest: int
) -> tuple[tuple[int, ...], int] | None:
    """Prices as whole numbers, and what a unit of cost counts beside them: as fine as floats can add up exactly.

    `None` where the coarsest are too large to be added up.
    """
    unit = FINEST_UNIT
    while unit:
        multipliers = tuple(round(float(price) * unit) for price in prices)
        if (most_of(multipliers, unit) + 1) * finest <= EXACT_FLOAT:
            return multipliers, unit
        unit //= 2
    return None


def excesses(
    tree: EnumeratedTree, problem: Problem, questions: QuestionMenu, cells: AnswerCells, sums: Sequence[CellSum]
) -> tuple[int, tuple[int, ...]]:
    """The cost of a tree, and by how much it exceeds the limit of each sum (negative where it keeps it)."""
    cost, totals = problem.split_cost * len(tree.splits), [-one.rule.limit for one in sums]
    stack: list[tuple[int, np.ndarray, frozenset[int]]] = [(0, np.arange(len(cells)), frozenset())]
    while stack:
        slot, index, above = stack.pop()
        if slot in tree.splits:
            question = tree.splits[slot]
            yes, under = cells.bits[index, question], above | {int(questions.family[question])}
            stack += [(yes_of(slot), index[yes], under), (no_of(slot), index[~yes], under)]
            continue
        label = tree.labels[slot]
        cost += int(cells.cost[index, label].sum())
        for i, one in enumerate(sums):
            totals[i] += int(one.by_label[index, label].sum()) + one.rule.per_leaf
            if one.test_weight is not None and one.rule.tests is not None:
                totals[i] += int(one.test_weight[index].sum()) * one.rule.tests.of(above)
    return cost, tuple(totals)
