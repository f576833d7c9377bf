"""Parquet, Feather and Arrow files: their size is known before cells are read, and their columns have types."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from .arrow_tables import check_size, reading, too_large


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
    with reading("Parquet"):
        content = str(source) if isinstance(source, Path) else pa.BufferReader(source)
        with pq.ParquetFile(content) as file:
            about = file.metadata
            check_size(about.num_rows, about.num_columns, max_mb, max_columns)
            if sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups)) > 8 * max_mb * 1e6:
                raise too_large("unpacks to too many bytes", max_mb)
            texts = [one.name for one in file.schema_arrow if pa.types.is_string(one.type)]
        content = str(source) if isinstance(source, Path) else pa.BufferReader(source)
        # dates of Spark, Hive and Impala reach the year 9999, which nanoseconds do not
        with pq.ParquetFile(content, read_dictionary=texts, pre_buffer=False, coerce_int96_timestamp_unit="us") as file:
            return file.read()


def read_feather(source: Path | bytes, max_mb: float, max_columns: int) -> pa.Table:
    """The columns of a file; parameters and errors as in `read_parquet`."""
    with (
        reading("Feather"),
        pa.memory_map(str(source)) if isinstance(source, Path) else pa.BufferReader(source) as content,
    ):
        file = pa.ipc.open_file(content)
        parts, n_rows, size = [], 0, 0
        for i in range(file.num_record_batches):
            part = file.get_batch(i)
            # the reader trusts the memory offsets in the file
            part.validate(full=True)
            n_rows, size = n_rows + part.num_rows, size + part.nbytes
            check_size(n_rows, part.num_columns, max_mb, max_columns)
            if size > 8 * max_mb * 1e6:
                raise too_large("unpacks to too many bytes", max_mb)
            parts.append(part)
        return pa.Table.from_batches(parts, file.schema)
