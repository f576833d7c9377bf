"""Labels of select boxes: a different one for each option, in the spelling of the table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from components.messages.text import distinguish, label_with

LONG = "Patient reports that the pain began more than a week ago, that it comes and goes with meals, and that nothing "
EQUAL = {
    "equal for 120 characters": (
        f"{LONG}taken so far has helped. no weight loss",
        f"{LONG}taken so far has helped. weight loss of more than 5 kg",
    ),
    "equal but for blanks": ("ward A", "ward  A"),
    "one has the number of another": ("a b", "a  b", "a b (2)"),
    "one is the beginning of another": ("x" * 130, "x" * 140, "x" * 150),
}


@given(st.lists(st.text(" ab", max_size=8).map(lambda end: "a" * 118 + end), unique=True, max_size=8))
def test_texts_that_differ_have_labels_that_differ(texts: list[str]) -> None:
    """Different texts have different labels, each in one line, even if they differ in blanks or case only."""
    label = label_with(texts)
    labels = [label(text) for text in texts]
    assert len(set(labels)) == len(texts)
    assert all(len(one) <= 130 and " ".join(one.split()) == one for one in labels)


def test_labels_show_where_long_texts_differ() -> None:
    """A number alone would not distinguish two long levels."""
    texts = EQUAL["equal for 120 characters"]
    first, second = map(label_with(texts), texts)
    assert first.endswith("no weight loss") and second.endswith("weight loss of more than 5 kg")


def test_a_numbered_name_is_not_given_twice() -> None:
    """Numbered labels are unique even if the table has a name that already ends with the number."""
    assert distinguish(["a", "a", "a (2)"]) == ["a", "a (3)", "a (2)"]


@pytest.mark.parametrize("levels", EQUAL.values(), ids=EQUAL)
def test_the_chosen_level_of_a_case_is_the_one_that_is_taken(levels: tuple[str, ...]) -> None:
    """A browser sends the label of an option: the last of equal ones would be taken."""

    def script(levels: tuple[str, ...]) -> None:
        import streamlit as st

        from components.inspect.explorer import case_field
        from solvers.problem import Column, Kind

        st.text(repr(case_field.show(Column("answer", Kind.CATEGORICAL, levels), key="case", start=0.0, label="Case")))

    app = AppTest.from_function(script, kwargs={"levels": levels}).run()
    box = app.selectbox[0]
    assert len(set(box.options)) == len(levels)
    for level in levels:
        app.selectbox[0].select(level).run()
        assert not app.exception and app.text[0].value == repr(level)
