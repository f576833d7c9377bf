"""What leaves tell in every drawing: their risk with its interval, and whether it rests on few rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solvers.metrics import rate
from solvers.report.drawing import leaf_notes, short_rate
from tests.diagram.models import tree
from tests.pages.test_explorer_facts import patients


def test_leaves_tell_the_risk_of_the_positive_class():
    """Every leaf tells the share of the ill, whatever it answers, with Wilson's interval; few rows are marked."""
    notes = leaf_notes(tree(), patients())
    assert notes[3].lines == ("risk 0\u202f% (0\u20139\u202f%)", "0 of 40") and not notes[3].small
    assert notes[5].lines == ("risk 75\u202f% (30\u201395\u202f%)", "3 of 4: few rows") and notes[5].small
    assert notes[6].lines == ("no rows",) and notes[6].small


def test_without_a_positive_class_leaves_tell_the_share_of_their_answer():
    """The share is then that of the class that the leaf answers."""
    model = replace(tree(), positive=None)
    assert leaf_notes(model, replace(patients(), positive=None))[3].lines[1] == "40 of 40"


def test_a_share_is_never_rounded_to_none_or_all():
    """1 of 200 is less than 1 %, 199 more than 99 %; an interval that whole numbers would close keeps a decimal."""
    hits = np.zeros(200, bool)
    hits[0] = True
    assert short_rate(rate(hits)).startswith("<1")
    assert short_rate(rate(~hits)).startswith(">99")
    assert short_rate(rate(np.ones(100_000, bool))) == "100\u202f% (100.0\u2013100.0\u202f%)"


def test_without_rows_leaves_tell_what_they_remember():
    """Counts of training rows have an interval; weights have none, and no note then."""
    notes = leaf_notes(tree(), None)
    assert notes[4].lines == ("risk 40\u202f% (22\u201361\u202f%)", "8 of 20") and not notes[4].small
    assert notes[5].lines[1] == "1 of 3: few rows" and notes[5].small
    weighted = replace(tree(), nodes=(*tree().nodes[:6], replace(tree().leaf(6), counts=(0.5, 2.0))))
    assert leaf_notes(weighted, None) == {}
