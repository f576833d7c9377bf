"""Plots whose words have least room: lines that end side by side, limits that are nearly equal, long names."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import plotly.graph_objects as go

from components.compare.pareto_facts import ParetoFront, Spot
from components.compare.pareto_figures import front_figure
from components.design.figures import size_figure
from components.design.recommendation_facts import SizeLine, SizePoint
from components.inspect.evidence.bootstrap_facts import StabilityFacts
from components.inspect.evidence.figures import (
    calibration_figure,
    decision_figure,
    subgroup_figure,
    wavering_figure,
)
from components.inspect.evidence.risk_facts import CalibrationFacts, DecisionFacts, RiskPoint
from components.inspect.evidence.subgroup_facts import PartFacts, SubgroupFacts
from components.inspect.structure.calibration_facts import CalibrationSetting, CalibrationTable
from components.inspect.structure.figures import spread_figure, stability_figure, sweep_figure
from components.inspect.structure.fragmentation_facts import Contrast, QuestionPoint, Spread
from components.inspect.structure.stability_facts import Stability, SupportStep
from components.learn import figures as lessons
from components.learn.facts import DepthCurves, DepthPoint
from components.model.figures import live_curve, trade_off, unseen_live_curve
from components.model.run_facts import Curve
from components.model.unseen_facts import UnseenCurve, UnseenPoint
from components.words.explain_facts import Stairs, Stretch
from solvers.metrics import rate_of_counts as rate
from solvers.problem import ShapeKind


def stairs(limits: list[float], costs: list[float], chosen: float, impossible: float | None, rising: bool) -> Stairs:
    """A trade-off curve with a tread from each limit to the next; the last one is not proved."""
    least = [*costs[:-1], 0.8 * costs[-1]]
    pairs = list(pairwise([limits[0], *limits]))
    treads = [Stretch(a, b, c, at_least) for (a, b), c, at_least in zip(pairs, costs, least, strict=True)]
    proved = tuple(c == at_least for c, at_least in zip(costs, least, strict=True))
    words = tuple(f"at most {limit:g} % missed" for limit in limits)
    label = "ill people who are missed, at most" if rising else "rows in each leaf, at least"
    return Stairs(
        label, tuple(limits), tuple(costs), proved, words, chosen, impossible, rising, rising, "errors", tuple(treads)
    )


def trade_offs() -> list[Stairs]:
    """Few and many limits, near one another and apart, with the limit that was asked for at either end."""
    return [
        stairs([20.0, 10.0, 5.0], [12.0, 14.0, 30.0], 5.0, 4.0, True),
        stairs(
            [30.0, 12.0, 11.5, 11.0, 10.5, 10.0, 9.5], [1200.0, 1201, 1202, 1203, 1204, 1205, 1206], 30.0, 9.0, True
        ),
        stairs([1.0, 5, 10, 20, 40, 41, 42, 43], [5.0, 5, 6, 9, 20, 21, 22, 23], 1.0, 44.0, False),
        stairs([2.0], [7.0], 2.0, None, False),
        stairs([5.0, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], [100.0, 104, *range(130, 139)], 15.0, 16.0, False),
        # the first one is written to its right, and the next ones to their left
        stairs([63.2, 64.1, 67.4, 69.5, 71.6, 75.8, 100], [37.0, 45, 45, 49, 62, 72, 402], 60.0, None, False),
    ]


def decisions() -> list[DecisionFacts]:
    """Models that end beside acting on everyone, beside acting on no one, and above both."""
    out = []
    for high in (20, 50, 99):
        thresholds = tuple(np.arange(1.0, high + 1))
        odds = np.array(thresholds) / (100 - np.array(thresholds))
        everyone = tuple(30 - 70 * odds)
        for model in (everyone, tuple(np.maximum(28 - 6 * odds, 0)), tuple(25 - 0.1 * np.array(thresholds))):
            low, top = tuple(np.array(model) - 3), tuple(np.array(model) + 3)
            out.append(DecisionFacts(thresholds, model, low, top, everyone, ((0.1, 0.2),), ""))
    return out


def calibrations() -> list[CalibrationFacts]:
    """Leaves all over, and leaves just where the diagonal is named."""
    out = []
    for risks in ((0.02, 0.3, 0.55, 0.97), (0.58, 0.62, 0.66, 0.7, 0.75)):
        points = tuple(RiskPoint("leaf", risk, "", rate(round(40 * risk), 40), i == 0) for i, risk in enumerate(risks))
        band = tuple(100 * risk for risk in risks)
        out.append(CalibrationFacts(points, 0, 0.3, rate(12, 40), None, None, band, band, band, ""))
    return out


def parts() -> SubgroupFacts:
    """Parts with names of any length."""
    names = ("female", "after a stay in the intensive care unit of another hospital", "no", "no")
    return SubgroupFacts(
        "ward", tuple(PartFacts(n, 50, i == 1, None, rate(10 + i, 50), 0.3, None) for i, n in enumerate(names)), ()
    )


def front() -> ParetoFront:
    """Models with long names close to one another."""
    spots = tuple(
        Spot(
            str(i),
            f"tree of at most {4 + i} leaves (exact)",
            ShapeKind.TREE,
            rate(30 - i // 2, 300),
            (30 - i // 2) / 300,
            "30 of 300",
            "30",
            None,
            3 + i,
            None,
            "Proved optimal",
            i % 2 == 0,
            True,
            i == 0,
        )
        for i in range(9)
    )
    return ParetoFront(spots, "training", 300, None, None)


def contrast() -> Contrast:
    """A BDD and two trees."""
    dots = tuple(QuestionPoint(level, 1 / level, 100 // level) for level in range(1, 9))
    titles = ("BDD", "Tree with the same answers", "Smallest tree that is as accurate")
    spreads = [Spread(title, 8, 8, 12, 3, 10.0, 12.0, 2, dots) for title in titles]
    return Contrast("BDD", spreads[0], tuple(spreads[1:]), 100, 20)


def stability(apart: int) -> Stability:
    """Accuracies of training and test rows that end so many rows apart."""
    shares = (0.0, 0.05, 0.1, 0.15, 0.2)
    return Stability(tuple(SupportStep(s, 5, 4, "12", True, rate(180, 200), rate(180 - apart, 200)) for s in shares))


def settings() -> CalibrationTable:
    """Four skeletons, all about as good."""
    alphas, names = (0.0, 0.001, 0.01, 0.1), ("I (2-4)", "II (2-3-3)", "III (1-2-4-8)", "IV (2-2-2-2-2)")
    found = tuple(
        CalibrationSetting(name, (2, 4), alpha, rate(160 + k, 200), rate(180, 200), 4.0, 3, 3, k == 0 and alpha == 0.01)
        for k, name in enumerate(names)
        for alpha in alphas
    )
    return CalibrationTable(found, alphas, 48, 48, True)


def depth_curves() -> DepthCurves:
    """Errors by depth."""
    points = tuple(DepthPoint(depth, 0.3 / (depth + 1), rate(20, 100), True) for depth in range(6))
    return DepthCurves(points, points, "CART (greedy)", "")


def sizes() -> tuple[SizeLine, ...]:
    """Errors by leaves, of a tree that was found and of a greedy one."""
    points = tuple(SizePoint(n, 0.2 + 0.1 / n, 0.02, 0.2 / n, n == 4) for n in range(2, 17))
    return SizeLine("Optimal trees", False, points), SizeLine("Greedy trees (CART)", True, points)


def figures(dark: bool) -> dict[str, go.Figure]:
    """All of them by their names."""
    found: dict[str, Callable[[], go.Figure]] = {}
    for i, facts in enumerate(trade_offs()):
        found[f"trade-off {i}"] = lambda facts=facts: trade_off(facts, dark)
    for i, facts in enumerate(decisions()):
        found[f"decision {i}"] = lambda facts=facts: decision_figure(facts, "decision diagram", dark, 10.0)
    for i, facts in enumerate(calibrations()):
        found[f"calibration {i}"] = lambda facts=facts: calibration_figure(facts, dark)
    ends = (((0.1, 90.0), (2.0, 41.0)), ((0.1, 0.0), (3.0, 40.0)))
    for i, curve in enumerate(
        (
            Curve(*ends, 4.0, False, "errors"),
            Curve(*ends, 4.0, False, "cost of errors", "decision diagram"),
            Curve(((0.1, 7.0), (1.0, 3.0)), ((0.2, 0.0), (3.0, 3.0)), 3.0, True, "errors"),
            Curve(((0.1, 2.0),), ((0.2, 2.0),), 3.0, True, "errors"),
            Curve(((0.1, 2.0),), (), 0.2, False, "errors"),
        )
    ):
        found[f"search {i}"] = lambda curve=curve: live_curve(curve, dark)
    for apart in (0, 1, 30):
        points = tuple(UnseenPoint(t, rate(40, 200), rate(40 + apart, 200)) for t in (0.1, 1.0))
        found[f"unseen {apart}"] = lambda points=points: unseen_live_curve(UnseenCurve(points, 2.0, ""), dark)
        found[f"support {apart}"] = lambda apart=apart: stability_figure(stability(apart), dark)
    bins = tuple((f"{k * 10}-{k * 10 + 10}", share) for k, share in enumerate((0.72, 0.1, 0.05, 0.0, 0.013, 0.12)))
    unsure = StabilityFacts(*[None] * len(StabilityFacts._fields))._replace(bins=bins)
    found["wavering"] = lambda: wavering_figure(unsure, dark)
    found["parts"] = lambda: subgroup_figure(parts(), dark)
    found["front"] = lambda: front_figure(front(), dark)
    found["spread"] = lambda: spread_figure(contrast(), dark)
    found["skeletons"] = lambda: sweep_figure(settings(), dark)
    found["depths"] = lambda: lessons.depths(depth_curves(), dark)
    events = [SimpleNamespace(incumbent=max(40 - k, 20), bound=min(k, 20)) for k in range(30)]
    for frame in (0, 10, 29):
        found[f"proof {frame}"] = lambda frame=frame: lessons.closing_in(SimpleNamespace(events=events), frame, dark)
    found["sizes"] = lambda: size_figure(sizes(), False, dark)
    return {name: made() for name, made in found.items()}
