"""The SQL dialects, and the translation of queries to them.

Queries are written in the SQL of DuckDB and translated by sqlglot. Where databases differ in meaning, not only in
syntax, the query calls one of the functions in `READERS`, which is replaced with the expression for the dialect.
"""

from enum import StrEnum
from typing import Any

from ..errors import DiagramError, MissingPackageError
from .spellings import is_plain, missing_marks

BLANKS = tuple(code for code in range(0x10000) if chr(code).isspace())
"""The codes of the characters that `str.strip` removes; all are among the first 65,536."""


class Dialect(StrEnum):
    """The database that runs the query; the values are sqlglot's names."""

    SQLITE = "sqlite"
    POSTGRESQL = "postgres"
    DUCKDB = "duckdb"
    TSQL = "tsql"
    BIGQUERY = "bigquery"
    SNOWFLAKE = "snowflake"
    MYSQL = "mysql"

    @property
    def label(self) -> str:
        """The name of the database, with the minimum version if necessary."""
        return _LABELS[self]


_LABELS = {
    Dialect.SQLITE: "SQLite 3.35 or later",
    Dialect.POSTGRESQL: "PostgreSQL 12 or later",
    Dialect.DUCKDB: "DuckDB",
    Dialect.TSQL: "SQL Server 2017 or later",
    Dialect.BIGQUERY: "BigQuery",
    Dialect.SNOWFLAKE: "Snowflake",
    Dialect.MYSQL: "MySQL 8.0.17 or later",
}

WITH_STEPS = frozenset({Dialect.SQLITE, Dialect.POSTGRESQL, Dialect.DUCKDB})
"""The dialects that support preparation steps; they also prevent a step from being copied into the next one."""

WITH_CAPITALS = frozenset({Dialect.POSTGRESQL, Dialect.SNOWFLAKE})
"""The dialects in which two column names may differ only in case."""

WITH_INFINITY = frozenset(Dialect) - {Dialect.TSQL, Dialect.MYSQL}
"""The dialects with infinite numbers."""

_CODES = " || ".join(f"CHR({code})" for code in BLANKS)
_TRIMMED = f"TRIM(CAST(x AS VARCHAR), {_CODES})"
_SQLITE_TEXT = f"TRIM(CAST(x AS TEXT), CHAR({', '.join(map(str, BLANKS))}))"
_MARKS = ", ".join(f"'{mark}'" for mark in missing_marks())
_SQLITE_MISSING = f"x IS NULL OR (TYPEOF(x) = 'text' AND LOWER({_SQLITE_TEXT}) IN ({_MARKS}))"
# SQLite's dates accept 'now' and 29 February of any year, and are exact to milliseconds
_SQLITE_DAY = f"SUBSTR({_SQLITE_TEXT}, 1, 10)"
_SQLITE_MILLIS = "CAST(STRFTIME('%s', x) AS INTEGER) * 1000 + CAST(SUBSTR(STRFTIME('%f', x), 4, 3) AS INTEGER)"
_DOUBLE = "CAST(x AS DOUBLE)"
_NAN_IS_NULL = f"NULLIF({_DOUBLE}, CAST('NaN' AS DOUBLE))"
_EPOCH = "CAST(ROUND(EXTRACT(EPOCH FROM CAST(x AS TIMESTAMP)) * 1000000) AS DOUBLE PRECISION) / 86400000000.0"
_BLANK_CLASS = f"[{''.join(f'{chr(92) * 2}u{code:04x}' for code in BLANKS)}]+"

READERS: dict[str, dict[Dialect, str]] = {
    # a cell as text without surrounding blanks, compared case-sensitively
    "CELL_TEXT": dict.fromkeys(Dialect, _TRIMMED)
    | {
        Dialect.SQLITE: _SQLITE_TEXT,
        Dialect.TSQL: f"TRIM(CONCAT({', '.join(f'NCHAR({code})' for code in BLANKS)}) FROM "
        "CAST(x AS NVARCHAR(4000)) COLLATE Latin1_General_100_BIN2)",
        Dialect.BIGQUERY: f"TRIM(CAST(x AS STRING), CODE_POINTS_TO_STRING([{', '.join(map(str, BLANKS))}]))",
        Dialect.MYSQL: f"REGEXP_REPLACE(CAST(x AS CHAR) COLLATE utf8mb4_bin, '^{_BLANK_CLASS}|{_BLANK_CLASS}$', '')",
    },
    # a cell as a 64-bit float; infinite if SQLite stores another type
    "CELL_NUMBER": dict.fromkeys(Dialect, _NAN_IS_NULL)
    | {
        Dialect.SQLITE: f"CASE WHEN {_SQLITE_MISSING} THEN NULL WHEN TYPEOF(x) IN ('integer', 'real') "
        "THEN CAST(x AS REAL) ELSE 9e999 END",
        Dialect.TSQL: "CAST(x AS FLOAT)",
        Dialect.BIGQUERY: "CASE WHEN IS_NAN(CAST(x AS FLOAT64)) THEN NULL ELSE CAST(x AS FLOAT64) END",
        Dialect.MYSQL: _DOUBLE,
    },
    # a cell as days since 1970-01-01, exact to microseconds (SQLite: milliseconds)
    "CELL_DAYS": dict.fromkeys(Dialect, _EPOCH)
    | {
        Dialect.SQLITE: f"CASE WHEN {_SQLITE_MISSING} THEN NULL WHEN TYPEOF(x) = 'text' AND "
        f"DATE({_SQLITE_DAY}, '+0 days') = {_SQLITE_DAY} AND NOT STRFTIME('%s', x) IS NULL "
        f"THEN ({_SQLITE_MILLIS}) / 86400000.0 ELSE 9e999 END",
        Dialect.TSQL: "CAST(DATEDIFF_BIG(MICROSECOND, CAST('1970-01-01' AS DATETIME2), CAST(x AS DATETIME2)) AS FLOAT) "
        "/ 86400000000E0",
        Dialect.BIGQUERY: "CAST(DATETIME_DIFF(CAST(x AS DATETIME), CAST('1970-01-01' AS DATETIME), MICROSECOND) "
        "AS FLOAT64) / 86400000000",
        Dialect.SNOWFLAKE: "CAST(DATEDIFF(MICROSECOND, CAST('1970-01-01' AS TIMESTAMP_NTZ), "
        "CAST(x AS TIMESTAMP_NTZ)) AS DOUBLE) / 86400000000",
        Dialect.MYSQL: "CAST(TIMESTAMPDIFF(MICROSECOND, CAST('1970-01-01' AS DATETIME(6)), CAST(x AS DATETIME(6))) "
        "AS DOUBLE) / 86400000000",
    },
    # whether a float is infinite
    "IS_INFINITE": dict.fromkeys(WITH_INFINITY, "ABS(x) = CAST('Infinity' AS DOUBLE)")
    | {Dialect.SQLITE: "ABS(x) = 9e999", Dialect.BIGQUERY: "IS_INF(x)"},
}
"""The functions that a query calls on a cell 'x', as an expression for each dialect."""


def exact_number(value: float, dialect: Dialect) -> str:
    """A float as SQL that each database reads back as the same float.

    Short decimals are read exactly. SQLite and SQL Server read longer ones inexactly: there a number is written as an
    integer of at most 53 bits, multiplied or divided by powers of two, without rounding.
    """
    value = float(value)
    written = repr(value)
    if value == 0 or is_plain(value):
        return written
    if dialect not in (Dialect.SQLITE, Dialect.TSQL):
        return f"CAST('{written}' AS DOUBLE)"
    top, bottom = value.as_integer_ratio()
    exponent = (top & -top).bit_length() - bottom.bit_length()
    parts, sign = [f"CAST({top >> max(exponent, 0)} AS DOUBLE)"], "*" if exponent > 0 else "/"
    while exponent:
        step = min(abs(exponent), 40)
        parts.append(f"{sign} CAST({2**step} AS DOUBLE)")
        exponent += -step if exponent > 0 else step
    return f"({' '.join(parts)})"


def quoted_name(name: str) -> str:
    """Quote the name of a column or table, before translation."""
    return '"' + _check_value(name).replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """Quote a text, before translation."""
    return "'" + _check_value(text).replace("'", "''") + "'"


def translate(query: str, dialect: Dialect) -> str:
    """Translate a query from the SQL of DuckDB to another dialect, formatted over several lines."""
    try:
        import sqlglot
        from sqlglot import exp
    except ImportError as error:
        raise MissingPackageError(
            f"SQL needs the package sqlglot ({error}). Install it with 'pip install sqlglot'."
        ) from error

    def reader(name: str) -> Any:
        return sqlglot.parse_one(READERS[name][dialect], read=dialect.value)

    readers = {name: reader(name) for name, written in READERS.items() if dialect in written}

    def change(node: Any) -> Any:
        if isinstance(node, exp.Anonymous) and node.name in readers:
            (cell,) = node.expressions
            whole = exp.Paren(this=readers[node.name].copy())
            for place in list(whole.find_all(exp.Column)):
                if place.name == "x":
                    place.replace(cell.copy())
            return whole
        if isinstance(node, exp.CTE) and dialect not in WITH_STEPS:
            node.set("materialized", None)
        if dialect is Dialect.TSQL and isinstance(node, exp.Literal) and node.is_string:
            return exp.National(this=node.name)
        return node

    tree = sqlglot.parse_one(query, read=Dialect.DUCKDB.value)
    return str(tree.transform(change).sql(dialect=dialect.value, pretty=True, identify=True, max_text_width=200))


def _check_value(text: str) -> str:
    if "\x00" in text or any(0xD800 <= ord(char) < 0xE000 for char in text):
        raise DiagramError(f"SQL cannot hold the name {text!a}. Rename the column, level or class, or choose JSON.")
    return text
