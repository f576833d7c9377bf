"""From a table of texts to a `Dataset`: outcome, features, weights and groups, with a note on every choice.

table = read_table("patients.csv")
dataset = build_dataset(table, "diagnosis", groups=["sex"])

External data for an existing model are new rows in the columns, levels, classes and policy of the training rows.
Nothing is learned from these rows: a cell that does not fit is an error, not a new level.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import replace as changed

from ..errors import DataError
from ..request import ReadingOptions, Request
from .column_types import ColumnReport, check_levels, infer_column, levels_in_order, read_outcome
from .columns import Column, Kind, MissingPolicy, clock_of, fitted_column
from .dataset import Dataset
from .dictionary import as_descriptions, described
from .division import Division, Group
from .groups import crossed_columns, crossed_group, group_of, named_columns, with_parts
from .identifiers import is_shared_person
from .preparation import Preparation, PreparedTable
from .quality import alike_levels, differences
from .schema import Schema
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

_NAMED = (
    *("target", "positive", "features", "drop", "types", "levels"),
    *("weight", "groups", "group_rows", "centres", "time"),
)
"""The fields of a request that name columns, levels or classes."""

_FIELDS = frozenset({*_NAMED[1:], "missing", "prepare", "dictionary"})
"""The fields of a request, other than the target, that `build` reads."""


def _understood(request: Request) -> Request:
    """The request with composed names; raises `DataError` if a type or the policy for missing values is unknown."""
    one_of(MissingPolicy, request.missing, "The policy for missing values")
    for name, kind in request.types.items():
        one_of(Kind, kind, f"The type of '{name}'")
    return changed(request, **{name: _composed_all(getattr(request, name)) for name in _NAMED})


def _composed_all(value: Any) -> Any:
    """Names composed, also those in lists and mappings."""
    if isinstance(value, Mapping):
        return {composed(name): _composed_all(one) for name, one in value.items()}
    if isinstance(value, str):
        return composed(value)
    return None if value is None else tuple(map(composed, value))


def steps_of(request: Request) -> Preparation:
    """The preparation steps of a request; raises `DataError` if one is invalid."""
    return Preparation.from_json(list(request.prepare))


def _read_as(request: Request, prepared: PreparedTable) -> Request:
    """The request with the types and levels that the steps set, unless the user chose others."""
    readings = {name: one for name, one in prepared.readings.items() if name not in request.types}
    types = {name: str(one.kind) for name, one in readings.items() if one.kind}
    levels = {name: one.levels for name, one in readings.items() if one.levels}
    return changed(request, types=types | request.types, levels=levels | request.levels)


def _dividing(request: Request) -> dict[str, str]:
    """The columns by which rows are divided, each with its role."""
    roles = {"group": request.group_rows, "centre": request.centres, "time": request.time}
    return {name: role for role, name in roles.items() if name is not None}


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


def build_dataset(table: Table, target: str, **fields: Any) -> Dataset:
    """The dataset of a table; `fields` are the fields of a `Request` that define its rows and columns.

    `prepare` may be a `Preparation`.

    Raises
    ------
    DataError
        A chosen column does not exist, a cell does not fit its column, or there is nothing to learn; see `build`.
    TypeError
        A field does not exist, or has no effect on the dataset.
    """
    if others := sorted(fields.keys() - _FIELDS):
        raise TypeError(f"A dataset has no field {quoted(others)}. Its fields are {', '.join(sorted(_FIELDS))}.")
    if isinstance(steps := fields.get("prepare"), Preparation):
        fields["prepare"] = tuple(steps.to_json())
    return build(table, Request(target=target, **fields)).dataset


def load_dataset(path: Path | str, target: str, **fields: Any) -> Dataset:
    """Read a file and build its dataset: `read_table` and `build_dataset` in one.

    Parameters
    ----------
    path : a text file, gzipped or not.
    target : the column of the outcome.
    fields : fields of `ReadingOptions`, such as `header` and `decimal`, and those of `build_dataset`, such as
        `features`, `types` and `groups`.

    Raises
    ------
    DataError
        The file cannot be read as a table, or the table is not usable for learning; see `read_table` and `build`.
    """
    reading = {name: fields.pop(name) for name in ReadingOptions.__struct_fields__ if name in fields}
    return build_dataset(read_table(path, **reading), target, **fields)


def build(table: Table, request: Request) -> Built:
    """The dataset of a table, with a report on what was left out.

    Rows without an outcome, or without the group, centre or time by which rows are divided, are dropped; under the
    policy 'complete cases' also rows with a missing feature. The dataset keeps the row numbers of the file.

    Raises
    ------
    DataError
        An unknown column, an outcome with fewer than two classes or far too many, a cell that does not fit the type of
        its column, a weight that is not positive, or no feature or row left.
    """
    request, steps = _understood(request), steps_of(request)
    prepared = steps.apply(table)
    try:
        return _build(prepared, steps, _read_as(request, prepared), _spellings(table, request))
    except DataError as error:
        if not prepared.n_left_out:
            raise
        raise DataError(f"{error} Row numbers refer to the table after the preparation steps.") from None


def _spellings(table: Table, request: Request) -> dict[str, Spelling]:
    """How the raw columns were read that a model needs in new rows."""
    spellings = table.spellings
    if request.prepare:
        return dict(spellings)
    named = (column for name in request.groups for column in named_columns(name, table.names))
    needed = {request.target, request.weight, *named, *(table.names if request.features is None else request.features)}
    return {name: spelling for name, spelling in spellings.items() if name in needed}


def _build(prepared: PreparedTable, steps: Preparation, request: Request, spellings: Mapping[str, Spelling]) -> Built:
    table = prepared.table
    _check_names(table, request)
    outcome = read_outcome(
        request.target, table.texts(request.target), request.levels.get(request.target), request.positive
    )
    columns, features, column_notes = _features(table, request, steps.origins(request.target))
    kept = outcome.y >= 0
    notes = left_out_note(prepared.n_left_out, "that the preparation steps do not keep")
    notes += left_out_note(int((~kept).sum()), "without an outcome")
    values = {name: _division_values(table, request, name) for name in _dividing(request)}
    for name, known in values.items():
        notes += left_out_note(int((kept & np.isnan(known)).sum()), f"without a value of '{name}'")
        kept &= ~np.isnan(known)
    policy = MissingPolicy(request.missing)
    if policy is MissingPolicy.COMPLETE:
        n_missing = [np.isnan(one) for one in features]
        complete = ~np.logical_or.reduce(n_missing)
        notes += left_out_note(int((kept & ~complete).sum()), "with a missing value")
        kept &= complete
        _check_complete(columns, [int(one.sum()) for one in n_missing], outcome.y, kept)
    rows = np.flatnonzero(kept)
    if len(rows) < table.n_rows:
        features = [one[rows] for one in features]
    descriptions = as_descriptions(request.dictionary)
    dictionary = {
        name if name in table.columns else Preparation().name_under(name, steps): one
        for name, one in descriptions.items()
    }
    dictionary = {name: one for name, one in dictionary.items() if name in table.columns}
    if descriptions and not dictionary:
        names = abbreviate(list(descriptions), 6)
        raise DataError(f"The data dictionary describes no column of the table. It describes {names}.")
    fitted = described(map(fitted_column, columns, features), dictionary)
    unused = {one.family for one in dictionary.values()} - {column.family for column in fitted}
    used = {request.target, request.weight, *(column.name for column in fitted)}
    left_out = tuple(name for name in table.names if name not in used)
    families = frozenset(unused - {""})
    dataset = Dataset(
        name=table.name,
        schema=Schema(fitted, policy, steps or None, spellings, families, left_out),
        X=np.stack(features, axis=1),
        y=outcome.y[rows],
        classes=outcome.classes,
        outcome=request.target,
        positive=outcome.positive,
        weight=None if request.weight is None else row_weights(table, request.weight, rows),
        groups=_groups(table, request, rows),
        rows=prepared.rows[rows] + 1,
        division=_division(table, request, {name: known[rows] for name, known in values.items()}),
    )
    notes += column_notes
    if request.group_rows is None:
        notes += _shared_notes(table, request)
    else:
        # `quality.issues` reports this for other groups, but the names of these are not kept
        texts = table.texts(request.group_rows)
        counts = texts.count[~texts.missing]
        notes += [one.words for one in alike_levels(request.group_rows, tuple(texts.present), counts)]
    return Built(dataset, tuple(notes))


def _check_names(table: Table, request: Request) -> None:
    groups = tuple(column for name in request.groups for column in named_columns(name, table.names))
    roles = {"outcome": (request.target,), "feature": request.features or (), "group": groups}
    if request.weight is not None:
        roles["weight"] = (request.weight,)
    roles |= {role: (name,) for name, role in _dividing(request).items()}
    known = set(table.names)
    for role, names in (
        *roles.items(),
        ("feature to drop", request.drop),
        ("type", request.types),
        ("level", request.levels),
    ):
        for name in names:
            if name not in known:
                hint = suggestion(name, table.names, "The table has")
                raise DataError(f"There is no column '{name}' (chosen as {role}). {hint}")
    if request.target in _dividing(request):
        raise DataError(f"Rows cannot be divided by the outcome '{request.target}'. Choose another column.")
    if request.weight == request.target:
        raise DataError(f"The column '{request.weight}' cannot be both weight and outcome. Choose another weight.")
    if request.features is not None:
        for role, other in (("outcome", request.target), ("weight", request.weight)):
            if other in request.features:
                raise DataError(
                    f"The column '{other}' is the {role} and cannot also be a feature. Remove it from the features."
                )


def _features(
    table: Table, request: Request, origins: frozenset[str]
) -> tuple[list[Column], list[np.ndarray], list[str]]:
    """The feature columns, the values of each, float64 (n_samples,), and notes on omitted columns and on codes.

    `origins` are the columns that derive from the same raw columns as the outcome.
    """
    columns: list[Column] = []
    values: list[np.ndarray] = []
    left_out: list[str] = []
    codes: list[str] = []
    chosen = request.features if request.features is not None else table.names
    for name in dict.fromkeys(chosen):
        if name in (request.target, request.weight, *request.drop):
            continue
        cells = table.columns[name]
        report = infer_column(name, cells, table.levels.get(name))
        if request.features is None:
            reason = _reason_to_leave_out(report, name in _dividing(request), name in origins)
            if reason is not None:
                left_out.append(f"The column '{name}' is left out: {reason}")
                continue
        column = _column(report, cells, request)
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


def _column(report: ColumnReport, cells: Cells, request: Request) -> Column:
    """The column with the user's type, or else the inferred one."""
    name, levels = report.name, request.levels.get(report.name)
    chosen = request.types.get(name)
    kind = Kind(chosen) if chosen else Kind.ORDERED if levels else report.kind
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


def _groups(table: Table, request: Request, rows: np.ndarray) -> tuple[Group, ...]:
    """The group columns of the rows at these positions, including crossed ones."""
    found: dict[str, Group] = {}
    for name in with_parts(request.groups, table.names):
        if parts := crossed_columns(name, table.names):
            found[name] = crossed_group([found[part] for part in parts])
            continue
        cells = table.columns[name]
        column = _column(infer_column(name, cells, table.levels.get(name)), cells, request)
        values = column.encode(cells)[rows]
        found[name] = group_of(fitted_column(column, values), values)
    return tuple(found.values())


def _division_values(table: Table, request: Request, name: str) -> np.ndarray:
    """The values of a column by which rows are divided, float64 (n_samples,), NaN where missing.

    For a time these are the numbers or dates, for groups and centres the positions among the levels.
    """
    texts = table.texts(name)
    if not (levels := levels_in_order(texts)):
        raise DataError(f"The column '{name}' has no values, so rows cannot be divided by it. Choose another column.")
    if name != request.time:
        return Column(name, Kind.CATEGORICAL, levels).encode(texts)
    dates = infer_column(name, texts).kind is Kind.DATE
    try:
        return Column(name, Kind.DATE if dates else Kind.NUMERIC, clock=clock_of(texts)).encode(texts)
    except DataError as error:
        raise DataError(f"The time of a row must be a number or a date such as 2024-05-31. {error}") from None


def _division(table: Table, request: Request, values: Mapping[str, np.ndarray]) -> Division:
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
        named = name == request.centres
        levels = levels_in_order(table.texts(name)) if named else ()
        return Group(name, tuple(levels[int(i)] for i in present) if named else (), codes)

    return Division(part(request.group_rows), part(request.centres), part(request.time))


def _shared_notes(table: Table, request: Request) -> list[str]:
    """Notes on columns that may show that rows are of the same person, if no column of groups was chosen."""
    return [
        (
            f"Several rows have the same '{name}'. If each value is one person, choose --group-rows on the command "
            f"line, or 'Repeated patients' on the Data screen. Otherwise, results on held-out rows look too good."
        )
        for name in table.names
        if name != request.target and is_shared_person(name, partial(table.texts, name))
    ]


def external_dataset(table: Table, train: Dataset, request: Request, needed: Collection[str] | None = None) -> Built:
    """Read the rows of a second file like the training rows of a model.

    Parameters
    ----------
    table : the raw second file; the steps of `request` are applied to it.
    train : the training rows, which set columns, classes and policy for missing values.
    request : the request for the first file, which names the columns of weights and groups.
    needed : the feature columns that models use; by default all. The others may be absent.

    Raises
    ------
    DataError
        The outcome, a needed column or the weights are absent, a cell does not fit its column, the outcome has a class
        that the model does not know, or no row is left.
    """
    request = _understood(request)
    names = train.schema.names
    needed = tuple(name for name in names if needed is None or name in needed)
    weights = () if request.weight is None else (request.weight,)
    raw = (train.outcome, *names, *weights, *request.groups)
    steps = steps_of(request)
    prepared = steps.apply(train.schema.as_trained(table, steps.raw(raw) if steps else raw))
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
        weight=None if request.weight is None else row_weights(table, request.weight, rows),
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
