"""The tree equivalent to a diagram, its repeated splits, and how rows spread over shared nodes."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.diagram import Diagram, Leaf, Split
from solvers.metrics import answer_counts, fragmentation, node_counts, unfolded
from solvers.problem import Column, Dataset, Kind, Op, Predicate, Schema, ShapeKind
from tests.case_count import case_count
from tests.diagram.models import combined, graphs, ladder, majority, tree
from tests.metrics.tables import table

NUMBERS = Schema(tuple(Column(f"x{j}", Kind.NUMERIC) for j in range(3)))
GRAPHS = graphs(
    NUMBERS, st.builds(lambda j, t: Predicate(f"x{j}", Op.LE, float(t), False), st.integers(0, 2), st.integers(0, 3))
)
SIGNS = np.array([[f, c, r] for f in (0, 1) for c in (0, 1) for r in (0, 1)], float)


def patients() -> Dataset:
    """Each combination of three signs once; rows with exactly two signs are ill."""
    ill = (SIGNS.sum(axis=1) >= 2).astype(np.int64)
    return Dataset("patients", majority().schema, SIGNS, ill, majority().classes, "state", 1)


def test_a_shared_split_is_copied_for_each_path():
    """'Two of three' needs four splits, and a tree five: it repeats the split on rash, each with two of the rows."""
    assert (majority().n_splits, unfolded(majority()).n_splits) == (4, 5)
    shared = fragmentation(majority(), patients(), support=3)
    repeated = fragmentation(unfolded(majority()), patients(), support=3)
    assert shared.questions == (8, 4, 4, 4)
    assert sorted(repeated.questions) == [2, 2, 4, 4, 8]
    assert (shared.n_small_questions, repeated.n_small_questions) == (0, 2)


def test_unfolding_a_tree_changes_nothing():
    """Unfolding a tree gives the tree."""
    assert (unfolded(tree()).n_splits, unfolded(tree()).n_leaves) == (3, 4)


def test_a_huge_tree_is_not_unfolded():
    """A diagram of twenty layers equals a tree of a million leaves; nothing is claimed about it."""
    assert unfolded(ladder(20)) is None


def test_splits_decided_by_the_path_are_omitted():
    """After 'age <= 40' the split 'age <= 60' is decided."""
    schema = Schema((Column("age", Kind.NUMERIC), Column("b", Kind.BINARY, ("no", "yes"))))
    young, old = Predicate("age", Op.LE, 40.0, False), Predicate("age", Op.LE, 60.0, False)
    b = Predicate("b", Op.IS, 1.0, False)
    nodes = (Split(young, 2, 1), Split(b, 2, 3), Split(old, 3, 4), Leaf(0, (0.0, 0.0)), Leaf(1, (0.0, 0.0)))
    diagram = Diagram(ShapeKind.DIAGRAM, schema, ("no", "yes"), "y", 1, nodes)
    assert unfolded(diagram).n_splits == 3
    X = np.array([[a, s] for a in (30.0, 50.0, 70.0) for s in (0.0, 1.0)])
    assert unfolded(diagram).predict(X).tolist() == diagram.predict(X).tolist()


@settings(derandomize=True, deadline=None, max_examples=case_count(80))
@given(GRAPHS)
def test_the_tree_makes_the_same_predictions(diagram):
    """For every combination of values, and without splits decided by the path: both sides have rows."""
    X = np.array([[a, b, c] for a in range(5) for b in range(5) for c in range(5)], float)
    grown = unfolded(diagram)
    assert grown.kind is ShapeKind.TREE
    assert grown.predict(X).tolist() == diagram.predict(X).tolist()
    assert grown.reach(X).any(axis=0).all()


@settings(derandomize=True, deadline=None, max_examples=case_count(40))
@given(GRAPHS, st.integers(0, 2**32 - 1))
def test_arcs_into_a_node_carry_its_rows(diagram, seed):
    """The rows on all arcs to a node sum to the rows of the node."""
    rng = np.random.default_rng(seed)
    X, weight = rng.integers(0, 5, (30, 3)).astype(float), rng.integers(1, 5, 30).astype(float)
    data = Dataset("t", diagram.schema, X, rng.integers(0, 2, 30), diagram.classes, "y", 1, weight)
    flows, counts = answer_counts(diagram, data), node_counts(diagram, data)
    for i, arcs in enumerate(diagram.parents):
        if arcs:
            assert counts[i].sum() == sum(flows[parent, 0 if yes else 1] for parent, yes in arcs)
    assert flows[0].sum() == weight.sum()


def test_rows_flow_through_linear_splits():
    """Rows are counted by the values of the linear splits."""
    X = np.array([[50.0, 20.0], [90.0, 40.0], [40.0, 45.0]])
    data = Dataset("t", combined().schema, X, np.array([0, 1, 1]), combined().classes, "state", 1)
    assert answer_counts(combined(), data).tolist() == [[1, 2], [1, 0], [1, 1], [0, 0], [0, 0]]


def test_a_model_without_splits_has_no_split_with_few_rows():
    """The fragmentation of a single leaf."""
    schema = Schema((Column("x", Kind.NUMERIC),))
    alone = Diagram(ShapeKind.TREE, schema, ("no", "yes"), "y", 1, (Leaf(0, (1.0, 1.0)),))
    facts = fragmentation(alone, table([0, 1]))
    assert (facts.leaves, facts.questions, facts.n_small_questions) == ((2,), (), 0)
