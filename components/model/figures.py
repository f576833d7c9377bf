"""Shared plotly styles: few lines, labelled directly. Does not import Streamlit."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from components.model.run_facts import Curve
from solvers.metrics import Rate


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


LETTER, LINE = 7.2, 18
"""Average width of a label letter and height of a label line, in pixels."""

NARROW_PLOT = 250
"""Plot width on a phone in pixels: labels that do not overlap at this width overlap at no larger one."""

_UNSEEN = "rgba(0,0,0,0)"
_TOP, BOTTOM = 12, 44
"""Margins above and below a plot, in pixels."""


def live_curve(facts: Curve, dark: bool, height: int = 250, across: str = "seconds") -> go.Figure:
    """The best model so far from above and the lower bound from below, until they meet at the optimum."""
    ink = INK[dark]
    figure = go.Figure()
    ends, starts = [], []
    for points, colour, name in (
        (facts.incumbent, ink.accent, "best so far"),
        (facts.bound, ink.warm, "lower bound"),
    ):
        if points:
            x, y = [*(p[0] for p in points), facts.end], [*(p[1] for p in points), points[-1][1]]
            figure.add_scatter(x=x, y=y, mode="lines", line={"shape": "hv", "width": 2.5, "color": colour})
            figure.add_scatter(x=x[-1:], y=y[-1:], mode="markers", marker={"size": 9, "color": colour})
            ends.append((y[-1], f"{name} {y[-1]:,g}", colour))
            starts.append((points[0], name, colour))
    if facts.bound and facts.bound[-1][1] <= 0 and all(cost > 0 for _, cost in facts.incumbent):
        ends[-1] = (ends[-1][0], "no lower bound yet", ink.warm)
    highest = max((y for _, y in (*facts.incumbent, *facts.bound)), default=1.0)
    low, high = -0.06 * highest - 0.1, max(1.12 * highest + 0.5, 2.5)
    if facts.proved and facts.incumbent:
        cost = facts.incumbent[-1][1]
        ends = [(cost, f"optimal: {cost:,g}", ink.accent)]
        if len(starts) > 1 and starts[0][0][1] - starts[1][0][1] < 2 * LINE * (high - low) / (height - _TOP - BOTTOM):
            # too close for two labels
            starts = [(starts[0][0], f"{starts[0][1]}, {starts[1][1]}", ink.accent)]
        for (x_first, y_first), name, colour in starts:
            label(figure, x_first, y_first, name, colour, "left", "bottom", yshift=2)
    right = name_ends(figure, ends, (low, high), height - _TOP - BOTTOM)
    figure.update_traces(hoverinfo="skip")
    horizontal = {"title": across, "range": [0, max(facts.end, 0.1)]}
    upwards = {"title": facts.unit, "range": [low, high], "dtick": 1 if high < 6 else None}
    return calm(figure, ink, height, x=horizontal, y=upwards, right=right)


def label(
    figure: go.Figure, x: Any, y: Any, text: str, colour: str, side: str, edge: str, *, size: int = 13, **more: Any
) -> None:
    """Write a short text into a figure; `side` and `edge` are the text's anchor, such as 'left' and 'bottom'.

    `more` are further properties of a plotly annotation.
    """
    font = {"color": colour, "size": size}
    figure.add_annotation(x=x, y=y, text=text, showarrow=False, xanchor=side, yanchor=edge, font=font, **more)


def name_ends(figure: go.Figure, ends: Sequence[tuple[float, str, str]], span: tuple[float, float], pixels: int) -> int:
    """Label lines at their right ends, beside the plot; returns the margin that the labels need, in pixels.

    Parameters
    ----------
    ends : height, name and colour of each line.
    span, pixels : range of the y axis, and height of the plot.
    """
    heights = apart([y for y, _, _ in ends], LINE * (span[1] - span[0]) / pixels, span[1])
    for (_, name, colour), y in zip(ends, heights, strict=True):
        label(figure, 1, y, name, colour, "left", "middle", xref="paper", xshift=8)
    return round(16 + LETTER * max((len(name) for _, name, _ in ends), default=0))


def apart(places: Sequence[float], gap: float, most: float) -> list[float]:
    """Label positions at least `gap` apart: overlapping labels move up, but at most to `most`, then down."""
    order = sorted(range(len(places)), key=places.__getitem__)
    out = list(places)
    for below, above in pairwise(order):
        out[above] = max(out[above], out[below] + gap)
    limit = most
    for i in reversed(order):
        out[i] = min(out[i], limit)
        limit = out[i] - gap
    return out


def calm(
    figure: go.Figure,
    ink: Ink,
    height: int,
    *,
    x: Mapping[str, Any],
    y: Mapping[str, Any],
    top: int = _TOP,
    right: int = 16,
    legend: bool = False,
    clip: bool = False,
) -> go.Figure:
    """Apply the common style to a figure.

    Parameters
    ----------
    x, y : axis properties that differ from the default: title, range, ticks.
    top, right : margins in pixels.
    legend : whether lines are named above the figure because direct labels do not fit.
    clip : whether lines are clipped at the axes.
    """
    figure.update_xaxes({"showgrid": False, "zeroline": False, **x})
    figure.update_yaxes({"gridcolor": ink.faint, "zeroline": False, **y})
    for trace in figure.data:
        # plotly serialises arrays as bytes, and Streamlit does not fit such a plot to a narrower container
        for name, value in trace.to_plotly_json().items():
            if name != "type":
                # plotly keeps its old value if the new one is equal
                trace[name] = None
                trace[name] = _format_list(value)
    figure.update_traces(cliponaxis=clip)
    figure.update_layout(
        height=height,
        margin={"l": 56, "r": right, "t": top, "b": BOTTOM},
        font={"color": ink.text, "size": 13},
        paper_bgcolor=_UNSEEN,
        plot_bgcolor=_UNSEEN,
        transition={"duration": 0},
        uirevision="fixed",
        showlegend=legend,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    )
    return figure


def _format_list(value: Any) -> Any:
    """The value with lists in place of arrays."""
    if isinstance(value, dict):
        return {name: _format_list(part) for name, part in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value


def per_cent(share: float | None) -> float | None:
    """A share in percent for plotly; `None` draws nothing."""
    return None if share is None else 100 * share


def intervals(shares: Sequence[Rate], colour: str, *, thickness: float = 1.2, width: int = 4) -> dict[str, object]:
    """The 95% intervals of shares around their points, in percent, as plotly error bars."""
    ends = np.array([share[:3] for share in shares], np.float64).reshape(-1, 3)
    return {
        "array": 100 * (ends[:, 2] - ends[:, 0]),
        "arrayminus": 100 * (ends[:, 0] - ends[:, 1]),
        "color": colour,
        "thickness": thickness,
        "width": width,
    }
