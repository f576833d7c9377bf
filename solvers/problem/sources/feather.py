"""A Feather file, which is the same as an Arrow file, or one of Feather's first version."""

from pathlib import Path

import pyarrow as pa
import pyarrow.feather

from solvers.problem.sources.arrow_tables import check_size, reading, too_large

_FIRST_VERSION = b"FEA1"


def read_feather(source: Path | bytes, max_mb: float, max_columns: int) -> pa.Table:
    """The columns of a file; parameters and errors as those of `read_parquet`."""
    with (
        reading("Feather"),
        pa.memory_map(str(source)) if isinstance(source, Path) else pa.BufferReader(source) as content,
    ):
        if content.read(4) == _FIRST_VERSION:
            content.seek(0)
            table = pyarrow.feather.read_table(content)
            table.validate(full=True)
            check_size(table.num_rows, table.num_columns, max_mb, max_columns)
            return table
        content.seek(0)
        file = pa.ipc.open_file(content)
        parts, n_rows, size = [], 0, 0
        for i in range(file.num_record_batches):
            part = file.get_batch(i)
            # what the file says about places in memory is believed otherwise
            part.validate(full=True)
            n_rows, size = n_rows + part.num_rows, size + part.nbytes
            check_size(n_rows, part.num_columns, max_mb, max_columns)
            if size > 8 * max_mb * 1e6:
                raise too_large("unpacks to too many bytes", max_mb)
            parts.append(part)
        return pa.Table.from_batches(parts, file.schema)
