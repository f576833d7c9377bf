"""What a worker answers for the lessons: the optimal model of each shape."""

from __future__ import annotations

import json
import threading

from solvers.explain import Task
from solvers.problem import Limits, ShapeKind
from solvers.run.json_types import from_json, kind_from_json, kind_to_json, to_json
from solvers.teaching import Optima, Recipe, Rule, ShapeRequest, SolveShapes
from tests.teaching.lessons import problem_of


def answered(task, problem):
    """The answer, and all that was told on the way."""
    events = []
    answer = task.answer(problem, None, Limits(), threading.Event(), events.append)
    return answer, events


def test_shapes_are_solved_and_proved_in_order():
    """Trees of two depths and the BDD of parity: costs are those of the methods, each is told once it is known."""
    problem = problem_of(Recipe(Rule.PARITY, size=3))
    task = SolveShapes(
        (ShapeRequest("2", depth=2), ShapeRequest("3", depth=3), ShapeRequest("bdd", "bdd-search", ShapeKind.BDD, 3))
    )
    answer, events = answered(task, problem)
    assert [optimum.key for optimum in answer.found] == ["2", "3", "bdd"]
    assert [optimum.cost for optimum in answer.found] == [32, 0, 0]
    assert all(optimum.proved for optimum in answer.found)
    assert answer.of("bdd").diagram.n_splits == 5 < answer.of("3").diagram.n_splits == 7
    assert [len(part.found) for part in events] == [1, 2, 3]
    assert answer.of("nothing") is None


def test_what_a_method_refuses_is_said():
    """A shape that a method does not make has no model but a reason, and the others are solved all the same."""
    answer, _ = answered(
        SolveShapes((ShapeRequest("x", "bdd-search"), ShapeRequest("y"))), problem_of(Recipe(Rule.XOR))
    )
    refused, found = answer.found
    assert refused.diagram is None and "tree" in refused.message and not refused.proved
    assert found.proved


def test_tasks_survive_being_written_down():
    """As JSON in a run folder and back."""
    task = SolveShapes((ShapeRequest("2", options=(("a", "b"),)),))
    assert from_json(Task, json.loads(json.dumps(to_json(task)))) == task


def test_answers_survive_being_written_down():
    """Optima with and without a model."""
    optima, _ = answered(
        SolveShapes((ShapeRequest("1", depth=1), ShapeRequest("x", "bdd-search"))), problem_of(Recipe(Rule.XOR))
    )
    for answer in (optima, Optima((), 0.0)):
        assert kind_from_json("answer", json.loads(json.dumps(kind_to_json("answer", answer)))) == answer
