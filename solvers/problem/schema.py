"""The columns of a model, and the conversion of a raw table to the matrix that `columns` describes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from ..errors import DataError
from .columns import Column, Kind, MissingPolicy, fitted_column
from .number_spellings import read_as_trained
from .preparation import Preparation
from .tables import Table, as_table
from .texts import Spelling, composed


@dataclass(frozen=True)
class Schema:
    """The columns that a model reads, in the order of the matrix, and its policy for missing values.

    Attributes
    ----------
    columns, missing : the columns and the policy.
    preparation : the steps that made these columns from the raw table; `None` if there are none.
    spellings : by name, how raw columns with ambiguous cells were read.
    unused_families : the families of the table of which no column is used.
    left_out : the columns of the prepared table that are no features, without the outcome and the weights.
    """

    columns: tuple[Column, ...]
    missing: MissingPolicy = MissingPolicy.INFORMATION
    # not in the repr: fingerprints of problems include the rows that it made
    preparation: Preparation | None = field(default=None, repr=False)
    spellings: Mapping[str, Spelling] = field(default_factory=dict, repr=False)
    unused_families: frozenset[str] = field(default=frozenset(), repr=False, compare=False)
    left_out: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise DataError(f"The column '{twice}' appears twice. Column names must differ.")

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The headers, in the order of the matrix."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def families(self) -> dict[str, tuple[str, ...]]:
        """The columns of each family, in the order of the matrix."""
        found: dict[str, tuple[str, ...]] = {}
        for column in self.columns:
            if column.family:
                found[column.family] = (*found.get(column.family, ()), column.name)
        return found

    def titles(self, names: Iterable[str]) -> tuple[str, ...]:
        """The names of columns for readers; other names, such as those of families, are unchanged."""
        return tuple(self[name].title if name in self._positions else name for name in names)

    def index(self, name: str) -> int:
        """The position of a column in the matrix."""
        try:
            return self._positions[name]
        except KeyError:
            raise DataError(f"There is no column '{name}'. Columns: {', '.join(self.names[:12])}.") from None

    def __getitem__(self, name: str) -> Column:
        return self.columns[self.index(name)]

    def fill(self, name: str) -> float | None:
        """The value that replaces a missing value of a column under the policy; `None` if missing values stay."""
        return self[name].fill if self.missing is MissingPolicy.IMPUTE else None

    def as_trained(self, table: Table, names: Collection[str]) -> Table:
        """A raw table with its cells read like those of the training rows.

        Parameters
        ----------
        table : the new rows.
        names : the columns that are needed; the others are unchanged.

        Raises
        ------
        DataError
            A cell is ambiguous, and the reading of the training rows is unknown; see `read_as_trained`.
        """
        whole = {column.name for column in self.columns if column.kind is Kind.NUMERIC and column.integral}
        return read_as_trained(table, self.spellings, names, whole)

    def never_had(self, names: Iterable[str], X: np.ndarray) -> np.ndarray:
        """Which rows of X have a value that no training row has in one of these columns, bool (n_samples,)."""
        met = np.zeros(len(X), bool)
        for name in names:
            met |= self[name].never_had(X[:, self.index(name)])
        return met

    def encode(
        self, rows: pd.DataFrame | Table, needed: frozenset[str] | None = None, strict: bool = True
    ) -> np.ndarray:
        """Convert a raw table to the float matrix of this schema; columns outside the schema are ignored.

        Parameters
        ----------
        rows : the table, headers as in the schema.
        needed : the required columns; the others become missing. By default all are required.
        strict : whether a text that is no value of its column is an error; if not, it becomes infinity.

        Returns
        -------
        float64 (n_samples, n_columns), C-contiguous, NaN where missing.

        Raises
        ------
        DataError
            A required column is absent, or a cell does not fit its column.
        """
        table = as_table(rows)
        out, raw = np.full((table.n_rows, len(self.columns)), np.nan), table.columns
        table.check_columns([composed(name) for name in self.names if needed is None or name in needed])
        for j, column in enumerate(self.columns):
            if composed(column.name) in raw and (needed is None or column.name in needed):
                out[:, j] = column.encode(raw[composed(column.name)], strict)
        return out


def fitted(schema: Schema, X: np.ndarray, count: np.ndarray | None = None) -> Schema:
    """The schema with `fill`, `has_missing`, `integral` and `unseen_levels` of every column set from training rows.

    The rows are X, float64 (n_samples, n_columns); `count` is the multiplicity of each row, int64 (n_samples,), by
    default 1.
    """
    columns = (fitted_column(column, X[:, j], count) for j, column in enumerate(schema.columns))
    return replace(schema, columns=tuple(columns))
