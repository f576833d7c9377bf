"""From typed columns, as pyarrow has them, to a table that says the same as a CSV file of these rows would."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from solvers.errors import DataError, MissingPackageError, TableSizeError
from solvers.problem.bulk_columns import distinct_cells, numbers_among
from solvers.problem.column_names import number_repeated, refuse_repeated
from solvers.problem.number_spellings import plain_spelling
from solvers.problem.plain_numbers import ARROW, MOST_EXACT, SHORTEST, Cells, Numbers, numbers_of
from solvers.problem.tables import Table
from solvers.problem.texts import Spelling, abbreviated, as_met, is_missing_mark

if TYPE_CHECKING:
    import pyarrow as pa

_LONGEST_CELL = 131_072
_LARGEST_WHOLE = 2.0**53
_SHORTEST_CELL = 2
"""Bytes that a cell takes in a text file: one for what it says and one for the separator."""


def pyarrow() -> Any:
    """The package; `MissingPackageError` where it is not installed."""
    try:
        import pyarrow
    except ImportError as error:
        raise MissingPackageError(
            f"Parquet, Feather and databases need the package pyarrow ({error}). Install it with pip, or save the "
            f"table as CSV."
        ) from None
    return pyarrow


@contextmanager
def reading(kind: str) -> Iterator[Any]:
    """Give the package, and say in words what it finds wrong with a file of this kind."""
    pa = pyarrow()
    try:
        yield pa
    except DataError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise DataError(
            f"The {kind} file cannot be read ({reason(error)}). Write it again, or save it as CSV."
        ) from None


def reason(error: Exception) -> str:
    """What a reader says is wrong with a file, in one line."""
    return " ".join(str(error).split())[:200] or type(error).__name__


def check_size(n_rows: int, n_columns: int, max_mb: float, max_columns: int) -> None:
    """Refuse a table, before its cells are read, that would be beyond the limits as a text file."""
    if n_columns > max_columns:
        raise TableSizeError(
            f"A table must have at most {max_columns:,} columns. Got {n_columns:,}. Leave columns out, for instance "
            f"those that hardly vary."
        )
    if n_rows * n_columns * _SHORTEST_CELL > max_mb * 1e6:
        raise too_large(f"has {n_rows:,} rows and {n_columns:,} columns", max_mb)


def too_large(what: str, max_mb: float) -> TableSizeError:
    """The refusal of a table that is beyond the limit for its size."""
    return TableSizeError(
        f"The table {what}: as text that is more than {max_mb:g} MB, which is the limit. Leave out columns or rows, or "
        f"raise the limit (max_mb in Python, --max-mb on the command line)."
    )


def table_of_arrow(
    table: "pa.Table",
    name: str,
    *,
    deduplicate_names: bool = False,
    chosen: Spelling = Spelling(),  # noqa: B008 - immutable
    notes: tuple[str, ...] = (),
    max_mb: float = 1e6,
) -> Table:
    """A table from typed columns.

    Numbers stay numbers, dates become year-month-day (with the time where one is not midnight), truth values 'true' and
    'false', and null and NaN ''. Texts are read as those of a text file: '1,5' in a column of numbers is 1.5.

    Parameters
    ----------
    table : the columns.
    name : what to call it.
    deduplicate_names : whether names that come twice are numbered; otherwise they are refused.
    chosen : how cells such as '1,125' and 03/04/2024 are read, where a column of texts does not show it.
    notes : what to say about it first.
    max_mb : the limit for all texts together.

    Raises
    ------
    DataError
        It has no rows or no columns, a name comes twice, or a cell is too long.
    """
    pa = pyarrow()
    try:
        names = [" ".join(str(one).split()) or f"column {j + 1}" for j, one in enumerate(table.column_names)]
    except UnicodeDecodeError as error:
        raise DataError(f"The names of the columns cannot be read ({reason(error)}). Write the file again.") from None
    names = number_repeated(names) if deduplicate_names else refuse_repeated(names)
    columns: dict[str, Cells] = {}
    orders: dict[str, tuple[str, ...]] = {}
    texts, left_out = [], []
    size = 0
    for one, column in zip(names, table.columns, strict=True):
        numbers = _numbers(pa, column)
        if numbers is not None:
            columns[one] = numbers
            continue
        if size + _size_unpacked(pa, column) > max_mb * 1e6:
            raise too_large(f"holds more than {max_mb:g} MB of texts", max_mb)
        try:
            column = column.unify_dictionaries()
            cells = as_texts(pa, _different(pa, column))
        except (pa.ArrowException, ValueError) as error:
            raise DataError(f"The column '{one}' cannot be read ({reason(error)}). Leave it out of the file.") from None
        if cells is None:
            left_out.append(f"'{one}'")
            continue
        size += cells.nbytes
        if size > max_mb * 1e6 + 16 * table.num_rows * table.num_columns:
            raise too_large(f"holds more than {max_mb:g} MB of texts", max_mb)
        _check_cells(pa, one, cells)
        columns[one] = _cells(pa, column, cells)
        if pa.types.is_dictionary(column.type) and column.type.ordered:
            orders[one] = tuple(dict.fromkeys(text for text in cells.to_pylist() if not is_missing_mark(text)))
        if _is_text(pa, column.type):
            texts.append(one)
    if not columns or not table.num_rows:
        raise DataError("The table has no rows or no columns. Choose one with at least two rows.")
    if left_out:
        notes += (f"Left out, since their cells hold lists, records or bytes: {abbreviated(left_out)}.",)
    plain = plain_spelling({one: columns[one] for one in texts}, None, chosen)
    return Table(
        name=name,
        columns=columns | plain.columns,
        decimal=plain.decimal,
        notes=notes + plain.notes,
        spellings=plain.spellings,
        chosen=chosen,
        levels=orders,
    )


def _numbers(pa: Any, column: "pa.ChunkedArray") -> Numbers | None:
    """A column of typed numbers as such; `None` for other types, and where one is infinite or has too many digits."""
    import pyarrow.compute as pc

    whole = pa.types.is_integer(column.type)
    if not len(column) or not (whole or pa.types.is_float64(column.type)):
        return None
    if whole:
        least, most = pc.min_max(column).as_py().values()
        if least is None or least <= -MOST_EXACT or most >= MOST_EXACT:
            return None
        column = column.cast(pa.float64())
    value = column.to_numpy()
    return numbers_of(value, SHORTEST if whole else ARROW)


def _different(pa: Any, column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    """The different cells of a column that holds each once, all cells of any other."""
    if not pa.types.is_dictionary(column.type):
        return column
    return pa.chunked_array([part.dictionary for part in column.chunks[:1]], column.type.value_type)


def _cells(pa: Any, column: "pa.ChunkedArray", texts: "pa.ChunkedArray") -> Cells:
    """A column from its cells as texts, or from its different ones where it holds each once."""
    if not pa.types.is_dictionary(column.type):
        return distinct_cells(texts.dictionary_encode())
    code = np.concatenate([part.indices.fill_null(len(texts)).to_numpy() for part in column.chunks])
    found = as_met(code, [*texts.to_pylist(), ""])
    return numbers_among(found) or found


def _size_unpacked(pa: Any, column: "pa.ChunkedArray") -> int:
    """Bytes of the texts of a column that holds each different text once; 0 of any other."""
    if not pa.types.is_dictionary(column.type) or not _is_text(pa, column.type):
        return 0
    import pyarrow.compute as pc

    parts = (pc.sum(pc.binary_length(part.dictionary).take(part.indices)).as_py() for part in column.chunks)
    return sum(filter(None, parts))


def _is_text(pa: Any, kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def as_texts(pa: Any, column: "pa.ChunkedArray") -> "pa.ChunkedArray | None":
    """The cells of a column as texts; `None` where they are no single values."""
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if pa.types.is_null(kind):
        column = pa.nulls(len(column), pa.string())
        return pa.chunked_array([column.fill_null("")])
    if pa.types.is_floating(kind):
        column = _floats(pc, pa, column)
    elif pa.types.is_timestamp(kind):
        column = _times(pc, pa, column)
    elif pa.types.is_date(kind) and not pa.types.is_date32(kind):
        column = column.cast(pa.date32())
    elif _is_text(pa, kind):
        column = pc.utf8_trim_whitespace(column.cast(pa.large_string()))
    elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return None
    elif pa.types.is_duration(kind):
        column = _floats(pc, pa, pc.divide(column.cast(pa.duration("ms")).cast(pa.int64()).cast(pa.float64()), 3.6e6))
    elif pa.types.is_decimal(kind):
        column = pc.replace_substring_regex(column.cast(pa.string()), r"\.0+$", "")
    try:
        return column.cast(pa.large_string()).fill_null("")
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return None


def _floats(pc: Any, pa: Any, column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    """Whole numbers without a decimal point, the shortest text that reads back as the same number otherwise."""
    if pa.types.is_float16(column.type):
        column = column.cast(pa.float32())
    known = pc.if_else(pc.is_nan(column), None, column)
    whole = pc.all(pc.and_(pc.equal(known, pc.floor(known)), pc.less(pc.abs(known), _LARGEST_WHOLE))).as_py()
    return known.cast(pa.int64()) if whole else known.cast(pa.large_string())


def _times(pc: Any, pa: Any, column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    """Dates where all times are midnight, otherwise the time to the second, or finer where one is.

    Moments with a time zone are in UTC, always with the time and a 'Z' behind it.
    """
    zoned = column.type.tz is not None
    if zoned:
        column = column.cast(pa.timestamp(column.type.unit))
    for unit, kind in (("day", pa.date32()), ("second", pa.timestamp("s")))[zoned:]:
        if pc.all(pc.equal(column, pc.floor_temporal(column, unit=unit))).as_py() is not False:
            column = column.cast(kind)
            break
    return pc.binary_join_element_wise(column.cast(pa.string()), "Z", "") if zoned else column


def _check_cells(pa: Any, name: str, cells: "pa.ChunkedArray") -> None:
    import pyarrow.compute as pc

    longest = pc.max(pc.binary_length(cells)).as_py() or 0
    if longest > _LONGEST_CELL:
        raise DataError(
            f"The column '{name}' has a cell of {longest:,} bytes; a cell must have at most {_LONGEST_CELL:,}. Leave "
            f"the column out."
        )
