"""A sheet of a workbook: Excel (.xlsx, .xlsm, .xlsb, .xls) or OpenDocument (.ods).

The sheet is converted to the text that a spreadsheet would save as CSV, line by line. So header, names and spellings
are read by the same rules as in a text file, and line numbers are those of the sheet's rows.
"""

import csv
import io
import re
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import Any, Literal

from ...errors import DataError, EspalierError, MissingPackageError
from ...request import ReadingOptions
from ..texts import cell_text, plural, quoted
from .file_text import check_size, reading, too_large

_CELL = re.compile(rb'\sr="([A-Z]{1,3})(\d{1,7})"')
_FORMULA_CELL = re.compile(rb"<c\b([^>]*)>(<f\b(?:(?!</c>).)*)</c>", re.DOTALL)
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]+")
_MOST_OFFERED = 8
_MOST_NAMED_MB = 20
_reading = partial(reading, "a workbook", "Open it in a spreadsheet and save it again")


def sheet_text(raw: bytes, options: ReadingOptions) -> tuple[str, str]:
    """A sheet as tab-separated text, with a line for each of its rows, and a sentence that names the sheet.

    A cell that was merged from several rows is repeated in each of them.

    Parameters
    ----------
    raw : the content of the file.
    options : the sheet, and the limit for the unpacked file and for the sheet as text.

    Raises
    ------
    DataError
        The file cannot be read, is protected by a password, has no such sheet, or no cells; beyond the limits it is a
        `TableSizeError`.
    """
    _check_archive(raw, options.max_mb)
    workbook = _opened(raw)
    names = tuple(workbook.sheet_names)
    chosen = _chosen(names, options.sheet)
    with _reading():
        for one in (chosen,) if chosen is not None else names:
            sheet = workbook.get_sheet_by_name(one)
            rows = sheet.to_python(skip_empty_area=False)
            n_filled = sum(any(cell != "" for cell in row) for row in rows)
            # a title alone is no table
            if n_filled > (chosen is None):
                break
        else:
            where = f"The sheet '{chosen}' has" if chosen is not None else "Below their first rows, the sheets have"
            others = [{"sheet": name} for name in names[:_MOST_OFFERED] if name != chosen]
            raise DataError(
                f"{where} no cells with a value. Choose another sheet, or another file.",
                choices=others if chosen is not None else (),
            )
        for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
            if left == right:
                for row in rows[top : bottom + 1]:
                    row[left] = rows[top][left]
    return _as_text(rows, options.max_mb), f"The sheet '{one}' is read{_of_others(names, one)}."


def sheet_names(raw: bytes) -> tuple[str, ...]:
    """The sheets of a workbook; empty if it cannot be read or unpacks to more than 20 MB."""
    if len(raw) > _MOST_NAMED_MB * 1e6:
        return ()
    try:
        _check_archive(raw, _MOST_NAMED_MB)
        return tuple(_opened(raw).sheet_names)
    except EspalierError:
        # the reader of a sheet reports the error
        return ()


def _calamine() -> Any:
    try:
        import python_calamine
    except ImportError as error:
        raise MissingPackageError(
            f"Excel files need the package python-calamine ({error}). Install it with pip, or save the sheet as CSV."
        ) from None
    return python_calamine


def _opened(raw: bytes) -> Any:
    calamine = _calamine()
    with _reading():
        try:
            return calamine.CalamineWorkbook.from_filelike(io.BytesIO(raw))
        except calamine.PasswordError:
            raise DataError(
                "The workbook is protected by a password, so its cells cannot be read. Save it without a password."
            ) from None


def _check_archive(raw: bytes, max_mb: float) -> None:
    """Reject a packed workbook, before it is opened, whose cells would fill the memory or whose formulas lack results.

    It unpacks to too much, or a cell is so far away that the rectangle of all cells would be too large. The cell of a
    formula whose result is not stored would count as missing.
    """
    if not raw.startswith(b"PK"):
        return
    empty: list[str] = []
    with _reading(), zipfile.ZipFile(io.BytesIO(raw)) as archive:
        if sum(part.file_size for part in archive.infolist()) > max_mb * 1e6:
            raise too_large(
                f"The workbook unpacks to more than {max_mb:g} MB", max_mb, "Leave out sheets, columns or rows"
            )
        for name in archive.namelist():
            if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                sheet = archive.read(name)
                _check_extent(sheet, max_mb)
                empty += _empty_formulas(sheet)
    if empty:
        raise DataError(
            f"The workbook has {plural(len(empty), 'cell')} with a formula whose result is not stored (first: "
            f"{empty[0]}). Open it in a spreadsheet and save it once, which stores the results."
        )


def _check_extent(sheet: bytes, max_mb: float) -> None:
    """Reject a sheet with a cell so far away that the rectangle of all cells would fill the memory."""
    last_row, last_column = 1, b"A"
    for column, row in _CELL.findall(sheet):
        last_row = max(last_row, int(row))
        last_column = max(last_column, column, key=lambda one: (len(one), one))
    n_columns = 0
    for letter in last_column:
        n_columns = 26 * n_columns + letter - 64
    place = f"A sheet has a cell in column {last_column.decode()}, row {last_row:,}, which makes a table of"
    check_size(place, last_row, n_columns, max_mb, remedy="Delete stray cells (Ctrl+End finds the last one)")


def _empty_formulas(sheet: bytes) -> Iterator[str]:
    """The places of the cells with a formula whose result is not stored."""
    for cell in _FORMULA_CELL.finditer(sheet):
        stored = re.search(rb"<v[^>/]*>[^<]", cell[2]) or (b't="str"' in cell[1] and b"<v" in cell[2])
        if not stored and (place := re.search(rb'\br="([A-Z]+\d+)"', cell[1])):
            yield place[1].decode()


def _chosen(names: tuple[str, ...], sheet: str | None) -> str | None:
    """The name of the sheet that was chosen by name or number."""
    if sheet is None or sheet in names:
        return sheet
    if sheet.isdecimal() and 1 <= int(sheet) <= len(names):
        return names[int(sheet) - 1]
    raise DataError(
        f"There is no sheet '{sheet}'. The workbook has {quoted(names, 20)}; choose one by "
        f"its name or its number (--sheet on the command line).",
        choices=[{"sheet": name} for name in names[:_MOST_OFFERED]],
    )


def _of_others(names: tuple[str, ...], chosen: str) -> str:
    others = [name for name in names if name != chosen]
    return f", and not {quoted(others, 6)}" if others else ""


def _as_text(rows: list[list[Any]], max_mb: float) -> str:
    out = io.StringIO()
    # quote the texts of an only column, so that blanks and commas in them do not separate fields
    only_one = max(map(len, rows), default=0) == 1
    quoting: Literal[0, 1] = csv.QUOTE_ALL if only_one else csv.QUOTE_MINIMAL
    write = csv.writer(out, delimiter="\t", lineterminator="\n", quoting=quoting).writerow
    for row in rows:
        cells = [_text(cell) for cell in row]
        if any(cells):
            write(cells)
            if out.tell() > max_mb * 1e6:
                raise too_large(f"The sheet has more than {max_mb:g} MB of text", max_mb)
        else:
            out.write("\n")
    return out.getvalue()


def _text(cell: Any) -> str:
    """The text of a cell in a CSV file."""
    if isinstance(cell, str):
        return _UNPRINTABLE.sub(" ", cell).strip()
    if isinstance(cell, datetime):
        return _moment(cell)
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, time):
        return cell.isoformat("seconds")
    if isinstance(cell, timedelta):
        return cell_text(cell.total_seconds() / 3600)
    return cell_text(cell)


def _moment(cell: datetime) -> str:
    """A date, with its time unless it is midnight; spreadsheets store times only to the millisecond."""
    whole = (cell + timedelta(milliseconds=500)).replace(microsecond=0)
    return whole.date().isoformat() if whole.time() == time() else whole.isoformat(" ")
