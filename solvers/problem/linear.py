"""A yes/no question about several columns at once: whether a weighted sum stays below a limit.

Decision diagrams may ask such questions (Florio et al. 2023, 'multivariate splits'). The weights speak of the user's
own units, so '0.3 age + 0.7 bmi is 42 or less' can be worked out by hand.
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
"""How many digits of a weight are shown; all of them count."""


Terms = tuple[tuple[str, int | None, float], ...]
"""Column, level or `None`, and weight of each term of a sum."""


@dataclass(frozen=True, slots=True)
class LinearPredicate:
    """Whether `weights[0] * columns[0] + weights[1] * columns[1] + ... <= threshold`.

    Numbers, dates and ordered levels count as they stand in the matrix. A term of a level counts 1 where the column has
    that level and 0 elsewhere.

    Attributes
    ----------
    columns : the header of the column of each term; a column comes once, or once a level.
    weights : the weight of each term, in units of the threshold; not 0.
    threshold : the largest value of the sum that answers yes.
    missing : the answer where any of the columns is missing (and nothing stands for it by the policy 'impute').
    levels : for each term the index of its level, or `None`; empty where no term is about a level.
    """

    columns: tuple[str, ...]
    weights: tuple[float, ...]
    threshold: float
    missing: bool
    levels: tuple[int | None, ...] = ()

    def __post_init__(self) -> None:
        terms = list(zip(self.columns, self.levels or (None,) * len(self.columns), strict=True))
        if not terms or len(terms) != len(self.weights) or len(set(terms)) != len(terms):
            raise PredicateError(f"A weighted sum needs one weight for each of its terms, each named once: {self}.")
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
        # term by term, so that the sum does not depend on how many rows are asked at once
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
        """The sum of one row where a term or a part of the sum overflows; infinite only if the whole sum is."""
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
        """The answers for whole rows, bool (n_samples,), of the matrix float64 (n_samples, n_columns)."""
        total = self.values(schema, X)
        with np.errstate(invalid="ignore"):
            return np.where(np.isnan(total), self.missing, total <= self.threshold)

    def words(self, schema: Schema, answer: bool = True, *, mention_missing: bool | None = None) -> str:
        """The question as it is shown, or what an answer claims, for instance '0.3 age + 0.7 bmi is 42 or less'."""
        return f"{self.subject(schema)} {self.claim(schema, answer, mention_missing)}"

    def claim(self, schema: Schema, answer: bool, mention_missing: bool | None = None) -> str:
        """What an answer claims of the sum: 'is 42 or less, or missing', 'is more than 42'."""
        if mention_missing is None:
            mention_missing = any(schema[name].has_missing for name in self.columns)
        claim = COMPARED[Kind.NUMERIC][0 if answer else 1].format(limit=self.limit)
        return f"{claim}, or missing" if self.missing == answer and mention_missing else claim

    def words_at(self, schema: Schema, row: np.ndarray, answer: bool) -> str:
        """What holds for one case, float64 (n_columns,), that answered so; of a missing value it says how it counts."""
        claim = f"{self.subject(schema)} {self.claim(schema, answer, False)}"
        gone = [name for name in dict.fromkeys(self.columns) if math.isnan(row[schema.index(name)])]
        if not gone:
            return claim
        counted = not math.isnan(self.values(schema, row.reshape(1, -1))[0])
        return sent(schema, gone, claim, counted=counted)

    @property
    def limit(self) -> str:
        """The threshold as it is shown."""
        return format_number(float(f"{self.threshold:.{DIGITS + 2}g}"))

    def subject(self, schema: Schema) -> str:
        """The weighted sum, for instance '0.3 age + 0.7 bmi'."""
        parts: list[str] = []
        for name, level, weight in self.terms:
            sign = ("- " if parts else "-") if weight < 0 else "+ " if parts else ""
            size = f"{abs(weight):.{DIGITS}g}"
            what = _count_rows(schema[name]) if level is None else f"[{name} is {schema[name].levels[level]}]"
            parts.append(f"{sign}{'' if size == '1' else size + ' '}{what}")
        return " ".join(parts)


def _count_rows(column: Column) -> str:
    """A column as it counts in a sum; ordered levels count by their place, unless they are called like that."""
    places = [str(place) for place in range(len(column.levels))]
    if not column.kind.has_levels or list(column.levels) == places:
        return column.name
    counts = ", ".join(f"{level} = {place}" for level, place in zip(column.levels, places, strict=True))
    return f"{column.name} ({counts})"
