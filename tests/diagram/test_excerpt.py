"""The nodes that are drawn, and the values that are possible after some branches."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings

from solvers.diagram import ColumnDomain, Diagram, Excerpt, above, below, folded_in, levels, to_dot, visible
from solvers.problem import Column, Kind, Op, Predicate
from tests.case_count import case_count
from tests.diagram.models import diagrams, diamond, majority, tree
from tests.diagram.test_dot import label, parsed


def lines(diagram: Diagram) -> dict[int, int]:
    """The level number of each node."""
    return {i: number for number, level in enumerate(levels(diagram)) for i in level.nodes}


def test_a_single_split_can_be_folded():
    """Nodes below a folded split are hidden; the rest of the tree stays."""
    excerpt = Excerpt(folded=frozenset({1}))
    assert visible(tree(), lines(tree()), excerpt) == [0, 1, 2, 5, 6]
    assert folded_in(tree(), lines(tree()), excerpt) == {1}
    graph = parsed(to_dot(tree(), excerpt=excerpt))
    assert label(graph, "node1")[-1] == "+ 2 leaves, 50 rows"
    assert "node3" not in graph.nodes() and "node5" in graph.nodes()


def test_a_split_on_the_last_level_can_be_opened():
    """An opened split shows its children although its level is folded."""
    excerpt = Excerpt(1, opened=frozenset({2}))
    assert visible(tree(), lines(tree()), excerpt) == [0, 1, 2, 5, 6]
    assert folded_in(tree(), lines(tree()), excerpt) == {1}


def test_nodes_on_another_path_stay_visible():
    """In a graph, a folded split hides only the nodes that no other path reaches."""
    excerpt = Excerpt(folded=frozenset({1}))
    assert visible(diamond(), lines(diamond()), excerpt) == [0, 1, 2, 3, 4]
    both = Excerpt(folded=frozenset({1, 2}))
    assert visible(diamond(), lines(diamond()), both) == [0, 1, 2]


def test_a_path_can_be_drawn_alone():
    """Only the nodes of the path are drawn, with the arcs between them and nothing folded."""
    graph = parsed(to_dot(tree(), excerpt=Excerpt(only=frozenset({0, 2, 5}))))
    assert set(graph.nodes()) == {"node0", "node2", "node5"}
    assert {edge.attr["id"] for edge in graph.edges()} == {"arc0-no", "arc2-yes"}
    graph = parsed(to_dot(majority(), excerpt=Excerpt(only=frozenset({0, 1, 3, 4}))))
    assert {node for node in graph.nodes() if node.startswith("node")} == {"node0", "node1", "node3", "node4"}


@given(diagrams())
@settings(max_examples=case_count(30), deadline=None, derandomize=True)
def test_above_and_below_are_inverse(diagram):
    """A node is below another one if and only if that one is above it."""
    for i in range(diagram.n_nodes):
        assert i not in below(diagram, (i,)) and i in above(diagram, (i,))
        assert all(i in above(diagram, (j,)) for j in below(diagram, (i,)))
        assert all(i in below(diagram, (j,)) for j in above(diagram, (i,)) - {i})


def test_a_domain_holds_the_values_of_its_branch():
    """For every column and value: the value is in the domain of a branch if and only if it takes the branch."""
    columns = (
        Column("x", Kind.NUMERIC, has_missing=True),
        Column("sex", Kind.BINARY, ("f", "m")),
        Column("stage", Kind.ORDERED, ("I", "II", "III")),
    )
    values = {"x": (-1.0, 0.5, 2.0, math.nan), "sex": (0.0, 1.0, math.nan), "stage": (0.0, 1.0, 2.0, math.nan)}
    predicates = [Predicate("x", Op.LE, 0.5, missing) for missing in (True, False)]
    predicates += [Predicate("x", Op.MISSING, None, True), Predicate("sex", Op.IS, 1.0, False)]
    predicates += [Predicate("stage", Op.LE, 1.0, True), Predicate("stage", Op.IS, 2.0, False)]
    by_name = {column.name: column for column in columns}
    for predicate in predicates:
        for answer in (True, False):
            room = ColumnDomain.whole(by_name[predicate.column]).within(predicate, answer)
            for value in values[predicate.column]:
                assert room.holds(value) == (predicate.answer(np.array([value]))[0] == answer)


def test_a_domain_knows_whether_it_is_empty():
    """Opposite branches leave nothing, and there may be no integer between two thresholds."""
    x, n = Column("x", Kind.NUMERIC), Column("n", Kind.NUMERIC, integral=True)
    low, high = Predicate("x", Op.LE, 1.25, False), Predicate("x", Op.LE, 1.75, False)
    assert ColumnDomain.whole(x).within(high, True).within(low, False).has_known
    assert not ColumnDomain.whole(n).within(high, True).within(low, False).has_known
    assert not ColumnDomain.whole(x).within(low, True).within(high, False).has_known
    assert not ColumnDomain.whole(x).within(Predicate("x", Op.MISSING, None, True), True).has_known
