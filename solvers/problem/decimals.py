"""The decimal number that a user or a file means: one reading for problems, constraints, methods and the verifier.

A float is read as the shortest decimal that it prints as. Sums of decimals carry a trace of binary arithmetic beyond
the 15th digit (0.1 + 0.2 prints as 0.30000000000000004), so a float of more digits is rounded to 15.
"""

from decimal import Decimal
from fractions import Fraction

import numpy as np

DIGITS = 15
"""Significant digits that every decimal keeps on its way through a float."""


def decimal(value: float) -> Fraction:
    """The decimal that a finite number stands for: 1/10 for 0.1, 3/10 for 0.1 + 0.2.

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
    """How many digits follow the decimal point of a finite number.

    Examples
    --------
    >>> n_decimals(17.35), n_decimals(120.0), n_decimals(1e-3)
    (2, 0, 3)
    """
    exponent = Decimal(repr(float(value))).normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    return max(0, -exponent)


def decimals_of(values: np.ndarray, most: int) -> tuple[np.ndarray, int] | None:
    """Decimals as whole numbers of one common unit.

    Parameters
    ----------
    values : float64, any shape, finite.
    most : how many digits may follow the decimal point.

    Returns
    -------
    The numbers times 10**d in Python's whole numbers, object of the same shape, and 10**d for the fewest d that makes
    all of them whole; `None` where `most` digits do not.
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
    """Decimals times 10**most, `None` where one of them is not whole then."""
    factor = 10**most
    scaled = np.rint(distinct * factor)
    # a quotient of whole numbers of at most 15 digits is rounded correctly, so the float that equals it prints as it
    plain = (np.abs(scaled) < 10**DIGITS) & (scaled / factor == distinct)
    meant = [int(number) for number in np.where(plain, scaled, 0)]
    for i in np.flatnonzero(~plain).tolist():
        number = decimal(distinct[i]) * factor
        if number.denominator > 1:
            return None
        meant[i] = int(number)
    return meant


def _digits(value: float) -> str:
    """The significant digits of a float as it prints."""
    return repr(abs(value)).split("e")[0].replace(".", "").strip("0")
