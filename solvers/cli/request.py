"""What a user asks for with `fit`, kept with the solution so that `verify` can ask the same again."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from solvers.constraints import constraints_of
from solvers.constraints.files import listed
from solvers.errors import DataError, RunError
from solvers.problem import (
    Choices,
    Dataset,
    MissingPolicy,
    Objective,
    Problem,
    Shape,
    Table,
    build,
    class_costs_by_name,
    holdout,
    infer_columns,
    read_table,
)


class Posed(NamedTuple):
    """The problem, the held-out rows if there are any, and what happened to the table on the way, in sentences."""

    problem: Problem
    test: Dataset | None
    notes: tuple[str, ...]


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
    max_depth: int
    max_leaves: int | None
    min_leaf: int
    min_leaf_weight: float
    split_cost: float
    class_costs: dict[str, dict[str, float]] | None
    constraints: tuple[dict[str, Any], ...] = ()

    @classmethod
    def of(cls, options: argparse.Namespace) -> Request:
        """The request of parsed options.

        Raises
        ------
        DataError
            The class costs are not JSON.
        ConstraintError
            The constraints are not JSON.
        """
        return cls(
            target=options.target,
            header=not options.no_header,
            positive=options.positive,
            features=options.features,
            drop=tuple(options.drop),
            weight=options.weight,
            groups=tuple(options.group),
            missing=options.missing,
            test_share=options.test_share,
            seed=options.seed,
            max_depth=options.max_depth,
            max_leaves=options.max_leaves,
            min_leaf=options.min_leaf,
            min_leaf_weight=options.min_leaf_weight,
            split_cost=options.split_cost,
            class_costs=None if options.class_costs is None else _read_class_costs(options.class_costs),
            constraints=() if options.constraints is None else _read_constraints(options.constraints),
        )

    @classmethod
    def from_json(cls, data: Any) -> Request:
        """Read a request back.

        Raises
        ------
        RunError
            It is damaged.
        """
        try:
            lists = {name: tuple(data[name]) for name in ("drop", "groups", "constraints")}
            features = None if data["features"] is None else tuple(data["features"])
            return cls(**{**data, **lists, "features": features})
        except (KeyError, TypeError):
            raise RunError("The request in the solution is damaged. Solve the problem again.") from None

    def to_json(self) -> dict[str, Any]:
        """The request as plain values."""
        return asdict(self)

    def pose(self, path: Path) -> Posed:
        """Read the file and pose the problem.

        Raises
        ------
        DataError
            The file or a choice does not fit.
        ShapeError
            A size or a cost is impossible.
        ConstraintError
            A constraint is not well formed.
        """
        shape = Shape(
            depth=self.max_depth,
            leaves=self.max_leaves,
            min_leaf=self.min_leaf,
            min_leaf_weight=self.min_leaf_weight,
        )
        table = read_table(path, header=self.header)
        choices = Choices(
            self.target,
            positive=self.positive,
            features=self.features,
            weight=self.weight,
            groups=self.groups,
            missing=MissingPolicy(self.missing),
        )
        if self.drop:
            choices = replace(choices, features=self._left(table))
        built = build(table, choices)
        costs = None if self.class_costs is None else class_costs_by_name(self.class_costs, built.dataset.classes)
        objective = Objective(costs, self.split_cost)
        constraints = constraints_of(json.dumps(self.constraints), "The list of constraints", table)
        if self.test_share is None:
            return Posed(Problem(built.dataset, shape, objective, constraints), None, built.notes)
        train, test = holdout(built.dataset, self.test_share, self.seed)
        return Posed(Problem(train, shape, objective, constraints), test, built.notes)

    def _left(self, table: Table) -> tuple[str, ...]:
        """The features without the dropped columns, which may still be groups or weights."""
        for name in self.drop:
            if name not in table.names:
                near = get_close_matches(name, table.names, n=1)
                hint = f"Did you mean '{near[0]}'?" if near else f"The table has: {', '.join(table.names[:12])}."
                raise DataError(f"There is no column '{name}' to drop. {hint}")
        taken = {self.target, self.weight, *self.drop}
        if self.features is not None:
            return tuple(name for name in self.features if name not in self.drop)
        return tuple(
            report.name
            for report in infer_columns(table)
            if report.name not in taken and report.kind is not None and not (report.constant or report.identifier)
        )


def _read_constraints(text: str) -> tuple[dict[str, Any], ...]:
    """The constraints in a text of JSON, or in the file of this name; `constraints_of` checks what they say."""
    if text.lstrip().startswith(("{", "[")):
        return tuple(listed(text, "The list of constraints"))
    return tuple(listed(Path(text).read_text("utf-8"), f"The file '{text}'"))


def _read_class_costs(text: str) -> dict[str, dict[str, float]]:
    """The costs in a text of JSON, or in the file of this name; `class_costs_by_name` checks what they say."""
    inline = text.lstrip().startswith(("{", "["))
    try:
        return json.loads(text if inline else Path(text).read_text("utf-8"))
    except ValueError as error:
        what = "The class costs" if inline else f"The class costs in '{text}'"
        raise DataError(
            f'{what} must be JSON such as {{"ill": {{"well": 5}}}} (true class, predicted class, cost): {error}.'
        ) from None
