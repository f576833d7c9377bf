"""From a request and a table to a problem: each field has its effect, and contradictions are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from solvers.constraints import MinSamplesSplit
from solvers.posing import build_problem, constraints_in, costs_of, for_its_shape, named_costs, under
from solvers.problem import MAX_DEPTH, Problem, ShapeKind, read_table
from solvers.problem.skeleton import objective_of
from solvers.request import Request

CONTENT = b"age,bmi,ward,score,state\n" + b"".join(
    f"{20 + i},{i * 7 % 5},{'ABC'[i % 3]},{1 + i % 3},{'ill' if i > 20 else 'well'}\n".encode() for i in range(40)
)
TABLE = read_table(CONTENT, name="ward")
DIAGRAM = {"shape": "diagram", "skeleton": (1, 2)}

EFFECTS: list[tuple[dict[str, Any], Callable[[Problem], object], object]] = [
    ({"features": ("age", "bmi")}, lambda p: p.dataset.schema.names, ("age", "bmi")),
    ({"features": ("age", "bmi", "ward"), "drop": ("age",)}, lambda p: p.dataset.schema.names, ("bmi", "ward")),
    ({"drop": ("age", "score")}, lambda p: p.dataset.schema.names, ("bmi", "ward")),
    ({"drop": ("ward",), "groups": ("ward",)}, lambda p: [group.name for group in p.dataset.groups], ["ward"]),
    ({"weight": "score"}, lambda p: (p.dataset.total_weight, "score" in p.dataset.schema.names), (79.0, False)),
    ({"positive": "well"}, lambda p: p.dataset.classes[p.dataset.positive], "well"),
    ({"types": {"score": "categorical"}}, lambda p: p.dataset.schema["score"].kind, "categorical"),
    ({"levels": {"ward": ("C", "A", "B")}}, lambda p: p.dataset.schema["ward"].levels, ("C", "A", "B")),
    ({"test_share": 0.25}, lambda p: p.dataset.n_samples, 30),
    ({}, lambda p: (p.shape.kind, p.shape.max_depth), (ShapeKind.TREE, 3)),
    ({"max_depth": "any"}, lambda p: p.shape.max_depth, MAX_DEPTH),
    ({"method": "smallest-tree"}, lambda p: p.shape.max_depth, MAX_DEPTH),
    ({"method": "oodg"}, lambda p: p.shape.kind, ShapeKind.BDD),
    ({"method": "odd-greedy"}, lambda p: p.shape.kind, ShapeKind.DIAGRAM),
    (
        {"min_samples_leaf": 6, "max_leaf_nodes": 3},
        lambda p: (p.shape.min_samples_leaf, p.shape.max_leaf_nodes),
        (6, 3),
    ),
    ({"min_weight_leaf": 12.5}, lambda p: p.shape.min_weight_leaf, 12.5),
    ({"split_penalty": 0.5}, lambda p: p.objective.split_penalty, 0.5),
    ({"class_costs": {"ill": {"well": 5}}}, lambda p: p.objective.class_costs, ((0.0, 5.0), (1.0, 0.0))),
    ({"treatment_threshold": 0.2, "positive": "ill"}, lambda p: p.objective.class_costs, ((0.0, 4.0), (1.0, 0.0))),
    ({"min_samples_split": 7}, lambda p: p.constraints, (MinSamplesSplit(7),)),
    ({"round_thresholds": True}, lambda p: [one.kind for one in p.constraints], ["round-thresholds"]),
    ({"shape": "diagram"}, lambda p: p.shape.widths, (1, 2, 4, 8)),
    ({**DIAGRAM, "split_features": "any"}, lambda p: (p.shape.widths, p.shape.split_features), ((1, 2), None)),
    ({**DIAGRAM, "alpha": 0.2}, lambda p: p.objective, objective_of(0.2, 40)),
    ({**DIAGRAM, "max_splits": 2}, lambda p: p.shape.max_splits, 2),
]


@pytest.mark.parametrize(("fields", "effect", "expected"), EFFECTS, ids=[" ".join(one[0]) for one in EFFECTS])
def test_each_field_has_its_effect(
    fields: dict[str, Any], effect: Callable[[Problem], object], expected: object
) -> None:
    """The problem of a request has what the field asks for."""
    assert effect(build_problem(Request(target="state", **fields), TABLE).problem) == expected


def test_costs_are_named_and_found_again() -> None:
    """The costs of a problem, written by class, are the costs of the next problem."""
    data = build_problem(Request(target="state"), TABLE).problem.dataset
    costs = ((0.0, 2.5), (1.0, 0.0))
    assert costs_of(Request(target="state", class_costs=named_costs(costs, data.classes)), data) == costs


def test_a_request_under_other_constraints_has_only_those() -> None:
    """The constraints that two other fields make are among those given."""
    request = under(Request(target="state", min_samples_split=5, round_thresholds=True), [MinSamplesSplit(9)])
    assert build_problem(request, TABLE).problem.constraints == constraints_in(request) == (MinSamplesSplit(9),)


@pytest.mark.parametrize("shape", ["tree", "bdd", "diagram"])
def test_fields_of_other_shapes_have_no_effect(shape: str) -> None:
    """A form keeps the values of all shapes; the request for one shape is without contradiction."""
    everything = {"max_depth": 4, "max_leaf_nodes": 6, "max_splits": 7, "skeleton": (1, 2), "alpha": 0.1}
    everything |= {"split_penalty": 1.0, "split_features": 3, "min_samples_split": 5, "min_samples_leaf": 2}
    request = for_its_shape(Request(target="state", shape=shape, **everything))
    problem = build_problem(request, TABLE).problem
    assert problem.shape.kind == shape and request == for_its_shape(request)
    assert (problem.constraints, problem.shape.split_features) == (
        ((MinSamplesSplit(5),), 3) if shape == "diagram" else ((), 1)
    )
