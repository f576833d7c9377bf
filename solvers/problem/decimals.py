"""The decimal number that a user or a file means, defined once for problems, constraints, methods and the verifier.

A float is read as the shortest decimal that it prints as. Sums of decimals have binary rounding errors beyond the 15th
digit (0.1 + 0.2 prints as 0.30000000000000004), so a float with more digits is rounded to 15.
"""

from decimal import Decimal
from fractions import Fraction

import numpy as np

DIGITS = 15
"""Significant digits of a decimal that a float preserves."""


def decimal(value: float) -> Fraction:
    """The decimal that a finite number represents: 1/10 for 0.1, 3/10 for 0.1 + 0.2.

    Examples
    --------
    >>> decimal(0.1 + 0.2), decimal(5.0000000001), decimal(1e-10)
    (Fraction(3, 10), Fraction(50000000001, 10000000000), Fraction(1, 10000000000))
    """
    if isinstance(value, int | Fraction):
        return Fraction(value)
    value = float(value)
    return Fraction(f"{value:.{DIGITS}g}" if len(_digits(value)) > DIGITS else repr(value))


def n_decimals(value: float) -> int:
    """The number of digits after the decimal point of a finite number.

    Examples
    --------
    >>> n_decimals(17.35), n_decimals(120.0), n_decimals(1e-3)
    (2, 0, 3)
    """
    exponent = Decimal(repr(float(value))).normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    return max(0, -exponent)


def decimals_of(values: np.ndarray, most: int) -> tuple[np.ndarray, int] | None:
    """Convert decimals to integers in a common unit.

    Parameters
    ----------
    values : float64, any shape, finite.
    most : the maximum number of digits after the decimal point.

    Returns
    -------
    The numbers times 10**d as Python integers, object of the same shape, and 10**d for the smallest d that makes all of
    them integers; `None` if `most` digits are too few.
    """
    values = np.asarray(values, np.float64)
    distinct, place = np.unique(values, return_inverse=True)
    meant = _read(distinct, most)
    if meant is None:
        return None
    factor = 10**most
    while factor > 1 and all(number % 10 == 0 for number in meant):
        meant, factor = [number // 10 for number in meant], factor // 10
    return np.array(meant, object)[place].reshape(values.shape), factor


def _read(distinct: np.ndarray, most: int) -> list[int] | None:
    """Decimals times 10**most; `None` if one of the products is no integer."""
    factor = 10**most
    scaled = np.rint(distinct * factor)
    # a quotient of integers of at most 15 digits is rounded correctly, so a float equal to it prints as that decimal
    plain = (np.abs(scaled) < 10**DIGITS) & (scaled / factor == distinct)
    meant = [int(number) for number in np.where(plain, scaled, 0)]
    for i in np.flatnonzero(~plain).tolist():
        number = decimal(distinct[i]) * factor
        if number.denominator > 1:
            return None
        meant[i] = int(number)
    return meant


def _digits(value: float) -> str:
    """The significant digits of a float as printed."""
    return repr(abs(value)).split("e")[0].replace(".", "").strip("0")
