"""How a model satisfies its constraints, for the results of `fit`."""

from typing import Any

from ..constraints import Constraint
from ..diagram import Diagram
from ..metrics import achieved
from ..problem import Dataset, Problem


def constraint_figures(problem: Problem, diagram: Diagram | None, dataset: Dataset) -> list[dict[str, Any]]:
    """Each constraint with the model's value on some rows; undefined values are `None`.

    `value` and `limit` are in the unit of the constraint (shares from 0 to 1); `interval` is the 95% interval of a
    share of rows, and `binds` means that there is no slack. Empty without a model. Rows other than those of the problem
    are compared with the limit that a stricter one confirms.
    """
    if diagram is None:
        return []
    learned = dataset is problem.dataset
    return [_figures(one if learned else one.judged, diagram, dataset) for one in problem.constraints]


def _figures(constraint: Constraint, diagram: Diagram, dataset: Dataset) -> dict[str, Any]:
    figure = achieved(constraint, diagram, dataset)  # held-out rows may lack what the constraint refers to
    value, seen = (None, None) if figure is None else (figure.value, figure.observed)
    limit = constraint.limit
    return {
        "kind": constraint.kind,
        "words": constraint.full_words(dataset),
        "holds": None if figure is None else figure.holds,
        "idle": "" if figure is None else figure.idle,
        "value": None if value is None else float(value),
        "limit": None if limit is None else float(limit),
        "shown": None if value is None else constraint.show(value),
        "binds": None if figure is None else constraint.binds(diagram, dataset),
        "interval": None if seen is None else [seen.low, seen.high],
    }


def lines_of(constraints: list[dict[str, Any]]) -> list[str]:
    """The constraints as text, one line each."""
    lines = []
    for constraint in constraints:
        room = ", binding" if constraint["binds"] else ""
        value = "" if constraint["shown"] is None else f" ({constraint['shown']}{room})"
        idle = f" ({constraint['idle']})" if constraint["idle"] else ""
        lines.append(f"  {'holds' if constraint['holds'] else 'VIOLATED'}: {constraint['words']}{value}{idle}")
    return lines
