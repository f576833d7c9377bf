"""Images: SVG, PNG and PDF from the layout process, its limits, and what of an SVG survives sanitizing."""

import re
from xml.etree import ElementTree

import pytest

from solvers.diagram import Excerpt, Leaf, clean_svg, render, to_dot
from solvers.errors import RenderError
from tests.diagram.models import diamond, tree

SVG = "{http://www.w3.org/2000/svg}"


def drawn(svg: bytes) -> dict[str, ElementTree.Element]:
    """The groups of an SVG by id."""
    return {g.get("id"): g for g in ElementTree.fromstring(svg).iter(f"{SVG}g")}


def words(element: ElementTree.Element) -> str:
    """The text of a group, without whitespace (lines are broken there)."""
    return re.sub(r"\s", "", "".join(t.text or "" for t in element.iter(f"{SVG}text")))


def test_svg_has_a_group_for_each_node_and_arc():
    """A click on the drawing can identify node<i> and arc<i>-yes."""
    groups = drawn(render(tree()))
    assert {f"node{i}" for i in range(7)} | {f"arc{i}-{w}" for i in range(3) for w in ("yes", "no")} <= groups.keys()
    assert groups["node4"].get("class") == "node leaf"
    assert words(groups["node4"]) == "diagnosis:healthy12of20·60%"


def test_svg_has_a_title_and_a_description():
    """A screen reader gets a description of the drawing; each node has its full text as a tooltip."""
    root = ElementTree.fromstring(render(tree()))
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == root.get("aria-label") == "Decision tree for diagnosis"
    assert root.find(f"{SVG}desc").text.startswith("3 questions, 4 leaves")
    title = drawn(render(tree()))["node5"].find(f"{SVG}title").text
    assert title == "diagnosis: ill\nHere: age is more than 40.5, up to 60\nhealthy: 2 of 3\nill: 1 of 3"


@pytest.mark.parametrize(("form", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<svg")])
@pytest.mark.parametrize("diagram", [tree(), diamond()], ids=["tree", "diagram"])
def test_images_have_the_requested_format(diagram, form, magic):
    """Each format begins with its magic bytes, from a diagram and from DOT text."""
    assert render(diagram, form).startswith(magic)
    assert render(to_dot(diagram, theme="dark"), form).startswith(magic)


def test_too_many_nodes_are_refused_with_a_remedy():
    """The limit counts the drawn nodes, so that fewer levels are accepted."""
    with pytest.raises(RenderError, match=r"has 7 nodes; at most 5 are drawn\. Draw fewer levels"):
        render(tree(), max_nodes=5)
    assert render(to_dot(tree(), excerpt=Excerpt(1)), max_nodes=5)


def test_a_layout_that_takes_too_long_is_ended():
    """A dense graph that would take Graphviz a minute ends at the time limit, with a remedy."""
    arcs = " ".join(f"n{i} -> n{j};" for i in range(150) for j in range(i + 1, 150))
    with pytest.raises(RenderError, match=r"not ready within 0\.5 seconds"):
        render(f"digraph {{ {arcs} }}", seconds=0.5)


@pytest.mark.parametrize(
    ("drawing", "form", "message"),
    [("this is { not dot", "svg", "cannot read this drawing"), (tree(), "exe", "svg, png, pdf")],
)
def test_other_texts_and_formats_are_refused(drawing, form, message):
    """The error says that the text cannot be read, or lists the formats."""
    with pytest.raises(RenderError, match=message):
        render(drawing, form)


def test_a_single_leaf_is_drawn():
    """A model without splits can be drawn too."""
    from dataclasses import replace

    leaf = replace(tree(), nodes=(Leaf(1, (1.0, 3.0)),))
    assert words(drawn(render(leaf))["node0"]) == "diagnosis:ill3of4·75%"


HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 1 1">'


def cleaned(inside: str) -> str:
    """The sanitized text of an SVG with this content."""
    return clean_svg(f"{HEAD}{inside}</svg>").decode()


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        '<g><script href="https://example.org/x.js"/></g>',
        "<foreignObject><body xmlns='http://www.w3.org/1999/xhtml'><script>alert(1)</script></body></foreignObject>",
        '<html:script xmlns:html="http://www.w3.org/1999/xhtml">alert(1)</html:script>',
        "<style>@import url(https://example.org/x.css)</style>",
        '<image href="https://example.org/x.png"/>',
        '<use xlink:href="#x"/>',
        '<animate attributeName="href" values="javascript:alert(1)"/>',
        '<set attributeName="onclick" to="alert(1)"/>',
        "<iframe/>",
    ],
)
def test_elements_that_are_not_drawn_are_removed(inside):
    """Only the empty drawing with its name remains."""
    assert cleaned(inside).replace("<g />", "") == cleaned("")
    assert "alert" not in cleaned(inside)


@pytest.mark.parametrize(
    "attribute",
    [
        'onclick="alert(1)"',
        'onload="alert(1)"',
        'ONCLICK="alert(1)"',
        'style="background:url(javascript:alert(1))"',
        'href="javascript:alert(1)"',
        'xlink:href="https://example.org"',
        'fill="url(https://example.org/#x)"',
        'fill="URL (#x)"',
        'class="JavaScript:alert(1)"',
    ],
)
def test_attributes_that_act_or_load_are_removed(attribute):
    """The element stays, without the attribute."""
    assert cleaned(f'<path d="M0,0" {attribute}/>') == cleaned('<path d="M0,0"/>')


def test_a_link_becomes_the_title_of_its_group():
    """The address is removed, the linked elements stay, and the tooltip becomes the title."""
    text = cleaned(
        '<g id="node0" class="node"><title>node0</title><g id="a_node0">'
        '<a xlink:href="javascript:alert(1)" xlink:title="bmi &lt;= 30?"><path d="M0,0"/></a></g></g>'
    )
    group = next(ElementTree.fromstring(text).iter("{http://www.w3.org/2000/svg}g"))
    assert [(child.tag.split("}")[1], child.text) for child in group] == [
        ("title", "bmi <= 30?"),
        ("path", None),
    ]
    assert "alert" not in text


def test_text_is_unchanged():
    """Texts are escaped again, not interpreted."""
    assert "&lt;b&gt; &amp;amp; é 😀" in cleaned("<text>&lt;b&gt; &amp;amp; é 😀</text>")


@pytest.mark.parametrize("source", [b"", "no markup", "<html></html>", "<svg>", "<svg/>", HEAD])
def test_other_content_is_refused(source):
    """The error is a `RenderError`, never an error of the parser."""
    with pytest.raises(RenderError, match="not a readable SVG"):
        clean_svg(source)
