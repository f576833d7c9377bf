"""What databases spell differently in the query of a model: names, texts, numbers, and how a cell is read.

Numbers are written so that each database reads back the same 64-bit float. SQLite and SQL Server read decimals of more
than 15 digits inexactly, so such a number is written as a whole number divided by a power of two.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from solvers.diagram.spellings import is_plain, missing_marks
from solvers.errors import DiagramError

BLANKS = tuple(code for code in range(0x10000) if chr(code).isspace())
"""The codes of the characters that `str.strip` takes off; none is beyond the first 65,536."""

BREAK = "\x00"
"""Stands for the line breaks of names until the query is laid out; no name holds it."""


class Dialect(StrEnum):
    """The SQL that is written.

    `SQLITE` keeps numbers in columns without types and dates as texts; `STANDARD` has typed columns, with the words of
    PostgreSQL and DuckDB where the standard has no common one; `TSQL` is SQL Server's.
    """

    SQLITE = "sqlite"
    STANDARD = "standard"
    TSQL = "tsql"


@dataclass(frozen=True)
class Spelling:
    """How one of them writes what the query needs.

    Attributes
    ----------
    written_for : the databases, for the head of the query.
    marks : what stands before and after a name; the latter is doubled within.
    text_mark : what stands before a text.
    text_cell : a cell as a text, as a template; `bare` takes the blanks around off it.
    number, date : a cell as a number, and as days since 1970-01-01.
    refuses : when a number that was read so must not be answered, as a template; '' for never.
    constant : a float.
    kept : how a step is kept from being copied into the next one.
    nested : how many CASE may stand in each other.
    has_capitals : whether names that differ in capitals only are two.
    """

    written_for: str
    marks: tuple[str, str]
    text_mark: str
    text_cell: str
    bare: str
    number: Callable[[str], str]
    date: Callable[[str], str]
    refuses: str
    constant: Callable[[float], str]
    kept: str
    nested: int
    has_capitals: bool

    def name(self, name: str) -> str:
        """The name of a column or table."""
        start, end = self.marks
        return f"{start}{_sound(name).replace(end, 2 * end)}{end}"

    def text(self, text: str) -> str:
        """A text."""
        return f"{self.text_mark}'" + _sound(text).replace("'", "''") + "'"


def exact_number(value: float, whole: str = "{}", power: str = "{}.0", short: str = "{}") -> str:
    """A float as SQL that reads back as the same, whatever the version of SQLite.

    Short decimals are read exactly. Others become whole numbers of at most 53 bits, times or divided by powers of two,
    none of which rounds. The templates say how each of these is written.
    """
    value = float(value)
    written = repr(value)
    if value == 0 or is_plain(value):
        return short.format(written if "." in written or "e" in written else f"{written}.0")
    top, bottom = value.as_integer_ratio()
    exponent = (top & -top).bit_length() - bottom.bit_length()
    parts, sign = [whole.format(top >> max(exponent, 0))], "*" if exponent > 0 else "/"
    while exponent:
        step = min(abs(exponent), 40)
        parts.append(f"{sign} {power.format(2**step)}")
        exponent += -step if exponent > 0 else step
    return f"({' '.join(parts if len(parts) > 1 else (*parts, f'* {power.format(1)}'))})"


def _sqlite_number(cell: str) -> str:
    # a text, such as '12' or '?', is a blob here, which is no number and so is refused
    known = f"typeof({cell}) IN ('integer', 'real') AND {cell} < 9e999 AND {cell} > -9e999"
    return f"CASE WHEN {cell} IS NULL THEN NULL WHEN {known} THEN {cell} * 1.0 ELSE 'refused' END"


def _sqlite_date(cell: str) -> str:
    """Counted in whole milliseconds first, which SQLite's dates are exact to."""
    marks = ", ".join(f"'{mark}'" for mark in missing_marks())
    # it takes 'now' for a date, and the 29th of February of any year
    day = f"substr({_SQLITE_BARE.format(cell)}, 1, 10)"
    millis = f"CAST(strftime('%s', {cell}) AS INTEGER) * 1000 + CAST(substr(strftime('%f', {cell}), 4, 3) AS INTEGER)"
    return (
        f"CASE\n  WHEN {cell} IS NULL OR LOWER({_SQLITE_BARE.format(cell)}) IN ({marks}) THEN NULL\n"
        f"  WHEN typeof({cell}) = 'text' AND date({day}, '+0 days') = {day} AND strftime('%s', {cell}) IS NOT NULL\n"
        f"    THEN ({millis}) / 86400000.0\n  ELSE 'refused'\nEND"
    )


def _typed(value: str) -> str:
    return f"CAST({value} AS DOUBLE PRECISION)"


_SQLITE_BARE = f"TRIM({{}}, char({', '.join(map(str, BLANKS))}))"

SPELLINGS = {
    Dialect.SQLITE: Spelling(
        written_for="SQLite",
        marks=('"', '"'),
        text_mark="",
        text_cell="CAST({} AS VARCHAR)",
        bare=_SQLITE_BARE,
        number=_sqlite_number,
        date=_sqlite_date,
        refuses="{} = 'refused'",
        constant=exact_number,
        kept=" MATERIALIZED",
        nested=12,
        has_capitals=False,
    ),
    Dialect.STANDARD: Spelling(
        written_for="PostgreSQL, DuckDB and other databases with typed columns",
        marks=('"', '"'),
        text_mark="",
        text_cell="CAST({} AS VARCHAR)",
        bare=f"TRIM({{}}, {' || '.join(f'CHR({blank})' for blank in BLANKS)})",
        number=lambda cell: f"NULLIF({_typed(cell)}, {_typed(chr(39) + 'NaN' + chr(39))})",
        # in whole microseconds, which both are exact to
        date=lambda cell: (
            f"{_typed(f'ROUND(EXTRACT(EPOCH FROM CAST({cell} AS TIMESTAMP)) * 1000000)')} / 86400000000.0"
        ),
        refuses=f"ABS({{}}) > {_typed(repr(repr(math.nextafter(math.inf, 0))))}",
        constant=lambda value: _typed(f"'{float(value)!r}'"),
        kept=" MATERIALIZED",
        nested=12,
        has_capitals=True,
    ),
    Dialect.TSQL: Spelling(
        written_for="SQL Server 2017 or later (T-SQL)",
        marks=("[", "]"),
        text_mark="N",
        # by its characters, whatever the order of the database
        text_cell="CAST({} AS NVARCHAR(4000)) COLLATE Latin1_General_100_BIN2",
        bare=f"TRIM(CONCAT({', '.join(f'NCHAR({blank})' for blank in BLANKS)}) FROM {{}})",
        number=lambda cell: f"CAST({cell} AS FLOAT)",
        date=lambda cell: (
            "CAST(DATEDIFF_BIG(MICROSECOND, CAST('1970-01-01' AS DATETIME2), "
            f"CAST({cell} AS DATETIME2)) AS FLOAT) / 86400000000E0"
        ),
        refuses="",
        constant=lambda value: exact_number(value, "CAST({} AS FLOAT)", "CAST({} AS FLOAT)", "CAST('{}' AS FLOAT)"),
        kept="",
        nested=8,
        has_capitals=False,
    ),
}


def _sound(text: str) -> str:
    if "\x00" in text or any(0xD800 <= ord(char) < 0xE000 for char in text):
        raise DiagramError(f"SQL cannot hold the name {text!a}. Rename the column, level or class, or choose JSON.")
    # lines within names must not be indented with the others
    return text.replace("\n", BREAK)
