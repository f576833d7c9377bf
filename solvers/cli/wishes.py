"""How a model keeps the constraints that were asked for, for the results of `fit`."""

from __future__ import annotations

from typing import Any

from solvers.diagram import Diagram
from solvers.problem import Dataset, Problem


def kept(problem: Problem, diagram: Diagram, dataset: Dataset) -> list[dict[str, Any]]:
    """Each constraint with what the model achieves on some rows; what there is none of is `None`.

    `value` and `limit` are in the unit of the wish (shares from 0 to 1); `binds` says that there is no room left.
    """
    out = []
    for constraint in problem.constraints:
        value, limit = constraint.value(diagram, dataset), constraint.limit
        out.append(
            {
                "kind": constraint.kind,
                "words": constraint.words(dataset),
                "holds": not constraint.violations(diagram, dataset),
                "value": None if value is None else float(value),
                "limit": None if limit is None else float(limit),
                "shown": None if value is None else constraint.show(value),
                "binds": constraint.binds(diagram, dataset),
            }
        )
    return out


def told(wishes: list[dict[str, Any]]) -> list[str]:
    """The same, a line each."""
    return [
        f"  {'holds' if wish['holds'] else 'BROKEN'}: {wish['words']}"
        + ("" if wish["shown"] is None else f" ({wish['shown']}{', no room left' if wish['binds'] else ''})")
        for wish in wishes
    ]
