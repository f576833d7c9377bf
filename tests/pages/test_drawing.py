"""Drawings are cached, and the cache keeps no rows."""

from __future__ import annotations

import gc
import re
import threading
import weakref
from dataclasses import replace
from itertools import product
from xml.etree import ElementTree

import pytest

from components.model import drawing
from components.model.drawing import WHOLE
from components.model.outline import outline
from solvers.diagram import Diagram, Excerpt, Leaf, Node, Split
from solvers.posing import problem_on
from solvers.problem import Dataset, ShapeKind
from solvers.report.drawing import Detail, row_facts
from solvers.report.exports import Material
from solvers.report.subject import Author
from tests.diagram.models import HOSTILE, diamond, majority, tree
from tests.pages.handmade import ask, bdd, prepared_sample
from tests.report.test_report import page, subject

SVG = re.compile(r"<svg.*?</svg>", re.DOTALL)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A drawing with a trivial layout."""
    drawn: list[str] = []

    def layout(dot: str, form: str) -> bytes:
        drawn.append(dot)
        return f"<svg>{len(drawn)}</svg>".encode()

    for thread in threading.enumerate():
        if thread.name == "drawing":
            # drawings that the screen of another test makes in the background would be counted here
            thread.join()
    monkeypatch.setattr(drawing, "render", layout)
    drawing._pack.cache_clear()
    yield drawn
    drawing._pack.cache_clear()


def model() -> tuple[Diagram, Dataset]:
    """A model with separate rows."""
    rows = prepared_sample("iris")
    data = replace(rows.train)
    return bdd(problem_on(ask(shape=ShapeKind.BDD, max_depth=2), data)), data


def test_the_same_model_is_drawn_once(made: list[str]) -> None:
    """The same model with the same rows is cached; other rows, even if equal, or no rows are drawn again."""
    diagram, data = model()
    first = drawing.svg(diagram, "light", data=data, excerpt=Excerpt(2))
    assert drawing.svg(diagram, "light", data=data, excerpt=Excerpt(2)) == first and len(made) == 1
    assert drawing.svg(diagram, "light", data=replace(data), excerpt=Excerpt(2)) != first and len(made) == 2
    drawing.svg(diagram, "light", excerpt=Excerpt(2))
    drawing.svg(diagram, "light", excerpt=Excerpt(2))
    assert len(made) == 3


def test_a_cached_drawing_releases_its_rows(made: list[str]) -> None:
    """The rows of an ended session are freed, and rows at the same memory address do not get their drawing."""
    diagram, data = model()
    drawing.svg(diagram, "light", data=data)
    gone = [weakref.ref(data), weakref.ref(diagram)]
    del diagram, data
    gc.collect()
    assert [ref() for ref in gone] == [None, None]
    assert drawing._pack.cache_info().currsize == 1
    for _ in range(20):
        other, rows = model()
        before = len(made)
        drawing.svg(other, "light", data=rows)
        assert len(made) == before + 1
        del other, rows


def texts_of(picture: str) -> dict[str, list[str]]:
    """The text of each node and arc of a drawing, by its name."""
    svg = "{http://www.w3.org/2000/svg}"
    groups = ElementTree.fromstring(picture).iter(f"{svg}g")
    found = {group.get("id"): [text.text for text in group.iter(f"{svg}text")] for group in groups}
    return {name: texts for name, texts in found.items() if name and name.startswith(("node", "arc", "level"))}


def rich_parts(picture: str) -> int:
    """The number of rectangles in the boxes of a drawing, which make up the bars and lines of a rich one."""
    svg = "{http://www.w3.org/2000/svg}"
    nodes = (
        group for group in ElementTree.fromstring(picture).iter(f"{svg}g") if group.get("id", "").startswith("node")
    )
    return sum(part.get("stroke") == "none" for node in nodes for part in node.iter(f"{svg}polygon"))


@pytest.mark.parametrize("detail", Detail)
@pytest.mark.parametrize("model", [tree(), majority(), diamond()], ids=["tree", "bdd", "diagram"])
def test_screen_file_and_report_have_the_same_nodes(model: Diagram, detail: Detail) -> None:
    """Risk, interval, counts, text, bars and stripes are those of one drawing, also in dot files and pages."""
    made = subject(model)
    material = made.material(None, detail)
    screen = drawing.svg(made.diagram, "light", data=made.train, detail=detail)
    written = SVG.findall(page(made, Author(detail=detail)))
    texts = [texts_of(picture) for picture in (screen, material.picture("svg").decode(), *written)]
    assert len(texts) == 3 and texts[0] == texts[1] == texts[2]
    for i, leaf in made.diagram.leaves:
        rows = texts_of(screen)[f"node{i}"][1:]
        assert not rows if detail is Detail.BARE else "predicted" in " ".join(rows), (i, leaf)
    standard = rich_parts(drawing.svg(made.diagram, "light", data=made.train))
    assert (rich_parts(screen) > standard) == (detail is Detail.RICH)
    assert rich_parts(screen) == rich_parts(written[0])
    assert screen.count('class="node leaf small"') == material.picture("svg").decode().count('class="node leaf small"')
    # dot files and pages use the same picture with a background
    assert material.drawing(background=True).replace('bgcolor="#ffffff"', "bgcolor=transparent") == material.drawing()


def test_a_list_has_the_content_of_the_drawing() -> None:
    """If no picture fits, the same splits and leaves are listed one below the other; markup in names has no effect."""
    hostile = tree((HOSTILE[4], "sex"), classes=(HOSTILE[4], "ill"), outcome=HOSTILE[1])
    for model, detail in product((tree(), majority(), diamond(), hostile), Detail):
        made = subject(model)
        diagram, data = made.diagram, made.train
        drawn = texts_of(drawing.svg(diagram, "light", data=data, detail=detail))
        facts = row_facts(diagram, data, detail)
        list_of = ElementTree.fromstring(f"<div>{outline(diagram, WHOLE, frozenset(), facts, 'light')}</div>")
        assert {e.tag for e in list_of.iter()} == {"div", "ul", "li", "b", "small", "span", "p", "i", "br"}
        nodes = {e.get("id"): " ".join(e.itertext()) for e in list_of.iter("div") if e.get("id")}
        assert nodes.keys() == {f"node{i}" for i in range(diagram.n_nodes)}
        for i, _ in diagram.leaves:
            for text in drawn[f"node{i}"][1:]:
                assert text.strip()[-12:] in nodes[f"node{i}"]


def test_as_many_levels_are_open_as_fit_the_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """From wide to narrow: three levels, two, one, and then the list, which has three again."""
    monkeypatch.setattr(drawing, "natural_width", lambda picture: 300 * float(picture))
    monkeypatch.setattr(drawing, "svg", lambda diagram, theme, *, excerpt, **more: str(excerpt.max_depth))
    diagram = replace(tree(), nodes=deep(5))
    painter = drawing._Painter(diagram, None, "light", Detail.STANDARD)
    plain = drawing._Wanted(None, frozenset(), frozenset())
    found = [drawing._view(painter, plain, width) for width in (1400, 1000, 620, 500, 470)]
    assert [view.excerpt.max_depth for view in found] == [3, 3, 2, 1, 3]
    assert [view.picture is None for view in found] == [False] * 4 + [True]
    on_a_way = plain._replace(way=frozenset({0, 1}))
    assert drawing._view(painter, on_a_way, 1000).excerpt == Excerpt(0, opened=frozenset({0, 1}))
    assert drawing._view(painter, plain._replace(levels=5), 1000).excerpt == Excerpt(5)


@pytest.mark.parametrize("depth", [2, 3])
def test_a_tree_has_one_orientation(made: list[str], depth: int) -> None:
    """Folded or whole, on screens and in files, five leaves or more are drawn from left to right, fewer top down."""
    diagram = replace(tree(), nodes=deep(depth))
    for levels in (1, depth):
        drawing.svg(diagram, "light", excerpt=Excerpt(levels))
    for dot in (*made, Material(diagram).drawing()):
        assert ("rankdir=LR" in dot) == (depth == 3)


def deep(depth: int) -> tuple[Node, ...]:
    """The nodes of a full tree with the same split everywhere."""
    question = tree().split(0).predicate
    inner = 2**depth - 1
    splits = tuple(Split(question, 2 * i + 1, 2 * i + 2) for i in range(inner))
    return splits + tuple(Leaf(i % 2, (20.0, 20.0)) for i in range(inner + 1))
