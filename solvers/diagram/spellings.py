"""What a model written in another language must know besides `Column.spellings`, to answer raw cells as it does."""

import math
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product

from ..problem.texts import MISSING_MARKS

REFUSED = -1
"""The leaf of a case that the model must not answer: a level that it has never seen, or a value that must be known."""

NOTICE = "For research and teaching; not a medical device."


def missing_marks() -> tuple[str, ...]:
    """The texts that stand for a missing value, in small letters, sorted."""
    return tuple(sorted(MISSING_MARKS))


@cache
def missing_spellings() -> tuple[str, ...]:
    """The same in every mixture of small letters and capitals, sorted: for readers that cannot fold them."""
    # the sign for kelvin, U+212A, is the last whose small letter is of ASCII
    drawn = {
        mark: [[c for c in map(chr, range(0x212B)) if c.lower() == small] for small in mark] for mark in MISSING_MARKS
    }
    return tuple(sorted("".join(text) for letters in drawn.values() for text in product(*letters)))


def is_plain(value: float) -> bool:
    """Whether every way of reading decimals finds this float: few digits, and not near the middle of two floats."""
    written = Decimal(repr(float(value)))
    _, digits, exponent = written.as_tuple()
    if len(digits) > 15 or not isinstance(exponent, int) or not -22 <= exponent <= 0:
        return False
    off = abs(Fraction(written) - Fraction(value))
    return off <= Fraction(math.ulp(value)) * Fraction(99, 200)
