"""A split on several columns: a weighted sum compared with a threshold.

Decision diagrams may use such splits (Florio et al. 2023, 'multivariate splits'). The weights are in the user's units,
so '0.3 age + 0.7 bmi is at most 42' can be computed by hand.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..errors import PredicateError
from .columns import Column, Kind, MissingPolicy, Schema
from .predicate import COMPARED, sent
from .texts import format_number

DIGITS = 4
"""How many digits of a weight are shown; predictions use all of them."""


Terms = tuple[tuple[str, int | None, float], ...]
"""Column, level or `None`, and weight of each term of a sum."""


@dataclass(frozen=True, slots=True)
class LinearPredicate:
    """The split `weights[0] * columns[0] + weights[1] * columns[1] + ... <= threshold`.

    Numbers, dates and ordered levels enter with their matrix value. A term with a level is 1 if the column has that
    level, else 0.

    Attributes
    ----------
    columns : the header of the column of each term; each column appears once, or once per level.
    weights : the weight of each term, in units of the threshold; not 0.
    threshold : the largest value of the sum on the yes side.
    missing : the side if any of the columns is missing (and has no fill value under the policy 'impute').
    levels : for each term the index of its level, or `None`; empty if no term has a level.
    """

    columns: tuple[str, ...]
    weights: tuple[float, ...]
    threshold: float
    missing: bool
    levels: tuple[int | None, ...] = ()

    def __post_init__(self) -> None:
        terms = list(zip(self.columns, self.levels or (None,) * len(self.columns), strict=True))
        if not terms or len(terms) != len(self.weights) or len(set(terms)) != len(terms):
            raise PredicateError(f"A weighted sum needs exactly one weight per term: {self}.")
        if not all(math.isfinite(weight) and weight for weight in self.weights) or not math.isfinite(self.threshold):
            raise PredicateError(f"The weights of a sum must be finite and not 0, its threshold finite: {self}.")

    @property
    def terms(self) -> Terms:
        """The terms in their order."""
        levels = self.levels or (None,) * len(self.columns)
        return tuple(zip(self.columns, levels, self.weights, strict=True))

    def values(self, schema: Schema, X: np.ndarray) -> np.ndarray:
        """The weighted sum for each row, float64 (n_samples,), NaN where a column stays missing."""
        total = np.zeros(len(X))
        # term by term, so that the sum does not depend on the number of rows in the call
        for name, level, weight in self.terms:
            x, fill = X[:, schema.index(name)], schema[name].fill
            if schema.missing is MissingPolicy.IMPUTE and fill is not None:
                x = np.where(np.isnan(x), fill, x)
            with np.errstate(over="ignore", invalid="ignore"):
                total += weight * (x if level is None else np.where(np.isnan(x), np.nan, x == level))
        for row in np.flatnonzero(~np.isfinite(total)).tolist():
            total[row] = self._exact_value(schema, X[row], total[row])
        return total

    def _exact_value(self, schema: Schema, row: np.ndarray, rounded: float) -> float:
        """The exact sum of one row if a term or partial sum overflows; infinite only if the whole sum is."""
        exact = Fraction(0)
        for name, level, weight in self.terms:
            x, fill = float(row[schema.index(name)]), schema[name].fill
            if math.isnan(x) and schema.missing is MissingPolicy.IMPUTE and fill is not None:
                x = fill
            if not math.isfinite(x):
                return rounded
            exact += Fraction(weight) * Fraction(x if level is None else x == level)
        try:
            return float(exact)
        except OverflowError:
            return math.inf if exact > 0 else -math.inf

    def holds(self, schema: Schema, X: np.ndarray) -> np.ndarray:
        """The sides of whole rows, bool (n_samples,), for the matrix float64 (n_samples, n_columns)."""
        total = self.values(schema, X)
        with np.errstate(invalid="ignore"):
            return np.where(np.isnan(total), self.missing, total <= self.threshold)

    def words(self, schema: Schema, answer: bool = True, *, mention_missing: bool | None = None) -> str:
        """The text of the split or of one of its sides, such as '0.3 age + 0.7 bmi is at most 42'."""
        return f"{self.subject(schema)} {self.claim(schema, answer, mention_missing)}"

    def claim(self, schema: Schema, answer: bool, mention_missing: bool | None = None) -> str:
        """The condition of one side: 'is at most 42, or missing', 'is more than 42'."""
        if mention_missing is None:
            mention_missing = any(schema[name].has_missing for name in self.columns)
        claim = COMPARED[Kind.NUMERIC][0 if answer else 1].format(limit=self.limit)
        return f"{claim}, or missing" if self.missing == answer and mention_missing else claim

    def words_at(self, schema: Schema, row: np.ndarray, answer: bool) -> str:
        """The condition that a row, float64 (n_columns,), on this side satisfies, and how missing ones are treated."""
        claim = f"{self.subject(schema)} {self.claim(schema, answer, False)}"
        gone = [name for name in dict.fromkeys(self.columns) if math.isnan(row[schema.index(name)])]
        if not gone:
            return claim
        counted = not math.isnan(self.values(schema, row.reshape(1, -1))[0])
        return sent(schema, gone, claim, counted=counted)

    @property
    def limit(self) -> str:
        """The text of the threshold."""
        return format_number(float(f"{self.threshold:.{DIGITS + 2}g}"))

    def subject(self, schema: Schema) -> str:
        """The weighted sum, for instance '0.3 age + 0.7 bmi'."""
        parts: list[str] = []
        for name, level, weight in self.terms:
            sign = ("- " if parts else "-") if weight < 0 else "+ " if parts else ""
            size = f"{abs(weight):.{DIGITS}g}"
            column = schema[name]
            what = _count_rows(column) if level is None else f"[{column.title} is {column.levels[level]}]"
            parts.append(f"{sign}{'' if size == '1' else size + ' '}{what}")
        return " ".join(parts)


def _count_rows(column: Column) -> str:
    """A column as a term of a sum; ordered levels count by position, which is spelled out unless it is their name."""
    places = [str(place) for place in range(len(column.levels))]
    if not column.kind.has_levels or list(column.levels) == places:
        return column.title
    counts = ", ".join(f"{level} = {place}" for level, place in zip(column.levels, places, strict=True))
    return f"{column.title} ({counts})"
