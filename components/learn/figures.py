"""The plane with its regions, and errors over depth, drawn with plotly."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from components.messages.text import html
from components.model.figures import INK, calm, label, per_cent
from solvers.diagram import class_colours
from solvers.diagram.palette import THEMES, mix
from solvers.problem import Dataset
from solvers.teaching import Regions

_MARKS = ("circle", "x", "square", "diamond", "triangle-up", "cross", "star", "hexagon")
_SMALLEST_NAMED = 0.05
"""Regions with less than this share of the plane are too small for the name of their class."""


def plane(fields: Regions, data: Dataset, dark: bool, height: int = 360) -> go.Figure:
    """The regions of a model with the points of `data` on them; each class has its own colour and marker."""
    ink, figure = INK[dark], go.Figure()
    colours = class_colours(data.n_classes, data.positive)
    background = THEMES["dark" if dark else "light"].background
    whole = np.ptp(fields.x_edges) * np.ptp(fields.y_edges)
    for i, (y0, y1) in enumerate(zip(fields.y_edges, fields.y_edges[1:], strict=False)):
        for j, (x0, x1) in enumerate(zip(fields.x_edges, fields.x_edges[1:], strict=False)):
            fill = background
            for colour, share in zip(colours, fields.share[i, j], strict=True):
                # a region whose prediction depends on other columns is paler
                fill = mix(colour, fill, 0.28 * max(0.0, 2 * share - 1))
            line = {"color": ink.faint, "width": 1}
            figure.add_shape(type="rect", x0=x0, x1=x1, y0=y0, y1=y1, fillcolor=fill, line=line, layer="below")
            if (x1 - x0) * (y1 - y0) >= _SMALLEST_NAMED * whole:
                name = data.classes[fields.label[i, j]] if fields.share[i, j].max() == 1 else "depends"
                middle = (x0 + x1) / 2, (y0 + y1) / 2
                label(figure, *middle, html(name, 20), ink.warm, "center", "middle", size=15, opacity=0.75)
    _points(figure, fields, data, colours, background)
    across = {"title": html(fields.x), "range": [fields.x_edges[0], fields.x_edges[-1]]}
    upwards = {"title": html(fields.y), "range": [fields.y_edges[0], fields.y_edges[-1]], "showgrid": False}
    return calm(figure, ink, height, x=across, y=upwards, clip=True)


def _points(figure: go.Figure, found: Regions, data: Dataset, colours: tuple[str, ...], background: str) -> None:
    at_x, at_y = (data.X[:, data.schema.index(name)] for name in (found.x, found.y))
    for k, name in enumerate(data.classes):
        here = data.y == k
        figure.add_scatter(
            x=at_x[here],
            y=at_y[here],
            mode="markers",
            marker={
                "color": colours[k],
                "symbol": _MARKS[k % len(_MARKS)],
                "size": 8,
                "line": {"width": 1, "color": background},
            },
            name=html(name, 20),
            hovertemplate=f"{html(found.x)}%{{x:.3g}}, {html(found.y)}%{{y:.3g}}<extra>%{{fullData.name}}</extra>",
        )


def depths(curves: pd.DataFrame, greedy: str, dark: bool, height: int = 330) -> go.Figure:
    """Errors on training rows (dashed) and new rows (solid) over depth, of optimal and greedy trees."""
    ink, figure = INK[dark], go.Figure()
    for optimal, name, colour, width in ((False, greedy, ink.warm, 2), (True, "optimal", ink.accent, 3)):
        points = curves[curves["optimal"] == optimal]
        if points.empty:
            continue
        new = [per_cent(rate.value) for rate in points["new"]]
        for rows, y, dash, mark in (
            ("new rows", new, "solid", "circle"),
            ("training", 100 * points["train"], "dot", "circle-open"),
        ):
            figure.add_scatter(
                x=points["depth"],
                y=y,
                mode="lines+markers",
                line={"dash": dash, "width": width, "color": colour},
                marker={"size": 8, "symbol": mark, "color": colour},
                hovertemplate=f"{html(name)}, {rows}, depth %{{x}}: %{{y:.1f}}%<extra></extra>",
                name=f"{html(name)}, {rows}",
            )
    upwards = {"title": "errors, %", "rangemode": "tozero"}
    return calm(figure, ink, height, x={"title": "depth", "dtick": 1}, y=upwards, top=56, legend=True, clip=True)
