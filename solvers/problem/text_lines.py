"""The lines of a text file: where they end, how many fields each has, and the columns that they make.

Lines are counted and cut in bulk where each quote opens or closes a whole field; other files go line by line.
"""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from solvers.errors import DataError
from solvers.problem.bulk_columns import can_read_in_bulk, columns_in
from solvers.problem.plain_numbers import Cells
from solvers.problem.texts import distinct_texts

BLANKS = " "
"""The separator 'runs of blanks'."""

_BLOCK = 1 << 22
"""Bytes in which line ends and separators are looked for at a time: their positions take many times the memory."""
_NEW_LINE, _QUOTE = 10, 34
_EMPTY_LINES = re.compile(rb"(?m)^[ \t]*(?:\n|\Z)")
_EMPTY_TABBED_LINES = re.compile(rb"(?m)^ *(?:\n|\Z)")


@dataclass(frozen=True)
class Lines:
    """The lines of a file that are not empty.

    Attributes
    ----------
    content : the text as UTF-8.
    separator : what stands between fields.
    widths : int64 (n_lines,), the number of fields of each.
    longest : the bytes of the longest line where the lines can be cut in bulk, and `content` has no empty ones;
        otherwise `None`.
    """

    content: bytes
    separator: str
    widths: np.ndarray
    longest: int | None = None

    def columns(self, has_header: bool) -> tuple[list[str] | None, list[Cells]]:
        """The fields of the header, if there is one, and the cells below it by column.

        Raises `DataError` where a quote is never closed.
        """
        n_rows, n_columns = len(self.widths) - has_header, int(self.widths[0])
        if self.longest is not None and can_read_in_bulk():
            first = next(rows(self.content[: (self.content.find(b"\n") + 1) or None], self.separator))
            cells = columns_in(self.content, self.separator, self.longest, n_rows, n_columns, has_header)
            return first if has_header else None, cells
        try:
            table = pd.read_csv(
                io.BytesIO(self.content),
                sep=r"\s+" if self.separator == BLANKS else self.separator,
                header=None,
                dtype=str,
                na_filter=False,
                skipinitialspace=True,
            )
        except pd.errors.ParserError as error:
            raise DataError(f"The table cannot be read: {error}. Look for a quote that is never closed.") from None
        first, body = [str(cell) for cell in table.iloc[0]], table.iloc[int(has_header) :]
        return first if has_header else None, [distinct_texts(body[name]) for name in body.columns]


def lines_of(content: bytes, separator: str) -> Lines:
    """Find the lines of a text, and count their fields.

    Raises `DataError` where a quote is never closed.
    """
    quoted = b'"' in content
    if separator != BLANKS:
        bare = _without_empty_lines(content, separator)
        odd = quoted and (_has_lone_quotes(bare) or (separator != "\t" and b"\t" in content))
        found = None if odd else _widths(bare, separator, quoted)
        if found is not None:
            return Lines(bare, separator, *found)
    elif not quoted:
        content = _without_empty_lines(content, separator)
    return Lines(content, separator, np.fromiter(map(len, rows(content, separator)), np.int64))


def rows(content: bytes, separator: str) -> Iterator[list[str]]:
    """The fields of each line that is not empty; slower than in bulk, but it says where a line goes wrong.

    The content is UTF-8: a text in memory would be copied whole to be read line by line, at four bytes a character.
    """
    lines = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="")
    if separator == BLANKS and b'"' not in content:
        yield from (fields for line in lines if (fields := line.split()))
        return
    reader = csv.reader(
        (line.strip(" \t\r\n").replace("\t", " ") for line in lines) if separator == BLANKS else lines,
        delimiter=separator,
        skipinitialspace=True,
    )
    try:
        yield from (fields for fields in reader if fields and fields != [""])
    except csv.Error as error:
        raise DataError(
            f"Line {reader.line_num} of the file cannot be read ({error}). Look for a quote that is never closed."
        ) from None


def _without_empty_lines(content: bytes, separator: str) -> bytes:
    """The text with line feeds between its lines, none of them empty or of blanks only."""
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    ends = (b" ", b"\n") if separator == "\t" else (b" ", b"\t", b"\n")
    last = content[content.rfind(b"\n") + 1 :]
    lone = content.startswith(b"\n") or (last and not last.strip(b"".join(ends)))
    if lone or any(end + b"\n" in content for end in ends):
        content = (_EMPTY_TABBED_LINES if separator == "\t" else _EMPTY_LINES).sub(b"", content)
    return content


def _has_lone_quotes(content: bytes) -> bool:
    """Whether a line is an empty field in quotes, which counts as empty to a reader that knows quotes."""
    return content.startswith(b'""\n') or b'\n""\n' in content or content.endswith(b'\n""') or content == b'""'


def _widths(content: bytes, separator: str, quoted: bool) -> tuple[np.ndarray, int] | None:
    """The number of fields of each line, and the bytes of the longest; `None` where a quote is not at a field's end."""
    all_bytes = np.frombuffer(content, np.uint8)
    mark = ord(separator)
    counts = []
    start = longest = 0
    while start < len(content):
        end = content.find(b"\n", start + _BLOCK) + 1 or len(content)
        block = all_bytes[start:end]
        separators, ends = np.flatnonzero(block == mark), np.flatnonzero(block == _NEW_LINE)
        if end == len(content) and block[-1] != _NEW_LINE:
            ends = np.append(ends, len(block))
        if quoted:
            quotes = np.flatnonzero(block == _QUOTE)
            if not _are_whole_fields(block, quotes, ends, mark):
                return None
            separators = separators[np.searchsorted(quotes, separators) % 2 == 0]
        longest = max(longest, int(np.diff(ends, prepend=-1).max()))
        counts.append(np.diff(np.searchsorted(separators, ends), prepend=0) + 1)
        start = end
    return np.concatenate(counts) if counts else np.zeros(0, np.int64), longest


def _are_whole_fields(block: np.ndarray, quotes: np.ndarray, ends: np.ndarray, mark: int) -> bool:
    """Whether quotes come in pairs, each around a whole field of one line."""
    if len(quotes) % 2:
        return False
    first, last = quotes[::2], quotes[1::2]
    before = block[np.maximum(first - 1, 0)]
    after = block[np.minimum(last + 1, len(block) - 1)]
    opens = (first == 0) | (before == mark) | (before == _NEW_LINE)
    closes = (last == len(block) - 1) | (after == mark) | (after == _NEW_LINE)
    same_line = np.searchsorted(ends, first) == np.searchsorted(ends, last)
    return bool((opens & closes & same_line).all())
