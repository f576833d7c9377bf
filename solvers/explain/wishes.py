"""What is asked for, one wish at a time: the constraints of a problem and the limits of its shape.

The words of the dashboard are used here: a *wish* is a constraint, or a limit of the shape read as one. Explanations
take wishes away and put weaker ones in their place; `posed` makes a problem of whatever wishes are left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from solvers.constraints import Constraint, MaxDepth, MaxLeaves, MaxQuestions, MinLeafRows, MinLeafWeight
from solvers.constraints.base import Each
from solvers.diagram import Diagram
from solvers.errors import ConstraintError
from solvers.problem import MAX_DEPTH, Problem, Shape

Key = int | str
"""Which wish: the position of a constraint in the problem, or the name of a limit in its shape."""

DEPTH = "depth"

_LIMITS: dict[str, type] = {
    "leaves": MaxLeaves,
    "questions": MaxQuestions,
    "min_leaf": MinLeafRows,
    "min_leaf_weight": MinLeafWeight,
    DEPTH: MaxDepth,
}
"""The limits of a shape, as constraints of one field."""


@dataclass(frozen=True)
class Wish:
    """Something that is asked for.

    Attributes
    ----------
    key : which one it is; a weaker wish that stands in its place has the same.
    constraint : what must hold.
    words : the same in words.
    """

    key: Key
    constraint: Constraint
    words: str

    @property
    def lasting(self) -> bool:
        """Whether it can be weakened, but never dropped: a tree without any limit of its depth cannot be searched."""
        return self.key == DEPTH

    def holds(self, diagram: Diagram, problem: Problem) -> bool:
        """Whether a tree grants it."""
        return not self.constraint.violations(diagram, problem.dataset)

    def replaced(self, constraint: Constraint, problem: Problem) -> Wish:
        """Another wish in its place."""
        return Wish(self.key, constraint, constraint.words(problem.dataset))


def wishes_of(problem: Problem) -> tuple[Wish, ...]:
    """All wishes: the constraints in their order, then the limits of the shape that rule something out."""
    told: list[tuple[Key, Constraint]] = list(enumerate(problem.constraints))
    free = Shape(problem.shape.kind)
    for name, kind in _LIMITS.items():
        value = getattr(problem.shape, name)
        if name == DEPTH or value != getattr(free, name):
            told.append((name, kind(value)))
    return tuple(Wish(key, constraint, constraint.words(problem.dataset)) for key, constraint in told)


def find(problem: Problem, key: Key) -> Wish:
    """One of the wishes.

    Raises
    ------
    ConstraintError
        There is none of this key.
    """
    wishes = wishes_of(problem)
    for wish in wishes:
        if wish.key == key:
            return wish
    known = "; ".join(f"{wish.key} ({wish.words})" for wish in wishes)
    raise ConstraintError(f"There is no wish '{key}'. The wishes are: {known}.")


def posed(problem: Problem, wishes: Iterable[Wish]) -> Problem:
    """The problem with these wishes instead of its own; the depth stays where no wish limits it."""
    asked = {wish.key: wish.constraint for wish in wishes}
    shape = Shape(
        problem.shape.kind,
        depth=problem.shape.depth if DEPTH not in asked else MAX_DEPTH,
        widths=problem.shape.widths,
        split_features=problem.shape.split_features,
    )
    for name in _LIMITS:
        if name in asked:
            shape = asked[name].tighten(shape)
    constraints = tuple(asked[key] for key in sorted(key for key in asked if isinstance(key, int)))
    return replace(problem, shape=shape, constraints=constraints)


MORE_LEVELS = 2
"""So many more levels are tried where a conflict might be one with the depth."""


def weaker_forms(problem: Problem, wish: Wish) -> Sequence[Wish]:
    """The wish with every weaker limit that makes a difference, from the next to the weakest; lazy, it may be long."""
    shape = problem.shape
    if wish.key == DEPTH:
        shape = replace(shape, depth=min(shape.depth + MORE_LEVELS, MAX_DEPTH))
    elif isinstance(wish.key, str):
        # a limit of the shape is weaker than itself only in a shape without it
        shape = replace(shape, **{wish.key: getattr(Shape(), wish.key)})
    weaker = wish.constraint.weaker(replace(problem, shape=shape))
    return Each(weaker, lambda constraint: wish.replaced(constraint, problem))
