"""Thresholds under constraints with imputed missing values: every method against plain enumeration.

The value imputed for a missing one, often between two values of the table, decides on which side of a threshold the
rows without a value are. So it decides which thresholds give the same partition of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.constraints import RoundThresholds, ThresholdsWithin
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
from tests.strategies import make_dataset

BEYOND = 100.0
"""Larger than all values of these tables."""

SHAPES = {
    ShapeKind.TREE: Shape(max_depth=2),
    ShapeKind.BDD: Shape(ShapeKind.BDD, max_depth=2),
    ShapeKind.DIAGRAM: Shape(ShapeKind.DIAGRAM, widths=(1, 2)),
}

OPTIONS = {"bdd-search": {"thresholds": "all"}, "bdd-maxsat": {"thresholds": "all"}, "bdd-sat": {"thresholds": "all"}}


@dataclass(frozen=True)
class Permitted:
    """The thresholds of one column: within a range, and multiples of a unit if there is one."""

    low: float
    high: float
    unit: Fraction | None

    def thresholds(self, values: np.ndarray) -> Iterator[float]:
        """A threshold for every partition of these values by permitted thresholds, with repetitions."""
        if self.unit is None:
            yield from (t for t in (*values.tolist(), self.low, self.high) if self.low <= t <= self.high)
            return
        first, last = math.ceil(-20 / self.unit), math.floor(20 / self.unit)
        every = (float(k * self.unit) for k in range(first, last + 1))
        yield from (t for t in every if self.low <= t <= self.high)


class LimitedProblem:
    """A problem, and the limits of the thresholds of each column."""

    def __init__(self, problem: Problem, limits: tuple[Permitted, ...]) -> None:
        self.problem, self.limits = problem, limits

    def __repr__(self) -> str:
        dataset = self.problem.dataset
        columns = [(c.kind.value, c.fill, x) for c, x in zip(dataset.schema.columns, dataset.X.T.tolist(), strict=True)]
        return f"{columns} -> {dataset.y.tolist()}; {'; '.join(map(str, self.problem.constraints))}"


@st.composite
def limited_problems(draw: st.DrawFn) -> LimitedProblem:
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
    limits, constraints = [], []
    for column in dataset.schema.columns:
        low, high = sorted(rng.integers(-2, 19, 2) / 2)
        limit = Permitted(-BEYOND, BEYOND, None)
        if draw(st.booleans()):
            limit = replace(limit, low=low, high=high)
            ends = (low, high) if column.kind is Kind.NUMERIC else (day(math.floor(low)), day(math.ceil(high)))
            if column.kind is Kind.DATE:
                limit = replace(limit, low=float(math.floor(low)), high=float(math.ceil(high)))
            constraints.append(ThresholdsWithin(column.name, *ends))
        if column.kind is Kind.NUMERIC and draw(st.booleans()):
            unit = Fraction(draw(st.sampled_from(("1", "2", "3", "5", "1/2", "3/4"))))
            limit = replace(limit, unit=unit)
            constraints.append(RoundThresholds(((column.name, unit),)))
        limits.append(limit)
    return LimitedProblem(Problem(dataset, constraints=tuple(constraints)), tuple(limits))


def with_fill(dataset: Dataset, fill: float) -> Dataset:
    """The dataset with another imputed value in the first column."""
    first, *others = dataset.schema.columns
    columns: tuple[Column, ...] = (replace(first, fill=fill), *others)
    return replace(dataset, schema=Schema(columns, dataset.schema.missing))


def day(number: int) -> str:
    """The date of a day number."""
    return str(np.datetime64(0, "D") + np.timedelta64(number, "D"))


def answers_of(problem: Problem, limits: Sequence[Permitted]) -> list[np.ndarray]:
    """The branches of all rows at each permitted split that separates some, bool (n_samples,)."""
    found: dict[bytes, np.ndarray] = {}
    for column, x, limit in zip(problem.dataset.schema.columns, problem.dataset.X.T, limits, strict=True):
        gone = np.isnan(x)
        filled = np.where(gone, column.fill, x)
        for yes in (*(filled <= t for t in limit.thresholds(np.unique(filled))), gone):
            if yes.any() and not yes.all():
                found.setdefault(min(yes.tobytes(), (~yes).tobytes()), yes)
    return list(found.values())


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
@given(drawn=limited_problems())
def test_a_threshold_is_not_moved_past_the_imputed_value(name: str, drawn: LimitedProblem) -> None:
    """Exact methods prove the enumerated optimum, others never claim less, and the verifier confirms each model."""
    problem, limits = drawn.problem, drawn.limits
    method = get(name, **OPTIONS.get(name, {}))
    for kind in method.kinds:
        asked = replace(problem, shape=SHAPES[kind])
        if method.check(asked):
            continue
        best = least(asked, answers_of(asked, limits))
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
