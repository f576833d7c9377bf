"""Leaves in every drawing: predicted risk, observed frequency with its interval, and a mark for few rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from msgspec import structs

from components.model.outline import outline
from solvers.diagram import Diagram, Excerpt, Leaf, Split, to_rules
from solvers.problem import Column, Kind, LinearPredicate, MissingPolicy, Op, Predicate, Schema, ShapeKind
from solvers.report.drawing import leaf_notes, row_facts
from solvers.report.exports import Material
from tests.diagram.models import tree
from tests.pages.test_explorer_facts import patients


def test_leaves_show_predicted_risk_and_observed_frequency():
    """1 of 3 training rows of leaf 5 is ill: that is its risk, even if 3 of 4 of the shown rows are ill."""
    notes = leaf_notes(tree(), patients())
    assert tree().leaf(5).shares[1] == 1 / 3
    assert notes[5].lines == ("predicted risk 33%", "observed 3 of 4 (30\u201395%)") and notes[5].small
    assert notes[3].lines[1] == "observed 0 of 40 (0\u20139%)" and not notes[3].small
    assert notes[6].lines[1:] == ("no rows",) and notes[6].small
    assert {i: note.lines[0] for i, note in notes.items()} == {
        i: n.lines[0] for i, n in leaf_notes(tree(), None).items()
    }


def test_without_a_positive_class_leaves_show_the_share_of_their_class():
    """The share is that of the class that the leaf predicts."""
    model = replace(tree(), positive=None)
    assert leaf_notes(model, replace(patients(), positive=None))[3].lines[1].startswith("observed 40 of 40")


def test_without_rows_leaves_show_the_training_rows():
    """Counts of training rows have an interval; weights have none."""
    notes = leaf_notes(tree(), None)
    assert notes[4].lines == ("predicted risk 40%", "observed 8 of 20 (22\u201361%)") and not notes[4].small
    assert notes[5].small
    weighted = replace(tree(), nodes=(*tree().nodes[:6], structs.replace(tree().leaf(6), counts=(0.5, 2.0))))
    assert leaf_notes(weighted, None)[6].lines == ("predicted risk 80%",)


def test_a_split_mentions_missing_values_only_if_they_reach_it() -> None:
    """Below a split that sends missing values to the other side, neither drawing nor list nor rules mention them."""
    above, below = Predicate("age", Op.LE, 60.0, False), Predicate("age", Op.LE, 40.0, True)
    schema = Schema((Column("age", Kind.NUMERIC, has_missing=True),))
    leaves = (Leaf(0, (9.0, 1.0)), Leaf(1, (1.0, 9.0)), Leaf(1, (0.0, 9.0)))
    nodes = (Split(above, 1, 4), Split(below, 2, 3), *leaves)
    diagram = Diagram(ShapeKind.TREE, schema, ("well", "ill"), "state", 1, nodes)
    assert diagram.may_miss == {0}
    listed = outline(diagram, Excerpt(), frozenset(), row_facts(diagram), "light")
    for text in (Material(diagram).drawing(), listed, to_rules(diagram).partition("\n\n")[0]):
        text = text.replace("\u00a0", " ")
        assert "at most 40" in text and "at most 40, or" not in text
    turned = replace(diagram, nodes=(Split(structs.replace(above, missing=True), 1, 4), *nodes[1:]))
    assert turned.may_miss == {0, 1} and "age is at most 40, or missing" in to_rules(turned)


def test_a_weighted_sum_with_a_filled_value_has_two_sides() -> None:
    """The sum decides, so the split below its yes side can miss the value, although missing sums go to the other."""
    above, below = LinearPredicate(("age", "bmi"), (1.0, 1.0), 90.0, False), Predicate("age", Op.LE, 40.0, True)
    schema = Schema(tuple(Column(name, Kind.NUMERIC, has_missing=True, fill=30.0) for name in ("age", "bmi")))
    leaves = (Leaf(0, (9.0, 1.0)), Leaf(1, (1.0, 9.0)), Leaf(1, (0.0, 9.0)))
    nodes = (Split(above, 1, 4), Split(below, 2, 3), *leaves)
    diagram = Diagram(ShapeKind.DIAGRAM, schema, ("well", "ill"), "state", 1, nodes)
    assert diagram.may_miss == {0}
    filled = replace(diagram, schema=replace(schema, missing=MissingPolicy.IMPUTE))
    assert filled.reach(np.array([[np.nan, 20.0]]))[0, 1] and filled.may_miss == {0, 1}
