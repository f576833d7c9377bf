"""Fragmentation, class counts of nodes, risks of leaves, and differences between two models."""

from dataclasses import replace

import numpy as np
import pytest

from solvers.diagram import Diagram, Leaf, Split
from solvers.errors import DataError
from solvers.metrics import fragmentation, leaf_risks, node_counts, wilson
from solvers.problem import Column, Kind, Op, Predicate, Schema, ShapeKind
from tests.metrics.tables import table

SCHEMA = Schema((Column("x", Kind.NUMERIC),))


def ladder(*thresholds: float, labels: tuple[int, ...]) -> Diagram:
    """A tree that asks x <= t for increasing thresholds; the yes side is a leaf."""
    nodes = []
    for i, threshold in enumerate(thresholds):
        nodes += [Split(Predicate("x", Op.LE, threshold, False), 2 * i + 1, 2 * i + 2), Leaf(labels[i], (0.0, 0.0))]
    nodes.append(Leaf(labels[-1], (0.0, 0.0)))
    order = tuple(nodes)
    return Diagram(ShapeKind.TREE, SCHEMA, ("no", "yes"), "y", 1, order)


def test_fragmentation_by_hand():
    """Leaves of 4, 12 and 84 rows."""
    dataset = table([0] * 4 + [1] * 96)
    facts = fragmentation(ladder(3.5, 15.5, labels=(0, 1, 0)), dataset, support=10)
    assert facts.leaves == (4, 12, 84)
    assert (facts.n, facts.n_small) == (100, 1)
    assert fragmentation(ladder(3.5, 15.5, labels=(0, 1, 0)), dataset, support=12).n_small == 1
    assert facts.share_small_samples == pytest.approx(0.04)
    entropy = -sum(p * np.log(p) for p in (0.04, 0.12, 0.84))
    assert facts.effective_leaves == pytest.approx(np.exp(entropy))
    assert facts.layers == ((100,), (4, 96), (12, 84))


def test_equal_leaves_count_fully_and_empty_ones_do_not():
    """Four leaves of equal size count as four; a leaf without rows adds nothing but is the smallest."""
    tree = ladder(0.5, 1.5, 2.5, labels=(0, 1, 0, 1))
    assert fragmentation(tree, table([0, 1, 0, 1])).effective_leaves == pytest.approx(4)
    facts = fragmentation(tree, table([0, 1], x=[0, 1]))
    assert facts.effective_leaves == pytest.approx(2)
    assert min(facts.leaves) == 0


def test_a_support_below_one_is_refused():
    """Every leaf has at least 0 rows, so the figure would be meaningless."""
    with pytest.raises(DataError, match="at least 1 row"):
        fragmentation(ladder(0.5, labels=(0, 1)), table([0, 1]), support=0)


def test_counts_of_nodes_by_hand():
    """The class counts of every node, with and without the weights of the rows."""
    dataset = table([0, 1, 1, 0], weight=[1, 2, 4, 8])
    tree = ladder(0.5, 2.5, labels=(0, 1, 0))
    assert node_counts(tree, dataset).tolist() == [[9, 6], [1, 0], [8, 6], [0, 6], [8, 0]]
    assert node_counts(tree, dataset, weighted=False).tolist() == [[2, 2], [1, 0], [1, 2], [0, 2], [1, 0]]


def test_rows_of_another_file_are_matched_by_class_name():
    """A file with its classes in another order is counted correctly; a class unknown to the model is refused."""
    tree = ladder(0.5, labels=(0, 1))
    other = table([1, 0, 0], classes=("yes", "no"))
    assert node_counts(tree, other).tolist() == [[1, 2], [1, 0], [0, 2]]
    with pytest.raises(DataError, match="'maybe', which the model does not know"):
        node_counts(tree, table([0, 1], classes=("no", "maybe")))
    unused = table([1, 0, 0], classes=("yes", "no", "maybe"))
    assert node_counts(tree, unused).tolist() == [[1, 2], [1, 0], [0, 2]]


def test_the_risk_of_a_leaf_has_its_interval():
    """The share of the positive class, always with n; an empty leaf has no risk."""
    full, empty = leaf_risks(ladder(9.5, labels=(0, 1)), table([1, 0, 0, 0, 0, 0, 0, 0, 0, 0]))
    assert full.counts == (9, 1)
    assert full.observed[:3] == (0.1, *wilson(0.1, 10))
    assert (full.of_class, full.label) == (1, 0)
    assert full.predicted == ladder(9.5, labels=(0, 1)).leaf(full.node).shares[1]
    assert empty.observed.value is None
    assert empty.observed.n == 0


def test_without_a_positive_class_the_risk_is_of_the_class_of_the_leaf():
    """It is the share of the predicted class in the leaf."""
    tree = replace(ladder(3.5, labels=(0, 1)), positive=None)
    first, second = leaf_risks(tree, table([0, 0, 0, 1, 1, 1], positive=None))
    assert (first.of_class, first.observed.k, first.observed.n) == (0, 3, 4)
    assert (second.of_class, second.observed.k, second.observed.n) == (1, 2, 2)
