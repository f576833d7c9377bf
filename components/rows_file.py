"""Rows as a CSV file that is safe to open in a spreadsheet."""

from __future__ import annotations

import pandas as pd

_STARTS_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def to_csv(frame: pd.DataFrame) -> bytes:
    """The rows as UTF-8 CSV with a byte order mark, as spreadsheets expect it.

    A text that a spreadsheet would run as a formula (it begins with =, +, -, @ or a tab) gets a quote in front, in
    cells and in headers; numbers stay numbers.
    """
    safe = frame.copy()
    for position, dtype in enumerate(frame.dtypes):
        if dtype.kind not in "iufb":
            safe.isetitem(position, [_disarm(cell) for cell in frame.iloc[:, position]])
    safe.columns = [_disarm(name) for name in frame.columns]
    return safe.to_csv().encode("utf-8-sig")


def _disarm(cell: object) -> object:
    return "'" + cell if isinstance(cell, str) and cell.startswith(_STARTS_FORMULA) else cell
