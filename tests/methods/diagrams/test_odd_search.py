"""The search for univariate decision diagrams: exact on every small table, for any topology and objective."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from solvers.constraints import (
    KINDS,
    FirstQuestion,
    MaxMissed,
    MaxPathCost,
    OnlyAfter,
)
from solvers.methods.diagrams.odd_search.formulation import grid_of
from solvers.methods.diagrams.odd_search.method import OddSearch
from solvers.methods.diagrams.odd_search.search import prove_rest
from solvers.methods.diagrams.program.offers import DiagramOffers
from solvers.methods.search.context import SearchContext
from solvers.metrics.verify import verify
from solvers.problem import (
    Group,
    Kind,
    Limits,
    Objective,
    Problem,
    Shape,
    ShapeKind,
)
from solvers.solution import Solution, Status
from tests.case_count import case_count
from tests.constraints.examples import example
from tests.methods.diagrams.ruled_problems import random_ruled
from tests.methods.diagrams.small_diagrams import least, small_table
from tests.methods.running import Run, solve
from tests.oracle.diagrams import diagram_least_cost
from tests.oracle.trees import predict
from tests.strategies import make_dataset

WIDTHS = ((1, 2), (1, 2, 1), (1, 2, 2), (1, 1, 2), (1, 1, 1), (1, 2, 1, 1), (1,))
SPLIT_COSTS = (0.0, 0.1, 0.25, 0.5, 1.0, 1.5)


def a_problem(seed: int) -> Problem:
    """A small problem: any of several skeletons, two or three classes, penalties, a free root or not, sometimes weights
    and a split limit.
    """
    rng = np.random.default_rng(seed)
    widths = WIDTHS[rng.integers(len(WIDTHS))]
    n_columns = int(rng.integers(1, 3)) if len(widths) < 4 else 1
    table = small_table(rng, n_rows=int(rng.integers(3, 9)), n_values=int(rng.integers(2, 4)), n_columns=n_columns)
    objective = Objective(split_penalty=float(rng.choice(SPLIT_COSTS)), free_root=bool(rng.integers(2)))
    if rng.random() < 0.2:
        costs = rng.choice([0, 1, 2, 0.5], (table.n_classes, table.n_classes)).astype(float)
        objective = replace(objective, class_costs=tuple(map(tuple, costs.tolist())))
    questions = None if rng.random() < 0.7 else int(rng.integers(0, 5))
    return Problem(table, Shape(kind=ShapeKind.DIAGRAM, widths=widths, max_splits=questions), objective)


def assert_sound(problem: Problem, run: Run) -> Solution:
    """The verifier agrees, the costs are those of a slow walk, and no bound is above a cost."""
    solution = run.solution
    assert verify(problem, solution).failures == ()
    if solution.diagram is not None:
        labels = predict(solution.diagram, problem.dataset)
        assert solution.cost == problem.cost(np.array(labels), solution.diagram.n_splits)
        assert all(bound <= found.cost for bound in run.bounds for found in run.incumbents)
    return solution


@pytest.mark.parametrize("block", range(case_count(8, fewest=2)))
def test_optimum_equals_enumeration(block: int) -> None:
    """Topologies, long arcs, classes, penalties, splits that pass all rows on, weights: the cost is the least."""
    for seed in range(25 * block, 25 * block + 25):
        problem = a_problem(seed)
        solution = assert_sound(problem, solve(OddSearch(), problem))
        assert solution.status is Status.OPTIMAL, seed
        assert solution.cost == diagram_least_cost(problem), seed


def test_all_rows_may_pass_a_root_on_a_required_column() -> None:
    """Regression: only the first column of the table passed rows on, and a cost of 10 was called optimal."""
    columns = {"x0": (Kind.NUMERIC, [0, 1, 0, 2, 1, 0, 0]), "x1": (Kind.NUMERIC, [2, 0, 1, 1, 2, 0, 2])}
    table = make_dataset(columns, [0, 1, 1, 1, 1, 0, 1])
    constraints = (MaxMissed(0, positive="class 0"), FirstQuestion(("x1",)))
    shape = Shape(kind=ShapeKind.DIAGRAM, widths=(1, 1, 1), min_samples_leaf=3)
    problem = Problem(table, shape, Objective(split_penalty=0.25, free_root=True), constraints)
    solution = assert_sound(problem, solve(OddSearch(), problem))
    assert (solution.status, solution.cost) == (Status.OPTIMAL, 9) and least(problem) == 9


def test_every_kind_of_constraint_is_supported_or_refused_with_a_reason() -> None:
    """Most kinds are supported; the others are refused with a reason and a remedy."""
    rng = np.random.default_rng(0)
    numbers = {"x0": (Kind.NUMERIC, [0, 1, 2, 3] * 2), "x1": (Kind.NUMERIC, [0, 0, 1, 1, 2, 2, 3, 3])}
    table = make_dataset(numbers, [0, 1] * 4)
    table = replace(table, positive=0, groups=(Group("g", ("a", "b"), np.arange(8) % 2),))
    shape = Shape(kind=ShapeKind.DIAGRAM, widths=(1, 2))
    taken = set()
    for kind, cls in KINDS.items():
        constraint = example(cls, table, rng)
        if constraint is None:
            continue
        reasons = OddSearch().check(Problem(table, shape, constraints=(constraint,)))
        taken |= set() if reasons else {kind}
        assert all(r.reason.endswith(".") and r.remedy.endswith(".") for r in reasons)
    assert taken == set(KINDS)


def test_all_rows_may_pass_a_split_on_a_column_required_above() -> None:
    """Regression: rows were passed on by the first column alone, and a diagram with an error was called optimal."""
    columns = {"x0": (Kind.NUMERIC, [0, 0, 0, 1, 1, 1]), "x1": (Kind.NUMERIC, [0, 1, 2, 0, 1, 2])}
    table = make_dataset(columns, [0, 0, 0, 1, 1, 1])
    problem = Problem(table, Shape(kind=ShapeKind.DIAGRAM, widths=(1, 1)), constraints=(OnlyAfter("x1", "x0"),))
    solution = assert_sound(problem, solve(OddSearch(), problem))
    assert (solution.status, solution.cost) == (Status.OPTIMAL, 0) and least(problem) == 0


def test_unsupported_constraints_are_refused() -> None:
    """Orders over more columns than can be tracked are refused."""
    shape = Shape(kind=ShapeKind.DIAGRAM, widths=(1, 2))
    wide = make_dataset({f"x{j}": (Kind.NUMERIC, [0, 1, 2]) for j in range(63)}, [0, 1, 0])
    (reason,) = OddSearch().check(Problem(wide, shape, constraints=(MaxPathCost({"x0": 1}, 1),)))
    assert "63" in reason.what and "62" in reason.reason
    assert OddSearch().check(Problem(wide, shape)) == ()


@pytest.mark.parametrize("seed", range(case_count(40)))
def test_the_model_alone_is_exact(seed: int) -> None:
    """CP-SAT finds and proves the optimum alone, for every other problem under a constraint of each kind in turn."""
    kinds = list(KINDS)
    problem = random_ruled(seed, (kinds[seed // 2 * 7 % len(kinds)],)) if seed % 2 else a_problem(10_000 + seed)
    arrays = grid_of(problem)
    context = SearchContext("odd-search", problem, Limits(seconds=60), lambda event: None, threading.Event())
    offers = DiagramOffers(context)
    offers.constants()
    if not arrays.asks:
        return
    prove_rest(offers, arrays)
    best = least(problem) if problem.constraints else diagram_least_cost(problem)
    assert context.cost == best and (best is None or context.bound == best), problem.constraints


def test_a_constant_prediction_within_the_gap_is_not_called_optimal() -> None:
    """With a gap so wide that nothing need be searched, only what was proved is claimed."""
    table = make_dataset({"a": (Kind.BINARY, [0, 1] * 4)}, [0, 1] * 4)
    solution = solve(OddSearch(), Problem(table, Shape(kind=ShapeKind.DIAGRAM, widths=(1,))), Limits(gap=0.5)).solution
    assert (solution.status, solution.bound, solution.cost) == (Status.FEASIBLE, 0, 4)
