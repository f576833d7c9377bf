"""How large whole numbers may become, and what counts them exactly: every range of the program stands here.

Costs are whole numbers, so 'optimal' means cost = bound. That holds only while nothing wraps around or is rounded. Each
constant is a range; beside it stand the sums that are held against it, with their worst case. Where a sum is beyond the
narrow numbers of a kernel, wider ones count it; where it is beyond every range, the step is left out and nothing is
claimed, or the problem is refused.
"""

import math

import numpy as np

from .errors import MagnitudeError

LARGEST_TOTAL = 2**31 - 1
"""What a problem may cost, in its smallest unit: the weights of all rows times the dearest class cost, and a split.

Counted in 32 bits:

- sums of a BDD's cells in `kernels.bdd_leaf`: over points of what each costs at most, either way from 0.

Counted in 64 bits, at most 2**62 each:

- a share of rows against a limit: weight * denominator, see `constraints.fields.LARGEST_DENOMINATOR`;
- a comparison of two groups, see `constraints.fairness`.
"""

LARGEST_ROWS = 2**24 - 1
"""How many rows a tree search takes: `kernels.workspace` keeps `row << 8 | class << 1` in 32 bits."""

LARGEST_SUM = 2**60
"""What 64-bit kernels may add up, so that a sum and twice 'nothing known' (`kernels.workspace.FAR`) still fit.

- cost of a tree: total + splits * split cost;
- fewest splits at the least cost: (total + split cost + 1) * 2**depth, at most 2**31 * 2**20;
- prices of questions: (total + dearest path * tested weight), see `kernels.tree_search`;
- weighted sums under limits that couple leaves: sum over rows of multipliers @ amounts, see `methods.trees.coupled`;
- budgets of near-optimal trees: no tree costs more, so that larger ones are this one, see `methods.trees.near_optimal`;
- a number that a user writes, such as a budget; more than all tests cost is that in the rule, see `constraints.costs`;

RC2 adds up prices as whole numbers of Python, which have no range.
"""

LARGEST_WEIGHTED = 2**58
"""What limited sums, and weighted sums of them, may reach: twice that, a limit and a constant stay in `LARGEST_SUM`.

- a sum: over rows of the dearest answer, leaves * what a leaf adds, tested weight * dearest path;
- a weighted sum: multipliers @ sums, see `methods.trees.coupled`;
- what all sums of a diagram are above their limits together, see `methods.diagrams.odd_search.demands`.
"""

LARGEST_LINEAR = 10**8
"""What a row or the objective of a linear program may reach if a float solver's bound is to count as proof.

Such solvers keep rows to about 1e-7 of their largest sum, and a bound is lowered by 1e-6 and by 1e-9 of itself before
it is rounded up: up to here all that is well below one unit. All coefficients and sides must be whole numbers besides:
with fractions HiGHS 1.14 has 'proved' a wrong optimum far below. Held against it, see `mip.model.Program.exact`:

- a row: sum of |coefficient| * largest |value| of its variable; the objective likewise, or else each of the two
  objectives of `mip.solving`.
"""

EXACT_FLOAT = 2**53
"""Whole numbers up to here are exact as float64, in sums of any order.

- what CP-SAT is given, whose bounds come back as floats: branches * limited sum.
"""

_WIDTHS = (np.int16, np.int32, np.int64)


def width(most: int) -> np.dtype:
    """The narrowest integers, of 16, 32 or 64 bits, in which sums from -`most` to `most` are counted.

    Raises
    ------
    MagnitudeError
        `most` is above `LARGEST_SUM`.
    """
    if most > LARGEST_SUM:
        raise MagnitudeError(
            f"Weights, costs and limits add up to {float(most):.3g} in their smallest unit; at most {LARGEST_SUM:.3g} "
            f"can be counted exactly. Use weights, costs or limits with fewer decimals."
        )
    return next(np.dtype(kind) for kind in _WIDTHS if most <= np.iinfo(kind).max)


def countable(most: int) -> bool:
    """Whether sums from -`most` to `most` can be counted by a kernel."""
    return most <= LARGEST_SUM


def sum_of(values: np.ndarray) -> int:
    """The sum of whole numbers of any shape, exact also where it does not fit into 64 bits."""
    largest = max(abs(int(values.max(initial=0))), abs(int(values.min(initial=0))))
    return int(values.sum()) if largest * values.size < 2**63 else sum(values.ravel().tolist())


def midpoint(low: float, high: float) -> float:
    """The middle of two finite numbers, which is finite too."""
    middle = (float(low) + float(high)) / 2
    # the sum of two of the largest floats overflows; halved first, they lose nothing
    return middle if math.isfinite(middle) else low / 2 + high / 2
