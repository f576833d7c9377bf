"""Names in non-Latin scripts: shaped and ordered in a PDF, and listed below a picture that cannot show them."""

from __future__ import annotations

import re

from solvers.diagram.labels import LEFT_TO_RIGHT
from solvers.report.fonts import joined, visual
from tests.diagram.models import tree
from tests.report.test_report import subject

PRESSURE = "\u0636\u063a\u0637 \u0627\u0644\u062f\u0645"
"""Blood pressure, in Arabic."""


def test_arabic_letters_take_their_contextual_forms():
    """In the word 'salam' the first letter joins the second, lam and alef form a ligature, the last is isolated."""
    assert joined("\u0633\u0644\u0627\u0645") == "\ufeb3\ufefc\ufee1"
    # a vowel sign between two letters does not separate them
    assert joined("\u0628\u064e\u062a") == "\ufe91\u064e\ufe96"
    assert joined("age is at most 62?") == "age is at most 62?"


def test_a_line_is_in_visual_order():
    """A right-to-left name is before the English words that follow it, and is itself reversed."""
    assert visual(f"{LEFT_TO_RIGHT}{PRESSURE} is at most 120?") == f"{joined(PRESSURE)[::-1]} is at most 120?"
    assert visual("\u05e9\u05dc\u05d5\u05dd is 3") == "\u05dd\u05d5\u05dc\u05e9 is 3"
    assert visual("\u0397\u03bb\u03b9\u03ba\u03af\u03b1") == "\u0397\u03bb\u03b9\u03ba\u03af\u03b1"


def test_lines_of_a_drawing_run_from_left_to_right():
    """If a line begins with an Arabic name, a direction mark is added, which no other line has."""
    dot = subject(tree((PRESSURE, "sex"))).material(None).drawing()
    lines = re.findall("[^<>]+(?=</FONT>|<BR/>)", dot)
    assert any(PRESSURE.split()[0] in line for line in lines)
    assert all((line[0] == LEFT_TO_RIGHT) == bool(set(line) & set(PRESSURE) - {" "}) for line in lines)
