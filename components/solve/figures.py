"""The sensitivity and specificity that are possible together."""

import numpy as np
import plotly.graph_objects as go

from components.messages.text import html
from components.model.figures import INK, calm, label
from solvers.explain import RateCurve
from solvers.messages.explanations import describe_rates

NOTE = "Each point is a proved tree of this depth. No tree of this depth lies in the shaded area."
"""How to read the points and the area."""


def rates(curve: RateCurve, dark: bool, height: int = 320) -> go.Figure:
    """Proved points, the area that they exclude, and what the constraints ask for."""
    ink, figure = INK[dark], go.Figure()
    false_alarms = np.linspace(0, curve.negatives, 201)
    edge = [curve.rates(curve.fewest_missed(number), number) for number in false_alarms]
    across, upwards = ([100 * rate[i] for rate in edge] for i in (1, 0))
    figure.add_scatter(x=across, y=upwards, mode="lines", line={"width": 1.5, "color": ink.warm}, hoverinfo="skip")
    figure.add_scatter(
        x=[*across, 0, 100],
        y=[*upwards, 105, 105],
        mode="lines",
        fill="toself",
        fillcolor=ink.faint,
        line={"width": 0},
        hoverinfo="skip",
    )
    found = [curve.rates(point.missed, point.false_alarms) for point in curve.points]
    figure.add_scatter(
        x=[100 * specificity for _, specificity in found],
        y=[100 * sensitivity for sensitivity, _ in found],
        mode="markers",
        marker={"size": 9, "color": ink.accent},
        customdata=[html(describe_rates(point, curve)) for point in curve.points],
        hovertemplate="%{customdata}<extra></extra>",
    )
    asked = curve.rates(curve.asked_missed or 0, curve.asked_false_alarms or 0)
    dotted = {"color": ink.accent, "width": 1.5, "dash": "dot"}
    if curve.asked_missed is not None:
        figure.add_hline(100 * asked[0], line=dotted)
    if curve.asked_false_alarms is not None:
        figure.add_vline(100 * asked[1], line=dotted)
    if curve.asked_missed is not None and curve.asked_false_alarms is not None:
        label(figure, 100 * asked[1], 100 * asked[0], " asked for ", ink.text, "right", "top")
    label(figure, 99, 104, "impossible", ink.warm, "right", "top")
    x = {"title": "Specificity (%)", "range": [0, 101]}
    return calm(figure, ink, height, x=x, y={"title": "Sensitivity (%)", "range": [0, 105]})
