"""Calibration and decision curve of predicted risks."""

from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from components.messages.text import count, percent, points, span
from solvers.diagram import Diagram, NodeId
from solvers.diagram.words import conditions
from solvers.metrics import (
    CalibrationPoint,
    DecisionCurve,
    RiskCalibration,
    acted_on,
    brier,
    decision_curve,
    grouped_calibration,
    leaf_calibration,
    rate,
)
from solvers.metrics.catalogue import Unit, describe_class
from solvers.problem import Dataset
from solvers.report.blocks import figure_cell
from solvers.study.cross_validation import CrossValidation

STEP = 0.01
"""Step between two thresholds of the decision curve."""


class ScoredRows(NamedTuple):
    """Rows with the predictions of one model, or of a model for each fold.

    Attributes
    ----------
    title : name of the rows, for instance 'held-out rows'.
    data : the rows.
    predicted : int64 (n_samples,), class indices; shares : float64 (n_samples, n_classes), the predicted risks.
    diagram : the model; `None` if each row has the model of its fold.
    """

    title: str
    data: Dataset
    predicted: np.ndarray
    shares: np.ndarray
    diagram: Diagram | None


def scored(title: str, diagram: Diagram, data: Dataset) -> ScoredRows:
    """Rows with the predictions of one model."""
    return ScoredRows(title, data, diagram.predict(data), diagram.predict_proba(data), diagram)


def scored_by_folds(title: str, found: CrossValidation, train: Dataset) -> ScoredRows | None:
    """The training rows with out-of-fold predictions of the first repeat; `None` before that is complete."""
    repeats = found.unseen
    if not repeats:
        return None
    first = repeats[0]
    return ScoredRows(title, train.take(first.rows), first.predicted, first.shares, None)


def calibration(found: ScoredRows, of_class: int) -> RiskCalibration:
    """Predicted risks against observed shares, by leaf, or by similar risks if there are several models."""
    if found.diagram is not None:
        return leaf_calibration(found.diagram, found.data, of_class)
    risk, data = found.shares[:, of_class], found.data
    return grouped_calibration(risk, data.y == of_class, of_class, data.weight)


def point_name(found: ScoredRows, point: CalibrationPoint) -> str:
    """A leaf by its conditions, or a group of similar risks."""
    if found.diagram is None or point.node is None:
        return f"risk about {percent(point.risk, 0)}"
    return describe_leaf(found.diagram, point.node)


def describe_calibration(found: ScoredRows, of: RiskCalibration) -> str:
    """Calibration in the large and Brier score, in sentences."""
    score = brier(found.shares, found.data.y, of.of_class, found.data.weight)
    large, name, observed = of.in_the_large, describe_class(found.data, of.of_class), of.observed
    return (
        f"Observed {name}: {percent(observed.value)} of the {found.title} ({count(observed.k)} of "
        f"{count(observed.n)}). Mean predicted risk: {percent(of.expected)}. Difference: {points(large.value)} points, "
        f"95% interval {span(large)}. Brier score: {figure_cell(score.score, Unit.SCORE)}, "
        f"{score.reference:.3f} for a constant risk. {_describe_band(of)}"
    )


def _describe_band(of: RiskCalibration) -> str:
    outside, n = len(of.band.outside), len(of.band.risks)
    if not outside:
        return "All predicted risks are within the 95% band of the observed shares."
    return (
        f"{count(outside)} of {count(n, 'predicted risk')} outside the 95% band of the observed shares: more than "
        "chance explains."
    )


def describe_leaf(diagram: Diagram, number: NodeId) -> str:
    """The conditions of a leaf on one path, and how many other paths there are."""
    found, complete = conditions(diagram, number)
    if not found or not found[0]:
        return "every row"
    paths = count(len(found) - 1, "other path")
    more = "" if len(found) == 1 else f", or {paths}{'' if complete else ' or more'}"
    return " and ".join(found[0]) + more


def decision(found: ScoredRows, of_class: int, low: float, high: float) -> DecisionCurve:
    """The decision curve of the risks of a class, between two thresholds, at least 0 and less than 1."""
    thresholds = np.round(np.arange(round(low / STEP), round(high / STEP) + 1) * STEP, 10)
    return decision_curve(found.shares[:, of_class], found.data.y == of_class, thresholds, found.data.weight)


def describe_decision(found: ScoredRows, curve: DecisionCurve, of_class: int, noun: str) -> str:
    """The thresholds between which the model has a higher net benefit than treat-all and treat-none."""
    low, high = curve.thresholds[0], curve.thresholds[-1]
    ranges, sure = ranges_of(curve.thresholds, curve.useful()), ranges_of(curve.thresholds, curve.surely_useful())
    if not ranges:
        return (
            f"Between {percent(low, 0)} and {percent(high, 0)} risk, the {noun} has no higher net benefit than "
            f"treat-all or treat-none in the {found.title}."
        )
    gain = "At no threshold is the 95% interval of the gain above 0."
    if sure:
        gain = f"The 95% interval of the gain is above 0 {_describe_ranges(sure)}."
    return (
        f"At a risk of {describe_class(found.data, of_class)} {_describe_ranges(ranges)}, the {noun} has a higher net "
        f"benefit than treat-all and treat-none in the {found.title}. {gain}"
    )


def acting_counts(found: ScoredRows, of_class: int, threshold: float) -> tuple[tuple[float, float], ...]:
    """The weight of the treated and the other rows, first with the class, then without it."""
    acted = acted_on(found.shares[:, of_class], np.array([threshold]))[:, 0]
    weight, positive = found.data.row_weights, found.data.y == of_class
    return tuple(
        (float(weight[rows & acted].sum()), float(weight[rows & ~acted].sum())) for rows in (positive, ~positive)
    )


def describe_acting(found: ScoredRows, of_class: int, threshold: float) -> str:
    """How many rows a treatment threshold selects, and the trade-off that it implies."""
    acted = rate(acted_on(found.shares[:, of_class], np.array([threshold]))[:, 0], found.data.weight)
    odds = (1 - threshold) / threshold
    worth = count(round(odds), "false alarm") if odds >= 0.95 else f"{odds:.2g} false alarms"
    return (
        f"Treating from a risk of {percent(threshold, 0)} selects {count(acted.k)} of {count(acted.n, 'row')}. It "
        f"means that a missed case is as bad as {worth}."
    )


def _describe_ranges(ranges: tuple[tuple[float, float], ...]) -> str:
    return " and ".join(
        f"at {percent(a, 0)}" if a == b else f"from {percent(a, 0)} to {percent(b, 0)}" for a, b in ranges[:3]
    )


def ranges_of(thresholds: tuple[float, ...], useful: tuple[bool, ...]) -> tuple[tuple[float, float], ...]:
    """The maximal runs of thresholds with `useful` true."""
    runs = (list(run) for holds, run in groupby(zip(thresholds, useful, strict=True), itemgetter(1)) if holds)
    return tuple((run[0][0], run[-1][0]) for run in runs)
