"""Sample weights as integers, and rows in a canonical order.

The solvers count costs in integers, so that 'optimal' can mean cost = bound. Any weights are accepted here; weights
that are not multiples of a common unit are rounded to one, with a stated precision.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..errors import DataError
from ..problem.objective import ClassCosts

PRECISION = 1e-6
"""The unit to which weights are rounded, as a fraction of the largest weight."""

LARGEST_TOTAL = 1_000_000_000
"""The maximum sum of the integer weights, times the largest class cost; with very many rows it makes the unit coarser.
Half of what the solvers can count, which leaves room for the splits.
"""

DECIMALS = 6
"""The split penalty is rounded to this many decimals of a unit, or to fewer if the sum of the weights is large."""

_MOST_DISTINCT = 1000
_LARGEST_DENOMINATOR = 10_000


@dataclass(frozen=True)
class WholeWeights:
    """Weights in units: `count * unit` is the weight.

    Attributes
    ----------
    count : int64 (n_samples,), at least 1.
    unit : the weight that one unit of cost represents.
    exact : whether nothing was rounded, except for the last digits of a float.
    """

    count: np.ndarray
    unit: float
    exact: bool


def whole_weights(weight: np.ndarray, costliest: int = 1) -> WholeWeights:
    """Weights as multiples of a unit.

    Weights whose ratios are simple fractions (counts, short decimals, class weights 'balanced') are exact. Others are
    rounded to the nearest multiple of a millionth of the largest weight, or of 1 / `LARGEST_TOTAL` of their sum if that
    is more; weights that would round to 0 become one unit.

    Parameters
    ----------
    weight : float64 (n_samples,), positive and finite.
    costliest : the maximum cost of a unit of weight, in integer units of cost; see `costliest`.
    """
    largest_total = LARGEST_TOTAL // costliest
    distinct, place = np.unique(weight, return_inverse=True)
    count, unit = _common_measure(distinct) if len(distinct) <= _MOST_DISTINCT else (None, 0.0)
    if count is not None and count[place].sum(dtype=np.float64) <= largest_total:
        return WholeWeights(count[place], unit, True)
    share = weight / weight.max()
    unit = max(PRECISION, float(share.sum()) / (largest_total - len(weight)))
    count = np.maximum(np.rint(share / unit), 1).astype(np.int64)
    return WholeWeights(count, unit * float(weight.max()), False)


def _common_measure(distinct: np.ndarray) -> tuple[np.ndarray | None, float]:
    """Sorted positive numbers as multiples of their largest common unit; `None` if they have none."""
    smallest = float(distinct[0])
    ratios: list[Fraction] = []
    for value in distinct:
        ratio = float(value) / smallest
        if ratio > LARGEST_TOTAL:
            return None, 0.0
        fraction = Fraction(ratio).limit_denominator(_LARGEST_DENOMINATOR)
        if abs(float(fraction) - ratio) > 1e-12 * ratio:
            return None, 0.0
        ratios.append(fraction)
    common = math.lcm(*(fraction.denominator for fraction in ratios))
    if float(ratios[-1]) * common > LARGEST_TOTAL:
        return None, 0.0
    return np.array([int(fraction * common) for fraction in ratios], np.int64), smallest / common


def counted_weights(weight: np.ndarray, costliest: int = 1) -> WholeWeights:
    """Weights that constraints may count as rows: integers, in units of 1; parameters as for `whole_weights`.

    Raises `DataError` for others.
    """
    count = np.round(weight).astype(np.int64)
    if (count != weight).any() or float(weight.sum()) > LARGEST_TOTAL // costliest:
        odd = weight[count != weight][:1].tolist() or weight.sum()
        raise DataError(
            "Constraints count rows, so with constraints sample_weight and class_weight must be whole numbers, of at "
            f"most {LARGEST_TOTAL // costliest:,} together, but are {odd}. Pass the costs of errors as class_costs."
        )
    return WholeWeights(count, 1.0, True)


def costliest(class_costs: ClassCosts | None) -> int:
    """The largest class cost, at least 1, in the units that make all class costs integers."""
    if class_costs is None:
        return 1
    costs = [Fraction(str(cost)) for row in class_costs for cost in row]
    return max(1, int(max(costs) * math.lcm(*(cost.denominator for cost in costs))))


def split_penalty_in_units(split_penalty: float, unit: float, total: int, costliest: int = 1) -> float:
    """The split penalty in units of the integer weights, with as many decimals as can be counted.

    A positive penalty stays positive, and one above the cost of all errors counts as just above it: no split is worth
    it. `Objective` refuses invalid values.

    Parameters
    ----------
    split_penalty : in the user's weights.
    unit : see `WholeWeights`; total : the sum of the integer weights.
    costliest : see `costliest`.
    """
    if not 0 < split_penalty < math.inf:
        return split_penalty
    decimals = min(DECIMALS, int(math.log10(max(LARGEST_TOTAL / (total * costliest), 1))))
    rounded = max(round(split_penalty / unit, decimals), 10.0**-decimals)
    return min(rounded, float(total * costliest + 1))


@dataclass(frozen=True)
class SortedRows:
    """Rows in lexicographic order: X float64 (n_rows, n_columns), y int (n_rows,), count int64 (n_rows,).

    `origin` is the original index of each row, int (n_rows,); of merged rows the first.
    """

    X: np.ndarray
    y: np.ndarray
    count: np.ndarray
    origin: np.ndarray


def in_one_order(X: np.ndarray, y: np.ndarray, count: np.ndarray, *, merge: bool) -> SortedRows:
    """Rows sorted by features and class; `merge` makes equal rows one row with the sum of their weights.

    So a fit does not depend on the order of the rows. With `merge`, a row of weight 3 is the same as three rows of
    weight 1, down to the choice among trees of equal cost. X is float64 (n_samples, n_columns), NaN equal to NaN, y int
    (n_samples,), count int64 (n_samples,).
    """
    key = np.column_stack((np.where(np.isnan(X), np.inf, X + 0.0), y))
    order = np.lexsort(key.T[::-1])
    differs = (key[order][1:] != key[order][:-1]).any(axis=1)
    first = np.append(0, np.flatnonzero(differs) + 1) if merge else np.arange(len(y))
    one_of_each = order[first]
    return SortedRows(X[one_of_each], y[one_of_each], np.add.reduceat(count[order], first), one_of_each)
