"""How rows spread over the questions of models, what stability costs, and calibration, drawn with plotly."""

import math
import textwrap
from collections.abc import Sequence
from itertools import cycle

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from components.inspect.structure.fragmentation_facts import Spread
from components.model.figures import INK, LINE, calm, intervals, name_ends, per_cent
from components.words.text import count, html
from solvers.diagram import levels

_TITLE_WIDTH = 12
"""Letters of a line above one of three panels on a phone."""

_BROAD = 100
"""Shares are drawn in per cent."""


def spread_figure(spreads: Sequence[Spread], dark: bool) -> go.Figure:
    """Each question as a point, its level downwards and its share of the rows to the right, a panel a model."""
    ink = INK[dark]
    titles = [textwrap.wrap(f"{one.title}: {count(one.diagram.n_splits, 'question')}", _TITLE_WIDTH) for one in spreads]
    top = 12 + LINE * max(map(len, titles))
    figure = make_subplots(
        1,
        len(spreads),
        shared_yaxes=True,
        subplot_titles=["<br>".join(map(html, lines)) for lines in titles],
        horizontal_spacing=0.08,
    )
    deepest = 1
    for position, one in enumerate(spreads, start=1):
        of, line = one.rows, {i: k for k, level in enumerate(levels(one.diagram), start=1) for i in level.nodes}
        y = [line[node.node] for node in of.questions]
        deepest = max(deepest, *y)
        figure.add_scatter(
            x=[_BROAD * node.n / max(of.n, 1) for node in of.questions],
            y=y,
            mode="markers",
            marker={
                "size": 12,
                "color": ink.accent if position == 1 else ink.warm,
                "symbol": ["circle-open" if node.n < of.support else "circle" for node in of.questions],
                "line": {"width": 2},
                "opacity": 0.75,
            },
            customdata=[f"{count(node.n, 'row')}, level {line[node.node]}" for node in of.questions],
            hovertemplate="%{customdata}<extra></extra>",
            row=1,
            col=position,
        )
        least = {"color": ink.warm, "width": 1, "dash": "dot"}
        figure.add_vline(_BROAD * of.support / max(of.n, 1), line=least, row=1, col=position)
    figure.update_yaxes(title="level", col=1)
    figure.update_annotations(font={"color": ink.text, "size": 13})
    figure.update_xaxes(title="share of the rows", col=(len(spreads) + 1) // 2)
    across = {"range": [-4, 104], "ticksuffix": "%", "tick0": 0, "dtick": 50}
    down = {"range": [deepest + 0.6, 0.4], "dtick": 1}
    return calm(figure, ink, 270 + top, x=across, y=down, top=top)


def stability_figure(steps: pd.DataFrame, dark: bool) -> go.Figure:
    """Accuracy over the minimum of rows at each question: training rows as a line, test rows with their intervals."""
    ink = INK[dark]
    x = [_BROAD * share for share in steps["share"]]
    figure = go.Figure()
    lines = [("training", ink.warm, list(steps["train"]))]
    if "test" in steps:
        lines.append(("test", ink.accent, list(steps["test"])))
    for name, colour, rates in lines:
        figure.add_scatter(
            x=x,
            y=[per_cent(found.value) for found in rates],
            mode="lines+markers",
            line={"color": colour, "width": 2.5},
            marker={"size": 8, "color": colour},
            error_y=intervals(rates, colour) if name == "test" else None,
            hovertemplate="%{y:.1f}" + "%<extra></extra>",
        )
    last, per_cents = max(x) or 1, {"ticksuffix": "%"}
    across = {
        "title": "rows at each question, at least",
        "range": [-0.04 * last, 1.04 * last],
        "tickvals": x,
    }
    known = [end for _, _, rates in lines for found in rates for end in found[:3] if end is not None]
    span = (_BROAD * min(known, default=0.0) - 1, _BROAD * max(known, default=1.0) + 1)
    ends = [(per_cent(rates[-1].value) or 0.0, name, colour) for name, colour, rates in lines]
    right = name_ends(figure, ends, span, 224)
    upwards = {"title": "predicted right", "range": span}
    return calm(figure, ink, 280, x=across | per_cents, y=upwards | per_cents, right=right)


def sweep_figure(settings: pd.DataFrame, dark: bool, height: int = 300) -> go.Figure:
    """Validation accuracy over alpha, a line a skeleton that is named at its end; the best setting is a large point."""
    ink = INK[dark]
    figure = go.Figure()
    place = {alpha: i for i, alpha in enumerate(sorted(settings["alpha"].unique()))}
    shares = settings.assign(
        y=[math.nan if right.value is None else _BROAD * right.value for right in settings["right"]]
    ).dropna(subset=["y"])
    dashes = dict(zip(settings["skeleton"].unique(), cycle(("solid", "dash", "dot", "dashdot")), strict=False))
    names: list[tuple[float, str, str]] = []
    for skeleton, of in shares.groupby("skeleton", sort=False):
        colour = ink.accent if of["best"].any() else ink.warm
        figure.add_scatter(
            x=of["alpha"].map(place),
            y=of["y"],
            mode="lines+markers",
            line={"color": colour, "width": 2, "dash": dashes[skeleton]},
            marker={"size": [14 if best else 7 for best in of["best"]], "color": colour},
            customdata=[f"{html(skeleton)}, alpha {alpha:g}" for alpha in of["alpha"]],
            hovertemplate="%{customdata}: %{y:.1f}" + "%<extra></extra>",
        )
        names.append((of["y"].iloc[-1], html(skeleton.split(" ")[0]), colour))
    least, most = shares["y"].min(), shares["y"].max()
    room = 0.08 * (most - least) + 0.5
    span = (least - room, most + room)
    right = name_ends(figure, names, span, height - 56)
    across = {
        "title": "alpha",
        "tickvals": list(place.values()),
        "ticktext": [f"{alpha:g}" for alpha in place],
        "range": [-0.3, len(place) - 0.7],
    }
    upwards = {"title": "validation rows right", "ticksuffix": "%", "range": span}
    return calm(figure, ink, height, x=across, y=upwards, right=right)
