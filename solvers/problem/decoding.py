"""From a file to its text: size limits, gzip, files that are no text at all, and character encodings."""

from __future__ import annotations

import codecs
import os
import re
import zlib
from pathlib import Path
from typing import BinaryIO

from solvers.errors import DataError

_GZIP = b"\x1f\x8b"

_NOT_TEXT: tuple[tuple[bytes, str, str], ...] = (
    (b"PK\x03\x04", "a zip archive", "Unpack it and load the CSV file inside."),
    (b"\xd0\xcf\x11\xe0", "an old Excel file (.xls)", "Open it and save the sheet as CSV."),
    (b"\x89PNG", "a PNG image", "Choose a table saved as CSV."),
    (b"\xff\xd8\xff", "a JPEG image", "Choose a table saved as CSV."),
    (b"GIF8", "a GIF image", "Choose a table saved as CSV."),
    (b"%PDF", "a PDF document", "Choose a table saved as CSV."),
    (b"PAR1", "a Parquet file", "Convert it to CSV first."),
    (b"\x89HDF", "an HDF5 file", "Convert it to CSV first."),
    (b"SQLite format 3", "an SQLite database", "Export the table as CSV."),
    (b"7z\xbc\xaf", "a 7-Zip archive", "Unpack it and load the CSV file inside."),
    (b"BZh", "a bzip2 archive", "Unpack it, or pack it with gzip."),
    (b"\xfd7zXZ", "an xz archive", "Unpack it, or pack it with gzip."),
    (b"$FL2", "an SPSS file", "Export the table as CSV."),
)
"""First bytes of files that people choose by mistake, what they are, and what to do."""

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))

_WEB_PAGE = re.compile(r"\s*<(!doctype\s+html|html)", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
"""Control characters that no table holds; tab, line ends and form feeds are not among them."""


def read_bytes(source: Path | str | bytes | BinaryIO, max_mb: float) -> bytes:
    """The unpacked bytes of a file, a bytes object or an open binary file.

    Parameters
    ----------
    source : a path, the content itself, or something with `read`.
    max_mb : the limit in MB (10^6 bytes), for the file and for what gzip unpacks to.

    Raises
    ------
    DataError
        The file is not there or not readable, larger than the limit, or damaged.
    """
    limit = int(max_mb * 1e6)
    if isinstance(source, bytes | bytearray | memoryview):
        raw = bytes(source)
    elif isinstance(source, str | Path):
        raw = _read_path(Path(source), limit)
    else:
        raw = source.read(limit + 1)
    if len(raw) > limit:
        raise _too_large(f"has more than {max_mb:g} MB", max_mb)
    return _unzip(raw, limit, max_mb) if raw.startswith(_GZIP) else raw


def _read_path(path: Path, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            # Python makes room for all that it is asked to read; what has no size, such as a pipe, is read to the limit
            size = os.fstat(file.fileno()).st_size or limit
            return file.read(min(size, limit) + 1)
    except FileNotFoundError:
        raise DataError(f"There is no file '{path}'. Check the path.") from None
    except IsADirectoryError:
        raise DataError(f"'{path}' is a folder. Choose a file in it.") from None
    except (OSError, ValueError) as error:
        raise DataError(f"The file '{path}' cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def _unzip(raw: bytes, limit: int, max_mb: float) -> bytes:
    """Unpack gzip members one after the other, and stop as soon as the limit is passed."""
    parts: list[bytes] = []
    size = 0
    while raw.startswith(_GZIP):
        unpacker = zlib.decompressobj(wbits=31)
        try:
            part = unpacker.decompress(raw, limit + 1 - size)
        except zlib.error:
            raise DataError("The gzip file is damaged. Pack it again.") from None
        size += len(part)
        if size > limit:
            raise _too_large(f"unpacks to more than {max_mb:g} MB", max_mb)
        if not unpacker.eof:
            raise DataError("The gzip file ends too early: it was not copied completely. Copy or pack it again.")
        parts.append(part)
        raw = unpacker.unused_data
    return b"".join(parts)


def _too_large(what: str, max_mb: float) -> DataError:
    return DataError(f"The file {what}; the limit is {max_mb:g} MB. Leave out columns or rows, or raise the limit.")


def decode(raw: bytes) -> tuple[str, str]:
    """The text of a file and the name of its encoding.

    A byte order mark decides; then UTF-16 by its zero bytes, UTF-8 if it is valid, and at last Windows-1252 or Latin-1.

    Raises
    ------
    DataError
        The file is empty, or it is no text.
    """
    _refuse_known_formats(raw)
    encoding = _encoding(raw)
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise DataError(
            f"The file starts as {encoding.upper()} but cannot be read as such at byte {error.start}. Save it as UTF-8."
        ) from None
    text = text.removeprefix("\ufeff")
    junk = _CONTROL.search(text)
    if junk:
        line = text.count("\n", 0, junk.start()) + 1
        raise DataError(
            f"The file is not plain text: there is a control character (code {ord(junk.group())}) in line {line}. "
            f"Choose a table saved as CSV."
        )
    if _WEB_PAGE.match(text):
        raise DataError("The file is a web page, not a table. Download the CSV file itself.")
    if not text.strip():
        raise DataError("The file is empty. Choose a file with a header line and at least two rows.")
    return text, encoding


def _refuse_known_formats(raw: bytes) -> None:
    for start, what, remedy in _NOT_TEXT:
        if raw.startswith(start):
            if start == b"PK\x03\x04" and (b"xl/" in raw or b"[Content_Types].xml" in raw[:2000]):
                what, remedy = "an Excel file (.xlsx)", "Open it and save the sheet as CSV."
            raise DataError(f"The file is {what}, not a text table. {remedy}")


def _encoding(raw: bytes) -> str:
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return encoding
    head = raw[:4096]
    zeros = len(head) // 4
    if head.count(0) > zeros:
        if head[1::2].count(0) > zeros and not head[0::2].count(0):
            return "utf-16-le"
        if head[0::2].count(0) > zeros and not head[1::2].count(0):
            return "utf-16-be"
    for encoding in ("utf-8", "cp1252"):
        try:
            raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    return "latin-1"
