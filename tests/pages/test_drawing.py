"""Drawings are kept for the next look, and keep nobody's rows."""

from __future__ import annotations

import gc
import threading
import weakref
from dataclasses import replace

import pytest

from components.model import drawing
from components.session.work import Design
from solvers.diagram import Diagram, Excerpt
from solvers.problem import Dataset, ShapeKind
from tests.pages.handmade import bdd, prepared_sample


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was drawn, with a layout that costs nothing."""
    drawn: list[str] = []

    def layout(dot: str, form: str) -> bytes:
        drawn.append(dot)
        return f"<svg>{len(drawn)}</svg>".encode()

    for thread in threading.enumerate():
        if thread.name == "drawing":
            # what another test's screen draws ahead would be counted here
            thread.join()
    monkeypatch.setattr(drawing, "render", layout)
    drawing._packed.cache_clear()
    yield drawn
    drawing._packed.cache_clear()


def model() -> tuple[Diagram, Dataset]:
    """A model with rows of its own."""
    rows = prepared_sample("iris")
    data = replace(rows.train)
    return bdd(Design(kind=ShapeKind.BDD, max_depth=2).problem(replace(rows, train=data))), data


def test_the_same_is_drawn_once(made: list[str]) -> None:
    """The same model with the same rows is remembered; other rows, though equal, and no rows are drawn anew."""
    diagram, data = model()
    first = drawing.svg(diagram, "light", data=data, excerpt=Excerpt(2))
    assert drawing.svg(diagram, "light", data=data, excerpt=Excerpt(2)) == first and len(made) == 1
    assert drawing.svg(diagram, "light", data=replace(data), excerpt=Excerpt(2)) != first and len(made) == 2
    drawing.svg(diagram, "light", excerpt=Excerpt(2))
    drawing.svg(diagram, "light", excerpt=Excerpt(2))
    assert len(made) == 3


def test_a_drawing_that_is_kept_lets_go_of_its_rows(made: list[str]) -> None:
    """The rows of a session that has ended leave the memory, and nobody gets their drawing for rows at their place."""
    diagram, data = model()
    drawing.svg(diagram, "light", data=data)
    gone = [weakref.ref(data), weakref.ref(diagram)]
    del diagram, data
    gc.collect()
    assert [ref() for ref in gone] == [None, None]
    assert drawing._packed.cache_info().currsize == 1
    for _ in range(20):
        other, rows = model()
        before = len(made)
        drawing.svg(other, "light", data=rows)
        assert len(made) == before + 1
        del other, rows
