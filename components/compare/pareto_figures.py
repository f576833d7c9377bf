"""Errors against size and fairness: the front dark and named, other models lighter."""

import math
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from components.compare.pareto_facts import ParetoFront
from components.model.figures import INK, LETTER, LINE, NARROW_PLOT, Ink, calm, label
from components.words.text import count, html, interval, points
from solvers.problem import ShapeKind

_SYMBOLS = {ShapeKind.TREE: "circle", ShapeKind.BDD: "diamond", ShapeKind.DIAGRAM: "square"}
_ROOM = 1.08
"""The axis is longer than the largest value by this factor."""
_LETTERS = 30
"""Of a name, which must not be wider than a plot on a phone."""


def front_figure(facts: ParetoFront, dark: bool, over_difference: bool = False, height: int = 340) -> go.Figure:
    """The models by splits or group difference and errors; `customdata[0]` of a point is the key of its model."""
    ink, figure = INK[dark], go.Figure()
    across = "difference" if over_difference else "splits"
    largest = _draw_models(figure, facts, ink, across, height)
    title = f"difference between groups of {html(facts.group, 30)}, percentage points" if over_difference else "splits"
    figure.update_layout(dragmode=False, hovermode="closest", clickmode="event+select")
    # the names to the right of the last points need room
    x = {"title": title, "range": [-0.02 * largest, _ROOM * largest]}
    upwards = {"title": f"errors, {facts.rows} rows", "rangemode": "tozero", "ticksuffix": "%"}
    return calm(figure, ink, height, x=x, y=upwards, top=24)


def _draw_models(figure: go.Figure, facts: ParetoFront, ink: Ink, across: str, height: int) -> float:
    """Draw the points, the line of the front and the names that have room; return the largest value across."""
    times = 100 if across == "difference" else 1
    steps = facts.steps(across)
    if len(steps) > 1:
        figure.add_scatter(
            x=[times * x for x, _ in steps],
            y=[100 * y for _, y in steps],
            mode="lines",
            line={"shape": "hv", "width": 1.5, "color": ink.faint},
            hoverinfo="skip",
        )
    # what is on the front lies above what it beats
    models = facts.models.dropna(subset=[across]).sort_values(["on_front", "proved"], kind="stable")
    models = models.assign(x=times * models[across], y=100 * models["share"])
    models["name"] = models["title"].str.replace(" (exact)", "", regex=False)
    figure.add_scatter(
        x=models["x"],
        y=models["y"],
        mode="markers",
        marker={
            "size": np.where(models["on_front"], 13, 10),
            "color": np.where(models["on_front"], ink.accent, ink.warm),
            "opacity": np.where(models["on_front"], 1.0, 0.45),
            "symbol": [
                _SYMBOLS[kind] + ("" if proved else "-open")
                for kind, proved in zip(models["kind"], models["proved"], strict=True)
            ],
            "line": {"width": np.where(models["chosen"], 2.5, 1.2), "color": ink.text},
        },
        customdata=[[one.Index, _hover(one, facts)] for one in models.itertuples()],
        hovertemplate="%{customdata[1]}<extra></extra>",
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 0.6}},
    )
    for one, side in _named(models, height):
        shift = 7 if side == "left" else -7
        name = html(one.name, _LETTERS)
        label(figure, one.x, one.y, name, ink.accent, side, "bottom", size=12, xshift=shift, yshift=3)
    return float(models["x"].max()) or 1.0 if len(models) else 1.0


def _named(models: pd.DataFrame, height: int) -> list[tuple[Any, str]]:
    """The points of the front that have room for their names, each with the side of the name that is at the point.

    Names stand to the right of their points, or to the left where they would be cut. Of those that would meet on a
    phone, or stand at one place, the first is named; the others are left to the pointer.
    """
    wide, high = NARROW_PLOT / (_ROOM * (models["x"].max() or 1)), (height - 68) / (models["y"].max() or 1)
    taken: list[tuple[float, float, float]] = []
    out = []
    order = models.sort_values(["chosen", "proved", "y"], ascending=[False, False, True], kind="stable")
    for one in order[order["on_front"]].itertuples():
        at, top, width = one.x * wide, one.y * high, LETTER * min(len(one.name), _LETTERS)
        side = "left" if at + width <= NARROW_PLOT else "right"
        left = at if side == "left" else at - width
        free = left > -20 and all(
            abs(top - other_top) >= LINE or left + width < other or other + other_width < left
            for other, other_top, other_width in taken
        )
        if free:
            taken.append((left, top, width))
            out.append((one, side))
    return out


def _hover(one: Any, facts: ParetoFront) -> str:
    parts = [f"<b>{html(one.title)}</b>", html(one.proof)]
    parts.append(f"{html(facts.rows)}: {one.counts} errors, {interval(one.wrong)}")
    if facts.rows != "training":
        parts.append(f"training: {one.train} errors")
    elif one.test is not None:
        parts.append(f"held-out: {one.test} errors")
    parts.append(count(one.splits, "split"))
    if not math.isnan(one.difference):
        parts.append(f"difference {points(one.difference)} points")
    return "<br>".join([*parts, "click to inspect"])
