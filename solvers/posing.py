"""From a request and a table to a problem: the method, the shape, and what is known before solving."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

from msgspec.structs import replace as changed

from .constraints import Constraint, MinSamplesSplit, check_rows, constraints_of, findings, round_thresholds, rules_of
from .errors import DataError, ShapeError, UnknownMethodError
from .methods import FIRST, get, names
from .metrics.sample_size import too_few_rows
from .problem import (
    MAX_DEPTH,
    Dataset,
    Limits,
    Objective,
    Problem,
    Shape,
    ShapeKind,
    Table,
    build,
    class_costs_by_name,
    costs_at_threshold,
    holdout,
    left_out_between,
)
from .problem.objective import BOTH_COSTS, ClassCosts
from .problem.quality import issues
from .problem.skeleton import PRESETS, objective_of
from .problem.texts import suggestion
from .request import Request
from .study.resamples import divide


class PreparedProblem(NamedTuple):
    """The problem, the held-out rows if any, and notes on how the table was changed, as sentences.

    `aside` are the rows for confirming constraints; if there are none, the held-out rows are used.
    """

    problem: Problem
    test: Dataset | None
    notes: tuple[str, ...]
    aside: Dataset | None = None


def method_of(request: Request) -> str:
    """The requested method, or the first one for the shape.

    Raises
    ------
    UnknownMethodError
        There is no such method; the message names the closest.
    """
    name = request.method
    if name is None:
        return FIRST[ShapeKind(request.shape or ShapeKind.TREE)]
    return known_method(name)


def known_method(name: str) -> str:
    """Return a method name; raises `UnknownMethodError` if there is no such method."""
    if name not in names():
        raise UnknownMethodError(f"There is no method '{name}'. {suggestion(name, names(), 'Methods')}")
    return name


def kind_of(request: Request) -> ShapeKind:
    """The requested shape, or the shape that the method makes."""
    return get(method_of(request)).kinds[0] if request.shape is None else ShapeKind(request.shape)


def limits_of(request: Request) -> Limits:
    """The limits of the run."""
    return Limits(request.time_limit, request.threads, request.memory_mb, request.gap, request.seed)


def shape_of(request: Request) -> Shape:
    """The maximum size of the model.

    Raises
    ------
    ShapeError
        Two fields contradict each other, or a size is impossible.
    """
    kind, depth, widths = kind_of(request), request.max_depth, request.skeleton
    if widths is not None and depth is not None:
        raise ShapeError("A skeleton already sets the number of layers. Leave --max-depth out.")
    if kind is ShapeKind.DIAGRAM and widths is None and depth is None:
        widths = PRESETS["I"].widths
    if depth is None:
        depth = get(method_of(request)).default_depth
    same = {one.name for one in fields(Shape)}.intersection(Request.__struct_fields__)
    sizes: dict[str, Any] = {name: getattr(request, name) for name in same}
    sizes |= {
        "kind": kind,
        "max_depth": MAX_DEPTH if depth == "any" else depth,
        "widths": widths,
        "split_features": None if request.split_features == "any" else request.split_features,
    }
    return Shape(**sizes)


def constraints_in(request: Request) -> tuple[Constraint, ...]:
    """The constraints as objects; raises `ConstraintError` if one is not well formed."""
    return constraints_of(json.dumps(request.constraints), "The list of constraints")


def costs_of(request: Request, train: Dataset) -> ClassCosts | None:
    """The misclassification costs for the classes of a dataset; `None` if each error costs 1."""
    if request.treatment_threshold is None:
        return None if request.class_costs is None else class_costs_by_name(request.class_costs, train.classes)
    if request.class_costs is not None:
        raise DataError(BOTH_COSTS)
    return costs_at_threshold(request.treatment_threshold, train.n_classes, train.positive)


def named_costs(costs: ClassCosts, classes: Sequence[str]) -> dict[str, dict[str, float]]:
    """The inverse of `class_costs_by_name`: the costs of errors, by true and by predicted class."""
    return {
        true: {predicted: float(cost) for j, (predicted, cost) in enumerate(zip(classes, row, strict=True)) if i != j}
        for i, (true, row) in enumerate(zip(classes, costs, strict=True))
    }


def objective_on(request: Request, train: Dataset) -> Objective:
    """The objective on these training rows; the penalty of `alpha` depends on their weight.

    Raises `ShapeError` if there are two penalties, or one that does not fit the shape.
    """
    kind = kind_of(request)
    if request.alpha is not None and kind is not ShapeKind.DIAGRAM:
        raise ShapeError(f"--alpha is for decision diagrams only. For a {kind.noun}, use --split-penalty.")
    if request.alpha is not None and request.split_penalty:
        raise ShapeError("--alpha and --split-penalty both penalize splits. Leave one of them out.")
    objective = Objective(costs_of(request, train), request.split_penalty)
    return objective if request.alpha is None else objective_of(request.alpha, train.total_weight, base=objective)


def problem_on(request: Request, train: Dataset) -> Problem:
    """The problem of a request on these training rows; raises like `build_problem`."""
    constraints = constraints_in(request)
    if request.min_samples_split != 1:
        constraints = (*constraints, MinSamplesSplit(request.min_samples_split))
    if request.round_thresholds and (rounded := round_thresholds(train)) is not None:
        constraints = (*constraints, rounded)
    return Problem(train, shape_of(request), objective_on(request, train), constraints)


def divided(request: Request, rows: Dataset) -> tuple[Dataset, Dataset | None, tuple[str, ...]]:
    """The training rows, the held-out rows if any, and sentences on rows that are in neither.

    Raises `DataError` if too few rows are left.
    """
    if request.test_share is None:
        return rows, None, ()
    train, test = holdout(rows, request.test_share, request.seed)
    return train, test, left_out_between(rows, train, test)


def build_problem(request: Request, table: Table) -> PreparedProblem:
    """Build the problem of a request for a table.

    Raises
    ------
    DataError
        The table or a choice does not fit.
    ShapeError
        A size or a cost is impossible.
    ConstraintError
        A constraint is not well formed.
    """
    shape = shape_of(request)
    built = build(table, request)
    notes = built.notes
    check_rows(constraints_in(request), table.n_rows)
    train, test, left_out = divided(request, built.dataset)
    notes += left_out
    problem, aside = problem_on(request, train), None
    if request.validation_share is not None:
        problem, aside = divide(problem, request.validation_share, request.seed)
    rules_of(problem)  # refuses references to missing data before solving
    known = (f"{one.constraint.words(train)}: {one.finding.text}" for one in findings(problem))
    doubts = [issue.words for issue in issues(built.dataset)]
    if shape.kind is ShapeKind.TREE and shape.max_depth < MAX_DEPTH:
        doubts += filter(None, [too_few_rows(train, shape.most_splits)])
    return PreparedProblem(problem, aside if test is None else test, (*notes, *doubts, *known), aside)


def without_effect(request: Request) -> set[str]:
    """The fields of other shapes, and the limits that the method ignores."""
    match kind_of(request):
        case ShapeKind.TREE:
            other = {*_OF_DIAGRAMS, "max_splits"}
            if not get(method_of(request)).takes_min_samples_leaf:
                other.add("min_samples_leaf")
        case ShapeKind.BDD:
            other = {*_OF_DIAGRAMS, *_OF_TREES}
        case ShapeKind.DIAGRAM:
            other = {*_OF_TREES, "max_depth", "split_penalty"}
    return other


def for_its_shape(request: Request) -> Request:
    """The same request with the defaults of all fields `without_effect`.

    A form keeps the values of all shapes, so that the user finds them again.
    """
    fresh = Request(target=request.target)
    return changed(request, **{name: getattr(fresh, name) for name in without_effect(request)})


_OF_TREES = ("max_leaf_nodes", "min_samples_leaf", "min_weight_leaf")
_OF_DIAGRAMS = ("skeleton", "alpha", "min_samples_split", "split_features")


def under(request: Request, constraints: Iterable[Constraint]) -> Request:
    """The same request with its constraints replaced by those given."""
    all_of_them = tuple(one.to_json() for one in constraints)
    return changed(request, constraints=all_of_them, min_samples_split=1, round_thresholds=False)
