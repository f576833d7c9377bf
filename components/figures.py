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


def live_curve(facts: Curve, dark: bool, height: int = 250) -> go.Figure:
    """Incumbent from above and bound from below, closing in on each other until the optimum is proved."""
    ink = INK[dark]
    figure = go.Figure()
    for name, points, colour, place in (
        ("best tree", facts.incumbent, ink.accent, "top left"),
        ("no tree can do better than", facts.bound, ink.warm, "bottom left"),
    ):
        if not points:
            continue
        x, y = [p[0] for p in points], [p[1] for p in points]
        x, y = [*x, max(facts.end, x[-1])], [*y, y[-1]]
        figure.add_scatter(x=x, y=y, mode="lines", line={"shape": "hv", "width": 2.5, "color": colour}, name=name)
        if not (facts.proved and points is facts.bound):
            label = f"{name} {y[-1]:,g}"
            figure.add_scatter(
                x=[x[-1]],
                y=[y[-1]],
                mode="text",
                text=[label],
                textposition=place,
                textfont={"color": colour, "size": 12},
            )
    if facts.proved and facts.incumbent:
        figure.add_scatter(
            x=[facts.end],
            y=[facts.incumbent[-1][1]],
            mode="markers+text",
            marker={"size": 10, "color": ink.accent},
            text=["proved here"],
            textposition="bottom left",
            textfont={"color": ink.text, "size": 12},
        )
    highest = max((y for _, y in facts.incumbent), default=1.0)
    figure.update_xaxes(title="seconds", range=[0, max(facts.end, 0.1) * 1.04], showgrid=False, zeroline=False)
    figure.update_yaxes(
        title="rows wrong", range=[-0.06 * highest - 0.2, 1.18 * highest + 0.5], gridcolor=ink.faint, zeroline=False
    )
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
