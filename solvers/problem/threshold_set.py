"""The permitted thresholds of a column: a range, or the multiples of a unit in it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from .decimals import DIGITS


@dataclass(frozen=True)
class ThresholdSet:
    """The permitted thresholds of a column.

    Attributes
    ----------
    low, high : the range, both ends included.
    unit : a positive decimal whose multiples are permitted; `None` for all numbers of the range.

    Examples
    --------
    >>> fives = ThresholdSet(unit=Fraction(5))
    >>> fives.between(62, 68, 64.5), fives.between(62, 64, 63)
    (65.0, None)
    """

    low: float = -math.inf
    high: float = math.inf
    unit: Fraction | None = None

    def __contains__(self, threshold: float) -> bool:
        whole = self.unit is None or (Fraction(repr(float(threshold))) / self.unit).denominator == 1
        return self.low <= threshold <= self.high and whole

    def __and__(self, other: ThresholdSet) -> ThresholdSet:
        units = [unit for unit in (self.unit, other.unit) if unit is not None]
        both = None
        if units:
            below = math.lcm(*(unit.denominator for unit in units))
            both = Fraction(math.lcm(*(int(unit * below) for unit in units)), below)
        return ThresholdSet(max(self.low, other.low), min(self.high, other.high), both)

    def parting(self, values: np.ndarray) -> np.ndarray:
        """Between which neighbouring values a threshold may lie, bool (n - 1,).

        The values, float64 (n,), are sorted, and not above what `covers` permits. A threshold t has low <= t < high. A
        boundary next to a missing value, NaN, is the split 'is missing', which needs no threshold.
        """
        low, high = values[:-1], values[1:]
        first = self._up(np.maximum(low, self.low))
        return np.asarray(((first < high) & (first <= self.high)) | np.isnan(low) | np.isnan(high))

    def between(self, low: float, high: float, wanted: float) -> float | None:
        """The threshold t with low <= t < high that is nearest to a wanted one; `None` if there is none."""
        first = float(self._up(np.array([max(low, self.low)]))[0])
        if not (first < high and first <= self.high):
            return None
        if self.unit is None:
            return min(max(wanted, first), self.high)
        k, most = round(Fraction(wanted) / self.unit), min(high, self.high)
        if most < math.inf:
            last = math.floor(Fraction(most) / self.unit) + 1
            while float(last * self.unit) > self.high or float(last * self.unit) >= high:
                last -= 1
            k = min(k, last)
        return float(k * self.unit) if float(k * self.unit) >= first else first

    def covers(self, values: np.ndarray) -> bool:
        """Whether multiples of the unit are exact among these values, float64 (n,): they have at most 15 digits."""
        largest = float(np.nanmax(np.abs(values), initial=0.0))
        return self.unit is None or Fraction(largest) * self.unit.denominator + self.unit.numerator < 10**DIGITS

    def _up(self, values: np.ndarray) -> np.ndarray:
        """The smallest multiple of the unit that is at least each value."""
        if self.unit is None:
            return values
        # numerators and denominators have at most 15 digits, so each quotient is the float that its decimal prints as
        numerator, denominator = float(self.unit.numerator), float(self.unit.denominator)
        with np.errstate(invalid="ignore"):
            near = np.ceil(values * denominator / numerator)
            tried = [(near + k) * numerator / denominator for k in (1, 0, -1)]
        least = tried[0]
        for lower in tried[1:]:
            least = np.where(lower >= values, lower, least)
        return np.where(np.isinf(values), values, least)
