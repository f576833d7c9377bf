"""What leaves tell and which a filter lets through, cases that are changed, and one question at a time."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from components.inspect.explorer.bedside_facts import GivenAnswer, answered, next_question, outcome, where
from components.inspect.explorer.what_if_facts import changed, edit_words, nearest, turns, with_edit
from components.model.facts import case_facts, node_facts
from components.model.leaf_facts import LeafFilter, matching_leaves
from solvers.diagram import Diagram, Leaf, Split
from solvers.problem import Column, Dataset, Kind, MissingPolicy, Op, Predicate, Schema, ShapeKind
from tests.case_count import case_count
from tests.diagram.models import case, combined, diagrams, majority, tree


def patients() -> Dataset:
    """Rows for `tree()`: 40 healthy women under 40, 3 older ill men, 1 older healthy one, 2 of unknown age."""
    X = [[30.0, 0.0]] * 40 + [[50.0, 1.0]] * 3 + [[50.0, 1.0]] + [[math.nan, 1.0]] * 2
    y = [0] * 40 + [1] * 3 + [0] + [1, 0]
    model = tree()
    return Dataset("patients", model.schema, np.array(X), np.array(y), model.classes, model.outcome, 1)


def test_a_filter_dims_what_leads_to_no_matching_leaf():
    """Support, certainty, answer and columns each narrow the leaves down; what leads to one of them stays."""
    model, rows = tree(), patients()
    many = matching_leaves(model, rows, LeafFilter(min_rows=10))
    assert many.leaves == (3,) and many.dimmed == {2, 4, 5, 6} and (many.n, many.of) == (40, 46)
    assert many.sentence == "1 of 4 leaves with 40 of 46 rows"
    assert matching_leaves(model, rows, LeafFilter(labels=("ill",))).leaves == (5, 6)
    assert matching_leaves(model, rows, LeafFilter(column="sex")).leaves == (3, 4)
    assert matching_leaves(model, rows, LeafFilter(min_share=0.9)).leaves == (3,)
    assert matching_leaves(model, rows, LeafFilter()).dimmed == frozenset()
    assert matching_leaves(model, rows, LeafFilter(min_rows=99)).dimmed == set(range(7))


@given(diagrams())
@settings(max_examples=case_count(20), deadline=None, derandomize=True)
def test_a_filter_of_columns_keeps_leaves_whose_way_asks_about_them(diagram):
    """A leaf matches exactly if some question above it is about the column."""
    data = Dataset("d", diagram.schema, np.full((1, len(diagram.schema)), np.nan), np.zeros(1), diagram.classes, "\0y")
    if diagram.schema.missing is MissingPolicy.COMPLETE:
        return
    for name in diagram.features:
        matching = matching_leaves(diagram, data, LeafFilter(column=name)).leaves
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
    for turn in turns(model, values, model.path(values).steps, rows):
        edits = with_edit(model, values, {}, turn.change.column, turn.change)
        there = model.path(changed(model, values, edits))
        answers = {step.node: step.answer for step in there.steps}
        assert answers[turn.step.node] != turn.step.answer
        assert edit_words(model, edits[turn.change.column]).endswith(("instead of 30", "instead of female"))
        assert (
            with_edit(model, values, edits, turn.change.column, float(values[model.schema.index(turn.change.column)]))
            == {}
        )


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
    assert turns(model, np.ones(2), model.path(np.ones(2)).steps, data)[0].change is None


def test_the_smallest_change_is_told_with_how_many_columns():
    """The sentence names answer and change; where none is left it says what had to stay."""
    answer = nearest(tree(), case(age=30.0, sex=0.0), patients())
    assert answer.sentence.startswith("The answer would be ill with age above 40.5 and at most 60 instead of 30")
    assert "1 column changed, and no smaller change does it" in answer.sentence
    answer = nearest(tree(), case(age=30.0, sex=0.0), patients(), ("age",))
    assert answer.found is None and answer.sentence == "No change leads to another answer while age stays as it is."


def walk(diagram: Diagram, choose) -> tuple[tuple[GivenAnswer, ...], int]:
    """The answers to every question that comes up, and how many came up."""
    answers: tuple[GivenAnswer, ...] = ()
    while (question := next_question(diagram, answers)) is not None:
        assert question.number <= question.most
        answers = (*answers, answered(diagram, question.node, choose(question)))
    return answers, len(answers)


def test_one_question_at_a_time_ends_where_the_case_ends():
    """Whoever answers for a case arrives at its leaf, for all eight cases of a BDD."""
    model = majority()
    for signs in itertools.product((0.0, 1.0), repeat=3):
        row = np.array(signs)
        answers, _ = walk(
            model, lambda q, row=row: bool(model.nodes[q.node].predicate.holds(model.schema, row[None])[0])
        )
        assert where(model, answers)[0] == model.path(row).leaf


def test_what_follows_from_earlier_answers_is_not_asked():
    """Below 'age is 40.5 or less' nobody is asked for 'age is 60 or less', nor is a column again that is not known."""
    schema = Schema((Column("age", Kind.NUMERIC, has_missing=True),))
    nodes = (
        Split(Predicate("age", Op.LE, 40.5, False), 1, 2),
        Split(Predicate("age", Op.LE, 60.0, False), 3, 4),
        Split(Predicate("age", Op.LE, 30.0, True), 5, 6),
        *(Leaf(k % 2, (1.0, 1.0)) for k in range(4)),
    )
    model = Diagram(ShapeKind.TREE, schema, ("p", "q"), "y", 1, nodes)
    assert where(model, (GivenAnswer(0, True),))[0] == 3
    assert where(model, (GivenAnswer(0, False),))[0] == 6
    unknown = answered(model, 0, None)
    assert unknown == GivenAnswer(0, False, ("age",))
    assert where(model, (unknown,))[0] == 5


def test_what_no_training_row_has_ends_without_an_answer():
    """An unknown value where all were known, another level, and any unknown value of a model of complete rows."""
    model, young = tree(), GivenAnswer(0, True)
    # age has missing values, for which there is a button of its own
    assert next_question(model, ())[4:6] == ("age is 40.5 or less", "age is more than 40.5")
    question = next_question(model, (young,))
    assert (question.not_known, question.other) == ("Not known", "Another: none of female and male")
    assert (question.possible, question.ruled_out) == (("healthy",), ("ill",))
    # age has missing values, which the question does not repeat, nor do its answers
    assert next_question(model, ()).yes == "age is 40.5 or less"
    for reply, words in (
        (answered(model, 1, None), "sex is not known here. All training rows had it: the model has learned nothing"),
        (
            answered(model, 1, True, other=True),
            "sex has another value here than in any training row: the model has learned nothing",
        ),
    ):
        assert next_question(model, (young, reply)) is None
        end = outcome(model, (young, reply), patients(), "training")
        assert (end.verdict, end.risk, end.because) == ("No answer", None, ("age is 40.5 or less",))
        assert words in end.support and end.support.endswith("the answer would be healthy.")
    women = replace(model.schema["sex"], unseen_levels=(1,))
    women_only = replace(model, schema=replace(model.schema, columns=(model.schema["age"], women)))
    assert next_question(women_only, (young,)).other == "Another: none of female"
    end = outcome(women_only, (young, answered(women_only, 1, False)), patients(), "training")
    assert end.verdict == "No answer" and "sex has another value here" in end.support
    strict = replace(model, schema=replace(model.schema, missing=MissingPolicy.COMPLETE))
    end = outcome(strict, (answered(strict, 0, None),), patients(), "training")
    assert "age is not known, and the model was made from complete cases only." in end.support
    assert end.support.endswith("Possible answers: healthy or ill.")


def test_the_end_tells_how_many_rows_shared_an_unknown_value():
    """Of the rows of the leaf, those that miss the value too; where none does, that nothing stands behind it."""
    unknown = answered(tree(), 0, None)
    end = outcome(tree(), (unknown, GivenAnswer(1, False)), patients(), "training")
    assert end.support.endswith("Of the 2 training rows that ended here, 2 miss age too.")
    assert end.because[0] == "age unknown: treated as 40.5 or less, which was best for the training rows without it"
    end = outcome(tree(), (unknown, GivenAnswer(1, True)), patients(), "training")
    assert "No training row that ended here misses age too" in end.support


@given(diagrams(), st.integers(0, 2**16))
@settings(max_examples=case_count(25), deadline=None, derandomize=True)
def test_answers_that_are_possible_are_those_that_further_answers_lead_to(diagram, seed):
    """After random answers, the possible classes are all that any further answers end with."""
    rng = np.random.default_rng(seed)
    answers: tuple[GivenAnswer, ...] = ()
    while (question := next_question(diagram, answers)) is not None and not question.columns:
        ends, stack = set(), [answers]
        while stack and len(stack) < 500:
            now = stack.pop()
            following = next_question(diagram, now)
            at, way = where(diagram, now)
            if following is None:
                ends |= {diagram.classes[diagram.leaf(at).label]} if not way or way[-1].yes is not None else set()
            elif not following.columns:
                stack += [(*now, answered(diagram, following.node, reply)) for reply in (True, False, None)]
            else:
                return
        if not stack:
            assert set(question.possible) == ends
        answers = (*answers, answered(diagram, question.node, bool(rng.integers(2))))


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


def test_yes_to_is_missing_is_an_unknown_value():
    """After it no other question about the column comes up."""
    schema = Schema((Column("x", Kind.NUMERIC, has_missing=True),))
    nodes = (
        Split(Predicate("x", Op.MISSING, None, True), 1, 2),
        Split(Predicate("x", Op.LE, 0.0, True), 3, 4),
        *(Leaf(k % 2, (1.0, 1.0)) for k in range(3)),
    )
    model = Diagram(ShapeKind.TREE, schema, ("p", "q"), "y", 1, nodes)
    assert not next_question(model, ()).not_known
    assert where(model, (answered(model, 0, True),))[0] == 3
    assert where(model, (answered(model, 0, False),))[0] == 2


def test_the_end_tells_risk_rows_and_reasons():
    """Answer, share with interval, number of rows and reasons; nothing is told where there are no rows."""
    model, rows = tree(), patients()
    answers = (GivenAnswer(0, False), GivenAnswer(2, True))
    end = outcome(model, answers, rows, "training")
    assert end.verdict == "diagnosis: ill" and end.small
    assert end.support.startswith("Of 4 training rows that ended here, 3 have diagnosis ill: 75.0")
    assert "95 % interval" in end.support
    assert end.because == ("age is more than 40.5", "age is 60 or less")
    assert (
        "None of the 46 training rows"
        in outcome(model, (GivenAnswer(0, False), GivenAnswer(2, False)), rows, "training").support
    )
    assert outcome(model, (GivenAnswer(0, False),), rows, "training") is None


def test_sums_are_asked_by_their_columns():
    """Nobody has to work a weighted sum out: the question names the columns whose values are needed."""
    assert next_question(combined(), ()).columns == ("age", "bmi")
    assert next_question(tree(), ()).columns == ()
