"""Every candidate split at a node, with its gain: the table from which a greedy method chooses.

For a split that divides n rows into two sides of n_1 and n_2 rows,

    gain in bits  =  H(rows) - (n_1 / n) H(side 1) - (n_2 / n) H(side 2),       H = - sum p_k log2 p_k
    gain in Gini  =  the same with  G = 1 - sum p_k^2  in the place of H
    gain ratio    =  gain in bits / H(n_1 / n, n_2 / n)

(Quinlan 1993, section 2.2; Breiman et al. 1984, section 4.3).
"""

from enum import StrEnum
from typing import NamedTuple

import numpy as np

from ..problem import Orders, Predicate, Problem


class Measure(StrEnum):
    """The measure for ranking candidates."""

    GAIN = "gain"
    RATIO = "ratio"
    GINI = "gini"
    ERRORS = "errors"


class Candidate(NamedTuple):
    """A candidate split at a node.

    Attributes
    ----------
    order, last : the split as 'rank <= last' in a question order.
    yes, no : the weight of each class on the two sides, in units of `Problem.weights`.
    gain, ratio, gini : the gain in bits, the gain ratio, and the gain in the Gini index.
    errors : the cost of two leaves there.
    """

    order: int
    last: int
    predicate: Predicate
    yes: tuple[int, ...]
    no: tuple[int, ...]
    gain: float
    ratio: float
    gini: float
    errors: int

    def value(self, measure: Measure) -> float:
        """Its value of the measure; higher is better."""
        return -self.errors if measure is Measure.ERRORS else getattr(self, measure)


EQUAL = 1e-9
"""Gains that differ by at most this are equal."""


def candidates(problem: Problem, orders: Orders, rows: np.ndarray) -> tuple[Candidate, ...]:
    """The splits that divide the rows at a node, int64 (n,), order by order."""
    dataset = problem.dataset
    weights = np.zeros((len(rows), dataset.n_classes), np.int64)
    weights[np.arange(len(rows)), dataset.y[rows]] = problem.weights[rows]
    total, possible = weights.sum(axis=0), []
    gone = np.isnan(dataset.X[rows]).any(axis=0)
    for order in range(len(orders)):
        if orders.twin[order] >= 0 and not gone[orders.column[order]]:
            continue  # the same splits as its twin
        rank = orders.rank[order, rows]
        by_rank = np.argsort(rank, kind="stable")
        below = weights[by_rank].cumsum(axis=0)
        for at in np.flatnonzero(np.diff(rank[by_rank])):
            first, second = rank[by_rank[at]], rank[by_rank[at + 1]]
            low = below[at]
            larger = bool(low.sum() >= (total - low).sum())
            predicate, low_is_yes = orders.question(order, int(first), int(second), missing=larger)
            sides = (low, total - low) if low_is_yes else (total - low, low)
            possible.append(_candidate(problem, order, int(first), predicate, *sides))
    return tuple(possible)


def ranked(unranked: tuple[Candidate, ...], measure: Measure) -> tuple[Candidate, ...]:
    """The candidates, the best first; ties keep the order in which they were found."""
    return tuple(sorted(unranked, key=lambda candidate: -round(candidate.value(measure) / EQUAL)))


def _candidate(
    problem: Problem, order: int, last: int, predicate: Predicate, yes: np.ndarray, no: np.ndarray
) -> Candidate:
    both = np.array((yes, no), np.float64)
    whole, n = both.sum(axis=0), both.sum()
    share = both.sum(axis=1) / n
    gain = _entropy(whole) - share @ [_entropy(side) for side in both]
    gini = _gini(whole) - share @ [_gini(side) for side in both]
    errors = int(problem.leaf_costs(both.astype(np.int64)).min(axis=1).sum())
    sides = tuple(map(int, yes)), tuple(map(int, no))
    # rounding may bring a gain of 0 just below 0
    gain, gini = max(0.0, float(gain)), max(0.0, float(gini))
    return Candidate(order, last, predicate, *sides, gain, gain / _entropy(share), gini, errors)


def _entropy(weight: np.ndarray) -> float:
    share = weight[weight > 0] / weight.sum()
    return float(-(share * np.log2(share)).sum())


def _gini(weight: np.ndarray) -> float:
    return float(1 - ((weight / weight.sum()) ** 2).sum())
