"""Rows as a CSV file that is safe to open in a spreadsheet."""

import re
from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from solvers.spreadsheet import safe_cell

_LONGEST = 60
"""Characters of a part of a file's name."""


def offer(label: str, frame: Callable[[], pd.DataFrame], named: Sequence[object], *, key: str) -> None:
    """Draw the button that saves rows, which are made when it is pressed.

    `named` are the parts of the name of the file.
    """
    st.download_button(
        label,
        lambda: to_csv(frame()),
        file_name=file_name(*named),
        mime="text/csv",
        key=key,
        on_click="ignore",
    )


def file_name(*parts: object) -> str:
    """The name of a CSV file from names of the data: letters and digits of any alphabet, with hyphens between.

    No part of it leads to another folder, hides, is a device, or turns the order of the letters round.
    """
    plain = (re.sub(r"[^\w]+", "-", str(part)).strip("-_")[:_LONGEST] for part in parts)
    return "-".join(part or "table" for part in plain) + ".csv"


def to_csv(frame: pd.DataFrame) -> bytes:
    """The rows with their numbers in the file, as UTF-8 CSV with a byte order mark, as spreadsheets expect it.

    No cell and no header becomes a formula; see `safe_cell`.
    """
    safe = frame.copy()
    for position, dtype in enumerate(frame.dtypes):
        if dtype.kind not in "iufb":
            safe.isetitem(position, [safe_cell(str(cell)) for cell in frame.iloc[:, position]])
    safe.columns = [safe_cell(str(name)) for name in frame.columns]
    return safe.to_csv().encode("utf-8-sig")
