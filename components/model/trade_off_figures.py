"""The cost of each limit of a constraint as a step plot."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from components.messages.text import html
from components.model.figures import INK, calm, label
from solvers.explain import TradeOff

NOTE = "Dashed: best so far. The optimum lies in the shaded band. Solid: proved."
"""How to read the dashed and shaded parts."""


class Stretch(NamedTuple):
    """A range of limits, loosest first, in which the optimal cost is at most `cost` and at least `least`.

    `first` is `None` if the range extends to the loosest possible limit.
    """

    first: float | None
    last: float
    cost: float
    least: float

    @property
    def proved(self) -> bool:
        """Whether the optimal cost is known."""
        return self.cost == self.least


def trade_off(found: TradeOff, scale: int, cost_unit: str, dark: bool, height: int = 300) -> go.Figure:
    """The cost of each limit of a constraint as a step plot; limits that cannot be satisfied are shaded.

    Unproved parts are dashed, with open points, above a band down to the lower bound. Costs are divided by `scale` and
    given in `cost_unit`.
    """
    ink, rising, figure = INK[dark], found.relaxable.constraint.rising_eases, go.Figure()
    times, unit = (100, "%") if found.is_share else (1, "")
    points = sorted(found.points, key=lambda point: point.limit)
    limits, costs = [float(point.limit * times) for point in points], [point.cost / scale for point in points]
    asked = float(found.asked * times)
    impossible = None if found.impossible is None else float(found.impossible * times)
    ends = [*limits, asked, *([] if impossible is None else [impossible])]
    room = 0.08 * ((max(ends) - min(ends)) or 1)
    low, high = min(ends) - room, max(ends) + room
    edge, stretches = high if rising else low, tuple(stretches_of(found, times, scale))
    for is_proved in (True, False):
        x, y = _treads(stretches, edge, is_proved)
        line = {"width": 2.5, "color": ink.accent, "dash": "solid" if is_proved else "dash"}
        figure.add_scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip")
    for stretch in stretches:
        if not stretch.proved:
            sides = {"x0": edge if stretch.first is None else stretch.first, "x1": stretch.last}
            band = {"fillcolor": ink.accent, "opacity": 0.15, "line_width": 0, "layer": "below"}
            figure.add_shape(type="rect", y0=stretch.least, y1=stretch.cost, **sides, **band)
    highest = max(costs)
    top = 1.15 * highest + 0.5
    figure.add_scatter(
        x=limits,
        y=costs,
        mode="markers",
        marker={
            "size": 9,
            "color": ink.accent,
            "symbol": ["circle" if one.proved else "circle-open" for one in points],
        },
        customdata=[f"{html(one.words)}: {cost:,g} {cost_unit}" for one, cost in zip(points, costs, strict=True)],
        hovertemplate="%{customdata}<extra></extra>",
    )
    if impossible is not None:
        beyond = (low, impossible) if rising else (impossible, high)
        figure.add_vrect(*beyond, fillcolor=ink.faint, opacity=0.5, line_width=0, layer="below")
        label(figure, sum(beyond) / 2, 1, "impossible", ink.warm, "center", "top", yref="paper", textangle=-90)
    figure.add_vline(asked, line={"color": ink.warm, "width": 1.5, "dash": "dot"})
    # above the plot, where there are no numbers
    side = "right" if asked > (low + high) / 2 else "left"
    words = f" current limit: {asked:g}{unit} "
    label(figure, asked, 1, words, ink.warm, side, "bottom", yref="paper")
    across = {
        "title": html(f"{found.label} (%)" if found.is_share else found.label),
        "range": [low, high],
        "ticksuffix": unit,
    }
    upwards = {"title": cost_unit, "range": [0, top], "dtick": 1 if highest < 6 else None}
    return calm(figure, ink, height, x=across, y=upwards, top=24)


def _treads(stretches: Sequence[Stretch], edge: float, proved: bool) -> tuple[list[float | None], list[float | None]]:
    """The line over the proved (or unproved) ranges, each with the riser before it."""
    x: list[float | None] = []
    y: list[float | None] = []
    before: Stretch | None = None
    for stretch in stretches:
        if stretch.proved is proved:
            first = edge if stretch.first is None else stretch.first
            x += [None, first, first, stretch.last]
            y += [None, stretch.cost if before is None else before.cost, stretch.cost, stretch.cost]
        before = stretch
    return x, y


def stretches_of(found: TradeOff, times: int, scale: int) -> Iterator[Stretch]:
    """The costs and lower bounds between the points.

    A model that satisfies a limit satisfies all looser limits; a lower bound for a limit holds for all stricter limits.
    So between a point and the start of the next bound (`Point.since`), the bound of the earlier point applies.
    """
    first, least = None, 0
    for point in found.points:
        bound = max(least, point.bound or 0)
        since = first if point.since is None else float(point.since * times)
        if since is not None and since != first:
            yield Stretch(first, since, point.cost / scale, least / scale)
        if since != (last := float(point.limit * times)):
            yield Stretch(since, last, point.cost / scale, bound / scale)
        first, least = last, bound
