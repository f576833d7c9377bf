"""What a database answers: rows within limits, and its complaints without secrets."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from solvers.errors import DataError, TableSizeError
from solvers.problem.sources.arrow_tables import as_texts, too_large
from solvers.problem.texts import abbreviated, cell_text

BATCH = 20_000
"""Rows that are fetched at a time."""


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


def gathered(batches: Iterator[pa.RecordBatch], limits: AnswerLimits) -> pa.Table:
    """The rows of an answer as one table.

    Raises
    ------
    DataError
        There are no columns, or rows beyond the limits, or they come too late.
    """
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


def batch_of(rows: Sequence[Sequence[Any]], names: Sequence[str]) -> pa.RecordBatch:
    """Rows of Python values as typed columns; a column of several types as texts."""
    columns = []
    for cells in zip(*rows, strict=True):
        try:
            columns.append(pa.array(cells))
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, ValueError):
            columns.append(pa.array([cell_text(cell) for cell in cells], pa.large_string()))
    return pa.RecordBatch.from_arrays(columns, names=list(names))


def check_columns(names: Sequence[str], limits: AnswerLimits) -> None:
    """Refuse an answer without columns or with too many."""
    if not names:
        raise DataError("The query gives no table. Ask with SELECT.")
    if len(names) > limits.max_columns:
        raise TableSizeError(
            f"A table must have at most {limits.max_columns:,} columns. The query gives {len(names):,}. Name the "
            f"columns that are needed."
        )


def query_for(query: str | None, tables: Sequence[str]) -> str:
    """What to ask: the query that was given, or for all of the only table.

    Raises
    ------
    DataError
        No query was given, and there is not one table.
    """
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


def refused(kind: str, message: str) -> DataError:
    """What a database says against a query, in one line and no longer than a sentence."""
    line = " ".join(message.split())[:300]
    return DataError(
        f"{kind} refuses the query: {line.rstrip('.')}. Correct the query; it may only read, in one SELECT."
    )
