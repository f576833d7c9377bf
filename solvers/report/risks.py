"""Calibration, net benefit and subgroups as tables."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ..diagram import describe, plain
from ..errors import DataError
from ..metrics import (
    Rate,
    RiskCalibration,
    Subgroup,
    acted_on,
    decision_curve,
    group_by,
    leaf_calibration,
    rate,
    subgroup_columns,
    subgroups,
)
from ..metrics.words import DASH, percent, percents
from ..problem import Dataset
from .blocks import Block, TableBlock, Words, points_cell, rate_cell, shorten
from .measures import LONGEST, group_title, short
from .subject import Subject

THRESHOLDS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
MOST_COLUMNS = 8

_MEANINGS = {
    "Treated": "Share of all rows.",
    "Sensitivity": "Share of the rows of the class that are treated.",
    "Specificity": "Share of the other rows that are not treated.",
    "PPV": "Share of the treated rows that have the class.",
    "NPV": "Share of the untreated rows that do not have the class.",
    "Net benefit per 100": "True positives minus weighted false alarms.",
    "Gain": "Net benefit minus that of treat-all or treat-none, whichever is higher.",
}

_LEFT_OUT = (Words("Omitted, because these figures would reveal small counts."),)
_NO_CLASS = (Words("No positive class was chosen."),)


def risk_blocks(subject: Subject, least: int | None) -> tuple[Block, ...]:
    """Calibration by leaf and net benefit by threshold, on rows that were not used for training."""
    of_class = subject.diagram.positive
    if of_class is None or least is not None:
        return _NO_CLASS if of_class is None else _LEFT_OUT
    unseen = subject.samples[1:]
    if not unseen:
        return (Words("No held-out rows. On training data every leaf is calibrated by construction."),)
    return tuple(block for name, data in unseen for block in _risks(subject, name, data, of_class))


def calibration_table(of: RiskCalibration, names: Sequence[str], caption: str) -> TableBlock:
    """Predicted and observed risk of each leaf or group of risks, with the simultaneous band of all risks."""
    rows = tuple(
        (
            shorten(name, LONGEST),
            percent(point.risk) + ("" if point.learned_from is None else f" (n {point.learned_from:,.10g})"),
            _count_rows(point.observed),
            percents(*of.band.at(point.risk)),
        )
        for name, point in zip(names, of.points, strict=True)
    )
    return TableBlock(caption, ("Leaf", "Predicted risk", "Observed", "Band"), rows)


def _risks(subject: Subject, name: str, data: Dataset, of_class: int) -> Iterator[Block]:
    diagram, of = subject.diagram, short(subject.diagram.classes[of_class])
    found = leaf_calibration(diagram, data, of_class)
    caption = (
        f"Calibration, {name.lower()} rows: predicted risk of {of} and observed share with 95% Wilson interval. Band: "
        f"95%, for all risks at once. Observed minus mean predicted risk: {points_cell(found.in_the_large)} points."
    )
    leaves = [plain(describe(diagram, one.node)) if one.node is not None else DASH for one in found.points]
    yield calibration_table(found, leaves, caption)
    caption = (
        f"Net benefit per 100, {name.lower()} rows, of treating at or above a predicted risk of {of}. Gain: over "
        f"treat-all or treat-none, whichever is better. 95% intervals."
    )
    yield treatment_table(diagram.predict_proba(data)[:, of_class], data.y == of_class, data.weight, caption)


def treatment_table(
    risk: np.ndarray,
    positive: np.ndarray,
    weight: np.ndarray | None,
    caption: str,
    thresholds: Sequence[float] = THRESHOLDS,
) -> TableBlock:
    """The metrics of treating all rows with at least a predicted risk, and the net benefit per 100, by threshold.

    Parameters
    ----------
    risk : float64 (n_samples,), the predicted risks; positive : bool (n_samples,), the rows with the class.
    weight : float64 (n_samples,), the weights of the rows; `None` if each counts once.
    """
    curve = decision_curve(risk, positive, np.array(thresholds), weight)
    rows = []
    for threshold, model, gain, acted in zip(
        thresholds, curve.model, curve.gain, acted_on(risk, np.array(thresholds)).T, strict=True
    ):
        shares = (acted, None), (acted, positive), (~acted, ~positive), (positive, acted), (~positive, ~acted)
        cells = (rate_cell(rate(hits, weight, among)) for hits, among in shares)
        rows.append((percent(threshold, 0), *cells, points_cell(model), points_cell(gain)))
    head = ("Threshold", "Treated", "Sensitivity", "Specificity", "PPV", "NPV", "Net benefit per 100", "Gain")
    return TableBlock(caption, head, tuple(rows), meanings=_MEANINGS)


def part_blocks(subject: Subject, least: int | None) -> tuple[Block, ...]:
    """Performance in subgroups: by group columns, and by the features of the model."""
    if least is not None:
        return _LEFT_OUT
    train = subject.train
    groups = {group.name for group in train.groups}
    columns = [name for name in subgroup_columns(train) if name in groups or name in subject.diagram.features]
    blocks = tuple(
        block
        for name, data in subject.samples[1:] or subject.samples
        for column in columns[:MOST_COLUMNS]
        for block in _parts(subject, name, data, column)
    )
    return blocks or (Words("No column has few enough levels for subgroups."),)


def _parts(subject: Subject, name: str, data: Dataset, column: str) -> Iterator[Block]:
    diagram, of_class = subject.diagram, subject.diagram.positive
    try:
        group = group_by(subject.train, data, column)
    except DataError:  # external data may lack it
        return
    found = subgroups(data, diagram.predict(data), diagram.predict_proba(data), of_class, group)
    title = group_title(subject.train, column)
    caption = f"{plain(title)}, {name.lower()} rows, with 95% Wilson intervals"
    yield subgroup_table(found, title, None if of_class is None else diagram.classes[of_class], caption)


def subgroup_table(parts: Iterable[Subgroup], title: str, positive: str | None, caption: str) -> TableBlock:
    """The metrics of each subgroup of a column that has rows, for the positive class if there is one."""
    head: tuple[str, ...] = (short(title), "n", "Accuracy")
    if positive is not None:
        head += ("Sensitivity", "Specificity", "PPV", f"Observed {short(positive)}", "Mean risk", "Difference, points")
    return TableBlock(caption, head, tuple(tuple(_part(part, positive is not None)) for part in parts if part.n))


def _part(part: Subgroup, of_class: bool) -> Iterator[str]:
    figures = part.figures
    assert figures is not None
    yield from (short(part.name), f"{part.n:,}", rate_cell(figures.accuracy))
    if of_class:
        yield from map(rate_cell, (figures.sensitivity, figures.specificity, figures.ppv, part.observed))
        yield DASH if part.expected is None else percent(part.expected)
        yield points_cell(part.in_the_large)


def _count_rows(found: Rate) -> str:
    return "no rows" if not found.n else f"{rate_cell(found)}, {found.k:,}/{found.n:,}"
