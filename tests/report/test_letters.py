"""Names in letters beyond Latin: joined and in order in a PDF, and named below a picture that cannot show them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from solvers.diagram.labels import LEFT_TO_RIGHT
from solvers.report import letters
from solvers.report.drawing import Detail
from solvers.report.letters import joined, unshown, visual
from tests.diagram.models import tree
from tests.report.test_report import subject

PRESSURE = "\u0636\u063a\u0637 \u0627\u0644\u062f\u0645"
"""Blood pressure, in Arabic."""


@pytest.fixture
def no_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    """A computer whose fonts have letters until Arabic only."""
    monkeypatch.setattr(letters, "_fonts", lambda: (range(0x20, 0x700), range(0x2000, 0x2700)))


def test_arabic_letters_take_the_forms_of_their_places():
    """Of the word 'salam' the first letter joins the second, lam and alef are one, and the last stands alone."""
    assert joined("\u0633\u0644\u0627\u0645") == "\ufeb3\ufefc\ufee1"
    # a vowel sign between two letters does not part them
    assert joined("\u0628\u064e\u062a") == "\ufe91\u064e\ufe96"
    assert joined("age is 62 or less?") == "age is 62 or less?"


def test_a_line_is_put_in_the_order_in_which_it_is_seen():
    """A name from right to left stands before the English words that follow it, and is itself reversed."""
    assert visual(f"{LEFT_TO_RIGHT}{PRESSURE} is 120 or less?") == f"{joined(PRESSURE)[::-1]} is 120 or less?"
    assert visual("\u05e9\u05dc\u05d5\u05dd is 3") == "\u05dd\u05d5\u05dc\u05e9 is 3"
    assert visual("\u0397\u03bb\u03b9\u03ba\u03af\u03b1") == "\u0397\u03bb\u03b9\u03ba\u03af\u03b1"


def test_lines_of_a_drawing_run_from_left_to_right():
    """Where a line begins with an Arabic name, a mark says so, which no other line has."""
    dot = subject(tree((PRESSURE, "sex"))).material(None).drawing()
    lines = re.findall("[^<>]+(?=</FONT>|<BR/>)", dot)
    assert any(PRESSURE.split()[0] in line for line in lines)
    assert all((line[0] == LEFT_TO_RIGHT) == bool(set(line) & set(PRESSURE) - {" "}) for line in lines)


@pytest.mark.usefixtures("no_chinese")
@pytest.mark.parametrize("detail", list(Detail))
def test_a_picture_names_letters_that_no_font_has(monkeypatch: pytest.MonkeyPatch, detail: Detail):
    """PNG and PDF say which letters are boxes; the SVG, whose letters are those of its reader, and others do not."""
    drawn: list[str] = []
    monkeypatch.setattr("solvers.report.exports.render", lambda dot, form: drawn.append(dot) or b"")
    for name in ("\u5e74\u9f62", PRESSURE):
        made = replace(subject(tree((name, "sex"))).material(None), detail=detail)
        for form in ("png", "pdf", "svg"):
            made.picture(form)
    assert ["U+5E74, U+9F62" in dot for dot in drawn] == [True, True, False, False, False, False]


def test_the_fonts_of_this_computer_are_known():
    """What they say they have is not missing; what no font can have is."""
    letters._fonts.cache_clear()
    if not letters._fonts():
        pytest.skip("no fc-list")
    assert unshown("age \u0397\u03bb \u2264") == ()
    assert unshown("age \U0001fbff\U00012000") != ()
