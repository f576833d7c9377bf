"""The multipliers of the best Lagrangian bound over limited sums, by cutting planes.

For integers p_0 > 0 and p >= 0, a model whose sums are within their limits and that costs at most K satisfies

    p_0 * cost + p . sums  <=  p_0 * K + p . limits

so the minimum of the left side over all models gives a lower bound on the cost. As a function of p / p_0 the bound is
concave and piecewise linear, with one piece per model. The search of a method for one p gives a model, and a small
linear program over the known models proposes where the bound may be highest; see Kelley (1960), 'The cutting-plane
method for solving convex programs'. A proposal is computed in floats and rounded to integers, for which the bound is
then proved.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

MOST_STEPS = 25
ENOUGH = 0.1
"""The proposals end if the bound cannot rise by more than this, in multiples of `unit`."""

WORTH = 0.25
"""They also end if it cannot rise by this share of the gap to the best known model, capped at `unit`."""


@dataclass
class CuttingPlanes:
    """The proposals of multipliers, from the known models.

    Attributes
    ----------
    limits : int64 (1 + Q,), the limits of the sums; sum 0 is the cost, without a limit.
    spread : float64 (1 + Q,), the largest absolute value of each sum.
    unit : the cost of an error.
    ranges : the ranges of a weighted sum, ascending: the first one in which integers are precise enough is used.
    cuts : int64 (1 + Q,) each, the cost and the sums of the known models.
    """

    limits: np.ndarray
    spread: np.ndarray
    unit: int
    ranges: tuple[int, ...]
    cuts: list[np.ndarray] = field(default_factory=list)

    @property
    def alone(self) -> np.ndarray:
        """The multipliers of the cost alone, int64 (1 + Q,)."""
        return np.asarray(np.eye(len(self.limits), dtype=np.int64)[0])

    def proposals(
        self, active: list[int], best: Callable[[], float], cost: Callable[[], float | None]
    ) -> Iterator[tuple[np.ndarray, float]]:
        """Multipliers, int64 (1 + Q,), each with the highest bound that the known models allow, in floats.

        The caller searches for a model of small weighted sum and adds its cut before it takes the next proposal. Ends
        if the bound cannot rise much more. There must be a cut.

        Parameters
        ----------
        active : the numbers of the sums whose multipliers may be positive.
        best : the best bound so far, before rounding up; cost : the cost of the best known model.
        """
        tried = set()
        for _ in range(MOST_STEPS if active else 0):
            steepest = self._steepest(active)
            if steepest is None:
                return
            promise, multiplier = steepest[0], self._whole_numbers(active, steepest[1])
            proportions = tuple((multiplier // np.gcd.reduce(multiplier)).tolist())
            known = cost()
            gap = math.inf if known is None else known - best()
            if promise <= best() + min(max(ENOUGH * self.unit, WORTH * gap), self.unit) or proportions in tried:
                return
            tried.add(proportions)
            yield multiplier, promise

    def _steepest(self, active: list[int]) -> tuple[float, np.ndarray] | None:
        """The highest bound that the known models allow, and the multipliers that attain it, float64 (n_active,).

        `None` if the linear program has no solution.
        """
        from scipy.optimize import linprog

        cuts = np.array(self.cuts, float)
        costs, over = cuts[:, 0], cuts[:, active] - self.limits[active]
        # sums can be as large as products of group sizes, costs as small as 1: scale both by their largest value
        top, units = costs.max() + 1.0, np.maximum(np.abs(over).max(axis=0), 1.0)
        # maximise z with z <= cost + multipliers . over for each model; no multiplier needs to exceed the largest cost
        solved = linprog(
            [-1.0, *([0.0] * len(active))],
            A_ub=np.column_stack((np.ones(len(costs)), -over / units)),
            b_ub=costs / top,
            bounds=[(0, 1), *((0, (self.spread[0] + 1.0) / top * unit) for unit in units)],
            method="highs",
        )
        return None if solved.x is None else (float(solved.x[0]) * top, np.asarray(solved.x[1:] * top / units))

    def _whole_numbers(self, active: list[int], real: np.ndarray) -> np.ndarray:
        """Round multipliers to integers."""
        weight = self.alone.astype(float)
        weight[active] = real
        for largest in self.ranges:
            # of many scales, choose the one that changes the proportions least
            scales = largest / max(float(weight @ self.spread), 1e-9) / 4 * np.linspace(0.25, 1.0, 400)
            whole = np.maximum(np.rint(weight * scales[:, None]), 0)
            whole[:, 0] = np.maximum(whole[:, 0], 1)
            whole = whole[whole @ self.spread <= largest / 2]
            wrong = np.abs(whole / whole[:, :1] - weight) @ self.spread
            if len(wrong) and (wrong.min() <= ENOUGH * self.unit or largest == self.ranges[-1]):
                return np.asarray(whole[wrong.argmin()], np.int64)
        return self.alone
