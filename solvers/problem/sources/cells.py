"""The cells of a table as the sources look at them: the last rows, some rows of a column, an end without any value."""

from dataclasses import replace

import numpy as np

from solvers.problem.plain_numbers import Cells, Numbers
from solvers.problem.tables import Table
from solvers.problem.texts import Texts


def last_rows(table: Table, n_rows: int, n_columns: int | None = None) -> np.ndarray:
    """The last rows of the first columns as texts, object (n_rows, n_columns)."""
    rows = slice(max(table.n_rows - n_rows, 0), None)
    columns = [table.columns[name].cells(rows) for name in table.names[:n_columns]]
    return np.array(columns, object).reshape(len(columns), -1).T


def some_rows(cells: Cells, rows: slice) -> Cells:
    """Some rows of a column."""
    if isinstance(cells, Numbers):
        return replace(cells, value=cells.value[rows])
    used, code = np.unique(cells.code[rows], return_inverse=True)
    raw = None if cells.raw is None else replace(cells.raw, code=cells.raw.code[rows])
    return Texts(code.ravel(), tuple(cells.text[i] for i in used), raw)


def without_empty_end(table: Table) -> Table:
    """The table without the rows at its end in which nothing stands; one without any value stays."""
    last = -1
    for cells in table.columns.values():
        if isinstance(cells, Numbers):
            filled = ~np.isnan(cells.value[last + 1 :]) if cells.mark == "" else np.ones(len(cells) - last - 1, bool)
        else:
            empty = cells.text.index("") if "" in cells.text else -1
            filled = cells.code[last + 1 :] != empty
        if filled.any():
            last += 1 + int(np.flatnonzero(filled)[-1])
        if last == table.n_rows - 1:
            return table
    if last < 0:
        return table
    return replace(table, columns={name: some_rows(cells, slice(last + 1)) for name, cells in table.columns.items()})
