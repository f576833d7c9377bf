"""What leaves tell and which a filter lets through, and cases that are changed."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings

from components.inspect.explorer.leaf_filter import LeafFilter, matching_leaves
from components.inspect.explorer.what_if_facts import changed, edit_words, nearest, reversal, with_edit
from components.model.facts import case_facts, node_facts
from solvers.diagram import Leaf
from solvers.problem import Dataset, MissingPolicy
from tests.case_count import case_count
from tests.diagram.models import case, combined, diagrams, tree


def patients() -> Dataset:
    """Rows for `tree()`: 40 healthy women under 40, 3 older ill men, 1 older healthy one, 2 of unknown age."""
    X = [[30.0, 0.0]] * 40 + [[50.0, 1.0]] * 3 + [[50.0, 1.0]] + [[math.nan, 1.0]] * 2
    y = [0] * 40 + [1] * 3 + [0] + [1, 0]
    model = tree()
    return Dataset("patients", model.schema, np.array(X), np.array(y), model.classes, model.outcome, 1)


def test_a_filter_dims_what_leads_to_no_matching_leaf():
    """Support, certainty, answer and columns each narrow the leaves down; what leads to one of them stays."""
    model, rows = tree(), patients()
    leaves, dimmed, words = matching_leaves(model, rows, LeafFilter(min_rows=10))
    assert leaves == (3,) and dimmed == {2, 4, 5, 6} and words == "1 of 4 leaves with 40 of 46 rows"
    assert matching_leaves(model, rows, LeafFilter(labels=("ill",)))[0] == (5, 6)
    assert matching_leaves(model, rows, LeafFilter(column="sex"))[0] == (3, 4)
    assert matching_leaves(model, rows, LeafFilter(min_share=0.9))[0] == (3,)
    assert matching_leaves(model, rows, LeafFilter())[1] == frozenset()
    assert matching_leaves(model, rows, LeafFilter(min_rows=99))[1] == set(range(7))


@given(diagrams())
@settings(max_examples=case_count(20), deadline=None, derandomize=True)
def test_a_filter_of_columns_keeps_leaves_whose_way_asks_about_them(diagram):
    """A leaf matches exactly if some question above it is about the column."""
    data = Dataset("d", diagram.schema, np.full((1, len(diagram.schema)), np.nan), np.zeros(1), diagram.classes, "\0y")
    if diagram.schema.missing is MissingPolicy.COMPLETE:
        return
    for name in diagram.features:
        matching = matching_leaves(diagram, data, LeafFilter(column=name))[0]
        for i, node in enumerate(diagram.nodes):
            if isinstance(node, Leaf):
                at, columns = i, set()
                while at:
                    ((at, _),) = diagram.parents[at]
                    columns |= set(diagram.nodes[at].predicate.columns)
                assert (i in matching) == (name in columns)


def test_a_leaf_has_a_risk_and_a_question_has_none():
    """The panel tells the risk of a leaf with its class."""
    name, risk = node_facts(tree(), patients(), 5).risk
    assert (name, risk.k, risk.n) == ("diagnosis: ill", 3, 4)
    assert node_facts(tree(), patients(), 0).risk is None


def test_each_answer_can_be_turned_round():
    """The change of a turn leads the case along the other arc, and undoing it is no change."""
    model, rows = tree(), patients()
    values = case(age=30.0, sex=0.0)
    for step in model.path(values).steps:
        change = reversal(model, values, step, rows)
        edits = with_edit(model, values, {}, change.column, change)
        there = model.path(changed(model, values, edits))
        answers = {one.node: one.answer for one in there.steps}
        assert answers[step.node] != step.answer
        assert edit_words(model, edits[change.column]).endswith(("instead of 30", "instead of female"))
        before = float(values[model.schema.index(change.column)])
        assert with_edit(model, values, edits, change.column, before) == {}


def test_edits_remember_where_they_came_from():
    """A second change of a column is told against the case as it is, and a missing value is told as missing."""
    model, values = tree(), case(age=30.0, sex=0.0)
    once = with_edit(model, values, {}, "age", 50.0)
    twice = with_edit(model, values, once, "age", 70.0)
    assert edit_words(model, twice["age"]) == "age 70 instead of 30"
    assert edit_words(model, with_edit(model, values, {}, "age", math.nan)["age"]) == "age missing instead of 30"
    assert edit_words(model, with_edit(model, values, {}, "sex", 1.0)["sex"]) == "sex male instead of female"


def test_a_question_about_a_sum_is_not_turned_round_by_a_button():
    """Many changes would do it; a value can be put in instead."""
    model = combined()
    data = Dataset("d", model.schema, np.ones((2, 2)), np.array([0, 1]), model.classes, "state", 1)
    assert reversal(model, np.ones(2), model.path(np.ones(2)).steps[0], data) is None


def test_the_smallest_change_is_told_with_how_many_columns():
    """The sentence names answer and change; where none is left it says what had to stay."""
    sentence, found = nearest(tree(), case(age=30.0, sex=0.0), patients())
    assert found is not None and sentence.startswith(
        "The answer would be ill with age above 40.5 and at most 60 instead of 30"
    )
    assert "1 column changed, and no smaller change does it" in sentence
    sentence, found = nearest(tree(), case(age=30.0, sex=0.0), patients(), ("age",))
    assert found is None and sentence == "No change leads to another answer while age stays as it is."


def test_a_case_with_such_a_value_has_no_answer():
    """One case says so and which answers it may have; its way ends at the question, which says it, too."""
    facts = case_facts(tree(), np.array([30.0, math.nan]), patients())
    assert facts.verdict == "No answer" and (facts.trace.leaf, facts.trace.label) == (1, -1)
    assert facts.sentence.startswith("No answer: sex is missing, as in no training row.")
    answered_case = case_facts(tree(), np.array([math.nan, 1.0]), patients())
    assert answered_case.sentence.startswith("Because age unknown: treated as 40.5 or less, which was best")
    assert "Of the 2 training rows that ended here, 2 miss age too." in answered_case.sentence
    assert node_facts(tree(), patients(), 1).unknown == (
        "sex missing, or none of female, male: no answer, as no training row has that.",
    )
    assert node_facts(tree(), patients(), 0).unknown == (
        "age unknown: treated as 40.5 or less, which was best for the training rows without it (2 rows here).",
    )
