"""How facts are drawn with plotly: few lines, labelled directly. No Streamlit in here."""

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
"""Pixels of a letter of a label, on average, and of a line of it."""

NARROW_PLOT = 250
"""Pixels between the axes on a phone: what does not meet at this width meets at none."""

_UNSEEN = "rgba(0,0,0,0)"
_TOP, BOTTOM = 12, 44
"""Pixels above a plot, and below it."""


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
            # two lines that are one from the first moment on
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
    """Write a few words into a figure; `side` and `edge` of the text, such as 'left' and 'bottom', are at the place.

    `more` are further properties of a plotly annotation.
    """
    font = {"color": colour, "size": size}
    figure.add_annotation(x=x, y=y, text=text, showarrow=False, xanchor=side, yanchor=edge, font=font, **more)


def name_ends(figure: go.Figure, ends: Sequence[tuple[float, str, str]], span: tuple[float, float], pixels: int) -> int:
    """Name lines beside the plot, where they end; the pixels of room that this takes.

    Parameters
    ----------
    ends : height, name and colour of each line.
    span, pixels : from where to where the plot goes upwards, and how high it is.
    """
    heights = apart([y for y, _, _ in ends], LINE * (span[1] - span[0]) / pixels, span[1])
    for (_, name, colour), y in zip(ends, heights, strict=True):
        label(figure, 1, y, name, colour, "left", "middle", xref="paper", xshift=8)
    return round(16 + LETTER * max((len(name) for _, name, _ in ends), default=0))


def apart(places: Sequence[float], gap: float, most: float) -> list[float]:
    """Places of labels, each at least `gap` from the next; moved up where they would meet, or down from `most`."""
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
    """Give a figure the look of all figures.

    Parameters
    ----------
    x, y : what is special about the axes: title, range, ticks.
    top, right : the room above and beside it, in pixels.
    legend : whether lines are named above the figure, where a label at each does not fit.
    clip : whether lines end where the axes do.
    """
    figure.update_xaxes({"showgrid": False, "zeroline": False, **x})
    figure.update_yaxes({"gridcolor": ink.faint, "zeroline": False, **y})
    for trace in figure.data:
        # arrays leave plotly as bytes, and Streamlit does not fit such a plot to a narrower place
        for name, value in trace.to_plotly_json().items():
            if name != "type":
                # plotly keeps what it has if the new value is equal
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
    """The same with lists in place of arrays."""
    if isinstance(value, dict):
        return {name: _format_list(part) for name, part in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value


def per_cent(share: float | None) -> float | None:
    """A share as plotly draws it; where there is none, nothing is drawn."""
    return None if share is None else 100 * share


def intervals(shares: Sequence[Rate], colour: str, *, thickness: float = 1.2, width: int = 4) -> dict[str, object]:
    """The 95% intervals of shares around their points, in per cent, as plotly draws them."""
    ends = np.array([share[:3] for share in shares], np.float64).reshape(-1, 3)
    return {
        "array": 100 * (ends[:, 2] - ends[:, 0]),
        "arrayminus": 100 * (ends[:, 0] - ends[:, 1]),
        "color": colour,
        "thickness": thickness,
        "width": width,
    }
