"""From a table of texts to a `Dataset`: outcome, features, weights and groups, with a note on every choice.

table = read_table("patients.csv")
dataset = build_dataset(table, "diagnosis", groups=["sex"])

External data for an existing model are new rows in the columns, levels, classes and policy of the training rows.
Nothing is learned from these rows: a cell that does not fit is an error, not a new level.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import DataError
from .column_types import ColumnReport, check_levels, infer_column, levels_in_order, read_outcome
from .columns import Column, Kind, MissingPolicy, Schema, clock_of, fitted_column
from .dataset import Dataset
from .dictionary import Description, as_descriptions, described
from .division import Division, Group
from .groups import crossed_columns, crossed_group, group_of, named_columns, with_parts
from .identifiers import is_shared_person
from .preparation import Preparation, PreparedTable
from .quality import alike_levels, differences
from .sources import read_table
from .tables import Cells, Table
from .texts import (
    Spelling,
    abbreviate,
    composed,
    is_code,
    left_out_note,
    one_of,
    plural,
    quoted,
    suggestion,
)


@dataclass(frozen=True)
class Choices:
    """The user's choices for a table.

    Attributes
    ----------
    outcome : the column to predict.
    positive : the class that counts as positive; by default it is recognised if there are two classes.
    features : the columns that a model may use; by default all but the outcome, the weight, likely identifiers and
        constant columns.
    drop : columns that are not features.
    kinds : types that differ from the inferred ones.
    levels : the levels of columns in their order, low first; the column is then ordered unless `kinds` sets another
        type.
    weight : the column of sample weights.
    groups : the columns whose groups are compared for fairness; they may be features too. 'sex × region' crosses two.
    missing : the policy for missing values.
    group_rows, centres, time : the columns with the unit (such as the patient), the centre and the time of each row, by
        which rows are divided, see `Division`. They are features only if `features` lists them.
    preparation : the steps to apply to the table first; all names are those after the steps.
    dictionary : label, unit and family by column, before or after the steps; columns that the table lacks are ignored.
    """

    outcome: str
    positive: str | None = None
    features: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    weight: str | None = None
    groups: tuple[str, ...] = ()
    missing: MissingPolicy = MissingPolicy.INFORMATION
    group_rows: str | None = None
    centres: str | None = None
    time: str | None = None
    preparation: Preparation = field(default_factory=Preparation)
    dictionary: Mapping[str, Description] = field(default_factory=dict)

    def __post_init__(self) -> None:
        kinds = {name: one_of(Kind, kind, f"The type of '{name}'") for name, kind in (self.kinds or {}).items()}
        policy = one_of(MissingPolicy, self.missing, "The policy for missing values")
        known = {"kinds": kinds, "missing": policy, "dictionary": as_descriptions(self.dictionary)}
        for name, value in (vars(self) | known).items():
            object.__setattr__(self, name, _composed_all(value))

    def read_as(self, prepared: PreparedTable) -> Choices:
        """The same with the types and levels that the steps set, unless the user chose others."""
        kinds = {name: one.kind for name, one in prepared.readings.items() if one.kind} | dict(self.kinds)
        levels = {name: one.levels for name, one in prepared.readings.items() if one.levels and name not in self.kinds}
        return replace(self, kinds=kinds, levels=levels | dict(self.levels))

    @property
    def division(self) -> dict[str, str]:
        """The columns by which rows are divided, each with its role."""
        roles = {"group": self.group_rows, "centre": self.centres, "time": self.time}
        return {name: role for role, name in roles.items() if name is not None}


def _composed_all(value: Any) -> Any:
    """Names composed, also those in lists and mappings; other values unchanged."""
    if type(value) is str:
        return composed(value)
    if isinstance(value, Mapping):
        return {composed(name): _composed_all(one) for name, one in value.items()}
    return tuple(map(composed, value)) if isinstance(value, Iterable) and not isinstance(value, str) else value


class Built(NamedTuple):
    """A dataset and notes on its construction.

    Attributes
    ----------
    dataset : the typed table.
    notes : what was left out and how codes are read, in sentences.
    differs : for external data, how the rows differ from the training rows, in sentences.
    """

    dataset: Dataset
    notes: tuple[str, ...]
    differs: tuple[str, ...] = ()


def build_dataset(table: Table, outcome: str, **choices: Any) -> Dataset:
    """The dataset of a table; `choices` are the fields of `Choices`.

    Raises
    ------
    DataError
        A chosen column does not exist, a cell does not fit its column, or there is nothing to learn; see `build`.
    """
    return build(table, Choices(outcome, **choices)).dataset


def load_dataset(path: Path | str, target: str, *, header: bool | None = None, **choices: Any) -> Dataset:
    """Read a file and build its dataset: `read_table` and `build_dataset` in one.

    Parameters
    ----------
    path : a text file, gzipped or not.
    target : the column of the outcome.
    header : whether the first line names the columns; by default this is detected.
    choices : the other fields of `Choices`.

    Raises
    ------
    DataError
        The file cannot be read as a table, or the table is not usable for learning; see `read_table` and `build`.
    """
    return build_dataset(read_table(path, header=header), target, **choices)


def build(table: Table, choices: Choices) -> Built:
    """The dataset of a table, with a report on what was left out.

    Rows without an outcome, or without the group, centre or time by which rows are divided, are dropped; under the
    policy 'complete cases' also rows with a missing feature. The dataset keeps the row numbers of the file.

    Raises
    ------
    DataError
        An unknown column, an outcome with fewer than two classes or far too many, a cell that does not fit the type of
        its column, a weight that is not positive, or no feature or row left.
    """
    prepared = choices.preparation.apply(table)
    try:
        return _build(prepared, choices.read_as(prepared), _spellings(table, choices))
    except DataError as error:
        if not prepared.n_left_out:
            raise
        raise DataError(f"{error} Row numbers refer to the table after the preparation steps.") from None


def _spellings(table: Table, choices: Choices) -> dict[str, Spelling]:
    """How the raw columns were read that a model needs in new rows."""
    spellings = table.spellings
    if choices.preparation:
        return dict(spellings)
    named = (column for name in choices.groups for column in named_columns(name, table.names))
    needed = {choices.outcome, choices.weight, *named, *(table.names if choices.features is None else choices.features)}
    return {name: spelling for name, spelling in spellings.items() if name in needed}


def _build(prepared: PreparedTable, choices: Choices, spellings: Mapping[str, Spelling]) -> Built:
    table = prepared.table
    _check_choices(table, choices)
    outcome = read_outcome(
        choices.outcome, table.texts(choices.outcome), choices.levels.get(choices.outcome), choices.positive
    )
    columns, features, column_notes = _features(table, choices)
    kept = outcome.y >= 0
    notes = left_out_note(prepared.n_left_out, "that the preparation steps do not keep")
    notes += left_out_note(int((~kept).sum()), "without an outcome")
    values = {name: _division_values(table, choices, name) for name in choices.division}
    for name, known in values.items():
        notes += left_out_note(int((kept & np.isnan(known)).sum()), f"without a value of '{name}'")
        kept &= ~np.isnan(known)
    if choices.missing is MissingPolicy.COMPLETE:
        n_missing = [np.isnan(one) for one in features]
        complete = ~np.logical_or.reduce(n_missing)
        notes += left_out_note(int((kept & ~complete).sum()), "with a missing value")
        kept &= complete
        _check_complete(columns, [int(one.sum()) for one in n_missing], outcome.y, kept)
    rows = np.flatnonzero(kept)
    if len(rows) < table.n_rows:
        features = [one[rows] for one in features]
    dictionary = {
        name if name in table.columns else Preparation().name_under(name, choices.preparation): one
        for name, one in choices.dictionary.items()
    }
    dictionary = {name: one for name, one in dictionary.items() if name in table.columns}
    if choices.dictionary and not dictionary:
        names = abbreviate(list(choices.dictionary), 6)
        raise DataError(f"The data dictionary describes no column of the table. It describes {names}.")
    fitted = described(map(fitted_column, columns, features), dictionary)
    unused = {one.family for one in dictionary.values()} - {column.family for column in fitted}
    used = {choices.outcome, choices.weight, *(column.name for column in fitted)}
    left_out = tuple(name for name in table.names if name not in used)
    preparation, families = choices.preparation or None, frozenset(unused - {""})
    dataset = Dataset(
        name=table.name,
        schema=Schema(fitted, choices.missing, preparation, spellings, families, left_out),
        X=np.stack(features, axis=1),
        y=outcome.y[rows],
        classes=outcome.classes,
        outcome=choices.outcome,
        positive=outcome.positive,
        weight=None if choices.weight is None else row_weights(table, choices.weight, rows),
        groups=_groups(table, choices, rows),
        rows=prepared.rows[rows] + 1,
        division=_division(table, choices, {name: known[rows] for name, known in values.items()}),
    )
    notes += column_notes
    if choices.group_rows is None:
        notes += _shared_notes(table, choices)
    else:
        # `quality.issues` reports this for other groups, but the names of these are not kept
        texts = table.texts(choices.group_rows)
        counts = texts.count[~texts.missing]
        notes += [one.words for one in alike_levels(choices.group_rows, tuple(texts.present), counts)]
    return Built(dataset, tuple(notes))


def _check_choices(table: Table, choices: Choices) -> None:
    groups = tuple(column for name in choices.groups for column in named_columns(name, table.names))
    roles = {"outcome": (choices.outcome,), "feature": choices.features or (), "group": groups}
    if choices.weight is not None:
        roles["weight"] = (choices.weight,)
    roles |= {role: (name,) for name, role in choices.division.items()}
    known = set(table.names)
    for role, names in (
        *roles.items(),
        ("feature to drop", choices.drop),
        ("type", choices.kinds),
        ("level", choices.levels),
    ):
        for name in names:
            if name not in known:
                hint = suggestion(name, table.names, "The table has")
                raise DataError(f"There is no column '{name}' (chosen as {role}). {hint}")
    if choices.outcome in choices.division:
        raise DataError(f"Rows cannot be divided by the outcome '{choices.outcome}'. Choose another column.")
    if choices.weight == choices.outcome:
        raise DataError(f"The column '{choices.weight}' cannot be both weight and outcome. Choose another weight.")
    if choices.features is not None:
        for role, other in (("outcome", choices.outcome), ("weight", choices.weight)):
            if other in choices.features:
                raise DataError(
                    f"The column '{other}' is the {role} and cannot also be a feature. Remove it from the features."
                )


def _features(table: Table, choices: Choices) -> tuple[list[Column], list[np.ndarray], list[str]]:
    """The feature columns, the values of each, float64 (n_samples,), and notes on omitted columns and on codes."""
    columns: list[Column] = []
    values: list[np.ndarray] = []
    left_out: list[str] = []
    codes: list[str] = []
    origins = choices.preparation.origins(choices.outcome)
    chosen = choices.features if choices.features is not None else table.names
    for name in dict.fromkeys(chosen):
        if name in (choices.outcome, choices.weight, *choices.drop):
            continue
        cells = table.columns[name]
        report = infer_column(name, cells, table.levels.get(name))
        if choices.features is None:
            reason = _reason_to_leave_out(report, name in choices.division, name in origins)
            if reason is not None:
                left_out.append(f"The column '{name}' is left out: {reason}")
                continue
        column = _column(report, cells, choices)
        if any(map(is_code, column.levels)):
            codes.append(f"The column '{name}': {report.why}")
        columns.append(column)
        values.append(column.encode(cells))
    if not columns:
        raise DataError("No features are left. Choose at least one column.")
    return columns, values, left_out + codes


def _reason_to_leave_out(report: ColumnReport, divides: bool, repeats_outcome: bool) -> str | None:
    if divides:
        return "rows are divided by this column."
    if repeats_outcome:
        return "a preparation step derives the outcome from this column."
    if report.kind is None:
        return "it holds no values."
    if report.constant:
        return "it has the same value in every row."
    return report.why[0].lower() + report.why[1:] if report.identifier else None


def _column(report: ColumnReport, cells: Cells, choices: Choices) -> Column:
    """The column with the user's type, or else the inferred one."""
    name, levels = report.name, choices.levels.get(report.name)
    kind = choices.kinds.get(name) or (Kind.ORDERED if levels else report.kind)
    if report.problem is not None and kind in (report.kind, None):
        raise DataError(f"The column '{name}' {report.problem}")
    assert kind is not None  # a column without values has a problem
    if not kind.has_levels:
        return Column(name, kind, clock=clock_of(cells.texts) if kind is Kind.DATE else "")
    texts = cells.texts
    if levels is not None:
        check_levels(name, texts, levels)
        return Column(name, kind, levels)
    if report.kind is not None and report.kind.has_levels and (report.kind is kind or kind is Kind.CATEGORICAL):
        return Column(name, kind, report.levels)
    if kind is Kind.ORDERED and np.isnan(texts.number[~texts.missing]).any():
        raise DataError(f"The order of the levels of the column '{name}' is not known. List its levels, lowest first.")
    return Column(name, kind, levels_in_order(texts))


def _check_complete(columns: Sequence[Column], n_missing: Sequence[int], y: np.ndarray, kept: np.ndarray) -> None:
    worst = int(np.argmax(n_missing))
    remedy = (
        f"The column '{columns[worst].name}' has most values missing ({n_missing[worst]} of {len(y)}). Leave the "
        f"column out, or choose another policy for missing values."
    )
    if not kept.any():
        raise DataError(f"No row is complete. {remedy}")
    if len(np.unique(y[kept])) < 2:
        raise DataError(f"The complete rows are all of one class. {remedy}")


def row_weights(table: Table, name: str, rows: np.ndarray) -> np.ndarray:
    """The weights of the rows at these positions, float64 (n_rows,); raises `DataError` unless all are positive."""
    number: np.ndarray = table.columns[name].numbers[rows]
    bad = np.flatnonzero(~(np.isfinite(number) & (number > 0)))
    if len(bad):
        row = int(rows[bad[0]])
        (cell,) = table.columns[name].cells(slice(row, row + 1))
        shown = repr(cell) if cell else "an empty cell"
        raise DataError(
            f"The weight column '{name}' must hold a positive number in every row. {plural(len(bad), 'row')} "
            f"{'does' if len(bad) == 1 else 'do'} not (first: {shown} in row {row + 1}). "
            f"Correct the cells, remove the rows, or choose no weight."
        )
    return number


def _groups(table: Table, choices: Choices, rows: np.ndarray) -> tuple[Group, ...]:
    """The group columns of the rows at these positions, including crossed ones."""
    found: dict[str, Group] = {}
    for name in with_parts(choices.groups, table.names):
        if parts := crossed_columns(name, table.names):
            found[name] = crossed_group([found[part] for part in parts])
            continue
        cells = table.columns[name]
        column = _column(infer_column(name, cells, table.levels.get(name)), cells, choices)
        values = column.encode(cells)[rows]
        found[name] = group_of(fitted_column(column, values), values)
    return tuple(found.values())


def _division_values(table: Table, choices: Choices, name: str) -> np.ndarray:
    """The values of a column by which rows are divided, float64 (n_samples,), NaN where missing.

    For a time these are the numbers or dates, for groups and centres the positions among the levels.
    """
    texts = table.texts(name)
    if not (levels := levels_in_order(texts)):
        raise DataError(f"The column '{name}' has no values, so rows cannot be divided by it. Choose another column.")
    if name != choices.time:
        return Column(name, Kind.CATEGORICAL, levels).encode(texts)
    dates = infer_column(name, texts).kind is Kind.DATE
    try:
        return Column(name, Kind.DATE if dates else Kind.NUMERIC, clock=clock_of(texts)).encode(texts)
    except DataError as error:
        raise DataError(f"The time of a row must be a number or a date such as 2024-05-31. {error}") from None


def _division(table: Table, choices: Choices, values: Mapping[str, np.ndarray]) -> Division:
    """The division of the remaining rows, from the values of their columns."""

    def part(name: str | None) -> Group | None:
        if name is None:
            return None
        present, codes = np.unique(values[name], return_inverse=True)
        if len(present) < 2:
            raise DataError(
                f"The column '{name}' has the same value in every row, so rows cannot be divided by it. Choose another "
                f"column."
            )
        named = name == choices.centres
        levels = levels_in_order(table.texts(name)) if named else ()
        return Group(name, tuple(levels[int(i)] for i in present) if named else (), codes)

    return Division(part(choices.group_rows), part(choices.centres), part(choices.time))


def _shared_notes(table: Table, choices: Choices) -> list[str]:
    """Notes on columns that may show that rows are of the same person, if no column of groups was chosen."""
    return [
        (
            f"Several rows have the same '{name}'. If each value is one person, choose --group-rows on the command "
            f"line, or 'Repeated patients' on the Data screen. Otherwise, results on held-out rows look too good."
        )
        for name in table.names
        if name != choices.outcome and is_shared_person(name, partial(table.texts, name))
    ]


def external_dataset(table: Table, train: Dataset, choices: Choices, needed: Collection[str] | None = None) -> Built:
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
    groups, lost = _external_groups(table, train, rows)
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
    return Built(dataset, tuple(notes), differs)


def _known(dataset: Dataset, train: Dataset) -> int:
    """The number of rows that equal some training row in all features and the outcome."""

    def written(rows: Dataset) -> list[bytes]:
        # 0 equals -0, and all NaN are equal
        cells = np.column_stack((np.where(np.isnan(rows.X), np.inf, rows.X + 0.0), rows.y))
        return [row.tobytes() for row in cells]

    known = set(written(train))
    return sum(row in known for row in written(dataset))


def _external_groups(table: Table, train: Dataset, rows: np.ndarray) -> tuple[tuple[Group, ...], list[str]]:
    """The groups of the new rows, defined as for the training rows, and the group columns that the file lacks."""
    found: dict[str, Group] = {}
    lost = []
    names = [group.name for group in train.groups]
    for group in train.groups:
        parts = crossed_columns(group.name, [name for name in names if name != group.name])
        if parts and found.keys() >= set(parts):
            found[group.name] = crossed_group([found[part] for part in parts], group.levels)
        elif group.name in table.names:
            found[group.name] = _external_group(table, group, rows)
        elif not parts:
            lost.append(group.name)
    return tuple(found.values()), lost


def _external_group(table: Table, group: Group, rows: np.ndarray) -> Group:
    """The groups of the new rows; a value outside all groups is missing."""
    cells = table.columns[group.name]
    if group.cuts:
        values = Column(group.name, group.kind).encode(cells)
        codes = np.where(np.isnan(values), -1, np.searchsorted(group.cuts, values))
    else:
        values = Column(group.name, Kind.CATEGORICAL, group.levels).encode(cells, strict=False)
        codes = np.where(np.isfinite(values), values, -1)
    return replace(group, codes=codes[rows].astype(np.int32))
