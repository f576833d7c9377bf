"""Facts about a model that several screens use."""

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
