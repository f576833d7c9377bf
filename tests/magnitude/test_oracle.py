"""The oracle is held against figures that were worked out by hand, and against the slow oracles of the other tests."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from solvers.constraints import MaxErrors, MaxExpectedCost, MaxMissed, MustAppear
from solvers.problem import Kind, MissingPolicy, Objective, Problem, Shape, ShapeKind
from tests import naive
from tests.magnitude import diagram_oracle, oracle, problems
from tests.methods.bdds import binary_tables as bdds
from tests.methods.diagrams import small_diagrams as diagrams
from tests.strategies import make_dataset

XOR = make_dataset({"a": (Kind.BINARY, [0, 0, 1, 1]), "b": (Kind.BINARY, [0, 1, 0, 1])}, [0, 1, 1, 0])


@pytest.mark.parametrize(
    ("depth", "price", "best"),
    [(0, 0.0, (2, 0)), (1, 0.0, (2, 0)), (2, 0.0, (0, 3)), (2, 0.1, (Fraction(3, 10), 3)), (2, 0.7, (2, 0))],
)
def test_the_parity_of_two_answers(depth: int, price: float, best: tuple[Fraction, int]) -> None:
    """Three questions tell the parity of two answers, and fewer tell nothing."""
    assert oracle.tree_optimum(Problem(XOR, Shape(max_depth=depth), Objective(split_cost=price))) == best


def test_constraints_by_hand() -> None:
    """A budget of tests allows the question that is paid for; a limit of what is missed is met exactly, or not."""
    shape = Shape(max_depth=2)
    budget = MaxExpectedCost({"a": 1, "b": 0.1}, 1.1)
    assert oracle.tree_optimum(Problem(XOR, shape, constraints=(budget,))) == (0, 3)
    assert oracle.tree_optimum(Problem(XOR, shape, constraints=(replace(budget, budget=1.09),))) == (1, 2)
    assert oracle.tree_optimum(Problem(XOR, shape, constraints=(replace(budget, budget=0.6),))) == (1, 2)
    assert oracle.tree_optimum(Problem(XOR, shape, constraints=(replace(budget, budget=0.59),))) == (2, 0)
    heavy = replace(XOR, weight=np.array([0.000001, 1.0, 2.0, 3.0]), positive=0)
    least = MaxMissed(0.000001)
    assert oracle.tree_optimum(Problem(heavy, Shape(max_depth=0), constraints=(least,))) == (3, 0)
    depth, rule = Shape(max_depth=1), MustAppear("a")
    assert oracle.tree_optimum(Problem(heavy, depth, constraints=(least, rule))) == (Fraction(2_000_001, 10**6), 1)
    assert oracle.tree_optimum(Problem(heavy, depth, constraints=(replace(least, most=0), rule))) is None


def test_a_filled_value_parts_rows_of_its_own() -> None:
    """Between 1 and 3 a threshold may leave the missing value, which counts as 2, on either side."""
    table = make_dataset({"a": (Kind.NUMERIC, [1, 3, float("nan")])}, [0, 1, 1], missing=MissingPolicy.IMPUTE)
    assert oracle.tree_optimum(Problem(table, Shape(max_depth=1))) == (0, 1)
    assert oracle.tree_optimum(Problem(replace(table, y=np.array([0, 1, 0])), Shape(max_depth=1))) == (0, 1)


@pytest.mark.parametrize("k", range(12))
def test_two_oracles_agree(k: int) -> None:
    """Where the slow oracles of other tests apply they find the same least cost of trees, BDDs and diagrams."""
    rng = problems.generator("oracles", k)
    tree = problems.tree_problem(rng, 10**5, rows=8, columns=2, depth=2)
    best, other = oracle.tree_optimum(tree), naive.optimum(tree)
    assert other == (None if best is None else (best.cost * tree.scale, best.questions))
    bdd = Problem(tree.dataset, Shape(ShapeKind.BDD, max_depth=2), replace(tree.objective, split_cost=0.0))
    assert diagram_oracle.bdd_optimum(bdd).cost * bdd.scale == bdds.optimum(bdd)
    widths = Shape(ShapeKind.DIAGRAM, widths=(1, 2))
    diagram = Problem(diagrams.small_table(rng, n_rows=6), widths, Objective(split_cost=0.25, free_root=bool(k % 2)))
    assert diagram_oracle.diagram_optimum(diagram).cost * diagram.scale == diagrams.optimum(diagram)
    rich = replace(diagram, constraints=(MaxErrors(6),))
    assert diagram_oracle.diagram_optimum(rich) == diagram_oracle.diagram_optimum(diagram)
