"""Cells of a table in SQL: names and texts, numbers that read back as the same, blanks taken off, dates as days."""

import math
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from solvers.diagram.spellings import missing_marks
from solvers.errors import DiagramError

BLANKS = tuple(code for code in range(0x10000) if chr(code).isspace())
"""The codes of the characters that `str.strip` takes off; none is beyond the first 65,536."""

BREAK = "\x00"
"""Stands for the line breaks of names until the query is laid out; no name holds it."""


class Dialect(StrEnum):
    """The SQL that is written.

    `SQLITE` keeps numbers in columns without types and dates as texts; `STANDARD` has typed columns, with PostgreSQL's
    word for what the standard has no common one: the seconds of a date within a weighted sum.
    """

    SQLITE = "sqlite"
    STANDARD = "standard"


def bare(cell: str, dialect: Dialect) -> str:
    """A text without the blanks around it; TRIM alone takes off spaces, and the program every kind of blank."""
    if dialect is Dialect.SQLITE:
        return f"TRIM({cell}, char({', '.join(map(str, BLANKS))}))"
    written = "".join(f"\\{blank:04X}" for blank in BLANKS)
    return f"TRIM({cell}, U&'{written}')"


def is_missing(cell: str, dialect: Dialect) -> str:
    """Whether a text is a mark for a missing value."""
    marks = ", ".join(text(mark) for mark in missing_marks())
    return f"{cell} IS NULL OR LOWER({bare(cell, dialect)}) IN ({marks})"


def days(cell: str, dialect: Dialect) -> str:
    """Days since 1970-01-01; in SQLite counted in whole milliseconds first, which its dates are exact to."""
    if dialect is Dialect.STANDARD:
        return f"CAST(EXTRACT(EPOCH FROM CAST({cell} AS TIMESTAMP)) AS DOUBLE PRECISION) / 86400.0"
    millis = f"CAST(strftime('%s', {cell}) AS INTEGER) * 1000 + CAST(substr(strftime('%f', {cell}), 4, 3) AS INTEGER)"
    return (
        f"CASE\n  WHEN {is_missing(cell, dialect)} THEN NULL\n"
        f"  WHEN typeof({cell}) = 'text' AND strftime('%s', {cell}) IS NOT NULL\n"
        f"    THEN ({millis}) / 86400000.0\n  ELSE 'refused'\nEND"
    )


def number(cell: str, dialect: Dialect) -> str:
    """A number as a float; in SQLite a text is a blob then, which is no number and so is refused."""
    if dialect is Dialect.STANDARD:
        return f"CAST({cell} AS DOUBLE PRECISION)"
    known = f"typeof({cell}) IN ('integer', 'real') AND {cell} < 9e999 AND {cell} > -9e999"
    return f"CASE WHEN {cell} IS NULL THEN NULL WHEN {known} THEN {cell} * 1.0 ELSE 'refused' END"


def float_literal(value: float, dialect: Dialect) -> str:
    """A float that is read back as the same."""
    return exact_number(value) if dialect is Dialect.SQLITE else f"CAST({float(value)!r} AS DOUBLE PRECISION)"


def exact_number(value: float) -> str:
    """A float as SQL that SQLite reads back as the same, whatever its version.

    Short decimals are read exactly. Others become whole numbers of at most 53 bits, times or divided by powers of two,
    none of which rounds.
    """
    value = float(value)
    written = repr(value)
    if value == 0 or _is_plain(value, Decimal(written)):
        return written if "." in written or "e" in written else f"{written}.0"
    top, bottom = value.as_integer_ratio()
    power = (top & -top).bit_length() - bottom.bit_length()
    parts, sign = [str(top >> max(power, 0))], "*" if power > 0 else "/"
    while power:
        step = min(abs(power), 40)
        parts.append(f"{sign} {2**step}.0")
        power += -step if power > 0 else step
    return f"({' '.join(parts if len(parts) > 1 else (*parts, '* 1.0'))})"


def _is_plain(value: float, written: Decimal) -> bool:
    """Whether every way of reading decimals finds this float: few digits, and not near the middle of two floats."""
    _, digits, exponent = written.as_tuple()
    if len(digits) > 15 or not isinstance(exponent, int) or not -22 <= exponent <= 0:
        return False
    off = abs(Fraction(written) - Fraction(value))
    return off <= Fraction(math.ulp(value)) * Fraction(99, 200)


def name(name: str) -> str:
    """The name of a table or column."""
    return '"' + _sound(name).replace('"', '""') + '"'


def text(text: str) -> str:
    """A text."""
    return "'" + _sound(text).replace("'", "''") + "'"


def _sound(text: str) -> str:
    if "\x00" in text or any(0xD800 <= ord(char) < 0xE000 for char in text):
        raise DiagramError(f"SQL cannot hold the name {text!a}. Rename the column, level or class, or choose JSON.")
    # lines within names must not be indented with the others
    return text.replace("\n", BREAK)
