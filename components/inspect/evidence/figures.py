"""Calibration, net benefit, stability and subgroups drawn with plotly."""

import plotly.graph_objects as go

from components.inspect.evidence.bootstrap_facts import StabilityFacts
from components.inspect.evidence.risk_facts import CalibrationFacts, DecisionFacts
from components.inspect.evidence.subgroup_facts import SubgroupFacts
from components.model.figures import INK, LETTER, LINE, NARROW_PLOT, calm, intervals, label, name_ends, per_cent
from components.words.text import NARROW, count, html, interval, percent

_BESIDE = 1.6
"""Points whose risks differ by less are drawn so far apart, in per cent."""


def calibration_figure(facts: CalibrationFacts, dark: bool) -> go.Figure:
    """Observed shares with their intervals over risks; on the diagonal the model is right. Open points: few rows.

    The band is that of all risks at once.
    """
    ink = INK[dark]
    figure = go.Figure()
    _band(figure, facts.risks, facts.low, facts.high, ink.accent)
    figure.add_scatter(
        x=[0, 100], y=[0, 100], mode="lines", line={"color": ink.warm, "width": 1.5, "dash": "dot"}, hoverinfo="skip"
    )
    shares = [point.observed for point in facts.points]
    most = max((share.n for share in shares), default=1)
    figure.add_scatter(
        x=_apart([100 * point.risk for point in facts.points]),
        y=[per_cent(share.value) for share in shares],
        mode="markers",
        error_y=intervals(shares, ink.accent, width=3),
        marker={
            "size": [9 + 11 * (share.n / most) ** 0.5 for share in shares],
            "color": ink.accent,
            "symbol": ["circle-open" if point.small else "circle" for point in facts.points],
            "line": {"width": 2},
        },
        customdata=[
            (
                f"{html(point.name)}: risk {percent(point.risk)}, observed {percent(point.observed.value)} "
                f"({interval(point.observed)}), {count(point.observed.k)} of {count(point.observed.n)}"
            )
            for point in facts.points
        ],
        hovertemplate="%{customdata}<extra></extra>",
    )
    label(figure, 64, 60, "as it should be", ink.warm, "left", "top")
    whole = {"range": [-3, 103], "ticksuffix": f"{NARROW}%", "dtick": 20, "tick0": 0}
    across, upwards = {"title": "risk that the model gives", **whole}, {"title": "observed", **whole}
    return calm(figure, ink, 360, x=across, y=upwards)


def _band(
    figure: go.Figure, x: tuple[float, ...], low: tuple[float, ...], high: tuple[float, ...], colour: str
) -> None:
    """Draw what lies between two lines."""
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


def _apart(risks: list[float]) -> list[float]:
    """Risks in rising order, those that are nearly equal drawn a little beside each other."""
    out: list[float] = []
    for risk in risks:
        out.append(max(risk, out[-1] + _BESIDE) if out and risk - out[-1] < _BESIDE else risk)
    over = max(out, default=0) - 102
    # what would leave the picture is moved back, each as far as it must
    return [x if x < 96 else x - max(0.0, over) for x in out]


def decision_figure(facts: DecisionFacts, noun: str, dark: bool, acts_from: float, height: int = 360) -> go.Figure:
    """Net benefit over the risk from which one acts: the model with its band, acting on everyone, acting on no one.

    `acts_from` is a threshold, in per cent, that is marked where it is in the picture.
    """
    ink = INK[dark]
    figure = go.Figure()
    low, high = facts.thresholds[0], facts.thresholds[-1]
    for a, b in facts.ranges:
        figure.add_vrect(100 * a, 100 * b, fillcolor=ink.accent, opacity=0.08, line_width=0, layer="below")
    if low <= acts_from <= high:
        figure.add_vline(acts_from, line={"color": ink.text, "width": 1.2, "dash": "dot"}, layer="below")
    _band(figure, facts.thresholds, facts.low, facts.high, ink.accent)
    ends = []
    for name, values, colour, dash in (
        (f"the {noun}", facts.model, ink.accent, "solid"),
        ("everyone", facts.everyone, ink.warm, "dash"),
        ("no one", (0.0,) * len(facts.thresholds), ink.warm, "dot"),
    ):
        figure.add_scatter(
            x=facts.thresholds,
            y=values,
            mode="lines",
            line={"color": colour, "width": 2.5 if dash == "solid" else 1.8, "dash": dash},
            hovertemplate=f"{html(name)}: %{{y:.1f}} at %{{x:.0f}}{NARROW}%" + "<extra></extra>",
        )
        ends.append((values, name, colour))
    top = max(*facts.model, *facts.everyone, 0.1)
    span = (-0.25 * top, 1.12 * top)
    within = [(values[-1], html(name), colour) for values, name, colour in ends if values[-1] >= span[0]]
    right = name_ends(figure, within, span, height - 56)
    falling = [end for end in ends if end[0][-1] < span[0]]
    for line, (values, name, colour) in enumerate(falling):
        # a line that leaves the picture is named there
        last = max((i for i, value in enumerate(values) if value >= span[0]), default=0)
        room = NARROW_PLOT * (1 - last / len(values))
        side = "left" if LETTER * len(name) <= room else "right"
        label(figure, facts.thresholds[last], span[0], f" {html(name)} ", colour, side, "bottom", yshift=LINE * line)
    across = {"title": "act from this risk on", "range": [low, high], "ticksuffix": f"{NARROW}%"}
    upwards = {"title": "net benefit, per 100 people", "range": span}
    return calm(figure, ink, height, x=across, y=upwards, right=right, clip=True)


def wavering_figure(facts: StabilityFacts, dark: bool) -> go.Figure:
    """The share of the rows by how many of the models answer otherwise."""
    ink = INK[dark]
    figure = go.Figure()
    names = [html(name) for name, _ in facts.bins]
    shares = [100 * share for _, share in facts.bins]
    figure.add_bar(
        x=names,
        y=shares,
        marker={"color": ink.accent},
        text=[f"{share:.1f}" if share else "0" for share in shares],
        textposition="outside",
        textfont={"color": ink.text},
        hovertemplate=f"%{{y:.1f}}{NARROW}% of the rows" + "<extra></extra>",
    )
    across = {"title": "models that answer otherwise, %", "type": "category"}
    upwards = {"title": "share of the rows", "range": [0, 1.15 * max(*shares, 1)], "ticksuffix": f"{NARROW}%"}
    return calm(figure, ink, 280, x=across, y=upwards)


def subgroup_figure(facts: SubgroupFacts, dark: bool) -> go.Figure:
    """What was observed in each part, with its interval, and the mean risk that the model gave (an open diamond)."""
    ink = INK[dark]
    parts = [(part, part.observed) for part in facts.parts if part.observed is not None]
    figure = go.Figure()
    names = [html(part.name, 28) + " " * i for i, (part, _) in enumerate(parts)]
    ends = [end for part, share in parts for end in (share.low, share.high, part.expected) if end is not None]
    figure.add_scatter(
        x=[per_cent(share.value) for _, share in parts],
        y=names,
        mode="markers",
        error_x=intervals([share for _, share in parts], ink.accent, thickness=1.4),
        marker={
            "size": 10,
            "color": ink.accent,
            "symbol": ["circle-open" if part.small else "circle" for part, _ in parts],
            "line": {"width": 2},
        },
        hovertemplate=f"observed %{{x:.1f}}{NARROW}%<extra></extra>",
    )
    figure.add_scatter(
        x=[per_cent(part.expected) for part, _ in parts],
        y=names,
        mode="markers",
        marker={"size": 13, "color": ink.text, "symbol": "diamond-open", "line": {"width": 2}},
        hovertemplate=f"mean risk %{{x:.1f}}{NARROW}%<extra></extra>",
    )
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    across = {
        "title": "observed, and risk (◇)",
        "ticksuffix": f"{NARROW}%",
        "range": [max(-1.0, 100 * low - 4), min(101.0, 100 * high + 4)],
        "showgrid": True,
        "gridcolor": ink.faint,
    }
    downwards = {"autorange": "reversed", "showgrid": False, "automargin": True, "type": "category"}
    return calm(figure, ink, 90 + 34 * max(len(parts), 1), x=across, y=downwards)
