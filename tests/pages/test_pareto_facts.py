"""Error, size and fairness of many models: who is on the front, and how it is drawn."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from components.compare.facts import Predictions, SessionModel
from components.compare.pareto_facts import MEASURES, ParetoFront, front
from components.compare.pareto_figures import front_figure
from components.session.work import FinishedModel
from solvers.diagram import Diagram, Leaf, Split
from solvers.metrics import fairness
from solvers.problem import Group, Op, Predicate, Problem, Shape, ShapeKind
from solvers.solution import Solution, Status
from tests.metrics.tables import table
from tests.pages.handmade import solution_of

Y = [1] * 20 + [0] * 20
SEX = Group("sex", ("f", "m"), np.array([0, 1] * 20))


def chain(n_questions: int) -> Diagram:
    """A tree that asks so many questions, one below the other."""
    data = table(Y)
    nodes: list[Split | Leaf] = []
    for i in range(n_questions):
        nodes += [Split(Predicate("x", Op.LE, float(i), False), 2 * i + 1, 2 * i + 2), Leaf(0, (0.0, 0.0))]
    nodes.append(Leaf(1, (0.0, 0.0)))
    return Diagram(ShapeKind.TREE, data.schema, data.classes, data.outcome, data.positive, tuple(nodes))


@cache
def model(n_questions: int, proved: bool) -> FinishedModel:
    """A model of this size."""
    problem = Problem(table(Y), Shape(max_depth=10))
    found = solution_of(problem, chain(n_questions), "contree")
    if proved:
        found = Solution(
            problem.id, "contree", Status.OPTIMAL, found.diagram, found.cost, found.cost, 0.1, 0.1, verified=True
        )
    return FinishedModel("contree", "T", found, True, problem)


def predictions(title: str, n_questions: int, wrong: list[int], proved: bool = False) -> Predictions:
    """A model with so many questions that gets these rows wrong."""
    data = table(Y, groups=(SEX,))
    predicted = np.array(Y)
    predicted[wrong] = 1 - predicted[wrong]
    return Predictions(SessionModel(title, title, None, model(n_questions, proved)), data, predicted)


MODELS = [
    predictions("small", 1, [0, 2, 4, 6, 20, 22], proved=True),
    predictions("middle", 2, [0, 1, 2, 20], proved=True),
    predictions("worse", 3, [0, 1, 2, 3, 20]),
    predictions("large", 3, [0, 2]),
]


def shown(models: list[Predictions] = MODELS, **more: object) -> ParetoFront:
    """The facts of the models on training rows."""
    return front(models, "training", train=models, test=None, **more)


def test_the_front_of_errors_and_size_by_hand():
    """Six errors with one question, four with two, two with three; five with three are beaten."""
    found = shown(chosen=("middle",))
    assert found.models["on_front"].tolist() == [True, True, False, True]
    assert found.models["counts"].tolist() == ["6 of 40", "4 of 40", "5 of 40", "2 of 40"]
    assert found.models["proved"].tolist() == [True, True, False, False]
    assert found.models["chosen"].tolist() == [False, True, False, False]
    assert found.steps("splits") == [(1, 6 / 40), (2, 4 / 40), (3, 2 / 40)]
    assert found.steps("difference") == []
    assert found.sentence.startswith("3 of 4 models are on the front")


def test_fairness_can_make_a_beaten_model_worth_a_look():
    """The model with five errors treats both groups alike better than any other: no other one beats it in all three."""
    found = shown(group="sex", measure="equal_opportunity")
    # of ten positive women and ten positive men: missed 4 and 0, 2 and 1, 2 and 2, 2 and 0
    assert found.models["difference"].tolist() == pytest.approx([0.4, 0.1, 0.0, 0.2])
    assert found.models["on_front"].tolist() == [True, True, True, True]
    corners = np.array([(0.0, 5 / 40), (0.1, 4 / 40), (0.2, 2 / 40)])
    assert np.array(found.steps("difference")) == pytest.approx(corners)
    assert found.group == "sex"


@pytest.mark.parametrize("measure", list(MEASURES))
def test_gaps_are_those_of_the_fairness_report(measure):
    """Each measure is the difference that the fairness of the model tells."""
    found = shown(group="sex", measure=measure)
    for gap, one in zip(found.models["difference"], MODELS, strict=True):
        assert gap == getattr(fairness(one.data, one.predicted, "sex"), measure).difference.value


def test_groups_that_are_too_small_leave_errors_and_size():
    """Where too few rows speak for the groups, no gap is told and the front is that of the other two figures."""
    rare = Group("rare", ("f", "m"), np.array([1] * 38 + [0] * 2))
    models = [one._replace(data=table(Y, groups=(rare,))) for one in MODELS]
    found = shown(models, group="rare")
    assert found.group is None and found.models["on_front"].tolist() == [True, True, False, True]


def test_each_point_carries_the_key_of_its_model():
    """What a click tells is the key; the front is drawn above what it beats, and hostile names are escaped."""
    models = [*MODELS, predictions("<b>\u03bb</b>", 4, [])]
    facts = shown(models, group="sex")
    for over_difference in (False, True):
        (points,) = [
            trace
            for trace in front_figure(facts, dark=False, over_difference=over_difference).data
            if trace.mode == "markers"
        ]
        assert {data[0] for data in points.customdata} == {one.entry.key for one in models}
        assert all("<b>\u03bb" not in data[1] for data in points.customdata)
        gaps = [100 * facts.models["difference"][data[0]] for data in points.customdata]
        assert not over_difference or list(points.x) == gaps
    points = front_figure(shown(models), dark=True).data[-1]
    assert points.customdata[0][0] == "worse" and points.marker.opacity[0] < 1


def test_names_that_would_meet_are_left_to_the_pointer():
    """Ten models close together do not write over each other; the chosen one keeps its name."""
    models = [predictions(f"model number {i}", 5 + i, list(range(20 - i))) for i in range(10)]
    facts = shown(models, chosen=("model number 7",))
    named = [note.text for note in front_figure(facts, dark=True, height=160).layout.annotations]
    assert "model number 7" in named and 0 < len(named) < 10
