"""What a step of the preparation is: a change of the table in the user's words, with its meaning, form and JSON.

A step is a frozen dataclass. Its fields are declared once, as `entry(...)`: from that derive the checks, the form on
the screen and the JSON. Its meaning is `apply(sheet)`, decided on the different texts of a column.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple, Self

from solvers.errors import DataError
from solvers.problem.columns import Kind
from solvers.problem.preparation.sheet import Sheet
from solvers.problem.texts import composed, format_number


class EntryType(StrEnum):
    """What a field of a step holds."""

    COLUMN = "column"
    NAME = "name"
    VALUES = "values"
    NUMBER = "number"
    NUMBERS = "numbers"
    CHOICE = "choice"


class Entry(NamedTuple):
    """A field of a step.

    Attributes
    ----------
    name : in Python and JSON; type : what it holds.
    label, help : on the screen.
    optional : whether it may be left out; default : what it holds then.
    choices : what a choice may be.
    """

    name: str
    type: EntryType
    label: str
    help: str = ""
    optional: bool = False
    default: Any = None
    choices: tuple[str, ...] = ()

    def clean(self, value: Any) -> Any:
        """What the field holds for a value that was given; `DataError` where it does not fit."""
        if self.optional and (value is None or value == self.default):
            return self.default
        try:
            return _CLEAN[self.type](value)
        except (TypeError, ValueError):
            raise DataError(f"'{self.label}' must be {_MUST_BE[self.type]}. Got {value!r}.") from None


def entry(type: EntryType, label: str, help: str = "", *, default: Any = ..., choices: tuple[str, ...] = ()) -> Any:
    """Declare a field of a step; with a `default` it may be left out."""
    optional = default is not ...
    form = {"type": type, "label": label, "help": help, "optional": optional, "choices": choices}
    if not optional:
        return field(metadata={"entry": form})
    return field(default=default, metadata={"entry": form | {"default": default}})


class Reading(NamedTuple):
    """How a column is read after the steps: its type, and its levels in their order; `None` where that is found."""

    kind: Kind | None = None
    levels: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Step(ABC):
    """A step.

    Attributes
    ----------
    kind : its name in JSON.
    title : its name on the screen; summary : what it does, in a sentence.
    """

    kind: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]

    def __post_init__(self) -> None:
        for one in self.form():
            value = one.clean(getattr(self, one.name))
            if one.choices and value not in one.choices:
                raise DataError(f"'{one.label}' must be one of {', '.join(one.choices)}. Got '{value}'.")
            object.__setattr__(self, one.name, value)
        if fault := self.fault():
            raise DataError(fault)

    @classmethod
    def form(cls) -> tuple[Entry, ...]:
        """The fields to fill in, in their order."""
        return tuple(Entry(one.name, **one.metadata["entry"]) for one in fields(cls))

    def fault(self) -> str:
        """Why the fields do not fit each other, in a sentence; '' where they do."""
        return ""

    @abstractmethod
    def words(self) -> str:
        """What is done, such as "rename 'sex' to 'gender'"."""

    def __str__(self) -> str:
        return self.words()

    @property
    @abstractmethod
    def reads(self) -> tuple[str, ...]:
        """The columns whose cells it needs."""

    @property
    def makes(self) -> str | None:
        """The column whose cells it makes; `None` where it changes no cell."""
        return None

    @property
    def renames(self) -> tuple[str, str] | None:
        """The name of a column before and after; `None` where none changes."""
        return None

    @property
    def parts(self) -> tuple["Step", ...]:
        """Simpler steps that do the same one after the other."""
        return (self,)

    @property
    def readings(self) -> Mapping[str, Reading]:
        """How columns are to be read from now on."""
        return {}

    @abstractmethod
    def apply(self, sheet: Sheet) -> None:
        """Change the table.

        Raises `DataError` where there is no such column, or a cell does not fit.
        """

    def to_json(self) -> dict[str, Any]:
        """As `step_from_json` reads it; what is as by default is left out."""
        data: dict[str, Any] = {"kind": self.kind}
        for one in self.form():
            value = getattr(self, one.name)
            if not (one.optional and value == one.default):
                data[one.name] = list(value) if isinstance(value, tuple) else value
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read the fields of this kind; `DataError` where one is unknown, missing, or holds something else."""
        form = cls.form()
        known = [one.name for one in form]
        for name in data:
            if name not in (*known, "kind"):
                raise DataError(f"'{cls.kind}' has no field '{name}'. It has: {', '.join(known)}.")
        for one in form:
            if not one.optional and data.get(one.name) is None:
                raise DataError(f"'{cls.kind}' needs the field '{one.name}' ({one.label.lower()}).")
        return cls(**{name: value for name, value in data.items() if name != "kind"})


def quoted(values: Iterable[str]) -> list[str]:
    """Values as they stand in a sentence."""
    return [f"'{value}'" for value in values]


def _name(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError
    return composed(value.strip())


def _values(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        raise ValueError
    texts = tuple(dict.fromkeys(_value(one) for one in value))
    if not all(texts) or not texts:
        raise ValueError
    return texts


def _value(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError
    return composed(value.strip()) if isinstance(value, str) else format_number(_number(value))


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str) or (isinstance(value, str) and "_" in value):
        raise ValueError
    number = float(value)
    if not math.isfinite(number):
        raise ValueError
    return number


def _numbers(value: Any) -> tuple[float, ...]:
    if isinstance(value, str):
        raise ValueError
    numbers = tuple(sorted({_number(one) for one in value}))
    if not numbers:
        raise ValueError
    return numbers


_CLEAN = {
    EntryType.COLUMN: _name,
    EntryType.NAME: _name,
    EntryType.CHOICE: _name,
    EntryType.VALUES: _values,
    EntryType.NUMBER: _number,
    EntryType.NUMBERS: _numbers,
}
_MUST_BE = {
    EntryType.COLUMN: "the name of a column",
    EntryType.NAME: "a name",
    EntryType.CHOICE: "one of its choices",
    EntryType.VALUES: "a list of one or more values",
    EntryType.NUMBER: "a number such as 0.5",
    EntryType.NUMBERS: "a list of one or more numbers such as 0.5",
}


@dataclass(frozen=True)
class ColumnStep(Step):
    """A step about one column."""

    column: str = entry(EntryType.COLUMN, "Column")

    @property
    def reads(self) -> tuple[str, ...]:
        """The column."""
        return (self.column,)


@dataclass(frozen=True)
class CellsStep(ColumnStep):
    """A step that changes the cells of a column, which keeps its name."""

    @property
    def makes(self) -> str:
        """The same column."""
        return self.column
