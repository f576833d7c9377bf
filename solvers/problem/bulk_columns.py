"""The columns of a text file, cut and read in bulk by pyarrow: plain numbers without a look at any cell by itself.

What a column of numbers looks like is told from its bytes, for all cells of many columns at once. A column that is not
spelled so all through is decided on its distinct texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from solvers.platforms import release_memory
from solvers.problem.plain_numbers import SHORTEST, WITH_POINT, Cells, Numbers
from solvers.problem.texts import Texts, respelled

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 1 << 22
"""Bytes that are cut into cells at a time, at least."""
_TOGETHER = 1 << 17
"""Cells that are looked at together, about."""
_LINES = 1024
"""Lines that a block holds at least, since it makes an array of each column; longer ones are cut into parts."""
_MOST_DIGITS = 15
"""Decimals of so many digits are told apart by float64, and their numbers print as they are from 0.0001 on."""
_LEAST = 1e-4
_DIGIT, _MINUS, _POINT, _OTHER = range(4)
_KINDS = np.full(256, _OTHER, np.uint8)
_KINDS[48:58], _KINDS[45], _KINDS[46] = _DIGIT, _MINUS, _POINT


def can_read_in_bulk() -> bool:
    """Whether pyarrow is installed."""
    try:
        import pyarrow.csv  # noqa: F401
    except ImportError:
        return False
    return True


@dataclass
class _Spelling:
    """How the numbers of columns are written, each attribute (n_columns,).

    Attributes
    ----------
    plain : bool, whether all cells are empty or plain numbers of at most 15 digits: no needless zero or plus ahead.
    fewest, most : int64, the numbers of decimals that cells have.
    short : bool, whether no cell has a zero at the end of its decimals.
    pointed : bool, whether all cells have decimals, and zero at their end only as the only one.
    """

    plain: np.ndarray
    fewest: np.ndarray
    most: np.ndarray
    short: np.ndarray
    pointed: np.ndarray

    @staticmethod
    def of(n_columns: int) -> _Spelling:
        """Of columns without cells."""
        whole = np.ones(n_columns, bool)
        fewest, most = np.full(n_columns, _MOST_DIGITS), np.zeros(n_columns, np.int64)
        return _Spelling(whole.copy(), fewest, most, whole.copy(), whole.copy())

    def add(self, columns: np.ndarray, other: _Spelling) -> None:
        """Take into account more cells of some columns."""
        for name, joined in (("fewest", np.minimum), ("most", np.maximum)):
            getattr(self, name)[columns] = joined(getattr(self, name)[columns], getattr(other, name))
        for name in ("plain", "short", "pointed"):
            getattr(self, name)[columns] &= getattr(other, name)

    def word(self, j: int) -> str | None:
        """The spelling of a column, of those of `Numbers`; `None` where it has none of them all through."""
        if not self.plain[j]:
            return None
        if self.most[j] <= self.fewest[j]:
            return f".{self.most[j]}f"
        return SHORTEST if self.short[j] else WITH_POINT if self.pointed[j] else None


def columns_in(
    content: bytes, separator: str, longest: int, n_rows: int, n_columns: int, has_header: bool
) -> list[Cells]:
    """The columns below the header.

    Parameters
    ----------
    content : UTF-8, lines of equally many fields that end with a line feed, none of them empty; a quote opens or closes
        a whole field.
    separator : what stands between fields, one sign.
    longest : the bytes of the longest line.
    n_rows, n_columns : the size of the table, without the header.
    has_header : whether a first line is left out.
    """
    values = np.empty((n_columns, n_rows))
    cells: list[Cells] = []
    # what stands for a cell while it is read takes many times the memory of its number
    n_parts = max(min(longest * _LINES // _BLOCK, n_columns // 2), 1)
    parts = np.array_split(values, n_parts)
    for own, lines in zip(parts, _cut(content, separator, [len(own) for own in parts]), strict=True):
        cells += _some_columns(lines, separator, longest, has_header, own)
        release()
    return cells


def release() -> None:
    """Give back to the system what pyarrow and the C library keep of the memory that nothing needs any more."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()
    release_memory()


def _cut(content: bytes, separator: str, widths: list[int]) -> Iterator[bytes]:
    """The lines of a text, cut into parts of so many fields."""
    if len(widths) == 1:
        yield content
        return
    last = np.cumsum(widths)[:-1] - 1
    cuts: list[list[int]] = []
    begin = 0
    while begin < len(content):
        # the last line may have no end
        end = content.find(b"\n", begin) % (len(content) + 1)
        line = np.frombuffer(content, np.uint8, end - begin, begin)
        places, quotes = (np.flatnonzero(line == ord(sign)) for sign in (separator, '"'))
        places = places[np.searchsorted(quotes, places) % 2 == 0]
        cuts.append([begin, *(begin + 1 + places[last]).tolist(), end + 1])
        begin = end + 1
    for k in range(len(widths)):
        yield b"\n".join([content[cut[k] : cut[k + 1] - 1] for cut in cuts])


def _some_columns(content: bytes, separator: str, longest: int, has_header: bool, values: np.ndarray) -> list[Cells]:
    """The columns of a text, whose numbers are put into `values`, float64 (n_columns, n_rows)."""
    import pyarrow as pa

    batches = partial(_batches, content, separator, longest, len(values), has_header)
    spelling = _Spelling.of(len(values))
    texts: dict[int, list[Any]] = {}
    start = 0
    for batch in batches(range(len(values))):
        rows = slice(start, start + batch.num_rows)
        left = np.flatnonzero(spelling.plain)
        for part in np.array_split(left, min(-(-len(left) * batch.num_rows // _TOGETHER), len(left)) or 1):
            if len(part):
                spelling.add(part, _numbers([batch.column(int(j)) for j in part], values, part, rows))
        for j in np.flatnonzero(~spelling.plain).tolist():
            if not start or j in texts:
                texts.setdefault(j, []).append(batch.column(j).dictionary_encode())
        start = rows.stop
    words = [spelling.word(j) for j in range(len(values))]
    again = [j for j, word in enumerate(words) if word is None and j not in texts]
    if again:
        for batch in batches(again):
            for j, column in zip(again, batch.columns, strict=True):
                texts.setdefault(j, []).append(column.dictionary_encode())
    return [
        Numbers(values[j], word) if word is not None else distinct_cells(pa.chunked_array(texts.pop(j)))
        for j, word in enumerate(words)
    ]


def _batches(
    content: bytes, separator: str, longest: int, n_columns: int, has_header: bool, wanted: Sequence[int]
) -> Any:
    """Some columns as texts, a block of lines at a time."""
    import pyarrow as pa
    from pyarrow import csv

    names = [str(j) for j in range(n_columns)]
    line = content.find(b"\n") + 1
    return csv.open_csv(
        pa.BufferReader(content),
        csv.ReadOptions(
            use_threads=False,
            block_size=max(min(max(_BLOCK, _LINES * line), len(content) + 1), longest + 2),
            column_names=names,
            skip_rows=int(has_header),
        ),
        csv.ParseOptions(delimiter=separator, quote_char='"', newlines_in_values=False, ignore_empty_lines=False),
        csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            include_columns=[names[j] for j in wanted],
            strings_can_be_null=False,
            check_utf8=False,
        ),
    )


def _numbers(columns: list[Any], values: np.ndarray, places: np.ndarray, rows: slice) -> _Spelling:
    """Put the numbers of columns of texts in their places in `values`, and tell how they are spelled."""
    import pyarrow as pa

    n_columns, n_rows = len(columns), rows.stop - rows.start
    cells = columns[0] if n_columns == 1 else pa.concat_arrays(columns)
    found = _spelling_of(cells, n_columns)
    good = np.flatnonzero(found.plain)
    if len(good):
        cells = cells if len(good) == n_columns else pa.concat_arrays([columns[j] for j in good])
        number = _parsed(cells).reshape(len(good), n_rows)
        size = np.abs(number)
        # 0.00001 prints as 1e-05
        tiny = (size < _LEAST).any(axis=1)
        if tiny.any():
            small = ((size < _LEAST) & (size > 0)).any(axis=1)
            found.short[good] &= ~small
            found.pointed[good] &= ~small
            found.plain[good] &= ~((number == 0) & np.signbit(number)).any(axis=1)
        whole = len(good) == len(values)
        if whole:
            values[:, rows] = number
        else:
            values[places[good], rows] = number
    return found


def _parsed(cells: Any) -> np.ndarray:
    """Plain numbers as the nearest float64, NaN for empty texts."""
    import pyarrow as pa

    offsets, data = _bytes_of(cells)
    filled = np.diff(offsets) > 0
    if not filled.all():
        known = pa.py_buffer(np.packbits(filled, bitorder="little"))
        cells = pa.Array.from_buffers(cells.type, len(cells), [known, pa.py_buffer(offsets), pa.py_buffer(data)])
    number: np.ndarray = cells.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return number


def _bytes_of(cells: Any) -> tuple[np.ndarray, np.ndarray]:
    """Where each text of an array begins, and the last one ends, and the bytes of all texts."""
    _, offsets, data = cells.buffers()
    kind = np.int32 if str(cells.type) == "string" else np.int64
    begins = np.frombuffer(offsets, kind)[cells.offset : cells.offset + len(cells) + 1]
    return begins, np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)


def _spelling_of(cells: Any, n_columns: int) -> _Spelling:
    """How the texts of columns of equal length, one after the other, are spelled."""
    offsets, data = _bytes_of(cells)
    first, last = int(offsets[0]), int(offsets[-1])
    # a byte behind the end, so that there is one at every place that is looked at
    data = np.append(data[first:last], np.uint8(0))
    begin, end = offsets[:-1] - first, offsets[1:] - first
    kind = _KINDS[data]
    kind[-1] = _DIGIT
    filled = end > begin
    at_minus = filled & (kind[begin] == _MINUS)
    # the number of points in a cell, and where the only one is
    points = np.flatnonzero(kind == _POINT)
    before = np.zeros(len(data) + 1, np.int32)
    np.cumsum(kind == _POINT, out=before[1:])
    n_points = before[end] - before[begin]
    has_point = n_points == 1
    point = end.copy()
    if len(points):
        point[has_point] = points[before[begin[has_point]]]
    digit = begin + at_minus
    n_whole = point - digit
    decimals = np.where(has_point, end - 1 - point, 0)
    good = (n_points <= 1) & (n_whole >= 1) & (n_whole + decimals <= _MOST_DIGITS) & (has_point <= (decimals > 0))
    good &= (data[digit] != 48) | (n_whole == 1)
    good |= ~filled
    plain = good.reshape(n_columns, -1).all(axis=1)
    odd = np.flatnonzero(kind == _OTHER)
    minus = np.flatnonzero(kind == _MINUS)
    if len(minus) > at_minus.sum():
        odd = np.concatenate([odd, np.setdiff1d(minus, begin[at_minus])])
    if len(odd):
        ends = end.reshape(n_columns, -1)[:, -1]
        plain[np.searchsorted(ends, odd, "right")] = False
    zero = has_point & (data[end - 1] == 48)
    shape = (n_columns, -1)
    most = np.where(filled, decimals, 0).reshape(shape).max(axis=1)
    fewest = np.where(filled, decimals, _MOST_DIGITS).reshape(shape).min(axis=1)
    short = ~zero.reshape(shape).any(axis=1)
    pointed = ~((filled & ~has_point) | (zero & (decimals > 1))).reshape(shape).any(axis=1)
    return _Spelling(plain, fewest.astype(np.int64), most.astype(np.int64), short, pointed)


def distinct_cells(column: pa.ChunkedArray) -> Cells:
    """A column whose texts are held once each: numbers, where all but one mark for missing values are plain ones."""
    column = column.unify_dictionaries()
    code = np.concatenate([chunk.indices.to_numpy() for chunk in column.chunks] or [np.zeros(0, np.int32)])
    texts = respelled(code, [text.strip() for text in column.chunk(0).dictionary.to_pylist()] if len(code) else [])
    return numbers_among(texts) or texts


def numbers_among(texts: Texts) -> Numbers | None:
    """The numbers of a column of texts; `None` where it does not hold plain numbers all through.

    Missing values are allowed where all are marked by the same text.
    """
    import pyarrow as pa

    if not texts.text or sum(texts.missing) > 1 or len(texts.text) == 1:
        return None
    marks = np.flatnonzero(texts.missing).tolist()
    mark = texts.text[marks[0]] if marks else ""
    cells = pa.array(["" if i in marks else text for i, text in enumerate(texts.text)], pa.string())
    value = np.empty((1, len(cells)))
    found = _numbers([cells], value, np.zeros(1, np.int64), slice(0, len(cells)))
    word = found.word(0)
    return None if word is None else Numbers(value[0][texts.code], word, mark)
