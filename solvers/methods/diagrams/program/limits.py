"""The refusals of the linear program of a diagram."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ....constraints import rules_of
from ....constraints.rules import FixedQuestion, Monotone, PathCost, PrerequisiteRule, Rules, ThresholdRange
from ....problem import MissingPolicy, Problem, ShapeKind
from ...base import Unsupported, only_kind, unposted
from ...mip.menu import surely_has_more_cells
from ...permitted import permitted_columns
from .frame import frame_of
from .hyperplanes import Hyperplanes
from .network import Separation
from .rules import POSTS
from .univariate import Univariate

MOST_FLOWS = 2_000_000
"""The largest number of flow variables of a model: such a model takes a gigabyte, and no solver makes progress."""

ABOUT_ONE_COLUMN = (FixedQuestion, PrerequisiteRule, ThresholdRange, Monotone)
"""Rules that do not apply to splits on several columns."""

MOST_WAYS = 2_000
"""The largest number of paths through a skeleton for which path costs are posted."""


def refusals(title: str, problem: Problem) -> tuple[Unsupported, ...]:
    """The reasons why no program can be built for a problem; empty if it can."""
    sums = problem.size.split_features != 1
    posts = {*POSTS, *ABOUT_ONE_COLUMN} if sums else POSTS
    reasons = (*only_kind(ShapeKind.DIAGRAM, title, problem), *unposted(title, problem, posts))
    if sums and not reasons:
        reasons = tuple(against_sums(problem))
    return reasons or (*too_many_ways(problem), *too_large(problem))


def with_at_most(problem: Problem, questions: int) -> Problem:
    """The problem with at most `questions` splits."""
    most = questions if problem.shape.max_splits is None else min(questions, problem.shape.max_splits)
    return replace(problem, shape=replace(problem.shape, max_splits=most))


def questions_of(problem: Problem, rules: Rules) -> Separation:
    """The form of the splits for a problem."""
    if problem.size.split_features != 1:
        return Hyperplanes(problem, rules)
    return Univariate(problem, rules)


def against_sums(problem: Problem) -> Iterator[Unsupported]:
    """The reasons against splits on several columns."""
    dataset = problem.dataset
    for constraint, kind in ((c, type(r)) for c in problem.constraints for r in c.rules(problem)):
        if kind in ABOUT_ONE_COLUMN:
            yield Unsupported(
                f"'{constraint.words(dataset)}'",
                "A split that combines columns has no threshold of one column.",
                "Remove the constraint, or let each split use one column.",
            )
    used = permitted_columns(rules_of(problem), dataset.n_columns)
    for j in sorted(used if dataset.schema.missing is not MissingPolicy.IMPUTE else ()):
        gone = np.flatnonzero(np.isnan(dataset.X[:, j]))
        if len(gone):
            yield Unsupported(
                f"The column '{dataset.schema.names[j]}' is missing in row {dataset.rows[gone[0]]}"
                f"{f' and {len(gone) - 1} more' if len(gone) > 1 else ''}",
                "A weighted sum needs every value.",
                "Impute missing values, leave out these rows or the column, or let each split use one column.",
            )


def too_many_ways(problem: Problem) -> Iterator[Unsupported]:
    """Refuse path costs if there are too many paths: they are posted for every path through the skeleton."""
    frame = frame_of(problem.size, problem.dataset.n_classes)
    ways = int(np.cumprod(frame.widths, dtype=np.float64).sum())
    limits = rules_of(problem).of(PathCost)
    if ways > MOST_WAYS and limits:
        yield Unsupported(
            f"'{problem.constraints[limits[0].source].words(problem.dataset)}'",
            f"There are {ways:,} paths through the skeleton, each with its own cost; the maximum is {MOST_WAYS:,}.",
            "Choose a smaller skeleton, limit the number of splits, or remove the constraint.",
        )


def too_large(problem: Problem, n_cells: int | None = None) -> Iterator[Unsupported]:
    """Refuse models that are too large to build: by the number of cells, or by the cells in a sample of the rows."""
    frame, rules = frame_of(problem.size, problem.dataset.n_classes), rules_of(problem)
    most = MOST_FLOWS // max(2 * frame.n_arcs, 1)
    if n_cells is None and problem.size.split_features != 1:
        n_cells = len(Hyperplanes(problem, rules).cases)
    if surely_has_more_cells(problem, rules, most) if n_cells is None else n_cells > most:
        yield Unsupported(
            f"More than {most:,} different rows in a skeleton of {frame.n_nodes} questions",
            f"The model would need more than {MOST_FLOWS:,} variables for the paths of the rows.",
            "Choose a smaller skeleton or fewer rows, or the method 'odd-search'.",
        )
