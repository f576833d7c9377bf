"""External data for an existing model: new rows in the columns, levels, classes and policy of the training rows.

Nothing is learned from these rows. Fill values, group thresholds and levels come from the training file; a cell that
does not fit is an error, not a new level.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..errors import DataError
from .columns import Column, Kind, MissingPolicy
from .dataset import Dataset
from .dataset_builder import Choices, row_weights
from .division import Group
from .groups import crossed_columns, crossed_group
from .quality import differences
from .tables import Table
from .texts import left_out_note, quoted


class External(NamedTuple):
    """External data from a second file.

    Attributes
    ----------
    dataset : its rows, read like the training rows.
    notes : what was left out, in sentences.
    differs : how its rows differ from the training rows, in sentences.
    """

    dataset: Dataset
    notes: tuple[str, ...]
    differs: tuple[str, ...] = ()


def external_dataset(table: Table, train: Dataset, choices: Choices, needed: Collection[str] | None = None) -> External:
    """Read the rows of a second file like the training rows of a model.

    Parameters
    ----------
    table : the raw second file; the steps of `choices` are applied to it.
    train : the training rows, which set columns, classes and policy for missing values.
    choices : the choices for the first file, which name the columns of weights and groups.
    needed : the feature columns that models use; by default all. The others may be absent.

    Raises
    ------
    DataError
        The outcome, a needed column or the weights are absent, a cell does not fit its column, the outcome has a class
        that the model does not know, or no row is left.
    """
    names = train.schema.names
    needed = tuple(name for name in names if needed is None or name in needed)
    weights = () if choices.weight is None else (choices.weight,)
    raw = (train.outcome, *names, *weights, *choices.groups)
    table = train.schema.as_trained(table, choices.preparation.raw(raw) if choices.preparation else raw)
    prepared = choices.preparation.apply(table)
    table = prepared.table
    table.check_columns((train.outcome, *needed, *weights), "External data must have the columns of the training data")
    y = Column(train.outcome, Kind.CATEGORICAL, train.classes).encode(table.columns[train.outcome])
    present = frozenset(table.names).intersection(names)
    X = train.schema.encode(table, present)
    kept = ~np.isnan(y)
    notes = left_out_note(prepared.n_left_out, "that the preparation steps do not keep")
    notes += left_out_note(int((~kept).sum()), "without an outcome")
    if train.schema.missing is MissingPolicy.COMPLETE:
        complete = ~np.isnan(X[:, [train.schema.index(name) for name in needed]]).any(1)
        notes += left_out_note(int((kept & ~complete).sum()), "with a missing value")
        kept &= complete
    rows = np.flatnonzero(kept)
    if not len(rows):
        raise DataError(f"No row of '{table.name}' can be used. {' '.join(notes)} Choose another file.")
    absent = tuple(name for name in names if name not in present)
    if absent:
        notes.append(f"The file lacks {quoted(absent)}, which the models do not use.")
    groups, lost = _groups(table, train, rows)
    if lost:
        notes.append(f"The file lacks the columns of groups {quoted(lost)}.")
    dataset = Dataset(
        name=table.name,
        schema=train.schema,
        X=X[rows],
        y=y[rows].astype(np.int32),
        classes=train.classes,
        outcome=train.outcome,
        positive=train.positive,
        weight=None if choices.weight is None else row_weights(table, choices.weight, rows),
        groups=groups,
        rows=prepared.rows[rows] + 1,
    )
    n_known = _known(dataset, train)
    if n_known > dataset.n_samples / 2:
        notes.append(
            f"{n_known} of {dataset.n_samples} rows are the same as training rows in every column. External data "
            f"should come from other people."
        )
    differs = tuple(differences(train, dataset, [name for name in names if name in present]))
    return External(dataset, tuple(notes), differs)


def _known(dataset: Dataset, train: Dataset) -> int:
    """The number of rows that equal some training row in all features and the outcome."""

    def written(rows: Dataset) -> list[bytes]:
        # 0 equals -0, and all NaN are equal
        cells = np.column_stack((np.where(np.isnan(rows.X), np.inf, rows.X + 0.0), rows.y))
        return [row.tobytes() for row in cells]

    known = set(written(train))
    return sum(row in known for row in written(dataset))


def _groups(table: Table, train: Dataset, rows: np.ndarray) -> tuple[tuple[Group, ...], list[str]]:
    """The groups of the new rows, defined as for the training rows, and the group columns that the file lacks."""
    found: dict[str, Group] = {}
    lost = []
    names = [group.name for group in train.groups]
    for group in train.groups:
        parts = crossed_columns(group.name, [name for name in names if name != group.name])
        if parts and found.keys() >= set(parts):
            found[group.name] = crossed_group([found[part] for part in parts], group.levels)
        elif group.name in table.names:
            found[group.name] = _group(table, group, rows)
        elif not parts:
            lost.append(group.name)
    return tuple(found.values()), lost


def _group(table: Table, group: Group, rows: np.ndarray) -> Group:
    """The groups of the new rows; a value outside all groups is missing."""
    cells = table.columns[group.name]
    if group.cuts:
        values = Column(group.name, group.kind).encode(cells)
        codes = np.where(np.isnan(values), -1, np.searchsorted(group.cuts, values))
    else:
        values = Column(group.name, Kind.CATEGORICAL, group.levels).encode(cells, strict=False)
        codes = np.where(np.isfinite(values), values, -1)
    return replace(group, codes=codes[rows].astype(np.int32))
