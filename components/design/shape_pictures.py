"""Small pictures of what shapes look like, as SVG: questions in layers, arcs, and answers. No Streamlit in here."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from solvers.problem import ShapeKind

_LETTERS = {
    ShapeKind.TREE: ("a", "bc", "defg"),
    ShapeKind.BDD: ("a", "bb", "cc"),
    ShapeKind.DIAGRAM: ("a", "bc", "de"),
}
"""What is asked in each layer of the picture of a shape: the same letter is the same question."""


Place = tuple[float, float]


class Colours(NamedTuple):
    """What a picture is drawn with."""

    line: str
    fill: str
    text: str


INK = {
    (False, False): Colours("#8a92a6", "#ffffff", "#4a5164"),
    (False, True): Colours("#3b4a8c", "#e4e8f7", "#3b4a8c"),
    (True, False): Colours("#7d8799", "#0e1117", "#b5bccd"),
    (True, True): Colours("#a9b7f5", "#2a3358", "#a9b7f5"),
}
"""By whether the theme is dark, and whether the shape is the chosen one."""


def family(kind: ShapeKind, *, dark: bool, chosen: bool) -> str:
    """A small model of a shape with its answers: in a tree each way has its own, elsewhere ways join."""
    layers = _LETTERS[kind]
    answers = 2 * len(layers[-1]) if kind is ShapeKind.TREE else 2
    return _picture(layers, answers, INK[dark, chosen], (132, 92), radius=8.5)


def skeleton(widths: Sequence[int], *, dark: bool, chosen: bool) -> str:
    """A diagram by its widths: a dot for each question that a layer has room for."""
    size = (132, 92)
    radius = max(2.2, min(6.0, 0.36 * size[0] / max(widths), 0.3 * size[1] / len(widths)))
    return _picture(tuple(" " * width for width in widths), 0, INK[dark, chosen], size, radius=radius)


def _picture(layers: Sequence[str], answers: int, ink: Colours, size: tuple[int, int], *, radius: float) -> str:
    width, height = size
    rows = [len(layer) for layer in layers] + ([answers] if answers else [])
    step = (height - 2 * radius - 4) / max(1, len(rows) - 1)
    places = [[(width * (i + 0.5) / n, 2 + radius + step * layer) for i in range(n)] for layer, n in enumerate(rows)]
    parts = [_line(start, end, dashed, ink) for start, end, dashed in _arcs(places)]
    for layer, row in zip(layers, places, strict=False):
        parts += [_question(place, letter, radius, ink) for place, letter in zip(row, layer, strict=True)]
    if answers:
        parts += [_answer(place, 1.5 * radius, ink) for place in places[-1]]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{"".join(parts)}</svg>'
    )


def _line(start: Place, end: Place, dashed: bool, ink: Colours) -> str:
    dashes = ' stroke-dasharray="3 2.4"' if dashed else ""
    return (
        f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" '
        f'stroke="{ink.line}" stroke-width="1.1"{dashes}/>'
    )


def _question(place: Place, letter: str, radius: float, ink: Colours) -> str:
    x, y = place
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{ink.fill}" stroke="{ink.line}" stroke-width="1.4"/>'
        f'<text x="{x:.1f}" y="{y + 3.6:.1f}" font-size="11" font-family="sans-serif" text-anchor="middle" '
        f'fill="{ink.text}">{letter}</text>'
    )


def _answer(place: Place, side: float, ink: Colours) -> str:
    x, y = place[0] - side / 2, place[1] - side / 2
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{side:.1f}" height="{side:.1f}" rx="2" fill="{ink.line}"/>'


def _arcs(places: list[list[Place]]) -> Iterator[tuple[Place, Place, bool]]:
    """From each place the arcs to two places of the next layer that lie below it; the second is dashed."""
    for above, below in pairwise(places):
        for i, start in enumerate(above):
            at = (i + 0.5) / len(above) * len(below) - 0.5
            left = min(max(int(at), 0), len(below) - 1)
            right = min(left + 1, len(below) - 1)
            if right == left and left > 0:
                left -= 1
            yield start, below[left], False
            if right != left:
                yield start, below[right], True
