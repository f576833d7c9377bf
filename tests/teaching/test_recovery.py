"""What a worker answers for the lessons: optima of shapes, and generators learned back from examples."""

from __future__ import annotations

import json
import threading

import numpy as np
import pytest

from solvers.errors import ShapeError, UnknownMethodError
from solvers.problem import Limits, ShapeKind
from solvers.run.answers import answer_from_json, answer_to_json
from solvers.run.tasks import task_from_json, task_to_json
from solvers.teaching import Optima, Recipe, RecoverGenerators, Rule, ShapeRequest, SolveShapes, recover
from solvers.teaching.generators import random_tree
from solvers.teaching.recovery import bits_dataset
from tests.teaching.lessons import problem_of, solved

SMALL = RecoverGenerators(generators=6, depth=3, features=5, sizes=(6, 24, 96))


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


@pytest.mark.parametrize("task", [SolveShapes((ShapeRequest("2", options=(("a", "b"),)),)), SMALL])
def test_tasks_survive_being_written_down(task):
    """As JSON in a run folder and back."""
    assert task_from_json(json.loads(json.dumps(task_to_json(task)))) == task


def test_answers_survive_being_written_down():
    """Optima with and without a model, and a sweep."""
    optima, _ = answered(
        SolveShapes((ShapeRequest("1", depth=1), ShapeRequest("x", "bdd-search"))), problem_of(Recipe(Rule.XOR))
    )
    *_, recovery = recover(SMALL)
    for answer in (optima, recovery, Optima((), 0.0)):
        assert answer_from_json(json.loads(json.dumps(answer_to_json(answer)))) == answer


def test_smallest_trees_recover_more_generators_than_greedy_ones():
    """With few examples neither does, with many the smallest trees do first; questions and shares say how far off."""
    *_, last = recover(SMALL)
    assert last.done == last.total == 6 * 3 * 3
    points = {(point.method, point.examples): point for point in last.points}
    smallest = [points["smallest-tree", n] for n in SMALL.sizes]
    assert smallest[0].recovered < smallest[-1].recovered == 6
    assert smallest[-1].right == 1.0
    for method in ("c45-grown", "cart"):
        greedy = [points[method, n] for n in SMALL.sizes]
        assert all(a.recovered <= b.recovered for a, b in zip(greedy, smallest, strict=True))
        assert greedy[1].questions > smallest[1].questions


def test_recovered_means_right_on_every_input():
    """Of a generator whose every input was an example all methods that make no error are right everywhere."""
    random = np.random.default_rng(0)
    tree = random_tree(2, 3, random)
    every = np.array([[bool(i >> j & 1) for j in range(3)] for i in range(8)])
    data = bits_dataset(every, tree.answers(every))
    assert np.array_equal(data.y.astype(bool), tree.answers(every))
    *_, last = recover(RecoverGenerators(generators=4, depth=2, features=3, sizes=(200,)))
    assert all(point.recovered == 4 for point in last.points if point.method == "smallest-tree")
    assert solved("contree", problem_of(Recipe(Rule.TREE, size=1), 1)).cost == 0


def test_the_sweep_is_told_generator_by_generator_and_stops():
    """Every report has all points; once stopped, nothing more is told and the last answer stands."""
    stop = threading.Event()
    reports = []
    for report in recover(SMALL, stop):
        reports.append(report)
        if len(reports) == 2:
            stop.set()
    assert [report.points[0].of for report in reports] == [1, 2]


def test_sweeps_that_cannot_be_are_refused():
    """More questions than features, no generators, unknown methods."""
    with pytest.raises(ShapeError, match="features"):
        RecoverGenerators(depth=6, features=5)
    with pytest.raises(ShapeError, match="generator"):
        RecoverGenerators(generators=0)
    with pytest.raises(UnknownMethodError, match="smallest-tree"):
        RecoverGenerators(methods=("magic",))
