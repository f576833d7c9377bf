"""Optimal trees with splits on several columns: the search for diagrams in the topology of a tree."""

from __future__ import annotations

import threading
from itertools import islice

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.methods.diagrams.odd_search.method import OddSearch
from solvers.methods.diagrams.odd_search.multivariate.planes import LineMaker, PlaneDiagram
from solvers.methods.diagrams.odd_search.multivariate.search import Climber
from solvers.methods.diagrams.terms import terms_of
from solvers.metrics.verify import verify
from solvers.problem import Dataset, Kind, Limits, Objective, Problem, Shape, ShapeKind
from solvers.problem.skeleton import objective_of
from solvers.solution import Status
from tests.case_count import case_count
from tests.methods.diagrams.small_diagrams import half_planes
from tests.oracle.diagrams import diagram_least_cost
from tests.strategies import make_dataset


def table_of(X: np.ndarray, y: np.ndarray, n_classes: int | None = None) -> Dataset:
    """A table of numbers."""
    columns = {f"x{j}": (Kind.NUMERIC, x) for j, x in enumerate(X.T)}
    return make_dataset(columns, y, n_classes=n_classes or int(y.max()) + 1)


def shape(*widths: int, features: int | None = None) -> Shape:
    """A skeleton whose splits may combine columns."""
    return Shape(kind=ShapeKind.DIAGRAM, widths=widths, split_features=features)


@settings(derandomize=True, deadline=None, max_examples=case_count(12))
@given(seed=st.integers(0, 10**6))
def test_optimal_trees(seed: int) -> None:
    """The cheapest tree over all topologies in which no two arcs meet and all lines of a plane."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 8))
    table = table_of(rng.integers(0, 4, (n, 2)), rng.integers(0, 2, n), 2)
    widths = ((1, 2), (1, 2, 2), (1, 1, 2), (1, 2, 3))[rng.integers(4)]
    objective = Objective(split_penalty=float(rng.choice([0.5, 1, 0.3])), free_root=bool(rng.random() < 0.5))
    problem = Problem(table, shape(*widths), objective)
    found = OddSearch(topology="tree").run(problem, Limits(seconds=60), lambda event: None, threading.Event())
    assert found.status is Status.OPTIMAL and verify(problem, found).ok
    assert all(len(arcs) <= 1 for arcs in found.diagram.parents[: found.diagram.n_splits])
    assert found.cost == diagram_least_cost(problem, tree=True, answers=[*half_planes(table), np.ones(n, bool)])


def test_the_local_search_stays_among_trees() -> None:
    """Every local optimum of the search for trees is a tree with the cost of its draft; diagrams are refused."""
    rng = np.random.default_rng(3)
    table = table_of(rng.integers(0, 6, (40, 2)).astype(float), rng.integers(0, 3, 40))
    problem = Problem(table, shape(1, 2, 4), objective_of(0.05, 40))
    terms = terms_of(problem)
    most = 0
    for diagram in islice(Climber(terms, 1, lambda: False, tree=True).optima(), 30):
        draft = diagram.draft()
        if draft is not None:
            assert draft.is_tree and draft.cost(problem) <= diagram.cost
            most = max(most, draft.n_questions)
    assert most >= 4, "trees of several questions are looked at"
    shared = next(d for d in (x.draft() for x in Climber(terms, 1, lambda: False).optima()) if d and not d.is_tree)
    assert not PlaneDiagram(terms, LineMaker(terms, rng).points, tree=True).write(shared)


def test_trees_with_splits_on_single_columns_are_refused() -> None:
    """The topology of a tree is for sums of columns; else the reason names the shape to choose."""
    problem = Problem(table_of(np.eye(3), np.arange(3)), shape(1, features=1))
    (reason,) = OddSearch(topology="tree").check(problem)
    assert "shape 'tree'" in reason.remedy
