"""What is known before a solver is asked: trees that were found and bounds that were proved, whatever was asked for.

Let P(C) be the trees of a table that satisfy the constraints C, limits of the size among them. Where every constraint
of C follows from one of D, P(D) is a part of P(C). So on the same rows, with the same objective,

    min over P(D) of the cost  >=  min over P(C) of the cost  >=  any bound that was proved for C,

and where P(C) is empty, P(D) is. A tree proves nothing about D by itself: it is held against each constraint of D.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np

from ..constraints import Constraint
from ..diagram import Diagram
from ..problem import Problem, Shape
from ..solution import Solution, Status
from .relaxable import demands_of


@dataclass(frozen=True)
class KnownResult:
    """The result of a run for a shape and constraints, on the same rows and by the same objective.

    Attributes
    ----------
    shape, constraints : what was asked for.
    diagram : a model that was found; `None` where none was.
    bound : no model that satisfies shape and constraints costs less; `None` where nothing is proved.
    impossible : whether no model does.
    """

    shape: Shape
    constraints: tuple[Constraint, ...] = ()
    diagram: Diagram | None = None
    bound: int | None = None
    impossible: bool = False

    @classmethod
    def of(cls, problem: Problem, solution: Solution) -> KnownResult | None:
        """What a solution says; `None` where it was not verified, or says nothing.

        What was proved among a part of the models only, see `Scope`, bounds no others.
        """
        whole = solution.scope is None
        bound, impossible = solution.bound if whole else None, whole and solution.status is Status.INFEASIBLE
        if not solution.verified or (solution.diagram is None and not bound and not impossible):
            return None
        return cls(problem.shape, problem.constraints, solution.diagram, bound, impossible)


def same_question(one: Problem, other: Problem) -> bool:
    """Whether two problems are about the same rows and minimise the same among models of the same kind."""
    if one.objective != other.objective or one.shape.kind is not other.shape.kind:
        return False
    same = one.dataset.fingerprint == other.dataset.fingerprint
    # constraints may name groups and row numbers, which the fingerprint does not contain
    named = [[(group.name, group.levels) for group in problem.dataset.groups] for problem in (one, other)]
    return same and named[0] == named[1] and np.array_equal(one.dataset.rows, other.dataset.rows)


def demand(problem: Problem) -> tuple[Constraint, ...]:
    """All constraints of a problem, the limits of its shape among them."""
    return tuple(constraint for _, constraint in demands_of(problem))


def follows(loose: Constraint, strict: Constraint) -> bool:
    """Whether whatever satisfies `strict` satisfies `loose`: they are the same, but for a limit that is no stricter."""
    if loose == strict:
        return True
    if type(loose) is not type(strict) or loose.limit is None or strict.limit is None:
        return False
    others = (field.name for field in fields(loose) if field.name != loose.limited_by)
    if any(getattr(loose, name) != getattr(strict, name) for name in others):
        return False
    return loose.limit >= strict.limit if loose.rising_eases else loose.limit <= strict.limit


def all_follow(loose: Iterable[Constraint], strict: Iterable[Constraint]) -> bool:
    """Whether each of some constraints follows from one of others: then what bounds the former bounds the latter."""
    strict = tuple(strict)
    return all(any(follows(one, other) for other in strict) for one in loose)
