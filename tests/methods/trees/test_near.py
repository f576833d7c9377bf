"""The trees within a slack of the optimum are those of exhaustive search, no more and no fewer."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, seed, settings
from msgspec import structs

from solvers.constraints import KINDS, MaxMissed, NeverColumns
from solvers.diagram import Diagram
from solvers.errors import DataError, UnsupportedError
from solvers.explain import Task
from solvers.explain.near import NearOptimal
from solvers.magnitude import LARGEST_TOTAL
from solvers.methods import get
from solvers.methods.search.deadline import SearchEndedError
from solvers.methods.trees.near_optimal import NearSet, SizeCount, TreeFilter, enumeration
from solvers.methods.trees.near_optimal.enumeration import near_trees
from solvers.methods.trees.near_optimal.iteration import trees_of
from solvers.methods.trees.near_optimal.parts import Parts
from solvers.methods.trees.near_optimal.table import cell_table
from solvers.methods.trees.tree_of_splits import SplitTree
from solvers.problem import Group, Kind, Limits, Objective, Problem, Shape, ShapeKind
from solvers.run import StopFlag
from solvers.run.records import from_plain, to_plain
from solvers.run.solver_run import Channel, carry_task
from solvers.solution import Answer, Answered
from tests import strategies
from tests.case_count import case_count
from tests.constraints.examples import example
from tests.oracle import trees
from tests.oracle.near import Judged, as_tree, first_column, leaves_of
from tests.oracle.near import near_trees as tried
from tests.oracle.trees import cost as cost_of
from tests.oracle.trees import least_cost, predict
from tests.strategies import make_dataset

CASES = case_count(1)


def small(seed_: int, *, depth: int = 2, rows: int = 9, **more: object) -> Problem:
    """A table of three similar columns."""
    rng = np.random.default_rng(seed_)
    columns = {f"x{j}": (Kind.NUMERIC, rng.integers(0, 4, rows).astype(float)) for j in range(3)}
    return Problem(make_dataset(columns, rng.integers(0, 2, rows).tolist()), Shape(max_depth=depth), **more)


def kinds(expected: list[Judged], n: int) -> dict[tuple, tuple[int, int]]:
    """What the list distinguishes, with its cost and the number of trees: leaves, columns and root column."""
    found: dict[tuple, tuple[int, int]] = {}
    for judged in expected:
        key = leaves_of(judged.tree, 2**n - 1), judged.columns, first_column(judged.tree)
        found[key] = judged.cost, found.get(key, (0, 0))[1] + 1
    return found


def check_against(problem: Problem, found: NearSet, expected: list[Judged]) -> None:
    """Every reported fact of the set is correct."""
    n = problem.dataset.n_samples
    assert found.complete and found.counted and found.all_listed and found.finished
    assert found.n_trees == len(expected)
    listed = {(size.cost, size.questions): size.n for size in found.sizes}
    counted: dict[tuple[int, int], int] = {}
    for judged in expected:
        counted[judged.cost, judged.leaves - 1] = counted.get((judged.cost, judged.leaves - 1), 0) + 1
    assert listed == counted
    for c, use in enumerate(found.columns):
        groups = (
            [j for j in expected if c in j.columns],
            [j for j in expected if c not in j.columns],
            [j for j in expected if first_column(j.tree) == c],
        )
        assert (use.n_with, use.n_without, use.n_first) == tuple(map(len, groups))
        least = tuple(min((j.cost for j in group), default=None) for group in groups)
        assert (use.least_with, use.least_without, use.least_first) == least
    wanted, seen = kinds(expected, n), {}
    for tree in found.trees:
        form = as_tree(tree.diagram, problem.dataset)
        key = leaves_of(form, 2**n - 1), columns_of(form), first_column(form)
        assert key not in seen, "a tree is listed twice"
        seen[key] = tree.cost, tree.orders
        assert tree.cost == problem.cost(tree.diagram.predict(problem.dataset), tree.diagram.n_splits)
        assert tree.cost == cost_of(problem, predict(tree.diagram, problem.dataset), tree.diagram.n_splits)
    assert seen == wanted
    assert [(t.cost, t.diagram.n_splits) for t in found.trees] == sorted(
        (t.cost, t.diagram.n_splits) for t in found.trees
    )


def columns_of(tree: tuple) -> frozenset[int]:
    """The columns of the splits of a tree."""
    if len(tree) == 1:
        return frozenset()
    return frozenset({tree[0]}).union(*(columns_of(below) for _, below in tree[1]))


@seed(8)
@settings(max_examples=case_count(60) * CASES, deadline=None)
@given(strategies.problems(max_depth=2, max_rows=9))
def test_the_set_agrees_with_enumeration(problem: Problem) -> None:
    """Counts by cost and size, uses of columns and the list are exact: all kinds of column, missing values, weights,
    class costs, split penalties, leaf limits and minimum leaf sizes.
    """
    best = least_cost(problem)
    if best is None:
        assert near_trees(problem, 0, 5).n_trees == 0
        return
    for slack in (0, problem.scale):
        expected = tried(problem, best + slack)
        assume(len(expected) < 4000)
        check_against(problem, near_trees(problem, best, slack, most=10**6), expected)


@pytest.mark.parametrize("case", range(4 * CASES))
def test_deeper_trees_are_all_found(case: int) -> None:
    """At depth three lower bounds prune most splits, and no tree is lost."""
    rng = np.random.default_rng(case)
    rows = 8
    columns = {f"x{j}": (Kind.NUMERIC, rng.integers(0, 3, rows).astype(float)) for j in range(2 + case % 2)}
    dataset = make_dataset(columns, rng.integers(0, 2 + case % 2, rows).tolist())
    problem = Problem(
        dataset, Shape(max_depth=3, min_samples_leaf=1 + case % 2), Objective(split_penalty=(0, 0.5)[case // 2 % 2])
    )
    best = least_cost(problem)
    slack = problem.scale if problem.split_penalty else 0
    check_against(problem, near_trees(problem, best, slack, most=10**6), tried(problem, best + slack))


def table(n: int = 32) -> Problem:
    """Rows of two classes with noise, and more trees than are listed."""
    rng = np.random.default_rng(5)
    columns = {f"x{j}": (Kind.NUMERIC, rng.integers(0, 6, n).astype(float)) for j in range(3)}
    columns["x3"] = (Kind.BINARY, rng.integers(0, 2, n).astype(float))
    y = ((columns["x0"][1] > 2) ^ (rng.random(n) < 0.2)).astype(int)
    return Problem(make_dataset(columns, y.tolist()), Shape(max_depth=3))


def optimum(problem: Problem) -> int:
    """The least cost, by the exact search."""
    return get("contree").run(problem, Limits(), lambda event: None, threading.Event()).cost


def test_counts_are_complete_if_the_list_is_not() -> None:
    """Counts cover all trees; the short list has trees of each cost."""
    problem = table()
    best = optimum(problem)
    everything = near_trees(problem, best, 1, most=10**6)
    short = near_trees(problem, best, 1, most=10)
    assert everything.all_listed and not short.all_listed and short.counted and len(short.trees) <= 10
    assert short.n_trees == everything.n_trees > 400
    assert (short.sizes, short.columns) == (everything.sizes, everything.columns)
    assert {t.cost for t in short.trees} == {best, best + 1}


@pytest.mark.parametrize(
    "wanted",
    [
        TreeFilter(never=frozenset({0})),
        TreeFilter(must=frozenset({1})),
        TreeFilter(must=frozenset({1, 2})),
        TreeFilter(first=2),
        TreeFilter(questions=2),
        TreeFilter(must=frozenset({2}), never=frozenset({1}), questions=2),
        TreeFilter(first=0, never=frozenset({0})),
    ],
)
def test_filters_select_exactly_the_matching_trees(wanted: TreeFilter) -> None:
    """A filter leaves exactly the matching trees of the whole set."""
    problem = small(11, rows=10)
    best = least_cost(problem)
    fitting = [
        j
        for j in tried(problem, best + 2)
        if wanted.must <= j.columns
        and not j.columns & wanted.never
        and wanted.first in (None, first_column(j.tree))
        and (wanted.questions is None or j.leaves <= wanted.questions + 1)
    ]
    found = near_trees(problem, best, 2, wanted, most=10**6)
    assert found.n_trees == len(fitting)
    n = problem.dataset.n_samples
    assert sum(tree.orders for tree in found.trees) == len(fitting)
    assert len(found.trees) == len(kinds(fitting, n))


def every_tree(problem: Problem, most: int) -> list[tuple[int, Diagram]]:
    """Each tree of the problem without its constraints, not only one of those with the same leaves."""
    free = cell_table(replace(problem, constraints=()))
    root = Parts(free, lambda: False).part(free.everything, problem.shape.max_depth, most - free.constant)
    return [
        (key[0] + free.constant, free.posted.space.diagram(problem, SplitTree(splits, {}), {}))
        for key in root.tally
        if key[0] + free.constant <= most
        for splits in trees_of(root, key, problem.split_penalty)
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_constraints_are_kept_by_every_tree(kind: str) -> None:
    """Finds and counts exactly the trees within the slack that satisfy the constraint."""
    dataset = small(2, rows=10).dataset
    dataset = replace(dataset, positive=1, groups=(Group("sex", ("a", "b"), np.arange(10) % 2),))
    constraint = example(KINDS[kind], dataset, np.random.default_rng(0))
    assert constraint is not None
    problem = Problem(dataset, Shape(max_depth=2), constraints=(constraint,))
    best = least_cost(Problem(dataset, Shape(max_depth=2)))
    found = near_trees(problem, best, 2, most=10**6)
    assert found.complete and found.counted
    assert not any(constraint.violations(tree.diagram, dataset) for tree in found.trees)
    kept = [(cost, d) for cost, d in every_tree(problem, best + 2) if not constraint.violations(d, dataset)]
    if kind in ("thresholds-within", "round-thresholds"):
        # thresholds are moved to permitted values, so there may be more trees than those with permitted ones by chance
        assert found.n_trees >= len(kept)
        return
    assert found.n_trees == len(kept)
    assert min((t.cost for t in found.trees), default=None) == min((cost for cost, _ in kept), default=None)


def test_an_interrupted_search_reports_the_slack_it_covered() -> None:
    """A stop or a limit leaves the complete set for a smaller slack, and nothing is claimed beyond it."""
    problem = table()
    best = optimum(problem)
    stop, answers = threading.Event(), []

    def hear(found: NearSet) -> None:
        answers.append(found)
        if found.reached == 1:
            stop.set()

    found = near_trees(problem, best, 4, stop=stop, tell=hear, most=50)
    assert found.finished and not found.complete and found.reached == 1 and "stopped" in found.note
    assert found.n_trees == near_trees(problem, best, 1, most=5).n_trees
    assert not found.all_listed and {tree.cost - best for tree in found.trees} == {0, 1}
    assert [answer.reached for answer in answers] == [0, 1] and not any(answer.finished for answer in answers)
    little = near_trees(problem, best, 2, limits=Limits(seconds=1e-6))
    assert (little.reached, little.n_trees, little.columns, little.complete) == (None, None, (), False)


def test_memory_is_limited() -> None:
    """If the subsets take more than the permitted memory, the search ends, and reports it."""
    problem = table()
    parts = Parts(cell_table(problem), lambda: False, most_bytes=10_000)
    with pytest.raises(SearchEndedError):
        parts.part(parts.table.everything, 3, 20)
    assert parts.full


def test_task_and_result_survive_json() -> None:
    """A worker's task names columns; its result survives JSON; unknown names are reported."""
    problem = small(4)
    best = least_cost(problem)
    task = NearOptimal(best, 1, must=("x1",), never=("x2",), first="x0", questions=3, most=20)
    assert from_plain(Task, json.loads(json.dumps(to_plain(task)))) == task
    assert task.wanted(problem.dataset) == TreeFilter(frozenset({1}), frozenset({2}), 0, 3)
    answers: list[NearSet] = []
    hear = Channel(lambda event: answers.append(event.answer) if isinstance(event, Answered) else None)
    carry_task(NearOptimal(best, 1), problem, "contree", Limits(seconds=None), hear, StopFlag())
    expected = near_trees(problem, best, 1)
    assert structs.replace(answers[-1], seconds=0.0) == structs.replace(expected, seconds=0.0)
    huge = structs.replace(answers[-1], sizes=(SizeCount(1, 2, 10**40),))
    assert from_plain(Answer, json.loads(json.dumps(to_plain(huge)))) == huge
    with pytest.raises(DataError, match="no column 'y'"):
        NearOptimal(best, 1, first="y").wanted(problem.dataset)


@pytest.mark.parametrize("place", range(6))
def test_the_tolerance_grows_until_there_is_another_tree(place: int) -> None:
    """The first tolerance with two trees is the answer, and no larger one is searched."""
    problem = small(place, rows=12)
    best = least_cost(problem)
    heard: list[NearSet] = []
    task = NearOptimal(best, 0, grow=(1, 2, 3, 5))
    found = task.answer(problem, get("contree").run, Limits(seconds=None), threading.Event(), heard.append)
    sets = [near_trees(problem, best, slack) for slack in (0, 1, 2, 3, 5)]
    expected = next(one for one in sets if len(one.trees) > 1)
    assert structs.replace(found, seconds=0.0) == structs.replace(expected, seconds=0.0)
    assert max((one.slack for one in heard), default=0) <= expected.slack


def test_trees_without_a_feature_are_listed_if_time_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """They satisfy all constraints and are the best ones, but nothing is claimed to be complete."""
    problem = replace(small(1, rows=16), constraints=(MaxMissed(2, positive="class 1"),))
    contree = get("contree").run
    best = contree(problem, Limits(), lambda event: None, threading.Event())
    monkeypatch.setattr(enumeration, "near_trees", lambda asked, *rest, **more: NearSet(*rest[:2], finished=True))
    task = NearOptimal(best.cost, 0, grow=(1, 2), diagram=best.diagram)
    found = task.answer(problem, contree, Limits(seconds=20), threading.Event(), lambda known: None)
    assert len(found.trees) == len(best.diagram.features) > 1
    for tree in found.trees:
        (left_out,) = set(best.diagram.features) - set(tree.diagram.features)
        without = replace(problem, constraints=(*problem.constraints, NeverColumns((left_out,))))
        assert tree.cost == trees.optimum(without)[0] * problem.scale
    assert (found.reached, found.counted, found.all_listed) == (None, False, False) and "without one" in found.note


def test_other_shapes_are_refused() -> None:
    """BDDs have their own list, and a free first split does not apply to trees."""
    problem = small(0)
    for other in (
        replace(problem, shape=Shape(kind=ShapeKind.BDD, max_depth=2)),
        replace(problem, objective=Objective(split_penalty=1.0, free_root=True)),
    ):
        with pytest.raises(UnsupportedError):
            near_trees(other, 0, 1)


@pytest.mark.parametrize("slack", [2**40, 2**62, 2**63, 2**90])
def test_any_slack_is_counted(slack: int) -> None:
    """A slack beyond the cost of any tree finds all trees."""
    table = make_dataset({"a": (Kind.NUMERIC, [0, 1, 2])}, [0, 1, 0], weight=[1, 2, LARGEST_TOTAL - 3])
    found = near_trees(Problem(table, Shape(max_depth=2)), 0, slack)
    assert (found.reached, found.counted) == (slack, True)
    assert found.sizes == near_trees(Problem(table, Shape(max_depth=2)), 0, 4 * LARGEST_TOTAL).sizes
