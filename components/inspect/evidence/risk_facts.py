"""Risks against what happened, and whether acting on them does good: calibration and decision curve."""

from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from components.words.text import count, percent, points, span
from solvers.diagram import Diagram, NodeId
from solvers.diagram.words import conditions
from solvers.metrics import (
    CalibrationPoint,
    DecisionCurve,
    Rate,
    RiskCalibration,
    acted_on,
    brier,
    decision_curve,
    grouped_calibration,
    leaf_calibration,
    rate,
)
from solvers.metrics.catalogue import Unit, class_words, interval_words, value_words
from solvers.problem import Dataset
from solvers.sweeps.cross_validation import CrossValidation

STEP = 0.01
"""Between two thresholds of the decision curve."""


class Judged(NamedTuple):
    """Rows with what a model, or a model for each of them, says about them.

    Attributes
    ----------
    title : which rows, for instance 'test rows'.
    data : the rows.
    predicted : int64 (n_samples,), class indices; shares : float64 (n_samples, n_classes), the risks.
    diagram : the model that says so; `None` where each row has the model of its fold.
    """

    title: str
    data: Dataset
    predicted: np.ndarray
    shares: np.ndarray
    diagram: Diagram | None


def judged(title: str, diagram: Diagram, data: Dataset) -> Judged:
    """Rows that one model speaks of."""
    return Judged(title, data, diagram.predict(data), diagram.predict_proba(data), diagram)


def judged_by_folds(title: str, found: CrossValidation, train: Dataset) -> Judged | None:
    """The training rows as the models of other folds see them, in the first repeat; `None` before the first fold."""
    repeats = found.unseen
    if not repeats:
        return None
    first = repeats[0]
    return Judged(title, train.take(first.rows), first.predicted, first.shares, None)


def calibration(found: Judged, of_class: int) -> RiskCalibration:
    """Risks of a class against what was observed, by leaf, or by similar risks where there are several models."""
    if found.diagram is not None:
        return leaf_calibration(found.diagram, found.data, of_class)
    risk, data = found.shares[:, of_class], found.data
    return grouped_calibration(risk, data.y == of_class, of_class, data.weight)


def point_name(found: Judged, point: CalibrationPoint) -> str:
    """A leaf by what leads to it, or a group of similar risks."""
    if found.diagram is None or point.node is None:
        return f"risk about {percent(point.risk, 0)}"
    return leaf_words(found.diagram, point.node)


def calibration_words(found: Judged, of: RiskCalibration, noun: str) -> str:
    """Whether the risks are right on average, in sentences; a model is called `noun`."""
    score = brier(found.shares, found.data.y, of.of_class, found.data.weight)
    large = of.in_the_large
    often = "about as often as"
    if large.low is not None and large.low > 0:
        often = "more often than"
    elif large.high is not None and large.high < 0:
        often = "less often than"
    name, happened = class_words(found.data, of.of_class), of.observed
    return (
        f"{name} occurred {often} the {noun} said: in {percent(happened.value)} of the {found.title} "
        f"({count(happened.k)} of {count(happened.n)}), where the mean risk was {percent(of.expected)}. The "
        f"difference is {points(large.value)} points, 95% interval {span(large)}. Brier score "
        f"{value_words(score.score, Unit.SCORE)} ({interval_words(score.score, Unit.SCORE)}); giving everyone "
        f"the same share would score {score.reference:.3f}. {_band_words(of)}"
    )


def _band_words(of: RiskCalibration) -> str:
    outside, n = len(of.band.outside), len(of.band.risks)
    if not outside:
        return "No risk lies outside the 95% band of what was observed."
    return (
        f"{count(outside)} of {count(n, 'risk')} {'lies' if outside == 1 else 'lie'} outside the 95% band of what was "
        "observed: more than chance explains."
    )


def leaf_words(diagram: Diagram, number: NodeId) -> str:
    """What leads to a leaf: its way in words, and how many others there are."""
    found, complete = conditions(diagram, number)
    if not found or not found[0]:
        return "every case"
    ways = count(len(found) - 1, "other way")
    more = "" if len(found) == 1 else (f", or {ways}" if complete else f", or {ways} or more")
    return " and ".join(found[0]) + more


def decision(found: Judged, of_class: int, low: float, high: float) -> DecisionCurve:
    """The decision curve of the risks of a class, between two thresholds of more than 0 and less than 1."""
    thresholds = np.round(np.arange(round(low / STEP), round(high / STEP) + 1) * STEP, 10)
    return decision_curve(found.shares[:, of_class], found.data.y == of_class, thresholds, found.data.weight)


def decision_words(found: Judged, curve: DecisionCurve, of_class: int, noun: str) -> str:
    """Between which thresholds acting on the model does more good than acting on everyone or on no one."""
    low, high = curve.thresholds[0], curve.thresholds[-1]
    ranges, sure = ranges_of(curve.thresholds, curve.useful()), ranges_of(curve.thresholds, curve.surely_useful())
    if not ranges:
        return (
            f"Between {percent(low, 0)} and {percent(high, 0)}, acting on the {noun} does not do more good "
            f"than acting on everyone or on no one, in the {found.title}."
        )
    gain = "At no threshold does the 95% interval of the gain lie above 0: more rows could decide it."
    if sure:
        gain = f"The 95% interval of the gain lies above 0 {_ranges_words(sure)}."
    return (
        f"Acting at a risk of {class_words(found.data, of_class)} {_ranges_words(ranges)} does more good with the "
        f"{noun} than acting on everyone or on no one, in the {found.title}. {gain}"
    )


def acting_rates(found: Judged, of_class: int, threshold: float) -> dict[str, tuple[str, Rate]]:
    """The figures of acting on all whose risk of a class is at least a threshold, each with its meaning."""
    data, acted = found.data, acted_on(found.shares[:, of_class], np.array([threshold]))[:, 0]
    positive, name = data.y == of_class, class_words(found.data, of_class)
    parts = (
        ("Acted on", "Of all rows, the share that is acted on.", acted, None),
        ("Sensitivity", f"Of the rows with {name}, the share that is acted on.", acted, positive),
        ("Specificity", f"Of the rows without {name}, the share that is left alone.", ~acted, ~positive),
        ("PPV", f"Of the rows that are acted on, the share with {name}.", positive, acted),
        ("NPV", f"Of the rows that are left alone, the share without {name}.", ~positive, ~acted),
    )
    return {title: (meaning, rate(hits, data.weight, among)) for title, meaning, hits, among in parts}


def acting_words(acted: Rate, threshold: float) -> str:
    """How many rows acting from one risk on means, and what it assumes of a missed case."""
    odds = (1 - threshold) / threshold
    worth = count(round(odds), "false alarm") if odds >= 0.95 else f"{odds:.2g} false alarms"
    return (
        f"Acting from a risk of {percent(threshold, 0)} on means acting on {count(acted.k)} of "
        f"{count(acted.n, 'row')}, and holding that a missed case is as bad as {worth}."
    )


def _ranges_words(ranges: tuple[tuple[float, float], ...]) -> str:
    return " and ".join(
        f"at {percent(a, 0)}" if a == b else f"from {percent(a, 0)} to {percent(b, 0)}" for a, b in ranges[:3]
    )


def ranges_of(thresholds: tuple[float, ...], useful: tuple[bool, ...]) -> tuple[tuple[float, float], ...]:
    """The longest runs of thresholds where something holds."""
    runs = (list(run) for holds, run in groupby(zip(thresholds, useful, strict=True), itemgetter(1)) if holds)
    return tuple((run[0][0], run[-1][0]) for run in runs)
