"""The entry point for all sources: `read_table` detects the format and calls its reader."""

from __future__ import annotations

import dataclasses
import re
from enum import Enum
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
from msgspec.structs import replace

from ...errors import DataError
from ...platforms import release_memory
from ...request import ReadingOptions
from ..number_spellings import without_comparators
from ..tables import Table
from .arrow_tables import read_feather, read_parquet, table_of_arrow
from .delimited import MAX_COLUMNS, read_delimited
from .file_text import read_bytes
from .sqlite_files import query_sqlite
from .workbook import sheet_text

HEAD = 4096
"""The bytes from which the format of a file is detected; the file name is not used."""


class Format(Enum):
    """The file formats of tables."""

    TEXT = "a text file"
    PARQUET = "a Parquet file"
    FEATHER = "a Feather file"
    WORKBOOK = "a workbook"
    SQLITE = "an SQLite database"


_STARTS = (
    (b"PAR1", Format.PARQUET),
    (b"ARROW1", Format.FEATHER),
    (b"\xd0\xcf\x11\xe0", Format.WORKBOOK),
    (b"SQLite format 3\x00", Format.SQLITE),
)
_IN_WORKBOOKS = (b"xl/", b"[Content_Types].xml", b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet")

_LINES = ("header", "header_line", "skip_first", "skip_last")
_OPTIONS = {
    Format.TEXT: (*_LINES, "encoding"),
    Format.WORKBOOK: (*_LINES, "sheet"),
    Format.SQLITE: ("query",),
}
"""The options that only some formats use."""


def read_table(
    source: Path | str | bytes | BinaryIO,
    *,
    name: str | None = None,
    max_columns: int = MAX_COLUMNS,
    options: ReadingOptions = ReadingOptions(),  # noqa: B008 - immutable
    **choices: Any,
) -> Table:
    """Read a table from a text file, Parquet, Feather, a workbook, or an SQLite database.

    The format is detected from the content, not from the file name. Files may be gzipped.

    Parameters
    ----------
    source : a path, the content of a file, or an open binary file.
    name : the name of the table; by default the file's name without its extension.
    max_columns : the limit for the columns.
    options : the reading options, see `ReadingOptions`.
    **choices : single fields of `ReadingOptions`, in place of those in `options`, such as `header=True`.

    Raises
    ------
    DataError
        The file cannot be read, is no table, or some of its rows do not seem to be data; the message says what to do.
        Beyond the limits it is a `TableSizeError`.
    MissingPackageError
        A package that reads this format is not installed.
    """
    if choices:
        options = replace(options, **choices)
    if isinstance(source, str):
        source = Path(source)
    table = _read(source, name or _name_of(source), max_columns, options)
    return without_comparators(table) if options.parse_censored else table


def _read(source: Path | bytes | BinaryIO, name: str, max_columns: int, options: ReadingOptions) -> Table:
    found = format_of_file(source) if isinstance(source, Path) else Format.TEXT
    raw: bytes | Path
    if isinstance(source, Path) and found in (*_ARROW, Format.SQLITE):
        raw = source
    else:
        raw = read_bytes(source, options.max_mb)
        found = format_of(raw)
    _refuse_other_options(options, found)
    if found is Format.SQLITE:
        return table_of_arrow(query_sqlite(raw, options, max_columns), name, options, _words_of(options.query))
    if found in _ARROW:
        table = table_of_arrow(_ARROW[found](raw, options.max_mb, max_columns), name, options)
        _release()
        return table
    assert isinstance(raw, bytes)
    if found is Format.TEXT:
        table = read_delimited(raw, name, options, max_columns)
        _release()
        return table
    text, note = sheet_text(raw, options)
    table = read_delimited(text.encode(), name, options, max_columns)
    return dataclasses.replace(table, separator=None, encoding=None, notes=(note, *table.notes))


def format_of(head: bytes) -> Format:
    """The format of a file by its first bytes; unknown formats count as text, whose reader rejects them."""
    for start, found in _STARTS:
        if head.startswith(start):
            return found
    if head.startswith(b"PK\x03\x04") and any(mark in head[:HEAD] for mark in _IN_WORKBOOKS):
        return Format.WORKBOOK
    return Format.TEXT


def format_of_file(path: Path) -> Format:
    """The format of a file; a file that cannot be opened counts as text, whose reader reports the error."""
    try:
        # a pipe can be read only once, by the reader of texts
        if not path.is_file():
            return Format.TEXT
        with path.open("rb") as file:
            return format_of(file.read(HEAD))
    except OSError:
        return Format.TEXT


def _name_of(source: Path | bytes | BinaryIO) -> str:
    """The default name of a table from a file: the file's name without its extension."""
    path = source if isinstance(source, Path) else getattr(source, "name", None)
    if not isinstance(path, str | Path):
        return "table"
    path = Path(path)
    return (Path(path.stem) if path.suffix == ".gz" else path).stem or "table"


def _release() -> None:
    """Return the memory used for reading to the system before a matrix is made."""
    pa.default_memory_pool().release_unused()
    release_memory()


_ARROW = {Format.PARQUET: read_parquet, Format.FEATHER: read_feather}


def _words_of(query: str | None) -> tuple[str, ...]:
    """A note on a query without ORDER BY, whose rows may come in another order next time."""
    if query is None or re.search(r"\border\s+by\b", query, re.IGNORECASE):
        return ()
    return ("The query has no ORDER BY, so the order of the rows may differ when the query runs again.",)


def _refuse_other_options(options: ReadingOptions, found: Format) -> None:
    """Reject options that the format does not use."""
    every = dict.fromkeys(name for names in _OPTIONS.values() for name in names)
    given = [name for name in every if getattr(options, name) is not None and name not in _OPTIONS.get(found, ())]
    if given:
        names = ", ".join(given)
        raise DataError(f"The source is {found.value}, which has no use for these options: {names}. Leave them out.")
