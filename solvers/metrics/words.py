"""Formatting of proportions, counts and costs for the screen and reports."""

import math
from decimal import Decimal
from fractions import Fraction

DASH, MINUS = "\u2013", "\u2212"


def percent(share: float, digits: int = 1) -> str:
    """Format a proportion as a percentage; only an exact 0 or 1 is written as 0% or 100%."""
    value = 100 * share
    shown = round(value, digits)
    if shown >= 100 > value:
        shown = 100 - 10**-digits
    if shown <= 0 < value:
        shown = 10**-digits
    return f"{shown:.{digits}f}%"


def percents(low: float, high: float) -> str:
    """Format an interval of proportions as percentages, for instance '91.2-96.8%'."""
    between = " to " if low < 0 else DASH
    return f"{100 * low:.1f}{between}{100 * high:.1f}%".replace("-", MINUS)


def count(number: float, noun: str = "", nouns: str | None = None) -> str:
    """Format a number with its noun, for instance '1,024 rows' or '1 row'; weights keep up to two decimals."""
    digits = format(number, ",.0f" if float(number).is_integer() else ",.2f")
    if not noun:
        return digits
    return f"{digits} {noun if number == 1 else (nouns or noun + 's')}"


def in_units(cost: int | Fraction | None, scale: int) -> str:
    """Format a cost or bound of a solver in the user's units, with its exact decimals; a dash if there is none.

    Solvers use integer costs: the user's cost times `scale` (see `Problem.scale`).
    """
    if cost is None:
        return DASH
    exact = Fraction(cost) / scale
    written = f"{Decimal(exact.numerator) / exact.denominator:,.12f}".rstrip("0").rstrip(".")
    return f"{written}"


def amount(number: float) -> str:
    """Format a cost with up to six decimals, for instance '5' or '12.5'."""
    return f"{number:,.6f}".rstrip("0").rstrip(".")


def duration(value: float) -> str:
    """A time that may be hours, rounded up to seconds."""
    if value < 60:
        return f"{math.ceil(value)} s"
    if value < 3600:
        return f"{int(value) // 60} min {int(value) % 60:02d} s"
    return f"{int(value) // 3600} h {int(value) % 3600 // 60:02d} min"


def seconds(value: float) -> str:
    """A duration with as many digits as matter."""
    if value < 1:
        return f"{value:.2f} s"
    if value < 100:
        return f"{value:.1f} s"
    return duration(value)
