"""The columns of a table while steps are applied: a column becomes a pandas series when a step first reads it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...errors import DataError
from ..columns import parse_dates
from ..plain_numbers import Cells, Numbers
from ..tables import cells_of, texts_of
from ..texts import abbreviated, as_met, format_number, is_missing_mark, parse_numbers


class Sheet:
    """A table that steps change.

    Attributes
    ----------
    n_rows : the number of rows of the original table.
    rows : int64 (n_remaining,), the positions of the remaining rows in the original table.
    source : the current column names in order, each with its original name, or `None` if a step made its cells.
    refused : why a row holds a cell that a step cannot read, by its position; such a cell then counts as missing.
        `None` if such a cell is an error.
    """

    def __init__(self, columns: Mapping[str, Cells], n_rows: int, refused: dict[int, str] | None = None) -> None:
        """Start with the columns of a `Table`, which are not changed."""
        self._columns, self.n_rows = columns, n_rows
        self._series: dict[str, pd.Series] = {}
        self.rows = np.arange(n_rows)
        self.source: dict[str, str | None] = {name: name for name in columns}
        self.refused = refused

    def check(self, name: str) -> None:
        """Raise `DataError` if there is no such column."""
        if name not in self.source:
            near = next((one for one in self.source if one.strip().casefold() == name.casefold()), None)
            hint = f" Rename '{near}' to '{name}' first." if near else ""
            raise DataError(f"There is no column '{name}'.{hint} There are: {abbreviated(list(self.source))}.")

    def texts(self, name: str) -> pd.Series:
        """The remaining cells of a column as texts, indexed by `rows`.

        Raises `DataError` if there is no such column.
        """
        self.check(name)
        if name not in self._series:
            original = self.source[name]
            assert original is not None
            cells = texts_of(self._columns[original]).cells(slice(None))
            self._series[name] = pd.Series(cells, dtype="str").iloc[self.rows]
        cells = self._series[name]
        return cells if cells.dtype == "str" else each(cells, lambda numbers: list(map(_number_text, numbers)))

    def numbers(self, name: str) -> pd.Series:
        """A column as float64, NaN if missing.

        Raises `DataError` if there is no such column, or a cell is text or infinite.
        """
        self.check(name)
        original = self.source[name]
        if name in self._series and self._series[name].dtype != "str":
            return self._series[name]
        if original is not None and isinstance(cells := self._columns[original], Numbers):
            return pd.Series(cells.value).iloc[self.rows]
        texts = self.texts(name)
        number = each(texts, parse_numbers).mask(is_missing(texts))
        self._refuse(name, texts, number.isna() & ~is_missing(texts), "holds text where a number must be")
        self._refuse(name, texts, np.isinf(number), "holds an infinite value")
        return number.mask(np.isinf(number))

    def days(self, name: str) -> pd.Series:
        """A column of dates in days since 1970-01-01, float64, NaN if missing.

        Raises `DataError` if there is no such column, or a cell is no date.
        """
        texts = self.texts(name)
        day = each(texts, parse_dates).mask(is_missing(texts))
        bad = day.isna() & ~is_missing(texts)
        self._refuse(name, texts, bad, "holds something else than a date such as 2024-05-31")
        return day

    def put(self, name: str, cells: pd.Series) -> None:
        """Give a column new cells, texts or float64; a new column comes last."""
        self._series[name], self.source[name] = cells, None

    def rename(self, name: str, to: str) -> None:
        """Give a column another name; it stays in its place."""
        self.check(name)
        if to != name:
            self.source = {to if one == name else one: came for one, came in self.source.items() if one != to}
            self._series.pop(to, None)
            if name in self._series:
                self._series[to] = self._series.pop(name)

    def keep(self, kept: pd.Series) -> None:
        """Leave only some of the remaining rows, bool (n_remaining,)."""
        if not kept.all():
            self.rows = self.rows[kept.to_numpy()]
            self._series = {name: cells[kept] for name, cells in self._series.items()}

    def result(self) -> dict[str, Cells]:
        """The remaining rows; columns that no step changed have their original type."""
        return {
            name: cells_of(self._series[name]) if original is None else self._remaining(self._columns[original])
            for name, original in self.source.items()
        }

    def _remaining(self, cells: Cells) -> Cells:
        if len(self.rows) == self.n_rows:
            return cells
        if isinstance(cells, Numbers):
            return replace(cells, value=cells.value[self.rows])
        return as_met(cells.code[self.rows], cells.text)

    def _refuse(self, name: str, texts: pd.Series, bad: pd.Series, what: str) -> None:
        if not bad.any():
            return
        if self.refused is None:
            row = int(bad.idxmax())
            raise DataError(
                f"The column '{name}' {what} ('{texts[row]}' in row {row + 1}). Put a step before this one that treats "
                "such values as missing, or correct the cell."
            )
        for row, text in zip(self.rows[bad].tolist(), texts[bad], strict=True):
            self.refused.setdefault(row, f"The column '{name}' {what} ('{abbreviated([text], 1)}').")


def each(cells: pd.Series, function: Callable[[list[Any]], Any]) -> pd.Series:
    """Apply a function to the list of different cells, and give every row the value of its cell."""
    code, different = pd.factorize(cells, use_na_sentinel=False)
    values = function(different.tolist())
    if isinstance(values, np.ndarray):
        return pd.Series(values[code], cells.index)
    return pd.Series(np.array(values, object)[code], cells.index, dtype="str")


def is_missing(texts: pd.Series) -> pd.Series:
    """Which cells are empty or a mark for a missing value."""
    return each(texts, lambda different: np.array([is_missing_mark(text) for text in different], bool))


def is_one_of(texts: pd.Series, values: tuple[str, ...]) -> pd.Series:
    """Which cells are one of some values, in the same letters or as the same number: '-99.0' is '-99'."""
    numbers = parse_numbers(values)
    same_number = each(texts, parse_numbers).isin(numbers[np.isfinite(numbers)])
    return texts.isin(values) | same_number


def _number_text(number: float) -> str:
    return format_number(number) if number == number else ""
