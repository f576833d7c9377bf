"""The table that a command is about: a file, '-' for standard input, or a database that is asked for it."""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

from solvers.errors import DataError
from solvers.problem import DataDictionary, ReadingOptions, Table, read_dictionary, read_table
from solvers.problem.file_text import read_bytes
from solvers.problem.sources import parse_address
from solvers.settings import settings

STANDARD_INPUT = "-"

_CALLED = {"encoding": "file_encoding", "seconds": "query_time"}
"""What fields of `ReadingOptions` are called on the command line, where that is another name."""


def read(data: Path | str, options: ReadingOptions, max_mb: float, dictionary: DataDictionary | None = None) -> Table:
    """Read the table that stands on the command line; what is unusual about it goes to stderr.

    Parameters
    ----------
    data : a path, '-', the address of a database, or the name of one that an administrator has listed.
    options, max_mb, dictionary : see `read_table`.
    """
    source: Any = data
    name = None
    if str(data) == STANDARD_INPUT:
        source, name = sys.stdin.buffer, "table"
    elif str(data) in (listed := settings().sources) and not Path(data).exists():
        source, name = parse_address(listed[str(data)]), str(data)
    table = read_table(source, name=name, options=options, max_mb=max_mb, dictionary=dictionary)
    for note in table.notes:
        print(note, file=sys.stderr)
    return table


def reading_options(source: Any) -> ReadingOptions:
    """How a table is to be read, of parsed options or of a request that has fields of the same names."""
    named = {one.name: getattr(source, _CALLED.get(one.name, one.name)) for one in fields(ReadingOptions)}
    return ReadingOptions(**named | {"query": query_of(source.query)})


def query_of(text: str | None) -> str | None:
    """A query in a text of SQL, or in the file of this name."""
    try:
        return text if text is None or not Path(text).is_file() else Path(text).read_text("utf-8")
    except (OSError, ValueError):
        # too long for the name of a file
        return text


def dictionary_at(path: Path | None) -> DataDictionary | None:
    """The REDCap data dictionary in a file."""
    if path is None:
        return None
    if str(path) == STANDARD_INPUT:
        raise DataError("The data dictionary must be a file; standard input is for the table.")
    return read_dictionary(read_bytes(path, 200))
