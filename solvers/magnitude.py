"""How large integers may become, and which type counts them exactly: every numeric range of the program.

Costs are integers, so 'optimal' means cost = bound. That requires that nothing overflows or is rounded. Each constant
is a range; its docstring lists the sums that are compared with it and their worst case. If a sum exceeds the narrow
integers of a kernel, wider ones are used. If it exceeds every range, the step is skipped and nothing is claimed, or the
problem is refused.
"""

import math

import numpy as np

from .errors import MagnitudeError

LARGEST_TOTAL = 2**31 - 1
"""The maximum cost of a problem, in its smallest unit: total row weight times the largest class cost, plus a split.

Counted in 32 bits:

- sums of a BDD's cells in `kernels.bdd_leaf`: over points of the largest cost of each, positive or negative.

Counted in 64 bits, at most 2**62 each:

- a share of rows compared with a limit: weight * denominator, see `constraints.fields.LARGEST_DENOMINATOR`;
- a comparison of two groups, see `constraints.fairness`.
"""

LARGEST_ROWS = 2**24 - 1
"""The maximum number of rows of a tree search: `kernels.workspace` keeps `row << 8 | class << 1` in 32 bits."""

LARGEST_SUM = 2**60
"""The maximum sum in 64-bit kernels, so that a sum plus twice `kernels.workspace.FAR` ('unknown') still fits.

- cost of a tree: total + splits * split cost;
- fewest splits at the minimum cost: (total + split cost + 1) * 2**depth, at most 2**31 * 2**20;
- costs of tests: (total + costliest path * tested weight), see `kernels.tree_search`;
- weighted sums under limits that couple leaves: sum over rows of multipliers @ amounts, see `methods.trees.coupled`;
- budgets of near-optimal trees: no tree costs more, so larger budgets are clipped, see `methods.trees.near_optimal`;
- a number entered by a user, such as a budget; a budget above the cost of all tests equals that, see
  `constraints.costs`;

RC2 adds costs as Python integers, which have no range.
"""

LARGEST_WEIGHTED = 2**58
"""The maximum of limited sums and their weighted sums: twice this plus a limit and a constant is below `LARGEST_SUM`.

- a sum: over rows of the largest amount of a prediction, leaves * amount of a leaf, tested weight * costliest path;
- a weighted sum: multipliers @ sums, see `methods.trees.coupled`;
- the total excess of all sums of a diagram over their limits, see `methods.diagrams.odd_search.demands`.
"""

LARGEST_LINEAR = 10**8
"""The maximum of a row or the objective of a linear program for which a float solver's bound counts as proof.

Such solvers satisfy rows to about 1e-7 of their largest sum, and a bound is lowered by 1e-6 and by 1e-9 of itself
before it is rounded up: within this limit all of that is well below one unit. All coefficients and right-hand sides
must also be integers: with fractions HiGHS 1.14 has 'proved' a wrong optimum far below. Compared with it, see
`mip.model.Program.exact`:

- a row: sum of |coefficient| * largest |value| of its variable; the objective likewise, or else each of the two
  objectives of `mip.solving`.
"""

EXACT_FLOAT = 2**53
"""Integers up to this are exact as float64, in sums of any order.

- values passed to CP-SAT, whose bounds are returned as floats: branches * limited sum.
"""

_WIDTHS = (np.int16, np.int32, np.int64)


def width(most: int) -> np.dtype:
    """The narrowest integer type (16, 32 or 64 bits) that holds sums from -`most` to `most`.

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
    """Whether a kernel can count sums from -`most` to `most`."""
    return most <= LARGEST_SUM


def sum_of(values: np.ndarray) -> int:
    """The sum of integers of any shape, exact even if it exceeds 64 bits."""
    largest = max(abs(int(values.max(initial=0))), abs(int(values.min(initial=0))))
    return int(values.sum()) if largest * values.size < 2**63 else sum(values.ravel().tolist())


def midpoint(low: float, high: float) -> float:
    """The midpoint of two finite numbers, which is finite too."""
    middle = (float(low) + float(high)) / 2
    # the sum of two of the largest floats overflows; halving first loses nothing there
    return middle if math.isfinite(middle) else low / 2 + high / 2
