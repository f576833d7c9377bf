"""The choice of rows to show: training, held-out or external."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from components.messages.text import capitalise
from components.session import state
from components.session.work import Run
from components.widgets import segments
from solvers.problem import Dataset
from solvers.problem.texts import cell_text
from solvers.spreadsheet import safe_cell

TRAINING, EXTERNAL = "training", "external"


class NamedRows(NamedTuple):
    """Rows and their name on the screen."""

    name: str
    data: Dataset


def rows_of(run: Run) -> dict[str, Dataset]:
    """The rows of a run by their names, the held-out ones first."""
    rows = {"held-out": run.prepared.test, EXTERNAL: state.external(run), TRAINING: run.prepared.train}
    return {name: data for name, data in rows.items() if data is not None}


def show(run: Run) -> NamedRows:
    """Ask which rows to show, by default the held-out rows if there are any."""
    offered = rows_of(run)
    name = next(iter(offered))
    if len(offered) > 1:
        name = segments.show(
            "Rows shown",
            list(offered),
            key="rows",
            words=lambda name: f"{capitalise(name)} rows ({offered[name].n_samples:,})",
        )
    return NamedRows(name, offered[name])


def ask_number(data: Dataset, *, key: str, **looks: Any) -> int | None:
    """Ask for the number of a row in its file; `None` while there is none. `looks` are width and help of the field."""
    return st.number_input(
        "Row number in file",
        1,
        value=None,
        placeholder=f"for instance {data.rows[0]}",
        key=key,
        persist_state="session",
        **looks,
    )


def offer(label: str, run: Run, rows: str, frame: Callable[[], pd.DataFrame], *named: object, key: str) -> None:
    """Draw the button that saves rows of a run, which are computed when it is pressed.

    `rows` is the name of the rows on the screen, and `named` has further parts of the file name.
    """
    st.download_button(
        label,
        lambda: to_csv(identified(run, rows, frame())),
        file_name=run.file_name(rows, *named, ending="csv"),
        mime="text/csv",
        key=key,
        on_click="ignore",
    )


def identified(run: Run, rows: str, frame: pd.DataFrame) -> pd.DataFrame:
    """The rows, indexed by their numbers in the file, after the cells that identify them and the name of their set.

    The outcome is added unless the frame has it. Of external rows only the name is known.
    """
    if rows == EXTERNAL:
        about = pd.DataFrame({"set": EXTERNAL}, index=frame.index)
    else:
        about = run.prepared.identified(frame.index.to_numpy())
    about = about.drop(columns=[name for name in about.columns if name in frame.columns])
    return pd.concat([about, frame], axis=1)


def to_csv(frame: pd.DataFrame) -> bytes:
    """The rows with their numbers in the file, as UTF-8 CSV with a byte order mark, as spreadsheets expect.

    No cell or header can act as a formula (see `safe_cell`), and whole numbers have no '.0'.
    """
    safe = frame.copy()
    for position in range(frame.shape[1]):
        safe.isetitem(position, [safe_cell(cell_text(cell)) for cell in frame.iloc[:, position]])
    safe.columns = [safe_cell(str(name)) for name in frame.columns]
    return safe.to_csv().encode("utf-8-sig")
