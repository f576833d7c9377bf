"""Documents as plain values and back, by the types of their fields.

msgspec converts records by their annotations: structs with a tag where there are several kinds, and dataclasses. This
module converts what msgspec does not know: numpy's numbers and arrays, fractions, constraints, and the tasks and
answers of all packages.
"""

from fractions import Fraction
from importlib import import_module
from typing import Any, TypeVar

import msgspec
import numpy as np

from ..constraints import Constraint, from_json
from ..constraints.values import exact, plain
from ..explain import Task

T = TypeVar("T")
Arrays = dict[str, np.ndarray]

_KINDS = {
    "explain": ("ExplainConflict", "PriceConstraints", "TradeConstraint", "Conflict", "Prices", "TradeOff"),
    "explain.near": ("NearOptimal", "NearSet"),
    "certificates.tasks": ("CertifyOptimum", "OptimumReport"),
    "study.study": ("Study", "StudyProgress"),
    "study.recommendation": ("RecommendSize", "Recommendation"),
    "study.confirmation": ("ConfirmConstraints", "Confirmation"),
    "study.references": ("TrainReferences", "References"),
}
"""The tasks of each module and their answers; it is imported when one of them is read."""

_MODULES = {name: module for module, names in _KINDS.items() for name in names}


def to_plain(value: Any, arrays: Arrays | None = None) -> Any:
    """The value as dicts, lists, texts and numbers.

    Arrays become lists. If `arrays` is given, they are stored in it, and the value holds only their names.
    """

    def encode(part: Any) -> Any:
        if isinstance(part, np.ndarray) and arrays is not None:
            arrays[name := str(len(arrays))] = part
            return name
        return part.tolist() if isinstance(part, np.generic | np.ndarray) else plain(part)

    return msgspec.to_builtins(value, enc_hook=encode, str_keys=True)


def from_plain(kind: type[T], data: Any, arrays: Arrays | None = None) -> T:
    """The value of a type that `to_plain` wrote; `ValueError` or `KeyError` if a part is missing, unknown or wrong."""

    def decode(kind: Any, part: Any) -> Any:
        if kind is np.ndarray and arrays is not None:
            return arrays[part]
        if kind is Fraction:
            return Fraction(exact(part))
        if kind is Constraint:
            return from_json(part)
        name = part["task" if kind is Task else "answer"]
        return msgspec.convert(part, getattr(import_module(f"..{_MODULES[name]}", __package__), name), dec_hook=decode)

    return msgspec.convert(data, kind, dec_hook=decode)
