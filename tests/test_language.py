"""Languages: the catalogue is whole and in step with the code, and the screen follows the session's language."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from threading import Thread

import pytest
from babel.messages.pofile import read_po

from solvers.errors import DataError
from solvers.language import catalogue_path, current, day, languages, numeral, separators, tr, translation, use
from solvers.locale.catalogue import ROOT, is_translated, messages_of, source_files, updated, written
from solvers.metrics.words import count, percent
from solvers.problem import Column, Kind, MissingPolicy, Op, Predicate, Schema

PLACEHOLDER = re.compile(r"\{(\w*)[^{}]*\}")
SHOWN = frozenset(
    [
        "button",
        "caption",
        "checkbox",
        "download_button",
        "error",
        "expander",
        "file_uploader",
        "header",
        "info",
        "link_button",
        "markdown",
        "metric",
        "multiselect",
        "number_input",
        "popover",
        "radio",
        "segmented_control",
        "selectbox",
        "slider",
        "status",
        "subheader",
        "success",
        "tabs",
        "text",
        "text_area",
        "text_input",
        "title",
        "toast",
        "toggle",
        "warning",
    ]
)
"""Functions of Streamlit whose first argument is read."""


@pytest.fixture(params=[code for code in languages() if code != "en"])
def code(request: pytest.FixtureRequest) -> str:
    """Each language but English."""
    return request.param


def test_there_is_german() -> None:
    """It is named in its own language."""
    assert languages() == {"en": "English", "de": "Deutsch"}


def test_the_catalogue_is_in_step_with_the_code(code: str) -> None:
    """`python -m solvers.locale` would change nothing."""
    assert written(updated(code)) == catalogue_path(code).read_bytes()


def test_every_message_is_translated_with_its_placeholders(code: str) -> None:
    """Each form of each message names what the English one names, and begins and ends with a blank where it does."""
    faults = []
    with catalogue_path(code).open("rb") as file:
        catalogue = read_po(file, locale=code)
    for message in catalogue:
        if not message.id:
            continue
        if not is_translated(message.string) or message.fuzzy:
            faults.append(f"not translated: {message.id!r}")
            continue
        plural = not isinstance(message.id, str)
        expected = set(PLACEHOLDER.findall(message.id[1] if plural else message.id))
        for text in message.string if plural else [message.string]:
            named = set(PLACEHOLDER.findall(text))
            if not (named <= expected if plural else named == expected):
                faults.append(f"placeholders: {message.id!r}: {text!r}")
            first = message.id[0] if plural else message.id
            if first.startswith(" ") != text.startswith(" ") or first.endswith(" ") != text.endswith(" "):
                faults.append(f"blanks: {message.id!r}: {text!r}")
    assert not faults, "\n".join(faults)


def unwrapped(source: str) -> Iterator[tuple[int, str]]:
    """Texts that are given to Streamlit as they stand, with their lines."""
    for call in ast.walk(ast.parse(source)):
        named = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in SHOWN
        if named and call.args:
            for part in _parts(call.args[0]):
                if re.search(r"[A-Za-z]{3}", re.sub(r":material/\w*:?|:\w+\[|<[^>]*>|&\w+;", "", part)):
                    yield call.lineno, part


def _parts(node: ast.expr) -> Iterator[str]:
    """The literal texts of an expression, without those in calls."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        for value in node.values:
            yield from _parts(value) if isinstance(value, ast.Constant) else ()
    elif isinstance(node, ast.BinOp):
        yield from _parts(node.left)
        yield from _parts(node.right)
    elif isinstance(node, ast.IfExp):
        yield from _parts(node.body)
        yield from _parts(node.orelse)


NAMES = {"Espalier"}
"""What is the same in every language."""


def test_no_text_reaches_the_screen_untranslated() -> None:
    """Nothing is written on a screen but through `tr`."""
    screens = (file for file in source_files() if file.relative_to(ROOT).parts[0] in ("components", "pages"))
    found = [
        f"{file.relative_to(ROOT)}:{line}: {text!r}"
        for file in screens
        for line, text in unwrapped(file.read_text("utf-8"))
        if text not in NAMES
    ]
    assert not found, "\n".join(found)


def test_messages_are_found_where_they_stand() -> None:
    """Texts, both sides of a choice, plurals, and nouns with their counts."""
    source = (
        "tr('a {x}', x=1); tr('b' if y else 'c'); tr_plural('one', 'many', n); count(n, 'leaf', 'leaves'); tr(name)"
    )
    assert set(messages_of(source)) == {"a {x}", "b", "c", ("one", "many"), ("leaf", "leaves")}


def test_numbers_are_written_as_the_language_does() -> None:
    """Decimals, thousands, shares, and what figures take."""
    with use("de"):
        assert (numeral(1234.5, ",.1f"), separators()) == ("1.234,5", ",.")
        assert percent(0.125).startswith("12,5")
        assert count(1200, "row") == "1.200 Zeilen"
    assert (numeral(1234.5, ",.1f"), count(1, "row")) == ("1,234.5", "1 row")


def test_errors_are_shown_in_the_language() -> None:
    """An error is raised in English, and shown by its message; what was filled in follows, but not what is quoted."""
    error = DataError("The column '1.5' has missing values but no value that stands for them.")
    lines = "The file has 1,200 lines, so line 2,000 cannot be its header. Choose a line with names."
    with use("de"):
        assert str(error) == "Die Spalte '1.5' hat fehlende Werte, aber keinen Wert, der für sie steht."
        assert translation(lines).startswith("Die Datei hat 1.200 Zeilen, also kann Zeile 2.000 nicht")
        assert translation("nobody knows this") == "nobody knows this"
        # an error within an error, and a number with its noun
        assert translation(f"Step 2 of the preparation (x): {error}").endswith(str(error))
        assert translation("2 rows") == "2 Zeilen" and translation("1 row") == "1 Zeile"
    assert str(error) == error.args[0] and translation(lines) == lines


def test_dates_are_written_as_the_language_does() -> None:
    """Also with a time after them; what is no date stays."""
    with use("de"):
        assert (day("2026-03-01"), day("2026-03-01 10:30"), day("soon")) == ("01.03.2026", "01.03.2026 10:30", "soon")
    assert day("2026-03-01") == "2026-03-01"


def test_questions_follow_the_language() -> None:
    """With its words and its decimal comma; files of models do not."""
    schema = Schema((Column("bmi", Kind.NUMERIC, has_missing=True),), MissingPolicy.INFORMATION)
    predicate = Predicate("bmi", Op.LE, 30.5, True)
    with use("de"):
        assert predicate.words(schema) == "bmi ist 30,5 oder weniger, oder fehlt"
    assert predicate.words(schema) == "bmi is 30.5 or less, or missing"


def test_a_language_belongs_to_a_thread() -> None:
    """Others go on in English, and a language that there is not is English."""
    heard = []
    with use("de"):
        other = Thread(target=lambda: heard.append(current()))
        other.start()
        other.join()
        assert (current(), heard) == ("de", ["en"])
    with use("xx"):
        assert tr("Data") == "Data"
