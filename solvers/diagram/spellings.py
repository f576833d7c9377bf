"""Texts that an exported model needs, in addition to `Column.spellings`, to read raw cells as this program does."""

import math
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product

from ..problem.texts import MISSING_MARKS

REFUSED = -1
"""The leaf number of a row without a prediction: an unknown level, or a missing value that is required."""

NOTICE = "For research and teaching; not a medical device."


def missing_marks() -> tuple[str, ...]:
    """The texts that mark a missing value, in lower case, sorted."""
    return tuple(sorted(MISSING_MARKS))


@cache
def missing_spellings() -> tuple[str, ...]:
    """The same in every mixture of upper and lower case, sorted: for readers without case folding."""
    # the Kelvin sign, U+212A, is the last character whose lower case is ASCII
    drawn = {
        mark: [[c for c in map(chr, range(0x212B)) if c.lower() == small] for small in mark] for mark in MISSING_MARKS
    }
    return tuple(sorted("".join(text) for letters in drawn.values() for text in product(*letters)))


def is_plain(value: float) -> bool:
    """Whether every decimal parser finds this float: few digits, and not near the midpoint of two floats."""
    written = Decimal(repr(float(value)))
    _, digits, exponent = written.as_tuple()
    if len(digits) > 15 or not isinstance(exponent, int) or not -22 <= exponent <= 0:
        return False
    off = abs(Fraction(written) - Fraction(value))
    return off <= Fraction(math.ulp(value)) * Fraction(99, 200)
