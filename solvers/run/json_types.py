"""Conversion between values and JSON: classes by their fields; models and constraints have their own form.

>>> to_json(Point(0.5, "at most 3 leaves", 4, None))  # doctest: +SKIP
{'limit': 0.5, 'words': 'at most 3 leaves', 'cost': 4, 'bound': None}
>>> from_json(Point, {"limit": 0.5, "words": "at most 3 leaves", "cost": 4, "bound": None})  # doctest: +SKIP
Point(limit=0.5, words='at most 3 leaves', cost=4, bound=None)
"""

import math
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from fractions import Fraction
from functools import cache, partial
from importlib import import_module
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec
import numpy as np

from ..constraints import Constraint
from ..constraints import from_json as constraint_from_json
from ..constraints.values import exact, plain
from ..diagram import Diagram, from_dict, to_dict
from ..explain import Task
from ..problem import Preparation

T = TypeVar("T")
Reader = Callable[[Any], Any]

_PACKAGE = __name__.partition(".")[0]

_IMPORTED_FOR_TYPES = {"Constraint": Constraint, "Preparation": Preparation}
"""Names in annotations that their modules import only for type checking."""

_ARRAYS: ContextVar[Mapping[str, np.ndarray]] = ContextVar("arrays")


def _time(text: Any) -> datetime:
    """A time with its zone; UTC if the text has none."""
    time = msgspec.convert(text, datetime)
    return time if time.tzinfo else time.replace(tzinfo=UTC)


_READERS: dict[Any, Reader] = {
    Diagram: from_dict,
    Constraint: constraint_from_json,
    Fraction: exact,
    datetime: _time,
    Task: lambda data: kind_from_json("task", data),
    np.ndarray: lambda name: _ARRAYS.get()[name],
}
"""Readers of classes that are not stored by their fields; a class may have `to_json` and `from_json` instead."""


def to_json(value: Any, arrays: dict[str, np.ndarray] | None = None, name: str = "") -> Any:
    """The value as dicts, lists, texts and numbers; a non-finite number becomes `None`.

    Arrays become lists. If `arrays` is given, they are stored in it, and the value holds only their names, which begin
    with `name`.
    """
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Fraction):
        return plain(value)
    if isinstance(value, Mapping):
        return {str(key): to_json(item, arrays, f"{name}.{key}") for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_json(item, arrays, f"{name}.{i}") for i, item in enumerate(value)]
    if isinstance(value, np.ndarray) and arrays is not None:
        arrays[name] = value
        return name
    if isinstance(value, np.generic | np.ndarray):
        return to_json(value.tolist())
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Diagram):
        return to_dict(value)
    if hasattr(value, "to_json"):
        return to_json(value.to_json())
    if isinstance(value, Task):
        return kind_to_json("task", value)
    return fields_to_json(value, arrays, name) if is_dataclass(value) else str(value)


def fields_to_json(value: Any, arrays: dict[str, np.ndarray] | None = None, name: str = "") -> dict[str, Any]:
    """A dataclass by its fields, even if it has another JSON form; parameters as in `to_json`."""
    return {
        field.name: to_json(getattr(value, field.name), arrays, f"{name}.{field.name}".lstrip("."))
        for field in fields(value)
    }


def from_json(kind: type[T], data: Any) -> T:
    """The value of a type that `to_json` wrote.

    Raises `KeyError`, `TypeError`, `ValueError` or an `EspalierError` if an item is missing, unknown, or of the wrong
    type.
    """
    value: T = _reader(kind)(data)
    return value


def fields_from_json(kind: type[T], data: Any, arrays: Mapping[str, np.ndarray] | None = None) -> T:
    """The dataclass that `fields_to_json` wrote, with its separately stored arrays; raises like `from_json`."""
    token = _ARRAYS.set(arrays or {})
    try:
        value: T = _fields_reader(cast(Any, kind))(data)
        return value
    finally:
        _ARRAYS.reset(token)


def kind_to_json(key: str, value: Any) -> dict[str, Any]:
    """A dataclass of this package by its fields, with its class (such as 'explain.answers.Conflict') under `key`."""
    return {key: f"{type(value).__module__.partition('.')[2]}.{type(value).__qualname__}", **fields_to_json(value)}


def kind_from_json(key: str, data: Mapping[str, Any]) -> Any:
    """The value that `kind_to_json` wrote; raises like `from_json`, and `ImportError` if there is no such module."""
    module, _, name = data[key].rpartition(".")
    kind = getattr(import_module(f".{module}", _PACKAGE), name)
    if not (isinstance(kind, type) and is_dataclass(kind)):
        raise TypeError(f"'{data[key]}' is not a kind of record")
    return fields_from_json(kind, {name: part for name, part in data.items() if name != key})


def _reader(hint: Any) -> Reader:
    """The reader of a type."""
    return _own_reader(hint) or partial(msgspec.convert, type=hint)


@cache
def _own_reader(hint: Any) -> Reader | None:
    """The reader of a type that contains a class `msgspec` alone cannot read; `None` for other types."""
    if hint in _READERS or hasattr(hint, "from_json"):
        return _READERS.get(hint) or hint.from_json
    if is_dataclass(hint):
        return _fields_reader(cast(Any, hint))
    origin, parts = get_origin(hint), get_args(hint)
    own = next(filter(None, map(_own_reader, parts)), None)
    if own and origin in (UnionType, Union):
        return lambda value: None if value is None else own(value)
    if own and parts[1:] == (...,):
        return lambda value: tuple(map(own, msgspec.convert(value, list)))
    if hasattr(hint, "_fields") and any(
        map(_own_reader, hints := tuple(get_type_hints(hint, include_extras=True).values()))
    ):
        return lambda value: hint(*(_reader(part)(item) for part, item in zip(hints, value, strict=True)))
    return None


@cache
def _fields_reader(kind: Any) -> Reader:
    """The reader of a dataclass from its fields; missing and unknown names are refused."""
    hints = get_type_hints(kind, localns=_IMPORTED_FOR_TYPES, include_extras=True)
    own, form = {}, []
    for field in fields(kind):
        hint = hints[field.name]
        if reader := _own_reader(hint):
            own[field.name], hint = reader, Any
        form.append((field.name, hint))
    struct = msgspec.defstruct(kind.__name__, form, forbid_unknown_fields=True, kw_only=True)

    def read(data: Any) -> Any:
        if isinstance(data, dict):
            data = {key: own[key](part) if key in own else part for key, part in data.items()}
        return kind(**msgspec.structs.asdict(msgspec.convert(data, struct)))

    return read
