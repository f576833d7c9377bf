"""Plots whose words have least room: lines that end side by side, limits that are nearly equal, long names."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from components.compare.pareto_facts import ParetoFront
from components.compare.pareto_figures import front_figure
from components.design.figures import size_figure
from components.inspect.evidence.figures import (
    calibration_figure,
    decision_figure,
    subgroup_figure,
    wavering_figure,
)
from components.inspect.structure.figures import spread_figure, stability_figure, sweep_figure
from components.inspect.structure.fragmentation_facts import Spread
from components.learn import figures as lessons
from components.model.figures import live_curve, trade_off, unseen_live_curve
from components.model.run_facts import Curve
from components.words.explain_facts import Stairs, Stretch
from solvers.metrics import CalibrationBand, CalibrationPoint, DecisionCurve, Estimate, fragmentation
from solvers.metrics import rate_of_counts as rate
from solvers.problem import ShapeKind
from tests.diagram.models import majority
from tests.metrics.test_unfolded_tree import patients


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


def decisions() -> list[DecisionCurve]:
    """Models that end beside acting on everyone, beside acting on no one, and above both."""
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
    """Leaves all over, and leaves just where the diagonal is named."""
    out = []
    for risks in ((0.02, 0.3, 0.55, 0.97), (0.58, 0.62, 0.66, 0.7, 0.75)):
        sizes = [15, *[40] * (len(risks) - 1)]
        points = [CalibrationPoint(None, r, None, rate(round(n * r), n)) for r, n in zip(risks, sizes, strict=True)]
        out.append((points, CalibrationBand(risks, risks, risks)))
    return out


def parts() -> list[SimpleNamespace]:
    """Parts with names of any length."""
    names = ("female", "after a stay in the intensive care unit of another hospital", "no", "no")
    sizes = (50, 15, 50, 50)
    return [
        SimpleNamespace(name=name, n=n, observed=rate(10 + i, 50), expected=0.3)
        for i, (name, n) in enumerate(zip(names, sizes, strict=True))
    ]


def front() -> ParetoFront:
    """Models with long names close to one another."""
    wrong = [30 - i // 2 for i in range(9)]
    models = pd.DataFrame(
        {
            "title": [f"tree of at most {4 + i} leaves (exact)" for i in range(9)],
            "kind": ShapeKind.TREE,
            "wrong": [rate(k, 300) for k in wrong],
            "share": [k / 300 for k in wrong],
            "counts": "30 of 300",
            "train": "30",
            "test": None,
            "questions": [3 + i for i in range(9)],
            "gap": np.nan,
            "proof": "Optimal on training data",
            "proved": [i % 2 == 0 for i in range(9)],
            "on_front": True,
            "chosen": [i == 0 for i in range(9)],
        }
    )
    return ParetoFront(models, "training", None)


def contrast() -> list[Spread]:
    """A BDD and two trees with the same questions."""
    data = patients()
    titles = ("BDD", "Tree with the same answers", "Smallest tree that is as accurate")
    return [Spread(title, majority(), 12, fragmentation(majority(), data, support=3)) for title in titles]


def stability(apart: int) -> pd.DataFrame:
    """Accuracies of training and test rows that end so many rows apart."""
    shares = [0.0, 0.05, 0.1, 0.15, 0.2]
    return pd.DataFrame({"share": shares, "train": [rate(180, 200)] * 5, "test": [rate(180 - apart, 200)] * 5})


def settings() -> pd.DataFrame:
    """Four skeletons, all about as good."""
    alphas, names = (0.0, 0.001, 0.01, 0.1), ("I (2-4)", "II (2-3-3)", "III (1-2-4-8)", "IV (2-2-2-2-2)")
    lines = [
        (name, alpha, rate(160 + k, 200), k == 0 and alpha == 0.01) for k, name in enumerate(names) for alpha in alphas
    ]
    return pd.DataFrame(lines, columns=["skeleton", "alpha", "right", "best"])


def depth_curves() -> pd.DataFrame:
    """Errors by depth."""
    lines = [(optimal, depth, 0.3 / (depth + 1), rate(20, 100)) for optimal in (False, True) for depth in range(6)]
    return pd.DataFrame(lines, columns=["optimal", "depth", "train", "new"])


def sizes() -> pd.DataFrame:
    """Errors by leaves, of a tree that was found and of a greedy one."""
    lines = [(greedy, n, 0.2 + 0.1 / n, 0.2 / n, 0.02, n == 4) for greedy in (False, True) for n in range(2, 17)]
    return pd.DataFrame(lines, columns=["greedy", "leaves", "validated", "training", "spread", "recommended"])


def figures(dark: bool) -> dict[str, go.Figure]:
    """All of them by their names."""
    found: dict[str, Callable[[], go.Figure]] = {}
    for i, facts in enumerate(trade_offs()):
        found[f"trade-off {i}"] = lambda facts=facts: trade_off(facts, dark)
    for i, facts in enumerate(decisions()):
        found[f"decision {i}"] = lambda facts=facts: decision_figure(facts, "decision diagram", dark, 10.0)
    for i, (points, band) in enumerate(calibrations()):
        names = ["leaf"] * len(points)
        found[f"calibration {i}"] = lambda of=(points, names, band): calibration_figure(*of, dark)
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
        points = pd.DataFrame(
            {"elapsed": [0.1, 1.0], "train": [rate(40, 200)] * 2, "test": [rate(40 + apart, 200)] * 2}
        )
        found[f"unseen {apart}"] = lambda points=points: unseen_live_curve(points, 2.0, dark)
        found[f"support {apart}"] = lambda apart=apart: stability_figure(stability(apart), dark)
    bins = {f"{k * 10}-{k * 10 + 10}": share for k, share in enumerate((0.72, 0.1, 0.05, 0.0, 0.013, 0.12))}
    found["wavering"] = lambda: wavering_figure(bins, dark)
    found["parts"] = lambda: subgroup_figure(parts(), dark)
    found["front"] = lambda: front_figure(front(), dark)
    found["spread"] = lambda: spread_figure(contrast(), dark)
    found["skeletons"] = lambda: sweep_figure(settings(), dark)
    found["depths"] = lambda: lessons.depths(depth_curves(), "CART (greedy)", dark)
    events = [SimpleNamespace(incumbent=max(40 - k, 20), bound=min(k, 20)) for k in range(30)]
    for frame in (0, 10, 29):
        found[f"proof {frame}"] = lambda frame=frame: lessons.closing_in(SimpleNamespace(events=events), frame, dark)
    found["sizes"] = lambda: size_figure(sizes(), False, dark)
    return {name: made() for name, made in found.items()}
