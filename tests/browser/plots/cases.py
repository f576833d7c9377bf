"""Plots with little room for labels: lines that end side by side, nearly equal limits, long names."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from components.design.figures import size_figure
from components.inspect.evidence.figures import ROC_LINES, calibration_figure, decision_figure, roc_figure, split_figure
from components.learn import figures as lessons
from components.model.figures import live_curve
from components.model.run_facts import Curve
from components.model.trade_off_figures import trade_off
from solvers.diagram.labels import Bars
from solvers.explain import Point
from solvers.metrics import CalibrationBand, CalibrationPoint, DecisionCurve, Estimate
from solvers.metrics import rate_of_counts as rate
from solvers.problem import Op, Predicate
from solvers.study.references import RocCurve
from tests.diagram.models import tree


def stairs(
    limits: list[float], costs: list[float], asked: float, impossible: float | None, rising: bool
) -> SimpleNamespace:
    """A trade-off curve with a point at each limit; the last one is not proved."""
    label = "ill people who are missed, at most" if rising else "rows in each leaf, at least"
    bounds, times = [*costs[:-1], 0.8 * costs[-1]], 0.01 if rising else 1
    points = [
        Point(limit * times, f"at most {limit:g}% missed", cost, bound)
        for limit, cost, bound in zip(limits, costs, bounds, strict=True)
    ]
    relaxable = SimpleNamespace(constraint=SimpleNamespace(rising_eases=rising))
    impossible = None if impossible is None else impossible * times
    return SimpleNamespace(
        relaxable=relaxable, label=label, asked=asked * times, is_share=rising, points=points, impossible=impossible
    )


def trade_offs() -> list[SimpleNamespace]:
    """Few and many limits, close together and far apart, with the requested limit at either end."""
    return [
        stairs([20.0, 10.0, 5.0], [12.0, 14.0, 30.0], 5.0, 4.0, True),
        stairs(
            [30.0, 12.0, 11.5, 11.0, 10.5, 10.0, 9.5], [1200.0, 1201, 1202, 1203, 1204, 1205, 1206], 30.0, 9.0, True
        ),
        stairs([1.0, 5, 10, 20, 40, 41, 42, 43], [5.0, 5, 6, 9, 20, 21, 22, 23], 1.0, 44.0, False),
        stairs([2.0], [7.0], 2.0, None, False),
        stairs([5.0, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], [100.0, 104, *range(130, 139)], 15.0, 16.0, False),
        # the first label is to the right of its point, and the following ones to the left
        stairs([63.2, 64.1, 67.4, 69.5, 71.6, 75.8, 100], [37.0, 45, 45, 49, 62, 72, 402], 60.0, None, False),
    ]


def decisions() -> list[DecisionCurve]:
    """Models whose curves end near treat-all, near treat-none, and above both."""
    out = []
    for high in (20, 50, 99):
        thresholds = np.arange(1.0, high + 1) / 100
        odds = thresholds / (1 - thresholds)
        everyone = 0.3 - 0.7 * odds
        for model in (everyone, np.maximum(0.28 - 0.06 * odds, 0), 0.25 - 0.1 * thresholds):
            line = tuple(Estimate(value, value - 0.03, value + 0.03) for value in model)
            gain = tuple(Estimate(float(0.1 <= at <= 0.2), 0.0, 1.0) for at in thresholds)
            out.append(DecisionCurve(tuple(thresholds), line, tuple(everyone), gain, 100))
    return out


def calibrations() -> list[tuple[list[CalibrationPoint], CalibrationBand]]:
    """Leaves everywhere, and leaves exactly at the label of the diagonal."""
    out = []
    for risks in ((0.02, 0.3, 0.55, 0.97), (0.58, 0.62, 0.66, 0.7, 0.75)):
        sizes = [15, *[40] * (len(risks) - 1)]
        points = [CalibrationPoint(None, r, None, rate(round(n * r), n)) for r, n in zip(risks, sizes, strict=True)]
        out.append((points, CalibrationBand(risks, risks, risks)))
    return out


def depth_curves() -> pd.DataFrame:
    """Errors by depth."""
    lines = [(optimal, depth, 0.3 / (depth + 1), rate(20, 100)) for optimal in (False, True) for depth in range(6)]
    return pd.DataFrame(lines, columns=["optimal", "depth", "train", "new"])


def sizes() -> pd.DataFrame:
    """Errors by leaves, of an optimal tree and of a greedy one."""
    lines = [(greedy, n, 0.2 + 0.1 / n, 0.2 / n, 0.02, n == 4) for greedy in (False, True) for n in range(2, 17)]
    return pd.DataFrame(lines, columns=["greedy", "leaves", "validated", "training", "spread", "recommended"])


def figures(dark: bool) -> dict[str, go.Figure]:
    """All plots by name."""
    found: dict[str, Callable[[], go.Figure]] = {}
    for i, facts in enumerate(trade_offs()):
        found[f"trade-off {i}"] = lambda facts=facts: trade_off(facts, 1, "errors", dark)
    for i, facts in enumerate(decisions()):
        found[f"decision {i}"] = lambda facts=facts: decision_figure(facts, "decision diagram", dark, 10.0)
    for i, (points, band) in enumerate(calibrations()):
        names = ["leaf"] * len(points)
        found[f"calibration {i}"] = lambda of=(points, names, band): calibration_figure(*of, dark)
    for i, at in enumerate(((0.04, 0.06), (0.97, 1.0))):
        of = RocCurve("tree", (0.0, at[0], 1.0), (0.0, at[1], 1.0), Estimate(0.6, 0.5, 0.7))
        references = [RocCurve(name, (0.0, 0.2, 1.0), (0.0, 0.8, 1.0), of.area) for name in ROC_LINES]
        found[f"roc {i}"] = lambda of=of, at=at, references=references: roc_figure(of, at, references, dark)
    for i, names in enumerate((("never", "a level with a long name", "daily"), ())):
        bars = Bars(np.array([[3.0, 1], [40, 2], [1200, 7]]), 2, "", 1.5, 1.0, names)
        name = Predicate("a measurement with a long name", Op.LE, 1.5, False)
        found[f"split {i}"] = lambda bars=bars, name=name: split_figure(bars, tree(), name, "rows", dark)
    ends = (((0.1, 90.0), (2.0, 41.0)), ((0.1, 0.0), (3.0, 40.0)))
    for i, curve in enumerate(
        (
            Curve(*ends, 4.0, False, "errors"),
            Curve(*ends, 4.0, False, "cost"),
            Curve(((0.1, 7.0), (1.0, 3.0)), ((0.2, 0.0), (3.0, 3.0)), 3.0, True, "errors"),
            Curve(((0.1, 2.0),), ((0.2, 2.0),), 3.0, True, "errors"),
            Curve(((0.1, 2.0),), (), 0.2, False, "errors"),
        )
    ):
        found[f"search {i}"] = lambda curve=curve: live_curve(curve, dark)
    found["depths"] = lambda: lessons.depths(depth_curves(), "CART (greedy)", dark)
    found["sizes"] = lambda: size_figure(sizes(), False, dark)
    return {name: made() for name, made in found.items()}
