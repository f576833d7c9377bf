"""The columns of a table while steps are applied; as in a `Table`, steps process each distinct text once."""

from collections.abc import Callable, Mapping

import numpy as np

from ...errors import DataError
from ..columns import parse_dates
from ..tables import Cells, Numbers
from ..texts import Texts, abbreviate, nearest, parse_numbers, respelled


class Sheet:
    """A table that steps change in place.

    Attributes
    ----------
    n_rows : the number of rows of the original table.
    columns : the remaining cells by the current names of the columns, in order.
    rows : int64 (n_remaining,), the positions of the remaining rows in the original table.
    source : the original name of each column, or `None` if a step made its cells.
    refused : by row position, why a cell of the row cannot be read by a step; such a cell then counts as missing. If
        `refused` is `None`, such a cell is an error.
    """

    def __init__(self, columns: Mapping[str, Cells], n_rows: int, refused: dict[int, str] | None = None) -> None:
        """Start with the columns of a `Table`, which are not changed."""
        self.columns, self.n_rows, self.refused = dict(columns), n_rows, refused
        self.rows = np.arange(n_rows)
        self.source: dict[str, str | None] = {name: name for name in columns}

    def cells(self, name: str) -> Cells:
        """The remaining cells of a column; raises `DataError` if there is none of this name."""
        if name not in self.columns:
            near = nearest(name, list(self.columns), 1.0)
            hint = f" Rename '{near[0]}' to '{name}' first." if near else ""
            raise DataError(f"There is no column '{name}'.{hint} There are: {abbreviate(list(self.columns))}.")
        return self.columns[name]

    def texts(self, name: str) -> Texts:
        """The same as texts."""
        return self.cells(name).texts

    def numbers(self, name: str) -> np.ndarray:
        """A column as float64 (n_remaining,), NaN if missing.

        Raises `DataError` if there is no such column, or a cell is text or infinite.
        """
        cells = self.cells(name)
        if isinstance(cells, Numbers):
            return cells.value
        self._refuse(name, cells, np.isnan(cells.number) & ~cells.missing, "holds text where a number must be")
        self._refuse(name, cells, np.isinf(cells.number), "holds an infinite value")
        number: np.ndarray = np.where(np.isinf(cells.number), np.nan, cells.number)[cells.code]
        return number

    def days(self, name: str) -> np.ndarray:
        """A column of dates in days since 1970-01-01, float64 (n_remaining,), NaN if missing.

        Raises `DataError` if there is no such column, or a cell is no date.
        """
        texts = self.texts(name)
        day = np.full(len(texts.text), np.nan)
        day[~texts.missing] = parse_dates(texts.present)
        self._refuse(name, texts, np.isnan(day) & ~texts.missing, "holds a value that is not a date such as 2024-05-31")
        days: np.ndarray = day[texts.code]
        return days

    def put(self, name: str, cells: Cells) -> None:
        """Give a column new cells; a new column comes last."""
        self.columns[name], self.source[name] = cells, None

    def respell(self, name: str, spelled: Callable[[str], str]) -> None:
        """Replace each text of a column."""
        texts = self.texts(name)
        self.put(name, respelled(texts.code, [spelled(text) for text in texts.text]))

    def rename(self, name: str, to: str) -> None:
        """Give a column another name; it keeps its position."""
        self.cells(name)
        if to != name:
            self.columns = {to if one == name else one: cells for one, cells in self.columns.items() if one != to}
            self.source = {to if one == name else one: came for one, came in self.source.items() if one != to}

    def keep(self, kept: np.ndarray) -> None:
        """Keep only some of the remaining rows, bool (n_remaining,)."""
        if not kept.all():
            self.rows = self.rows[kept]
            self.columns = {name: cells.take(kept) for name, cells in self.columns.items()}

    def _refuse(self, name: str, texts: Texts, bad: np.ndarray, what: str) -> None:
        """Reject the rows with some of the distinct texts, bool (n_texts,)."""
        rows = np.flatnonzero(bad[texts.code])
        if not len(rows):
            return
        if self.refused is None:
            first = texts.text[texts.code[rows[0]]]
            raise DataError(
                f"The column '{name}' {what} ('{first}' in row {self.rows[rows[0]] + 1}). Add a step before this one "
                f"that treats such values as missing, or correct the cell."
            )
        for row in rows.tolist():
            text = abbreviate([texts.text[texts.code[row]]], 1)
            self.refused.setdefault(int(self.rows[row]), f"The column '{name}' {what} ('{text}').")


def is_one_of(texts: Texts, values: tuple[str, ...]) -> np.ndarray:
    """Which distinct texts equal one of some values, as text or as number: '-99.0' is '-99'."""
    numbers = parse_numbers(values)
    same_text = np.array([text in values for text in texts.text], bool)
    return same_text | np.isin(parse_numbers(texts.text), numbers[np.isfinite(numbers)])
