"""The search for univariate decision diagrams: exact on every small table, whatever the topology and the objective."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from solvers.constraints import (
    KINDS,
    DemographicParity,
    FirstQuestion,
    FixedTop,
    MaxExpectedCost,
    MaxMissed,
    MaxPathCost,
    MinSamplesLeaf,
    MinSamplesSplit,
    MonotoneIn,
    MustAppear,
    NeverColumns,
    OnlyAfter,
    rules_of,
)
from solvers.constraints.questions import Questions
from solvers.diagram import Diagram
from solvers.methods.diagrams.draft import label_of
from solvers.methods.diagrams.odd_search.demands import with_purity
from solvers.methods.diagrams.odd_search.grid import DiagramGrid, grid_of
from solvers.methods.diagrams.odd_search.local_search import LocalSearch
from solvers.methods.diagrams.odd_search.method import GridOffers, OddSearch, prove_rest
from solvers.methods.diagrams.odd_search.trees import cheapest_tree
from solvers.methods.search.context import SearchContext
from solvers.methods.trees.cart import Cart
from solvers.metrics.verify import verify
from solvers.problem import (
    Dataset,
    Group,
    Kind,
    Limits,
    MissingPolicy,
    Objective,
    Op,
    Problem,
    Shape,
    ShapeKind,
)
from solvers.problem.skeleton import PRESETS, objective_of
from solvers.solution import Solution, Status
from tests.case_count import case_count
from tests.constraints.examples import example
from tests.methods.diagrams.small_diagrams import least, small_table
from tests.methods.running import Run, solve
from tests.oracle.diagrams import diagram_least_cost
from tests.oracle.trees import predict
from tests.strategies import make_dataset

WIDTHS = ((1, 2), (1, 2, 1), (1, 2, 2), (1, 1, 2), (1, 1, 1), (1, 2, 1, 1), (1,))
SPLIT_COSTS = (0.0, 0.1, 0.25, 0.5, 1.0, 1.5)


def a_problem(seed: int) -> Problem:
    """A small problem: any of several skeletons, two or three classes, prices, a free root or not, now and then weights
    and a limit of questions."""
    rng = np.random.default_rng(seed)
    widths = WIDTHS[rng.integers(len(WIDTHS))]
    n_columns = int(rng.integers(1, 3)) if len(widths) < 4 else 1
    table = small_table(rng, n_rows=int(rng.integers(3, 9)), n_values=int(rng.integers(2, 4)), n_columns=n_columns)
    objective = Objective(split_cost=float(rng.choice(SPLIT_COSTS)), free_root=bool(rng.integers(2)))
    if rng.random() < 0.2:
        costs = rng.choice([0, 1, 2, 0.5], (table.n_classes, table.n_classes)).astype(float)
        objective = replace(objective, class_costs=tuple(map(tuple, costs.tolist())))
    questions = None if rng.random() < 0.7 else int(rng.integers(0, 5))
    return Problem(table, Shape(kind=ShapeKind.DIAGRAM, widths=widths, max_splits=questions), objective)


def grid(problem: Problem) -> DiagramGrid:
    """The arrays of a problem."""
    return grid_of(problem, with_purity(problem, rules_of(problem)))


def assert_sound(problem: Problem, run: Run) -> Solution:
    """The verifier is content, the costs are those of a slow walk, and no bound is above a cost."""
    solution = run.solution
    assert verify(problem, solution).failures == ()
    if solution.diagram is not None:
        labels = predict(solution.diagram, problem.dataset)
        assert solution.cost == problem.cost(np.array(labels), solution.diagram.n_splits)
        assert all(bound <= found.cost for bound in run.bounds for found in run.incumbents)
    return solution


@pytest.mark.parametrize("block", range(case_count(8, fewest=2)))
def test_optimum_equals_trying_everything(block: int) -> None:
    """Topologies, long arcs, classes, prices, questions that pass all rows on, weights: the cost is the least."""
    for seed in range(25 * block, 25 * block + 25):
        problem = a_problem(seed)
        solution = assert_sound(problem, solve(OddSearch(), problem))
        assert solution.status is Status.OPTIMAL, seed
        assert solution.cost == diagram_least_cost(problem), seed


def test_all_rows_may_pass_the_root_by_the_column_that_must_stand_there() -> None:
    """The first column of the table was the only one that passed rows on, and a cost of 10 was called optimal."""
    columns = {"x0": (Kind.NUMERIC, [0, 1, 0, 2, 1, 0, 0]), "x1": (Kind.NUMERIC, [2, 0, 1, 1, 2, 0, 2])}
    table = make_dataset(columns, [0, 1, 1, 1, 1, 0, 1])
    constraints = (MaxMissed(0, positive="class 0"), FirstQuestion(("x1",)))
    shape = Shape(kind=ShapeKind.DIAGRAM, widths=(1, 1, 1), min_samples_leaf=3)
    problem = Problem(table, shape, Objective(split_cost=0.25, free_root=True), constraints)
    solution = assert_sound(problem, solve(OddSearch(), problem))
    assert (solution.status, solution.cost) == (Status.OPTIMAL, 9) and least(problem) == 9


def test_every_kind_of_constraint_is_taken_or_refused_in_words() -> None:
    """Most kinds are kept; the others are refused with a reason and a remedy."""
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


def test_a_question_may_pass_all_rows_on_by_the_column_that_must_stand_above() -> None:
    """Rows were passed on by the first column alone, and a diagram with an error was called optimal."""
    columns = {"x0": (Kind.NUMERIC, [0, 0, 0, 1, 1, 1]), "x1": (Kind.NUMERIC, [0, 1, 2, 0, 1, 2])}
    table = make_dataset(columns, [0, 0, 0, 1, 1, 1])
    problem = Problem(table, Shape(kind=ShapeKind.DIAGRAM, widths=(1, 1)), constraints=(OnlyAfter("x1", "x0"),))
    solution = assert_sound(problem, solve(OddSearch(), problem))
    assert (solution.status, solution.cost) == (Status.OPTIMAL, 0) and least(problem) == 0


def test_what_is_not_kept_is_refused() -> None:
    """Orders over more columns than can be followed."""
    shape = Shape(kind=ShapeKind.DIAGRAM, widths=(1, 2))
    wide = make_dataset({f"x{j}": (Kind.NUMERIC, [0, 1, 2]) for j in range(63)}, [0, 1, 0])
    (reason,) = OddSearch().check(Problem(wide, shape, constraints=(MaxPathCost({"x0": 1}, 1),)))
    assert "63" in reason.what and "62" in reason.reason
    assert OddSearch().check(Problem(wide, shape)) == ()


@pytest.mark.parametrize("seed", range(case_count(40)))
def test_the_model_alone_is_exact(seed: int) -> None:
    """CP-SAT finds and proves the optimum without any help by the search and the bounds."""
    problem = a_problem(10_000 + seed)
    arrays = grid(problem)
    context = SearchContext("odd-search", problem, Limits(seconds=60), lambda event: None, threading.Event())
    offers = GridOffers(arrays, context)
    offers.constants()
    if not offers.asks:
        return
    prove_rest(offers)
    assert context.cost == context.bound == diagram_least_cost(problem)


@pytest.mark.parametrize("seed", range(30))
def test_local_search_costs_what_it_says(seed: int) -> None:
    """A diagram read off the arrays costs as a diagram what the search holds it to cost, tidied or not."""
    problem = a_problem(20_000 + seed)
    arrays = grid(problem)
    if not arrays.n_orders or not arrays.most_questions:
        return
    local = LocalSearch(arrays, seed)
    nodes = local.advance(200_000)
    draft = arrays.draft(nodes)
    cost = draft.cost(problem)
    assert cost >= diagram_least_cost(problem)
    assert draft.fits(arrays.widths)
    tidied = draft.tidied(problem)
    assert tidied.cost(problem) <= cost
    assert (tidied.predict(problem.dataset) == draft.predict(problem.dataset)).all()
    assert {label_of(draft.root)} == {None}


@pytest.mark.parametrize("seed", range(case_count(20)))
def test_the_cheapest_tree_can_be_taken_over(seed: int) -> None:
    """The tree that a bound speaks of is found with its questions, and goes into the layers of the search."""
    rng = np.random.default_rng(seed)
    table = small_table(rng, n_rows=9)
    objective = Objective(split_cost=float(rng.choice([0, 0.5, 1])), free_root=bool(rng.integers(2)))
    problem = Problem(table, Shape(kind=ShapeKind.DIAGRAM, widths=(1, 2, 4)), objective)
    arrays = grid(problem)
    if not arrays.n_orders:
        return
    cost = diagram_least_cost(problem, tree=True)
    splits = cheapest_tree(arrays, cost - arrays.constant, 3, lambda: False)
    nodes = arrays.nodes_of_tree(splits or {})
    if nodes is None:
        assert problem.cost(np.full(9, int(arrays.cells.price.sum(axis=0).argmin())), 0) == cost
    else:
        assert arrays.draft(nodes).tidied(problem).cost(problem) == cost


def test_a_question_that_passes_all_rows_on() -> None:
    """Arcs lead to the next layer only, so a diagram may need a question that decides nothing; it is asked in words."""
    # x is 0 with the answer of y alone; else of z: one question is shared by two layers through a pass
    rows = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    answers = [(y & z) if x == 0 else z for x, y, z in rows]
    columns = {name: (Kind.BINARY, [row[j] for row in rows]) for j, name in enumerate("xyz")}
    table = make_dataset(columns, answers)
    problem = Problem(table, Shape(kind=ShapeKind.DIAGRAM, widths=(1, 2, 1)), Objective(split_cost=0.25))
    solution = assert_sound(problem, solve(OddSearch(), problem))
    assert solution.cost == diagram_least_cost(problem)
    assert solution.status is Status.OPTIMAL


def a_larger_table(n: int = 120) -> Dataset:
    """Numbers, levels and missing values, a group, an outcome with noise, and a column that tells two rows from others,
    one of either outcome, so that no question about it pays.
    """
    rng = np.random.default_rng(5)
    age, dose, stage = rng.integers(20, 80, n), rng.random(n).round(2), rng.integers(0, 3, n)
    sex = rng.integers(0, 2, n)
    y = ((age > 50) & (dose > 0.4) | (stage == 2) & (rng.random(n) < 0.8) | (sex == 1) & (rng.random(n) < 0.3)).astype(
        int
    )
    bmi = np.where(rng.random(n) < 0.2, np.nan, rng.normal(25, 4, n).round(1))
    columns = {
        "age": (Kind.NUMERIC, age.astype(float)),
        "dose": (Kind.NUMERIC, dose),
        "stage": (Kind.CATEGORICAL, stage.astype(float)),
        "sex": (Kind.BINARY, sex.astype(float)),
        "bmi": (Kind.NUMERIC, bmi),
        "ward": (Kind.BINARY, np.isin(np.arange(n), (y.argmin(), y.argmax())).astype(float)),
    }
    table = make_dataset(columns, y.tolist(), missing=MissingPolicy.INFORMATION)
    return replace(table, positive=1, groups=(Group("sex", ("m", "f"), sex),))


@cache
def a_greedy_tree() -> Diagram:
    """A CART tree of the larger table: the same on every machine, and every constraint below forbids it."""
    return solve(Cart(), Problem(a_larger_table(), Shape(max_depth=4))).solution.diagram


@pytest.mark.parametrize(
    "constraint",
    [
        DemographicParity("sex", 0.001),
        MinSamplesSplit(30),
        MinSamplesLeaf(58),
        NeverColumns(("sex", "age")),
        MaxPathCost({"age": 1, "dose": 5, "stage": 3, "bmi": 2}, 6),
        MaxExpectedCost({"age": 1, "dose": 5, "stage": 3, "bmi": 2}, 4),
        MustAppear("ward"),
        MonotoneIn("dose"),
        FixedTop(Questions("bmi", value=25, yes=Questions("sex", Op.IS, "level 0"))),
    ],
    ids=lambda constraint: constraint.kind,
)
def test_constraints_bind_and_hold_on_a_table_of_mixed_columns(constraint: object) -> None:
    """The diagram found keeps a constraint that a greedy tree breaks, and its bound holds."""
    table = a_larger_table()
    assert constraint.violations(a_greedy_tree(), table), "the constraint must bind, or the test shows nothing"
    shape, objective = PRESETS["I"].shape(), objective_of(0.2, table.n_samples)
    constrained = Problem(table, shape, objective, constraints=(constraint,))
    restricted = assert_sound(constrained, solve(OddSearch(), constrained, Limits(seconds=2)))
    assert restricted.diagram is not None
    assert constraint.violations(restricted.diagram, table) == ()
    assert restricted.bound <= restricted.cost


def test_proof_of_a_diagram_with_a_merge() -> None:
    """Two questions of a layer share the next one; the optimum with it is cheaper than every tree, and proved."""
    rows = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 2
    answers = [a ^ b ^ c for a, b, c in rows]
    columns = {name: (Kind.BINARY, [row[j] for row in rows]) for j, name in enumerate("abc")}
    table = make_dataset(columns, answers)
    problem = Problem(table, Shape(kind=ShapeKind.DIAGRAM, widths=(1, 2, 4)), Objective(split_cost=0.75))
    solution = assert_sound(problem, solve(OddSearch(), problem))
    assert solution.status is Status.OPTIMAL
    assert solution.cost == diagram_least_cost(problem) < diagram_least_cost(problem, tree=True)
    parents = Counter(
        child for node in solution.diagram.nodes[: solution.diagram.n_splits] for child in (node.yes, node.no)
    )
    assert any(parents[i] > 1 for i in range(solution.diagram.n_splits))


def test_a_constant_answer_within_the_gap_is_not_called_the_best() -> None:
    """A gap so wide that nothing need be searched: what is proved is what was, and no more."""
    table = make_dataset({"a": (Kind.BINARY, [0, 1] * 4)}, [0, 1] * 4)
    solution = solve(OddSearch(), Problem(table, Shape(kind=ShapeKind.DIAGRAM, widths=(1,))), Limits(gap=0.5)).solution
    assert (solution.status, solution.bound, solution.cost) == (Status.FEASIBLE, 0, 4)
