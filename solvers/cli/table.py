"""The table that a command is about: a file, '-' for standard input, or a database that is asked for it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ..posing import Posed, pose, shared
from ..problem import ReadingOptions, Table, read_table
from ..problem.sources import parse_address
from ..request import Reading, Request
from ..settings import settings


def read(data: str, reading: Reading) -> Table:
    """Read the table that is named on the command line; what is unusual about it goes to stderr.

    Parameters
    ----------
    data : a path, '-', the address of a database, or the name of one that an administrator has listed.
    reading : how it is read.
    """
    source: Any = data if "://" in data else Path(data)
    name = None
    if data == "-":
        source, name = sys.stdin.buffer, "table"
    elif data in (listed := settings().sources) and not Path(data).exists():
        source, name = parse_address(listed[data]), data
    own = {"encoding": reading.file_encoding, "seconds": reading.query_time}
    options = ReadingOptions(**shared(ReadingOptions, reading) | own)
    table = read_table(source, name=name, options=options, max_mb=reading.max_mb)
    for note in table.notes:
        print(note, file=sys.stderr)
    return table


def pose_aloud(request: Request, data: str) -> Posed:
    """Read the table and make the problem; what happened to the table goes to stderr."""
    posed = pose(request, read(data, request))
    for note in posed.notes:
        print(note, file=sys.stderr)
    return posed
