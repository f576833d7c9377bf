"""Damaged files and files beyond the limits are refused in a sentence before they fill the memory."""

from __future__ import annotations

import io
import re
import tempfile
import tracemalloc
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.errors import DataError, EspalierError, TableSizeError
from solvers.problem import read_table
from solvers.problem.sources.file_text import check_size
from tests.case_count import case_count
from tests.problem.sources.files import FORMATS, as_parquet, as_xlsx, typed_sample, with_part

SMALL = as_xlsx({"data": [["a", "b"], [1, 2], [3, 4]]})


def test_a_workbook_that_expands_too_much_is_refused():
    """The size stated in the file is checked before it is decompressed."""
    bomb = with_part(SMALL, "xl/worksheets/sheet1.xml", lambda text: text + b" " * 5_000_000)
    assert len(bomb) < 50_000
    with pytest.raises(TableSizeError, match=r"unpacks to more than 1 MB.*--max-mb"):
        read_table(bomb, max_mb=1)


def test_cells_that_are_far_apart_use_little_memory():
    """One cell in the last corner of a sheet makes no rectangle of 17 billion cells."""
    far = with_part(
        SMALL,
        "xl/worksheets/sheet1.xml",
        lambda text: text.replace(
            b"</sheetData>", b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
        ),
    )
    with pytest.raises(TableSizeError, match=r"column XFD, row 1,048,576.*Delete stray cells"):
        read_table(far)


def test_parquet_that_expands_too_much_is_refused():
    """A column with one distinct value is tiny in a file, and large in memory."""
    out = io.BytesIO()
    parquet.write_table(pa.table({f"c{j}": pa.array(np.zeros(2_000_000)) for j in range(3)}), out)
    assert len(out.getvalue()) < 100_000
    with pytest.raises(TableSizeError, match=r"2,000,000 rows and 3 columns.*--max-mb"):
        read_table(out.getvalue(), max_mb=5)
    with pytest.raises(TableSizeError, match=r"more than 40 MB, 8 times the limit; the limit is 5 MB"):
        check_size("The table has", 2, 1, 5, 41_000_000)
    texts = pa.table({"a": pa.array(["x" * 100_000]).take(pa.array(np.zeros(300, int)))})
    out = io.BytesIO()
    parquet.write_table(texts, out)
    assert len(out.getvalue()) < 1_000_000
    with pytest.raises(TableSizeError, match=r"holds more than 10 MB of texts.*--max-mb"):
        read_table(out.getvalue(), max_mb=10)


@pytest.mark.parametrize("kind", FORMATS)
def test_too_many_columns_are_refused(kind, tmp_path):
    """The limit is that of a text file."""
    content = FORMATS[kind](pd.DataFrame({f"c{j}": [1, 2] for j in range(30)}), tmp_path)
    with pytest.raises(TableSizeError, match="at most 20 columns"):
        read_table(content, max_columns=20)


def test_long_cells_are_refused_and_lists_omitted():
    """A cell longer than a text file may have is refused; columns of lists are omitted with a note."""
    with pytest.raises(DataError, match=r"'a' has a cell of 200,000 bytes"):
        read_table(as_parquet(pd.DataFrame({"a": ["x" * 200_000, "y"]})))
    table = read_table(as_parquet(pd.DataFrame({"a": [1, 2], "b": [[1], [2, 3]]})))
    assert table.names == ("a",) and any("'b'" in note for note in table.notes)


@cache
def small(kind: str) -> bytes:
    """A file of a format; always the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        return FORMATS[kind](typed_sample("iris").head(20), Path(folder))


@pytest.mark.parametrize("kind", FORMATS)
@settings(max_examples=case_count(15), deadline=None)
@given(data=st.data())
def test_damaged_files_are_read_or_refused(kind, data):
    """Truncated or with other bytes inside, a file raises no other exception."""
    content = bytearray(small(kind))
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(1, len(content)))]
    for _ in range(data.draw(st.integers(0, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        read_table(bytes(content))
    except EspalierError as error:
        assert re.search(r"[.:)]", str(error))


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"header_line": 0}, "at least 1, but is 0"),
        ({"skip_last": -1}, "at least 0, but is -1"),
        ({"header_line": 2, "header": False}, "header_line names the line"),
        ({"header_line": 99}, "so line 99 cannot be its header"),
        ({"skip_last": 99}, "99 rows at the end would leave no rows"),
        ({"sheet": "a"}, "The source is a text file.*these options: sheet"),
        ({"query": "SELECT 1"}, "The source is a text file.*these options: query"),
    ],
)
def test_invalid_options_are_refused(choices, message):
    """The error lists valid ones."""
    with pytest.raises(DataError, match=message):
        read_table(b"a,b\n1,2\n3,4\n", **choices)


@pytest.mark.parametrize("choice", [{"header_line": 2}, {"skip_last": 1}, {"encoding": "cp1252"}, {"sheet": "1"}])
def test_line_options_are_refused_for_files_without_lines(choice):
    """The error names the option to remove."""
    with pytest.raises(DataError, match=f"these options: {next(iter(choice))}"):
        read_table(as_parquet(pd.DataFrame({"a": [1, 2]})), **choice)


def test_few_lines_are_searched_for_an_error():
    """If a text cannot be read, its first and last lines show why: a list of all lines would fill the memory."""
    text = 'a,b\n"' + 1_000_000 * "1,2\n"
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=r"Row 1 has a quote that is never closed"):
            read_table(text.encode())
        assert tracemalloc.get_traced_memory()[1] < 8 * len(text)
    finally:
        tracemalloc.stop()
