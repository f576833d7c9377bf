"""Subsets of the rows for training and testing: cross-validation folds and bootstrap samples.

Everything learned from rows is learned again from the subset: the replacements of missing values, which columns have
missing values at all, thresholds, the levels available to splits, and the split penalty that alpha gives.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..errors import DataError
from ..problem import Dataset, DivisionRule, Problem, holdout
from ..problem.schema import fitted
from ..problem.skeleton import alpha_of, objective_of


class TrainTestRows(NamedTuple):
    """Training and test rows, as positions; `repeat` and `number` identify the part, from 0."""

    repeat: int
    number: int
    train: np.ndarray
    test: np.ndarray

    @property
    def key(self) -> str:
        """The key of the part; the same part of the same plan has the same key."""
        return f"{self.repeat}.{self.number}"


def folds(dataset: Dataset, n_folds: int, repeats: int, seed: int) -> Iterator[TrainTestRows]:
    """The parts of a repeated cross-validation, divided according to the dataset's `division`.

    Each row is in the test part once per repeat; by time, the first rows are in none. `Division.plan` gives the numbers
    of folds and repeats.

    Raises
    ------
    DataError
        There are fewer than two folds, no repeat, fewer rows of the largest class than folds, or only one group.
    """
    if n_folds < 2 or repeats < 1:
        raise DataError(f"Cross-validation needs at least 2 folds and 1 repeat, but has {n_folds} and {repeats}.")
    division = dataset.division
    plan = division.plan(n_folds, repeats)
    if dataset.class_counts.max() < plan.folds and division.rule in (DivisionRule.ROWS, DivisionRule.GROUPS):
        raise DataError(
            f"{dataset.n_samples} rows are too few for {plan.folds} folds. Choose fewer folds, or use more rows."
        )
    if plan.folds < 2 and division.rule is not DivisionRule.TIME:
        raise DataError(f"All rows have the same '{division.column}', so they cannot be divided. Use more rows.")
    for repeat in range(plan.repeats):
        for number, part in enumerate(division.folds(dataset.y, plan.folds, (seed + 7919 * repeat) % 2**32)):
            yield TrainTestRows(repeat, number, *part)


def bootstrap_samples(dataset: Dataset, n_samples: int, seed: int) -> Iterator[TrainTestRows]:
    """`n_samples` samples of the same size as the dataset, drawn with replacement; the test rows are all rows.

    If rows belong together, all rows of a group (or else centre) are drawn together, keeping the number of groups.

    Raises
    ------
    DataError
        There is no sample to draw.
    """
    if n_samples < 1:
        raise DataError(f"A bootstrap needs at least 1 sample, but has {n_samples}.")
    everyone = np.arange(dataset.n_samples)
    for number in range(n_samples):
        drawn = dataset.division.sample(dataset.n_samples, (seed, number))
        yield TrainTestRows(0, number, drawn, everyone)


def problem_of(problem: Problem, rows: np.ndarray) -> Problem:
    """The same problem on some of the rows, with everything learned from these rows alone.

    Shape, constraints and costs are unchanged. The split penalty of a diagram is a share of all rows, so it follows
    their weight.
    """
    dataset = problem.dataset.take(rows)
    return posed_on(problem, replace(dataset, schema=fitted(dataset.schema, dataset.X)))


def posed_on(problem: Problem, dataset: Dataset) -> Problem:
    """The same problem on a subset of its rows whose columns were fitted to this subset alone."""
    objective = problem.objective
    if objective.free_root and objective.split_penalty:
        alpha = alpha_of(objective, problem.dataset.total_weight)
        objective = objective_of(alpha, dataset.total_weight, base=objective)
    return replace(problem, dataset=dataset, objective=objective)


def divide(problem: Problem, share: float, seed: int) -> tuple[Problem, Dataset]:
    """The problem on the training rows, and the held-out rows; `DataError` if the share leaves too few on one side."""
    learned, aside = holdout(problem.dataset, share, seed)
    return posed_on(problem, learned), aside
