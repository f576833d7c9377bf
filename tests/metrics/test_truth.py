"""The truth table of a BDD."""

from dataclasses import replace

import numpy as np
import pytest

from solvers.diagram import Diagram, Leaf, Split
from solvers.errors import DiagramError
from solvers.metrics import truth
from solvers.problem import Column, Dataset, Kind, Op, Predicate, Schema, ShapeKind
from tests.diagram.models import diamond, majority
from tests.metrics.test_unfolded_tree import SIGNS, patients


def test_the_table_of_two_of_three():
    """Eight combinations in binary order, ill where two signs are there."""
    found = truth(majority())
    assert found.answers.tolist() == SIGNS.astype(bool).tolist()
    assert found.labels.tolist() == [0, 0, 0, 1, 0, 1, 1, 1]
    assert found.possible.all()
    assert found.cells(patients()).tolist() == list(range(8))
    assert found.counts(patients()).tolist() == [[int(k == y) for k in range(2)] for y in patients().y]


def test_rows_are_counted_where_they_fall():
    """Combinations without a row have zeros, and others as many rows as have them, whatever their weights."""
    X, y = SIGNS[[0, 0, 5, 7]], np.array([0, 1, 1, 1])
    rows = Dataset("r", majority().schema, X, y, majority().classes, "state", 1, np.array([2.0, 1.0, 1.0, 9.0]))
    counts = truth(majority()).counts(rows)
    assert counts[[0, 5, 7]].tolist() == [[1, 1], [0, 1], [0, 1]]
    assert counts.sum() == 4


def thresholds() -> Diagram:
    """A BDD of two limits of one column."""
    schema = Schema((Column("age", Kind.NUMERIC),))
    young, old = Predicate("age", Op.LE, 40.0, False), Predicate("age", Op.LE, 60.0, False)
    nodes = (Split(young, 2, 1), Split(old, 3, 2), Leaf(0, (1.0, 0.0)), Leaf(1, (0.0, 1.0)))
    return Diagram(ShapeKind.BDD, schema, ("no", "yes"), "y", 1, nodes)


def test_combinations_that_contradict_each_other_are_known():
    """Nobody is at most 40 and not at most 60; every other combination can occur."""
    found = truth(thresholds())
    impossible = [row for row, ok in zip(found.answers.tolist(), found.possible.tolist(), strict=True) if not ok]
    assert impossible == [[True, False]]
    ages = Dataset(
        "a", thresholds().schema, np.array([[30.0], [50.0], [70.0]]), np.array([0, 1, 0]), ("no", "yes"), "y", 1
    )
    assert found.labels[found.cells(ages)].tolist() == thresholds().predict(ages).tolist()


def test_a_leaf_alone_has_one_line():
    """Without questions there is one combination, that of no answers."""
    found = truth(replace(majority(), nodes=(Leaf(1, (1.0, 2.0)),)))
    assert (found.answers.shape, found.labels.tolist(), found.possible.tolist()) == ((1, 0), [1], [True])


def test_what_has_no_table_is_refused():
    """Too many questions, or none that all ways ask in one order."""
    assert len(truth(diamond()).labels) == 4
    with pytest.raises(DiagramError, match="8,192 lines"):
        truth(many(13))
    fever, cough, rash = (majority().nodes[i].predicate for i in (0, 1, 3))
    nodes = (Split(fever, 1, 2), Split(cough, 3, 5), Split(rash, 4, 6), Split(rash, 5, 6), Split(cough, 5, 6))
    with pytest.raises(DiagramError, match="different orders"):
        truth(replace(majority(), nodes=(*nodes, *majority().nodes[4:])))


def many(n: int) -> Diagram:
    """A BDD of n questions, one below the other."""
    schema = Schema(tuple(Column(f"x{i}", Kind.BINARY, ("no", "yes")) for i in range(n)))
    splits = [Split(Predicate(f"x{i}", Op.IS, 1.0, False), i + 1, n + (i + 1 == n)) for i in range(n)]
    nodes = (*splits[:-1], Split(splits[-1].predicate, n + 1, n), Leaf(0, (1.0, 0.0)), Leaf(1, (0.0, 1.0)))
    return Diagram(ShapeKind.BDD, schema, ("no", "yes"), "y", 1, nodes)
