"""The SVG elements and attributes that survive sanitizing."""

from xml.etree import ElementTree

import pytest

from solvers.diagram import clean_svg
from solvers.errors import RenderError

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
