"""Bulk conversion gives the same tables as cell by cell, and typed files the same as text files."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from solvers.problem import Table, infer_columns, read_table, table_of_frame
from solvers.problem.number_spellings import plain_spelling
from solvers.problem.tables import Numbers
from solvers.problem.texts import cell_text, distinct_texts

ODD = ("", "x y", "NA", "-", "--", "1-2", "-0", "-0.0", "007", "00.5", "+5", ".5", "5.", "1e3", "1_0", "0x1", "inf")
ODD += ("nan", "oops", "1.50", "2.0", "0.00001", "0.0001", "999999999999999", "1234567890123456", "-7.25", "x;y", "٣")
ODD += ("0.1234567890123456",)
NUMBERS = st.one_of(
    st.integers(-(10**17), 10**17).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(-1000, 1000, places=2).map(str),
    st.integers(0, 3).map(str),
)


@st.composite
def columns(draw: st.DrawFn) -> dict[str, list[str]]:
    """Columns of equal length: numbers with mostly the same spelling, and unusual cells among them."""
    n_rows = draw(st.integers(2, 12))
    made = {}
    for j in range(draw(st.integers(1, 4))):
        usual = draw(st.sampled_from([NUMBERS, st.decimals(-99, 99, places=2).map(str), st.integers(-9, 99).map(str)]))
        cells = draw(st.lists(usual, min_size=n_rows, max_size=n_rows))
        for i in draw(st.sets(st.integers(0, n_rows - 1), max_size=3)):
            cells[i] = draw(st.sampled_from(ODD))
        made[f"x{j}"] = cells
    return made | {"y": ["ab"[i % 2] for i in range(n_rows)]}


def content(columns: dict[str, list[str]]) -> bytes:
    """A text file of columns."""
    return pd.DataFrame(columns, dtype=object).to_csv(index=False, sep=";").encode()


def by_cell(columns: dict[str, list[str]]) -> Table:
    """The table of these columns, each stored as its distinct texts."""
    texts = {name: distinct_texts(pd.Series(cells, dtype=object)) for name, cells in columns.items()}
    return plain_spelling(Table("table", texts, separator=";"))


@given(columns())
def test_bulk_numbers_and_distinct_texts_agree(columns: dict[str, list[str]]) -> None:
    """Cells, notes and reports are the same, whether a column is stored as numbers or as its distinct texts."""
    found = read_table(content(columns), header=True, skip_first=0, skip_last=0)
    other = by_cell(columns)
    assert found.frame.equals(other.frame) and found.notes == other.notes
    assert infer_columns(found) == infer_columns(other)
    for name, cells in found.columns.items():
        if isinstance(cells, Numbers):
            wanted = [float(cell) if cell.strip() not in ("", cells.mark) else np.nan for cell in columns[name]]
            np.testing.assert_array_equal(cells.value, wanted)


def test_numbers_of_a_data_frame_are_numbers() -> None:
    """They are written like the cells; very long and infinite ones make a column of texts."""
    frame = pd.DataFrame({"a": [1.0, 2.5, np.nan], "b": [1, 2, 2**60], "c": [np.inf, 1.0, 2.0]})
    table = table_of_frame(frame, "t")
    assert [isinstance(cells, Numbers) for cells in table.columns.values()] == [True, False, False]
    for name in frame.columns:
        assert table.frame[name].tolist() == [cell_text(cell) for cell in frame[name]]
