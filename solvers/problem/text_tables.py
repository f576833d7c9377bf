"""From a text file to a table: separator, quotes, header, ragged rows, local spellings.

    table = read_table("patients.csv")
    table.notes        # ("Decimal commas are read in the column 'bmi'.",)

Nothing is typed here; a `Table` holds what the file says, with numbers and dates in plain spelling, so that
`diagram.predict(read_table("new.csv"))` understands the same files that a model was made from.
"""

import re
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np

from solvers.errors import DataError, TableSizeError
from solvers.problem.column_names import number_repeated, refuse_repeated
from solvers.problem.file_text import as_utf_8, read_bytes
from solvers.problem.number_spellings import plain_spelling
from solvers.problem.plain_numbers import Cells
from solvers.problem.tables import Table, texts_of
from solvers.problem.text_lines import BLANKS, lines_of, rows
from solvers.problem.texts import Spelling, is_missing_mark, parse_numbers, plural

SEPARATORS = {
    "\t": "tabs",
    ";": "semicolons",
    ",": "commas",
    "|": "vertical bars",
    BLANKS: "blanks",
}
_LOOK_AT = 200
"""The number of lines, and of columns, that separator and header are recognised from."""
_HEAD = 1 << 18
"""The number of characters that the separator is recognised from."""

MAX_COLUMNS = 50_000
"""A table of more columns is refused: each has its type, its line on the screen and its tests in a search."""

ODD = "a separator inside a text or a decimal comma, which needs quotes around it"
"""What makes a line of a text file have too many fields."""


def read_table(
    source: Path | str | bytes | BinaryIO,
    *,
    name: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    max_mb: float = 200,
    max_columns: int = MAX_COLUMNS,
    deduplicate_names: bool = False,
    chosen: Spelling = Spelling(),  # noqa: B008 - immutable
    odd: str = ODD,
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
    deduplicate_names : whether names that come twice are numbered; otherwise they are refused.
    chosen : how cells such as '1,125' and 03/04/2024 are read, where a column does not show it.
    odd : what makes a row too long, for a message.

    Raises
    ------
    DataError
        There is no such file, it is too large, no text, mixes encodings, is empty, without rows, has rows of different
        lengths, or two columns of one name. Rows in messages are counted from 1, without the header and without empty
        lines. A file or a table beyond the limits is a `TableSizeError`.
    """
    content, encoding = as_utf_8(read_bytes(source, max_mb), encoding)
    content, separator = _without_separator_line(content)
    if separator is None:
        separator = _recognise_separator(content)
    _check_n_columns(_first_width(content, separator), max_columns)
    lines = lines_of(content, separator)
    del content
    _check_n_columns(int(lines.widths.max(initial=0)), max_columns)
    has_header = _recognise_header(_first_rows(lines.content, separator)) if header is None else header
    _check_widths(lines.widths, has_header, odd)
    first, cells = lines.columns(has_header)
    notes = []
    if header is None and not has_header:
        notes.append("There is no header line.")
    if encoding not in ("utf-8", "utf-8-sig"):
        notes.append(f"The text is read as {encoding}.")
    names, column_notes = _names(first, cells, deduplicate_names)
    plain = plain_spelling(dict(zip(names, cells, strict=False)), separator, chosen)
    return Table(
        name=name or name_of(source),
        columns=plain.columns,
        separator=separator,
        encoding=encoding,
        decimal=plain.decimal,
        has_header=has_header,
        notes=(*notes, *column_notes, *plain.notes),
        spellings=plain.spellings,
        chosen=chosen,
    )


def name_of(source: Path | str | bytes | BinaryIO) -> str:
    """What to call a table from a file: the file's name without its ending."""
    path = source if isinstance(source, str | Path) else getattr(source, "name", None)
    if not isinstance(path, str | Path):
        return "table"
    path = Path(path)
    return (Path(path.stem) if path.suffix == ".gz" else path).stem or "table"


def _without_separator_line(content: bytes) -> tuple[bytes, str | None]:
    """Take off the line 'sep=;' that spreadsheets write ahead of the header."""
    match = re.match(rb"sep=([,;|\t])\s*?(?:\r\n|\n|\r)", content)
    return (content[match.end() :], match.group(1).decode()) if match else (content, None)


def _first_rows(content: bytes, separator: str) -> list[list[str]]:
    """The fields of the first lines in at most `_LOOK_AT` columns, evenly spread; of lines as long as the first."""
    first: list[list[str]] = []
    picked: range | list[int] = range(0)
    width = 0
    for row in islice(rows(content, separator), _LOOK_AT):
        if not first:
            width = len(row)
            picked = range(0, width, -(-width // _LOOK_AT))
        if len(row) == width:
            first.append([row[j] for j in picked])
    return first


def _recognise_separator(content: bytes) -> str:
    """The separator that cuts the first lines into equally many fields, and into numbers where two of them do."""
    # a letter has four bytes at most
    text = content[: 4 * _HEAD].decode(errors="ignore")
    head = text[:_HEAD]
    if len(head) < len(text):
        head = head[: max(head.rfind("\n"), head.rfind("\r")) + 1] or head
    content = head.encode()
    best, best_score = ",", (0.0, 0.0)
    for separator in SEPARATORS:
        try:
            first = list(islice(rows(content, separator), _LOOK_AT))
        except DataError:
            continue
        widths = np.array([len(row) for row in first])
        usual = int(np.bincount(widths).argmax()) if len(first) else 0
        if usual < 2:
            continue
        even = float((widths == usual).mean())
        fields = [field.replace(",", ".") for row in first[1:] for field in row]
        numeric = float((~np.isnan(parse_numbers(fields))).mean()) if fields else 0.0
        table = even >= 0.9 and widths[0] in (usual - 1, usual)
        if separator == BLANKS and not table and numeric < 0.5:
            continue  # sentences
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


def _first_width(content: bytes, separator: str) -> int:
    """The number of fields of the first line; where a quote goes on in the second line, of what stands before."""
    first = re.search(rb"[^\r\n]+", content)
    line = first.group() if first else b""
    if b'"' in line or separator == BLANKS:
        return len(next(rows(line, separator), []))
    return line.count(separator.encode()) + 1


def _check_widths(widths: np.ndarray, has_header: bool, odd: str) -> None:
    if len(widths) <= has_header:
        if has_header and len(widths):
            raise DataError("The file has a header line but no rows. Add at least two rows.")
        raise DataError("The file is empty. Choose a file with a header line and at least two rows.")
    differ = np.flatnonzero(widths != widths[0])
    if len(differ):
        row, here = int(differ[0]) + (0 if has_header else 1), plural(int(widths[differ[0]]), "field")
        first = "the header" if has_header else "the first row"
        others = f" ({len(differ)} rows differ)" if len(differ) > 1 else ""
        raise DataError(
            f"Row {row} has {here} where {first} has {widths[0]}{others}. Look there for a missing field, or for "
            f"{odd}. Rows are counted from 1{', without the header' if has_header else ''}."
        )


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


def _names(header: list[str] | None, cells: list[Cells], deduplicate_names: bool) -> tuple[list[str], list[str]]:
    """The names of the columns, without last ones that separators at the end make, and what to say about them."""
    notes: list[str] = []
    n_columns = len(cells)
    while n_columns > 1 and not (header and header[n_columns - 1]) and texts_of(cells[n_columns - 1]).text == ("",):
        n_columns -= 1
    if n_columns == len(cells) - 1:
        notes.append("Each line ends with a separator; the empty column behind it is left out.")
    elif n_columns < len(cells):
        notes.append("The lines end with separators; the empty columns behind them are left out.")
    if header is None:
        return [str(j) for j in range(n_columns)], notes
    names = [" ".join(cell.split()) for cell in header[:n_columns]]
    nameless = [j for j, one in enumerate(names) if not one]
    for j in nameless:
        names[j] = f"column {j + 1}"
    if len(nameless) == 1:
        called = names[nameless[0]]
        notes.append(f"Column {nameless[0] + 1} has no name in the header; it is called '{called}'.")
    elif nameless:
        called = f"from '{names[nameless[0]]}' to '{names[nameless[-1]]}'"
        notes.append(f"{len(nameless)} columns have no name in the header; by their places they are called {called}.")
    return number_repeated(names) if deduplicate_names else refuse_repeated(names), notes
