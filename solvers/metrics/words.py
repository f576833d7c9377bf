"""Shares as they are written, on the screen and in reports: per cent."""

from decimal import Decimal
from fractions import Fraction

DASH = "\u2013"


def percent(share: float, digits: int = 1) -> str:
    """A share as a percentage; nothing is rounded up to a full 100% or down to 0% that it is not."""
    value = 100 * share
    shown = round(value, digits)
    if shown >= 100 > value:
        shown = 100 - 10**-digits
    if shown <= 0 < value:
        shown = 10**-digits
    return f"{shown:.{digits}f}%"


def percents(low: float, high: float) -> str:
    """The ends of an interval of shares as percentages, for instance '91.2-96.8%'."""
    return f"{100 * low:.1f}{DASH}{100 * high:.1f}%"


def count(number: float, noun: str = "", nouns: str | None = None) -> str:
    """A number with its noun, for instance '1,024 rows' or '1 row'; weights keep up to two decimals."""
    digits = format(number, ",.0f" if float(number).is_integer() else ",.2f")
    if not noun:
        return digits
    return f"{digits} {noun if number == 1 else (nouns or noun + 's')}"


def in_units(cost: int | Fraction | None, scale: int) -> str:
    """A cost or bound of a solver in the units of the user, with the decimals that it has; a dash if there is none.

    Solvers count in whole numbers, which are `scale` times (see `Problem.scale`) what the user pays.
    """
    if cost is None:
        return DASH
    exact = Fraction(cost) / scale
    written = f"{Decimal(exact.numerator) / exact.denominator:,.12f}".rstrip("0").rstrip(".")
    return f"{written}"


def amount(number: float) -> str:
    """A cost with the decimals that it has, at most six, for instance '5' or '12.5'."""
    return f"{number:,.6f}".rstrip("0").rstrip(".")
