"""A split on one column, or on a weighted sum of several.

Models consist of predicates, so they predict on raw rows. The side of missing values is part of the split: 'bmi is at
most 30' sends them to no, 'bmi is at most 30, or missing' to yes, and 'bmi is missing' tests for them.

Decision diagrams may use weighted sums (Florio et al. 2023, 'multivariate splits'). The weights are in the user's
units, so '0.3 age + 0.7 bmi is at most 42' can be computed by hand.
"""

import math
from collections.abc import Collection, Sequence
from enum import StrEnum
from fractions import Fraction
from functools import cache

import msgspec
import numpy as np
from msgspec.structs import replace

from ..errors import PredicateError
from ..magnitude import midpoint
from .columns import Column, Kind
from .schema import Schema
from .texts import format_list, format_number, parse_numbers


class Op(StrEnum):
    """The comparison of a predicate."""

    LE = "<="
    IS = "is"
    MISSING = "is missing"


class Predicate(msgspec.Struct, frozen=True, tag="column", tag_field="type", forbid_unknown_fields=True):
    """A split on the value of one column.

    Attributes
    ----------
    column : the header of the column.
    op : `LE` (numbers, dates and ordered levels), `IS` (one level), `MISSING`.
    value : the threshold of `LE`, the index of the level of `IS`, `None` for `MISSING`.
    missing : whether a missing value goes to yes (always for `MISSING`).
    """

    column: str
    op: Op
    value: float | None
    missing: bool

    def __post_init__(self) -> None:
        if self.op is Op.MISSING:
            if self.value is not None or not self.missing:
                raise PredicateError(f"'{self.column} is missing' takes no value and is true for a missing value.")
        elif self.value is None or not math.isfinite(self.value):
            raise PredicateError(f"'{self.column} {self.op} ...' needs a finite value, but has {self.value}.")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the split reads."""
        return (self.column,)

    @property
    def operand(self) -> float:
        """The value to compare with: the threshold of `LE`, the level of `IS`; `MISSING` has none."""
        assert self.value is not None
        return self.value

    def misfit(self, schema: Schema) -> str:
        """Why the split does not fit the columns, as the end of a sentence; '' if it does.

        Raises `DataError` if there is no such column.
        """
        column = schema[self.column]
        if self.value is None:
            return ""
        if (self.op is Op.IS or column.kind.has_levels) and not column.has_level(self.value):
            return f"its value must be a level of the column '{column.name}'"
        if column.kind is Kind.DATE and not column.has_date(self.value):
            return f"its value must be a date of the column '{column.name}', in days since 1970-01-01"
        return ""

    def holds(self, schema: Schema, X: np.ndarray) -> np.ndarray:
        """The sides of whole rows, bool (n_samples,), for the matrix float64 (n_samples, n_columns)."""
        return self.answer(X[:, schema.index(self.column)])

    def answer(self, values: np.ndarray) -> np.ndarray:
        """The sides, bool (n_samples,), for values of the column, float64 (n_samples,), NaN where missing."""
        missing: np.ndarray = np.isnan(values)
        if self.op is Op.MISSING:
            return missing
        with np.errstate(invalid="ignore"):
            # comparisons with NaN are False
            yes = values <= self.value if self.op is Op.LE else values == self.value
        return yes | (missing & self.missing)

    def with_fill(self, schema: Schema) -> "Predicate":
        """The same split, with missing values on the side of the fill value if the schema has one."""
        fill = schema.fill(self.column)
        if self.op is Op.MISSING or fill is None:
            return self
        return replace(self, missing=bool(self.answer(np.array([fill]))[0]))

    def words(self, schema: Schema, answer: bool = True, *, mention_missing: bool | None = None) -> str:
        """The text of the split or of one of its sides, such as 'bmi is at most 30, or missing'.

        Parameters
        ----------
        schema : gives the column's type and levels.
        answer : the side.
        mention_missing : whether to add 'or missing'; by default if the training rows have missing values in the
            column.
        """
        return f"{self.subject(schema)} {self.claim(schema, answer, mention_missing)}"

    def subject(self, schema: Schema) -> str:
        """The subject of the text: the label of the column, or else its name."""
        return schema[self.column].title

    def claim(self, schema: Schema, answer: bool, mention_missing: bool | None = None) -> str:
        """The condition of one side, as in `words`: 'is at most 30, or missing', 'is more than 30'."""
        column = schema[self.column]
        if mention_missing is None:
            mention_missing = column.has_missing
        too = self.missing == answer and mention_missing and self.op is not Op.MISSING
        claim = self._claim(column, answer)
        return f"{claim}, or missing" if too else claim

    def words_at(self, schema: Schema, row: np.ndarray, answer: bool) -> str:
        """The condition that a row, float64 (n_columns,), on this side satisfies, and how a missing one is treated."""
        column, value = schema[self.column], row[schema.index(self.column)]
        claim = self._claim(column, answer)
        if self.op is Op.MISSING or not math.isnan(value):
            return f"{column.title} {claim}"
        fill = schema.fill(self.column)
        counts = fill is not None and bool(self.answer(np.array([fill]))[0]) == answer
        return sent(schema, [self.column], f"{column.title} {claim}" if counts else claim, counted=counts)

    def _claim(self, column: Column, answer: bool) -> str:
        if self.op is Op.MISSING:
            return "is missing" if answer else "is known"
        if self.op is Op.IS:
            level = int(self.operand)
            if column.kind is Kind.BINARY:
                return f"is {column.levels[level if answer else 1 - level]}"
            return f"is {column.levels[level]}" if answer else f"is not {column.levels[level]}"
        if column.kind is Kind.ORDERED and not ascends(column.levels):
            return levels_claim(column, [k for k in range(len(column.levels)) if (k <= self.operand) == answer])
        below, beyond = COMPARED.get(column.kind, COMPARED[Kind.NUMERIC])
        return (below if answer else beyond).format(limit=limit_text(column, self.operand))


COMPARED = {
    Kind.NUMERIC: ("is at most {limit}", "is more than {limit}"),
    Kind.DATE: ("is {limit} or earlier", "is after {limit}"),
    Kind.ORDERED: ("is {limit} or lower", "is above {limit}"),
}
"""Phrases for values up to a limit and for values beyond it."""

MOST_NAMED = 6
"""If more ordered levels than this match, the text names the levels that do not, if they are fewer."""


@cache
def ascends(levels: tuple[str, ...]) -> bool:
    """Whether levels are numbers in ascending order, so that 'lower' and 'above' are clear to a reader.

    Other levels have no order that every reader assumes (triage 5 < 4 < 3, high < medium < low), so texts name them.
    """
    numbers = parse_numbers(list(levels))
    return bool(np.isfinite(numbers).all() and (np.diff(numbers) > 0).all())


def levels_claim(column: Column, fitting: Collection[int]) -> str:
    """The phrase that names matching levels: 'is 5, 4 or 3', 'is not green'."""
    kept = [level for i, level in enumerate(column.levels) if i in fitting]
    gone = [level for i, level in enumerate(column.levels) if i not in fitting]
    if not kept:
        return "is not one of its levels"
    most = MOST_NAMED if column.kind is Kind.ORDERED else 1
    negated = gone and len(kept) > most and len(gone) <= len(kept)
    return f"is not {format_list(gone, 'or')}" if negated else f"is {format_list(kept, 'or')}"


def limit_text(column: Column, limit: float) -> str:
    """The text of a threshold with its unit; for a column of integers, the largest integer up to it."""
    whole = column.kind.has_levels or (column.integral and column.kind is Kind.NUMERIC)
    return column.with_unit(column.format(math.floor(limit) if whole else limit))


def sent(schema: Schema, gone: Sequence[str], claim: str, *, counted: bool) -> str:
    """How a row with missing values in the columns `gone` is treated, and why.

    `counted` says whether fill values decided the side, and `claim` is the condition of that side.
    """
    names = format_list(schema.titles(gone), "and")
    if counted:
        filled = ((column := schema[name]).with_unit(column.format(column.fill or 0.0)) for name in gone)
        fills = format_list([*filled], "and")
        return f"{names} unknown: counted as {fills}, so {claim}"
    claim = claim.removeprefix("is ")
    if complete := format_list([schema[name].title for name in gone if not schema[name].has_missing], "and"):
        return f"{names} unknown: treated as {claim}, though every training row had {complete}"
    return f"{names} unknown: treated as {claim}, which was best for the training rows without it"


def simple_threshold(low: float, high: float) -> float:
    """A short decimal number t with low <= t < high, near the middle of the gap.

    The midpoint of two neighbouring values often has many meaningless digits. This takes the number with the fewest
    decimals in the middle half of the gap: 17.3 and 17.9 give 17.6, and 106.1 and 117.2 give 110.
    """
    middle = midpoint(low, high)
    if not low <= middle < high:
        return low
    quarter = high / 4 - low / 4
    if quarter > 0:
        first = max(-math.floor(math.log10(quarter)) - 1, -15)
        for decimals in range(first, first + 4):
            candidate = round(middle, decimals)
            if middle - quarter <= candidate <= middle + quarter and low <= candidate < high:
                return float(candidate)
    return middle


DIGITS = 4
"""How many digits of a weight are shown; predictions use all of them."""


Terms = tuple[tuple[str, int | None, float], ...]
"""Column, level or `None`, and weight of each term of a sum."""


class LinearPredicate(msgspec.Struct, frozen=True, tag="sum", tag_field="type", forbid_unknown_fields=True):
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

    def misfit(self, schema: Schema) -> str:
        """Why the split does not fit the columns, as in `Predicate.misfit`."""
        for name, level, _ in self.terms:
            column = schema[name]
            of_level = level is not None or column.kind is Kind.CATEGORICAL
            if of_level and (level is None or not column.has_level(level)):
                return f"its term needs a level of the column '{name}'"
        return ""

    def values(self, schema: Schema, X: np.ndarray) -> np.ndarray:
        """The weighted sum for each row, float64 (n_samples,), NaN where a column stays missing."""
        parts = []
        for name, level, weight in self.terms:
            x, fill = X[:, schema.index(name)], schema.fill(name)
            if fill is not None:
                x = np.where(np.isnan(x), fill, x)
            parts.append((weight, x if level is None else np.where(np.isnan(x), np.nan, x == level)))
        total = np.zeros(len(X))
        with np.errstate(over="ignore", invalid="ignore"):
            # term by term, so that the sum does not depend on the number of rows in the call
            for weight, x in parts:
                total += weight * x
        for row in np.flatnonzero(~np.isfinite(total)).tolist():
            cells = [(weight, float(x[row])) for weight, x in parts]
            if all(math.isfinite(x) for _, x in cells):
                # a term or a partial sum overflows; the result is infinite only if the whole sum is
                exact = sum(Fraction(weight) * Fraction(x) for weight, x in cells)
                try:
                    total[row] = float(exact)
                except OverflowError:
                    total[row] = math.inf if exact > 0 else -math.inf
        return total

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
