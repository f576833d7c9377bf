"""The distribution of the values of a split, drawn with plotly."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from components.messages.text import html, shorten
from components.model.figures import INK, calm, label
from solvers.diagram import Diagram, class_colours
from solvers.diagram.labels import Bars, answer
from solvers.messages.costs import positive_first
from solvers.problem import LinearPredicate, Predicate


def split_figure(
    bars: Bars, diagram: Diagram, predicate: Predicate | LinearPredicate, unit: str, dark: bool
) -> go.Figure:
    """The rows of a split by value and class, stacked, with a line at the threshold; `unit` is what bars count."""
    ink, colours = INK[dark], class_colours(len(diagram.classes), diagram.positive)
    n = len(bars.weights)
    middles = bars.at + bars.width * (np.arange(n) - bars.cut + 0.5)
    half, figure = bars.width / 2, go.Figure()
    for k in positive_first(diagram):
        figure.add_bar(
            x=middles,
            y=bars.weights[:, k],
            width=[0.94 * bars.width] * n,
            marker={"color": colours[k], "line": {"width": 0}},
            hovertemplate=f"{html(answer(diagram, k))}: %{{y:,g}} at %{{x:.4g}}<extra></extra>",
        )
    figure.update_layout(barmode="stack", bargap=0)
    figure.add_vline(bars.at, line={"color": ink.text, "width": 2})
    for side, words in (("right", "yes&nbsp;"), ("left", "&nbsp;no")):
        label(figure, bars.at, 1, words, ink.text, side, "bottom", yref="paper")
    ticks: dict[str, Any] = {"nticks": 6}
    if bars.names:
        ticks = {"tickvals": middles, "ticktext": [html(shorten(name, 12)) for name in bars.names]}
    title, ends = html(shorten(", ".join(predicate.columns), 40)), [middles[0] - half, middles[-1] + half]
    across = {"title": title, "range": ends, **ticks}
    return calm(figure, ink, 190, x=across, y={"title": unit, "nticks": 4}, top=24, clip=True)
