"""Facts of the explorer: nodes, the path of a row, decision tables, and changed rows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from components.inspect.explorer.case_panel import facts_of
from components.inspect.explorer.decision_table import lines_of
from components.inspect.explorer.edit_panel import edited_model
from components.inspect.explorer.node_panel import paths_to, terms, unknown_values
from components.inspect.explorer.what_if_panel import changed, describe_edit, nearest, reversal, with_edit
from components.messages.text import count
from components.widgets.shown_rows import NamedRows
from solvers.diagram import Leaf, describe
from solvers.messages.results import status_badge
from solvers.metrics import with_label, with_value
from solvers.problem import Dataset
from tests.diagram.models import case, combined, ladder, majority, tree
from tests.metrics.test_unfolded_tree import SIGNS
from tests.metrics.test_unfolded_tree import patients as signs
from tests.pages.handmade import diagram, prepared_sample
from tests.pages.journey import finished


def patients() -> Dataset:
    """Rows for `tree()`: 40 healthy women under 40, 3 older ill men, 1 older healthy man, 2 rows of unknown age."""
    X = [[30.0, 0.0]] * 40 + [[50.0, 1.0]] * 3 + [[50.0, 1.0]] + [[math.nan, 1.0]] * 2
    y = [0] * 40 + [1] * 3 + [0] + [1, 0]
    model = tree()
    return Dataset("patients", model.schema, np.array(X), np.array(y), model.classes, model.outcome, 1)


def training(data: Dataset) -> NamedRows:
    """Rows under the name of the training rows."""
    return NamedRows("training", data)


def some(rows: list[int]) -> Dataset:
    """The patients with these signs."""
    return signs().take(np.array(rows))


def walked(diagram, data: Dataset) -> list[int]:
    """The leaf of each row, found split by split."""
    leaves = []
    for row in data.X:
        at = 0
        while not isinstance(node := diagram.nodes[at], Leaf):
            at = node.yes if row[data.schema.index(node.predicate.column)] <= node.predicate.value else node.no
        leaves.append(at)
    return leaves


@pytest.mark.parametrize("shift", [0.9, 1.3])
def test_an_edited_tree_is_judged_against_the_optimum(shift: float):
    """Errors, leaf counts and distance are those of a walk over all rows; the run's own tree stays as it is."""
    best = finished().best
    train, before = best.problem.dataset, best.diagram
    threshold = before.nodes[0].predicate.value * shift
    edited = edited_model(best, with_value(before, 0, threshold, train))
    leaves = walked(edited.diagram, train)
    errors = sum(edited.diagram.nodes[leaf].label != y for leaf, y in zip(leaves, train.y, strict=True))
    for i, leaf in edited.diagram.leaves:
        y = train.y[np.array(leaves) == i]
        assert leaf.counts == (np.sum(y == 0), np.sum(y == 1)) and leaf.label == before.nodes[i].label
    more = errors - best.cost
    assert edited.cost == errors and edited.solution.message.startswith(
        f"{count(more, 'error')} more than the optimum."
    )
    badge = status_badge(edited.solution, edited.exact, edited.problem)
    assert badge.words == "Edited by hand, not optimal" and f"{errors} training errors" in badge.sentence
    assert best.diagram is before and best.solution.status == "optimal"


def test_an_edited_tree_is_checked_again():
    """A leaf without rows is reported; a change that costs nothing is as good as the optimum, and never optimal."""
    best = finished().best
    empty = edited_model(best, with_value(best.diagram, 0, -1e9, best.problem.dataset))
    assert empty.solution.verified is False and "has 0 rows" in empty.solution.message
    assert status_badge(empty.solution, False, best.problem).words == "Edited by hand, not optimal"
    number, leaf = best.diagram.leaves[0]
    same = edited_model(best, with_label(best.diagram, number, leaf.label))
    assert same.solution.message.startswith("As good as the optimum.") and same.solution.status == "feasible"
    assert status_badge(same.solution, False, best.problem).words == "Edited by hand"


def test_a_shared_node_lists_its_paths_with_their_rows():
    """Both paths to the split on rash are listed, that with the most rows first; each row is on one path."""
    data = signs()
    at = majority().reach(data)[:, 3]
    found, complete = paths_to(majority(), 3, data.X[at])
    assert complete and set(found) == {("fever is yes and cough is no", 2), ("fever is no and cough is yes", 2)}
    rows = some([3, 5, 6, 7, 7, 7])
    sizes = [n for _, n in paths_to(majority(), 5, rows.X)[0]]
    assert sizes == sorted(sizes, reverse=True) and sum(sizes) == 6
    assert paths_to(majority(), 0, rows.X) == ((), True)
    many, complete = paths_to(ladder(20), ladder(20).n_nodes - 1, np.zeros((3, 20)))
    assert not complete and len(many) == 32


def test_terms_of_a_sum_have_the_length_of_their_effect():
    """A column with twice the variation has twice the effect, towards no if larger values increase the sum."""
    X = np.array([[40.0, 20.0], [60.0, 24.0], [40.0, 24.0], [60.0, 20.0]])
    found = terms(combined().split(0).predicate, combined().schema, X)
    assert [words for words, _ in found] == ["+0.3 age", "+0.7 bmi"]
    assert [pull for _, pull in found] == pytest.approx([1.0, 0.7 * 2 / (0.3 * 10)])


def test_the_predicted_risk_of_a_row_is_that_of_training():
    """The leaf has 1 of 3 training rows ill, and 3 of 4 of the shown rows. Both shares are shown by name."""
    row = case(age=50.0, sex=1.0)
    shown = facts_of(tree(), row, NamedRows("held-out", patients()))
    assert tree().predict_proba(row.reshape(1, -1))[0, 1] == pytest.approx(1 / 3)
    assert "Predicted risk of diagnosis ill: 33.3" in shown.sentence
    assert "Observed: 3 of 4 held-out rows (30.1" in shown.sentence
    empty = facts_of(tree(), row, NamedRows("held-out", patients().take(np.arange(40))))
    assert (
        "Predicted risk of diagnosis ill: 33.3" in empty.sentence
        and "No held-out row is in this leaf." in empty.sentence
    )


def test_a_row_in_a_shared_leaf_has_counts_of_its_path_and_of_the_leaf():
    """All 4 rows of the leaf are observed as ill, 2 of them on the same path."""
    facts = facts_of(majority(), SIGNS[5], training(some([5, 5, 6, 7, 0])))
    assert facts.verdict == "state: ill"
    assert "Because fever is yes and cough is no and rash is yes, the prediction is state: ill." in facts.sentence
    assert "Observed: 4 of 4 training rows" in facts.sentence
    assert "On this path alone: 2 of 2 training rows." in facts.sentence


@pytest.mark.parametrize("which", [0, 1])
def test_a_decision_table_has_one_line_per_path_sorted_by_risk(which: int):
    """Each line has the conditions of its path; the lines of a tree are its leaves."""
    run, train = finished("xor"), prepared_sample("triage").train
    model, data = [(run.best.diagram, run.prepared.train), (diagram(train), train)][which]
    lines, complete = lines_of(model, data)
    assert complete and {leaf.node for leaf, _ in lines} == {i for i, _ in model.leaves}
    risks = [leaf.predicted for leaf, _ in lines]
    assert risks == sorted(risks, reverse=True)
    assert all(leaf.predicted == model.leaf(leaf.node).shares[leaf.of_class] for leaf, _ in lines)
    if which == 0:
        for leaf, conditions in lines:
            path = describe(model, leaf.node).split(" and ")
            assert sorted(path) == sorted(f"{name} is {words}" for name, words in conditions.items())


def test_each_branch_can_be_reversed():
    """A reversed branch leads the row along the other arc, and undo leaves no change."""
    model, rows = tree(), patients()
    values = case(age=30.0, sex=0.0)
    for step in model.path(values).steps:
        change = reversal(model, values, step, rows)
        edits = with_edit(model, values, {}, change.column, change)
        there = model.path(changed(model, values, edits))
        answers = {one.node: one.answer for one in there.steps}
        assert answers[step.node] != step.answer
        assert describe_edit(model, edits[change.column]).endswith(("instead of 30", "instead of female"))
        before = float(values[model.schema.index(change.column)])
        assert with_edit(model, values, edits, change.column, before) == {}


def test_edits_keep_the_original_value():
    """A second change of a column is relative to the original row, and a missing value is shown as missing."""
    model, values = tree(), case(age=30.0, sex=0.0)
    once = with_edit(model, values, {}, "age", 50.0)
    twice = with_edit(model, values, once, "age", 70.0)
    assert describe_edit(model, twice["age"]) == "age 70 instead of 30"
    assert describe_edit(model, with_edit(model, values, {}, "age", math.nan)["age"]) == "age missing instead of 30"
    assert describe_edit(model, with_edit(model, values, {}, "sex", 1.0)["sex"]) == "sex male instead of female"


def test_a_split_on_a_sum_has_no_button_to_reverse_it():
    """Many changes are possible; a value can be entered instead."""
    model = combined()
    data = Dataset("d", model.schema, np.ones((2, 2)), np.array([0, 1]), model.classes, "state", 1)
    assert reversal(model, np.ones(2), model.path(np.ones(2)).steps[0], data) is None


def test_the_smallest_change_is_stated_with_the_number_of_columns():
    """The sentence names prediction and change; if no change is possible, it names the columns that were fixed."""
    sentence, found = nearest(tree(), case(age=30.0, sex=0.0), patients())
    assert found is not None and sentence.startswith(
        "The prediction would be ill with age above 40.5 and at most 60 instead of 30"
    )
    assert "No smaller change does this (1 feature changed)." in sentence
    sentence, found = nearest(tree(), case(age=30.0, sex=0.0), patients(), ("age",))
    assert found is None and sentence == "No change leads to another prediction while age stays the same."


def test_a_row_with_an_unknown_value_has_no_prediction():
    """The path ends at the split that cannot be decided; a value that is also missing in training rows is followed."""
    facts = facts_of(tree(), np.array([30.0, math.nan]), training(patients()))
    assert facts.verdict == "No prediction" and (facts.trace.leaf, facts.trace.label) == (1, -1)
    assert facts.sentence.startswith("No prediction: sex is missing, as in no training row.")
    followed = facts_of(tree(), np.array([math.nan, 1.0]), training(patients()))
    assert followed.sentence.startswith("Because age unknown: treated as at most 40.5, which was best")
    assert "age is missing in 2 of 2 training rows in this leaf." in followed.sentence
    assert unknown_values(tree().schema, tree().split(1), patients().X) == (
        "sex missing, or none of female, male: no prediction (never seen in training).",
    )
    assert unknown_values(tree().schema, tree().split(0), patients().X) == (
        "age unknown: treated as at most 40.5, which was best for the training rows without it (2 rows here).",
    )
