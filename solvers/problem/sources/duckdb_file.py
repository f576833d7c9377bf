"""A query to a DuckDB database: opened for reading, without access to any other file, to extensions or to a network."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import Any

import pyarrow as pa

from solvers.errors import DataError, MissingPackageError
from solvers.problem.sources.answer import BATCH, AnswerLimits, check_columns, gathered, query_for, refused

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

_TABLES = (
    "SELECT table_name FROM information_schema.tables WHERE table_schema NOT IN ('information_schema', 'pg_catalog') "
    "ORDER BY table_name"
)


def query_duckdb(source: Path | bytes, query: str | None, limits: AnswerLimits) -> pa.Table:
    """The answer of a query; parameters and errors as those of `query_sqlite`."""
    if isinstance(source, Path):
        return _queried(source, query, limits)
    with tempfile.TemporaryDirectory(prefix="espalier-database-") as folder:
        # a folder that nobody else may enter
        file = Path(folder) / "database.duckdb"
        file.write_bytes(source)
        return _queried(file, query, limits)


def _queried(file: Path, query: str | None, limits: AnswerLimits) -> pa.Table:
    try:
        import duckdb
    except ImportError as error:
        raise MissingPackageError(
            f"DuckDB databases need the package duckdb ({error}). Install it with pip, or export the table as Parquet."
        ) from None
    if not file.is_file():
        raise DataError(f"There is no file '{file}'. Check the path.")
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
    try:
        tables = [name for (name,) in connection.execute(_TABLES).fetchall()]
        return gathered(_batches(duckdb, connection, query_for(query, tables), limits), limits)
    except duckdb.InterruptException:
        raise limits.late() from None
    except duckdb.Error as error:
        raise refused("DuckDB", str(error)) from None
    finally:
        clock.cancel()
        connection.close()


def _batches(duckdb: Any, connection: Any, query: str, limits: AnswerLimits) -> Iterator[pa.RecordBatch]:
    statements = connection.extract_statements(query)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise refused("DuckDB", f"it has {len(statements)} statements, or one that is not SELECT")
    reader = connection.sql(query).to_arrow_reader(BATCH)
    check_columns(reader.schema.names, limits)
    yield from reader
