"""A text file as a table: separator, header, omitted lines, and cells, which pyarrow reads.

Python's csv module parses the first lines to find the separator, the names and the first row. Syntax that pyarrow
parses differently (runs of blanks as separator, blanks before a quote) is rewritten first.
"""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from ...errors import DataError, TableSizeError
from ...request import ReadingOptions
from ..number_spellings import plain_spelling
from ..tables import Table, cells_of_texts, number_repeated
from ..texts import Spelling, is_missing_mark, parse_numbers, plural, reason
from .file_text import as_utf_8, check_columns
from .layout import check, place, start_of_line

BLANKS = " "
"""The separator 'runs of blanks'."""
SEPARATORS = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "vertical bars", BLANKS: "blanks"}

MAX_COLUMNS = 50_000
"""A table with more columns is rejected: each has a type, a line on the screen and splits in a search."""

ODD = "a separator inside a text or a decimal comma, which needs quotes around it"
"""The likely cause of a line with too many fields."""

ROW = "row"
"""The name of a first column without a name in the header, as R writes it."""

_LOOK_AT = 200
"""The number of lines, and of columns, from which separator and header are detected."""
_HEAD = 1 << 18
"""The number of characters from which the separator is detected."""
_BLOCK, _MOST_BYTES = 1 << 22, 2**31 - 1
"""The bytes that pyarrow parses at a time, and the maximum that it can parse at a time."""
_END = "\x04"
"""The only cell of a line added at the end; no file contains it, so a quote is unclosed if it is not read."""


class _Head(NamedTuple):
    """The findings from the first lines of a file.

    Attributes
    ----------
    names : the fields of the first line.
    sample : the fields of the first lines that are as long as the first one, of at most 200 columns, evenly spaced.
    completed : whether the first line had fewer or more fields than the rows, so that it must be the header.
    """

    names: list[str]
    sample: list[list[str]]
    completed: bool = False


def read_delimited(
    raw: bytes, name: str, options: ReadingOptions, max_columns: int = MAX_COLUMNS, odd: str = ODD
) -> Table:
    """Read a table from the unpacked bytes of a text file.

    Parameters
    ----------
    raw : the content of the file.
    name : the name of the table.
    options : the reading options.
    max_columns : the limit for the columns.
    odd : the likely cause of a row with too many fields, for a message.

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
        table = _read(content, name, options, max_columns, odd)
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


def _read(content: bytes, name: str, options: ReadingOptions, max_columns: int, odd: str) -> Table:
    content, separator = _from_header(content, options.header_line or 1)
    separator = separator or _recognised_separator(content)
    content = _without_first_rows(content, separator, options.skip_first or 0)
    head = _head(content, separator, complete=options.header is not False and not options.cuts)
    check_columns(
        "The first line", len(head.names), max_columns, " If each line holds a variable, transpose the table."
    )
    has_header = bool(options.header_line) or head.completed or options.header
    if has_header is None:
        has_header = _is_header(head.sample)
    shown = separator
    if separator == BLANKS or (b'"' in content and re.search(rb'(?:^|[\n%s]) +"' % separator.encode(), content)):
        content, separator = _rewrite(content, separator)
    columns, notes = _columns(content, separator, len(head.names), has_header, options, odd)
    if options.header is None and not has_header:
        notes.append("There is no header line.")
    if head.completed and head.names[0] == ROW:
        notes.append("The header has one name fewer than the rows have fields; the first column is called 'row'.")
    names, columns, name_notes = _name(head.names if has_header else None, columns)
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
    if len(names) == 1 and not options.cuts and options.header is not False:
        _check_only_column(table)
    return table


def _from_header(content: bytes, line: int) -> tuple[bytes, str | None]:
    """The text from a line on, counted from 1, without a line 'sep=;' of spreadsheets; and its separator."""
    start = start_of_line(content, line)
    if not re.compile(rb"\S").search(content, start):
        raise DataError(
            f"The file has {content.count(10) + 1} lines, so line {line} cannot be its header. Choose a line of names."
        )
    match = re.compile(rb"sep=([,;|\t])[ \t]*\n").match(content, start)
    return (content[match.end() :], match.group(1).decode()) if match else (content[start:], None)


def _records(content: bytes, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The fields of each non-empty line, with the number of the line in which they end, counted from 1."""
    # StringIO would copy the whole text, at four bytes per character
    lines = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="")
    if separator == BLANKS and b'"' not in content:
        yield from ((i, fields) for i, line in enumerate(lines, 1) if (fields := line.split()))
        return
    reader = csv.reader(
        (line.strip(" \t\n").replace("\t", " ") + "\n" for line in lines) if separator == BLANKS else lines,
        delimiter=separator,
        skipinitialspace=True,
    )
    try:
        yield from ((reader.line_num, fields) for fields in reader if len(fields) > 1 or "".join(fields).strip())
    except csv.Error as error:
        raise DataError(
            f"Line {reader.line_num} of the file cannot be read ({error}). Look for a quote that is never closed."
        ) from None


def _recognised_separator(content: bytes) -> str:
    """The separator that divides the first lines into equally many fields; if several do, the one with more numbers."""
    # a character has at most four bytes
    text = content[: 4 * _HEAD].decode(errors="ignore")
    head = text[:_HEAD]
    if len(head) < len(text):
        head = head[: head.rfind("\n") + 1] or head
    content = head.encode()
    best, best_score = ",", (0.0, 0.0)
    for separator in SEPARATORS:
        try:
            first = [fields for _, fields in islice(_records(content, separator), _LOOK_AT)]
        except DataError:
            continue
        widths = np.array([len(row) for row in first])
        usual = int(np.bincount(widths).argmax()) if len(first) else 0
        if usual < 2:
            continue
        even = float((widths[1:] == usual).mean()) if len(widths) > 1 else 1.0
        fields = [field.replace(",", ".") for row in first[1:] for field in row]
        numeric = float((~np.isnan(parse_numbers(fields))).mean()) if fields else 0.0
        table = even >= 0.9 and widths[0] in (usual - 1, usual)
        if separator == BLANKS and not table and numeric < 0.5:
            continue  # sentences
        score = (float(even >= 0.9) + float(widths[0] == usual) / 2, round(numeric, 1) if even == 1 else 0.0)
        if score > best_score:
            best, best_score = separator, score
    return best


def _rewrite(content: bytes, separator: str) -> tuple[bytes, str]:
    """The same fields with one separator between them and no blanks before quotes; and this separator."""
    written = "\t" if separator == BLANKS else separator
    out = io.StringIO()
    writer = csv.writer(out, delimiter=written, lineterminator="\n")
    fields: list[str] = []
    for _, fields in _records(b"%s\n%s" % (content, _END.encode()), separator):
        writer.writerow(fields)
    if fields != [_END]:
        raise DataError("A quote is opened and never closed. Close or remove it.")
    return out.getvalue().removesuffix(f"{_END}\n").encode(), written


def _without_first_rows(content: bytes, separator: str, n_rows: int) -> bytes:
    """The text without `n_rows` rows after its first one."""
    if not n_rows:
        return content
    lines = [line for line, _ in islice(_records(content, separator), n_rows + 1)] or [0]
    return content[: start_of_line(content, lines[0] + 1)] + content[start_of_line(content, lines[-1] + 1) :]


def _head(content: bytes, separator: str, complete: bool) -> _Head:
    """The findings from the first lines; `complete` completes the names to the number of fields of the rows."""
    names: list[str] = []
    sample: list[list[str]] = []
    others: list[list[str]] = []
    picked: range | list[int] = range(0)
    try:
        for _, fields in islice(_records(content, separator), _LOOK_AT):
            if not names:
                names, picked = fields, range(0, len(fields), -(-len(fields) // _LOOK_AT))
            if len(fields) == len(names):
                sample.append([fields[j] for j in picked])
            elif len(sample) == 1:
                others.append(fields)
    except DataError:
        if not names:
            raise
    if not names:
        raise DataError("The file is empty. Choose a file with a header line and at least two rows.")
    if complete and len(sample) == 1 and len(others) > 1 and len(set(map(len, others))) == 1:
        completed = _complete(content, names, others)
        if completed is not None:
            return _Head(completed, sample, True)
    return _Head(names, sample)


def _complete(content: bytes, names: list[str], rows: list[list[str]]) -> list[str] | None:
    """Complete the names to the number of fields of the rows, or shorten them.

    `None` if it is unclear which names are missing. R writes the row names in quotes as first fields, without a name in
    the header; other programs end each row, but not the header, with separators, or only the header.
    """
    more = len(rows[0]) - len(names)
    if min(len(names), len(rows[0])) < 2:
        return None
    if more < 0:
        return None if any(name.strip() for name in names[more:]) else names[:more]
    if not any(field.strip() for row in rows for field in row[-more:]):
        return names + [""] * more
    # without quotes, a row with one field more than the header may as well have a separator too many
    lines = list(islice(filter(bytes.strip, io.BytesIO(content)), len(rows) + 1))
    quoted = all(line.lstrip().startswith(f'"{row[0]}"'.encode()) for line, row in zip(lines[1:], rows, strict=False))
    different = len({row[0] for row in rows}) == len(rows)
    return [ROW, *names] if more == 1 and quoted and different and lines[0].count(b'"') == 2 * len(names) else None


def _is_header(rows: list[list[str]]) -> bool:
    """Whether the first line names the columns, by a vote of the columns.

    A text above numbers, or a text that does not recur in a column of few distinct texts, is a vote for a header. A
    number above numbers, or a text that recurs, is a vote against it. Numbers do not vote if they count the columns
    from 0 and some text is above numbers: '0', '1_1', '1_2', '2', 'y'.
    """
    if not rows:
        return False
    first, body = [cell.strip() for cell in rows[0]], rows[1:]
    numbers = [cell for cell in first if _is_number(cell)]
    votes = against = named = numbered = 0
    for j, cell in enumerate(first):
        below = [row[j].strip() for row in body if not is_missing_mark(row[j].strip())]
        if not below or is_missing_mark(cell):
            continue
        if sum(map(_is_number, below)) >= 0.9 * len(below):
            numbered += cell in numbers
            named += cell not in numbers
        elif cell in below or cell in numbers:
            against += 1
        elif len(set(below)) <= max(len(below) / 2, 1):
            votes += 1
    counts = all(map(str.isdigit, numbers)) and all(int(a) < int(b) for a, b in pairwise(numbers))
    votes, against = votes + named, against + (0 if named and counts else numbered)
    if votes == against:
        return len(set(first)) == len(first) and not numbers
    return votes > against


def _is_number(text: str) -> bool:
    return bool(re.match(r"[+-]?[\d.,]", text)) and not np.isnan(
        parse_numbers([text.replace(",", ".").rstrip(" %")])[0]
    )


class _Rows:
    """The rows of a text that pyarrow parses, and the rows of other lengths, which it skips."""

    def __init__(self, content: bytes, start: int, separator: str, n_columns: int) -> None:
        self._separator, self._n_columns = separator, n_columns
        content = b"".join((memoryview(content)[start:], b"\n", _END.encode(), b"\n"))
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


def _columns(
    content: bytes, separator: str, n_columns: int, has_header: bool, options: ReadingOptions, odd: str
) -> tuple[list[pa.ChunkedArray], list[str]]:
    """The cells below the header as texts by column, and notes on omitted lines."""
    start = 0
    if has_header:
        line, _ = next(_records(content, separator))
        start = start_of_line(content, line + 1)
    rows = _Rows(content, start, separator, n_columns)
    if not len(rows):
        raise DataError("The file has a header line but no rows. Add at least two rows.")
    if options.skip_last:
        rows.without_last(options.skip_last)
    if rows.ragged:
        row, width = rows.ragged[0]
        first = "the header" if has_header else "the first row"
        others = f" ({len(rows.ragged)} rows differ)" if len(rows.ragged) > 1 else ""
        raise DataError(
            f"Row {row} has {plural(width, 'field')} where {first} has {n_columns}{others}. Look there for a missing "
            f"field, or for {odd}. Rows are counted from 1{', without the header' if has_header else ''}."
        )
    notes = []
    table = rows.table
    n_empty = _n_empty_at_end(table)
    if n_empty:
        are = "is" if n_empty == 1 else "are"
        notes.append(f"{plural(n_empty, 'row')} at the end without any value {are} left out.")
    return table.slice(0, table.num_rows - n_empty).columns, notes


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
    names = [" ".join(cell.split()) for cell in header[:n_columns]]
    nameless = [j for j, name in enumerate(names) if not name]
    for j in nameless:
        names[j] = f"column {j + 1}"
    if len(nameless) == 1:
        called = names[nameless[0]]
        notes.append(f"Column {nameless[0] + 1} has no name in the header; it is called '{called}'.")
    elif nameless:
        called = f"from '{names[nameless[0]]}' to '{names[nameless[-1]]}'"
        notes.append(f"{len(nameless)} columns have no name in the header; they are called {called}.")
    names, repeated = number_repeated(names)
    return names, columns, notes + repeated


def _check_only_column(table: Table) -> None:
    """Reject a table of one column whose name and cells all contain a separator of other files."""
    name = table.names[0]
    texts = [one for one in table.texts(name).text if one]
    for separator in (mark for mark in ";\t|," if name.count(mark) > (mark == ",")):
        if all(
            text.count(separator) == name.count(separator) or (separator != "," and separator in text) for text in texts
        ):
            raise DataError(
                f"Each line is one field, although all of them contain '{separator}'. Remove quotes around whole "
                "lines, and give each line as many fields as the header."
            )
