"""How facts are drawn with plotly: few lines, labelled directly. No Streamlit in here."""

from __future__ import annotations

from typing import NamedTuple

import plotly.graph_objects as go

from components.model.run_facts import Curve
from components.words.explain_facts import Stairs
from components.words.text import NARROW, html


class Ink(NamedTuple):
    """The colours of a figure in a theme."""

    text: str
    faint: str
    accent: str
    warm: str


INK = {
    False: Ink("#1f2328", "#d8dce6", "#3b4a8c", "#57606a"),
    True: Ink("#f0f3f6", "#333a4a", "#a9b7f5", "#b1bac4"),
}
"""By whether the theme is dark."""


_FEW = 12
"""Up to so many points have their value written beside them."""

_UNSEEN = "rgba(0,0,0,0)"
_ROOM = 1.36
"""The time axis is longer than the run by this factor, so that labels stand to the right of the lines."""


def live_curve(facts: Curve, dark: bool, height: int = 250) -> go.Figure:
    """Incumbent from above and bound from below, closing in on each other until the optimum is proved."""
    ink = INK[dark]
    figure = go.Figure()
    labels = []
    for points, colour, place, label in (
        (facts.incumbent, ink.accent, "top right", f"best {facts.noun}"),
        (facts.bound, ink.warm, "bottom right", "bound"),
    ):
        if points:
            x, y = [*(p[0] for p in points), facts.end], [*(p[1] for p in points), points[-1][1]]
            figure.add_scatter(x=x, y=y, mode="lines", line={"shape": "hv", "width": 2.5, "color": colour})
            start, end = (
                (*points[0], label, "top right", colour),
                (facts.end, y[-1], f"{label} {y[-1]:,g}", place, colour),
            )
            labels.append(start if facts.proved else end)
    if facts.proved and facts.incumbent:
        cost = facts.incumbent[-1][1]
        _mark(figure, facts.end, cost, f"proved here: {cost:,g}", "middle right", ink.accent, dot=True)
    for x, y, label, place, colour in labels:
        _mark(figure, x, y, label, place, colour, dot=not facts.proved)
    highest = max((y for _, y in facts.incumbent), default=1.0)
    low, high = -0.06 * highest - 0.1, max(1.12 * highest + 0.5, 2.5)
    figure.update_xaxes(title="seconds", range=[0, max(facts.end, 0.1) * _ROOM], showgrid=False, zeroline=False)
    figure.update_yaxes(
        title=facts.unit, range=[low, high], dtick=1 if high < 6 else None, gridcolor=ink.faint, zeroline=False
    )
    figure.update_traces(hoverinfo="skip", showlegend=False, cliponaxis=False)
    return calm(figure, ink, height)


def trade_off(facts: Stairs, dark: bool, height: int = 300) -> go.Figure:
    """What each limit of a constraint costs, as stairs; open points are not proved, what cannot be kept is shaded."""
    ink, unit = INK[dark], f"{NARROW}%" if facts.percent else ""
    figure = go.Figure()
    points = sorted(zip(facts.limits, facts.costs, facts.proved, facts.words, strict=True))
    limits, costs, proved, words = (list(part) for part in zip(*points, strict=True))
    ends = [*limits, facts.asked, *([] if facts.impossible is None else [facts.impossible])]
    room = 0.08 * ((max(ends) - min(ends)) or 1)
    low, high = min(ends) - room, max(ends) + room
    # a looser limit than the loosest point costs as much as that
    stairs = ([*limits, high], [*costs, costs[-1]]) if facts.rising else ([low, *limits], [costs[0], *costs])
    line = {"shape": "hv" if facts.rising else "vh", "width": 2.5, "color": ink.accent}
    figure.add_scatter(x=stairs[0], y=stairs[1], mode="lines", line=line, hoverinfo="skip")
    figure.add_scatter(
        x=limits,
        y=costs,
        mode="markers+text",
        marker={"size": 9, "color": ink.accent, "symbol": ["circle" if p else "circle-open" for p in proved]},
        text=[f"{cost:,g}" for cost in costs] if len(costs) <= _FEW else None,
        textposition="top right" if facts.rising else "top left",
        textfont={"color": ink.accent, "size": 13},
        customdata=[f"{html(said)}: {cost:,g} {facts.unit}" for said, cost in zip(words, costs, strict=True)],
        hovertemplate="%{customdata}<extra></extra>",
    )
    if facts.impossible is not None:
        beyond = (low, facts.impossible) if facts.rising else (facts.impossible, high)
        figure.add_vrect(*beyond, fillcolor=ink.faint, opacity=0.5, line_width=0, layer="below")
        _note(figure, sum(beyond) / 2, 1, "impossible", ink, angle=-90)
    figure.add_vline(facts.asked, line={"color": ink.warm, "width": 1.5, "dash": "dot"})
    late = facts.asked > (low + high) / 2
    _note(figure, facts.asked, 0.02, f" asked for: {facts.asked:g}{unit} ", ink, anchor="right" if late else "left")
    highest = max(costs)
    figure.update_xaxes(title=html(facts.label), range=[low, high], ticksuffix=unit, showgrid=False, zeroline=False)
    figure.update_yaxes(
        title=facts.unit,
        range=[0, 1.15 * highest + 0.5],
        dtick=1 if highest < 6 else None,
        gridcolor=ink.faint,
        zeroline=False,
    )
    figure.update_traces(showlegend=False, cliponaxis=False)
    return calm(figure, ink, height)


def _note(
    figure: go.Figure, x: float, y: float, text: str, ink: Ink, *, anchor: str = "center", angle: int = 0
) -> None:
    """Write a few words into a figure; `y` is a share of its height."""
    figure.add_annotation(
        x=x,
        y=y,
        yref="paper",
        text=text,
        showarrow=False,
        textangle=angle,
        xanchor=anchor,
        yanchor="top" if angle else "bottom",
        font={"color": ink.warm, "size": 13},
    )


def _mark(figure: go.Figure, x: float, y: float, label: str, place: str, colour: str, *, dot: bool) -> None:
    figure.add_scatter(
        x=[x],
        y=[y],
        mode="markers+text",
        marker={"size": 9, "color": colour if dot else _UNSEEN},
        text=[f" {label}"],
        textposition=place,
        textfont={"color": colour, "size": 13},
    )


def calm(figure: go.Figure, ink: Ink, height: int, top: int = 12) -> go.Figure:
    """Give a figure the look of all figures; `top` is the room above it in pixels."""
    figure.update_layout(
        height=height,
        margin={"l": 56, "r": 16, "t": top, "b": 44},
        font={"color": ink.text, "size": 13},
        paper_bgcolor=_UNSEEN,
        plot_bgcolor=_UNSEEN,
        transition={"duration": 0},
        uirevision="fixed",
    )
    return figure
