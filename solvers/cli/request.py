"""What a user asks for with `fit`, kept with the solution so that `verify` can ask the same again."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from solvers.cli.shapes import kind_of, method_of, split_features_of, widths_of
from solvers.cli.table import dictionary_at, query_of, read, reading_options
from solvers.constraints import (
    Constraint,
    MinQuestionRows,
    constraints_of,
    findings,
    listed,
    round_thresholds,
    rules_of,
)
from solvers.constraints.files import constraints_file
from solvers.errors import DataError, RunError, ShapeError
from solvers.methods import get
from solvers.metrics.sample_size import too_few_rows
from solvers.problem import (
    MAX_DEPTH,
    Choices,
    DataDictionary,
    Dataset,
    Objective,
    Preparation,
    Problem,
    Shape,
    ShapeKind,
    Table,
    build,
    class_costs_by_name,
    holdout,
    infer_columns,
    left_out_between,
    read_preparation,
)
from solvers.problem.groups import CROSS, named_columns
from solvers.problem.json_text import read_json
from solvers.problem.quality import issues
from solvers.problem.skeleton import objective_of
from solvers.problem.sources import MAX_ROWS, dictionary_of
from solvers.run.json_types import fields_from_json
from solvers.sweeps.confirmation import divided


class Posed(NamedTuple):
    """The problem, the held-out rows if there are any, and what happened to the table on the way, in sentences.

    `aside` are the rows that are to confirm constraints; without others they are the held-out rows, too.
    """

    problem: Problem
    test: Dataset | None
    notes: tuple[str, ...]
    aside: Dataset | None = None


@dataclass(frozen=True)
class Request:
    """The choices that turn a file into a problem; see `python -m solvers fit --help`."""

    target: str
    header: bool
    positive: str | None
    features: tuple[str, ...] | None
    drop: tuple[str, ...]
    weight: str | None
    groups: tuple[str, ...]
    missing: str
    test_share: float | None
    seed: int
    shape: str
    max_depth: int | None
    max_splits: int | None
    widths: tuple[int, ...] | None
    split_features: int | None
    alpha: float | None
    min_question_rows: int
    max_leaf_nodes: int | None
    min_samples_leaf: int
    min_weight_leaf: float
    split_cost: float
    class_costs: dict[str, dict[str, float]] | None
    constraints: tuple[dict[str, Any], ...] = ()
    file_encoding: str | None = None
    max_mb: float = 200.0
    group_rows: str | None = None
    centres: str | None = None
    time: str | None = None
    confirm_share: float | None = None
    header_line: int | None = None
    skip_first: int | None = None
    skip_last: int | None = None
    number_names: bool = False
    decimal: str | None = None
    day_first: bool | None = None
    limits_as_numbers: bool = False
    sheet: str | None = None
    query: str | None = None
    max_rows: int = MAX_ROWS
    query_time: float = 60.0
    dictionary: tuple[tuple[str, ...], ...] | None = None
    prepare: tuple[dict[str, Any], ...] = ()
    kinds: dict[str, str] = field(default_factory=dict)
    round_thresholds: bool = False

    @classmethod
    def of(cls, options: argparse.Namespace) -> Request:
        """The request of parsed options.

        Raises
        ------
        UnknownMethodError, MissingPackageError
            There is no such method, or it is not installed.
        ShapeError
            The words about layers, splits and prices do not go together.
        DataError
            The class costs are not JSON, or the steps of the preparation cannot be read.
        ConstraintError
            The constraints are not JSON.
        """
        method = method_of(options)
        kind = kind_of(options, method)
        text = options.constraints
        worked_out = {
            "drop": tuple(options.drop),
            "groups": tuple(options.group),
            "shape": kind.value,
            "max_depth": _depth(options, method),
            "widths": widths_of(options, kind),
            "split_features": split_features_of(options),
            "split_cost": _split_cost(options, kind),
            "class_costs": None if options.class_costs is None else _read_class_costs(options.class_costs),
            "query": query_of(options.query),
            "dictionary": None if (dictionary := dictionary_at(options.dictionary)) is None else dictionary.fields,
            "constraints": () if text is None else _read_constraints(text, options.preset),
            "prepare": () if options.prepare is None else tuple(read_preparation(options.prepare).to_json()),
        }
        return cls(**_shared(cls, options) | worked_out)

    @classmethod
    def from_json(cls, data: Any) -> Request:
        """Read a request back; `RunError` where it is damaged."""
        try:
            return fields_from_json(cls, data)
        except (KeyError, TypeError, ValueError):
            raise RunError("The request in the solution is damaged. Solve the problem again.") from None

    def to_json(self) -> dict[str, Any]:
        """The request as plain values."""
        return asdict(self)

    def pose_aloud(self, data: Path | str) -> Posed:
        """The same as `pose`; what happened to the table goes to stderr."""
        posed = self.pose(data)
        for note in posed.notes:
            print(note, file=sys.stderr)
        return posed

    def pose(self, data: Path | str) -> Posed:
        """Read the table and pose the problem.

        Raises
        ------
        DataError
            The file or a choice does not fit.
        ShapeError
            A size or a cost is impossible.
        ConstraintError
            A constraint is not well formed.
        """
        depth = 3 if self.max_depth is None else self.max_depth
        shape = Shape(**_shared(Shape, self) | {"kind": ShapeKind(self.shape), "max_depth": depth})
        dictionary = None if self.dictionary is None else dictionary_of(self.dictionary)
        table = read(data, reading_options(self), self.max_mb, dictionary)
        named = self if dictionary is None else self._renamed(dictionary)
        preparation = Preparation.from_json(list(self.prepare))
        choices = Choices(named.target, **_shared(Choices, named), preparation=preparation)
        if named.drop:
            choices = replace(choices, features=named._left(preparation.apply(table).table, choices))
        built = build(table, choices)
        costs = None if self.class_costs is None else class_costs_by_name(self.class_costs, built.dataset.classes)
        constraints = constraints_of(json.dumps(named.constraints), "The list of constraints", table)
        if self.min_question_rows != 1:
            constraints = (*constraints, MinQuestionRows(self.min_question_rows))
        train, test, notes = built.dataset, None, built.notes
        if self.test_share is not None:
            train, test = holdout(built.dataset, self.test_share, self.seed)
            notes += left_out_between(built.dataset, train, test)
        if self.round_thresholds and (rounded := round_thresholds(train)) is not None:
            constraints = (*constraints, rounded)
        objective = Objective(costs, self.split_cost)
        if self.alpha is not None:
            objective = objective_of(self.alpha, train.total_weight, base=objective)
        problem, aside = Problem(train, shape, objective, constraints), None
        if self.confirm_share is not None:
            problem, aside = divided(problem, self.confirm_share, self.seed)
        rules_of(problem)  # refuses what the table does not have before anything is solved
        known = (f"{one.constraint.words(train)}: {one.finding.text}" for one in findings(problem))
        doubts = [issue.words for issue in issues(built.dataset)]
        if shape.kind is ShapeKind.TREE and shape.max_depth < MAX_DEPTH:
            doubts += filter(None, [too_few_rows(train, shape.most_splits)])
        return Posed(problem, aside if test is None else test, (*notes, *doubts, *known), aside)

    def _renamed(self, dictionary: DataDictionary) -> Request:
        """The same with columns under the names that a data dictionary gives them."""
        name = dictionary.name_of
        changed: dict[str, Any] = {}
        for one in ("target", "weight", "group_rows", "centres", "time"):
            changed[one] = None if (value := getattr(self, one)) is None else name(value)
        for one in ("features", "drop", "groups"):
            changed[one] = None if (value := getattr(self, one)) is None else tuple(map(name, value))
        changed["kinds"] = {name(column): kind for column, kind in self.kinds.items()}
        changed["constraints"] = _with_names(self.constraints, name)
        return replace(self, **changed)

    def under(self, constraints: Iterable[Constraint]) -> Request:
        """The same with all constraints of a problem in the place of those that were asked for."""
        all_of_them = tuple(one.to_json() for one in constraints)
        return replace(self, constraints=all_of_them, min_question_rows=1, round_thresholds=False)

    def _left(self, table: Table, choices: Choices) -> tuple[str, ...]:
        """The features without the dropped columns, which may still be groups or weights."""
        for name in self.drop:
            if name not in table.names:
                near = get_close_matches(name, table.names, n=1)
                hint = f"Did you mean '{near[0]}'?" if near else f"The table has: {', '.join(table.names[:12])}."
                raise DataError(f"There is no column '{name}' to drop. {hint}")
        taken = {self.target, self.weight, *self.drop, *choices.division}
        if self.features is not None:
            return tuple(name for name in self.features if name not in self.drop)
        return tuple(
            report.name
            for report in infer_columns(table)
            if report.name not in taken and report.kind is not None and not (report.constant or report.identifier)
        )


def _shared(kind: type[Any], source: object) -> dict[str, Any]:
    """The fields of a dataclass that something else has by the same names."""
    return {one.name: getattr(source, one.name) for one in fields(kind) if hasattr(source, one.name)}


def _with_names(value: Any, name: Callable[[str], str]) -> Any:
    """The JSON of constraints with other names of columns."""
    if isinstance(value, list | tuple):
        return [_with_names(one, name) for one in value]
    if not isinstance(value, dict):
        return value
    made: dict[str, Any] = {}
    for key, one in value.items():
        if key in ("column", "first", "then") and isinstance(one, str):
            made[key] = CROSS.join(map(name, named_columns(one, [*one.split(CROSS), *one.split(" x ")])))
        elif key == "columns" and isinstance(one, list | tuple):
            made[key] = [name(column) if isinstance(column, str) else column for column in one]
        elif key in ("costs", "units") and isinstance(one, dict):
            made[key] = {name(column): amount for column, amount in one.items()}
        else:
            made[key] = _with_names(one, name)
    return made


def _depth(options: argparse.Namespace, method: str) -> int:
    """The largest depth: what is written, or what the method takes where nothing is."""
    if options.max_depth is None:
        return get(method).default_depth
    return MAX_DEPTH if options.max_depth == "any" else int(options.max_depth)


def _split_cost(options: argparse.Namespace, kind: ShapeKind) -> float:
    """What a question must save; alpha says the same of a diagram in another way."""
    price: float = options.split_cost
    if options.alpha is None:
        return price
    if kind is not ShapeKind.DIAGRAM:
        raise ShapeError(
            f"--alpha is the price of a question of a decision diagram. For a {kind.noun} use --split-cost."
        )
    if price:
        raise ShapeError("--alpha and --split-cost are both the price of a question. Leave one of them out.")
    return 0.0


def _read_constraints(text: str, preset: str | None) -> tuple[dict[str, Any], ...]:
    """The constraints in a text of JSON, or in the file of this name; `constraints_of` checks what they say."""
    if text.lstrip().startswith(("{", "[")):
        return tuple(listed(text, "The list of constraints", preset))
    return tuple(listed(constraints_file(text), f"The file '{text}'", preset))


def _read_class_costs(text: str) -> dict[str, dict[str, float]]:
    """The costs in a text of JSON, or in the file of this name; `class_costs_by_name` checks what they say."""
    inline = text.lstrip().startswith(("{", "["))
    try:
        costs: dict[str, dict[str, float]] = read_json(text if inline else Path(text).read_text("utf-8"))
    except ValueError as error:
        what = "The class costs" if inline else f"The class costs in '{text}'"
        raise DataError(
            f'{what} must be JSON such as {{"ill": {{"well": 5}}}} (true class, predicted class, cost): {error}.'
        ) from None
    return costs
