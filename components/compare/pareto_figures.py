"""Error against size and fairness, drawn: the front dark and named, what it beats lighter. No Streamlit in here."""

import plotly.graph_objects as go

from components.compare.pareto_facts import ParetoFront, Spot
from components.model.figures import INK, LETTER, LINE, NARROW_PLOT, Ink, calm, label
from components.words.text import NARROW, count, html, interval, points
from solvers.problem import ShapeKind

_SYMBOLS = {ShapeKind.TREE: "circle", ShapeKind.BDD: "diamond", ShapeKind.DIAGRAM: "square"}
_ROOM = 1.08
"""The axis is longer than the largest value by this factor."""
_LETTERS = 30
"""Of a name, which must not be wider than a plot on a phone."""


def front_figure(facts: ParetoFront, dark: bool, over_gap: bool = False, height: int = 340) -> go.Figure:
    """The models by questions and errors, or by gap and errors; `customdata[0]` of a point is the key of its model."""
    ink, figure = INK[dark], go.Figure()
    largest = _draw_models(figure, facts, ink, over_gap, height)
    title = f"gap between groups of {html(facts.group, 30)}, percentage points" if over_gap else "questions"
    figure.update_layout(dragmode=False, hovermode="closest", clickmode="event+select")
    # the names to the right of the last points need room
    across = {"title": title, "range": [-0.02 * largest, _ROOM * largest]}
    upwards = {"title": f"{facts.rows} rows wrong", "rangemode": "tozero", "ticksuffix": f"{NARROW}%"}
    return calm(figure, ink, height, x=across, y=upwards, top=24)


def _draw_models(figure: go.Figure, facts: ParetoFront, ink: Ink, over_gap: bool, height: int) -> float:
    """Draw the points, the line of the front and the names that have room; tells the largest value across."""
    steps = facts.steps(over_gap)
    times = 100 if over_gap else 1
    if len(steps) > 1:
        figure.add_scatter(
            x=[times * x for x, _ in steps],
            y=[100 * y for _, y in steps],
            mode="lines",
            line={"shape": "hv", "width": 1.5, "color": ink.faint},
            hoverinfo="skip",
        )
    places = [(spot, times * across) for spot in facts.spots if (across := spot.x(over_gap)) is not None]
    # what is on the front lies above what it beats
    places.sort(key=lambda place: (place[0].on_front, place[0].proved))
    spots, x = [spot for spot, _ in places], [across for _, across in places]
    y = [100 * spot.share for spot in spots]
    figure.add_scatter(
        x=x,
        y=y,
        mode="markers",
        marker={
            "size": [13 if spot.on_front else 10 for spot in spots],
            "color": [ink.accent if spot.on_front else ink.warm for spot in spots],
            "opacity": [1.0 if spot.on_front else 0.45 for spot in spots],
            "symbol": [_SYMBOLS[spot.kind] + ("" if spot.proved else "-open") for spot in spots],
            "line": {"width": [2.5 if spot.chosen else 1.2 for spot in spots], "color": ink.text},
        },
        customdata=[[spot.key, _hover(spot, facts)] for spot in spots],
        hovertemplate="%{customdata[1]}<extra></extra>",
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 0.6}},
    )
    for px, py, spot, side in _named(spots, x, y, height):
        shift = 7 if side == "left" else -7
        label(figure, px, py, html(_name(spot), _LETTERS), ink.accent, side, "bottom", size=12, xshift=shift, yshift=3)
    return max(x, default=1.0) or 1.0


def _name(spot: Spot) -> str:
    """The title without what the filled point says anyway."""
    return spot.title.replace(" (exact)", "")


def _named(spots: list[Spot], x: list[float], y: list[float], height: int) -> list[tuple[float, float, Spot, str]]:
    """The points of the front that have room for their names, each with the side of the name that is at the point.

    Names stand to the right of their points, or to the left where they would be cut. Of those that would meet on a
    phone, or stand at one place, the first is named; the others are left to the pointer.
    """
    wide, high = NARROW_PLOT / (_ROOM * (max(x, default=1) or 1)), (height - 68) / (max(y, default=1) or 1)
    taken: list[tuple[float, float, float]] = []
    out = []
    order = sorted(zip(x, y, spots, strict=True), key=lambda p: (not p[2].chosen, not p[2].proved, p[1]))
    for px, py, spot in order:
        at, top, width = px * wide, py * high, LETTER * min(len(_name(spot)), _LETTERS)
        side = "left" if at + width <= NARROW_PLOT else "right"
        left = at if side == "left" else at - width
        free = left > -20 and all(
            abs(top - other_top) >= LINE or left + width < other or other + other_width < left
            for other, other_top, other_width in taken
        )
        if spot.on_front and free:
            taken.append((left, top, width))
            out.append((px, py, spot, side))
    return out


def _hover(spot: Spot, facts: ParetoFront) -> str:
    parts = [f"<b>{html(spot.title)}</b>", html(spot.proof)]
    parts.append(f"{html(facts.rows)}: {spot.counts} wrong, {interval(spot.wrong)}")
    if facts.rows != "training":
        parts.append(f"training: {spot.train} wrong")
    elif spot.test is not None:
        parts.append(f"test: {spot.test} wrong")
    parts.append(count(spot.questions, "question"))
    if spot.gap is not None:
        parts.append(f"gap {points(spot.gap.value)} points")
    return "<br>".join([*parts, "click to inspect"])
