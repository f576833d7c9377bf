"""Errors of trees of all sizes, on rows that they saw and on rows that they did not. No Streamlit in here."""

import plotly.graph_objects as go

from components.design.recommendation_facts import SizeLine
from components.model.figures import INK, calm


def size_figure(lines: tuple[SizeLine, ...], costs: bool, dark: bool) -> go.Figure:
    """Validated errors as strong lines with their standard errors, training errors dotted; a ring around the choice.

    `costs` says that mistakes have costs of their own, so that errors are no shares.
    """
    ink, figure = INK[dark], go.Figure()
    factor = 1 if costs else 100
    for line in lines:
        colour = ink.warm if line.greedy else ink.accent
        leaves = [point.n_leaves for point in line.points]
        validated, training = "on rows not seen", "in training"
        spread = {"type": "data", "array": [factor * p.spread for p in line.points], "thickness": 1, "width": 3}
        figure.add_scatter(
            x=leaves,
            y=[factor * point.validated for point in line.points],
            name=f"{line.title}, {validated}",
            mode="lines+markers",
            line={"color": colour, "width": 2.5, "dash": "dash" if line.greedy else "solid"},
            marker={"size": 7, "symbol": "square" if line.greedy else "circle"},
            error_y=None if line.greedy else spread,
        )
        figure.add_scatter(
            x=leaves,
            y=[factor * point.training for point in line.points],
            name=f"{line.title}, {training}",
            mode="lines",
            line={"color": colour, "width": 1.2, "dash": "dot"},
        )
    chosen = next((point for line in lines for point in line.points if point.recommended), None)
    if chosen is not None:
        figure.add_scatter(
            x=[chosen.n_leaves],
            y=[factor * chosen.validated],
            name="recommended",
            mode="markers",
            marker={"size": 17, "symbol": "circle-open", "color": ink.text, "line": {"width": 2.5}},
        )
    across = {"title": "leaves of the tree", "rangemode": "tozero"}
    upwards = {"title": "errors a row" if costs else "% wrong", "rangemode": "tozero"}
    return calm(figure, ink, 320, x=across, y=upwards, top=64, legend=True, clip=False)
