"""From a text file to a table of texts: separator, quotes, header, ragged rows, local spellings.

    table = read_table("patients.csv")
    table.notes        # ("Fields are separated by semicolons.", "Decimal commas are read in the column 'bmi'.")

Nothing is typed here; a `Table` holds what the file says, with numbers and dates in plain spelling, so that
`diagram.predict(read_table("new.csv").frame)` understands the same files that a model was made from.
"""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pandas as pd

from solvers.errors import DataError, TableSizeError
from solvers.language import msgid
from solvers.problem.column_names import number_repeated, refuse_repeated
from solvers.problem.file_text import decode, read_bytes
from solvers.problem.number_spellings import plain_spelling
from solvers.problem.texts import cell_text, is_missing_mark, parse_numbers, plural

BLANKS = " "
"""The separator 'runs of blanks'."""

_SEPARATORS = {
    "\t": msgid("tabs"),
    ";": msgid("semicolons"),
    ",": msgid("commas"),
    "|": msgid("vertical bars"),
    BLANKS: msgid("blanks"),
}
_LOOK_AT = 200
"""The number of lines, and of columns, that separator and header are recognised from."""
_BLOCK = 1 << 22
"""Characters that are cut into lines at a time: as texts of their own they take many times the memory."""

MAX_COLUMNS = 50_000
"""A table of more columns is refused: each has its type, its line on the screen and its tests in a search."""


@dataclass(frozen=True)
class Table:
    """A table of texts, as a file gave it.

    Attributes
    ----------
    name : the file's name without its ending.
    frame : the cells as texts, '' where there is nothing; numbers and dates in plain spelling ('1.5', '2024-01-31').
    separator : what stood between the fields (' ' for runs of blanks); `None` where there was no text file.
    encoding : the character encoding; `None` where there was no text file.
    decimal : the decimal mark of the file, '.' or ','.
    has_header : whether the first line gave the names; otherwise the columns are named '0', '1', ...
    notes : sentences about what was recognised.
    outcome : the column that the source itself calls the outcome, if it does.
    """

    name: str
    frame: pd.DataFrame
    separator: str | None = None
    encoding: str | None = None
    decimal: str = "."
    has_header: bool = True
    notes: tuple[str, ...] = ()
    outcome: str | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows, without the header."""
        return len(self.frame)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.frame.columns)


def read_table(
    source: Path | str | bytes | BinaryIO,
    *,
    name: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    max_mb: float = 200,
    max_columns: int = MAX_COLUMNS,
    number_names: bool = False,
    day_first: bool | None = None,
) -> Table:
    """Read a table from a text file, packed with gzip or not.

    Parameters
    ----------
    source : a path, the content of a file, or an open binary file.
    name : what to call the table; by default the file's name without its ending.
    header : whether the first line names the columns; by default this is recognised.
    encoding : the character encoding, one of `solvers.problem.file_text.ENCODINGS`; by default it is recognised.
    max_mb : the limit for the file, and for what it unpacks to, in MB.
    max_columns : the limit for the columns.
    number_names : whether names that come twice are numbered; otherwise they are refused.
    day_first : whether 03/04/2024 is the third of April, where a column does not show it.

    Raises
    ------
    DataError
        There is no such file, it is too large, no text, mixes encodings, is empty, without rows, has rows of different
        lengths, or two columns of one name. Rows in messages are counted from 1, without the header and without empty
        lines. A file or a table beyond the limits is a `TableSizeError`.
    """
    text, encoding = decode(read_bytes(source, max_mb), encoding)
    text, separator = _without_separator_line(text)
    if separator is None:
        separator = _recognise_separator(text)
    _check_n_columns(_first_width(text, separator), max_columns)
    content, widths = _lines(text, separator)
    _check_n_columns(int(widths.max(initial=0)), max_columns)
    has_header = _recognise_header(_first_rows(content, separator)) if header is None else header
    _check_widths(widths, has_header)
    cells = _parse(content, separator)
    notes = [msgid(f"Fields are separated by {_SEPARATORS[separator]}.")] if len(cells.columns) > 1 else []
    if header is None:
        notes.append(msgid("The first line names the columns.") if has_header else msgid("There is no header line."))
    if encoding not in ("utf-8", "utf-8-sig"):
        notes.append(msgid(f"The text is read as {encoding}."))
    frame, column_notes = _with_names(cells, has_header, number_names)
    frame, decimal, spelling_notes = plain_spelling(frame, separator, day_first)
    return Table(
        name=name or name_of(source),
        frame=frame,
        separator=separator,
        encoding=encoding,
        decimal=decimal,
        has_header=has_header,
        notes=(*notes, *column_notes, *spelling_notes),
    )


def table_of_frame(frame: pd.DataFrame, name: str, outcome: str | None = None) -> Table:
    """A table of texts from a data frame of any types.

    Parameters
    ----------
    frame : the rows; its headers become texts.
    name : what to call it.
    outcome : the column that the source calls the outcome.
    """
    texts = {str(header): pd.Series([cell_text(cell) for cell in frame[header]], dtype=str) for header in frame.columns}
    if len(texts) < len(frame.columns):
        raise DataError(f"The table '{name}' has two columns of one name. Rename one.")
    notes = (msgid(f"'{outcome}' is the outcome, says the source."),) if outcome else ()
    return Table(name=name, frame=pd.DataFrame(texts), notes=notes, outcome=outcome)


def name_of(source: Path | str | bytes | BinaryIO) -> str:
    """What to call a table from a file: the file's name without its ending."""
    path = source if isinstance(source, str | Path) else getattr(source, "name", None)
    if not isinstance(path, str | Path):
        return "table"
    path = Path(path)
    return (Path(path.stem) if path.suffix == ".gz" else path).stem or "table"


def _without_separator_line(text: str) -> tuple[str, str | None]:
    """Take off the line 'sep=;' that spreadsheets write ahead of the header."""
    match = re.match(r"sep=([,;|\t])\s*?(?:\r\n|\n|\r)", text)
    return (text[match.end() :], match.group(1)) if match else (text, None)


def _rows(content: bytes, separator: str) -> Iterator[list[str]]:
    """The fields of each line that is not empty; slower than pandas, but it says where a line goes wrong.

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


def _first_rows(content: bytes, separator: str) -> list[list[str]]:
    """The fields of the first lines in at most `_LOOK_AT` columns, evenly spread; of lines as long as the first."""
    rows: list[list[str]] = []
    picked: range | list[int] = range(0)
    width = 0
    for row in islice(_rows(content, separator), _LOOK_AT):
        if not rows:
            width = len(row)
            picked = range(0, width, -(-width // _LOOK_AT))
        if len(row) == width:
            rows.append([row[j] for j in picked])
    return rows


def _recognise_separator(text: str) -> str:
    """The separator that cuts the first lines into equally many fields, and into numbers where two of them do."""
    head = text[: 1 << 18]
    if len(head) < len(text):
        head = head[: max(head.rfind("\n"), head.rfind("\r")) + 1] or head
    content = head.encode()
    best, best_score = ",", (0.0, 0.0)
    for separator in _SEPARATORS:
        try:
            rows = list(islice(_rows(content, separator), _LOOK_AT))
        except DataError:
            continue
        widths = np.array([len(row) for row in rows])
        usual = int(np.bincount(widths).argmax()) if len(rows) else 0
        if usual < 2:
            continue
        even = float((widths == usual).mean())
        fields = [field.replace(",", ".") for row in rows[1:] for field in row]
        numeric = float((~np.isnan(parse_numbers(fields))).mean()) if fields else 0.0
        score = (float(even >= 0.9) + float(widths[0] == usual) / 2, round(numeric, 1) if even == 1 else 0.0)
        if score > best_score:
            best, best_score = separator, score
    return best


def _check_n_columns(n_columns: int, most: int) -> None:
    """Refuse a table of too many columns, before anything is made of each."""
    if n_columns > most:
        raise TableSizeError(
            f"A table must have at most {most:,} columns. The first line has {n_columns:,}. Leave columns out, "
            f"for instance those that hardly vary; if each line is a variable and each column a case, swap the two."
        )


def _first_width(text: str, separator: str) -> int:
    """The number of fields of the first line; where a quote goes on in the second line, of what stands before."""
    first = re.search(r"[^\r\n]+", text)
    line = first.group() if first else ""
    if '"' in line or separator == BLANKS:
        return len(next(_rows(line.encode(), separator), []))
    return line.count(separator) + 1


def _lines(text: str, separator: str) -> tuple[bytes, np.ndarray]:
    """The text as UTF-8 without its empty lines, and the number of fields of each line."""
    if '"' in text:
        content = text.encode()
        return content, np.fromiter((len(fields) for fields in _rows(content, separator)), np.int64)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    blank = " " if separator == "\t" else " \t"
    parts, widths = [], []
    start = 0
    while start < len(text):
        end = text.find("\n", start + _BLOCK) + 1 or len(text)
        lines = [line for line in text[start:end].split("\n") if line.strip(blank)]
        parts += ["\n".join(lines).encode()] if lines else []
        count = [len(line.split()) if separator == BLANKS else line.count(separator) + 1 for line in lines]
        widths.append(np.array(count, np.int64))
        start = end
    return b"\n".join(parts), np.concatenate(widths)


def _check_widths(widths: np.ndarray, has_header: bool) -> None:
    if len(widths) <= has_header:
        if has_header and len(widths):
            raise DataError("The file has a header line but no rows. Add at least two rows.")
        raise DataError("The file is empty. Choose a file with a header line and at least two rows.")
    odd = np.flatnonzero(widths != widths[0])
    if len(odd):
        row, here = int(odd[0]) + (0 if has_header else 1), plural(int(widths[odd[0]]), "field")
        first = msgid("the header") if has_header else msgid("the first row")
        others = msgid(f" ({len(odd)} rows differ)") if len(odd) > 1 else ""
        raise DataError(
            f"Row {row} has {here} where {first} has {widths[0]}{others}. Look there for a missing field, or for a "
            f"separator inside a text, which needs quotes around it. "
            f"Rows are counted from 1{msgid(', without the header') if has_header else ''}."
        )


def _parse(content: bytes, separator: str) -> pd.DataFrame:
    try:
        return pd.read_csv(
            io.BytesIO(content),
            sep=r"\s+" if separator == BLANKS else separator,
            header=None,
            dtype=str,
            na_filter=False,
            skipinitialspace=True,
        )
    except pd.errors.ParserError as error:
        raise DataError(f"The table cannot be read: {error}. Look for a quote that is never closed.") from None


def _recognise_header(rows: list[list[str]]) -> bool:
    """Whether the first line names the columns: each column gives its vote.

    For a header speak a text above numbers, and a text that does not come again in a column of few texts. Against it
    speak a number above numbers and a text that comes again. The position of a column may be its name.
    """
    if not rows:
        return False
    first, body = rows[0], rows[1:]
    votes = against = 0
    for j, cell in enumerate(first):
        below = [row[j].strip() for row in body if not is_missing_mark(row[j].strip())]
        cell = cell.strip()
        numeric = _is_number(cell)
        if not below or is_missing_mark(cell):
            continue
        if sum(map(_is_number, below)) >= 0.9 * len(below):
            votes += not numeric
            against += numeric and cell != str(j)
        elif cell in below or numeric:
            against += 1
        elif len(set(below)) <= max(len(below) / 2, 1):
            votes += 1
    if votes == against:
        return len(set(first)) == len(first) and not any(_is_number(cell.strip()) for cell in first)
    return votes > against


def _is_number(text: str) -> bool:
    return bool(re.match(r"[+-]?[\d.,]", text)) and not np.isnan(
        parse_numbers([text.replace(",", ".").rstrip(" %")])[0]
    )


def _with_names(cells: pd.DataFrame, has_header: bool, number_names: bool) -> tuple[pd.DataFrame, list[str]]:
    """The rows under their names, without a last column that a trailing separator made, and what to say about it."""
    notes: list[str] = []
    last = cells.columns[-1]
    if len(cells.columns) > 1 and (cells[last] == "").all():
        cells = cells.drop(columns=last)
        notes.append(msgid("Each line ends with a separator; the empty column behind it is left out."))
    if not has_header:
        return cells.set_axis([str(j) for j in range(len(cells.columns))], axis=1), notes
    names = [" ".join(str(cell).split()) for cell in cells.iloc[0]]
    nameless = [j for j, one in enumerate(names) if not one]
    for j in nameless:
        names[j] = f"column {j + 1}"
    if len(nameless) == 1:
        called = names[nameless[0]]
        notes.append(msgid(f"Column {nameless[0] + 1} has no name in the header; it is called '{called}'."))
    elif nameless:
        called = f"from '{names[nameless[0]]}' to '{names[nameless[-1]]}'"
        notes.append(
            msgid(f"{len(nameless)} columns have no name in the header; by their places they are called {called}.")
        )
    names = number_repeated(names) if number_names else refuse_repeated(names)
    return cells.iloc[1:].reset_index(drop=True).set_axis(names, axis=1), notes
