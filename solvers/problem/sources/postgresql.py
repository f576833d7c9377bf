"""A query to a PostgreSQL server: in a transaction that can only read, with a cursor that takes one SELECT."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from solvers.errors import DataError, MissingPackageError
from solvers.problem.sources.address import Address
from solvers.problem.sources.answer import BATCH, AnswerLimits, batch_of, check_columns, gathered, query_for, refused

_CONNECT_SECONDS = 10
_TABLES = (
    "SELECT table_name FROM information_schema.tables WHERE table_schema = ANY (current_schemas(false)) "
    "ORDER BY table_name"
)


def query_postgresql(address: Address, query: str | None, limits: AnswerLimits) -> pa.Table:
    """The answer of a query; of the only table where none is given.

    Raises
    ------
    DataError
        The server cannot be reached or lets nobody in, or the query is refused, gives nothing, or too much. No message
        holds the password.
    """
    try:
        import psycopg
    except ImportError as error:
        raise MissingPackageError(
            f"PostgreSQL needs the package psycopg ({error}). Install it with pip ('psycopg[binary]')."
        ) from None
    parts: dict[str, Any] = {
        "connect_timeout": _CONNECT_SECONDS,
        **address.parts,
        "application_name": "espalier",
        "options": f"-c default_transaction_read_only=on -c statement_timeout={int(1000 * limits.seconds)}",
    }
    try:
        connection = psycopg.connect(**parts)
    except (psycopg.Error, ValueError) as error:
        message = " ".join(address.masked(str(error)).split())[:300]
        raise DataError(
            f"The PostgreSQL server cannot be reached ({message.rstrip('.')}). Check address, user and password, and "
            f"whether the server is running."
        ) from None
    try:
        connection.read_only = True
        with connection.cursor() as cursor:
            tables = [name for (name,) in cursor.execute(_TABLES).fetchall()]
        return gathered(_batches(connection, query_for(query, tables), limits), limits)
    except psycopg.errors.QueryCanceled:
        raise limits.late() from None
    except psycopg.Error as error:
        raise refused("PostgreSQL", address.masked(str(error))) from None
    finally:
        connection.close()


def _batches(connection: Any, query: str, limits: AnswerLimits) -> Iterator[pa.RecordBatch]:
    """The rows in batches: a cursor at the server takes one statement, and SELECT or VALUES only."""
    with connection.cursor(name="espalier") as cursor:
        cursor.execute(query)
        names = [one.name for one in cursor.description or ()]
        check_columns(names, limits)
        while rows := cursor.fetchmany(min(BATCH, limits.max_rows + 1)):
            yield batch_of(rows, names)
