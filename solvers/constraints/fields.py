"""The fields of constraints: their values, validation, JSON, and look-up in a table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, NamedTuple

import msgspec

from ..errors import ConstraintError
from ..magnitude import LARGEST_SUM, LARGEST_TOTAL
from ..problem import Dataset
from ..problem.texts import composed
from .questions import Questions
from .values import Number, Who, class_position, column_position, columns_named, exact, grouping, plain

ByColumn = dict[str, Number]
"""A number for each of some columns: the cost of measuring it, or the unit of its thresholds."""


class SharedCost(msgspec.Struct, frozen=True):
    """Columns and families that share a cost which is paid once, and that cost."""

    columns: tuple[str, ...]
    cost: Number


RowSets = tuple[tuple[int, ...], ...]
"""Sets of rows by their numbers in the file."""


LARGEST_COUNT = 2**31 - 1
"""More rows, leaves or splits than any table or model has."""

LARGEST_COST = 10**9
"""The maximum cost of a column."""

FINEST_UNIT = Fraction(1, 10**6)
"""All units are multiples of it."""

LARGEST_DENOMINATOR = LARGEST_TOTAL
"""The largest denominator of a share; such a denominator times a total fits into 64 bits."""


class FieldType(StrEnum):
    """The content of a field, which decides its form widget; the comments give the Python value and its JSON."""

    COLUMN = "column"  # a feature's name
    FAMILY = "column or family"  # the name of a feature or of a family of features
    COLUMNS = "columns"  # tuple of such names; a list
    COUNT = "count"  # int; an integer
    NUMBER = "number"  # int or Fraction; a number, or a text such as "1/3"
    SHARE = "share"  # Fraction from 0 to 1; the same
    CHOICE = "choice"  # one of the field's choices; a text
    CLASS = "class"  # the name of a class
    CLASSES = "classes"  # tuple of all class names in an order; a list
    WHO = "who"  # Who; {"column", "is"} or {"column", "from", "to"}
    GROUPING = "grouping"  # the name of a group column, or of a feature
    COSTS = "costs"  # ByColumn; {column: cost}
    UNITS = "units"  # ByColumn; {column: unit}
    SHARED_COSTS = "shared costs"  # tuple of SharedCost; a list of {"columns", "cost"}
    ROW_SETS = "sets of rows"  # RowSets; a list of lists of row numbers
    VALUE = "value"  # of the column that another field names: number, date or level; a number or a text
    QUESTIONS = "questions"  # Questions; {"column", "op", "value", "missing", "yes", "no"}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a constraint, from which forms are built.

    Attributes
    ----------
    name : the attribute, and the key in JSON.
    type : its content.
    label : its label in a form.
    help : an explanation, in a sentence.
    unit : what the number counts: 'rows', 'errors', ...; '%' for shares, which are stored as 0 to 1.
    low, high : the range of a number, both ends included; `None` for no end.
    choices : (value, label) of each choice.
    of : the field with the column that a value or level belongs to.
    optional : whether it may stay empty, which is `None` (or no items).
    default : the initial value in a form.
    """

    name: str
    type: FieldType
    label: str
    help: str = ""
    unit: str = ""
    low: Number | None = None
    high: Number | None = None
    choices: tuple[tuple[str, str], ...] = ()
    of: str | None = None
    optional: bool = False
    default: Any = None

    def clean(self, value: Any) -> Any:
        """Validate and convert a value.

        Raises
        ------
        ConstraintError
            The value has the wrong type or is out of range; the message names the field.
        """
        try:
            return self.held(value)
        except ConstraintError as error:
            raise ConstraintError(f"{self.label}: {error}") from None

    def held(self, value: Any) -> Any:
        """The same, with a message that does not name the field."""
        if value is None:
            if self.optional:
                return self.default
            raise ConstraintError("Enter a value.")
        held = _HANDLING[self.type].clean(value)
        if self.choices and held not in dict(self.choices):
            raise ConstraintError(f"Choose one of {', '.join(dict(self.choices))}, not '{held}'.")
        if (self.low is not None and held < self.low) or (self.high is not None and held > self.high):
            span = f"of at least {self.low}" if self.high is None else f"between {self.low} and {self.high}"
            raise ConstraintError(f"Enter a value {span}, not {plain(held)}.")
        # JSON omits a value that is the default itself
        return self.default if self.optional and held == self.default else held

    def fault(self, value: Any, dataset: Dataset) -> str:
        """What the value names and the table lacks, in a sentence; '' if the table has everything."""
        try:
            _HANDLING[self.type].look_up(dataset, value)
        except ConstraintError as error:
            return str(error)
        return ""


def _name(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ConstraintError(f"Enter a name, not {value!r}.")
    return composed(value)


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise ConstraintError(f"Enter a list of names, not {value!r}.")
    names = tuple(_name(item) for item in value)
    if len(set(names)) < len(names):
        raise ConstraintError(f"'{next(n for n in names if names.count(n) > 1)}' is named twice.")
    return names


def _count(value: Any) -> int:
    number = exact(value)
    if not isinstance(number, int):
        raise ConstraintError(f"Enter a whole number, not {value!r}.")
    if abs(number) > LARGEST_COUNT:
        raise ConstraintError(f"Enter a number of at most {LARGEST_COUNT:,}, not {value!r}.")
    return number


def _number(value: Any) -> Number:
    number = exact(value)
    if not -LARGEST_SUM <= number <= LARGEST_SUM:
        raise ConstraintError(f"Enter a number of at most {LARGEST_SUM:,}, not {value!r}.")
    return number


def _share(value: Any) -> Fraction:
    number = Fraction(exact(value))
    if not 0 <= number <= 1:
        raise ConstraintError(f"Enter a share between 0 and 1 (0% and 100%), not {plain(number)}.")
    if number.denominator > LARGEST_DENOMINATOR:
        raise ConstraintError(f"Enter a share with at most 9 decimals, not {value!r}.")
    return number


def _cost(value: Any) -> Number:
    cost = _number(value)
    if not 0 <= cost <= LARGEST_COST or Fraction(cost).denominator > 10**6:
        raise ConstraintError(f"Enter a cost between 0 and {LARGEST_COST:,}, with at most 6 decimals, not {value!r}.")
    return cost


def _unit(value: Any) -> Number:
    unit = _number(value)
    if not 0 < unit <= LARGEST_COST or (unit / FINEST_UNIT).denominator > 1:
        raise ConstraintError(
            f"Enter a unit above 0 and up to {LARGEST_COST:,}, with at most 6 decimals, not {value!r}."
        )
    return unit


def _by_column(number: Callable[[Any], Number], fault: str) -> Callable[[Any], ByColumn]:
    """A function that validates a number for each of some columns; `fault` is the error for a wrong form."""

    def clean(value: Any) -> ByColumn:
        pairs = value.items() if isinstance(value, Mapping) else value
        try:
            numbers = [(_name(column), number(one)) for column, one in pairs]
        except ConstraintError:
            raise
        except (TypeError, ValueError):
            raise ConstraintError(fault.format(value=repr(value))) from None
        _names([column for column, _ in numbers])
        return dict(numbers)

    return clean


def _shared(value: Any) -> tuple[SharedCost, ...]:
    try:
        parts = [one if isinstance(one, SharedCost) else SharedCost(**one) for one in value]
        return tuple(SharedCost(_names(one.columns), _cost(one.cost)) for one in parts)
    except ConstraintError:
        raise
    except (TypeError, KeyError, ValueError):
        raise ConstraintError('Write shared costs as a list of {"columns": [...], "cost": ...}.') from None


def _row_sets(value: Any) -> RowSets:
    if isinstance(value, str | Mapping) or not hasattr(value, "__iter__"):
        raise ConstraintError(f"Enter lists of row numbers, not {value!r}.")
    sets = tuple(tuple(_count(row) for row in rows) for rows in value)
    for rows in sets:
        if len(set(rows)) < max(2, len(rows)):
            raise ConstraintError(f"Enter at least two different rows, not {list(rows)}.")
    return sets


class _Handling(NamedTuple):
    """The handling of the values of a type.

    Attributes
    ----------
    clean : validates and converts a value; raises `ConstraintError`.
    look_up : finds in a table what the value names; raises `ConstraintError` if the table lacks it.
    """

    clean: Callable[[Any], Any]
    look_up: Callable[[Dataset, Any], object] = lambda dataset, value: None


_HANDLING = {
    FieldType.COLUMN: _Handling(_name, look_up=column_position),
    FieldType.FAMILY: _Handling(_name, look_up=columns_named),
    FieldType.COLUMNS: _Handling(_names, lambda dataset, names: columns_named(dataset, *names)),
    FieldType.COUNT: _Handling(_count),
    FieldType.NUMBER: _Handling(_number),
    FieldType.SHARE: _Handling(_share),
    FieldType.CHOICE: _Handling(_name),
    FieldType.CLASS: _Handling(_name, look_up=class_position),
    FieldType.CLASSES: _Handling(_names, lambda data, names: [class_position(data, name) for name in names]),
    FieldType.WHO: _Handling(Who.of, lambda dataset, who: who.members(dataset)),
    FieldType.GROUPING: _Handling(_name, look_up=grouping),
    FieldType.COSTS: _Handling(
        _by_column(_cost, "Write costs as column and cost, not {value}."),
        lambda dataset, costs: [column_position(dataset, name) for name in costs],
    ),
    FieldType.UNITS: _Handling(
        _by_column(_unit, "Write units as column and unit, not {value}."),
        lambda dataset, units: [column_position(dataset, name) for name in units],
    ),
    FieldType.SHARED_COSTS: _Handling(
        _shared,
        lambda dataset, shared: [columns_named(dataset, *one.columns) for one in shared],
    ),
    FieldType.ROW_SETS: _Handling(_row_sets),
    FieldType.VALUE: _Handling(lambda value: composed(value) if isinstance(value, str) else exact(value)),
    FieldType.QUESTIONS: _Handling(
        Questions.of,
        lambda dataset, top: [q.predicate(dataset) for _, q in top.places()],
    ),
}
