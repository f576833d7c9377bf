"""Risks against what happened, and whether acting on them does good: calibration and decision curve as shown."""

import math
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from components.inspect.evidence.performance_facts import Unit, class_words, interval_words, value_words
from components.model.facts import SMALL
from components.words.text import count, percent, points, span
from solvers.diagram import Diagram, NodeId
from solvers.diagram.words import conditions
from solvers.metrics import (
    Brier,
    Estimate,
    Rate,
    RiskCalibration,
    acted_on,
    brier,
    decision_curve,
    grouped_calibration,
    leaf_calibration,
    rate,
)
from solvers.problem import Dataset
from solvers.sweeps.cross_validation import CrossValidation, unseen

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
    repeats = unseen(found, train)
    if not repeats:
        return None
    first = repeats[0]
    return Judged(title, train.take(first.rows), first.predicted, first.shares, None)


class RiskPoint(NamedTuple):
    """A leaf or a group of similar risks: what the model says, and what was observed in these rows, which may be few.

    `learned_from` says from how many training rows the risk is ('' for a group).
    """

    name: str
    risk: float
    learned_from: str
    observed: Rate
    small: bool


class CalibrationFacts(NamedTuple):
    """What is shown of calibration: leaves or groups with rows, how many leaves have none, and a sentence.

    `low` and `high` are the 95 % band over `risks`, in steps, all in per cent.
    """

    points: tuple[RiskPoint, ...]
    empty: int
    expected: float
    observed: Rate
    in_the_large: Estimate
    brier: Brier
    risks: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    sentence: str


def calibration_facts(found: Judged, of_class: int, noun: str) -> CalibrationFacts:
    """Calibration of the risks of a class, in figures and words.

    A point stands for a leaf, or for a group of similar risks where there are several models; a model is called `noun`.
    """
    data, diagram = found.data, found.diagram
    risk, positive = found.shares[:, of_class], data.y == of_class
    if diagram is None:
        of = grouped_calibration(risk, positive, of_class, data.weight)
    else:
        of = leaf_calibration(diagram, data, of_class)
    points_ = tuple(
        RiskPoint(
            f"risk about {percent(point.risk, 0)}"
            if diagram is None or point.node is None
            else leaf_words(diagram, point.node),
            point.risk,
            "" if point.learned_from is None else count(point.learned_from),
            point.observed,
            point.observed.n < SMALL,
        )
        for point in of.points
        if point.observed.n
    )
    score = brier(found.shares, data.y, of_class, data.weight)
    empty = sum(point.observed.n == 0 for point in of.points)
    sentence = _calibration_words(found, of, score, noun)
    risks, low, high = of.band
    # an upper end reaches back to the risk before, and a lower one on to the next
    return CalibrationFacts(
        points_,
        empty,
        of.expected,
        of.observed,
        of.in_the_large,
        score,
        (0.0, *_twice(risks), 100.0),
        _twice((0.0, *low)),
        _twice((*high, 1.0)),
        sentence,
    )


def _twice(ends: tuple[float, ...]) -> tuple[float, ...]:
    """Each end two times, in per cent."""
    return tuple(100 * end for end in ends for _ in range(2))


def _calibration_words(found: Judged, of: RiskCalibration, score: Brier, noun: str) -> str:
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
        f"difference is {points(large.value)} points, 95 % interval {span(large)}. Brier score "
        f"{value_words(score.score, Unit.SCORE)} ({interval_words(score.score, Unit.SCORE)}); giving everyone "
        f"the same share would score {score.reference:.3f}. {_band_words(of)}"
    )


def _band_words(of: RiskCalibration) -> str:
    outside, n = len(of.band.outside), len(of.band.risks)
    if not outside:
        return "No risk lies outside the 95 % band of what was observed."
    return (
        (
            f"{count(outside)} of {count(n, 'risk')} lies outside the 95 % band of what was observed: more than "
            "chance explains."
        )
        if outside == 1
        else (
            f"{count(outside)} of {count(n, 'risk')} lie outside the 95 % band of what was observed: more than "
            "chance explains."
        )
    )


def leaf_words(diagram: Diagram, number: NodeId) -> str:
    """What leads to a leaf: its way in words, and how many others there are."""
    found, complete = conditions(diagram, number)
    if not found or not found[0]:
        return "every case"
    ways = count(len(found) - 1, "other way")
    more = "" if len(found) == 1 else (f", or {ways}" if complete else f", or {ways} or more")
    return " and ".join(found[0]) + more


class DecisionFacts(NamedTuple):
    """Net benefit, in found cases per 100 people, over the risk from which one acts, in per cent.

    `low` and `high` are the 95 % band of the model, NaN for a single row. `ranges` are pairs of thresholds between
    which the model does more good than acting on all and on no one.
    """

    thresholds: tuple[float, ...]
    model: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    everyone: tuple[float, ...]
    ranges: tuple[tuple[float, float], ...]
    sentence: str


def decision_facts(found: Judged, of_class: int, low: float, high: float, noun: str) -> DecisionFacts:
    """The decision curve of the risks of a class, between two thresholds of more than 0 and less than 1."""
    thresholds = np.round(np.arange(round(low / STEP), round(high / STEP) + 1) * STEP, 10)
    risk, positive = found.shares[:, of_class], found.data.y == of_class
    curve = decision_curve(risk, positive, thresholds, found.data.weight)
    ranges = _ranges(curve.thresholds, curve.useful())
    if not ranges:
        sentence = (
            f"Between {percent(low, 0)} and {percent(high, 0)}, acting on the {noun} does not do more good "
            f"than acting on everyone or on no one, in the {found.title}."
        )
    else:
        name = class_words(found.data, of_class)
        sure = _ranges(curve.thresholds, curve.surely_useful())
        sentence = (
            f"Who acts at a risk of {name} {_ranges_words(ranges)} does more good with the {noun} than by "
            f"acting on everyone or on no one, in the {found.title}. "
        ) + (
            f"The 95 % interval of the gain lies above 0 {_ranges_words(sure)}."
            if sure
            else "At no threshold does the 95 % interval of the gain lie above 0: more rows would tell."
        )

    def scaled(line: Iterable[float | None]) -> tuple[float, ...]:
        return tuple(math.nan if value is None else 100 * value for value in line)

    model, lows, highs = (scaled(line) for line in zip(*curve.model, strict=True))
    return DecisionFacts(scaled(curve.thresholds), model, lows, highs, scaled(curve.everyone), ranges, sentence)


class ActingFacts(NamedTuple):
    """What acting from one risk on comes to: figures with what they mean, net benefits per person, a sentence.

    `gain` is how much more the net benefit is than that of `other`, the better of acting on everyone and on no one.
    """

    figures: tuple[tuple[str, str, Rate], ...]
    net_benefit: Estimate
    gain: Estimate
    other: str
    sentence: str


def acting_facts(found: Judged, of_class: int, threshold: float) -> ActingFacts:
    """The figures of acting on all whose risk of a class is at least a threshold, more than 0 and less than 1."""
    data, risk = found.data, found.shares[:, of_class]
    positive, acted = data.y == of_class, acted_on(risk, np.array([threshold]))[:, 0]
    curve = decision_curve(risk, positive, np.array([threshold]), data.weight)
    name, odds = class_words(data, of_class), (1 - threshold) / threshold
    parts = (
        ("Acted on", "Of all rows, the share that is acted on.", acted, None),
        ("Sensitivity", f"Of the rows with {name}, the share that is acted on.", acted, positive),
        (
            "Specificity",
            f"Of the rows without {name}, the share that is left alone.",
            ~acted,
            ~positive,
        ),
        ("PPV", f"Of the rows that are acted on, the share with {name}.", positive, acted),
        ("NPV", f"Of the rows that are left alone, the share without {name}.", ~positive, ~acted),
    )
    figures = tuple((title, meaning, rate(hits, data.weight, among)) for title, meaning, hits, among in parts)
    worth = count(round(odds), "false alarm") if odds >= 0.95 else f"{odds:.2g} false alarms"
    sentence = (
        f"Acting from a risk of {percent(threshold, 0)} on means acting on {count(int(acted.sum()))} of "
        f"{count(len(acted), 'row')}, and holding that a missed case is as bad as {worth}."
    )
    other = "acting on everyone" if curve.everyone[0] > 0 else "acting on no one"
    return ActingFacts(figures, curve.model[0], curve.gain[0], other, sentence)


def _ranges_words(ranges: tuple[tuple[float, float], ...]) -> str:
    return " and ".join(
        f"at {percent(a, 0)}" if a == b else f"from {percent(a, 0)} to {percent(b, 0)}" for a, b in ranges[:3]
    )


def _ranges(thresholds: tuple[float, ...], useful: tuple[bool, ...]) -> tuple[tuple[float, float], ...]:
    """The longest runs of thresholds where something holds."""
    runs = (list(run) for holds, run in groupby(zip(thresholds, useful, strict=True), itemgetter(1)) if holds)
    return tuple((run[0][0], run[-1][0]) for run in runs)
