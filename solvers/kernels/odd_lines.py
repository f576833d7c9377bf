"""The best split of a node along lines in the space of linear splits; see `odd_search.multivariate`.

A linear split is 'w x <= t'. Along a line (w, t) + s (dw, dt), each row changes sides at most once. So a line has at
most one more distinct split than there are rows, and one sweep in the order of the changes covers them all.
"""

from typing import NamedTuple

import numpy as np

from .arrays import FloatCube, FloatVector, Int64Matrix, Int64Vector
from .compiled import allocating_njit as njit


class BestLine(NamedTuple):
    """The best split that a sweep found.

    Attributes
    ----------
    total : the cost of the rows and the nodes with it; the ceiling if nothing is better.
    line : the number of its line, -1 for none.
    step : its position s on the line.
    yes, no : the numbers of the two targets.
    """

    total: int
    line: int
    step: float
    yes: int
    no: int


def best_on_lines(
    points: np.ndarray,
    bases: np.ndarray,
    directions: np.ndarray,
    costs: np.ndarray,
    charges: np.ndarray,
    ceiling: int,
    margin: float,
) -> BestLine:
    """Find the cheapest split and pair of targets on some lines.

    Parameters
    ----------
    points : float64 (n, f + 1), the rows at the node; the last entry of each is -1, so that w x - t is one product.
    bases, directions : float64 (n_lines, f + 1), the lines; the last entry is that of the threshold.
    costs : int64 (n, n_targets), the cost of a row at each target.
    charges : int64 (n_targets, n_targets), the cost of the nodes with the targets (yes, no); negative if not permitted.
    ceiling : only lower costs count.
    margin : the minimum gap between the sums w x of the two sides, in units of the sum of |w|.
    """
    values, slopes = bases @ points.T, directions @ points.T
    # rows that never change sides come last, and the sweep stops there
    turns = np.full(values.shape, np.inf)
    np.divide(-values, slopes, out=turns, where=slopes != 0)
    turns[~np.isfinite(turns)] = np.inf
    order = np.argsort(turns, axis=1)
    marks = np.full(3, -1, np.int64)
    step = np.zeros(1)
    lines = np.stack((bases, directions))
    total = _sweep(lines, np.stack((values, slopes, turns)), order, costs, charges, ceiling, margin, marks, step)
    return BestLine(int(total), int(marks[0]), float(step[0]), int(marks[1]), int(marks[2]))


@njit(cache=True, nogil=True)
def _sweep(
    lines: FloatCube,
    figures: FloatCube,
    order: Int64Matrix,
    costs: Int64Matrix,
    charges: Int64Matrix,
    ceiling: int,
    margin: float,
    marks: Int64Vector,
    step: FloatVector,
) -> int:
    """Sweep all lines; write line and targets of the best split to `marks`, and its position to `step`.

    lines : float64 (2, n_lines, f + 1), bases and directions; figures : float64 (3, n_lines, n), by line the values of
        the rows at the base, their slopes, and the positions at which they change sides; order : int64 (n_lines, n),
        the rows sorted by these positions.
    costs, charges, ceiling, margin : as in `best_on_lines`; marks : int64 (3,); step : float64 (1,).
    """
    values, slopes, turns = figures[0], figures[1], figures[2]
    n_lines, n = order.shape
    n_targets = costs.shape[1]
    yes, no = np.empty(n_targets, np.int64), np.empty(n_targets, np.int64)
    best = ceiling
    for line in range(n_lines):
        yes[:], no[:] = 0, 0
        for i in range(n):
            # the side of the row before any change
            slope = slopes[line, i]
            if slope > 0 or (not np.isfinite(turns[line, i]) and values[line, i] <= 0):
                yes += costs[i]
            else:
                no += costs[i]
        for place in range(n + 1):
            before = turns[line, order[line, place - 1]] if place else -np.inf
            if not before < np.inf:
                break
            if place:
                i = order[line, place - 1]
                if slopes[line, i] > 0:
                    yes -= costs[i]
                    no += costs[i]
                else:
                    yes += costs[i]
                    no -= costs[i]
            after = turns[line, order[line, place]] if place < n else np.inf
            if not before < after:
                continue
            a, b, total = _pair(yes, no, charges, best)
            if total < best:
                at = _between(before, after)
                if _gap(lines[0, line], lines[1, line], values[line], slopes[line], at) >= margin:
                    best = total
                    marks[0], marks[1], marks[2], step[0] = line, a, b, at
    return best


@njit(cache=True, nogil=True)
def _pair(yes: Int64Vector, no: Int64Vector, charges: Int64Matrix, ceiling: int) -> tuple[int, int, int]:
    """The cheapest pair of targets below a ceiling, and its cost.

    yes, no : int64 (n_targets,), the cost of the rows of each side by target; charges, ceiling : as in
        `best_on_lines`.
    """
    first, second, best = -1, -1, ceiling
    least_no = no.min()
    for a in range(len(yes)):
        # lower bound: the cheapest target of the other side, without charges
        if yes[a] + least_no >= best:
            continue
        for b in range(len(no)):
            total = yes[a] + no[b] + charges[a, b]
            if charges[a, b] >= 0 and total < best:
                first, second, best = a, b, total
    return first, second, best


@njit(cache=True, nogil=True)
def _between(before: float, after: float) -> float:
    """A position on the line between two changes, `before` and `after`, either of which may be infinite."""
    if before == -np.inf:
        return 0.0 if after == np.inf else after - 1.0 - abs(after)
    return before + 1.0 + abs(before) if after == np.inf else before + (after - before) / 2


@njit(cache=True, nogil=True)
def _gap(base: FloatVector, direction: FloatVector, values: FloatVector, slopes: FloatVector, at: float) -> float:
    """The gap between the sums of the two sides, in units of the sum of |w|: infinite if a side is empty, -1 if w is 0.

    base, direction : float64 (f + 1,), the line; values, slopes : float64 (n,), of the rows; at : the position on it.
    """
    size = 0.0
    for j in range(len(base) - 1):
        size += abs(base[j] + at * direction[j])
    if not size > 0:
        return -1.0
    low, high = -np.inf, np.inf
    for i in range(len(values)):
        value = values[i] + at * slopes[i]
        if value <= 0:
            low = max(low, value)
        else:
            high = min(high, value)
    return (high - low) / size
