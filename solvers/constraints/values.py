"""The values in constraints: exact numbers, and groups of rows, columns and levels by name."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from numbers import Rational, Real
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import force_setattr

from ..errors import ConstraintError
from ..problem import Column, Dataset, Group, Kind, Objective
from ..problem.columns import parse_dates
from ..problem.groups import crossed_columns, crossed_group, group_of, named_columns, named_group
from ..problem.texts import abbreviate, composed, quoted, suggestion

Number = int | Fraction
"""An exact number; the user's decimals become exact fractions."""

LONGEST_NUMBER = 400
"""The maximum number of characters of a number written as text, and of powers of ten in it; more than floats need."""


class Who(msgspec.Struct, frozen=True, omit_defaults=True, rename={"level": "is", "low": "from", "high": "to"}):
    """The rows that a constraint applies to: rows with one level, or with a value in a range.

    Attributes
    ----------
    column : a group column or a feature.
    level : the level (or value) as text; `None` for a range.
    low, high : the range, both ends included; `None` for open ends. Numbers, ISO dates, or levels in order.
    """

    column: str
    level: str | None = None
    low: Number | str | None = None
    high: Number | str | None = None

    def __post_init__(self) -> None:
        for name in ("column", "level", "low", "high"):
            value = getattr(self, name)
            if isinstance(value, str):
                force_setattr(self, name, composed(value))
            elif isinstance(value, Real) and name in ("low", "high"):
                force_setattr(self, name, exact(value))
        if isinstance(self.level, Real):
            force_setattr(self, "level", shown(exact(self.level)))
        if (self.level is None) == (self.low is None and self.high is None):
            raise ConstraintError(f"The column '{self.column}' needs either a value or a range.")

    def words(self) -> str:
        """The selection as text, such as 'sex = female' or 'age from 60 to 80'."""
        if self.level is not None:
            return f"{self.column} = {self.level}"
        low, high = (None if end is None else shown(end) for end in (self.low, self.high))
        if low is None:
            return f"{self.column} up to {high}"
        return f"{self.column} from {low}" + ("" if high is None else f" to {high}")

    def members(self, dataset: Dataset) -> np.ndarray:
        """Which rows are selected, bool (n_samples,); a missing value is no member.

        Raises
        ------
        ConstraintError
            The table has no such column, level or value.
        """
        is_feature = self.column in dataset.schema.names
        group = named_group(dataset.groups, self.column) if is_feature else grouping(dataset, self.column)
        if group is not None and self.level in group.levels:
            in_group: np.ndarray = group.codes == group.levels.index(self.level)
            return in_group
        if group is not None and not is_feature:
            if self.level is None:
                raise ConstraintError(f"The groups of '{self.column}' have no order. Choose one instead of a range.")
            raise ConstraintError(
                f"No group of '{self.column}' is called '{self.level}'. {suggestion(self.level, group.levels)}"
            )
        j = column_position(dataset, self.column)
        column, x = dataset.schema.columns[j], dataset.X[:, j]
        members: np.ndarray
        if self.level is not None:
            members = x == matrix_value(column, self.level)
            return members
        if column.kind in (Kind.CATEGORICAL, Kind.BINARY):
            raise ConstraintError(f"The levels of '{self.column}' have no order. Choose a level instead of a range.")
        low = -math.inf if self.low is None else matrix_value(column, self.low)
        high = math.inf if self.high is None else matrix_value(column, self.high)
        return (x >= low) & (x <= high)

    @classmethod
    def of(cls, value: Any) -> Who:
        """Return a selection as it is, or read JSON: {"column", "is"} or {"column", "from", "to"}.

        Raises
        ------
        ConstraintError
            The value is neither.
        """
        if isinstance(value, Who):
            return value
        if not isinstance(value, Mapping):
            raise ConstraintError(f"Choose a column with a value or a range, not {value!r}.")
        if set(value) - {"column", "is", "from", "to"} or not isinstance(value.get("column"), str):
            raise ConstraintError(
                'Write the selected rows as {"column": ..., "is": ...} or {"column": ..., "from": ..., "to": ...}.'
            )
        return cls(value["column"], value.get("is"), value.get("from"), value.get("to"))


def exact(value: Any) -> Number:
    """The exact number: 1/10 for 0.1, 4/5 for '4/5'; integers stay integers.

    Raises
    ------
    ConstraintError
        The value is no finite number.
    """
    try:
        if isinstance(value, bool) or (isinstance(value, str) and _is_long(value)):
            raise ValueError
        number = Fraction(value) if isinstance(value, Rational | str) else Fraction(repr(float(value)))
        float(number)  # raises OverflowError beyond the range of floats
    except (ValueError, TypeError, OverflowError, ZeroDivisionError):
        raise ConstraintError(f"Enter a number, not {value!r}.") from None
    return int(number) if number.denominator == 1 else number


def _is_long(value: str) -> bool:
    """Whether the digits of a number would fill the memory, like those of '1e999999999'."""
    power = re.search(r"[eE][+-]?([\d_]+)\s*$", value)
    return len(value) > LONGEST_NUMBER or (power is not None and int(power[1]) > LONGEST_NUMBER)


def shown(value: Number | str) -> str:
    """A number as text: '0.9', '12', '1/3'."""
    if isinstance(value, str | int):
        return str(value)
    written = plain(value)
    return f"{written:.12g}" if isinstance(written, float) else str(written)


def percent(share: Number) -> str:
    """A share in per cent, such as '90%' or '2.5%', rounded to three decimals."""
    return f"{round(float(100 * share), 3):g}%"


def plain(value: Any) -> Any:
    """A number for JSON: an integer, a float if that gives the same number back, or a text such as '1/3'."""
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return value.numerator
        return float(value) if Fraction(repr(float(value))) == value else str(value)
    return value


def column_position(dataset: Dataset, name: str) -> int:
    """The position of a feature in the schema.

    Raises
    ------
    ConstraintError
        There is no feature of this name; the message suggests the nearest.
    """
    names, families = dataset.schema.names, dataset.schema.families
    if name in families and name not in names:
        raise ConstraintError(f"'{name}' is a family. Choose one of its features: {abbreviate(families[name], 8)}.")
    if name not in names:
        raise ConstraintError(f"There is no feature '{name}'. {suggestion(name, names)}")
    return dataset.schema.index(name)


def columns_named(dataset: Dataset, *names: str) -> tuple[str, ...]:
    """The features that names of features and families stand for.

    Raises
    ------
    ConstraintError
        There is no feature or family of a name, or no feature of the family is used.
    """
    schema, found = dataset.schema, []
    for name in names:
        if name in schema.names:
            found.append(name)
        elif name in schema.families:
            found += schema.families[name]
        elif name in schema.unused_families:
            raise ConstraintError(
                f"No feature of the family '{name}' is used any more. Use one on the Data screen, or remove this "
                "constraint."
            )
        else:
            what = "feature or family" if schema.families else "feature"
            raise ConstraintError(f"There is no {what} '{name}'. {suggestion(name, [*schema.names, *schema.families])}")
    return tuple(dict.fromkeys(found))


def columns_apart(dataset: Dataset, names: Sequence[str]) -> list[frozenset[str]]:
    """The features of each name; raises `ConstraintError` as `columns_named`, or if two names share one."""
    sets = [frozenset(columns_named(dataset, name)) for name in names]
    for one, other in combinations(sets, 2):
        if one & other:
            raise ConstraintError(f"'{min(one & other)}' belongs to two of {quoted(names)}. Name it once.")
    return sets


def members_of(dataset: Dataset, who: Who | None) -> np.ndarray:
    """The selected rows, bool (n_samples,); all rows for `None`."""
    return np.ones(dataset.n_samples, bool) if who is None else who.members(dataset)


def positive_class(dataset: Dataset, name: str | None) -> int:
    """The class of this name, or the positive one.

    Raises
    ------
    ConstraintError
        There is no class of this name; or no class is named, and the data has no positive one.
    """
    if name is not None:
        return class_position(dataset, name)
    if dataset.positive is None:
        raise ConstraintError(f"Choose the positive class of '{dataset.outcome}'.")
    return dataset.positive


def positive_name(dataset: Dataset, name: str | None) -> str:
    """The name of that class; '?' if there is none."""
    return name or ("?" if dataset.positive is None else dataset.classes[dataset.positive])


def class_position(dataset: Dataset, name: str) -> int:
    """The position of a class.

    Raises
    ------
    ConstraintError
        There is no class of this name.
    """
    if name not in dataset.classes:
        raise ConstraintError(f"'{dataset.outcome}' has no class '{name}'. {suggestion(name, dataset.classes)}")
    return dataset.classes.index(name)


def matrix_value(column: Column, value: Number | str) -> float:
    """Convert a value of a column, as the user writes it, to a value of the matrix.

    Raises
    ------
    ConstraintError
        It is no value of this column.
    """
    if column.kind.has_levels:
        level = shown(value)
        if level not in column.levels:
            raise ConstraintError(f"'{column.name}' has no level '{level}'. {suggestion(level, column.levels)}")
        return float(column.levels.index(level))
    if column.kind is Kind.DATE:
        days = float(parse_dates([str(value)])[0])
        if math.isnan(days):
            raise ConstraintError(f"'{column.name}' holds dates. Write '{value}' as year-month-day.")
        return days
    try:
        return float(exact(value))
    except ConstraintError:
        raise ConstraintError(f"'{column.name}' holds numbers, but '{value}' is not a number.") from None


def written_value(column: Column, value: float) -> Number | str:
    """Convert a value of the matrix to the user's form: a number, an ISO date or a level."""
    return exact(value) if column.kind is Kind.NUMERIC else column.format(value)


def grouping(dataset: Dataset, name: str) -> Group:
    """The groups of a group column or of a feature; 'sex × region' crosses two such columns.

    Raises
    ------
    ConstraintError
        There is no such column, or it has no or too many values.
    """
    known = tuple(dict.fromkeys([*(group.name for group in dataset.groups), *dataset.schema.names]))
    try:
        if (group := named_group(dataset.groups, name)) is not None:
            return group
        if name in dataset.schema.names:
            j = dataset.schema.index(name)
            return group_of(dataset.schema.columns[j], dataset.X[:, j])
        if parts := crossed_columns(name, known):
            return crossed_group([grouping(dataset, part) for part in parts])
    except ValueError as error:
        raise ConstraintError(str(error)) from None
    name = next(column for column in named_columns(name, known) if column not in known)
    raise ConstraintError(f"There is no column '{name}'. {suggestion(name, known)}")


def columns_of(dataset: Dataset, name: str) -> tuple[str, ...]:
    """The features that define the groups of this name; empty if they come from group columns only."""
    names = dataset.schema.names
    known = (*(group.name for group in dataset.groups), *names)
    return tuple(column for column in named_columns(name, known) if column in names)


def weights_of(dataset: Dataset) -> tuple[np.ndarray, int]:
    """Integer weights of the rows, int64 (n_samples,), and their units per unit of the user's weights."""
    if dataset.weight is None:
        return np.ones(dataset.n_samples, np.int64), 1
    scaled = Objective().scaled(dataset)
    return scaled.weights, scaled.weight_scale
