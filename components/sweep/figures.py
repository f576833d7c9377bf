"""The models of a sweep, drawn: errors on unseen and on training rows over questions. No Streamlit in here."""

from collections.abc import Sequence

import plotly.graph_objects as go

from components.model.figures import INK, calm
from components.sweep.facts import Series, SweepPoint
from components.words.text import html
from solvers.diagram.palette import OKABE_ITO

_LIGHT = (*OKABE_ITO[1:6], OKABE_ITO[0], OKABE_ITO[7])
_DARK = (OKABE_ITO[5], *OKABE_ITO[2:5], OKABE_ITO[0], OKABE_ITO[6], OKABE_ITO[7])
"""The colours of methods on a light and on a dark ground: no yellow on white, no dark blue on black."""

_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "star", "hexagon", "x")


def sweep_figure(found: tuple[Series, ...], dark: bool, height: int = 360) -> go.Figure:
    """A line a method: strong on unseen rows, dotted on training rows; `customdata[0]` of a point is its cell.

    A point is filled where all its models are proved. Methods differ in colour and mark; what was made without the
    constraints is dashed.
    """
    ink, figure = INK[dark], go.Figure()
    methods = list(dict.fromkeys(one.method for one in found))
    for one in found:
        place = methods.index(one.method)
        colours = _DARK if dark else _LIGHT
        colour, symbol = colours[place % len(colours)], _SYMBOLS[place % len(_SYMBOLS)]
        judged = [dot for dot in one.dots if dot.unseen is not None]
        _draw(figure, one, judged, "unseen", colour, symbol, "solid" if one.constrained else "dash", named=bool(judged))
        _draw(figure, one, one.dots, "train", colour, symbol, "dot", named=not judged)
    most = max((dot.questions for one in found for dot in one.dots), default=0.0)
    # a line at each whole question as long as they have room
    across = {"title": "questions of a model", "rangemode": "tozero", "dtick": 1 if most <= 15 else None}
    upwards = {"title": "% wrong", "rangemode": "tozero"}
    return calm(figure, ink, height, x=across, y=upwards, top=48, legend=True, clip=True)


def _draw(
    figure: go.Figure,
    one: Series,
    dots: Sequence[SweepPoint],
    rows: str,
    colour: str,
    symbol: str,
    dash: str,
    *,
    named: bool,
) -> None:
    if not dots:
        return
    strong = rows == "unseen"
    figure.add_scatter(
        x=[dot.questions for dot in dots],
        y=[getattr(dot, rows) for dot in dots],
        mode="lines+markers",
        line={"dash": dash, "width": 2.5 if strong else 1.2, "color": colour},
        marker={
            "size": 11 if strong else 7,
            "color": colour,
            "symbol": [symbol + ("" if dot.proved else "-open") for dot in dots],
            "line": {"width": 1.5, "color": colour},
        },
        opacity=1.0 if strong or named else 0.65,
        name=html(one.name, 60),
        legendgroup=one.name,
        showlegend=named,
        customdata=[[dot.line.cell, _hover(one, dot)] for dot in dots],
        hovertemplate="%{customdata[1]}<extra></extra>",
    )


def _hover(one: Series, dot: SweepPoint) -> str:
    parts = [
        f"<b>{html(one.name)}</b>",
        html(dot.line.size),
        f"{dot.questions:.1f} questions",
    ]
    if dot.unseen is not None:
        parts.append(f"unseen rows: {dot.unseen:.1f} % wrong")
    parts.append(f"training rows: {dot.train:.1f} % wrong")
    parts.append("proved" if dot.proved else "not proved")
    return "<br>".join(parts)
