"""How facts are drawn with plotly: few lines, labelled directly. No Streamlit in here."""

from __future__ import annotations

from typing import NamedTuple

import plotly.graph_objects as go

from components.facts import Curve


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


_ROOM = 1.36
"""The time axis is longer than the run by this factor, so that labels stand to the right of the lines."""


def live_curve(facts: Curve, dark: bool, height: int = 250) -> go.Figure:
    """Incumbent from above and bound from below, closing in on each other until the optimum is proved."""
    ink = INK[dark]
    figure = go.Figure()
    ends = []
    for points, colour, place, label in (
        (facts.incumbent, ink.accent, "top right", "best tree"),
        (facts.bound, ink.warm, "bottom right", "bound"),
    ):
        if points:
            x, y = [*(p[0] for p in points), facts.end], [*(p[1] for p in points), points[-1][1]]
            figure.add_scatter(x=x, y=y, mode="lines", line={"shape": "hv", "width": 2.5, "color": colour})
            ends.append((f"{label} {y[-1]:,g}", y[-1], place, colour))
    if facts.proved and ends:
        ends = [(f"proved here: {ends[0][1]:,g}", ends[0][1], "middle right", ink.accent)]
    for label, y, place, colour in ends:
        figure.add_scatter(
            x=[facts.end],
            y=[y],
            mode="markers+text",
            marker={"size": 9, "color": colour},
            text=[f" {label}"],
            textposition=place,
            textfont={"color": colour, "size": 13},
        )
    highest = max((y for _, y in facts.incumbent), default=1.0)
    low, high = -0.06 * highest - 0.2, 1.12 * highest + 0.5
    figure.update_xaxes(title="seconds", range=[0, max(facts.end, 0.1) * _ROOM], showgrid=False, zeroline=False)
    figure.update_yaxes(title="rows wrong", range=[low, high], gridcolor=ink.faint, zeroline=False)
    figure.update_traces(hoverinfo="skip", showlegend=False, cliponaxis=False)
    return _calm(figure, ink, height)


def _calm(figure: go.Figure, ink: Ink, height: int) -> go.Figure:
    figure.update_layout(
        height=height,
        margin={"l": 56, "r": 16, "t": 12, "b": 44},
        font={"color": ink.text, "size": 13},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        transition={"duration": 0},
        uirevision="fixed",
    )
    return figure
