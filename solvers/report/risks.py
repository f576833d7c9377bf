"""Calibration, net benefit and subgroups as tables."""

from collections.abc import Iterator

import numpy as np

from ..diagram import describe, plain
from ..errors import DataError
from ..metrics import (
    Estimate,
    Rate,
    Subgroup,
    acted_on,
    decision_curve,
    grouped,
    leaf_calibration,
    rate,
    subgroup_columns,
    subgroups,
)
from ..metrics.words import percent, percents
from ..problem import Dataset
from .blocks import NOTHING, Block, TableBlock, Words
from .measures import cut, rate_cell, short
from .subject import Subject

THRESHOLDS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
MOST_COLUMNS = 8

_LEFT_OUT = (Words("Omitted, because these figures would reveal small counts."),)
_NO_CLASS = (Words("No positive class was chosen."),)


def risk_blocks(subject: Subject, least: int | None) -> tuple[Block, ...]:
    """Calibration leaf by leaf and net benefit over the threshold, on rows that the model was not made from."""
    of_class = subject.diagram.positive
    if of_class is None or least is not None:
        return _NO_CLASS if of_class is None else _LEFT_OUT
    unseen = subject.samples[1:]
    if not unseen:
        return (Words("No held-out rows. On training data every leaf is calibrated by construction."),)
    return tuple(block for name, data in unseen for block in _risks(subject, name, data, of_class))


def _risks(subject: Subject, name: str, data: Dataset, of_class: int) -> Iterator[Block]:
    diagram, of = subject.diagram, short(subject.diagram.classes[of_class])
    found = leaf_calibration(diagram, data, of_class)
    leaves = tuple(
        (
            NOTHING if point.node is None else cut(plain(describe(diagram, point.node))),
            f"{percent(point.risk)} (n {point.learned_from or 0:,.10g})",
            _counted(point.observed),
            percents(*found.band.at(point.risk)),
        )
        for point in found.points
    )
    caption = (
        f"Calibration, {name.lower()} rows: predicted risk of {of} and observed share with 95% Wilson interval. Band: "
        f"95%, for all risks at once. Observed minus mean predicted risk: {_points(found.in_the_large)} points."
    )
    yield TableBlock(caption, ("Leaf", "Predicted risk", "Observed", "Band"), leaves)
    risk, positive = diagram.predict_proba(data)[:, of_class], data.y == of_class
    thresholds = np.array(THRESHOLDS)
    curve, acted = decision_curve(risk, positive, thresholds, data.weight), acted_on(risk, thresholds)
    rows = tuple(
        (
            percent(threshold, 0),
            _rates(rate(acted[:, i], data.weight)),
            _rates(rate(acted[:, i], data.weight, positive)),
            _rates(rate(~acted[:, i], data.weight, ~positive)),
            _points(curve.model[i]),
            _points(curve.gain[i]),
        )
        for i, threshold in enumerate(THRESHOLDS)
    )
    caption = (
        f"Net benefit per 100, {name.lower()} rows, of treating from a predicted risk of {of} on. Gain: over treat-all "
        "or treat-none, whichever is better. 95% intervals."
    )
    yield TableBlock(caption, ("Threshold", "Treated", "Sensitivity", "Specificity", "Net benefit", "Gain"), rows)


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
        group = grouped(subject.train, data, column)
    except DataError:  # a second file need not have it
        return
    found = subgroups(data, diagram.predict(data), diagram.predict_proba(data), of_class, group)
    head: tuple[str, ...] = (short(column), "n", "Accuracy")
    if of_class is not None:
        head += ("Sensitivity", "Specificity", f"Observed {short(diagram.classes[of_class])}", "Mean predicted risk")
    rows = tuple(tuple(_part(part, of_class is not None)) for part in found if part.figures is not None)
    yield TableBlock(f"{plain(column)}, {name.lower()} rows, with 95% Wilson intervals", head, rows)


def _part(part: Subgroup, of_class: bool) -> Iterator[str]:
    figures = part.figures
    assert figures is not None
    yield from (short(part.name), f"{part.n:,}", _rates(figures.accuracy))
    if of_class:
        yield from (_rates(found) for found in (figures.sensitivity, figures.specificity, part.observed))
        yield NOTHING if part.expected is None else percent(part.expected)


def _rates(found: Rate | None) -> str:
    return NOTHING if found is None else rate_cell(found)


def _counted(found: Rate) -> str:
    return "no rows" if not found.n else f"{rate_cell(found)}, {found.k:,}/{found.n:,}"


def _points(found: Estimate) -> str:
    """A difference or a net benefit, 100 times, with its interval."""
    value, *ends = (NOTHING if end is None else f"{100 * end:.1f}".replace("-", "\u2212") for end in found)
    return value if found.low is None else f"{value} ({' to '.join(ends)})"
