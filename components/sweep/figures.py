"""Errors of the models of a sweep on held-out and training rows over splits. Does not import Streamlit."""

import pandas as pd
import plotly.graph_objects as go

from components.messages.text import html
from components.model.figures import INK, calm
from solvers.diagram.palette import OKABE_ITO

_LIGHT = (*OKABE_ITO[1:6], OKABE_ITO[0], OKABE_ITO[7])
_DARK = (OKABE_ITO[5], *OKABE_ITO[2:5], OKABE_ITO[0], OKABE_ITO[6], OKABE_ITO[7])
"""Colours of methods on a light and on a dark background: no yellow on white, no dark blue on black."""

_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "star", "hexagon", "x")


def sweep_figure(lines: pd.DataFrame, dark: bool, height: int = 360) -> go.Figure:
    """The lines of `summary`, one curve per method: solid on held-out rows, dotted on training rows.

    A point is filled if all its models are proved. Methods differ in colour and marker; curves without the constraints
    are dashed.
    """
    ink, figure = INK[dark], go.Figure()
    lines = lines.dropna(subset=["training", "splits"]).sort_values(["splits", "training"], kind="stable")
    colours, methods = _DARK if dark else _LIGHT, list(dict.fromkeys(lines["method"]))
    for (method, constraints), curve in lines.groupby(["method", "constraints"], sort=False, dropna=False):
        place, name = methods.index(method), method
        if isinstance(constraints, str):
            name += f", {constraints} constraints"
        colour, symbol = colours[place % len(colours)], _SYMBOLS[place % len(_SYMBOLS)]
        judged = curve.dropna(subset="held_out")
        for rows, points in (("held_out", judged), ("training", curve)):
            strong, named = rows == "held_out", rows == "held_out" or judged.empty
            if points.empty:
                continue
            proved = points["proved"] == points["models"]
            figure.add_scatter(
                x=points["splits"],
                y=points[rows],
                mode="lines+markers",
                line={
                    "dash": "dot" if not strong else "dash" if constraints == "without" else "solid",
                    "width": 2.5 if strong else 1.2,
                    "color": colour,
                },
                marker={
                    "size": 11 if strong else 7,
                    "color": colour,
                    "symbol": [symbol + ("" if one else "-open") for one in proved],
                    "line": {"width": 1.5, "color": colour},
                },
                opacity=1.0 if named else 0.65,
                name=html(name, 60),
                legendgroup=name,
                showlegend=named,
                customdata=[_hover(name, row) for _, row in points.iterrows()],
                hovertemplate="%{customdata}<extra></extra>",
            )
    most = lines["splits"].max() if len(lines) else 0.0
    # a line at each integer number of splits if there is room
    across = {"title": "splits of a model", "rangemode": "tozero", "dtick": 1 if most <= 15 else None}
    upwards = {"title": "error (%)", "rangemode": "tozero"}
    return calm(figure, ink, height, x=across, y=upwards, top=48, legend=True, clip=True)


def _hover(name: str, row: pd.Series) -> str:
    parts = [f"<b>{html(name)}</b>", html(row["size"]), f"{row['splits']:.1f} splits"]
    if pd.notna(row["held_out"]):
        parts.append(f"held-out error: {row['held_out']:.1f}%")
    parts.append(f"training error: {row['training']:.1f}%")
    parts.append("optimal on training data" if row["proved"] == row["models"] else "not all proved optimal")
    return "<br>".join(parts)
