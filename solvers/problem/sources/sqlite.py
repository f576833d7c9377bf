"""A query to an SQLite database: opened for reading, and permitted to do nothing else."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa

from solvers.errors import DataError
from solvers.problem.sources.answer import (
    BATCH,
    AnswerLimits,
    batch_of,
    check_columns,
    gathered,
    query_for,
    refused,
)

_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_FUNCTION}
_TABLES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"
_LONGEST = 10_000_000
"""Bytes of a value or a row, and of a query."""
_STEPS = 10_000
"""Steps of SQLite's machine after which it looks at the clock."""


def query_sqlite(source: Path | bytes, query: str | None, limits: AnswerLimits) -> pa.Table:
    """The answer of a query; of the only table where none is given.

    Parameters
    ----------
    source : a path, or the content of the file, which then lies in memory only.
    query : one statement of SELECT.
    limits : for rows, size and time.

    Raises
    ------
    DataError
        It is no database, or the query is refused, gives nothing, or too much.
    """
    try:
        connection = _opened(source)
    except sqlite3.Error as error:
        raise DataError(f"The SQLite database cannot be opened ({error}). Check the file.") from None
    try:
        tables = [name for (name,) in connection.execute(_TABLES)]
        for pragma in ("query_only = ON", "trusted_schema = OFF"):
            connection.execute(f"PRAGMA {pragma}")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        connection.set_authorizer(_authorised)
        deadline = limits.deadline()
        connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
        return gathered(_batches(connection, query_for(query, tables), limits), limits)
    except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError) as error:
        # errors of Python's module itself have no code
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            raise limits.late() from None
        raise refused("SQLite", str(error)) from None
    finally:
        connection.close()


def _opened(source: Path | bytes) -> sqlite3.Connection:
    if isinstance(source, Path):
        if not source.is_file():
            raise DataError(f"There is no file '{source}'. Check the path.")
        return sqlite3.connect(f"file:{quote(str(source.resolve()))}?mode=ro", uri=True)
    connection = sqlite3.connect(":memory:")
    # a file says in these two bytes that it has a log beside it, which a file in memory has not
    connection.deserialize(source[:18] + b"\x01\x01" + source[20:])
    return connection


def _authorised(action: int, first: str | None, second: str | None, *_: object) -> int:
    """Reading is permitted, and nothing else: no ATTACH, no PRAGMA, no change, no library."""
    if action not in _READING or (action == sqlite3.SQLITE_FUNCTION and (second or "").lower() == "load_extension"):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _batches(connection: sqlite3.Connection, query: str, limits: AnswerLimits) -> Iterator[pa.RecordBatch]:
    cursor = connection.execute(query)
    names = [one[0] for one in cursor.description or ()]
    check_columns(names, limits)
    while rows := cursor.fetchmany(min(BATCH, limits.max_rows + 1)):
        yield batch_of(rows, names)
