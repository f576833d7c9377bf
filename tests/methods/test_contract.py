"""The contract of every method of the registry."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from solvers.diagram import Leaf
from solvers.errors import MissingValuesError
from solvers.messages import describe_result
from solvers.methods import Method, Unsupported, get, names
from solvers.problem import Dataset, Kind, Limits, MissingPolicy, Problem, Shape, ShapeKind
from solvers.solution import Bound, Event, Incumbent, Log, Progress, Started, Status
from tests.case_count import case_count
from tests.methods.running import EarlyStop, Run, solve, without_refused_demands
from tests.oracle.trees import cost, may_be_leaf, predict, weights
from tests.strategies import make_dataset, problems

NAN = float("nan")

XOR = make_dataset({"a": (Kind.BINARY, [0, 0, 1, 1]), "b": (Kind.BINARY, [0, 1, 0, 1])}, [0, 1, 1, 0])

MIXED = make_dataset(
    {
        "bmi": (Kind.NUMERIC, [21.5, 24.0, NAN, 31.2, 33.3, 29.9, 30.1, 22.0, NAN, 27.5]),
        "sex": (Kind.BINARY, [0, 1, 1, 0, 0, 1, NAN, 1, 0, 0]),
        "grade": (Kind.ORDERED, [0, 1, 2, 3, 2, NAN, 1, 0, 3, 2]),
        "ward": (Kind.CATEGORICAL, [0, 1, 2, 0, 1, 2, 0, NAN, 1, 2]),
        "seen": (Kind.DATE, [19000, 19001, 19002.5, NAN, 19004, 19005, 19006, 19007, 19008, 19009]),
    },
    [0, 0, 1, 1, 1, 2, 2, 0, 1, 2],
)

SIZES = ("smallest-tree", "inferdt-depth", "inferdt-size", "bdd-sat")
"""Methods that call a model optimal only if its size is proved minimal too."""

EDGE_CASES = {
    "xor": XOR,
    "mixed": MIXED,
    "weighted": replace(MIXED, weight=np.array([1, 2, 3, 1, 1, 5, 1, 1, 2, 1.0])),
    "fractional weights": replace(MIXED, weight=np.array([0.5, 1.25, 1, 1, 2, 5, 1, 1, 2, 0.75])),
    "imputed": replace(MIXED, schema=replace(MIXED.schema, missing=MissingPolicy.IMPUTE)),
    "one column": make_dataset({"x": (Kind.NUMERIC, [1, 2, 3, 4, 5, 6])}, [0, 1, 0, 1, 0, 1]),
    "one row": make_dataset({"x": (Kind.NUMERIC, [1.5])}, [1]),
    "constant features": make_dataset({"x": (Kind.NUMERIC, [2, 2, 2]), "c": (Kind.CATEGORICAL, [1, 1, 1])}, [0, 1, 1]),
    "all-missing column": make_dataset(
        {"gone": (Kind.NUMERIC, [NAN] * 4), "x": (Kind.NUMERIC, [1, 2, 3, 4])}, [0, 0, 1, 1]
    ),
    "only missing tells": make_dataset({"x": (Kind.NUMERIC, [3, 3, NAN, NAN])}, [0, 0, 1, 1]),
    "one class present": make_dataset({"x": (Kind.NUMERIC, [1, 2, 3])}, [1, 1, 1], n_classes=3),
    "duplicates contradict": make_dataset({"x": (Kind.NUMERIC, [1, 1, 1, 2, 2])}, [0, 1, 1, 0, 1]),
    "neighbours in 64 bits": make_dataset(
        {"x": (Kind.NUMERIC, [16777216.0, 16777217.0, 16777218.0, 16777219.0])}, [0, 1, 1, 0]
    ),
    "huge numbers": make_dataset({"x": (Kind.NUMERIC, [-1e300, 1e-300, 1e300, 5.0])}, [0, 1, 0, 1]),
}


@pytest.fixture(params=names())
def method(request: pytest.FixtureRequest) -> Method:
    """Each method of the registry."""
    return get(request.param)


@pytest.fixture(params=EDGE_CASES)
def problem(request: pytest.FixtureRequest, method: Method) -> Problem:
    """Each edge case as a problem of depth 2."""
    return Problem(EDGE_CASES[request.param], shape_of(method, max_depth=2))


def shape_of(method: Method, **size: int | None) -> Shape:
    """A shape of the kind that the method supports."""
    return Shape(kind=method.kinds[0], **size)


def assert_sound(problem: Problem, run: Run) -> None:
    """The solution and the events fit the problem and each other."""
    solution, shape = run.solution, problem.shape
    assert solution.problem_id == problem.id
    assert solution.verified is None, "only the verifier may set it"
    if solution.status is Status.INFEASIBLE:
        assert (solution.diagram, solution.cost, solution.bound, run.incumbents) == (None, None, None, [])
        assert "Lower the minimum leaf size" in describe_result(problem, solution)
        assert not may_be_leaf(shape, weights(problem.dataset))
        return
    assert solution.diagram.kind is shape.kind
    assert shape.max_splits is None or solution.diagram.n_splits <= shape.max_splits
    assert solution.diagram.depth <= shape.max_depth
    assert shape.max_leaf_nodes is None or solution.diagram.n_leaves <= shape.max_leaf_nodes
    assert solution.diagram.schema == problem.dataset.schema
    for found in (*run.incumbents, solution):
        labels = predict(found.diagram, problem.dataset)
        assert found.cost == cost(problem, labels, found.diagram.n_splits)
    weight, at = weights(problem.dataset), solution.diagram.apply(problem.dataset)
    for leaf in set(at.tolist()):
        assert may_be_leaf(shape, [weight[i] for i in np.flatnonzero(at == leaf)])
    assert solution.cost == run.incumbents[-1].cost
    assert solution.seconds >= 0 and solution.cpu_seconds >= 0
    assert solution.bound is None or 0 <= solution.bound <= solution.cost
    if solution.status is Status.OPTIMAL or solution.method not in SIZES:
        assert (solution.status is Status.OPTIMAL) == (solution.bound == solution.cost)


def assert_orderly(method: Method, run: Run) -> None:
    """The events are in order, and each incumbent and bound is better than the one before."""
    assert run.events[0] == Started(method.name, run.events[0].elapsed)
    assert all(isinstance(event, Incumbent | Bound | Progress | Log) for event in run.events[1:])
    elapsed = [event.elapsed for event in run.events]
    assert elapsed == sorted(elapsed)
    costs = [incumbent.cost for incumbent in run.incumbents]
    assert costs == sorted(set(costs), reverse=True)
    assert run.bounds == sorted(set(run.bounds))
    assert method.exact or not run.bounds, "a heuristic proves nothing"
    assert all(bound <= run.solution.cost for bound in run.bounds)
    if run.solution.status is Status.INFEASIBLE:
        return
    last = run.solution.trace[-1]
    assert (last.cost, last.bound) == (run.solution.cost, run.solution.bound)


class TestContract:
    """The promises of `solvers.methods.base.Method`."""

    def test_describes_itself(self, method: Method) -> None:
        """Name, title, kinds, summary and source exist for the picker and the documentation."""
        assert get(method.name) is method
        assert method.title and method.summary and method.source
        assert method.kinds and all(isinstance(kind, ShapeKind) for kind in method.kinds)
        assert isinstance(method.exact, bool)
        assert method.precompile() is None

    def test_refuses_shapes_it_does_not_support(self, method: Method) -> None:
        """A shape of another kind is refused, with reason and remedy in sentences; its own kinds are accepted."""
        for kind in ShapeKind:
            reasons = method.check(Problem(XOR, Shape(kind=kind, max_depth=2)))
            assert bool(reasons) == (kind not in method.kinds)
            for reason in reasons:
                assert isinstance(reason, Unsupported)
                assert reason.what and reason.reason.endswith(".") and reason.remedy.endswith(".")

    def test_refuses_constraints_it_does_not_know(self, method: Method) -> None:
        """A constraint that the method cannot post is refused, never ignored."""
        assert method.check(
            Problem(XOR, shape_of(method, max_depth=2), constraints=("a constraint of no known class",))
        )

    def test_solves_edge_cases(self, method: Method, problem: Problem) -> None:
        """On any table: a sound tree, orderly events, an unchanged dataset, and a proof if the method is exact.

        Leaves count their training rows in the user's weights, unseen values get a class, and a second run is the same.
        """
        assert method.check(problem) == ()
        before = problem.dataset.fingerprint
        run = solve(method, problem)
        assert replace(problem.dataset).fingerprint == before
        assert_sound(problem, run)
        assert_orderly(method, run)
        assert run.solution.method == method.name
        assert run.solution.status is (Status.OPTIMAL if method.exact else Status.FEASIBLE)
        dataset, diagram = problem.dataset, run.solution.diagram
        at = diagram.apply(dataset)
        for leaf in np.unique(at):
            assert diagram.nodes[leaf].counts == _class_weights(dataset.take(at == leaf))
        assert set(at) == {i for i, node in enumerate(diagram.nodes) if isinstance(node, Leaf)}
        strange = np.vstack([np.full(dataset.n_columns, NAN), np.nanmax(dataset.X, axis=0, initial=0) + 1])
        assert set(diagram.predict(strange).tolist()) <= set(range(dataset.n_classes))
        again = solve(method, problem).solution
        assert (again.diagram, again.cost, again.bound) == (diagram, run.solution.cost, run.solution.bound)

    @pytest.mark.parametrize("leaves", [1, 2, 3, None])
    @pytest.mark.parametrize("depth", [0, 1, 3])
    def test_respects_the_shape(self, method: Method, depth: int, leaves: int | None) -> None:
        """Neither depth nor number of leaves is ever exceeded; an unsupported limit is refused."""
        problem = without_refused_demands(
            method, Problem(MIXED, shape_of(method, max_depth=depth, max_leaf_nodes=leaves))
        )
        run = solve(method, problem)
        assert_sound(problem, run)
        assert_orderly(method, run)

    def test_depth_zero_is_the_majority(self, method: Method) -> None:
        """Without splits, the class of the largest weight is predicted."""
        table = make_dataset({"x": (Kind.NUMERIC, [1, 2, 3, 4])}, [0, 1, 1, 2], weight=[1, 0.5, 0.5, 2.5])
        solution = solve(method, Problem(table, shape_of(method, max_depth=0))).solution
        assert solution.diagram.nodes == (Leaf(2, (1.0, 1.0, 2.5)),)
        assert solution.cost == 4, "2 cases in units of half a case"

    def test_finds_an_obvious_threshold(self, method: Method) -> None:
        """Every method finds the one threshold that separates the classes."""
        table = make_dataset(
            {"x": (Kind.NUMERIC, [1, 2, 3, 7, 8, 9]), "y": (Kind.NUMERIC, [5] * 6)}, [0, 0, 0, 1, 1, 1]
        )
        solution = solve(method, Problem(table, shape_of(method, max_depth=2))).solution
        assert solution.cost == 0
        assert solution.diagram.n_splits == 1
        assert solution.diagram.nodes[0].predicate.column == "x"
        assert 3 <= solution.diagram.nodes[0].predicate.value < 7

    def test_stopped_before_the_start(self, method: Method, problem: Problem) -> None:
        """With the stop signal set, the run ends with what it has and says so, unless there was nothing left to do."""
        run = solve(method, problem, stopped=True)
        assert run.solution.status in (Status.CANCELLED, Status.OPTIMAL)
        assert_sound(problem, run)
        assert_orderly(method, run)

    @pytest.mark.parametrize("n", [2, 4, 8])
    @pytest.mark.parametrize("by", ["looks", "events"])
    def test_stopped_at_any_time(self, method: Method, by: str, n: int) -> None:
        """A run that is stopped at any time keeps the best model and the bound so far."""
        problem, events = Problem(MIXED, shape_of(method, max_depth=2)), []
        stop = EarlyStop(**{"looks": None, "events": None, by: n})

        def hear(event: Event) -> None:
            events.append(event)
            stop.hear(event)

        run = Run(method.run(problem, Limits(), hear, stop), tuple(events))
        assert run.solution.status in (Status.CANCELLED, Status.OPTIMAL, Status.FEASIBLE)
        assert_sound(problem, run)
        assert_orderly(method, run)

    def test_out_of_time_at_once(self, method: Method) -> None:
        """A time limit that has passed at the start is not an error, and all claims are true."""
        problem = Problem(MIXED, shape_of(method, max_depth=3))
        run = solve(method, problem, Limits(seconds=1e-9))
        assert run.solution.status in (Status.FEASIBLE, Status.OPTIMAL)
        assert_sound(problem, run)
        assert_orderly(method, run)

    def test_a_gap_ends_the_run(self, method: Method) -> None:
        """Cost and bound are within the requested gap, with the optimum between them."""
        problem = Problem(MIXED, shape_of(method, max_depth=2))
        best, near = solve(method, problem).solution, solve(method, problem, Limits(gap=2)).solution
        if method.exact:
            assert near.bound <= best.cost <= near.cost <= near.bound + 2

    def test_complete_cases_refuse_missing_values(self, method: Method) -> None:
        """A model of complete cases refuses a row with a missing value in a split."""
        table = make_dataset({"x": (Kind.NUMERIC, [1, 2, 3, 4])}, [0, 0, 1, 1], missing=MissingPolicy.COMPLETE)
        diagram = solve(method, Problem(table, shape_of(method, max_depth=1))).solution.diagram
        with pytest.raises(MissingValuesError, match="'x' is missing in row 1"):
            diagram.predict(np.array([[NAN]]))

    @pytest.mark.parametrize("policy", [MissingPolicy.INFORMATION, MissingPolicy.IMPUTE])
    def test_a_new_missing_value_goes_to_the_larger_side(self, method: Method, policy: MissingPolicy) -> None:
        """Without missing training rows, a missing value follows the larger side (where the median is, too)."""
        for y in ([0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 1, 1]):
            table = make_dataset({"x": (Kind.NUMERIC, range(6))}, y, missing=policy)
            diagram = solve(method, Problem(table, shape_of(method, max_depth=1))).solution.diagram
            assert diagram.predict(np.array([[NAN]])).tolist() == [int(np.bincount(y).argmax())]

    @settings(derandomize=True, deadline=None, max_examples=case_count(20))
    @given(problem=problems(max_rows=10))
    def test_sound_on_any_table(self, problem: Problem) -> None:
        """Every method is sound on every small table that it supports."""
        for name in names():
            method = get(name)
            shaped = replace(problem, shape=replace(problem.shape, kind=method.kinds[0]))
            taken = without_refused_demands(method, shaped)
            run = solve(method, taken)
            assert_sound(taken, run)
            assert_orderly(method, run)


def _class_weights(dataset: Dataset) -> tuple[float, ...]:
    weight = np.ones(dataset.n_samples) if dataset.weight is None else dataset.weight
    return tuple(float(weight[dataset.y == k].sum()) for k in range(dataset.n_classes))
