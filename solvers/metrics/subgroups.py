"""Performance in subgroups of the rows: the levels of a column, or thirds of a measurement."""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from ..constraints.fairness import fairness_columns
from ..errors import DataError
from ..problem import Dataset, Group, Problem
from ..problem.groups import MAX_GROUPS, crossed_columns, crossed_group, group_of, with_parts
from .diagnosis import Diagnosis, diagnosis
from .intervals import Estimate, Rate, rate


@dataclass(frozen=True)
class Subgroup:
    """The rows of one group.

    Attributes
    ----------
    name : the group.
    known : False for the rows whose group is missing.
    figures : of its rows; `None` without rows.
    expected : the mean predicted risk of the class of interest; `None` without one, or without rows.
    observed : the observed frequency of that class.
    in_the_large : observed minus expected, with the interval of the observed frequency.
    """

    name: str
    known: bool
    figures: Diagnosis | None
    expected: float | None
    observed: Rate | None
    in_the_large: Estimate | None

    @property
    def n(self) -> int:
        """The number of rows."""
        return 0 if self.figures is None else self.figures.n


def subgroup_columns(train: Dataset) -> tuple[str, ...]:
    """The columns that can define subgroups: centres and groups first, then features with few enough levels."""
    groups = list(dict.fromkeys(group.name for group in (train.division.centres, *train.groups) if group is not None))
    features = [
        column.name
        for column in train.schema.columns
        if column.name not in groups and len(column.levels) <= MAX_GROUPS and column.fill is not None
    ]
    return (*groups, *features)


def group_by(train: Dataset, dataset: Dataset, name: str) -> Group:
    """Group rows by a column; group boundaries come from the training rows.

    Parameters
    ----------
    train : the training rows; their tertiles divide a measurement.
    dataset : the rows.
    name : a feature, a group column, or the centre column.

    Raises
    ------
    DataError
        There is no such column, it has no value, or it has too many levels.
    """
    for group in (*dataset.groups, dataset.division.centres):
        if group is not None and group.name == name and name not in train.schema.names:
            return group
    values, known = dataset.X[:, dataset.schema.index(name)], train.X[:, train.schema.index(name)]
    return group_of(train.schema[name], values, known)


def compared_groups(problem: Problem, dataset: Dataset) -> tuple[Group, ...]:
    """The group columns of some rows, then the groups that the fairness constraints of a problem compare.

    A crossing follows its columns. Group boundaries come from the training rows. Columns that cannot divide the rows
    into groups are left out.
    """
    train, found = problem.dataset, {group.name: group for group in dataset.groups}
    known = {*found, *train.schema.names}
    for name in with_parts(fairness_columns(problem.constraints), known):
        parts = crossed_columns(name, known)
        if name in found or not found.keys() >= set(parts):
            continue
        with suppress(DataError):
            found[name] = crossed_group([found[p] for p in parts]) if parts else group_by(train, dataset, name)
    return tuple(found.values())


def subgroups(
    dataset: Dataset, predicted: np.ndarray, shares: np.ndarray, of_class: int | None, group: Group
) -> tuple[Subgroup, ...]:
    """The figures of each group, in order; last the rows whose group is missing, if any.

    Parameters
    ----------
    dataset : the rows.
    predicted : int (n_samples,), the index of the predicted class of each row.
    shares : float64 (n_samples, n_classes), the risk of each class, 0 to 1.
    of_class : the class of interest, an index into the dataset's classes; `None` for all alike.
    group : the groups, with a code for each row.

    Raises
    ------
    DataError
        As in `diagnosis`, or the groups do not fit the rows.
    """
    if group.codes.shape != (dataset.n_samples,):
        raise DataError(f"The groups of '{group.name}' must have one value for each of {dataset.n_samples} rows.")

    def subgroup(name: str, code: int) -> Subgroup:
        here = group.codes == code
        if not here.any():
            return Subgroup(name, code >= 0, None, None, None, None)
        part = dataset.take(here)
        figures = diagnosis(part, predicted[here], shares[here], of_class)
        if of_class is None:
            return Subgroup(name, code >= 0, figures, None, None, None)
        expected = float(np.average(shares[here, of_class], weights=part.weight))
        observed = rate(part.y == of_class, part.weight)
        return Subgroup(name, code >= 0, figures, expected, observed, observed.less(expected))

    found = [subgroup(name, code) for code, name in enumerate(group.levels)]
    if (group.codes == -1).any():
        found.append(subgroup("unknown", -1))
    return tuple(found)
