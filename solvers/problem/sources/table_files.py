"""The one door to all sources: `read_table` looks at what it is given and asks the reader of its format."""

from __future__ import annotations

import re
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO
from weakref import WeakValueDictionary

import pyarrow as pa

from ...errors import DataError
from ...platforms import release_memory
from ..file_text import read_bytes
from ..tables import Table
from .arrow_files import read_feather, read_parquet
from .arrow_tables import table_of_arrow
from .comparators import without_comparators
from .delimited import MAX_COLUMNS, read_delimited
from .formats import Format, format_of, format_of_file
from .options import ReadingOptions
from .sqlite_files import AnswerLimits, query_sqlite
from .workbook import sheet_text

_OF_LINES = ("header", "header_line", "skip_first", "skip_last", "encoding")
"""What is decided about lines, which only texts and sheets have."""


def read_table(
    source: Path | str | bytes | BinaryIO,
    *,
    name: str | None = None,
    max_mb: float = 200,
    max_columns: int = MAX_COLUMNS,
    options: ReadingOptions = ReadingOptions(),  # noqa: B008 - immutable
    **choices: Any,
) -> Table:
    """Read a table from a text file, Parquet, Feather, a workbook, or an SQLite database.

    The format is detected from the content, not from the file name. Files may be gzipped.

    Parameters
    ----------
    source : a path, the content of a file, or an open binary file.
    name : what to call the table; by default the file's name without its ending.
    max_mb : the limit for the file, for what it unpacks to, and for the table as text, in MB.
    max_columns : the limit for the columns.
    options : how it is read, see `ReadingOptions`.
    **choices : single options, in the place of those in `options`: `header`, `header_line`, `skip_first`, `skip_last`,
        `deduplicate_names`, `decimal`, `day_first`, `parse_censored`, `encoding`, `sheet`, `query`, `max_rows`,
        `seconds`.

    Raises
    ------
    DataError
        It cannot be read, is no table, or rows of it seem to be none; the message says what to do. What is beyond the
        limits is a `TableSizeError`.
    MissingPackageError
        A package that reads this format is not installed.
    """
    if choices:
        options = replace(options, **choices)
    table = _read(source, name, max_mb, max_columns, options)
    if options.parse_censored:
        table = without_comparators(table)
    return table


def _read(
    source: Path | str | bytes | BinaryIO,
    name: str | None,
    max_mb: float,
    max_columns: int,
    options: ReadingOptions,
) -> Table:
    if isinstance(source, str):
        source = Path(source)
    limits = AnswerLimits(options.max_rows, max_mb, max_columns, options.seconds)
    called = name or _name_of(source)
    found = format_of_file(source) if isinstance(source, Path) else Format.TEXT
    if isinstance(source, Path) and found is Format.SQLITE:
        return _answer(source, called, options, limits)
    raw: bytes | Path = source if isinstance(source, Path) and found in _ARROW else read_bytes(source, max_mb)
    found = format_of(raw) if isinstance(raw, bytes) else found
    if found is Format.SQLITE:
        return _answer(raw, called, options, limits)
    if options.query is not None:
        raise DataError("A query is asked of a database, and this is none. Leave the query out.")
    if found in _ARROW:
        _refuse_lines(options, found.value)
        table = table_of_arrow(_ARROW[found](raw, max_mb, max_columns), called, options, max_mb)
        _release()
        return table
    assert isinstance(raw, bytes)
    if found is not Format.WORKBOOK:
        if options.sheet is not None:
            raise DataError("A sheet is chosen in a workbook, and this is none. Leave the sheet out.")
        return _read_once(raw, called, options, max_columns)
    if options.encoding is not None:
        raise DataError("A workbook has no character encoding to choose. Leave it out.")
    text, note = sheet_text(raw, options, max_mb)
    table = read_delimited(text.encode(), called, options, max_columns, "an odd cell")
    return replace(table, separator=None, encoding=None, notes=(note, *table.notes))


def _name_of(source: Path | bytes | BinaryIO) -> str:
    """What to call a table from a file: the file's name without its ending."""
    path = source if isinstance(source, Path) else getattr(source, "name", None)
    if not isinstance(path, str | Path):
        return "table"
    path = Path(path)
    return (Path(path.stem) if path.suffix == ".gz" else path).stem or "table"


_READ: WeakValueDictionary[tuple[bytes, str, ReadingOptions, int], Table] = WeakValueDictionary()
"""Tables of text files that somebody still holds, by their content and how they were read."""


def _read_once(raw: bytes, name: str, options: ReadingOptions, max_columns: int) -> Table:
    """The table of a text file; what is still held of the same content is not read again."""
    key = blake2b(raw).digest(), name, options, max_columns
    table = _READ.get(key)
    if table is None:
        table = _READ[key] = read_delimited(raw, name, options, max_columns)
        _release()
    return table


def _release() -> None:
    """Give back to the system what the columns took while they were read, before a matrix is made of them."""
    pa.default_memory_pool().release_unused()
    release_memory()


_ARROW = {Format.PARQUET: read_parquet, Format.FEATHER: read_feather}


def _answer(place: Path | bytes, name: str, options: ReadingOptions, limits: AnswerLimits) -> Table:
    """The table that a database gives."""
    _refuse_lines(options, "a database")
    answer = query_sqlite(place, options.query, limits)
    return table_of_arrow(answer, name, options, limits.max_mb, _words_of(options.query))


def _words_of(query: str | None) -> tuple[str, ...]:
    """What is said of an answer: where no order was asked for, the next one may have another."""
    if query is None or re.search(r"\border\s+by\b", query, re.IGNORECASE):
        return ()
    return ("The rows are those of a query without ORDER BY: when it is asked again, their order may differ.",)


def _refuse_lines(options: ReadingOptions, what: str) -> None:
    """Refuse what was decided about lines where there are none."""
    # the command line says that there is a header unless it is told otherwise
    decided = [one for one in _OF_LINES if (value := getattr(options, one)) is not None and value is not True]
    if options.sheet is not None:
        decided.append("sheet")
    if decided:
        raise DataError(f"What is read is {what}, which has no lines or sheets. Leave out: {', '.join(decided)}.")
