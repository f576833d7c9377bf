"""Rows as a CSV file that is safe to open in a spreadsheet."""

from collections.abc import Callable, Sequence
from datetime import datetime

import pandas as pd
import streamlit as st

from components.messages.text import file_name
from solvers.spreadsheet import safe_cell


def offer(label: str, frame: Callable[[], pd.DataFrame], named: Sequence[object], *, key: str) -> None:
    """Draw the button that saves rows, which are computed when it is pressed.

    `named` has the parts of the file name, which ends with date and time, so that no file replaces another.
    """
    st.download_button(
        label,
        lambda: to_csv(frame()),
        file_name=file_name(*named, f"{datetime.now():%Y-%m-%d-%H%M%S}", ending="csv"),
        mime="text/csv",
        key=key,
        on_click="ignore",
    )


def to_csv(frame: pd.DataFrame) -> bytes:
    """The rows with their numbers in the file, as UTF-8 CSV with a byte order mark, as spreadsheets expect.

    No cell or header can act as a formula; see `safe_cell`.
    """
    safe = frame.copy()
    for position, dtype in enumerate(frame.dtypes):
        if dtype.kind not in "iufb":
            safe.isetitem(position, [safe_cell(str(cell)) for cell in frame.iloc[:, position]])
    safe.columns = [safe_cell(str(name)) for name in frame.columns]
    return safe.to_csv().encode("utf-8-sig")
