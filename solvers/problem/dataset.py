"""The table of a problem: typed features with missing values, an outcome, weights and groups."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from ..errors import DataError
from .columns import Kind, MissingPolicy
from .decimals import DIGITS, decimals_of
from .division import Division, Group
from .schema import Schema


@dataclass(frozen=True)
class Dataset:
    """The user's table, typed, with missing values kept.

    Attributes
    ----------
    name : the user's name for it.
    schema : the feature columns and the policy for missing values.
    X : float64 (n_samples, n_columns), C-contiguous, read-only, NaN = missing; see `Column` for the meaning of the
        numbers.
    y : int32 (n_samples,), indices into `classes`, read-only.
    classes : the class names, as texts.
    outcome : the header of the outcome.
    positive : the index of the positive class; `None` if there is none.
    weight : float64 (n_samples,) positive, or `None` if every row counts once.
    groups : group columns (they may also be features).
    rows : int64 (n_samples,), the number of each row in the file, counted from 1 without the header; by default all in
        order.
    division : the units, centres and times by which rows are divided into training and other parts.
    """

    name: str
    schema: Schema
    X: np.ndarray
    y: np.ndarray
    classes: tuple[str, ...]
    outcome: str
    positive: int | None = None
    weight: np.ndarray | None = None
    groups: tuple[Group, ...] = ()
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    division: Division = field(default_factory=Division)

    def __post_init__(self) -> None:
        X = np.ascontiguousarray(self.X, np.float64)
        y = np.ascontiguousarray(self.y, np.int32)
        n = len(y)
        if X.ndim != 2 or X.shape != (n, len(self.schema)):
            raise DataError(f"The feature matrix must be {n} x {len(self.schema)}, but is {X.shape}.")
        if n == 0:
            raise DataError(f"'{self.name}' has no rows.")
        if self.outcome in self.schema.names:
            raise DataError(f"The column '{self.outcome}' is the outcome and cannot also be a feature.")
        if np.isinf(X).any():
            row, column = np.argwhere(np.isinf(X))[0]
            raise DataError(f"The column '{self.schema.names[column]}' has an infinite value in row {row + 1}.")
        if len(self.classes) < 1 or y.min() < 0 or y.max() >= len(self.classes):
            raise DataError("Every outcome must be one of the classes.")
        if self.positive is not None and not 0 <= self.positive < len(self.classes):
            raise DataError(f"The positive class must be one of {', '.join(self.classes)}.")
        object.__setattr__(self, "X", _frozen(X))
        object.__setattr__(self, "y", _frozen(y))
        if self.weight is not None:
            weight = np.ascontiguousarray(self.weight, np.float64)
            if weight.shape != (n,) or not np.isfinite(weight).all() or (weight <= 0).any():
                raise DataError("Sample weights must be positive numbers, one per row.")
            object.__setattr__(self, "weight", _frozen(weight))
        rows = np.arange(1, n + 1) if self.rows is None or not len(self.rows) else np.asarray(self.rows)
        object.__setattr__(self, "rows", _frozen(np.ascontiguousarray(rows, np.int64)))
        for group in (*self.groups, *filter(None, self.division.parts.values())):
            if group.codes.shape != (n,):
                raise DataError(f"The group column '{group.name}' must have one value per row.")

    @property
    def n_samples(self) -> int:
        """The number of rows."""
        return len(self.y)

    @property
    def n_columns(self) -> int:
        """The number of feature columns."""
        return len(self.schema)

    @property
    def n_classes(self) -> int:
        """The number of classes, including classes without rows."""
        return len(self.classes)

    @cached_property
    def class_counts(self) -> np.ndarray:
        """The number of rows of each class, int64 (n_classes,)."""
        return np.bincount(self.y, minlength=self.n_classes)

    @property
    def row_weights(self) -> np.ndarray:
        """The weight of each row, float64 (n_samples,): 1 if the rows have no weights."""
        return np.ones(self.n_samples) if self.weight is None else self.weight

    @cached_property
    def total_weight(self) -> float:
        """The weight of all rows; without weights, their number."""
        return float(self.n_samples if self.weight is None else self.weight.sum())

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything a solver reads, to recognise equal problems."""
        h = hashlib.sha256()
        families = tuple(sorted(self.schema.families.items()))  # constraints may name them
        h.update(repr((self.schema, self.classes, self.outcome, self.positive, *families)).encode())
        arrays = (self.X, self.y) if self.weight is None else (self.X, self.y, self.weight)
        for array in (*arrays, *(group.codes for group in self.groups)):
            h.update(np.ascontiguousarray(array).data)
        for role, part in self.division.parts.items():
            if part is not None:
                h.update(repr((role, part.name, part.levels)).encode() + part.codes.tobytes())
        return h.hexdigest()[:16]

    @cached_property
    def n_better_columns(self) -> np.ndarray:
        """For each column, the number of columns whose best single split has fewer errors, int64 (n_columns,)."""
        unordered = np.array([column.kind is Kind.CATEGORICAL for column in self.schema.columns], bool)
        # integer sums are exact in any order; a problem refuses weights with more decimals
        whole = decimals_of(self.row_weights, DIGITS)
        weights = self.row_weights if whole is None else whole[0].astype(np.float64)
        filled = np.column_stack([self.filled(j) for j in range(self.n_columns)])
        errors = single_errors(filled, self.y, weights, unordered)
        if self.schema.missing is MissingPolicy.IMPUTE:
            # a missing value goes where its fill value goes, unless the split is 'is missing'
            is_missing = np.isnan(self.X).astype(np.float64)
            errors = np.minimum(errors, single_errors(is_missing, self.y, weights, np.zeros(self.n_columns, bool)))
        return np.searchsorted(np.sort(errors), errors)

    def filled(self, column: int) -> np.ndarray:
        """The values of a column (a position) that thresholds are compared with, float64 (n_samples,).

        Under the policy 'impute' the fill value replaces missing values; other missing values are NaN.
        """
        x, fill = self.X[:, column], self.schema.fill(self.schema.columns[column].name)
        return x if fill is None else np.where(np.isnan(x), fill, x)

    def take(self, index: np.ndarray, name: str | None = None) -> Dataset:
        """The rows at `index` (positions or a boolean mask); classes and columns are unchanged."""
        index = np.asarray(index)
        return replace(
            self,
            name=name or self.name,
            X=self.X[index],
            y=self.y[index],
            weight=None if self.weight is None else self.weight[index],
            groups=tuple(group.take(index) for group in self.groups),
            rows=self.rows[index],
            division=self.division.take(index),
        )

    def spread(self, n_rows: int) -> Dataset:
        """Evenly spaced rows, at most `n_rows` and more than half of that; all rows if there are no more."""
        step = -(-self.n_samples // n_rows)
        return self.take(np.arange(0, self.n_samples, step)) if step > 1 else self

    def select(self, names: tuple[str, ...] | list[str]) -> Dataset:
        """The same rows with these feature columns only, in this order."""
        keep = [self.schema.index(name) for name in names]
        schema = replace(self.schema, columns=tuple(self.schema.columns[j] for j in keep))
        return replace(self, schema=schema, X=self.X[:, keep])

    def frame(self) -> pd.DataFrame:
        """The table as the user knows it: features, then the outcome; indexed by row number in the file."""
        data = {
            column.name: [column.format(v) for v in self.X[:, j]]
            if column.kind.has_levels or column.kind == "date"
            else self.X[:, j]
            for j, column in enumerate(self.schema.columns)
        }
        data[self.outcome] = [self.classes[k] for k in self.y]
        return pd.DataFrame(data, index=pd.Index(self.rows, name="row"))


@dataclass(frozen=True)
class Contradictions:
    """Rows with identical features, which no model can distinguish.

    Attributes
    ----------
    n_duplicates : rows whose features equal those of an earlier row.
    n_contradictory : rows whose features equal those of a row of another class.
    rows : int64, the file's row numbers of the contradictory rows, sorted.
    unavoidable : the minimum number of errors of any model (unweighted).
    """

    n_duplicates: int
    n_contradictory: int
    rows: np.ndarray
    unavoidable: int


def cells(dataset: Dataset) -> np.ndarray:
    """The number of each row's distinct feature vector, int64 (n_samples,); missing equals missing."""
    cell = np.zeros(dataset.n_samples, np.int64)
    for values in dataset.X.T:
        part = pd.factorize(values, use_na_sentinel=False)[0]
        # both are below the number of rows
        cell = pd.factorize(cell * (part.max() + 1) + part)[0]
        if cell.max() + 1 == dataset.n_samples:
            break
    return cell


def contradictions(dataset: Dataset) -> Contradictions:
    """Count duplicate and contradictory rows and the unavoidable errors."""
    cell = cells(dataset)
    table = np.zeros((cell.max() + 1, dataset.n_classes), np.int64)
    np.add.at(table, (cell, dataset.y), 1)
    total = table.sum(1)
    mixed = (table > 0).sum(1) > 1
    return Contradictions(
        n_duplicates=int(dataset.n_samples - len(table)),
        n_contradictory=int(total[mixed].sum()),
        rows=np.sort(dataset.rows[mixed[cell]]),
        unavoidable=int((total - table.max(1)).sum()),
    )


def _frozen(array: np.ndarray) -> np.ndarray:
    """A read-only view; the caller's array is unchanged."""
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


def single_errors(X: np.ndarray, y: np.ndarray, weight: np.ndarray, unordered: np.ndarray) -> np.ndarray:
    """The minimum weight of the errors of one split on each column, or of a leaf if no split is better.

    Parameters
    ----------
    X : float64 (n_samples, n_columns), NaN for missing; y : int (n_samples,), classes from 0.
    weight : float64 (n_samples,).
    unordered : bool (n_columns,), whether splits separate one level from the rest. Splits on other columns have
        thresholds. A missing value may be on either side, and alone on one.

    Returns
    -------
    float64 (n_columns,)
    """
    totals = np.bincount(y, weight)
    right = np.full(X.shape[1], totals.max())
    for j, values in enumerate(X.T):
        levels, level = np.unique(values, return_inverse=True)
        inside = np.bincount(level * len(totals) + y, weight, len(levels) * len(totals)).reshape(len(levels), -1)
        n_known = int((~np.isnan(levels)).sum())
        side, missing = inside[:n_known], inside[n_known:].sum(0)
        if not unordered[j]:
            side = side.cumsum(0)
        sides = np.vstack((side, side + missing, missing))
        right[j] = max(right[j], (sides.max(1) + (totals - sides).max(1)).max())
    errors: np.ndarray = totals.sum() - right
    return errors
