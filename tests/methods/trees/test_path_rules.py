"""The exact engine under path rules, against a recursion that carries the path along and against brute force."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from solvers.constraints import (
    AskedBefore,
    Constraint,
    FirstQuestion,
    FixedTop,
    MaxLeaves,
    MaxPathCost,
    MinLeafRows,
    NeverBothOnPath,
    NeverColumns,
    OnlyAfter,
    OnlyColumns,
    ThresholdsWithin,
    rules_of,
)
from solvers.constraints.rules import Allowed, FixedQuestion, NotBelow, OnlyBelow, Path, PathCost, ThresholdRange
from solvers.methods import get
from solvers.metrics.verify import verify
from solvers.problem import Dataset, Kind, Limits, Op, Problem, Shape
from solvers.solution import Status
from solvers.words import result_words
from tests.case_count import case_count
from tests.constraints.examples import example
from tests.methods.running import solve
from tests.oracle.exhaustive import questions
from tests.oracle.trees import countable, least_cost
from tests.strategies import make_dataset, problems

KINDS: tuple[type[Constraint], ...] = (
    AskedBefore,
    FirstQuestion,
    FixedTop,
    MaxPathCost,
    NeverBothOnPath,
    NeverColumns,
    OnlyAfter,
    OnlyColumns,
    ThresholdsWithin,
)
SIZES: tuple[type[Constraint], ...] = (MaxLeaves, MinLeafRows)


class Oracle:
    """The least cost, and of such trees the fewest splits, by trying every question at every place of a tree."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.rules = problem, rules_of(problem)
        predicates, answers = questions(problem)
        schema = problem.dataset.schema
        self.questions = [
            (predicate, schema.index(predicate.column), np.array(yes))
            for predicate, yes in zip(predicates, answers, strict=True)
        ]
        self.fixed = {rule.place: rule.predicate for rule in self.rules.of(FixedQuestion)}
        self.best = cache(self._best)

    def optimum(self) -> tuple[int, int] | None:
        """(cost, splits), or `None` where there is no tree."""
        everything = frozenset(range(self.problem.dataset.n_samples))
        size = self.problem.size
        if not self.allows(everything):
            return None
        places = [rule.place for rule in self.rules.of(FixedQuestion)]
        if len({(r.place, r.predicate) for r in self.rules.of(FixedQuestion)}) > len(set(places)):
            assume(False)
        return self.best(
            everything,
            (),
            frozenset(),
            size.max_depth,
            2**size.max_depth if size.max_leaf_nodes is None else size.max_leaf_nodes,
        )

    def allows(self, rows: frozenset[int]) -> bool:
        """Whether these rows may be a leaf."""
        weight = int(self.problem.weights[sorted(rows)].sum())
        enough = len(rows) >= max(1, self.problem.size.min_samples_leaf)
        return enough and weight >= self.problem.min_weight_leaf

    def permits(self, above: frozenset[int], column: int) -> bool:
        """Whether a question about a column may stand below these."""
        rules = self.rules
        return (
            all(column in rule.columns for rule in rules.of(Allowed) if not rule.at_root or not above)
            and not any(rule.lower == column and rule.upper in above for rule in rules.of(NotBelow))
            and all(rule.upper in above for rule in rules.of(OnlyBelow) if rule.column == column)
            and all(rule.costs.of(above | {column}) <= rule.limit for rule in rules.of(PathCost))
        )

    def _best(
        self, rows: frozenset[int], place: Path | None, above: frozenset[int], depth: int, leaves: int
    ) -> tuple[int, int] | None:
        index = sorted(rows)
        counts = np.bincount(
            self.problem.dataset.y[index], self.problem.weights[index], self.problem.dataset.n_classes
        ).astype(np.int64)
        wanted = None if place is None else self.fixed.get(place)
        found = [] if wanted else [(int(self.problem.leaf_costs(counts).min()), 0)]
        if depth and leaves > 1:
            found += self._split(rows, place, above, depth, leaves, wanted)
        return min(found, default=None)

    def _split(self, rows, place, above, depth, leaves, wanted) -> Iterator[tuple[int, int]]:
        for predicate, column, yes in self.questions:
            if (wanted and predicate != wanted) or not self.permits(above, column):
                continue
            ranges = [rule for rule in self.rules.of(ThresholdRange) if rule.column == column]
            if predicate.op is Op.LE and not all(predicate.value in r.thresholds for r in ranges):
                continue
            first = frozenset(i for i in rows if yes[i])
            if not (self.allows(first) and self.allows(rows - first)):
                continue
            below = [None if not wanted else (*place, answer) for answer in (True, False)]
            for k in range(1, leaves):
                sides = (
                    self.best(first, below[0], above | {column}, depth - 1, k),
                    self.best(rows - first, below[1], above | {column}, depth - 1, leaves - k),
                )
                if None not in sides:
                    yield (
                        sides[0][0] + sides[1][0] + self.problem.split_cost,
                        sides[0][1] + sides[1][1] + 1,
                    )


def constrained(problem: Problem, seed: int, most: int = 3) -> Problem:
    """The problem with some random constraints about paths, and sometimes about sizes."""
    rng = np.random.default_rng(seed)
    kinds = [KINDS[i] for i in rng.permutation(len(KINDS))[: int(rng.integers(1, most + 1))]]
    kinds += [kind for kind in SIZES if rng.random() < 0.15]
    made = [example(kind, problem.dataset, rng) for kind in kinds]
    return replace(problem, constraints=tuple(constraint for constraint in made if constraint is not None))


def checked(problem: Problem, **limits: object):
    """The solution of the engine, once it has been verified."""
    solution = solve(get("contree"), problem, Limits(**limits)).solution
    verification = verify(problem, solution)
    assert verification.ok, verification.failures
    return solution


@settings(derandomize=True, deadline=None, max_examples=case_count(300))
@given(problem=problems(max_rows=12), seed=st.integers(0, 2**32 - 1))
def test_engine_keeps_path_rules_and_proves_the_optimum(problem: Problem, seed: int) -> None:
    """Cost, infeasibility, and the number of splits if it is proved, are those of trying everything."""
    problem = constrained(problem, seed)
    assume(problem.constraints and not get("contree").check(problem))
    solution, best = checked(problem), Oracle(problem).optimum()
    if best is None:
        assert solution.status is Status.INFEASIBLE
    else:
        assert solution.status is Status.OPTIMAL
        assert solution.cost == best[0]
        assert solution.diagram.n_splits == best[1] or not solution.details.fewest_splits


def test_leaves_are_shared_out_below_fixed_questions() -> None:
    """With a limit on leaves the places below the fixed questions get what serves best together."""
    binding = 0
    for seed in range(50):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(10, 18))
        columns = {name: (Kind.NUMERIC, rng.integers(0, 6, n).astype(float)) for name in ("age", "dose")}
        data = make_dataset(columns, rng.integers(0, 3, n).tolist(), n_classes=3)
        free = Problem(data, Shape(max_depth=3), constraints=(example(FixedTop, data, rng),))
        problem = replace(free, shape=Shape(max_depth=3, max_leaf_nodes=int(rng.integers(3, 7))))
        solution, best = checked(problem), Oracle(problem).optimum()
        assert solution.cost == (None if best is None else best[0]), seed
        binding += solution.cost != checked(free).cost
    assert binding > 10


@settings(derandomize=True, deadline=None, max_examples=case_count(100))
@given(problem=problems(max_rows=8, max_columns=2, max_depth=2), seed=st.integers(0, 2**32 - 1))
def test_engine_agrees_with_the_oracle(problem: Problem, seed: int) -> None:
    """The same optimum as that of trying every tree and asking the constraints themselves."""
    problem = constrained(problem, seed)
    assume(problem.constraints and not get("contree").check(problem) and countable(problem))
    solution, least = checked(problem), least_cost(problem)
    assert solution.status is (Status.INFEASIBLE if least is None else Status.OPTIMAL)
    assert solution.cost == least


@settings(derandomize=True, deadline=None, max_examples=case_count(40))
@given(problem=problems(max_rows=14, max_depth=4), seed=st.integers(0, 2**32 - 1))
def test_threads_agree(problem: Problem, seed: int) -> None:
    """Two threads find the same cost under path rules."""
    problem = constrained(problem, seed)
    assume(problem.constraints and not get("contree").check(problem))
    assert checked(problem, threads=2).cost == checked(problem).cost


def ages(n: int = 40) -> Dataset:
    """Two columns of numbers; the class follows both of them."""
    rng = np.random.default_rng(5)
    age, dose = rng.integers(20, 80, n).astype(float), rng.integers(0, 30, n).astype(float)
    y = ((age > 50) ^ (dose > 12) ^ (rng.random(n) < 0.1)).astype(int)
    return make_dataset({"age": (Kind.NUMERIC, age), "dose": (Kind.NUMERIC, dose)}, y.tolist())


def test_threshold_is_moved_into_its_range() -> None:
    """A gap that reaches into the range is split inside it."""
    data = make_dataset({"age": (Kind.NUMERIC, (10.0, 20.0, 60.0, 70.0))}, (0, 0, 1, 1))
    for low, high in ((21.0, 22.0), (55.0, 90.0), (20.0, 20.0)):
        problem = Problem(data, Shape(max_depth=1), constraints=(ThresholdsWithin("age", low, high),))
        solution = checked(problem)
        assert solution.cost == 0
        assert low <= solution.diagram.nodes[0].predicate.value <= high
    outside = Problem(data, Shape(max_depth=1), constraints=(ThresholdsWithin("age", 70.0, 90.0),))
    assert checked(outside).cost == 2


def test_fixed_questions_stay_though_they_are_of_no_use() -> None:
    """A first question that changes no answer stands, and the rest is learned below it."""
    top = FixedTop({"column": "dose", "op": "<=", "value": 29.5, "no": {"column": "age", "op": "<=", "value": 30}})
    data = ages()
    X = data.X.copy()
    X[:2, 1], X[:2, 0] = 30.0, (25.0, 60.0)
    problem = Problem(replace(data, X=X), Shape(max_depth=3), constraints=(top,))
    solution = checked(problem)
    assert solution.status is Status.OPTIMAL
    assert solution.diagram.nodes[0].predicate.column == "dose"
    assert solution.diagram.n_splits >= 2


@pytest.mark.parametrize(
    ("constraints", "told"),
    [
        (({"value": 200},), "less than a leaf must have"),
        (({}, NeverColumns(("age",))), "not allowed"),
        (({}, FirstQuestion(("dose",))), "not allowed first"),
        (({}, ThresholdsWithin("age", 60.0, 70.0)), "not in its range"),
        (({}, OnlyAfter("dose", "age")), "does not stand below"),
        (({}, {"value": 60}), "one place"),
    ],
)
def test_fixed_questions_that_cannot_stand_are_told(constraints: tuple, told: str) -> None:
    """No tree is possible, and the message says why."""
    made = tuple(
        FixedTop({"column": "age", "op": "<=", "value": 50, **c}) if isinstance(c, dict) else c for c in constraints
    )
    problem = Problem(ages(), Shape(max_depth=2), constraints=made)
    solution = checked(problem)
    assert solution.status is Status.INFEASIBLE
    words = result_words(problem, solution)
    assert told in words or "impossible" in words
