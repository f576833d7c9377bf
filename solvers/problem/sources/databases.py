"""SQLite and DuckDB files: the answer of one SELECT, which can only read, within limits of rows, size and time.

Python's own module reads SQLite: DuckDB would have to download an extension for it.
"""

import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from ...errors import DataError, MissingPackageError, TableSizeError
from ..texts import abbreviated, cell_text
from .arrow_tables import as_texts, too_large

_BATCH = 20_000
"""Rows that are fetched at a time."""

_SQLITE_TABLES = (
    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"
)
_SQLITE_ACTIONS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_FUNCTION}
_LONGEST = 10_000_000
"""Bytes of a value or a row, and of a query."""
_STEPS = 10_000
"""Steps of SQLite's machine after which it looks at the clock."""

_DUCKDB_TABLES = (
    "SELECT table_name FROM information_schema.tables WHERE table_schema NOT IN ('information_schema', 'pg_catalog') "
    "ORDER BY table_name"
)
_CLOSED: dict[str, Any] = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "temp_directory": "",
    "memory_limit": "2GB",
    "threads": "2",
    "lock_configuration": "true",
}
"""No other file is read or written, nothing is loaded, and no query can change this."""

_Database = tuple[list[str], Callable[[str], Iterator[pa.RecordBatch]]]
"""The tables of an open database, and what asks it."""


@dataclass(frozen=True)
class AnswerLimits:
    """What an answer may be: rows, MB as text, columns, and the seconds that it may take."""

    max_rows: int
    max_mb: float
    max_columns: int
    seconds: float

    def deadline(self) -> float:
        """When an answer that is asked for now is too late, on the clock of `time.monotonic`."""
        return time.monotonic() + self.seconds

    def late(self) -> DataError:
        """The refusal of an answer that takes too long."""
        return DataError(
            f"The query takes more than {self.seconds:g} s, which is the limit. Ask for fewer rows or columns, or "
            "raise the limit (seconds in Python, --query-time on the command line, ESPALIER_MAX_READING_SECONDS for "
            f"the dashboard)."
        )


def query_database(kind: str, place: Path | bytes, query: str | None, limits: AnswerLimits) -> pa.Table:
    """The answer of a query; of the only table where none is given.

    Parameters
    ----------
    kind : 'sqlite' or 'duckdb'.
    place : the path or the content of a file.
    query : one statement of SELECT.
    limits : for rows, size and time.

    Raises
    ------
    DataError
        It is no database, or the query is refused, gives nothing, or too much.
    MissingPackageError
        The package for this kind is not installed.
    """
    if isinstance(place, Path) and not place.is_file():
        raise DataError(f"There is no file '{place}'. Check the path.")
    databases: dict[str, Callable[[Any, AnswerLimits], Any]]
    databases = {
        "sqlite": _sqlite,
        "duckdb": _duckdb,
    }
    with databases[kind](place, limits) as (tables, ask):
        return _gathered(ask(_query_for(query, tables)), limits)


@contextmanager
def _sqlite(place: Path | bytes, limits: AnswerLimits) -> Iterator[_Database]:
    """An SQLite database, opened for reading and permitted to do nothing else; content lies in memory only."""
    try:
        if isinstance(place, Path):
            connection = sqlite3.connect(f"file:{quote(str(place.resolve()))}?mode=ro", uri=True)
        else:
            connection = sqlite3.connect(":memory:")
            # a file says in these two bytes that it has a log beside it, which a file in memory has not
            connection.deserialize(place[:18] + b"\x01\x01" + place[20:])
    except sqlite3.Error as error:
        raise DataError(f"The SQLite database cannot be opened ({error}). Check the file.") from None
    try:
        with closing(connection):
            tables = [name for (name,) in connection.execute(_SQLITE_TABLES)]
            for pragma in ("query_only = ON", "trusted_schema = OFF"):
                connection.execute(f"PRAGMA {pragma}")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
            connection.set_authorizer(_authorised)
            deadline = limits.deadline()
            connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
            yield tables, lambda query: _fetched(connection.execute(query), limits)
    except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError) as error:
        # errors of Python's module itself have no code
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            raise limits.late() from None
        raise _refused("SQLite", str(error)) from None


def _authorised(action: int, first: str | None, second: str | None, *_: object) -> int:
    """Reading is permitted, and nothing else: no ATTACH, no PRAGMA, no change, no library."""
    loads = action == sqlite3.SQLITE_FUNCTION and (second or "").lower() == "load_extension"
    return sqlite3.SQLITE_DENY if loads or action not in _SQLITE_ACTIONS else sqlite3.SQLITE_OK


@contextmanager
def _duckdb(place: Path | bytes, limits: AnswerLimits) -> Iterator[_Database]:
    """A DuckDB database, opened for reading, without access to any other file, to extensions or to a network."""
    try:
        import duckdb
    except ImportError as error:
        raise MissingPackageError(
            f"DuckDB databases need the package duckdb ({error}). Install it with pip, or export the table as Parquet."
        ) from None
    # a folder that nobody else may enter
    with tempfile.TemporaryDirectory(prefix="espalier-database-") as folder:
        file = place if isinstance(place, Path) else Path(folder) / "database.duckdb"
        if isinstance(place, bytes):
            file.write_bytes(place)
        try:
            connection = duckdb.connect(str(file), read_only=True, config=_CLOSED)
        except duckdb.Error as error:
            message = " ".join(str(error).replace(str(file), file.name).split())[:200]
            raise DataError(
                f"The DuckDB database cannot be opened ({message}). Check the file, or export the table as Parquet."
            ) from None
        clock = Timer(limits.seconds, connection.interrupt)
        clock.daemon = True
        clock.start()

        def ask(query: str) -> Iterator[pa.RecordBatch]:
            statements = connection.extract_statements(query)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise _refused("DuckDB", f"it has {len(statements)} statements, or one that is not SELECT")
            reader = connection.sql(query).to_arrow_reader(_BATCH)
            _check_columns(reader.schema.names, limits)
            yield from reader

        try:
            yield [name for (name,) in connection.execute(_DUCKDB_TABLES).fetchall()], ask
        except duckdb.InterruptException:
            raise limits.late() from None
        except duckdb.Error as error:
            raise _refused("DuckDB", str(error)) from None
        finally:
            clock.cancel()
            connection.close()


def _fetched(cursor: Any, limits: AnswerLimits) -> Iterator[pa.RecordBatch]:
    """The rows of Python's values that a cursor gives, as typed columns; a column of several types as texts."""
    names = [one[0] for one in cursor.description or ()]
    _check_columns(names, limits)
    while rows := cursor.fetchmany(min(_BATCH, limits.max_rows + 1)):
        columns = []
        for cells in zip(*rows, strict=True):
            try:
                columns.append(pa.array(cells))
            except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, ValueError):
                columns.append(pa.array([cell_text(cell) for cell in cells], pa.large_string()))
        yield pa.RecordBatch.from_arrays(columns, names=names)


def _gathered(batches: Iterator[pa.RecordBatch], limits: AnswerLimits) -> pa.Table:
    """The rows of an answer as one table; `DataError` where there are none, too many, or they come too late."""
    parts, n_rows, size, deadline = [], 0, 0, limits.deadline()
    for part in batches:
        n_rows, size = n_rows + part.num_rows, size + part.nbytes
        if n_rows > limits.max_rows:
            raise TableSizeError(
                f"The query gives more than {limits.max_rows:,} rows, which is the limit. Ask for fewer, for instance "
                "with WHERE or LIMIT, or raise the limit (max_rows in Python, --max-rows on the command line, 'At "
                f"most rows' on the Data screen)."
            )
        if size > 8 * limits.max_mb * 1e6:
            raise too_large("gives too many bytes", limits.max_mb)
        if time.monotonic() > deadline:
            raise limits.late()
        parts.append(pa.Table.from_batches([part]))
    if not parts or not n_rows:
        raise DataError("The query gives no rows. Check its conditions.")
    try:
        return pa.concat_tables(parts, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        # SQLite may have a text among numbers
        return pa.concat_tables([_texts(part) for part in parts])


def _texts(part: pa.Table) -> pa.Table:
    return pa.table([as_texts(column.combine_chunks()) for column in part.columns], names=part.column_names)


def _check_columns(names: Sequence[str], limits: AnswerLimits) -> None:
    """Refuse an answer without columns or with too many."""
    if not names:
        raise DataError("The query gives no table. Ask with SELECT.")
    if len(names) > limits.max_columns:
        raise TableSizeError(
            f"A table must have at most {limits.max_columns:,} columns. The query gives {len(names):,}. Name the "
            f"columns that are needed."
        )


def _query_for(query: str | None, tables: Sequence[str]) -> str:
    """What to ask: the query that was given, or for all of the only table."""
    if query is not None and query.strip():
        return query.strip().rstrip(";").rstrip()
    quoted = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in tables]
    if len(quoted) == 1:
        return f"SELECT * FROM {quoted[0]}"
    if not quoted:
        raise DataError("The database has no tables that can be read. Choose another one.")
    raise DataError(
        f"The database has the tables {abbreviated(quoted, 20)}. Say what to read with a query, such as SELECT * FROM "
        f"{quoted[0]} (--query on the command line, 'Query' on the Data screen)."
    )


def _refused(kind: str, message: str) -> DataError:
    """What a database says against a query, in one line and no longer than a sentence."""
    line = " ".join(message.split())[:300]
    return DataError(
        f"{kind} refuses the query: {line.rstrip('.')}. Correct the query; it may only read, in one SELECT."
    )
