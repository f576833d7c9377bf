"""SQLite files: the result of one read-only SELECT, within size limits."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa

from ...errors import DataError
from ...request import ReadingOptions
from ..texts import abbreviate, cell_text, reason
from .arrow_tables import as_texts
from .file_text import check_columns, check_size

_BATCH = 20_000
"""Rows to fetch at a time."""

_TABLES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"
_ACTIONS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_FUNCTION}
_LONGEST = 10_000_000
"""The maximum bytes of a value or a row, and of a query."""

_NO_TYPE = (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, ValueError)
"""The errors of pyarrow for cells of several types, which SQLite allows in one column."""


def query_sqlite(place: Path | bytes, options: ReadingOptions, max_columns: int) -> pa.Table:
    """The result of a query; without a query, all of the only table.

    Parameters
    ----------
    place : the path or the content of a file.
    options : the query, a single SELECT statement, and its options.
    max_columns : the limit for the columns.

    Raises
    ------
    DataError
        The file is no database, or the query is rejected, or its result is empty or too large.
    """
    try:
        with closing(_opened(place)) as connection:
            query = _query_for(options.query, [name for (name,) in connection.execute(_TABLES)])
            for pragma in ("query_only = ON", "trusted_schema = OFF"):
                connection.execute(f"PRAGMA {pragma}")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
            connection.set_authorizer(_authorised)
            return _answer(connection.execute(query), options.max_mb, max_columns)
    except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError) as error:
        why = reason(error).rstrip(".")
        raise DataError(f"SQLite refuses the query: {why}. Use one SELECT statement that only reads.") from None


def _opened(place: Path | bytes) -> sqlite3.Connection:
    """A read-only connection; content is in memory only."""
    try:
        if isinstance(place, Path):
            return sqlite3.connect(f"file:{quote(str(place.resolve()))}?mode=ro", uri=True)
        connection = sqlite3.connect(":memory:")
        # these two bytes of a file declare a write-ahead log, which a file in memory does not have
        connection.deserialize(place[:18] + b"\x01\x01" + place[20:])
        return connection
    except sqlite3.Error as error:
        raise DataError(f"The SQLite database cannot be opened ({error}). Check the file.") from None


def _authorised(action: int, first: str | None, second: str | None, *_: object) -> int:
    """Permit reading only: no ATTACH, no PRAGMA, no change, no library."""
    loads = action == sqlite3.SQLITE_FUNCTION and (second or "").lower() == "load_extension"
    return sqlite3.SQLITE_DENY if loads or action not in _ACTIONS else sqlite3.SQLITE_OK


def _answer(cursor: sqlite3.Cursor, max_mb: float, max_columns: int) -> pa.Table:
    """The rows of a cursor as typed columns; a column of several types as texts."""
    names = [one[0] for one in cursor.description or ()]
    if not names:
        raise DataError("The query returns no table. Write a SELECT query.")
    check_columns("The result of the query", len(names), max_columns)
    parts, n_rows, size = [], 0, 0
    while rows := cursor.fetchmany(_BATCH):
        part = pa.table([_column(cells) for cells in zip(*rows, strict=True)], names=names)
        n_rows, size = n_rows + part.num_rows, size + part.nbytes
        check_size("The query returns too many rows:", n_rows, part.num_columns, max_mb, size)
        parts.append(part)
    if not parts:
        raise DataError("The query returns no rows. Check its conditions.")
    try:
        return pa.concat_tables(parts, promote_options="permissive")
    except _NO_TYPE:
        texts = ([as_texts(column.combine_chunks()) for column in part.columns] for part in parts)
        return pa.concat_tables([pa.table(columns, names=names) for columns in texts])


def _column(cells: Sequence[object]) -> pa.Array:
    try:
        return pa.array(cells)
    except _NO_TYPE:
        return pa.array([cell_text(cell) for cell in cells], pa.large_string())


def _query_for(query: str | None, tables: Sequence[str]) -> str:
    """The query, or one for all of the only table."""
    if query is not None and query.strip():
        return query.strip().rstrip(";").rstrip()
    quoted = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in tables]
    if len(quoted) == 1:
        return f"SELECT * FROM {quoted[0]}"
    if not quoted:
        raise DataError("The database has no tables that can be read. Choose another one.")
    raise DataError(
        f"The database has the tables {abbreviate(quoted, 20)}. Add a query, such as SELECT * FROM {quoted[0]} "
        "(--query on the command line, 'Query' on the Data screen)."
    )
