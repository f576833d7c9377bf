"""All constraints of a problem together: findings before solving, and rules."""

from dataclasses import replace
from typing import NamedTuple

from ..errors import ConstraintError
from ..problem import Problem
from ..problem.texts import plural
from .base import Constraint, Finding, Severity
from .rules import Rules, by_family


class LocatedFinding(NamedTuple):
    """A finding, with its constraint and the position of the constraint in the problem."""

    position: int
    constraint: Constraint
    finding: Finding


def findings(problem: Problem) -> tuple[LocatedFinding, ...]:
    """The findings on all constraints of a problem before solving, in their order."""
    return tuple(
        LocatedFinding(i, constraint, finding)
        for i, constraint in enumerate(problem.constraints)
        if isinstance(constraint, Constraint)
        for finding in constraint.check(problem)
    )


def rules_of(problem: Problem) -> Rules:
    """The rules of all constraints; `source` of each is the position of its constraint in the problem.

    Raises
    ------
    ConstraintError
        An object is no constraint, or a constraint names something that the table lacks.
    """
    rules = []
    for i, constraint in enumerate(problem.constraints):
        if not isinstance(constraint, Constraint):
            raise ConstraintError(f"{constraint!r} is not a known kind of constraint.")
        for finding in constraint.check(problem):
            if finding.severity is Severity.ERROR:
                raise ConstraintError(f"'{constraint}' cannot be used with this table: {finding.text}")
        rules += [replace(rule, source=i) for rule in constraint.rules(problem)]
    return by_family(rules)


def impossibility(problem: Problem) -> str | None:
    """Why there can be no model, if a fast check shows it; else `None`.

    The check covers tables smaller than the minimum leaf, and the findings of each constraint. Without domain
    constraints nothing else makes a problem infeasible: a single leaf is a model.
    """
    rows, shape = problem.dataset.n_samples, problem.size
    lower = "Lower the minimum leaf size."
    if rows < shape.min_samples_leaf:
        return (
            f"the table has {plural(rows, 'row')}, and every leaf must have at least {shape.min_samples_leaf}. {lower}"
        )
    if int(problem.weights.sum()) < problem.min_weight_leaf:
        weight = float(problem.weights.sum()) / problem.scaled.weight_scale
        return (
            f"the total weight of the rows is {weight:g}, and every leaf must weigh at least "
            f"{shape.min_weight_leaf:g}. {lower}"
        )
    for _, constraint, finding in findings(problem):
        if finding.severity is Severity.IMPOSSIBLE:
            return f"'{constraint}' is impossible: {finding.text}"
    return None
