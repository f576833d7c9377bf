"""The position of the table in a file: lines above it, below it and between its names and its rows.

A file edited by people often has a title, a line of units and a sum at the end. None of them is a data row, but
guessing silently is not safe: lines that look like them are rejected with a message that says how to omit and how to
keep them.
"""

import csv
import re
from collections import Counter
from typing import NamedTuple

import numpy as np

from ...errors import DataError
from ...request import ReadingOptions
from ..tables import Table
from ..texts import is_missing_mark, parse_numbers, plural

_SEPARATORS = "\t;,| "
_LOOK_AT = 400
"""Lines to check at either end of a file."""
_LOOK_AT_LAST = 20
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


class _Line(NamedTuple):
    """A non-empty line of a file: its number, from 1, and its fields."""

    number: int
    fields: list[str]


def start_of_line(content: bytes, line: int) -> int:
    """The position at which a line begins, counted from 1; the end of the text if it has fewer lines."""
    start = 0
    for _ in range(line - 1):
        start = content.find(b"\n", start) + 1
        if not start:
            return len(content)
    return start


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
    if table.has_header and options.header_line is None:
        _check_title(table, content)
    if table.has_header and options.skip_first is None:
        _check_first_row(table, options.header_line or 1)
    if not table.has_header and options.header is None:
        _check_names_below(table, content)
    if options.skip_last is None:
        _check_last_rows(table)


def place(error: DataError, content: bytes, options: ReadingOptions) -> DataError:
    """The error of reading a text, with choices added if the table seems to be a part of the file."""
    if options.cuts:
        return error
    lines = _lines(content)
    if not lines:
        return error
    widths = [len(line.fields) for line in lines]
    usual, times = Counter(widths).most_common(1)[0]
    if usual < 2 or times < 3 or times < len(widths) / 2:
        return error
    first = next(i for i, width in enumerate(widths) if width == usual)
    last = next(i for i, width in enumerate(reversed(widths)) if width == usual)
    if max(first, last) > _MOST_TITLES or (first and any(map(_NUMBER.match, lines[first].fields))):
        # data rows, but no title, names or footer
        return error
    if not first and not last:
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


def _lines(content: bytes) -> list[_Line]:
    """The first and last non-empty lines, by the separator that fits best."""
    best: tuple[int, list[_Line]] = (0, [])
    n_lines = content.count(b"\n") + 1
    # a list of millions of lines would take many times the memory of the text
    first = content.split(b"\n", _LOOK_AT)[:_LOOK_AT]
    n_last = min(_LOOK_AT, n_lines - len(first))
    last = content.rsplit(b"\n", n_last)[1:]
    ends = [(i, line.decode()) for i, line in [*enumerate(first, 1), *enumerate(last, n_lines - n_last + 1)]]
    for separator in _SEPARATORS:
        blank = " " if separator == "\t" else " \t"
        filled = [(number, row) for number, row in ends if row.strip(blank)]
        texts = [row.strip() if separator == " " else row for _, row in filled]
        try:
            fields = list(csv.reader(texts, delimiter=separator, skipinitialspace=separator == " "))
        except csv.Error:
            continue
        if len(fields) != len(filled):
            # a quoted text continues on the next line, so line numbers are unknown
            continue
        times = max(Counter(len(row) for row in fields if len(row) > 1).values(), default=0)
        if times > best[0]:
            best = times, [_Line(number, row) for (number, _), row in zip(filled, fields, strict=True)]
    return best[1]


def _check_title(table: Table, content: bytes) -> None:
    """Reject a table whose first line names at most one of many columns."""
    named = [name for j, name in enumerate(table.names) if name != f"column {j + 1}"]
    if len(table.names) < _LEAST_WIDTH or len(named) > 1:
        return
    lines = _lines(content)
    most = max(len(table.names) // 2, 1)
    full = (line.number for line in lines[1:] if sum(bool(field.strip()) for field in line.fields) > most)
    title = f" ('{named[0]}')" if named else ""
    raise _title(f"The first line names {len(named)} of {len(table.names)} columns{title}", next(full, None))


def _check_names_below(table: Table, content: bytes) -> None:
    """Reject a table without header if a line of names is below its first lines."""
    for row in range(min(_MOST_TITLES, table.n_rows - _LEAST_ROWS)):
        if _words_above_numbers(table, row):
            lines = _lines(content)
            number = lines[row].number if row < len(lines) else None
            raise _title(f"Row {row + 1} has words above numbers", number)


def _title(what: str, number: int | None) -> DataError:
    where = f"; the names seem to be in line {number}" if number else ""
    return DataError(
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
    tail = _last_rows(table, _LOOK_AT)
    filled = (tail != "").sum(axis=1)
    if len(table.names) > _LOOK_AT and filled[-1] <= 2:
        tail = _last_rows(table, len(table.names))
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


def _last_rows(table: Table, n_columns: int) -> np.ndarray:
    """The last rows of the first columns as texts, object (n_rows, n_columns)."""
    rows = slice(max(table.n_rows - _LOOK_AT_LAST, 0), None)
    columns = [table.columns[name].cells(rows) for name in table.names[:n_columns]]
    return np.array(columns, object).reshape(len(columns), -1).T


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
