"""The columns of a table while steps are applied: each as its different texts, and made only when a step reads it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from solvers.errors import DataError
from solvers.problem.columns import parse_dates
from solvers.problem.plain_numbers import Cells, Numbers
from solvers.problem.tables import texts_of
from solvers.problem.texts import Texts, abbreviated, as_met, distinct_texts, parse_numbers


@dataclass
class Sheet:
    """A table that steps change.

    Attributes
    ----------
    columns : the columns as they came, of a `Table` or of a data frame; they are not changed.
    n_rows : the number of rows that came.
    source : the names of the columns in their order, each with the name that it came under, or `None` where a step made
        it.
    rows : int64 (n_rows,), the positions of the rows that are left.
    made : what steps made, by name.
    refused : why rows, by their positions in the frame, hold a cell that a step cannot read, which then counts as
        missing; `None` where such a cell is an error.
    """

    columns: Mapping[str, Cells | pd.Series]
    n_rows: int
    source: dict[str, str | None]
    rows: np.ndarray
    made: dict[str, Texts] = field(default_factory=dict)
    refused: dict[int, str] | None = None

    @classmethod
    def of(
        cls, columns: Mapping[str, Cells | pd.Series], n_rows: int, refused: dict[int, str] | None = None
    ) -> "Sheet":
        """A table before the first step."""
        return cls(columns, n_rows, {name: name for name in columns}, np.arange(n_rows), refused=refused)

    def texts(self, name: str) -> Texts:
        """The cells of a column that are left.

        Raises `DataError` where there is no such column.
        """
        if name not in self.made:
            self.check(name)
            came = self.source[name]
            assert came is not None, name
            cells = self.columns[came]
            texts = distinct_texts(cells).composed() if isinstance(cells, pd.Series) else texts_of(cells)
            self.made[name] = _of_rows(texts, self.rows, self.n_rows)
        return self.made[name]

    def check(self, name: str) -> None:
        """Raise `DataError` where there is no such column."""
        if name not in self.source:
            near = next((one for one in self.source if one.strip().casefold() == name.casefold()), None)
            hint = f" Rename '{near}' to '{name}' first." if near else ""
            raise DataError(f"There is no column '{name}'.{hint} There are: {abbreviated(list(self.source))}.")

    def put(self, name: str, texts: Texts) -> None:
        """A column with new cells; one of a new name stands last."""
        self.made[name], self.source[name] = texts, None

    def rename(self, name: str, to: str) -> None:
        """Give a column another name; it stays in its place."""
        self.check(name)
        self.source = {to if one == name else one: came for one, came in self.source.items() if one != to or to == name}
        if name in self.made:
            self.made[to] = self.made.pop(name)
        elif to != name:
            self.made.pop(to, None)

    def keep(self, kept: np.ndarray) -> None:
        """Leave only these of the rows that are left, bool (n_rows,)."""
        if kept.all():
            return
        self.rows = self.rows[kept]
        self.made = {name: _of_rows(texts, np.flatnonzero(kept), len(kept)) for name, texts in self.made.items()}

    def row(self, texts: Texts, which: int) -> int:
        """The first row of the file, counted from 1, that shows the text at position `which`."""
        return int(self.rows[texts.first_row(which) - 1]) + 1

    def numbers(self, name: str) -> tuple[Texts, np.ndarray]:
        """A column of numbers: its cells, and each different text as a number, NaN where it is missing.

        Raises `DataError` where a cell is text or infinite.
        """
        texts = self.texts(name)
        number = texts.number
        self._refuse(name, texts, np.isnan(number) & ~texts.missing, "holds text where a number must be")
        self._refuse(name, texts, np.isinf(number), "holds an infinite value")
        return texts, np.where(np.isinf(number), np.nan, number)

    def days(self, name: str) -> tuple[Texts, np.ndarray]:
        """A column of dates: its cells, and each different text in days since 1970-01-01, NaN where it is missing.

        Raises `DataError` where a cell is no date.
        """
        texts = self.texts(name)
        day = np.full(len(texts.text), np.nan)
        known = np.flatnonzero(~texts.missing)
        day[known] = parse_dates([texts.text[i] for i in known])
        self._refuse(name, texts, np.isnan(day) & ~texts.missing, "holds something else than a date such as 2024-05-31")
        return texts, day

    def _refuse(self, name: str, texts: Texts, bad: np.ndarray, what: str) -> None:
        if bad.any() and self.refused is not None:
            for i in np.flatnonzero(bad[texts.code]).tolist():
                text = abbreviated([texts.text[texts.code[i]]], 1)
                self.refused.setdefault(int(self.rows[i]), f"The column '{name}' {what} ('{text}').")
        elif bad.any():
            first = int(np.flatnonzero(bad)[0])
            raise DataError(
                f"The column '{name}' {what} ('{texts.text[first]}' in row {self.row(texts, first)}). Put a step "
                "before this one that treats such values as missing, or correct the cell."
            )

    def result(self) -> dict[str, Cells | pd.Series]:
        """The columns that are left; those that no step changed are as they came."""
        left: dict[str, Cells | pd.Series] = {}
        for name, came in self.source.items():
            if came is not None:
                left[name] = self._left(self.columns[came])
            else:
                # where a step found no value, its code is -1
                left[name] = as_met(self.made[name].code, [*self.made[name].text, ""])
        return left

    def _left(self, cells: Cells | pd.Series) -> Cells | pd.Series:
        """The rows that are left of a column as it came."""
        if len(self.rows) == self.n_rows:
            return cells
        if isinstance(cells, pd.Series):
            return cells.iloc[self.rows].reset_index(drop=True)
        if isinstance(cells, Numbers):
            return replace(cells, value=cells.value[self.rows])
        return as_met(cells.code[self.rows], cells.text)


def _of_rows(texts: Texts, rows: np.ndarray, n: int) -> Texts:
    """The cells of some rows of n, without the texts that none of them has."""
    if len(rows) == n:
        return texts
    used, code = np.unique(texts.code[rows], return_inverse=True)
    return Texts(code.astype(np.int64), tuple(texts.text[i] for i in used))


def retold(texts: Texts, now: Iterable[str]) -> Texts:
    """A column of which each different text becomes another one; several may become the same."""
    now = list(now)
    different = tuple(dict.fromkeys(now))
    position = {text: i for i, text in enumerate(different)}
    return Texts(np.array([position[text] for text in now], np.int64)[texts.code], different)


def paired(first: Texts, second: Texts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The different pairs of cells of two columns: the positions of each in both, and the pair of every row."""
    key = first.code.astype(np.int64) * len(second.text) + second.code
    pairs, code = np.unique(key, return_inverse=True)
    return pairs // len(second.text), pairs % len(second.text), code.astype(np.int64)


def same_as(texts: Texts, values: Iterable[str]) -> np.ndarray:
    """Which of the different texts are one of some values, in the same letters or as the same number, bool (n_texts,).

    So '-99' is met by '-99.0', too.
    """
    values = [value.strip() for value in values]
    numbers, known = parse_numbers(values), set(values)
    met: np.ndarray = np.fromiter((text in known for text in texts.text), bool, len(texts.text))
    return met | np.isin(parse_numbers(texts.text), numbers[np.isfinite(numbers)])
