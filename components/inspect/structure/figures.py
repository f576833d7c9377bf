"""How rows spread over the questions of models, what stability costs, and calibration, drawn with plotly."""

import textwrap

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from components.inspect.structure.calibration_facts import CalibrationTable
from components.inspect.structure.fragmentation_facts import Contrast
from components.inspect.structure.stability_facts import Stability
from components.model.figures import INK, LINE, calm, intervals, name_ends, per_cent
from components.words.text import NARROW, count, html

_TITLE_WIDTH = 12
"""Letters of a line above one of three panels on a phone."""

_BROAD = 100
"""Shares are drawn in per cent."""


def spread_figure(facts: Contrast, dark: bool) -> go.Figure:
    """Each question as a point, its level downwards and its share of the rows to the right, a panel a model."""
    ink, spreads = INK[dark], facts.spreads
    titles = [textwrap.wrap(f"{one.title}: {count(one.questions, 'question')}", _TITLE_WIDTH) for one in spreads]
    top = 12 + LINE * max(map(len, titles))
    figure = make_subplots(
        1,
        len(spreads),
        shared_yaxes=True,
        subplot_titles=["<br>".join(map(html, lines)) for lines in titles],
        horizontal_spacing=0.08,
    )
    deepest = max((dot.level for one in spreads for dot in one.dots), default=1)
    for position, one in enumerate(spreads, start=1):
        figure.add_scatter(
            x=[_BROAD * dot.share for dot in one.dots],
            y=[dot.level for dot in one.dots],
            mode="markers",
            marker={
                "size": 12,
                "color": ink.accent if position == 1 else ink.warm,
                "symbol": ["circle-open" if dot.n < facts.support else "circle" for dot in one.dots],
                "line": {"width": 2},
                "opacity": 0.75,
            },
            customdata=[f"{count(dot.n, 'row')}, level {dot.level}" for dot in one.dots],
            hovertemplate="%{customdata}<extra></extra>",
            row=1,
            col=position,
        )
        figure.add_vline(
            _BROAD * facts.support / max(facts.n, 1),
            line={"color": ink.warm, "width": 1, "dash": "dot"},
            row=1,
            col=position,
        )
    figure.update_yaxes(title="level", col=1)
    figure.update_annotations(font={"color": ink.text, "size": 13})
    figure.update_xaxes(title="share of the rows", col=(len(spreads) + 1) // 2)
    across = {"range": [-4, 104], "ticksuffix": f"{NARROW}%", "tick0": 0, "dtick": 50}
    levels = {"range": [deepest + 0.6, 0.4], "dtick": 1}
    return calm(figure, ink, 270 + top, x=across, y=levels, top=top)


def stability_figure(facts: Stability, dark: bool) -> go.Figure:
    """Accuracy over the minimum of rows at each question: training rows as a line, test rows with their intervals."""
    ink, steps = INK[dark], facts.steps
    x = [_BROAD * step.share for step in steps]
    figure = go.Figure()
    lines = [("training", ink.warm, [step.train for step in steps])]
    if tested := [step.test for step in steps if step.test is not None]:
        lines.append(("test", ink.accent, tested))
    for _, colour, rates in lines:
        figure.add_scatter(
            x=x,
            y=[per_cent(found.value) for found in rates],
            mode="lines+markers",
            line={"color": colour, "width": 2.5},
            marker={"size": 8, "color": colour},
            error_y=intervals(rates, colour) if rates is tested else None,
            hovertemplate="%{y:.1f}" + f"{NARROW}%<extra></extra>",
        )
    last, per_cents = max(x) or 1, {"ticksuffix": f"{NARROW}%"}
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


def sweep_figure(facts: CalibrationTable, dark: bool, height: int = 300) -> go.Figure:
    """Validation accuracy over alpha, a line a skeleton that is named at its end; the best setting is a large point."""
    ink = INK[dark]
    figure = go.Figure()
    place = {alpha: i for i, alpha in enumerate(facts.alphas)}
    dashes = ("solid", "dash", "dot", "dashdot")
    names: list[tuple[float, str, str]] = []
    for i, skeleton in enumerate(facts.skeletons):
        found = [one for alpha in facts.alphas if (one := facts.at(skeleton, alpha)) is not None]
        known = [s for s in found if s.validation.value is not None]
        shares = [_BROAD * s.validation.value for s in found if s.validation.value is not None]
        if not known:
            continue
        colour = ink.accent if any(setting.best for setting in known) else ink.warm
        figure.add_scatter(
            x=[place[setting.alpha] for setting in known],
            y=shares,
            mode="lines+markers",
            line={"color": colour, "width": 2, "dash": dashes[i % len(dashes)]},
            marker={"size": [14 if setting.best else 7 for setting in known], "color": colour},
            customdata=[f"{html(skeleton)}, alpha {setting.alpha:g}" for setting in known],
            hovertemplate="%{customdata}: %{y:.1f}" + f"{NARROW}%<extra></extra>",
        )
        names.append((shares[-1], html(skeleton.split(" ")[0]), colour))
    values = [_BROAD * s.validation.value for s in facts.settings if s.validation.value is not None]
    room = 0.08 * (max(values) - min(values)) + 0.5
    span = (min(values) - room, max(values) + room)
    right = name_ends(figure, names, span, height - 56)
    across = {
        "title": "alpha",
        "tickvals": list(place.values()),
        "ticktext": [f"{alpha:g}" for alpha in place],
        "range": [-0.3, len(place) - 0.7],
    }
    upwards = {"title": "validation rows right", "ticksuffix": f"{NARROW}%", "range": span}
    return calm(figure, ink, height, x=across, y=upwards, right=right)
