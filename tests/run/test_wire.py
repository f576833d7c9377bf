"""Written values are read back unchanged, and damage is refused in sentences."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.errors import RunError
from solvers.problem import Kind, MissingPolicy, Objective, Problem, Shape
from solvers.run import wire
from solvers.run.records import to_plain
from solvers.solution import (
    Bound,
    Cancelled,
    Failed,
    Finished,
    Incumbent,
    Log,
    Progress,
    Solution,
    Started,
    Status,
    TracePoint,
)
from tests.case_count import case_count
from tests.run.fakes import leaf
from tests.run.problems import mixed, plain


def through(problem: Problem) -> Problem:
    """The problem after a round trip through text and npz."""
    described = json.loads(wire.dumps(wire.problem_to_json(problem)))
    return wire.problem_from_json(described, wire.arrays_to_bytes(problem.dataset))


@pytest.mark.parametrize(
    "problem",
    [
        mixed(),
        mixed(shape=Shape(max_depth=5, max_leaf_nodes=7, min_samples_leaf=3, min_weight_leaf=0.7)),
        mixed(objective=Objective(((0, 1), (2.5, 0.1)), split_penalty=0.3)),
        mixed(objective=Objective(split_penalty=2), shape=Shape(min_weight_leaf=4)),
        plain(),
    ],
    ids=["all", "shape", "objective", "whole numbers", "plain"],
)
def test_a_problem_survives_a_round_trip(problem: Problem) -> None:
    """All kinds of columns, missing values, weights, groups, row numbers and the id are restored."""
    again = through(problem)
    assert (again.id, again.shape, again.objective) == (problem.id, problem.shape, problem.objective)
    assert again.dataset.schema == problem.dataset.schema
    np.testing.assert_array_equal(again.dataset.X, problem.dataset.X)
    np.testing.assert_array_equal(again.dataset.rows, problem.dataset.rows)
    np.testing.assert_array_equal(again.weights, problem.weights)
    for group, other in zip(again.dataset.groups, problem.dataset.groups, strict=True):
        assert (group.name, group.levels, group.kind, group.cuts) == (other.name, other.levels, other.kind, other.cuts)
        np.testing.assert_array_equal(group.codes, other.codes)
    assert again.dataset.name == problem.dataset.name


@settings(derandomize=True, deadline=None, max_examples=case_count(40))
@given(
    values=st.lists(st.floats(allow_nan=True, allow_infinity=False), min_size=1, max_size=8),
    name=st.text(min_size=1, max_size=6),
    missing=st.sampled_from(MissingPolicy),
)
def test_all_numbers_and_names_survive(values: list[float], name: str, missing: MissingPolicy) -> None:
    """Floats are exact to the last bit, and names to the last character."""
    from solvers.problem import Column, Dataset, Schema

    schema = Schema((Column(name, Kind.NUMERIC),), missing)
    dataset = Dataset(name, schema, np.array(values).reshape(-1, 1), np.zeros(len(values)), (name,), name + "?")
    again = through(Problem(dataset)).dataset
    assert again.X.tobytes() == dataset.X.tobytes()
    assert again.schema == schema
    assert (again.name, again.outcome) == (name, name + "?")


def test_numbers_of_another_problem_are_refused() -> None:
    """A description and numbers of different problems are not accepted together."""
    one, other = plain(seed=1), plain(seed=2)
    with pytest.raises(RunError, match="do not match"):
        wire.problem_from_json(wire.problem_to_json(one), wire.arrays_to_bytes(other.dataset))


@pytest.mark.parametrize(
    "break_it",
    [
        lambda d: d.pop("dataset"),
        lambda d: d["dataset"].update(schema=3),
        lambda d: d["shape"].update(max_depth=99),
        lambda d: d["objective"].update(split_penalty="dear"),
        lambda d: d["objective"].update(class_costs=[[0, 1], [1]]),
        lambda d: d.update(min_leaf=2),
    ],
)
def test_a_damaged_description_is_refused(break_it) -> None:
    """Missing or wrong parts give one sentence."""
    problem = plain()
    described = json.loads(wire.dumps(wire.problem_to_json(problem)))
    break_it(described)
    with pytest.raises(RunError, match="is damaged"):
        wire.problem_from_json(described, wire.arrays_to_bytes(problem.dataset))


def test_damaged_numbers_are_refused() -> None:
    """A truncated npz archive and a pickled array are errors in sentences."""
    problem = plain()
    described = wire.problem_to_json(problem)
    whole = wire.arrays_to_bytes(problem.dataset)
    for numbers in (b"", b"PK\x03\x04 nonsense", whole[: len(whole) // 2]):
        with pytest.raises(RunError, match="is damaged"):
            wire.problem_from_json(described, numbers)


def test_unknown_constraints_are_refused() -> None:
    """A problem must not be written without its constraints."""
    with pytest.raises(RunError, match="'anything' is not a known kind of constraint"):
        wire.problem_to_json(mixed(constraints=("anything",)))


def solution_of(problem: Problem) -> Solution:
    """A solution with every field set."""
    return Solution(
        problem_id=problem.id,
        method="fake",
        status=Status.FEASIBLE,
        diagram=leaf(problem, 0),
        cost=12,
        bound=3,
        seconds=0.25,
        cpu_seconds=0.5,
        trace=(TracePoint(0.0, None, 1), TracePoint(0.1, 12, 3)),
        stats={"nodes": 5},
        verified=True,
        message="Stopped.",
    )


def test_every_event_survives_a_round_trip() -> None:
    """This includes diagrams and solutions inside events."""
    problem = mixed()
    solution = solution_of(problem)
    events = [
        Started("fake"),
        Progress(0.5, "Looking \u2026", {"nodes": 3}),
        Incumbent(0.5, 4, leaf(problem, 1)),
        Bound(0.75, 2),
        Log(1.0, "a line"),
        Finished(1.5, solution),
        Failed(2.0, "Broke.", solution),
        Failed(2.0, "Broke."),
        Cancelled(3.0, solution),
        Cancelled(3.0),
    ]
    for event in events:
        assert wire.event_from_json(json.loads(wire.dumps(wire.event_to_json(event)))) == event


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"event": "party"},
        {"event": "bound"},
        {"event": "incumbent", "elapsed": 0, "cost": 1, "diagram": []},
        {"event": "finished", "elapsed": 1, "solution": {"status": "optimal"}},
    ],
)
def test_a_damaged_event_is_refused(data: dict) -> None:
    """Unknown kinds and missing parts give one sentence."""
    with pytest.raises(RunError, match="damaged"):
        wire.event_from_json(data)


def test_numbers_are_written_as_json_allows() -> None:
    """NumPy's numbers are written as numbers, and non-finite values as null."""
    text = wire.dumps(
        {1: np.int64(3), "b": np.float32(0.5), "c": math.nan, "d": [math.inf], "e": np.arange(2), "f": {np.True_}}
    )
    assert json.loads(text) == {"1": 3, "b": 0.5, "c": None, "d": [None], "e": [0, 1], "f": [True]}


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_non_finite_numbers_are_refused(number: str) -> None:
    """NaN in JSON, and numbers beyond the range of floats, count as damage."""
    with pytest.raises(RunError, match="is not allowed as a number"):
        wire.document(f'{{"a": [{number}]}}', "It")


def test_a_cost_beyond_64_bits_is_refused() -> None:
    """This holds for any field: no method writes such a cost, and the screens could not divide it."""
    solution = to_plain(solution_of(plain()))
    for damage in ({"cost": 2**63}, {"bound": -(2**63) - 1}, {"trace": [[0.0, 10**400, None]]}):
        with pytest.raises(RunError, match="Expected `int`"):
            wire.solution_from_json(solution | damage)
    with pytest.raises(RunError, match="Expected `int`"):
        wire.event_from_json({"event": "bound", "elapsed": 0.5, "value": 2**63})


@pytest.mark.parametrize("version", [None, "1", True, wire.VERSION - 1, wire.VERSION + 1])
def test_documents_of_other_versions_are_refused(version: object) -> None:
    """A missing or non-integer version counts as another version."""
    assert wire.document(wire.dumps(wire.add_version({"title": "a"})), "It") == {"title": "a"}
    with pytest.raises(RunError, match=rf"It has version {version}, but this program reads version {wire.VERSION}"):
        wire.document(wire.dumps({"version": version}), "It")
