"""What the linear program of diagrams cannot take, and which form its questions have."""

from collections.abc import Iterator

import numpy as np

from solvers.constraints import rules_of
from solvers.constraints.rules import OnlyBelow, PathCost, Rules, ThresholdRange
from solvers.methods.base import Unsupported
from solvers.methods.diagrams.odd.frame import LayeredFrame, frame_of
from solvers.methods.diagrams.odd.hyperplanes import Hyperplanes
from solvers.methods.diagrams.odd.network import Separation
from solvers.methods.diagrams.odd.univariate import Ladders, ThresholdForm
from solvers.methods.permitted import permitted_columns
from solvers.problem import MissingPolicy, Problem

MOST_FLOWS = 2_000_000
"""The most flow variables that a model is built for: such a model takes a gigabyte, and no solver gets anywhere."""

MOST_STEPS = 20_000
"""The most steps of all ladders of a model; beyond, univariate questions have thresholds and large constants."""

MOST_WAYS = 2_000
"""The most ways through a skeleton that costs of paths are posted for."""


def questions_of(problem: Problem, rules: Rules, frame: LayeredFrame) -> Separation:
    """The form of the questions for a problem and as many places."""
    if problem.size.split_features != 1:
        return Hyperplanes(problem, rules)
    ladders = Ladders(problem, rules)
    steps = frame.n_nodes * int(ladders.menu.n_cuts.sum())
    return ladders if steps <= MOST_STEPS else ThresholdForm(problem, rules)


def against_sums(problem: Problem) -> Iterator[Unsupported]:
    """What keeps questions from combining columns."""
    dataset = problem.dataset
    for constraint, kind in ((c, type(r)) for c in problem.constraints for r in c.rules(problem)):
        if kind in (OnlyBelow, ThresholdRange):
            yield Unsupported(
                f"'{constraint.words(dataset)}'",
                "A question that combines columns has no threshold and no place of one column.",
                "Remove the constraint, or let each question be about one column.",
            )
    used = permitted_columns(rules_of(problem), dataset.n_columns)
    for j in sorted(used if dataset.schema.missing is not MissingPolicy.IMPUTE else ()):
        gone = np.flatnonzero(np.isnan(dataset.X[:, j]))
        if len(gone):
            yield Unsupported(
                f"The column '{dataset.schema.names[j]}' is missing in row {dataset.rows[gone[0]]}"
                f"{f' and {len(gone) - 1} more' if len(gone) > 1 else ''}",
                "A weighted sum needs every value.",
                "Let missing values be filled in, leave out these rows or the column, or let each question be about "
                "one column.",
            )


def too_many_ways(problem: Problem) -> Iterator[Unsupported]:
    """Costs of paths are posted for every way through the skeleton."""
    frame = frame_of(problem.size, problem.dataset.n_classes)
    ways = int(np.cumprod(frame.widths, dtype=np.float64).sum())
    limits = rules_of(problem).of(PathCost)
    if ways > MOST_WAYS and limits:
        yield Unsupported(
            f"'{problem.constraints[limits[0].source].words(problem.dataset)}'",
            f"There are {ways:,} ways through the skeleton, each with its own cost; at most {MOST_WAYS:,} are posted.",
            "Choose a smaller skeleton, limit the number of questions, or remove the constraint.",
        )


def too_large(problem: Problem) -> Iterator[Unsupported]:
    """Models that no machine could hold are not built."""
    frame = frame_of(problem.size, problem.dataset.n_classes)
    n_cells = questions_of(problem, rules_of(problem), frame).n_cells
    flows = 2 * n_cells * frame.n_arcs
    if flows > MOST_FLOWS:
        yield Unsupported(
            f"{n_cells:,} different rows in a skeleton of {frame.n_nodes} questions",
            f"The model would need {flows:,} variables for the ways of the rows; at most {MOST_FLOWS:,} are built.",
            "Choose a smaller skeleton or fewer rows, or the method 'odd-search'.",
        )
