"""The same table in every supported format, written by the tests themselves."""

from __future__ import annotations

import io
import sqlite3
import zipfile
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet
import xlsxwriter
import xlwt

from solvers.problem import samples


def typed_sample(key: str) -> pd.DataFrame:
    """A sample with typed numbers, as another program would write it."""
    path = next(one.path for one in samples() if one.key == key)
    return pd.read_csv(path, keep_default_na=False, na_values=[""])


def as_parquet(frame: pd.DataFrame) -> bytes:
    """The content of a Parquet file."""
    out = io.BytesIO()
    parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), out)
    return out.getvalue()


def as_feather(frame: pd.DataFrame) -> bytes:
    """The content of a Feather file of the second version."""
    out = io.BytesIO()
    feather.write_feather(pa.Table.from_pandas(frame, preserve_index=False), out)
    return out.getvalue()


def rows_of(frame: pd.DataFrame) -> list[list[Any]]:
    """Names and cells as Python values, `None` for missing ones."""
    cells = frame.astype(object).where(frame.notna(), None)
    return [list(frame.columns), *cells.to_numpy().tolist()]


def as_xlsx(sheets: dict[str, Sequence[Sequence[Any]]], merged: Sequence[tuple[int, int, int, int, str]] = ()) -> bytes:
    """The content of an Excel file: rows of cells for each sheet, and merged cells on the first."""
    out = io.BytesIO()
    workbook = xlsxwriter.Workbook(out, {"default_date_format": "dd.mm.yyyy", "nan_inf_to_errors": True})
    for name, rows in sheets.items():
        sheet = workbook.add_worksheet(name)
        for i, row in enumerate(rows):
            for j, cell in enumerate(row):
                if isinstance(cell, str):
                    sheet.write_string(i, j, cell)
                elif cell is not None:
                    sheet.write(i, j, cell)
        for top, left, bottom, right, text in merged:
            sheet.merge_range(top, left, bottom, right, text)
        merged = ()
    workbook.close()
    return out.getvalue()


def with_part(content: bytes, name: str, change) -> bytes:
    """A compressed file with one changed member."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            text = old.read(part)
            new.writestr(part, change(text) if part == name else text)
    return out.getvalue()


def as_xls(rows: Sequence[Sequence[Any]]) -> bytes:
    """The content of an Excel file in the format before 2007."""
    workbook = xlwt.Workbook()
    sheet = workbook.add_sheet("data")
    plain, dates = xlwt.XFStyle(), xlwt.easyxf(num_format_str="DD.MM.YYYY")
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            sheet.write(i, j, cell, dates if isinstance(cell, date) else plain)
    out = io.BytesIO()
    workbook.save(out)
    return out.getvalue()


def as_sqlite(frame: pd.DataFrame, folder: Path, table: str = "patients") -> bytes:
    """The content of an SQLite file with one table."""
    path = folder / "made.sqlite"
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    frame.to_sql(table, connection, index=False)
    connection.close()
    return path.read_bytes()


FORMATS: dict[str, Callable[[pd.DataFrame, Path], bytes]] = {
    "parquet": lambda frame, folder: as_parquet(frame),
    "feather": lambda frame, folder: as_feather(frame),
    "xlsx": lambda frame, folder: as_xlsx({"data": rows_of(frame)}),
    "xls": lambda frame, folder: as_xls(rows_of(frame)),
    "sqlite": as_sqlite,
}
"""How to make a file of each format."""
