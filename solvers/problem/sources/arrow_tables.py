"""Parquet and Feather files, and typed pyarrow columns, as the same table as from a CSV file of these rows.

Numbers stay numbers. Every other column is converted to texts by its distinct values, not cell by cell.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as pat

from ...errors import DataError
from ...request import ReadingOptions
from ..number_spellings import plain_spelling
from ..tables import MOST_EXACT, Cells, Numbers, Table, cells_of_codes, header_names, numbers_of
from ..texts import Spelling, is_missing_mark, quoted, reason
from .file_text import check_columns, check_size, reading, too_large

_LONGEST_CELL = 131_072
_LARGEST_WHOLE = 2.0**53


def table_of_arrow(table: pa.Table, name: str, options: ReadingOptions, notes: tuple[str, ...] = ()) -> Table:
    """A table from typed columns.

    Numbers stay numbers, dates become year-month-day (with the time unless all are midnight), truth values 'true' and
    'false', and null and NaN ''. Texts are read like those of a text file: '1,5' in a column of numbers is 1.5.

    Parameters
    ----------
    table : the columns.
    name : the name of the table.
    options : how texts are read, and the limit for all texts together.
    notes : notes to put first.

    Raises
    ------
    DataError
        The table has no rows or no columns, or a cell is too long.
    """
    try:
        names, name_notes = header_names(table.column_names)
    except UnicodeDecodeError as error:
        raise DataError(f"The names of the columns cannot be read ({reason(error)}). Write the file again.") from None
    notes += tuple(name_notes)
    columns: dict[str, Cells] = {}
    orders: dict[str, tuple[str, ...]] = {}
    texts: set[str] = set()
    left_out = []
    size = 0
    for one, column in zip(names, table.columns, strict=True):
        numbers = _numbers(column)
        if numbers is not None:
            columns[one] = numbers
            continue
        try:
            code, labels = _distinct(column)
        except pa.ArrowNotImplementedError:
            left_out.append(one)
            continue
        except (pa.ArrowException, ValueError) as error:
            raise DataError(f"The column '{one}' cannot be read ({reason(error)}). Leave it out of the file.") from None
        length = np.append(pc.binary_length(labels).to_numpy(zero_copy_only=False), 0)
        if length.max() > _LONGEST_CELL:
            raise DataError(
                f"The column '{one}' has a cell of {length.max():,} bytes; a cell must have at most {_LONGEST_CELL:,}. "
                "Leave the column out."
            )
        size += int(length[code].sum())
        if size > options.max_mb * 1e6:
            raise too_large(f"The table holds more than {options.max_mb:g} MB of texts", options.max_mb)
        columns[one] = cells_of_codes(code, labels.to_pylist())
        if pat.is_dictionary(column.type) and column.type.ordered:
            orders[one] = tuple(dict.fromkeys(text for text in labels.to_pylist() if not is_missing_mark(text)))
        if _is_text(column.type):
            texts.add(one)
    if not columns or not table.num_rows:
        raise DataError("The table has no rows or no columns. Choose one with at least two rows.")
    if left_out:
        notes += (f"Columns left out because their cells hold lists, records or bytes: {quoted(left_out)}.",)
    chosen = Spelling(options.decimal or "", day_first=options.day_first)
    return plain_spelling(Table(name=name, columns=columns, notes=notes, chosen=chosen, levels=orders), texts)


def _numbers(column: pa.ChunkedArray) -> Numbers | None:
    """A column of typed numbers; `None` for other types, or if one is infinite or has too many digits."""
    if pat.is_integer(column.type):
        least, most = pc.min_max(column).as_py().values()
        if least is None or least <= -MOST_EXACT or most >= MOST_EXACT:
            return None
        column = column.cast(pa.float64())
    return numbers_of(column.to_numpy()) if pat.is_float64(column.type) else None


def _distinct(column: pa.ChunkedArray) -> tuple[np.ndarray, pa.Array]:
    """The position of each cell among the distinct values, int32 (n_samples,), -1 for null, and these values as texts.

    Raises `pa.ArrowNotImplementedError` if the cells are not single values.
    """
    if pat.is_float16(column.type):
        column = column.cast(pa.float32())
    elif pat.is_string_view(column.type):
        column = column.cast(pa.large_string())
    parts = (column.unify_dictionaries() if pat.is_dictionary(column.type) else column.dictionary_encode()).chunks
    code = np.concatenate([part.indices.fill_null(-1).to_numpy().astype(np.int32, copy=False) for part in parts])
    return code, as_texts(parts[0].dictionary)


def _is_text(kind: pa.DataType) -> bool:
    if pat.is_dictionary(kind):
        kind = kind.value_type
    return bool(pat.is_string(kind) or pat.is_large_string(kind) or pat.is_string_view(kind))


def as_texts(column: pa.Array) -> pa.Array:
    """Single values as texts, '' for null; raises `pa.ArrowNotImplementedError` for lists, records or bytes."""
    kind = column.type
    if pat.is_binary(kind) or pat.is_large_binary(kind) or pat.is_fixed_size_binary(kind):
        raise pa.ArrowNotImplementedError("bytes are not text")
    if pat.is_floating(kind):
        column = _floats(column)
    elif pat.is_timestamp(kind):
        column = _times(column)
    elif pat.is_date64(kind):
        column = column.cast(pa.date32())
    elif _is_text(kind):
        column = pc.utf8_trim_whitespace(column.cast(pa.large_string()))
    elif pat.is_duration(kind):
        column = _floats(pc.divide(column.cast(pa.duration("ms")).cast(pa.int64()).cast(pa.float64()), 3.6e6))
    elif pat.is_decimal(kind):
        column = pc.replace_substring_regex(column.cast(pa.string()), r"\.0+$", "")
    return column.cast(pa.large_string()).fill_null("")


def _floats(column: pa.Array) -> pa.Array:
    """Integers without decimal point if all are integers, else the shortest texts that read back as the same number."""
    known = pc.if_else(pc.is_nan(column), None, column)
    whole = pc.all(pc.and_(pc.equal(known, pc.floor(known)), pc.less(pc.abs(known), _LARGEST_WHOLE))).as_py()
    return known.cast(pa.int64()) if whole else known.cast(pa.large_string())


def _times(column: pa.Array) -> pa.Array:
    """Dates if all times are midnight, else times to the second, or finer if one is finer.

    Times with a time zone are converted to UTC, always with the time and a trailing 'Z'.
    """
    zoned = column.type.tz is not None
    if zoned:
        column = column.cast(pa.timestamp(column.type.unit))
    for unit, kind in (("day", pa.date32()), ("second", pa.timestamp("s")))[zoned:]:
        if pc.all(pc.equal(column, pc.floor_temporal(column, unit=unit))).as_py() is not False:
            column = column.cast(kind)
            break
    return pc.binary_join_element_wise(column.cast(pa.string()), "Z", "") if zoned else column


def read_parquet(source: Path | bytes, max_mb: float, max_columns: int) -> pa.Table:
    """The columns of a file, with dictionary-encoded texts.

    Parameters
    ----------
    source : a path, or the content.
    max_mb : the limit for the unpacked file, and for its cells as texts.
    max_columns : the limit for the columns.

    Raises
    ------
    DataError
        The file is damaged; beyond the limits it is a `TableSizeError`.
    """
    with reading("a Parquet file"):
        content = str(source) if isinstance(source, Path) else pa.BufferReader(source)
        about = pq.read_metadata(content)
        size = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
        check_columns("The file", about.num_columns, max_columns)
        check_size("The table has", about.num_rows, about.num_columns, max_mb, size)
        texts = [one.name for one in about.schema.to_arrow_schema() if pat.is_string(one.type)]
        # dates of Spark, Hive and Impala reach the year 9999, which nanoseconds do not
        with pq.ParquetFile(content, read_dictionary=texts, pre_buffer=False, coerce_int96_timestamp_unit="us") as file:
            return file.read()


def read_feather(source: Path | bytes, max_mb: float, max_columns: int) -> pa.Table:
    """The columns of a file; parameters and errors as in `read_parquet`."""
    with (
        reading("a Feather file"),
        pa.memory_map(str(source)) if isinstance(source, Path) else pa.BufferReader(source) as content,
    ):
        file = pa.ipc.open_file(content)
        check_columns("The file", len(file.schema), max_columns)
        parts, n_rows, size = [], 0, 0
        for i in range(file.num_record_batches):
            part = file.get_batch(i)
            # the reader trusts the memory offsets in the file
            part.validate(full=True)
            n_rows, size = n_rows + part.num_rows, size + part.nbytes
            check_size("The table has", n_rows, part.num_columns, max_mb, size)
            parts.append(part)
        return pa.Table.from_batches(parts, file.schema)
