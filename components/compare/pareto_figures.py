"""Error against size and fairness, drawn: the front dark and named, what it beats lighter. No Streamlit in here."""

import plotly.graph_objects as go

from components.compare.pareto_facts import ParetoFront, Spot
from components.model.figures import INK, Ink, calm, label
from components.words.text import NARROW, count, html, interval, points
from solvers.language import tr
from solvers.problem import ShapeKind

_SYMBOLS = {ShapeKind.TREE: "circle", ShapeKind.BDD: "diamond", ShapeKind.DIAGRAM: "square"}
_LETTER = 6.6
"""Pixels of a letter of a label, on average."""
_LINE = 17
"""Pixels of a line of a label."""
_WIDTH = 420
"""Pixels of a narrow figure; names that would meet at this width are left to the pointer."""
_ROOM = 1.25
"""The axis is longer than the largest value by this factor."""


def front_figure(facts: ParetoFront, dark: bool, over_gap: bool = False, height: int = 340) -> go.Figure:
    """The models by questions and errors, or by gap and errors; `customdata[0]` of a point is the key of its model."""
    ink, figure = INK[dark], go.Figure()
    largest = _draw_models(figure, facts, ink, over_gap, height)
    title = (
        tr("gap between groups of {group}, percentage points", group=html(facts.group, 30))
        if over_gap
        else tr("questions")
    )
    figure.update_layout(dragmode=False, hovermode="closest", clickmode="event+select")
    # the names to the right of the last points need room
    across = {"title": title, "range": [-0.02 * largest, _ROOM * largest]}
    upwards = {"title": tr("{rows} rows wrong", rows=tr(facts.rows)), "rangemode": "tozero", "ticksuffix": f"{NARROW}%"}
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
    for px, py, spot in _named(spots, x, y, height):
        label(figure, px, py, html(_name(spot), 40), ink.accent, "left", "bottom", size=12, xshift=7, yshift=3)
    return max(x, default=1.0) or 1.0


def _name(spot: Spot) -> str:
    """The title without what the filled point says anyway."""
    return spot.title.replace(tr(" (exact)"), "")


def _named(spots: list[Spot], x: list[float], y: list[float], height: int) -> list[tuple[float, float, Spot]]:
    """The points of the front that have room for their names; of those at one place the first is named."""
    wide, high = _WIDTH / (_ROOM * (max(x, default=1) or 1)), (height - 60) / (max(y, default=1) or 1)
    taken: list[tuple[float, float, float]] = []
    out = []
    order = sorted(zip(x, y, spots, strict=True), key=lambda p: (not p[2].chosen, not p[2].proved, p[1]))
    for px, py, spot in order:
        left, top, width = px * wide, py * high, _LETTER * min(len(_name(spot)), 40)
        free = all(
            abs(top - other_top) >= _LINE or left + width < other or other + other_width < left
            for other, other_top, other_width in taken
        )
        if spot.on_front and free:
            taken.append((left, top, width))
            out.append((px, py, spot))
    return out


def _hover(spot: Spot, facts: ParetoFront) -> str:
    parts = [f"<b>{html(spot.title)}</b>", html(spot.proof)]
    parts.append(
        tr("{rows}: {counts} wrong, {wrong}", rows=html(tr(facts.rows)), counts=spot.counts, wrong=interval(spot.wrong))
    )
    if facts.rows != "training":
        parts.append(tr("training: {train} wrong", train=spot.train))
    elif spot.test is not None:
        parts.append(tr("test: {test} wrong", test=spot.test))
    parts.append(count(spot.questions, "question"))
    if spot.gap is not None:
        parts.append(tr("gap {value} points", value=points(spot.gap.value)))
    return "<br>".join([*parts, tr("click to inspect")])
