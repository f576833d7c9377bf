"""Facts about a model that several screens use."""

from collections.abc import Callable, Hashable
from typing import TypeVar

from components.session.work import Run
from solvers.diagram import Diagram
from solvers.metrics import Rate, rate
from solvers.metrics.risks import SMALL as SMALL
from solvers.problem import Dataset


def share_right(diagram: Diagram, data: Dataset) -> Rate:
    """The share of rows that a model predicts correctly."""
    return rate(diagram.predict(data) == data.y, data.weight)


def positive_first(diagram: Diagram | Dataset) -> list[int]:
    """The classes in display order, the positive class first."""
    order = list(range(len(diagram.classes)))
    if diagram.positive is not None:
        order.insert(0, order.pop(diagram.positive))
    return order


T = TypeVar("T")


def once(run: Run, key: Hashable, made_of: tuple[object, ...], make: Callable[[], T]) -> T:
    """The result of `make`, cached under `key` as long as the objects in `made_of` are the same."""
    parts, value = run.worked_out.get(key, ((), None))
    if len(parts) != len(made_of) or any(a is not b for a, b in zip(parts, made_of, strict=True)):
        value = make()
        run.worked_out[key] = (made_of, value)
    found: T = value
    return found
