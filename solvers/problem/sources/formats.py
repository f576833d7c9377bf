"""Which kind of file somebody has chosen, by its first bytes and never by its name."""

from enum import Enum
from pathlib import Path

HEAD = 4096
"""The bytes from which a format is recognised."""


class Format(Enum):
    """What a table may be kept in."""

    TEXT = "text"
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


def format_of(head: bytes) -> Format:
    """The format of a file by its first bytes; what is no table at all counts as text, whose reader refuses it."""
    for start, found in _STARTS:
        if head.startswith(start):
            return found
    if head.startswith(b"PK\x03\x04") and any(mark in head[:HEAD] for mark in _IN_WORKBOOKS):
        return Format.WORKBOOK
    return Format.TEXT


def format_of_file(path: Path) -> Format:
    """The format of a file; one that cannot be opened counts as text, whose reader says why it cannot be read."""
    try:
        # a pipe is read once, by the reader of texts
        if not path.is_file():
            return Format.TEXT
        with path.open("rb") as file:
            return format_of(file.read(HEAD))
    except OSError:
        return Format.TEXT
