"""Facts about a model that several screens use."""

from collections.abc import Callable, Hashable
from typing import TypeVar

from components.session.work import Run
from solvers.metrics.risks import SMALL as SMALL

T = TypeVar("T")


def once(run: Run, key: Hashable, made_of: tuple[object, ...], make: Callable[[], T]) -> T:
    """The result of `make`, cached under `key` as long as the objects in `made_of` are the same."""
    parts, value = run.worked_out.get(key, ((), None))
    if len(parts) != len(made_of) or any(a is not b for a, b in zip(parts, made_of, strict=True)):
        value = make()
        run.worked_out[key] = (made_of, value)
    found: T = value
    return found
