"""The cells of a table as the sources look at them and change them; nowhere else do they know how it holds them."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from solvers.problem.text_tables import Table


def column(table: Table, name: str) -> pd.Series:
    """The cells of a column as texts."""
    return table.frame[name]


def last_rows(table: Table, n_rows: int, n_columns: int | None = None) -> np.ndarray:
    """The last rows of the first columns as texts, object (n_rows, n_columns)."""
    cells: np.ndarray = table.frame.iloc[-n_rows:, :n_columns].to_numpy(object)
    return cells


def with_columns(table: Table, columns: Mapping[str, pd.Series]) -> Table:
    """The table with other columns in the place of all of its own."""
    return replace(table, frame=pd.DataFrame(dict(columns)))


def without_empty_end(table: Table) -> Table:
    """The table without the rows at its end in which nothing stands; one without any value stays."""
    filled = np.flatnonzero((table.frame != "").any(axis=1).to_numpy())
    return replace(table, frame=table.frame.iloc[: int(filled[-1]) + 1]) if len(filled) else table
