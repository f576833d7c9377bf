"""From a file to its text: size limits, gzip, detection of non-text files, and character encodings."""

import codecs
import contextlib
import gzip
import io
import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from ...errors import DataError, EspalierError, TableSizeError
from ..texts import reason

GZIP = b"\x1f\x8b"
_BLOCK = 1 << 20
"""The bytes to unpack at a time."""
_MOST_UNPACKED = 8
"""How many times the size limit the unpacked columns of a table may take."""

_NOT_TEXT: tuple[tuple[bytes, str, str], ...] = (
    (b"PK\x03\x04", "a zip archive", "Unpack it and load the file inside."),
    (b"\x89PNG", "a PNG image", "Choose a table saved as CSV."),
    (b"\xff\xd8\xff", "a JPEG image", "Choose a table saved as CSV."),
    (b"GIF8", "a GIF image", "Choose a table saved as CSV."),
    (b"%PDF", "a PDF document", "Choose a table saved as CSV."),
    (b"\x89HDF", "an HDF5 file", "Convert it to CSV first."),
    (b"7z\xbc\xaf", "a 7-Zip archive", "Unpack it and load the file inside."),
    (b"BZh", "a bzip2 archive", "Unpack it, or pack it with gzip."),
    (b"\xfd7zXZ", "an xz archive", "Unpack it, or pack it with gzip."),
    (b"$FL2", "an SPSS file", "Export the table as CSV."),
)
"""First bytes of file types chosen by mistake, their description, and what to do."""

ENCODINGS = (
    *("utf-8", "utf-16", "cp1252", "latin-1", "iso-8859-15", "mac-roman", "cp1250", "iso-8859-2", "cp1251", "koi8-r"),
    *("cp1253", "cp1254", "cp1255", "cp1256", "shift_jis", "euc-jp", "gb18030", "big5", "euc-kr"),
)
"""The supported character encodings; the first four are also detected."""

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))

_UTF_8_LETTER = re.compile(
    # at the end of a word, Windows-1252 also has a capital or sharp s followed by a quote, dash, dot or blank
    rb"[\xc2\xc3][\x80-\xbf]|[\xc4-\xdf](?![\x85\x91-\x97\x99\xa0\xab\xb0\xbb])[\x80-\xbf]"
    rb"|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}"
)
"""Bytes that are a letter in UTF-8 and are hardly ever adjacent in Windows-1252 text."""

_NOT_WINDOWS = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
"""Bytes that are undefined in Windows-1252."""

_WEB_PAGE = re.compile(r"\s*<(!doctype\s+html|html)", re.IGNORECASE)
_NO_CONTROL = bytes(code for code in range(256) if not (code <= 8 or 14 <= code <= 27 or code == 127))
"""All bytes but the control characters that no table has; tabs, line ends and form feeds are permitted."""


def read_bytes(source: Path | str | bytes | BinaryIO, max_mb: float) -> bytes:
    """The unpacked bytes of a file, a bytes object or an open binary file.

    Raises `DataError` if the file is absent or not readable, larger than the limit, or damaged, or if the limit is out
    of range.

    Parameters
    ----------
    source : a path, the content itself, or an object with `read`.
    max_mb : the limit in MB (10^6 bytes), for the file and for its unpacked content.
    """
    if not 0 < max_mb <= 1e6:
        raise DataError(f"The limit for a file must be more than 0 and at most 1,000,000 MB, but is {max_mb:g}.")
    limit = int(max_mb * 1e6)
    if isinstance(source, bytes | bytearray | memoryview):
        raw = bytes(source)
    elif isinstance(source, str | Path):
        raw = _read_path(Path(source), limit)
    else:
        raw = source.read(limit + 1)
    if len(raw) > limit:
        raise too_large(f"The file has more than {max_mb:g} MB", max_mb)
    return _unzip(raw, limit, max_mb) if raw.startswith(GZIP) else raw


def _read_path(path: Path, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            # Python allocates all that a read asks for; a source without size, such as a pipe, is read up to the limit
            size = os.fstat(file.fileno()).st_size or limit
            return file.read(min(size, limit) + 1)
    except FileNotFoundError:
        raise DataError(f"There is no file '{path}'. Check the path.") from None
    except IsADirectoryError:
        raise DataError(f"'{path}' is a folder. Choose a file in it.") from None
    except (OSError, ValueError) as error:
        raise DataError(f"The file '{path}' cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def _unzip(raw: bytes, limit: int, max_mb: float) -> bytes:
    """Unpack a gzip file, and stop once the limit is exceeded."""
    parts: list[bytes] = []
    size = 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            while part := file.read(_BLOCK):
                size += len(part)
                if size > limit:
                    raise too_large(f"The file unpacks to more than {max_mb:g} MB", max_mb)
                parts.append(part)
    except EOFError:
        raise DataError("The gzip file ends too early: it was not copied completely. Copy or pack it again.") from None
    except (OSError, zlib.error):
        raise DataError("The gzip file is damaged. Pack it again.") from None
    return b"".join(parts)


@contextlib.contextmanager
def reading(kind: str, remedy: str = "Write it again") -> Iterator[None]:
    """Convert whatever the reader of a kind of file raises to `DataError`; panics are not Exceptions."""
    try:
        yield
    except (EspalierError, MemoryError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        raise DataError(
            f"The file cannot be read as {kind} ({reason(error)}). {remedy}, or save the table as CSV."
        ) from None


def too_large(what: str, max_mb: float, remedy: str = "Leave out columns or rows") -> TableSizeError:
    """The error for a source beyond the limit in MB; `what` says what is too large, such as 'The file has ...'."""
    return TableSizeError(
        f"{what}; the limit is {max_mb:g} MB. {remedy}, or raise the limit (max_mb in Python, --max-mb on the command "
        f"line)."
    )


def check_size(
    what: str, n_rows: int, n_columns: int, max_mb: float, size: int = 0, remedy: str = "Leave out columns or rows"
) -> None:
    """Reject a table that would be too large as a text file with the shortest cells, or unpacks to too many bytes.

    `what` begins the message, such as 'The table has'; `size` is the number of bytes, if known.
    """
    # a cell has at least one byte of content and one for the separator
    if n_rows * n_columns * 2 > max_mb * 1e6:
        raise too_large(f"{what} {n_rows:,} rows and {n_columns:,} columns, too much as text", max_mb, remedy)
    if size > _MOST_UNPACKED * max_mb * 1e6:
        most = f"{_MOST_UNPACKED * max_mb:g} MB, {_MOST_UNPACKED} times the limit"
        raise too_large(f"The table unpacks to more than {most}", max_mb)


def check_columns(what: str, n_columns: int, most: int, remedy: str = "") -> None:
    """Reject a table with too many columns; `what` says where they are, such as 'The first line'."""
    if n_columns > most:
        raise TableSizeError(
            f"A table must have at most {most:,} columns. {what} has {n_columns:,}. Leave columns out, for instance "
            f"those that hardly vary.{remedy}"
        )


def as_utf_8(raw: bytes, encoding: str | None = None) -> tuple[bytes, str]:
    """The text of a file as UTF-8, without a byte order mark, and the name of its encoding.

    A byte order mark decides; then UTF-16 is detected by its zero bytes, UTF-8 by its validity; the rest is
    Windows-1252 or Latin-1. Raises `DataError` if the file is empty, is no text, mixes UTF-8 with another encoding, or
    is invalid in its encoding.

    Parameters
    ----------
    raw : the content of the file.
    encoding : one of `ENCODINGS`; by default it is detected.
    """
    if encoding is not None and encoding not in ENCODINGS:
        raise DataError(f"The encoding must be one of {', '.join(ENCODINGS)}, but is '{encoding}'.")
    for start, what, remedy in _NOT_TEXT:
        if raw.startswith(start):
            raise DataError(f"The file is {what}, not a text table. {remedy}")
    encoding = encoding or _encoding(raw)
    content = raw
    if not (encoding in ("utf-8", "utf-8-sig") and _is_utf_8(raw)):
        try:
            content = raw.decode(encoding).encode()
        except UnicodeDecodeError as error:
            place = f"see byte {error.start + 1}" if encoding.startswith("utf-16") else _place(raw, error.start)
            raise DataError(
                f"The file starts as {encoding.upper()} but cannot be decoded: {place}. Save it as UTF-8, or choose "
                f"the encoding with which the file was saved."
            ) from None
    elif encoding == "utf-8-sig":
        content = content.removeprefix(codecs.BOM_UTF8)
    content = content.removeprefix(codecs.BOM_UTF8)
    junk = content.translate(None, _NO_CONTROL)
    if junk:
        line = content.count(b"\n", 0, content.index(junk[:1])) + 1
        raise DataError(
            f"The file is not plain text: there is a control character (code {junk[0]}) in line {line}. "
            f"Choose a table saved as CSV."
        )
    head = content[:_BLOCK].decode(errors="ignore")
    if _WEB_PAGE.match(head):
        raise DataError("The file is a web page, not a table. Download the CSV file itself.")
    if re.match(r"\s*(\{\s*\"|\[\s*[\[{])", head):
        raise DataError("The file is JSON, not a table. Export it as CSV, Excel or Parquet.")
    if not head.strip() and not content.decode().strip():
        raise DataError("The file is empty. Choose a file with a header line and at least two rows.")
    return content, encoding


def _is_utf_8(raw: bytes) -> bool:
    """Whether the bytes are UTF-8; checked in place, as a decoded text may take four times the memory."""
    offsets = pa.py_buffer(np.array([0, len(raw)], np.int64))
    try:
        pa.Array.from_buffers(pa.large_string(), 1, [None, offsets, pa.py_buffer(raw)]).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


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
    if _is_utf_8(raw):
        return "utf-8"
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        _refuse_mixture(raw, error.start)
    return "latin-1" if _NOT_WINDOWS.search(raw) else "cp1252"


def _refuse_mixture(raw: bytes, odd: int) -> None:
    """Reject a file that is UTF-8 in one place and not in another: in any single encoding, some texts would be wrong.

    The whole is not UTF-8, and `odd` is the position of the first invalid byte.
    """
    letter = _UTF_8_LETTER.search(raw)
    if letter:
        here = f"line {_line(raw, letter.start())} has the UTF-8 letter '{letter.group().decode()}'"
        raise DataError(
            f"The file mixes two encodings: {here} ({_hex(letter.group())}), but {_place(raw, odd)}, which is not "
            f"UTF-8. Save the file as UTF-8, or choose one encoding for all of it, such as cp1252 (--file-encoding on "
            f"the command line), and check accented letters.",
            choices=[{"encoding": name} for name in ("cp1252", "latin-1")],
        )


def _place(raw: bytes, position: int) -> str:
    """The undecodable byte at a position of a file, in words."""
    before = re.split(rb"[^ -~]", raw[max(position - 20, 0) : position])[-1].decode()
    after = f" after '{before}'" if before else ""
    return f"line {_line(raw, position)} has the byte {_hex(raw[position : position + 1])}{after}"


def _line(raw: bytes, position: int) -> int:
    """The line number of a position, counted from 1; lines end with LF, CR or both."""
    text = raw[:position].replace(b"\r\n", b"\n")
    return 1 + text.count(b"\n") + text.count(b"\r")


def _hex(part: bytes) -> str:
    return part.hex(" ").upper()
