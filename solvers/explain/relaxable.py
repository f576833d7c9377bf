"""What is asked for, one constraint at a time: the constraints of a problem and the limits of its shape.

For a user both are constraints, and an explanation treats both alike: it leaves constraints out and puts weaker ones in
their place. So both are read as `RelaxableConstraint` here, and `to_problem` makes a problem of whichever are left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..constraints import Constraint, MaxDepth, MaxLeaves, MaxQuestions, MinSamplesLeaf, MinWeightLeaf
from ..constraints.base import LazySequence
from ..diagram import Diagram
from ..errors import ConstraintError
from ..problem import MAX_DEPTH, Problem, Shape

Key = int | str
"""Which constraint: its position among those of the problem, or the name of a limit in its shape."""

DEPTH = "max_depth"

_LIMITS: dict[str, type] = {
    "max_leaf_nodes": MaxLeaves,
    "max_splits": MaxQuestions,
    "min_samples_leaf": MinSamplesLeaf,
    "min_weight_leaf": MinWeightLeaf,
    DEPTH: MaxDepth,
}
"""The limits of a shape, as constraints of one field."""


@dataclass(frozen=True)
class RelaxableConstraint:
    """A constraint of a problem, or a limit of its shape read as one, that may be weakened or left out.

    Attributes
    ----------
    key : which one it is; a weaker constraint that stands in its place has the same.
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
        """Whether a tree satisfies it."""
        return not self.constraint.violations(diagram, problem.dataset)

    def replaced(self, constraint: Constraint, problem: Problem) -> RelaxableConstraint:
        """Another constraint in its place."""
        return RelaxableConstraint(self.key, constraint, constraint.words(problem.dataset))


def relaxables_of(problem: Problem) -> tuple[RelaxableConstraint, ...]:
    """All that may be relaxed: the constraints in their order, then the limits of the shape that rule something out."""
    return tuple(RelaxableConstraint(key, one, one.words(problem.dataset)) for key, one in demands_of(problem))


def demands_of(problem: Problem) -> list[tuple[Key, Constraint]]:
    """The same without words."""
    demands: list[tuple[Key, Constraint]] = list(enumerate(problem.constraints))
    free = Shape(problem.shape.kind)
    for name, kind in _LIMITS.items():
        value = getattr(problem.shape, name)
        if name == DEPTH or value != getattr(free, name):
            demands.append((name, kind(value)))
    return demands


def find(problem: Problem, key: Key) -> RelaxableConstraint:
    """One of the constraints.

    Raises
    ------
    ConstraintError
        There is none of this key.
    """
    relaxables = relaxables_of(problem)
    for relaxable in relaxables:
        if relaxable.key == key:
            return relaxable
    known = "; ".join(f"{name_of(relaxable.key)} ({relaxable.words})" for relaxable in relaxables)
    raise ConstraintError(f"There is no constraint {name_of(key)}. Choose one of: {known}.")


def name_of(key: Key) -> str:
    """How the command line names a constraint: its number from 1 on, or the name of a limit such as 'max-depth'."""
    return str(key + 1) if isinstance(key, int) else key.replace("_", "-")


def to_problem(problem: Problem, relaxables: Iterable[RelaxableConstraint]) -> Problem:
    """The problem with these constraints instead of its own; the depth stays where no constraint limits it."""
    by_key = {relaxable.key: relaxable.constraint for relaxable in relaxables}
    shape = Shape(
        problem.shape.kind,
        max_depth=problem.shape.max_depth if DEPTH not in by_key else MAX_DEPTH,
        widths=problem.shape.widths,
        split_features=problem.shape.split_features,
    )
    for name in _LIMITS:
        if name in by_key:
            shape = by_key[name].tighten(shape)
    constraints = tuple(by_key[key] for key in sorted(key for key in by_key if isinstance(key, int)))
    return replace(problem, shape=shape, constraints=constraints)


MORE_LEVELS = 2
"""So many more levels are tried where a conflict might be one with the depth."""


def weaker_forms(problem: Problem, relaxable: RelaxableConstraint) -> Sequence[RelaxableConstraint]:
    """The constraint with each weaker limit that makes a difference, from next to weakest; lazy, it may be long."""
    shape = problem.shape
    if relaxable.key == DEPTH:
        shape = replace(shape, max_depth=min(shape.max_depth + MORE_LEVELS, MAX_DEPTH))
    elif isinstance(relaxable.key, str):
        # a limit of the shape is weaker than itself only in a shape without it
        shape = replace(shape, **{relaxable.key: getattr(Shape(), relaxable.key)})
    weaker = relaxable.constraint.weaker(replace(problem, shape=shape))
    return LazySequence(weaker, lambda constraint: relaxable.replaced(constraint, problem))
