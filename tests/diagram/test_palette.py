"""Colours of classes, leaves and text."""

import pytest

from solvers.diagram import THEMES, class_colours
from solvers.diagram.palette import OKABE_ITO, certainty, contrast, mix, text_on


def test_the_positive_class_has_the_first_colour():
    """The positive class comes first, the others keep their order."""
    assert class_colours(3, 1) == (OKABE_ITO[1], OKABE_ITO[0], OKABE_ITO[2])
    assert class_colours(3, None) == OKABE_ITO[:3]
    assert len(class_colours(11, 10)) == 11


def test_contrast_agrees_with_the_standard():
    """Black on white is 21, equal colours are 1, and a known grey pair has the published value."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#777777") == 1
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("theme", THEMES)
def test_text_can_be_read_on_every_leaf(theme):
    """In both themes, text on any class colour at any certainty has a contrast of at least 4.5."""
    for colour in OKABE_ITO:
        for step in range(101):
            fill = mix(colour, THEMES[theme].background, step / 100)
            assert contrast(text_on(fill), fill) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_neutral_text_can_be_read(theme):
    """Splits and secondary text have enough contrast on the surface and on the background."""
    t = THEMES[theme]
    assert min(contrast(a, b) for a in (t.ink, t.muted) for b in (t.surface, t.background)) >= 4.5


def test_certainty_rises_from_an_equal_share_to_a_pure_leaf():
    """Certainty is 0 at an equal share and 1 in a pure leaf, for any number of classes."""
    assert certainty(0.5, 2) == 0
    assert certainty(1.0, 3) == 1
    assert certainty(2 / 3, 3) == pytest.approx(0.5)
    assert certainty(0.2, 3) == 0
    assert certainty(1.0, 1) == 1
