"""Values that a run's screens compute once, although Streamlit reruns the script at each click."""

from collections.abc import Callable, Hashable
from typing import TypeVar

from components.session.work import Run

T = TypeVar("T")


def once(run: Run, key: Hashable, made_of: tuple[object, ...], make: Callable[[], T]) -> T:
    """The result of `make`, cached under `key` as long as the objects in `made_of` are the same."""
    parts, value = run.worked_out.get(key, ((), None))
    if len(parts) != len(made_of) or any(a is not b for a, b in zip(parts, made_of, strict=True)):
        value = make()
        run.worked_out[key] = (made_of, value)
    found: T = value
    return found
