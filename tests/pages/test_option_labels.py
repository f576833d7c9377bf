"""Labels of select boxes: a different one for each option, spelled as in the table."""

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
def test_different_texts_have_different_labels(texts: list[str]) -> None:
    """Each label is on one line, even if texts differ only in blanks or case."""
    label = label_with(texts)
    labels = [label(text) for text in texts]
    assert len(set(labels)) == len(texts)
    assert all(len(one) <= 130 and " ".join(one.split()) == one for one in labels)


def test_labels_show_how_long_texts_differ() -> None:
    """A number alone would not distinguish two long levels."""
    texts = EQUAL["equal for 120 characters"]
    first, second = map(label_with(texts), texts)
    assert first.endswith("no weight loss") and second.endswith("weight loss of more than 5 kg")


def test_numbered_labels_are_unique() -> None:
    """This holds even if a name of the table already ends with the number."""
    assert distinguish(["a", "a", "a (2)"]) == ["a", "a (3)", "a (2)"]


@pytest.mark.parametrize("levels", EQUAL.values(), ids=EQUAL)
def test_the_selected_level_is_used(levels: tuple[str, ...]) -> None:
    """A browser sends the label of an option: of equal labels the last would be used."""

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
