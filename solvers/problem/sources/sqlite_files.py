"""SQLite files: the answer of one SELECT, which can only read, within limits of rows, size and time."""

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa

from ...errors import DataError, TableSizeError
from ...request import ReadingOptions
from ..texts import abbreviated, cell_text
from .arrow_tables import as_texts, too_large

_BATCH = 20_000
"""Rows that are fetched at a time."""

_TABLES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"
_ACTIONS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_FUNCTION}
_LONGEST = 10_000_000
"""Bytes of a value or a row, and of a query."""
_STEPS = 10_000
"""Steps of SQLite's machine after which it looks at the clock."""

_NO_TYPE = (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, ValueError)
"""What pyarrow raises for cells of several types, which SQLite may have in one column."""


def query_sqlite(place: Path | bytes, options: ReadingOptions, max_columns: int) -> pa.Table:
    """The answer of a query; all of the only table if there is no query.

    Parameters
    ----------
    place : the path or the content of a file.
    options : the query, one statement of SELECT, and its options.
    max_columns : the limit for the columns.

    Raises
    ------
    DataError
        The file is no database, or the query is refused, gives nothing, or too much.
    """
    try:
        with closing(_opened(place)) as connection:
            query = _query_for(options.query, [name for (name,) in connection.execute(_TABLES)])
            for pragma in ("query_only = ON", "trusted_schema = OFF"):
                connection.execute(f"PRAGMA {pragma}")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
            connection.set_authorizer(_authorised)
            deadline = time.monotonic() + options.seconds
            connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
            return _answer(connection.execute(query), options, max_columns, deadline)
    except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError) as error:
        # errors of Python's module itself have no code
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            raise _late(options) from None
        line = " ".join(str(error).split())[:300].rstrip(".")
        raise DataError(
            f"SQLite refuses the query: {line}. Correct the query; it may only read, in one SELECT."
        ) from None


def _opened(place: Path | bytes) -> sqlite3.Connection:
    """A connection that reads; content is in memory only."""
    try:
        if isinstance(place, Path):
            return sqlite3.connect(f"file:{quote(str(place.resolve()))}?mode=ro", uri=True)
        connection = sqlite3.connect(":memory:")
        # these two bytes of a file say that there is a log beside it, which a file in memory does not have
        connection.deserialize(place[:18] + b"\x01\x01" + place[20:])
        return connection
    except sqlite3.Error as error:
        raise DataError(f"The SQLite database cannot be opened ({error}). Check the file.") from None


def _authorised(action: int, first: str | None, second: str | None, *_: object) -> int:
    """Reading is permitted, and nothing else: no ATTACH, no PRAGMA, no change, no library."""
    loads = action == sqlite3.SQLITE_FUNCTION and (second or "").lower() == "load_extension"
    return sqlite3.SQLITE_DENY if loads or action not in _ACTIONS else sqlite3.SQLITE_OK


def _answer(cursor: sqlite3.Cursor, options: ReadingOptions, max_columns: int, deadline: float) -> pa.Table:
    """The rows of a cursor as typed columns; a column of several types as texts."""
    names = [one[0] for one in cursor.description or ()]
    if not names:
        raise DataError("The query gives no table. Ask with SELECT.")
    if len(names) > max_columns:
        raise TableSizeError(
            f"A table must have at most {max_columns:,} columns. The query gives {len(names):,}. Name the "
            "columns that are needed."
        )
    parts, n_rows, size = [], 0, 0
    while rows := cursor.fetchmany(min(_BATCH, options.max_rows + 1)):
        part = pa.table([_column(cells) for cells in zip(*rows, strict=True)], names=names)
        n_rows, size = n_rows + part.num_rows, size + part.nbytes
        if n_rows > options.max_rows:
            raise TableSizeError(
                f"The query gives more than {options.max_rows:,} rows, which is the limit. Ask for fewer, for instance "
                "with WHERE or LIMIT, or raise the limit (max_rows in Python, --max-rows on the command line, 'At "
                "most rows' on the Data screen)."
            )
        if size > 8 * options.max_mb * 1e6:
            raise too_large("gives too many bytes", options.max_mb)
        if time.monotonic() > deadline:
            raise _late(options)
        parts.append(part)
    if not parts:
        raise DataError("The query gives no rows. Check its conditions.")
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


def _late(options: ReadingOptions) -> DataError:
    return DataError(
        f"The query takes more than {options.seconds:g} s, which is the limit. Ask for fewer rows or columns, or raise "
        "the limit (seconds in Python, --query-time on the command line, ESPALIER_MAX_READING_SECONDS for the "
        "dashboard)."
    )


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
        f"The database has the tables {abbreviated(quoted, 20)}. Add a query, such as SELECT * FROM {quoted[0]} "
        "(--query on the command line, 'Query' on the Data screen)."
    )
