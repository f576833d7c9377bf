"""Calibration, ROC curves, net benefit and the values of a split drawn with plotly."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from components.inspect.evidence.risk_facts import ranges_of
from components.messages.text import count, html, interval, percent, shorten
from components.model.figures import INK, LETTER, LINE, NARROW_PLOT, apart, calm, intervals, label, name_ends, per_cent
from solvers.diagram import Diagram, class_colours
from solvers.diagram.labels import Bars, answer
from solvers.messages.costs import positive_first
from solvers.metrics import CalibrationBand, CalibrationPoint, DecisionCurve
from solvers.metrics.risks import SMALL
from solvers.problem import LinearPredicate, Predicate
from solvers.study.references import RocCurve

_BESIDE = 0.016
"""Minimum horizontal distance of points with nearly equal risks, as a share of the axis."""

ROC_LINES = {"Logistic regression": "dashed", "Random forest": "dotted"}
"""The line of each reference model."""


def calibration_figure(
    points: Sequence[CalibrationPoint], names: Sequence[str], band: CalibrationBand, dark: bool
) -> go.Figure:
    """Observed shares with their intervals over predicted risks, with the diagonal. Open points: few rows.

    The band holds for all risks simultaneously: between two risks, its upper end is that of the next risk, its lower
    end that of the previous one.
    """
    ink = INK[dark]
    figure = go.Figure()
    end, step = _axis(points)
    risks, low, high = (_twice(ends) for ends in (band.risks, (0.0, *band.low), (*band.high, 1.0)))
    _band(figure, (0.0, *risks, 100.0), low, high, ink.accent)
    figure.add_scatter(
        x=[0, end], y=[0, end], mode="lines", line={"color": ink.warm, "width": 1.5, "dash": "dot"}, hoverinfo="skip"
    )
    shares = [point.observed for point in points]
    most = max((share.n for share in shares), default=1)
    figure.add_scatter(
        x=apart([100 * point.risk for point in points], _BESIDE * end, 1.02 * end),
        y=[per_cent(share.value) for share in shares],
        mode="markers",
        error_y=intervals(shares, ink.accent, width=3),
        marker={
            "size": [9 + 11 * (share.n / most) ** 0.5 for share in shares],
            "color": ink.accent,
            "symbol": ["circle-open" if share.n < SMALL else "circle" for share in shares],
            "line": {"width": 2},
        },
        customdata=[
            (
                f"{html(name)}: predicted risk {percent(point.risk)}, observed {percent(share.value)} "
                f"({interval(share)}), {count(share.k)} of {count(share.n)}"
            )
            for name, point, share in zip(names, points, shares, strict=True)
        ],
        hovertemplate="%{customdata}<extra></extra>",
    )
    label(figure, 0.64 * end, 0.6 * end, "perfect calibration", ink.warm, "left", "top")
    whole = {"range": [-0.03 * end, 1.03 * end], "ticksuffix": "%", "dtick": step, "tick0": 0}
    across, upwards = {"title": "predicted risk", **whole}, {"title": "observed", **whole}
    return calm(figure, ink, 360, x=across, y=upwards, clip=end < 100)


def _axis(points: Sequence[CalibrationPoint]) -> tuple[int, int]:
    """The end of both axes and the step of their ticks, in percent; all risks and intervals are within."""
    most = max((100 * (value or 0) for point in points for value in (point.risk, *point.observed[:3])), default=100.0)
    steps = {5: 1, 10: 2, 20: 5, 30: 5, 40: 10, 50: 10, 60: 10, 80: 20, 100: 20}
    return next((end, step) for end, step in steps.items() if most <= end or end == 100)


def roc_figure(of: RocCurve, at: tuple[float, float], references: Sequence[RocCurve], dark: bool) -> go.Figure:
    """Sensitivity over false alarms: the model with a point per predicted risk, references as thin lines.

    `at` has the false alarms and the sensitivity of the predictions.
    """
    ink = INK[dark]
    figure = go.Figure()
    figure.add_shape(type="line", x0=0, y0=0, x1=100, y1=100, line={"color": ink.faint, "width": 1.5}, layer="below")
    for curve in references:
        line = {"color": ink.warm, "width": 1.6, "dash": "dot" if ROC_LINES[curve.name] == "dotted" else "dash"}
        hover = f"{html(curve.name)} (reference): %{{y:.0f}}% at %{{x:.0f}}% false alarms<extra></extra>"
        points = {"x": _percents(curve.false_alarms), "y": _percents(curve.sensitivity)}
        figure.add_scatter(**points, mode="lines", line=line, hovertemplate=hover)
    figure.add_scatter(
        x=_percents(of.false_alarms),
        y=_percents(of.sensitivity),
        mode="lines+markers",
        line={"color": ink.accent, "width": 2},
        marker={"size": 7},
        hovertemplate=f"{html(of.name)}: %{{y:.1f}}% at %{{x:.1f}}% false alarms<extra></extra>",
    )
    x, y = (100 * share for share in at)
    marker = {"size": 15, "color": ink.accent, "symbol": "circle-open", "line": {"width": 3}}
    figure.add_scatter(x=[x], y=[y], mode="markers", marker=marker, hoverinfo="skip")
    side, edge = ("left", "top") if x < 55 else ("right", "top")
    label(figure, x, max(y, 9), f"&nbsp; the {html(of.name)}'s predictions &nbsp;", ink.accent, side, edge)
    axis = {"range": [-3, 103], "ticksuffix": "%", "dtick": 20}
    across, upwards = {"title": "false alarms (1 \u2212 specificity)", **axis}, {"title": "sensitivity", **axis}
    return calm(figure, ink, 400, x=across, y=upwards)


def _twice(ends: Iterable[float]) -> tuple[float, ...]:
    """Each end twice, in percent."""
    return tuple(100 * end for end in ends for _ in range(2))


def _band(figure: go.Figure, x: Sequence[float], low: Sequence[float], high: Sequence[float], colour: str) -> None:
    """Fill the area between two lines."""
    figure.add_scatter(
        x=(*x, *reversed(x)),
        y=(*high, *reversed(low)),
        fill="toself",
        fillcolor=colour,
        mode="lines",
        opacity=0.2,
        line={"width": 0},
        hoverinfo="skip",
    )


def decision_figure(curve: DecisionCurve, noun: str, dark: bool, acts_from: float, height: int = 360) -> go.Figure:
    """Net benefit over the threshold: the model with its band, treat-all and treat-none.

    `acts_from` is a threshold in percent, marked if it is within the plot.
    """
    ink = INK[dark]
    figure = go.Figure()
    thresholds, everyone = _percents(curve.thresholds), _percents(curve.everyone)
    model, lows, highs = (_percents(line) for line in zip(*curve.model, strict=True))
    low, high = thresholds[0], thresholds[-1]
    for a, b in ranges_of(curve.thresholds, curve.useful()):
        figure.add_vrect(100 * a, 100 * b, fillcolor=ink.accent, opacity=0.08, line_width=0, layer="below")
    if low <= acts_from <= high:
        figure.add_vline(acts_from, line={"color": ink.text, "width": 1.2, "dash": "dot"}, layer="below")
    _band(figure, thresholds, lows, highs, ink.accent)
    ends = []
    for name, values, colour, dash in (
        (f"the {noun}", model, ink.accent, "solid"),
        ("treat all", everyone, ink.warm, "dash"),
        ("treat none", (0.0,) * len(thresholds), ink.warm, "dot"),
    ):
        figure.add_scatter(
            x=thresholds,
            y=values,
            mode="lines",
            line={"color": colour, "width": 2.5 if dash == "solid" else 1.8, "dash": dash},
            hovertemplate=f"{html(name)}: %{{y:.1f}} at %{{x:.0f}}%" + "<extra></extra>",
        )
        ends.append((values, name, colour))
    top = max(*model, *everyone, 0.1)
    span = (-0.25 * top, 1.12 * top)
    within = [(values[-1], html(name), colour) for values, name, colour in ends if values[-1] >= span[0]]
    right = name_ends(figure, within, span, height - 56)
    falling = [end for end in ends if end[0][-1] < span[0]]
    for line, (values, name, colour) in enumerate(falling):
        # a line that leaves the plot is labelled there
        last = max((i for i, value in enumerate(values) if value >= span[0]), default=0)
        room = NARROW_PLOT * (1 - last / len(values))
        side = "left" if LETTER * len(name) <= room else "right"
        label(figure, thresholds[last], span[0], f" {html(name)} ", colour, side, "bottom", yshift=LINE * line)
    across = {"title": "treatment threshold (predicted risk)", "range": [low, high], "ticksuffix": "%"}
    upwards = {"title": "net benefit per 100", "range": span}
    return calm(figure, ink, height, x=across, y=upwards, right=right, clip=True)


def _percents(line: Iterable[float | None]) -> tuple[float, ...]:
    return tuple(math.nan if value is None else 100 * value for value in line)


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
    title = html(shorten(", ".join(diagram.schema.titles(predicate.columns)), 40))
    across = {"title": title, "range": [middles[0] - half, middles[-1] + half], **ticks}
    return calm(figure, ink, 190, x=across, y={"title": unit, "nticks": 4}, top=24, clip=True)
