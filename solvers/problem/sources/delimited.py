"""A text file as a table: separator, header, omitted lines, and cells, which pyarrow reads.

Python's csv module parses the first lines to find the separator, the names and the first row. Syntax that pyarrow
parses differently (runs of blanks as separator, blanks before a quote) is rewritten first.
"""

import csv
import io
import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from ...errors import DataError, TableSizeError
from ...request import ReadingOptions
from ..number_spellings import plain_spelling
from ..tables import Table, cells_of_texts, header_names
from ..texts import Spelling, left_out_note, plural, reason
from .file_text import as_utf_8, check_columns
from .layout import (
    BLANKS,
    ROW,
    check,
    completed_names,
    first_lines,
    from_header,
    has_names,
    lines_of,
    place,
    recognised_separator,
    start_of_line,
)

MAX_COLUMNS = 50_000
"""A table with more columns is rejected: each has a type, a line on the screen and splits in a search."""

_BLOCK, _MOST_BYTES = 1 << 22, 2**31 - 1
"""The bytes that pyarrow parses at a time, and the maximum that it can parse at a time."""
_END = "\x04"
"""The only cell of a line added at the end; no file contains it, so a quote is unclosed if it is not read."""


def read_delimited(raw: bytes, name: str, options: ReadingOptions, max_columns: int = MAX_COLUMNS) -> Table:
    """Read a table from the unpacked bytes of a text file.

    Parameters
    ----------
    raw : the content of the file.
    name : the name of the table.
    options : the reading options.
    max_columns : the limit for the columns.

    Raises
    ------
    DataError
        The content is no text, mixes encodings, is empty, has no rows, or rows of different lengths, or some rows do
        not seem to be data (see `solvers.problem.sources.layout`). Rows in messages are counted from 1, without the
        header and without empty lines. A table with too many columns is a `TableSizeError`.
    """
    content, encoding = as_utf_8(raw, options.encoding)
    if b"\r" in content:
        content = _plain_line_ends(content)
    try:
        table = _read(content, name, options, max_columns)
    except TableSizeError:
        raise
    except DataError as error:
        raise place(error, content, options) from None
    if encoding not in ("utf-8", "utf-8-sig"):
        table = replace(table, notes=(f"The text is read as {encoding}.", *table.notes))
    table = replace(table, encoding=encoding)
    check(table, content, options)
    return table


def _plain_line_ends(content: bytes) -> bytes:
    """The text with a line feed at the end of every line; line ends within quotes belong to the cell and are kept."""
    if b'"' not in content:
        return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    data = np.frombuffer(content, np.uint8)
    returns = np.flatnonzero(data == ord("\r"))
    outside = returns[np.searchsorted(np.flatnonzero(data == ord('"')), returns) % 2 == 0]
    followed = outside[outside + 1 < len(data)]
    followed = followed[data[followed + 1] == ord("\n")]
    data = data.copy()
    data[outside] = ord("\n")
    return np.delete(data, followed).tobytes()


def _read(content: bytes, name: str, options: ReadingOptions, max_columns: int) -> Table:
    content, separator = from_header(content, options.header_line or 1)
    separator = shown = separator or recognised_separator(content)
    n_skipped = options.skip_first or 0
    first = first_lines(content, separator, n_skipped)
    names = first[0].fields
    check_columns("The first line", len(names), max_columns, " If each line holds a variable, transpose the table.")
    may_complete = options.header is not False and not options.cuts
    completed = completed_names(content, first) if may_complete else None
    has_header = bool(options.header_line) or completed is not None or options.header
    if has_header is None:
        has_header = has_names(first[:1] + first[n_skipped + 1 :])
    names = completed or names
    begin, rows = (start_of_line(content, line.next) for line in (first[0], first[: n_skipped + 1][-1]))
    parts: list[bytes | memoryview] = [b"" if has_header else content[:begin], memoryview(content)[rows:]]
    if separator == BLANKS or (b'"' in content and re.search(rb'(?:^|[\n%s]) +"' % separator.encode(), content)):
        rewritten, separator = _rewrite(b"".join(parts), separator)
        parts = [rewritten]
    columns, notes = _columns(_Rows(parts, separator, len(names)), has_header, options)
    if options.header is None and not has_header:
        notes.append("There is no header line.")
    if completed is not None and completed[0] == ROW:
        notes.append("The header has one name fewer than the rows have fields; the first column is called 'row'.")
    names, columns, name_notes = _name(names if has_header else None, columns)
    table = plain_spelling(
        Table(
            name=name,
            columns=dict(zip(names, cells_of_texts(columns), strict=True)),
            separator=shown,
            has_header=has_header,
            notes=(*notes, *name_notes),
            chosen=Spelling(options.decimal or "", day_first=options.day_first),
        )
    )
    if len(names) == 1 and may_complete:
        _check_only_column(table)
    return table


def _rewrite(content: bytes, separator: str) -> tuple[bytes, str]:
    """The same fields with one separator between them and no blanks before quotes; and this separator."""
    written = "\t" if separator == BLANKS else separator
    out = io.StringIO()
    writer = csv.writer(out, delimiter=written, lineterminator="\n")
    fields: list[str] = []
    for _, fields in lines_of(b"%s\n%s" % (content, _END.encode()), separator):
        writer.writerow(fields)
    if fields != [_END]:
        raise DataError("A quote is opened and never closed. Close or remove it.")
    return out.getvalue().removesuffix(f"{_END}\n").encode(), written


class _Rows:
    """The rows of a text that pyarrow parses, and the rows of other lengths, which it skips."""

    def __init__(self, parts: list[bytes | memoryview], separator: str, n_columns: int) -> None:
        self._separator, self._n_columns = separator, n_columns
        content = b"".join((*parts, b"\n", _END.encode(), b"\n"))
        try:
            try:
                self.table = self._parsed(content, _BLOCK)
            except pa.ArrowInvalid:
                # a line is longer than a block
                self.table = self._parsed(content, min(len(content) + 1, _MOST_BYTES))
        except pa.ArrowException as error:
            what = f"The table cannot be read ({reason(error)})"
            raise DataError(f"{what}. Look for a quote that is never closed.") from None
        if n_columns == 1:
            (column,) = self.table.columns
            self._closed = column[-1].as_py() == _END
            # an empty cell is a row if it is in quotes, but not if it is a line of blanks
            is_row = pc.or_(column.is_null(), pa.array(_fill_blank(column)))
            self.table = self.table.filter(is_row).slice(0, pc.sum(is_row).as_py() - 1)
        if not self._closed:
            raise DataError(f"Row {len(self)} has a quote that is never closed. Close or remove it.")

    def _parsed(self, content: bytes, block: int) -> pa.Table:
        self.ragged: list[tuple[int, int]] = []
        self._n_blank, self._closed = 0, False
        names = list(map(str, range(self._n_columns)))
        return pyarrow.csv.read_csv(
            pa.BufferReader(content),
            pyarrow.csv.ReadOptions(use_threads=False, block_size=block, column_names=names),
            pyarrow.csv.ParseOptions(
                delimiter=self._separator, newlines_in_values=True, invalid_row_handler=self._note
            ),
            pyarrow.csv.ConvertOptions(
                check_utf8=False,
                column_types=dict.fromkeys(names, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
            ),
        )

    def _note(self, row: pyarrow.csv.InvalidRow) -> str:
        if row.text == _END:
            self._closed = True
        elif row.text.strip(" " if self._separator == "\t" else " \t"):
            self.ragged.append((row.number - self._n_blank, row.actual_columns))
        else:
            self._n_blank += 1
        return "skip"

    def __len__(self) -> int:
        return int(self.table.num_rows) + len(self.ragged)

    def without_last(self, n_rows: int) -> None:
        """Drop rows at the end, whatever their length."""
        n_left = len(self) - n_rows
        if n_left < 1:
            raise DataError(f"Leaving out {n_rows} rows at the end would leave no rows. Choose fewer.")
        self.ragged = [row for row in self.ragged if row[0] <= n_left]
        self.table = self.table.slice(0, n_left - len(self.ragged))


def _columns(rows: _Rows, has_header: bool, options: ReadingOptions) -> tuple[list[pa.ChunkedArray], list[str]]:
    """The cells below the header as texts by column, and notes on omitted lines."""
    if not len(rows):
        raise DataError("The file has a header line but no rows. Add at least two rows.")
    if options.skip_last:
        rows.without_last(options.skip_last)
    if rows.ragged:
        row, width = rows.ragged[0]
        first = "the header" if has_header else "the first row"
        others = f" ({len(rows.ragged)} rows differ)" if len(rows.ragged) > 1 else ""
        raise DataError(
            f"Row {row} has {plural(width, 'field')} where {first} has {rows.table.num_columns}{others}. Look there "
            f"for a missing field, or for a separator inside a text or a decimal comma, which needs quotes around it. "
            f"Rows are counted from 1{', without the header' if has_header else ''}."
        )
    n_empty = _n_empty_at_end(rows.table)
    columns = rows.table.slice(0, rows.table.num_rows - n_empty).columns
    return columns, left_out_note(n_empty, "at the end without any value")


def _n_empty_at_end(table: pa.Table) -> int:
    """The number of empty rows at the end, as spreadsheets write them; 0 if all rows are empty."""
    n_left = 0
    for column in table.columns:
        filled = np.flatnonzero(_fill_blank(column[n_left:]))
        if len(filled):
            n_left += 1 + int(filled[-1])
        if n_left == table.num_rows:
            return 0
    return table.num_rows - n_left if n_left and table.num_columns > 1 else 0


def _fill_blank(column: pa.ChunkedArray) -> np.ndarray:
    """Which cells hold more than blanks, bool (n_samples,)."""
    filled: np.ndarray = pc.fill_null(pc.not_equal(pc.utf8_trim_whitespace(column), ""), False).to_numpy()
    return filled


def _name(
    header: list[str] | None, columns: list[pa.ChunkedArray]
) -> tuple[list[str], list[pa.ChunkedArray], list[str]]:
    """The names of the columns and their cells, without empty last columns, and notes on them."""
    notes: list[str] = []
    n_columns = len(columns)
    while n_columns > 1 and not (header and header[n_columns - 1]) and not _fill_blank(columns[n_columns - 1]).any():
        n_columns -= 1
    if n_columns < len(columns):
        notes.append("The lines end with separators; the empty columns after them are left out.")
    columns = columns[:n_columns]
    if header is None:
        return [str(j) for j in range(n_columns)], columns, notes
    names, name_notes = header_names(header[:n_columns])
    return names, columns, notes + name_notes


def _check_only_column(table: Table) -> None:
    """Reject a table of one column whose name and cells all contain a separator of other files."""
    name = table.names[0]
    texts = [one for one in table.texts(name).text if one]
    for separator in (mark for mark in ";\t|," if name.count(mark) > (mark == ",")):
        if all(text.count(separator) == name.count(separator) for text in texts):
            raise DataError(
                f"Each line is one field, although all of them contain '{separator}'. Remove quotes around whole "
                "lines, and give each line as many fields as the header."
            )
