"""Known results: trees and bounds from earlier runs, which may have had other constraints.

Let P(C) be the trees of a table that satisfy the constraints C, including size limits. If each constraint of C follows
from one of D, then P(D) is a subset of P(C). So on the same rows, with the same objective,

    min cost over P(D)  >=  min cost over P(C)  >=  any lower bound proved for C,

and if P(C) is empty, so is P(D). A tree by itself proves nothing about D: it is checked against each constraint of D.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..constraints import Constraint
from ..diagram import Diagram
from ..problem import Problem, Shape
from ..solution import Solution, Status
from .relaxable import demands_of


@dataclass(frozen=True)
class KnownResult:
    """The result of a run for a shape and constraints, on the same rows and with the same objective.

    Attributes
    ----------
    shape, constraints : the shape and constraints of the run.
    diagram : a model that was found; `None` if there is none.
    bound : a lower bound on the cost of all models that satisfy shape and constraints; `None` if nothing is proved.
    impossible : whether it is proved that no model satisfies them.
    """

    shape: Shape
    constraints: tuple[Constraint, ...] = ()
    diagram: Diagram | None = None
    bound: int | None = None
    impossible: bool = False

    @classmethod
    def of(cls, problem: Problem, solution: Solution) -> KnownResult | None:
        """Extract the known result of a solution; `None` if it was not verified or contains nothing.

        A bound that was proved only for a subset of the models (see `Scope`) is not used.
        """
        whole = solution.scope is None
        bound, impossible = solution.bound if whole else None, whole and solution.status is Status.INFEASIBLE
        if not solution.verified or (solution.diagram is None and not bound and not impossible):
            return None
        return cls(problem.shape, problem.constraints, solution.diagram, bound, impossible)


def same_question(one: Problem, other: Problem) -> bool:
    """Whether two problems have the same rows, objective and kind of model."""
    if one.objective != other.objective or one.shape.kind is not other.shape.kind:
        return False
    same = one.dataset.fingerprint == other.dataset.fingerprint
    # the fingerprint does not contain groups and row numbers, which constraints may refer to
    named = [[(group.name, group.levels) for group in problem.dataset.groups] for problem in (one, other)]
    return same and named[0] == named[1] and np.array_equal(one.dataset.rows, other.dataset.rows)


def demand(problem: Problem) -> tuple[Constraint, ...]:
    """All constraints of a problem, including the limits of its shape."""
    return tuple(constraint for _, constraint in demands_of(problem))


def follows(loose: Constraint, strict: Constraint) -> bool:
    """Whether `strict` implies `loose`: they are equal, or differ only in a limit that is looser in `loose`."""
    if loose == strict:
        return True
    if type(loose) is not type(strict) or loose.limit is None or strict.limit is None:
        return False
    others = ["confirms", *(entry.name for entry in loose.form() if entry.name != loose.limited_by)]
    if any(getattr(loose, name) != getattr(strict, name) for name in others):
        return False
    return loose.limit >= strict.limit if loose.rising_eases else loose.limit <= strict.limit


def all_follow(loose: Iterable[Constraint], strict: Iterable[Constraint]) -> bool:
    """Whether each constraint in `loose` follows from one in `strict`; then bounds for `loose` hold for `strict`."""
    strict = tuple(strict)
    return all(any(follows(one, other) for other in strict) for one in loose)
