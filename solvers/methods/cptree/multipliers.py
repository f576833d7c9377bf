"""Multipliers of the sums of a problem: prices for them, so that what the enumeration finds counts them, too.

With a price p_k >= 0 for each unit of the sum q_k <= b_k, a tree within all limits costs at least

    min over all trees T of  cost(T) + sum of p_k (q_k(T) - b_k),

whatever the prices (Lagrangian relaxation). The best prices are found by cutting planes: each tree that was best for
some prices is a line, and the next prices are where the lower envelope of the lines is highest (Kelley 1960).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from solvers.methods.cptree.cells import Cells, CellSum
from solvers.methods.cptree.enumeration import Enumeration, Found, Least, Prices, Pricing
from solvers.methods.cptree.questions import Questions
from solvers.methods.cptree.slots import no_of, yes_of
from solvers.problem import Problem

MOST_ROUNDS = 24
FINEST_UNIT = 2**20
LARGEST = 2**50
"""Beyond this, whole numbers would not be exact in floats."""


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
    """

    unit: int
    multipliers: tuple[int, ...]
    pricing: Pricing
    root: Least
    bound: int | None
    tree: Found | None
    finest: int


def priced(
    enumeration: Enumeration,
    cells: Cells,
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
        if times and some.rule.tests is not None:
            tests.append((some.rule.tests, times * some.test_weight.astype(float)))
    # of the trees of one price that with the fewest splits: each costs one more, and they are fewer than `finest`
    finest = 2**enumeration.size.depth
    prices = Prices(
        by_label.astype(float) * finest,
        float(leaf * finest),
        float(unit * split_cost * finest + 1),
        tuple((costs, weight * finest) for costs, weight in tests),
    )
    pricing = enumeration.price(prices)
    everything = np.arange(len(cells))
    root = pricing.least(enumeration.size.depth, everything, frozenset(), 0)
    if np.isinf(root.whole[-1]):
        return Priced(unit, tuple(multipliers), pricing, root, None, None, finest)
    least = int(root.whole[-1]) // finest - sum(t * s.rule.limit for t, s in zip(multipliers, sums, strict=True))
    exact = enumeration.exact_height >= enumeration.size.depth
    tree = pricing.tree(root) if exact else None
    return Priced(unit, tuple(multipliers), pricing, root, -(-least // unit), tree, finest)


def best_multipliers(
    evaluate: Callable[[tuple[int, ...], int], Priced],
    value_of: Callable[[Found], tuple[int, tuple[int, ...]]],
    first: Priced,
    sums: Sequence[CellSum],
    most: int,
    due: Callable[[], bool],
) -> list[Priced]:
    """Prices that make the bound high, the best one last.

    Parameters
    ----------
    evaluate : enumerates at multipliers and a unit.
    value_of : the cost of a tree, and by how much each sum is over its limit (negative where it is within).
    first : what was found without multipliers.
    sums : at least one.
    most : what no tree costs more than.
    due : whether to end now.
    """
    from scipy.optimize import linprog

    lines = [value_of(first.tree)]
    found = [first]
    if max(lines[0][1]) <= 0:
        return found
    while len(found) < MOST_ROUNDS and not due():
        # highest t with t <= cost_j + sum p_k over_jk for every tree j
        plane = linprog(
            [-1.0] + [0.0] * len(sums),
            A_ub=[[1.0, *(-float(o) for o in over)] for _, over in lines],
            b_ub=[float(cost) for cost, _ in lines],
            bounds=[(None, None)] + [(0.0, float(most + 1))] * len(sums),
        )
        multipliers, unit = _whole(plane.x[1:], sums, most)
        if (multipliers, unit) in {(one.multipliers, one.unit) for one in found}:
            break
        found.append(evaluate(multipliers, unit))
        if found[-1].tree is None or found[-1].bound > most:
            break
        lines.append(value_of(found[-1].tree))
        if max(one.bound for one in found) >= -plane.fun - 1e-6:
            break
    return sorted(found, key=lambda one: most + 1 if one.bound is None else one.bound)


def _whole(prices: np.ndarray, sums: Sequence[CellSum], most: int) -> tuple[tuple[int, ...], int]:
    """Prices as whole numbers, and what a unit of cost counts beside them: as fine as floats can add up exactly."""
    largest = [int(np.abs(one.by_label).max(axis=1).sum()) + 64 * one.rule.per_leaf + _tests(one) for one in sums]
    whole = most + sum(float(price) * value for price, value in zip(prices, largest, strict=True))
    unit = FINEST_UNIT
    while unit > 1 and 64 * unit * whole > LARGEST:
        unit //= 2
    return tuple(round(float(p) * unit) for p in prices), unit


def _tests(one: CellSum) -> int:
    """What the tests of all rows cost at most."""
    tests = one.rule.tests
    return 0 if tests is None else int(one.test_weight.sum()) * tests.of(range(len(tests.own)))


def excesses(
    tree: Found, problem: Problem, questions: Questions, cells: Cells, sums: Sequence[CellSum]
) -> tuple[int, tuple[int, ...]]:
    """The cost of a tree, and by how much it exceeds the limit of each sum (negative where it keeps it)."""
    cost, totals = problem.split_cost * len(tree.splits), [-one.rule.limit for one in sums]
    stack = [(0, np.arange(len(cells)), frozenset())]
    while stack:
        slot, index, asked = stack.pop()
        if slot in tree.splits:
            question = tree.splits[slot]
            yes, under = cells.bits[index, question], asked | {int(questions.family[question])}
            stack += [(yes_of(slot), index[yes], under), (no_of(slot), index[~yes], under)]
            continue
        label = tree.labels[slot]
        cost += int(cells.cost[index, label].sum())
        for i, one in enumerate(sums):
            totals[i] += int(one.by_label[index, label].sum()) + one.rule.per_leaf
            if one.test_weight is not None:
                totals[i] += int(one.test_weight[index].sum()) * one.rule.tests.of(asked)
    return cost, tuple(totals)
