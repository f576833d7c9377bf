"""The independent check: correct solutions pass, and every tampered one is caught."""

import threading
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from solvers.diagram import Diagram, Leaf, Split
from solvers.messages.results import describe_result
from solvers.methods import registry
from solvers.metrics import verified, verify
from solvers.metrics.words import in_units
from solvers.problem import (
    Column,
    Dataset,
    Kind,
    Limits,
    LinearPredicate,
    MissingPolicy,
    Objective,
    Op,
    Predicate,
    Problem,
    Schema,
    Shape,
    ShapeKind,
)
from solvers.solution import EndReason, Solution, Status, TracePoint
from tests.case_count import case_count
from tests.metrics.tables import table
from tests.strategies import make_dataset, problems

NAN = float("nan")


def small_problem(**changes) -> Problem:
    """x = 0..5, classes 0 0 1 1 0 1: at depth 2 there is one error, two fewer than without a split."""
    return Problem(table([0, 0, 1, 1, 0, 1], **changes), Shape(max_depth=2))


def claimed(problem: Problem, **changes) -> Solution:
    """A correct solution of `small_problem()`: x <= 1.5, one error, and a lower bound of 1."""
    dataset = problem.dataset
    nodes = (Split(Predicate("x", Op.LE, 1.5, False), 1, 2), Leaf(0, (2.0, 0.0)), Leaf(1, (1.0, 3.0)))
    diagram = Diagram(ShapeKind.TREE, dataset.schema, dataset.classes, "y", 1, nodes)
    return replace(Solution(problem.id, "test", Status.OPTIMAL, diagram, 1, 1, 0.1, 0.1), **changes)


def tampered(diagram: Diagram, **changes) -> Diagram:
    """A diagram with changed fields, without the validation of its class."""
    out = object.__new__(Diagram)
    for name in ("kind", "schema", "classes", "outcome", "positive", "nodes"):
        object.__setattr__(out, name, changes.get(name, getattr(diagram, name)))
    return out


def failed(problem: Problem, solution: Solution) -> list[str]:
    """The names of the failed checks."""
    return [check.name for check in verify(problem, solution).failures]


def test_a_correct_solution_passes():
    """All checks hold, and the solution is marked as verified."""
    problem = small_problem()
    verification = verify(problem, claimed(problem))
    assert verification.ok
    assert verification.failures == ()
    assert [c.detail for c in verification.checks if c.name == "cost"] == ["The cost is 1, from 1 errors in 6 rows."]
    assert verified(problem, claimed(problem)).verified is True


@pytest.mark.parametrize(
    ("changes", "check"),
    [
        ({"cost": 0, "bound": 0}, "cost"),
        ({"cost": 2, "bound": 2}, "cost"),
        ({"cost": 0}, "status"),
        ({"bound": 0}, "status"),
        ({"bound": None}, "status"),
        ({"bound": 2}, "status"),
        ({"bound": 2, "status": Status.FEASIBLE}, "status"),
        ({"bound": -1, "status": Status.FEASIBLE}, "status"),
        ({"bound": 0.5, "status": Status.FEASIBLE}, "status"),
        ({"bound": 4, "status": Status.CANCELLED, "diagram": None, "cost": None}, "status"),
        ({"cost": 1.0}, "status"),
        ({"cost": True, "bound": True}, "status"),
        ({"cost": None, "status": Status.FEASIBLE}, "status"),
        ({"diagram": None}, "status"),
        ({"diagram": None, "cost": None}, "status"),
        ({"status": Status.INFEASIBLE}, "status"),
        ({"status": Status.INFEASIBLE, "diagram": None, "cost": None, "bound": None}, "status"),
        ({"status": Status.NO_SOLUTION}, "status"),
        ({"problem_id": "another"}, "problem"),
        ({"trace": (TracePoint(0.0, 3, 0), TracePoint(0.1, 1, 2))}, "trace"),
        ({"trace": (TracePoint(0.0, 0, None),)}, "trace"),
    ],
)
def test_false_claims_are_caught(changes, check):
    """A wrong cost, bound, status, trace or problem fails the check concerned."""
    problem = small_problem()
    assert check in failed(problem, claimed(problem, **changes))
    marked = verified(problem, claimed(problem, **changes))
    assert marked.verified is False
    assert "Not verified" in marked.message
    assert verified(problem, marked).message == marked.message
    other = replace(marked, message="Something else.")
    assert verified(problem, other) == other


@pytest.mark.parametrize(
    ("status", "bound"),
    [(Status.FEASIBLE, None), (Status.FEASIBLE, 0), (Status.CANCELLED, 1), (Status.FAILED, None)],
)
def test_correct_unproved_results_pass(status, bound):
    """A heuristic, an open gap, a stopped run; a run may also end without a model."""
    problem = small_problem()
    trace = (TracePoint(0.0, None, 0), TracePoint(0.1, 3, 0), TracePoint(0.2, 1, bound))
    assert failed(problem, claimed(problem, status=status, bound=bound, trace=trace)) == []
    nothing = {"diagram": None, "cost": None, "bound": None}
    without = Status.NO_SOLUTION if status is Status.FEASIBLE else status
    assert failed(problem, claimed(problem, status=without, **nothing)) == []


GOOD = claimed(small_problem()).diagram
ROOT, LOW, HIGH = GOOD.nodes


@pytest.mark.parametrize(
    ("nodes", "check"),
    [
        ((ROOT, Leaf(1, (2.0, 0.0)), HIGH), "cost"),
        ((ROOT, LOW, Leaf(1, (0.0, 3.0))), "counts"),
        ((ROOT, LOW, Leaf(1, (1.0, 3.0, 0.0))), "counts"),
        ((Split(Predicate("x", Op.LE, 1.5, False), 2, 1), LOW, HIGH), "cost"),
        ((Split(Predicate("x", Op.LE, 2.5, False), 1, 2), LOW, HIGH), "cost"),
        ((Split(Predicate("z", Op.LE, 1.5, False), 1, 2), LOW, HIGH), "questions"),
        ((Split(Predicate("x", Op.IS, 1.0, False), 1, 2), LOW, HIGH), "questions"),
        ((Split(ROOT.predicate, 0, 2), LOW, HIGH), "graph"),
        ((Split(ROOT.predicate, 1, 3), LOW, HIGH), "graph"),
        ((Split(ROOT.predicate, 1, 1), LOW, HIGH), "graph"),
        ((ROOT, Leaf(2, (2.0, 0.0)), HIGH), "graph"),
        ((ROOT, "leaf", HIGH), "graph"),
        ((), "graph"),
        ((Split(ROOT.predicate, 1, 1), Leaf(0, (3.0, 3.0))), "shape"),
    ],
)
def test_changed_nodes_are_caught(nodes, check):
    """A changed label, count, arc, threshold or column fails, however the diagram was made."""
    problem = small_problem()
    assert check in failed(problem, claimed(problem, diagram=tampered(GOOD, nodes=nodes)))


@pytest.mark.parametrize(
    "changes",
    [
        {"classes": ("yes", "no")},
        {"outcome": "z"},
        {"positive": None},
        {"schema": Schema(GOOD.schema.columns, MissingPolicy.COMPLETE)},
        {"schema": Schema((Column("x", Kind.DATE),))},
    ],
)
def test_a_diagram_for_another_table_is_caught(changes):
    """Classes, outcome, columns and missing-value policy must be those of the table."""
    problem = small_problem()
    assert failed(problem, claimed(problem, diagram=tampered(GOOD, **changes))) == ["table"]


@pytest.mark.parametrize(
    "shape",
    [Shape(max_depth=0), Shape(max_depth=2, max_leaf_nodes=1), Shape(ShapeKind.BDD, 2), Shape(ShapeKind.DIAGRAM, 2)],
)
def test_a_diagram_outside_the_shape_is_caught(shape):
    """Too deep, too many leaves, or of another kind."""
    problem = replace(small_problem(), shape=shape)
    assert failed(problem, claimed(problem)) == ["shape"]


def test_missing_values_follow_the_policy():
    """A missing value follows the split's rule; the policies for complete cases and imputed values are checked."""
    x, nodes = (
        [0, 1, NAN, 3, 4, NAN],
        (Split(Predicate("x", Op.LE, 1.5, True), 1, 2), Leaf(0, (2.0, 2.0)), Leaf(1, (1.0, 1.0))),
    )
    problem = small_problem(x=x)
    good = tampered(GOOD, nodes=nodes, schema=problem.dataset.schema)
    assert failed(problem, claimed(problem, diagram=good, cost=3, bound=3)) == []
    away = (Split(Predicate("x", Op.LE, 1.5, False), 1, 2), *nodes[1:])
    bad = tampered(good, nodes=away)
    assert failed(problem, claimed(problem, diagram=bad, cost=3, bound=3)) == ["cost", "counts"]

    complete = Schema(problem.dataset.schema.columns, MissingPolicy.COMPLETE)
    strict = Problem(replace(problem.dataset, schema=complete), Shape(max_depth=2))
    assert "questions" in failed(strict, claimed(strict, diagram=tampered(good, schema=complete), cost=3, bound=3))

    column = replace(problem.dataset.schema.columns[0], fill=4.0)
    filled = Schema((column,), MissingPolicy.IMPUTE)
    filling = Problem(replace(problem.dataset, schema=filled), Shape(max_depth=2))
    assert "questions" in failed(filling, claimed(filling, diagram=tampered(good, schema=filled), cost=3, bound=3))


DEAR = ((0, 1), (2.5, 0.5))
"""Predicting 'no' for a 'yes' costs 2.5, and a correct 'yes' 0.5."""


def test_the_cost_includes_classes_and_splits():
    """The cost is the sum over all predictions and splits, in units that make it an integer; other costs are caught."""
    problem = replace(small_problem(), objective=Objective(DEAR, split_penalty=0.25))
    assert problem.scale == 4
    true = 4 * (2 * 0 + 1 * 1 + 3 * 0.5 + 0.25)
    solution = claimed(problem, cost=int(true), bound=int(true))
    verification = verify(problem, solution)
    assert verification.ok
    assert "The cost is 2.75, from 1 errors in 6 rows and 1 splits." in [c.detail for c in verification.checks]
    for wrong in (10, 7, 4, 1):
        assert failed(problem, replace(solution, cost=wrong, bound=wrong)) == ["cost"]
    assert "cost" in failed(replace(problem, objective=Objective(DEAR)), solution)
    assert "cost" in failed(replace(problem, objective=Objective(split_penalty=0.25)), solution)


def test_a_minority_label_is_checked_by_its_cost():
    """A leaf may predict a class that few of its rows have; only the cost decides."""
    problem = replace(small_problem(), shape=Shape(max_depth=0), objective=Objective(((0, 1), (9, 0))))
    leaf = Leaf(1, (3.0, 3.0))
    solution = claimed(problem, diagram=tampered(GOOD, nodes=(leaf,)), cost=3, bound=3)
    assert failed(problem, solution) == []
    turned = tampered(GOOD, nodes=(structs.replace(leaf, label=0),))
    assert failed(problem, replace(solution, diagram=turned)) == ["cost"]
    assert failed(problem, replace(solution, diagram=turned, cost=27)) == ["status"]
    dear = replace(solution, status=Status.FEASIBLE, bound=4, diagram=turned, cost=27)
    assert failed(problem, dear) == ["status"], "a bound of 4 is above the cost of the other leaf"


def test_decimals_are_summed_exactly():
    """Tenths, which no float represents, give integer costs with weights, class costs and split costs together."""
    weight = [0.1, 0.2, 0.3, 0.1, 0.7, 0.1]
    problem = replace(small_problem(weight=weight), objective=Objective(((0, 0.1), (0.3, 0)), split_penalty=0.03))
    nodes = (ROOT, Leaf(0, (0.1 + 0.2, 0.0)), Leaf(1, (0.7, 0.3 + 0.1 + 0.1)))
    solution = claimed(problem, diagram=tampered(GOOD, nodes=nodes), cost=10, bound=10)
    assert problem.scale == 100
    assert failed(problem, solution) == []
    assert failed(problem, replace(solution, cost=9, bound=9)) == ["cost"]


@pytest.mark.parametrize(
    ("shape", "names"),
    [
        (Shape(max_depth=2, min_samples_leaf=2), []),
        (Shape(max_depth=2, min_samples_leaf=3), ["leaf size"]),
        (Shape(max_depth=2, min_weight_leaf=0.3), []),
        (Shape(max_depth=2, min_weight_leaf=0.31), ["leaf size"]),
        (Shape(max_depth=2, max_leaf_nodes=2, min_samples_leaf=2), []),
        (Shape(max_depth=2, max_leaf_nodes=1, min_samples_leaf=3), ["shape", "leaf size"]),
    ],
)
def test_too_small_leaves_are_caught(shape, names):
    """Fewer rows, or less weight, than the minimum; 0.1 and 0.2 sum to 0.3."""
    problem = replace(small_problem(weight=[0.1, 0.2, 1.0, 1.0, 1.0, 1.0]), shape=shape)
    nodes = (ROOT, Leaf(0, (0.1 + 0.2, 0.0)), Leaf(1, (1.0, 3.0)))
    solution = claimed(problem, diagram=tampered(GOOD, nodes=nodes), cost=10, bound=10)
    assert failed(problem, solution) == names


@pytest.mark.parametrize("kind", [ShapeKind.BDD, ShapeKind.DIAGRAM])
def test_a_leaf_without_rows_is_caught(kind):
    """Optimal means the best of the models whose leaves all have rows, for every shape."""
    problem = replace(small_problem(), shape=Shape(kind, 2))
    beyond = Split(Predicate("x", Op.LE, 9.5, False), 1, 2)
    nodes = (beyond, Leaf(0, (3.0, 3.0)), Leaf(1, (0.0, 0.0)))
    solution = claimed(problem, diagram=tampered(GOOD, kind=kind, nodes=nodes), cost=3, bound=3)
    assert "leaf size" in failed(problem, solution)


@pytest.mark.parametrize(
    ("shape", "names"),
    [
        (Shape(max_depth=2, min_samples_leaf=7), []),
        (Shape(max_depth=2, min_weight_leaf=6.5), []),
        (Shape(max_depth=2, min_samples_leaf=6), ["status"]),
        (Shape(max_depth=2, min_weight_leaf=6), ["status"]),
    ],
)
def test_infeasible_is_correct_if_the_table_is_smaller_than_a_leaf(shape, names):
    """Without constraints, no tree exists only if even all rows together are too few for a leaf."""
    problem = replace(small_problem(), shape=shape)
    nothing = claimed(problem, status=Status.INFEASIBLE, diagram=None, cost=None, bound=None)
    assert failed(problem, nothing) == names


def _bdd(*nodes) -> tuple[Problem, Solution]:
    columns = tuple(Column(name, Kind.BINARY, ("0", "1")) for name in "ab")
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], float)
    dataset = Dataset("xor", Schema(columns), X, np.array([0, 1, 1, 0]), ("even", "odd"), "y")
    problem = Problem(dataset, Shape(ShapeKind.BDD, 3))
    diagram = Diagram(ShapeKind.BDD, dataset.schema, dataset.classes, "y", None, nodes)
    return problem, Solution(problem.id, "test", Status.OPTIMAL, diagram, 0, 0, 0.1, 0.1)


def test_a_bdd_must_be_ordered_and_reduced():
    """The parity function as a BDD passes; an unreduced one and one with two orders do not."""
    a, b = (Predicate(name, Op.IS, 1.0, False) for name in "ab")
    even, odd = Leaf(0, (2.0, 0.0)), Leaf(1, (0.0, 2.0))
    assert failed(*_bdd(Split(a, 1, 2), Split(b, 3, 4), Split(b, 4, 3), even, odd)) == []
    half = Leaf(0, (1.0, 0.0)), Leaf(1, (0.0, 1.0))
    double = _bdd(Split(a, 1, 2), Split(b, 3, 4), Split(b, 5, 6), half[0], half[1], half[1], half[0])
    assert "Nodes 4 and 5 are equal" in verify(*double).failures[0].detail
    idle = _bdd(Split(a, 1, 2), Split(b, 4, 5), Split(b, 3, 4), Split(a, 5, 5), even, odd)
    assert "lead to the same node" in verify(*idle).failures[0].detail
    turned = _bdd(Split(a, 1, 2), Split(b, 4, 5), Split(b, 3, 4), Split(a, 4, 5), even, odd)
    assert "one order" in verify(*turned).failures[0].detail


@dataclass(frozen=True)
class AtLeast:
    """A constraint for the tests: every leaf has at least n rows."""

    n: int

    def violations(self, diagram: Diagram, dataset: Dataset) -> list[str]:
        """The leaves with fewer rows."""
        return [
            f"leaf {i}" for i, node in enumerate(diagram.nodes) if isinstance(node, Leaf) and sum(node.counts) < self.n
        ]


@dataclass(frozen=True)
class Broken:
    """A constraint whose own check fails."""

    def violations(self, diagram: Diagram, dataset: Dataset) -> list[str]:
        """Raise."""
        raise ZeroDivisionError("no rows")


def test_constraints_are_checked_by_their_meaning():
    """A constraint that is violated, or that cannot be checked, fails; infeasible is possible only with constraints."""
    for constraint, names in (
        (AtLeast(2), []),
        (AtLeast(3), ["constraint AtLeast"]),
        (Broken(), ["constraint Broken"]),
    ):
        problem = replace(small_problem(), constraints=(constraint,))
        assert failed(problem, claimed(problem)) == names
    infeasible = claimed(problem, status=Status.INFEASIBLE, diagram=None, cost=None, bound=None)
    assert failed(problem, infeasible) == []


@pytest.mark.parametrize("method", ["cart", "c45"])
@settings(derandomize=True, deadline=None, max_examples=case_count(25))
@given(problem=problems())
def test_results_of_the_methods_pass(method, problem):
    """Solutions of real methods on random tables with ties, missing values and weights pass every check."""
    solver = registry.get(method)
    if not solver.check(problem):
        solution = solver.run(problem, Limits(), lambda event: None, threading.Event())
        assert verify(problem, solution).failures == ()
        if solution.diagram is not None:
            cheated = replace(solution, cost=solution.cost + 1)
            assert failed(problem, cheated) == ["cost"]


def _diagram(*nodes, widths=(1, 2, 1), **shape) -> tuple[Problem, Solution]:
    columns = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "c": [0, 1, 1, 0]}
    dataset = make_dataset({name: (Kind.BINARY, values) for name, values in columns.items()}, [0, 1, 1, 1])
    skeleton = Shape(ShapeKind.DIAGRAM, widths=widths, **shape)
    problem = Problem(dataset, skeleton, Objective(split_penalty=0.5, free_root=True))
    same = (ShapeKind.DIAGRAM, dataset.schema, dataset.classes, dataset.outcome, dataset.positive)
    at = Diagram(*same, nodes).apply(dataset)
    counted = [
        Leaf(node.label, tuple(np.bincount(dataset.y[at == i], minlength=2).astype(float)))
        if isinstance(node, Leaf)
        else node
        for i, node in enumerate(nodes)
    ]
    diagram = Diagram(*same, tuple(counted))
    wrong = 2 * int((diagram.predict(dataset) != dataset.y).sum())
    cost = wrong + max(0, diagram.n_splits - 1)
    return problem, Solution(problem.id, "odd", Status.FEASIBLE, diagram, cost, None, 0.1, 0.1)


def test_a_diagram_must_fit_its_skeleton():
    """Widths, arcs to the next layer, one leaf per class, the node budget and the columns of a split are checked."""
    a, b, c = (Predicate(name, Op.IS, 1.0, missing=False) for name in "abc")
    both = LinearPredicate(("a", "b"), (1.0, 2.0), 1.5, missing=False)
    ends = (Leaf(0, (0.0, 0.0)), Leaf(1, (0.0, 0.0)))
    fits = (Split(a, 1, 2), Split(b, 3, 4), Split(c, 3, 5), Split(b, 5, 4), *ends)
    assert failed(*_diagram(*fits)) == []
    assert failed(*_diagram(*fits, widths=(1, 1, 1))) == ["shape"]
    assert failed(*_diagram(*fits, max_splits=3)) == ["shape"]
    sums = (Split(both, 1, 2), *ends)
    assert failed(*_diagram(*sums)) == ["shape"]
    assert failed(*_diagram(*sums, split_features=2)) == []
    long_arc = (Split(a, 1, 3), Split(b, 2, 4), Split(c, 3, 5), Split(b, 5, 4), *ends)
    assert failed(*_diagram(*long_arc, widths=(1, 2, 2, 2))) == ["shape"]
    assert failed(*_diagram(Split(a, 1, 2), ends[1], ends[1])) == ["shape"]


def test_a_free_root_split_has_no_cost():
    """The root split costs nothing if the objective says so; the other splits have their cost."""
    a, b = (Predicate(name, Op.IS, 1.0, missing=False) for name in "ab")
    ends = (Leaf(0, (0.0, 0.0)), Leaf(1, (0.0, 0.0)))
    problem, solution = _diagram(Split(a, 2, 1), ends[0], ends[1])
    assert solution.cost == 2 == problem.cost(solution.diagram.predict(problem.dataset), 1)
    assert failed(problem, solution) == []
    problem, solution = _diagram(Split(a, 3, 1), Split(b, 3, 2), *ends)
    assert solution.cost == 1 == problem.cost(solution.diagram.predict(problem.dataset), 2)
    assert failed(problem, solution) == []
    assert "cost" in failed(problem, replace(solution, cost=2))


@given(st.integers(0, 10**18), st.sampled_from([1, 10, 10**4, 10**6, 10**9]))
def test_a_cost_is_shown_exactly_in_the_units_of_the_user(cost: int, scale: int) -> None:
    """Also above 2^53, where a float would be rounded."""
    assert Fraction(in_units(cost, scale).replace(",", "")) == Fraction(cost, scale)


def test_checks_and_sentences_show_costs_in_the_units_of_the_user() -> None:
    """The integers of the solvers are not shown."""
    problem = replace(small_problem(), objective=Objective(DEAR, split_penalty=0.25))
    solution = claimed(problem, cost=11, bound=5, status=Status.FEASIBLE, ended=EndReason.TIME_LIMIT)
    checks = {check.name: check.detail for check in verify(problem, solution).checks}
    assert checks["status"] == "The status feasible fits cost 2.75 and lower bound 1.25."
    assert checks["cost"] == "The cost is 2.75, from 1 errors in 6 rows and 1 splits."
    wrong = [check.detail for check in verify(problem, replace(solution, cost=12, bound=13)).failures]
    assert "The lower bound 3.25 is above the cost 3." in wrong
    assert "The cost is 2.75, not 3 as claimed." in wrong
    assert "costs less than 1.25." in describe_result(problem, solution)
