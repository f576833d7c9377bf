"""Values that were read from JSON, and dataclasses: whether they are of the types that one declares, and one made."""

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints


def fitting(kind: type, values: Any) -> dict[str, Any]:
    """The values of the fields of a dataclass or named tuple, as they are.

    Parameters
    ----------
    kind : the class, whose annotations are read.
    values : an object with the names of its fields; lists stand for tuples, texts for enums, whole numbers for floats.

    Raises
    ------
    TypeError
        It is no object, or a value is not of the type of its field; what is missing or unknown is left to the class.
    """
    if not isinstance(values, Mapping):
        raise TypeError(f"an object is needed, not {_shown(values)}")
    for name, hint in _hints(kind).items():
        if name in values and not fits(values[name], hint):
            raise TypeError(f"'{name}' cannot be {_shown(values[name])}")
    return dict(values)


def made(kind: type, data: Mapping[str, Any]) -> Any:
    """A dataclass again from what JSON kept of its `asdict`; not checked.

    Raises
    ------
    KeyError, TypeError, ValueError
        A part is missing or damaged.
    """
    return kind(**declared(kind, {part.name: data[part.name] for part in fields(kind)}))


def declared(kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Values of the fields of a dataclass, with the tuples and dataclasses that it declares where JSON has others.

    What may also be of another type (`X | None`) stays as it is.

    Raises
    ------
    KeyError, TypeError, ValueError
        A dataclass or tuple cannot be made of a value.
    """
    hints = _hints(kind)
    return {name: _as(hints.get(name), value) for name, value in values.items()}


def _as(hint: Any, value: Any) -> Any:
    if isinstance(hint, type) and is_dataclass(hint):
        return made(hint, value)
    parts = get_args(hint) if get_origin(hint) is tuple else ()
    if parts[1:] == (...,):
        # of plain values there are many
        return tuple(value) if _is_plain(parts[0]) else tuple(_as(parts[0], part) for part in value)
    if parts:
        return tuple(_as(part, inner) for part, inner in zip(parts, value, strict=True))
    if hasattr(hint, "_fields"):
        return hint(*(_as(part, inner) for part, inner in zip(_hints(hint).values(), value, strict=True)))
    return value


def _is_plain(hint: Any) -> bool:
    return not (is_dataclass(hint) or get_origin(hint) is tuple or hasattr(hint, "_fields"))


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type; numbers must be finite, and True is no number."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (UnionType, Union):
        return any(fits(value, part) for part in parts)
    if hint in (None, NoneType):
        return value is None
    if hint in (int, float):
        return isinstance(value, int if hint is int else int | float) and not isinstance(value, bool) and _small(value)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            return False
        hints = parts[:1] * len(value) if parts[1:] == (...,) else parts
        return len(value) == len(hints) and all(map(fits, value, hints))
    if origin is dict:
        return isinstance(value, dict) and all(fits(k, parts[0]) and fits(v, parts[1]) for k, v in value.items())
    if hint is Any or not isinstance(origin or hint, type):
        return True
    if issubclass(hint if origin is None else origin, Enum):
        return isinstance(value, str)
    return isinstance(value, list | tuple if hint is tuple else origin or hint)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _small(value: float) -> bool:
    """Whether a number is one that 64 bits hold."""
    return abs(value) < 2**63 if isinstance(value, int) else math.isfinite(value)


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:59]}…"
