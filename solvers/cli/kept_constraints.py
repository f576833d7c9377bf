"""How a model keeps the constraints that were asked for, for the results of `fit`."""

from typing import Any

from solvers.constraints import Constraint
from solvers.diagram import Diagram
from solvers.errors import ConstraintError
from solvers.problem import Dataset, Problem


def kept(problem: Problem, diagram: Diagram, dataset: Dataset) -> list[dict[str, Any]]:
    """Each constraint with what the model achieves on some rows; what there is none of is `None`.

    `value` and `limit` are in the unit of the constraint (shares from 0 to 1); `binds` says that there is no room left.
    """
    return [_kept(constraint, diagram, dataset) for constraint in problem.constraints]


def _kept(constraint: Constraint, diagram: Diagram, dataset: Dataset) -> dict[str, Any]:
    try:
        value, broken = constraint.value(diagram, dataset), constraint.violations(diagram, dataset)
        holds, binds = not broken, constraint.binds(diagram, dataset)
    except ConstraintError:  # held-out rows may lack what the constraint speaks of
        value, holds, binds = None, None, None
    limit = constraint.limit
    return {
        "kind": constraint.kind,
        "words": constraint.words(dataset),
        "holds": holds,
        "value": None if value is None else float(value),
        "limit": None if limit is None else float(limit),
        "shown": None if value is None else constraint.show(value),
        "binds": binds,
    }


def told(constraints: list[dict[str, Any]]) -> list[str]:
    """The same, a line each."""
    return [
        f"  {'holds' if constraint['holds'] else 'BROKEN'}: {constraint['words']}"
        + (
            ""
            if constraint["shown"] is None
            else f" ({constraint['shown']}{', no room left' if constraint['binds'] else ''})"
        )
        for constraint in constraints
    ]
