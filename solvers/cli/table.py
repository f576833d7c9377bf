"""The table of a command: a file, or '-' for standard input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ..posing import PreparedProblem, build_problem
from ..problem import Table, read_table
from ..request import ReadingOptions, Request


def read(data: str, reading: ReadingOptions) -> Table:
    """Read the table named on the command line; notes on it go to stderr.

    Parameters
    ----------
    data : a path, or '-' for standard input.
    reading : how it is read.
    """
    source: Any = Path(data)
    name = None
    if data == "-":
        source, name = sys.stdin.buffer, "table"
    options = ReadingOptions(**{field: getattr(reading, field) for field in ReadingOptions.__struct_fields__})
    table = read_table(source, name=name, options=options)
    for note in table.notes:
        print(note, file=sys.stderr)
    return table


def read_problem(request: Request, data: str) -> PreparedProblem:
    """Read the table and make the problem; notes on the table go to stderr."""
    posed = build_problem(request, read(data, request))
    for note in posed.notes:
        print(note, file=sys.stderr)
    return posed
