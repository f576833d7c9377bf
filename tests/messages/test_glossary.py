"""The glossary is one source for the page and for tooltips."""

from __future__ import annotations

from components.widgets import style
from docs.glossary import PAGE, with_tables
from solvers.messages.glossary import GLOSSARY, meaning

TERMS = [term for terms in GLOSSARY.values() for term in terms]


def test_the_page_is_up_to_date() -> None:
    """docs/glossary.md has the terms of the screens; if not, run `python -m docs.glossary`."""
    text = PAGE.read_text("utf-8")
    assert text == with_tables(text)


def test_meanings_are_short_and_names_are_unique() -> None:
    """A tooltip has at most 25 words, and a name has one meaning."""
    names = [name.lower() for term in TERMS for name in term.names]
    assert len(names) == len(set(names))
    assert [term.title for term in TERMS if len(term.meaning.split()) > 25] == []


def test_a_table_explains_its_terms() -> None:
    """Headers and first cells that are terms have their meaning as a tooltip; other cells do not."""
    shown = style.table(("Constraint", "Slack"), [("Lower&nbsp;bound", "depth")])
    assert shown.count("title=") == 3
    assert f'title="{meaning("lower bound")}"' in shown
