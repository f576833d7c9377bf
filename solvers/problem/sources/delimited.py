"""A text file, of which lines may be left out."""

from dataclasses import replace

from solvers.errors import DataError, TableSizeError
from solvers.problem import text_tables
from solvers.problem.file_text import decode
from solvers.problem.sources.cells import last_rows, without_empty_end
from solvers.problem.sources.layout import check, cut, placed, with_whole_header
from solvers.problem.sources.options import ReadingOptions
from solvers.problem.tables import Table
from solvers.problem.texts import plural

_LOOK_AT = 200
"""Columns that nearly always tell whether a row is empty."""


def read_delimited(
    raw: bytes, name: str, options: ReadingOptions, max_mb: float, max_columns: int, odd: str = text_tables.ODD
) -> Table:
    """Read a table from the unpacked bytes of a text file; what an odd line may have is called `odd`.

    Raises
    ------
    DataError
        As `text_tables.read_table`; also where rows seem to be none, see `solvers.problem.sources.layout`.
    """
    content, encoding = raw, options.encoding
    notes: tuple[str, ...] = ()
    if options.cuts:
        text, encoding = decode(raw, options.encoding)
        content, notes = cut(text, options).encode(), _notes(options, encoding)
    try:
        table = text_tables.read_table(
            content,
            name=name,
            header=True if options.header_line else options.header,
            encoding="utf-8" if options.cuts else options.encoding,
            max_mb=max_mb,
            max_columns=max_columns,
            deduplicate_names=options.deduplicate_names,
            chosen=options.chosen,
            odd=odd,
        )
    except TableSizeError:
        raise
    except DataError as error:
        whole = None if options.cuts or options.header is False else _with_whole_header(raw, options)
        if whole is not None:
            return _with_first_column(whole, name, options, max_mb, max_columns, odd)
        raise _placed(error, raw, options) from None
    if len(table.names) == 1 and not options.cuts and options.header is not False:
        whole = _with_whole_header(raw, options)
        if whole is not None:
            return _with_first_column(whole, name, options, max_mb, max_columns, odd)
        _check_only_column(table)
    if options.cuts:
        table = replace(table, encoding=encoding)
    table = _without_empty_end(replace(table, notes=(*notes, *table.notes)))
    check(table, lambda: decode(raw, options.encoding)[0], options)
    return table


def _check_only_column(table: Table) -> None:
    """Refuse a table whose only name and all of whose cells hold what parts the fields of other files."""
    name = table.names[0]
    texts = [one for one in table.texts(name).text if one]
    for separator in (mark for mark in ";\t|," if name.count(mark) > (mark == ",")):
        if all(
            text.count(separator) == name.count(separator) or (separator != "," and separator in text) for text in texts
        ):
            raise DataError(
                f"Each line is one field, although '{separator}' stands in all of them. Take away quotes around whole "
                "lines, and give each line as many fields as the header has."
            )


def _notes(options: ReadingOptions, encoding: str) -> tuple[str, ...]:
    """What was left out, in sentences."""
    notes = []
    if options.header_line and options.header_line > 1:
        notes.append(f"Line {options.header_line} names the columns; what stands above it is left out.")
    left_out = [
        f"{plural(count, 'row')} {where}"
        for count, where in ((options.skip_first, "below the names"), (options.skip_last, "at the end"))
        if count
    ]
    if left_out:
        notes.append(f"Left out: {' and '.join(left_out)}.")
    if encoding not in ("utf-8", "utf-8-sig"):
        notes.append(f"The text is read as {encoding}.")
    return tuple(notes)


def _with_first_column(
    whole: bytes, name: str, options: ReadingOptions, max_mb: float, max_columns: int, odd: str
) -> Table:
    """The table of a file whose header was completed."""
    table = read_delimited(whole, name, replace(options, encoding=None, header=True), max_mb, max_columns, odd)
    note = "The header has one name fewer than the rows have fields; the first column is called 'row'."
    return replace(table, notes=(note, *table.notes)) if "row" in table.names else table


def _with_whole_header(raw: bytes, options: ReadingOptions) -> bytes | None:
    try:
        text, _ = decode(raw, options.encoding)
    except DataError:
        return None
    whole = with_whole_header(text)
    return None if whole is None else whole.encode()


def _placed(error: DataError, raw: bytes, options: ReadingOptions) -> DataError:
    try:
        text, _ = decode(raw, options.encoding)
    except DataError:
        return error
    return placed(error, text, options)


def _without_empty_end(table: Table) -> Table:
    """The table without rows at its end in which nothing stands, as spreadsheets write them."""
    if len(table.names) < 2 or (last_rows(table, 1, _LOOK_AT) != "").any():
        return table
    shorter = without_empty_end(table)
    n_last = table.n_rows - shorter.n_rows
    if not n_last:
        return table
    if n_last == 1:
        note = "1 row at the end without any value is left out."
    else:
        note = f"{n_last} rows at the end without any value are left out."
    return replace(shorter, notes=(*table.notes, note))
