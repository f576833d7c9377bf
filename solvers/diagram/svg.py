"""Make SVG safe for a page: only listed drawing elements and attributes are kept.

Graphviz wraps elements with tooltips into links. The links are removed, and their texts become the `title` of the
group, which browsers show on hover and screen readers read. The tooltip of the whole drawing becomes its title (first
line) and description.
"""

import re
from xml.etree import ElementTree

from ..errors import RenderError

_SVG = "{http://www.w3.org/2000/svg}"
_TOOLTIP = "{http://www.w3.org/1999/xlink}title"
_ELEMENTS = frozenset(
    {"svg", "g", "title", "desc", "path", "polygon", "polyline", "ellipse", "circle", "rect", "line", "text", "tspan"}
)
_ATTRIBUTES = frozenset(
    {"id", "class", "transform", "viewBox", "width", "height", "d", "points", "x", "y", "x1", "y1", "x2", "y2"}
    | {"cx", "cy", "r", "rx", "ry", "dx", "dy", "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray"}
    | {"stroke-opacity", "text-anchor", "font-family", "font-size", "font-weight", "font-style", "textLength"}
)
_DANGEROUS = re.compile(r"url\s*\(|script\s*:|data\s*:", re.IGNORECASE)


def clean_svg(source: bytes | str) -> bytes:
    """Remove scripts, links, event handlers, styles, pictures and foreign content from a drawing.

    Returns UTF-8 text of one `svg` element without prologue, ready for a page or a file. Raises `RenderError` if the
    source, as written by Graphviz, is not an SVG document.
    """
    try:
        root = ElementTree.fromstring(source)
    except (ElementTree.ParseError, ValueError) as error:
        raise RenderError(f"The drawing is not a readable SVG ({error}).") from None
    if root.tag != f"{_SVG}svg":
        raise RenderError("The drawing is not a readable SVG (its root is not 'svg').")
    (cleaned,) = _clean_value(root)
    _name(cleaned, _own_tooltip(next(iter(root), None)))
    cleaned.set("xmlns", _SVG[1:-1])
    cleaned.set("role", "img")
    written: bytes = ElementTree.tostring(cleaned, encoding="utf-8")
    return written


def _clean_value(element: ElementTree.Element) -> list[ElementTree.Element]:
    """The clean form of an element: itself with clean content, only its content (a link), or nothing."""
    inside = [part for child in element for part in _clean_value(child)]
    name = element.tag.removeprefix(_SVG) if isinstance(element.tag, str) else ""
    if name == "a" or (name == "g" and element.get("id", "").startswith("a_")):
        return inside
    if name not in _ELEMENTS:
        return []
    safe = {k: v for k, v in element.attrib.items() if k in _ATTRIBUTES and not _DANGEROUS.search(v)}
    out = ElementTree.Element(name, safe)
    tooltip = _own_tooltip(element)
    if tooltip is not None:
        # Graphviz's own titles ('node0') mean nothing to a reader
        inside = [child for child in inside if child.tag != "title"]
        title = ElementTree.SubElement(out, "title")
        title.text = tooltip
    out.extend(inside)
    if name in ("text", "tspan", "title", "desc"):
        out.text = element.text
    return [out]


def _own_tooltip(element: ElementTree.Element | None) -> str | None:
    """The tooltip of a group, from the link that Graphviz adds for this group itself."""
    if element is None or not element.get("id"):
        return None
    for child in element:
        if child.get("id") == f"a_{element.get('id')}":
            return next((link.get(_TOOLTIP) for link in child.iter(f"{_SVG}a") if link.get(_TOOLTIP)), None)
    return None


def _name(svg: ElementTree.Element, tooltip: str | None) -> None:
    """Move the name of the drawing from its outer group, where it would show on hover, to the document."""
    for child in svg:
        for title in child.findall("title"):
            if child.get("class") == "graph":
                child.remove(title)
    first, _, rest = (tooltip or "Diagram").partition("\n")
    for position, (tag, text) in enumerate((("title", first), ("desc", rest))):
        if text:
            element = ElementTree.Element(tag)
            element.text = text
            svg.insert(position, element)
    svg.set("aria-label", first)
