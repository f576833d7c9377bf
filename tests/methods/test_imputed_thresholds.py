"""Thresholds under constraints with imputed missing values: every method against plain enumeration.

The value imputed for a missing one, often between two values of the table, decides on which side of a threshold the
rows without a value are. So it decides which thresholds give the same partition of the rows.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.constraints import Constraint, RoundThresholds, ThresholdsWithin
from solvers.methods import get, names
from solvers.metrics import verify
from solvers.problem import (
    Column,
    Dataset,
    Kind,
    MissingPolicy,
    Op,
    Predicate,
    Problem,
    Schema,
    Shape,
    ShapeKind,
)
from solvers.solution import Status
from tests.case_count import case_count
from tests.methods.running import solve
from tests.methods.test_agreement import assert_certified
from tests.oracle.diagrams import diagram_least_cost
from tests.oracle.table import Table
from tests.strategies import make_dataset

SHAPES = {
    ShapeKind.TREE: Shape(max_depth=2),
    ShapeKind.BDD: Shape(ShapeKind.BDD, max_depth=2),
    ShapeKind.DIAGRAM: Shape(ShapeKind.DIAGRAM, widths=(1, 2)),
}

OPTIONS = {"bdd-search": {"thresholds": "all"}, "bdd-maxsat": {"thresholds": "all"}, "bdd-sat": {"thresholds": "all"}}


@st.composite
def limited_problems(draw: st.DrawFn) -> Problem:
    """A small table with imputed missing values, and limits of the thresholds of its columns."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows = draw(st.integers(3, 8))
    columns = {}
    for name in "ab"[: draw(st.integers(1, 2))]:
        kind = draw(st.sampled_from((Kind.NUMERIC, Kind.NUMERIC, Kind.DATE)))
        cells = rng.choice(draw(st.sampled_from(((1.0, 4.0), (1.0, 2.0, 7.0), (0.5, 3.0, 4.5, 8.0)))), n_rows)
        cells[rng.random(n_rows) < draw(st.sampled_from((0.3, 0.5, 0.0)))] = np.nan
        if np.isnan(cells).all():
            cells[0] = 1.0
        columns[name] = (kind, cells)
    dataset = make_dataset(columns, rng.integers(0, 2, n_rows), n_classes=2, missing=MissingPolicy.IMPUTE)
    # the training rows of a fold may have no missing value although one is imputed
    if draw(st.booleans()):
        dataset = with_fill(dataset, float(rng.choice([2.5, 3.75])))
    constraints: list[Constraint] = []
    for column in dataset.schema.columns:
        low, high = sorted(rng.integers(-2, 19, 2) / 2)
        if draw(st.booleans()):
            ends = (low, high) if column.kind is Kind.NUMERIC else (day(math.floor(low)), day(math.ceil(high)))
            constraints.append(ThresholdsWithin(column.name, *ends))
        if column.kind is Kind.NUMERIC and draw(st.booleans()):
            unit = Fraction(draw(st.sampled_from(("1", "2", "3", "5", "1/2", "3/4"))))
            constraints.append(RoundThresholds(((column.name, unit),)))
    return Problem(dataset, constraints=tuple(constraints))


def with_fill(dataset: Dataset, fill: float) -> Dataset:
    """The dataset with another imputed value in the first column."""
    first, *others = dataset.schema.columns
    columns: tuple[Column, ...] = (replace(first, fill=fill), *others)
    return replace(dataset, schema=Schema(columns, dataset.schema.missing))


def day(number: int) -> str:
    """The date of a day number."""
    return str(np.datetime64(0, "D") + np.timedelta64(number, "D"))


def answers_of(problem: Problem) -> list[np.ndarray]:
    """The branches of all rows at each permitted split that separates some, bool (n_samples,)."""
    table = Table(problem.dataset)
    ranges = [c for c in problem.constraints if isinstance(c, ThresholdsWithin)]
    rounded = [c for c in problem.constraints if isinstance(c, RoundThresholds)]
    everything = (1 << table.n) - 1
    parted = {table.yes(question) for question in table.questions(ranges, rounded=rounded)}
    sides = {min(yes, everything ^ yes) for yes in parted} - {0}
    return [np.array([side >> i & 1 for i in range(table.n)], bool) for side in sorted(sides)]


def least(problem: Problem, answers: list[np.ndarray]) -> int:
    """The fewest errors of a model of the shape with these splits."""
    y, n = problem.dataset.y, problem.dataset.n_samples

    def errors(rows: np.ndarray) -> int:
        return int(rows.sum() - np.bincount(y[rows], minlength=2).max())

    def tree(rows: np.ndarray, depth: int) -> int:
        below = [tree(rows & yes, depth - 1) + tree(rows & ~yes, depth - 1) for yes in answers if depth]
        return min([errors(rows), *below])

    everything = np.ones(n, bool)
    if problem.shape.kind is ShapeKind.TREE:
        return tree(everything, problem.size.max_depth)
    if problem.shape.kind is ShapeKind.DIAGRAM:
        bits = [*answers, everything] if answers else []
        return diagram_least_cost(problem, answers=bits)
    best = errors(everything)
    for chosen in combinations(answers, min(problem.size.max_depth, len(answers))):
        cell = sum((2**i * yes for i, yes in enumerate(chosen)), np.zeros(n, int))
        best = min(best, sum(errors(cell == c) for c in set(cell.tolist())))
    return best


def fills_agree(schema: Schema, predicate: Predicate) -> bool:
    """Whether a split sends a missing value to the same side as the imputed value."""
    if predicate.op is not Op.LE:
        return True
    return predicate.missing == (schema[predicate.column].fill <= predicate.operand)


@pytest.mark.parametrize("name", names())
@settings(derandomize=True, deadline=None, max_examples=case_count(240))
@given(problem=limited_problems())
def test_a_threshold_is_not_moved_past_the_imputed_value(name: str, problem: Problem) -> None:
    """Exact methods prove the enumerated optimum, others never claim less, and the verifier confirms each model."""
    method = get(name, **OPTIONS.get(name, {}))
    for kind in method.kinds:
        asked = replace(problem, shape=SHAPES[kind])
        if method.check(asked):
            continue
        best = least(asked, answers_of(asked))
        run = solve(method, asked)
        solution = run.solution
        about = f"{solution.status} {solution.cost}, not {best}"
        assert verify(asked, solution).ok, f"{about} {verify(asked, solution).failures}"
        assert all(bound <= best for bound in run.bounds), about
        if solution.status is Status.OPTIMAL:
            assert solution.cost == best, about
        assert solution.cost is None or solution.cost >= best, about
        assert solution.cost is not None or not method.exact or name in CONSISTENT, about
        if solution.diagram is not None:
            schema = solution.diagram.schema
            assert all(fills_agree(schema, node.predicate) for _, node in solution.diagram.splits), about
        if method.exact and name not in CONSISTENT:
            assert solution.status is Status.OPTIMAL, about
        if kind is ShapeKind.TREE and solution.status is Status.OPTIMAL:
            assert_certified(asked, solution.diagram)


CONSISTENT = ("smallest-tree", "inferdt-depth", "inferdt-size", "bdd-sat")
"""Methods that search for models without errors, and find none if rows contradict each other."""
