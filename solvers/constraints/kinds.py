"""The list of constraints: every class with a title in one of the modules."""

from collections.abc import Mapping
from typing import Any

from ..errors import ConstraintError
from ..problem.texts import suggestion
from . import (
    accuracy,
    appearance,
    costs,
    fairness,
    leaves,
    links,
    monotone,
    paths,
    precision,
    sizes,
    thresholds,
)
from .base import Constraint

_MODULES = (sizes, appearance, paths, costs, accuracy, precision, fairness, thresholds, monotone, leaves, links)

KINDS: dict[str, type[Constraint]] = {
    cls.kind: cls
    for module in _MODULES
    for cls in vars(module).values()
    if isinstance(cls, type) and issubclass(cls, Constraint)
    if cls.__module__ == module.__name__ and "title" in vars(cls)
}
"""The classes by their name in JSON, in the order of the picker: as the modules define them."""


def kind_of(name: str) -> type[Constraint]:
    """The class of this name.

    Raises
    ------
    ConstraintError
        There is no such class.
    """
    if not isinstance(name, str) or name not in KINDS:
        raise ConstraintError(f"There is no constraint of the kind '{name}'. {suggestion(name, KINDS)}")
    return KINDS[name]


def from_json(data: Any) -> Constraint:
    """A constraint from its JSON object.

    Raises
    ------
    ConstraintError
        The kind or a field is unknown, or a value is invalid.
    """
    if not isinstance(data, Mapping) or "kind" not in data:
        raise ConstraintError(f'A constraint must be an object with a "kind", but is {data!r}.')
    return kind_of(data["kind"]).from_json(dict(data))
