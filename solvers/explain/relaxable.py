"""Relaxable constraints: the constraints of a problem and the limits of its shape, treated alike.

Explanations drop constraints and replace them with weaker ones. Both constraints and limits are represented as
`RelaxableConstraint`, and `to_problem` builds a problem from those that are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..constraints import (
    AskedBefore,
    Constraint,
    MaxDepth,
    MaxLeaves,
    MaxQuestions,
    MinSamplesLeaf,
    MinWeightLeaf,
    OnlyAfter,
)
from ..constraints.base import LazySequence
from ..diagram import Diagram
from ..errors import ConstraintError
from ..problem import MAX_DEPTH, Problem, Shape
from ..problem.texts import format_list

Key = int | str
"""The position of a constraint in the problem, or the field name of a shape limit."""

DEPTH = "max_depth"

_LIMITS: dict[str, type] = {
    "max_leaf_nodes": MaxLeaves,
    "max_splits": MaxQuestions,
    "min_samples_leaf": MinSamplesLeaf,
    "min_weight_leaf": MinWeightLeaf,
    DEPTH: MaxDepth,
}
"""The limits of a shape, as constraints with one field."""


@dataclass(frozen=True)
class RelaxableConstraint:
    """A constraint of a problem, or a limit of its shape, that may be weakened or dropped.

    Attributes
    ----------
    key : identifies the constraint; its weaker forms keep the key.
    constraint : what must hold.
    words : the constraint in words.
    """

    key: Key
    constraint: Constraint
    words: str

    @property
    def lasting(self) -> bool:
        """Whether it can be weakened but not dropped: trees without a depth limit cannot be searched."""
        return self.key == DEPTH

    def holds(self, diagram: Diagram, problem: Problem) -> bool:
        """Whether a tree satisfies it."""
        return not self.constraint.violations(diagram, problem.dataset)

    def replaced(self, constraint: Constraint, problem: Problem) -> RelaxableConstraint:
        """Return the same key with another constraint."""
        return RelaxableConstraint(self.key, constraint, constraint.words_in_rows(problem.dataset))


def relaxables_of(problem: Problem) -> tuple[RelaxableConstraint, ...]:
    """All that can be relaxed: the constraints in order, then the shape limits that exclude something."""
    return tuple(RelaxableConstraint(key, one, one.words(problem.dataset)) for key, one in demands_of(problem))


def demands_of(problem: Problem) -> list[tuple[Key, Constraint]]:
    """The same as keys and constraints, without words."""
    demands: list[tuple[Key, Constraint]] = list(enumerate(problem.constraints))
    free = Shape(problem.shape.kind)
    for name, kind in _LIMITS.items():
        value = getattr(problem.shape, name)
        if name == DEPTH or value != getattr(free, name):
            demands.append((name, kind(value)))
    return demands


def by_subject(relaxables: Iterable[RelaxableConstraint]) -> tuple[tuple[RelaxableConstraint, ...], ...]:
    """Group order constraints with the same first variable, such as 'age' before several laboratory values."""
    groups: dict[object, list[RelaxableConstraint]] = {}
    for relaxable in relaxables:
        one = relaxable.constraint
        subject = (one.kind, one.first) if isinstance(one, AskedBefore | OnlyAfter) else relaxable.key
        groups.setdefault(subject, []).append(relaxable)
    return tuple(map(tuple, groups.values()))


def words_of(relaxables: Sequence[RelaxableConstraint], problem: Problem) -> str:
    """The constraints of a group of `by_subject` as one sentence."""
    ordered = [one.constraint for one in relaxables if isinstance(one.constraint, AskedBefore | OnlyAfter)]
    if len(ordered) < 2:
        return relaxables[0].words
    later = problem.dataset.schema.titles([one.then for one in ordered])
    return ordered[0].changed(then=format_list(later, "and")).words(problem.dataset)


def find(problem: Problem, key: Key) -> RelaxableConstraint:
    """Find a constraint by its key.

    Raises
    ------
    ConstraintError
        No constraint has this key.
    """
    relaxables = relaxables_of(problem)
    for relaxable in relaxables:
        if relaxable.key == key:
            return relaxable
    known = "; ".join(f"{name_of(relaxable.key)} ({relaxable.words})" for relaxable in relaxables)
    raise ConstraintError(f"There is no constraint {name_of(key)}. Choose one of: {known}.")


def name_of(key: Key) -> str:
    """The command-line name of a constraint: its number starting from 1, or the name of a limit such as 'max-depth'."""
    return str(key + 1) if isinstance(key, int) else key.replace("_", "-")


def to_problem(problem: Problem, relaxables: Iterable[RelaxableConstraint]) -> Problem:
    """Build the problem with exactly these constraints; without a depth constraint, the depth is unchanged."""
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
"""How many more levels are tried if the depth may be part of the conflict."""


def weaker_forms(problem: Problem, relaxable: RelaxableConstraint) -> Sequence[RelaxableConstraint]:
    """All weaker forms whose limits make a difference, from strongest to weakest; lazy, as there may be many."""
    shape = problem.shape
    if relaxable.key == DEPTH:
        shape = replace(shape, max_depth=min(shape.max_depth + MORE_LEVELS, MAX_DEPTH))
    elif isinstance(relaxable.key, str):
        # a limit of the shape has weaker forms only in a shape without that limit
        shape = replace(shape, **{relaxable.key: getattr(Shape(), relaxable.key)})
    weaker = relaxable.constraint.weaker(replace(problem, shape=shape))
    return LazySequence(weaker, lambda constraint: relaxable.replaced(constraint, problem))
