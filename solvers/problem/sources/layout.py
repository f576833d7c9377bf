"""The position of the table in a text: its separator and header, and lines above it, below it and between these.

A file edited by people often has a title, a line of units and a sum at the end. None of them is a data row, but
guessing silently is not safe: lines that look like them are rejected with a message that says how to omit and how to
keep them.
"""

import contextlib
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np

from ...errors import DataError
from ...request import ReadingOptions
from ..tables import Table
from ..texts import is_missing_mark, parse_numbers, plural

BLANKS = " "
"""The separator 'runs of blanks'."""
SEPARATORS = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "vertical bars", BLANKS: "blanks"}

ROW = "row"
"""The name of a first column without a name in the header, as R writes it."""

_LOOK_AT, _LOOK_AT_LAST = 200, 20
"""The number of lines, and of columns, to check at the beginning, and of lines at the end."""
_HEAD = 1 << 18
"""The number of bytes from which the separator is detected."""
_MOST_CELLS = 1_000_000
"""The maximum number of cells in the lines to check; a wide table has fewer such lines."""
_LEAST_WIDTH = 3
"""With at least this number of columns, a row with one cell only is no data row."""
_MOSTLY = 0.9

_LEAST_ROWS, _MOST_TITLES = 4, 10
"""The minimum number of rows to recognise a numeric column, and the maximum number of lines above the names."""

_NUMBER = re.compile(r"[<>≤≥~]?\s*[+-]?[.,]?\d")
_POWER = re.compile(r"10\s*[\^*]|x?10E")
_UNIT = re.compile(r".*[/%°µ].*|[mkµ]?[glm]|cm|mm|years?|yrs?|y|days?|d|hours?|h|min|s|bpm|mmHg|i?u", re.IGNORECASE)
_TOTAL = re.compile(
    r"(grand |sub)?totals?|sums?|means?|averages?|medians?|gesamt(summe)?|summen?|insgesamt|mittelwert|"
    r"totaux|sommes?|moyennes?|totale|suma|media",
    re.IGNORECASE,
)
_FOOTER = re.compile(
    r"n\s*=\s*[\d.,' ]+|"
    r"(source|quelle|fuente|note|notes|anmerkung|stand|printed|exported|created|gedruckt|erstellt)\s*:.*",
    re.IGNORECASE,
)


class Line(NamedTuple):
    """A non-empty line, or several that a quoted text spans: the number of the first one, from 1, and the fields."""

    number: int
    fields: list[str]

    @property
    def next(self) -> int:
        """The number of the line after it."""
        return self.number + 1 + sum(field.count("\n") for field in self.fields)


def start_of_line(content: bytes, line: int) -> int:
    """The position at which a line begins, counted from 1; the end of the text if it has fewer lines."""
    start = 0
    for _ in range(line - 1):
        start = content.find(b"\n", start) + 1
        if not start:
            return len(content)
    return start


def from_header(content: bytes, line: int) -> tuple[bytes, str | None]:
    """The text from a line on, counted from 1, without a line 'sep=;' of spreadsheets; and its separator."""
    start = start_of_line(content, line)
    if not re.compile(rb"\S").search(content, start):
        raise DataError(
            f"The file has {content.count(10) + 1} lines, so line {line} cannot be its header. Choose a line of names."
        )
    match = re.compile(rb"sep=([,;|\t])[ \t]*\n").match(content, start)
    return (content[match.end() :], match.group(1).decode()) if match else (content[start:], None)


def lines_of(content: bytes, separator: str) -> Iterator[Line]:
    """The non-empty lines of a text."""
    # StringIO would copy the whole text, at four bytes per character
    lines = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="\n")
    if separator == BLANKS and b'"' not in content:
        yield from (Line(i, fields) for i, line in enumerate(lines, 1) if (fields := line.split()))
        return
    reader = csv.reader(
        (line.strip(" \t\n").replace("\t", " ") + "\n" for line in lines) if separator == BLANKS else lines,
        delimiter=separator,
        skipinitialspace=True,
    )
    try:
        for fields in reader:
            if len(fields) > 1 or "".join(fields).strip():
                yield Line(reader.line_num - sum(field.count("\n") for field in fields), fields)
    except csv.Error as error:
        raise DataError(
            f"Line {reader.line_num} of the file cannot be read ({error}). Look for a quote that is never closed."
        ) from None


def first_lines(content: bytes, separator: str, n_skipped: int = 0) -> list[Line]:
    """The first line, and some of those after it, without the ones to skip; up to one that cannot be read.

    Raises `DataError` if the first line cannot be read, or there is none.
    """
    lines = lines_of(content, separator)
    first = next(lines, None)
    if first is None:
        raise DataError("The file is empty. Choose a file with a header line and at least two rows.")
    found = [first]
    most = n_skipped + min(_LOOK_AT, max(_MOST_CELLS // len(first.fields), 2))
    # the reader of all rows reports the error
    with contextlib.suppress(DataError):
        found.extend(islice(lines, most))
    return found


def recognised_separator(content: bytes) -> str:
    """The separator that divides the first lines into equally many fields; if several do, the one with more numbers."""
    content = content[: content.rfind(b"\n", 0, _HEAD) + 1 or _HEAD]
    best, best_score = ",", (0.0, 0.0, 0.0)
    for separator in SEPARATORS:
        try:
            first = [line.fields for line in first_lines(content, separator)]
        except DataError:
            continue
        widths = np.array([len(row) for row in first])
        usual = int(np.bincount(widths).argmax())
        if usual < 2:
            continue
        even = float((widths[1:] == usual).mean()) if len(widths) > 1 else 1.0
        fields = [field.replace(",", ".") for row in first[1:] for field in row]
        numeric = float((~np.isnan(parse_numbers(fields))).mean()) if fields else 0.0
        table = even >= _MOSTLY and widths[0] in (usual - 1, usual)
        if separator == BLANKS and not table and numeric < 0.5:
            continue  # sentences
        score = (float(even >= _MOSTLY) + float(widths[0] == usual) / 2, round(numeric, 1) if even == 1 else 0.0, even)
        if score > best_score:
            best, best_score = separator, score
    return best


def completed_names(content: bytes, first: list[Line]) -> list[str] | None:
    """The names of the header, completed to the number of fields of the rows, or shortened.

    `None` if the rows have as many fields, or different numbers, or it is unclear which names are missing. R writes the
    row names in quotes as first fields, without a name in the header; other programs end each row, but not the header,
    with separators, or only the header.
    """
    names, *rows = (line.fields for line in first)
    widths = set(map(len, rows))
    if len(rows) < 2 or len(widths) > 1 or min(len(names), *widths) < 2 or len(names) in widths:
        return None
    more = len(rows[0]) - len(names)
    if more < 0:
        return None if any(name.strip() for name in names[more:]) else names[:more]
    if not any(field.strip() for row in rows for field in row[-more:]):
        return names + [""] * more
    # without quotes, a row with one field more than the header may as well have a separator too many
    lines = list(islice(filter(bytes.strip, io.BytesIO(content)), len(first)))
    quoted = all(line.lstrip().startswith(f'"{row[0]}"'.encode()) for line, row in zip(lines[1:], rows, strict=False))
    different = len({row[0] for row in rows}) == len(rows)
    return [ROW, *names] if more == 1 and quoted and different and lines[0].count(b'"') == 2 * len(names) else None


def has_names(first: list[Line]) -> bool:
    """Whether the first line names the columns, by a vote of the columns.

    A text above numbers, or a text that does not recur in a column of few distinct texts, is a vote for a header. A
    number above numbers, or a text that recurs, is a vote against it. Numbers do not vote if they count the columns
    without a gap and some text is above numbers: '0', '1_1', '1_2', '2', 'y'.
    """
    width = len(first[0].fields)
    columns = slice(None, None, -(-width // _LOOK_AT))
    names, *rows = ([cell.strip() for cell in line.fields[columns]] for line in first if len(line.fields) == width)
    numbers = [cell for cell in names if _is_number(cell)]
    votes = against = named = numbered = 0
    for j, cell in enumerate(names):
        below = [row[j] for row in rows if not is_missing_mark(row[j])]
        if not below or is_missing_mark(cell):
            continue
        if sum(map(_is_number, below)) >= _MOSTLY * len(below):
            numbered += cell in numbers
            named += cell not in numbers
        elif cell in below or cell in numbers:
            against += 1
        elif len(set(below)) <= max(len(below) / 2, 1):
            votes += 1
    places = [int(found[0]) for name in names if (found := re.match(r"\d+", name))]
    counts = all(map(str.isdigit, numbers)) and all(0 <= b - a <= 1 for a, b in pairwise(places))
    votes, against = votes + named, against + (0 if named and counts else numbered)
    if votes == against:
        return len(set(names)) == len(names) and not numbers
    return votes > against


def _is_number(text: str) -> bool:
    return bool(re.match(r"[+-]?[\d.,]", text)) and not np.isnan(
        parse_numbers([text.replace(",", ".").rstrip(" %")])[0]
    )


def check(table: Table, content: bytes, options: ReadingOptions) -> None:
    """Reject a table if some rows do not seem to be data, unless the options decide about them.

    Parameters
    ----------
    table : the table that was read with the options.
    content : the text of the table, to find line numbers.
    options : the reading options.

    Raises
    ------
    DataError
        The names seem to be a title, the first row units or a second line of names, or the last rows a footer.
    """
    if options.header_line is None and (table.has_header or options.header is None):
        _check_title(table, content)
    if table.has_header and options.skip_first is None:
        _check_first_row(table, options.header_line or 1)
    if options.skip_last is None:
        _check_last_rows(table)


def place(error: DataError, content: bytes, options: ReadingOptions) -> DataError:
    """The error of reading a text, with choices added if the table seems to be a part of the file."""
    if options.cuts:
        return error
    end = start_of_line(content, _LOOK_AT - _LOOK_AT_LAST)
    content = content[:end] + b"\n".join(content[end:].rsplit(b"\n", _LOOK_AT_LAST)[-_LOOK_AT_LAST:])
    try:
        lines = first_lines(content, recognised_separator(content))
    except DataError:
        return error
    usual, times = Counter(len(line.fields) for line in lines).most_common(1)[0]
    if usual < 2 or times < 3 or times < len(lines) / 2:
        return error
    are_rows = [len(line.fields) == usual for line in lines]
    first, last = are_rows.index(True), are_rows[::-1].index(True)
    # data rows, but no title, names or footer
    are_data = first and any(map(_NUMBER.match, lines[first].fields))
    if are_data or not 0 < max(first, last) <= _MOST_TITLES:
        return error
    choice = ({"header_line": lines[first].number} if first else {}) | ({"skip_last": last} if last else {})
    chosen = [f"--{name.replace('_', '-')} {value}" for name, value in choice.items()]
    begins = f"begin in line {lines[first].number}" if first else ""
    ends = f"end {plural(last, 'line')} before the end of the file" if last else ""
    return DataError(
        f"{error} The table seems to {' and to '.join(filter(None, (begins, ends)))}. To read it that way, use "
        f"{' '.join(chosen)} on the command line, or 'How the file is read' on the Data screen.",
        choices=[choice],
    )


def _check_title(table: Table, content: bytes) -> None:
    """Reject a table whose first line names at most one of many columns, or whose names are below its first rows."""
    number = None
    if table.has_header:
        named = [name for j, name in enumerate(table.names) if name != f"column {j + 1}"]
        if len(table.names) < _LEAST_WIDTH or len(named) > 1:
            return
        most = max(len(table.names) // 2, 1)
        lines = first_lines(content, table.separator or "\t")[1:]
        number = next((one.number for one in lines if sum(map(bool, map(str.strip, one.fields))) > most), None)
        title = f" ('{named[0]}')" if named else ""
        what = f"The first line names {len(named)} of {len(table.names)} columns{title}"
    else:
        rows = range(min(_MOST_TITLES, table.n_rows - _LEAST_ROWS))
        row = next((row for row in rows if _words_above_numbers(table, row)), None)
        if row is None:
            return
        lines = first_lines(content, table.separator or "\t")
        number = lines[row].number if row < len(lines) else None
        what = f"Row {row + 1} has words above numbers"
    where = f"; the names seem to be in line {number}" if number else ""
    raise DataError(
        f"{what}, so the file seems to begin with a title{where}. Choose the line with the names, with "
        f"--header-line {number or 'N'} on the command line or 'Names in line' on the Data screen. Line 1 is also "
        f"possible.",
        choices=[{"header_line": line} for line in dict.fromkeys((number or 1, 1))],
    )


def _check_first_row(table: Table, header_line: int) -> None:
    """Reject a table with words above numbers in the first row."""
    found = _words_above_numbers(table, 0)
    if not found or (len(found) == 1 and not _UNIT.fullmatch(found[0][0])):
        # one word above the only numbers may also be a value that could not be measured
        return
    word, column = found[0]
    raise DataError(
        f"The first row has words above numbers ('{word}' in the column '{column}'), so it seems to hold units or a "
        f"second line of names. Leave the row out (--skip-first 1, or 'Rows to leave out below the names' on the Data "
        f"screen), take the names from it (--header-line {header_line + 1}), or read it as a row (--skip-first 0).",
        choices=[{"skip_first": 1}, {"header_line": header_line + 1}, {"skip_first": 0}],
    )


def _words_above_numbers(table: Table, row: int) -> list[tuple[str, str]]:
    """The words in a row, by column, if it has words in all columns with numbers in the rows below."""
    if table.n_rows < row + _LEAST_ROWS:
        return []
    found = []
    for name in table.names[:: -(-len(table.names) // _LOOK_AT)]:
        cells = table.columns[name]
        (cell,) = cells.cells(slice(row, row + 1))
        if is_missing_mark(cell) and cell != "-":
            continue
        below = [text for text in cells.cells(slice(row + 1, row + _LOOK_AT + 1)) if not is_missing_mark(text)]
        if not below or (~np.isnan(parse_numbers(below))).mean() < _MOSTLY:
            continue
        if _NUMBER.match(cell) and not _POWER.match(cell):
            return []
        found.append((cell, name))
    return found


def _check_last_rows(table: Table) -> None:
    """Reject a table whose last rows have one cell only or look like footers, or that has a total above them."""
    if table.n_rows < 3:
        return
    rows = slice(max(table.n_rows - _LOOK_AT_LAST, 0), None)
    tail = np.array([cells.cells(rows) for cells in table.columns.values()], object).T
    filled = (tail != "").sum(axis=1)
    first = [next((cell for cell in row if cell), "") for row in tail]
    wide = len(table.names) >= _LEAST_WIDTH
    n_last = 0
    for j in range(len(tail) - 1, 0, -1):
        lonely = wide and filled[j] <= 1 and (filled[:j].max() > 1)
        footer = filled[j] <= 2 and bool(_FOOTER.fullmatch(first[j]))
        if not (lonely or footer):
            break
        n_last += 1
    above = table.n_rows - n_last - 1
    total = _total_in(table, above)
    if not n_last and total is None:
        return
    n_last += total is not None
    shown = total or first[len(tail) - n_last]
    raise DataError(
        f"The last {plural(n_last, 'row')} ('{shown}') {'seems' if n_last == 1 else 'seem'} to be a footer or totals. "
        f"Leave {'this row' if n_last == 1 else 'these rows'} out with --skip-last {n_last} ('Rows to leave out at the "
        f"end' on the Data screen), or read all rows with --skip-last 0.",
        choices=[{"skip_last": n_last}, {"skip_last": 0}],
    )


def _total_in(table: Table, row: int) -> str | None:
    """The word for a total in the first two cells of a row, if no other row of its column has it."""
    if row < 2:
        return None
    for name in table.names[:2]:
        cell = table.columns[name].cells(slice(row, row + 1))[0].rstrip(":")
        if _TOTAL.fullmatch(cell):
            texts = table.texts(name)
            alike = [text.casefold().rstrip(":") == cell.casefold() for text in texts.text]
            if texts.count[alike].sum() == 1:
                return cell
    return None
