"""Performance tables: training, held-out, cross-validated and external metrics with intervals."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ..diagram import Diagram, describe, plain
from ..messages.costs import positive_first
from ..messages.division import describe_centre, describe_fold, describe_independence
from ..messages.results import HIDDEN
from ..metrics import (
    Criterion,
    Diagnosis,
    Disparity,
    Estimate,
    Fairness,
    LeafRisk,
    Rate,
    compared_groups,
    diagnose,
    fairness,
    leaf_risks,
    wilson,
)
from ..metrics.catalogue import Figure, Metric, Unit, describe_class, list_metrics
from ..metrics.words import DASH, count, percent
from ..problem import Dataset, Group
from ..problem.groups import CROSS, crossed_columns
from ..study.bootstrap import Bootstrap
from ..study.cross_validation import CrossValidation
from .blocks import Block, TableBlock, Words, figure_cell, points_cell, rate_cell, shorten
from .exports import describe_share
from .subject import Subject
from .suppression import Suppressed, shown


class Column(NamedTuple):
    """A column of the table: its title, its rows in a sentence, and the metrics by their keys."""

    title: str
    meaning: str
    figures: dict[str, Figure]


class Sources(NamedTuple):
    """The sources of metrics; `None` for those that are missing."""

    train: Dataset
    test: Dataset | None = None
    external: Dataset | None = None
    validation: CrossValidation | None = None
    bootstrap: Bootstrap | None = None


def evidence(
    diagram: Diagram, sources: Sources, of_class: int | None, prevalence: float | None = None
) -> tuple[tuple[Metric, ...], tuple[Column, ...]]:
    """The metrics of a model for a class, or with `None` for all classes, and a column for each kind of rows.

    `prevalence` is the prevalence for predictive values, more than 0 and less than 1; with `None` they are omitted.
    """
    train = sources.train
    apparent = diagnose(diagram, train, of_class)
    metrics = list_metrics(train, of_class, f"{apparent.brier.reference:.3f} in the training rows", prevalence)

    def figures(found: Diagnosis) -> dict[str, Figure]:
        return {metric.key: metric.figure(found, prevalence or 0.5) for metric in metrics}

    columns = [Column("Training", "Rows that the model was fitted to: too optimistic.", figures(apparent))]
    if sources.bootstrap is not None and sources.bootstrap.fits:
        columns.append(_correct(metrics, figures(apparent), sources.bootstrap, of_class, train.weight is not None))
    if sources.validation is not None and (repeats := sources.validation.validated(of_class)):
        columns.append(_validate(metrics, [figures(one) for one in repeats], train, sources.validation))
    for data, title, meaning in (
        (sources.test, "Held-out", "Rows of the same table that were not used for training."),
        (sources.external, "External", "Rows of another file: external validation."),
    ):
        if data is not None:
            columns.append(Column(title, meaning, figures(diagnose(diagram, data, of_class))))
    return metrics, tuple(columns)


def _validate(
    metrics: Sequence[Metric], repeats: Sequence[dict[str, Figure]], train: Dataset, plan: CrossValidation
) -> Column:
    """The mean over the repeats of each metric and of its interval limits; geometric means for ratios."""
    figures: dict[str, Figure] = {
        metric.key: _mean([one[metric.key] for one in repeats], metric.unit)
        for metric in metrics
        if metric.key != "prevalence"
    }
    done, of = plan.results.done, plan.results.of
    so_far = "" if done == of else f", {done} of {of} done"
    return Column(
        "Cross-validated",
        f"{describe_fold(train.division, plan.n_folds, plan.repeats)}{so_far}. Each row is predicted by "
        "a model trained without it.",
        figures,
    )


def _mean(values: Sequence[Figure], unit: Unit) -> Estimate | None:
    if values[0] is None:
        return None

    def mean(numbers: list[float | None]) -> float | None:
        known = [number for number in numbers if number is not None]
        if not known:
            return None
        if unit is Unit.RATIO and min(known) > 0:
            return math.exp(sum(map(math.log, known)) / len(known))
        return sum(known) / len(known)

    return Estimate(*(mean([getattr(one, end) for one in values]) for end in ("value", "low", "high")))


def _correct(
    metrics: Sequence[Metric], apparent: dict[str, Figure], found: Bootstrap, of_class: int | None, weighted: bool
) -> Column:
    """The training metrics minus the mean optimism."""
    figures: dict[str, Figure] = {}
    for metric in metrics:
        before = apparent[metric.key]
        same = of_class == found.of_class or not (metric.of_class or metric.uses_risks)
        optimism = found.optimism(metric.key) if metric.corrected and same else None
        if before is not None and before.value is not None and optimism is not None:
            figures[metric.key] = _move(before, optimism, metric.lowest, weighted)
    so_far = "" if found.done == found.n_samples else f" ({found.done} of {found.n_samples} done)"
    return Column(
        "Optimism-corrected",
        f"Training minus the mean optimism of {count(len(found.fits), 'bootstrap model')}{so_far} (Harrell). Intervals "
        "ignore the uncertainty of the correction.",
        figures,
    )


def _move(before: Rate | Estimate, optimism: float, lowest: float, weighted: bool) -> Estimate:
    """A metric minus its optimism: a share has the Wilson interval of its new value, other intervals are shifted."""
    value, low, high = (None if end is None else min(1.0, max(lowest, end - optimism)) for end in before[:3])
    if isinstance(before, Rate) and not weighted and value is not None:
        low, high = wilson(value, before.n)
    return Estimate(value, low, high)


_OF_CENTRES = ("accuracy", "sensitivity", "specificity", "ppv", "area")
"""The metrics of each centre."""

LONGEST = 160


def performance_blocks(subject: Subject, least: int | None) -> tuple[Block, ...]:
    """The table of metrics and the confusion matrices."""
    diagram, division = subject.diagram, subject.train.division
    found = {name: hidden for (name, _), hidden in zip(subject.samples, subject.suppressed(least), strict=True)}
    plan = subject.cross_validation if least is None else None
    metrics, columns = evidence(diagram, Sources(subject.train, subject.test, subject.external, plan), diagram.positive)
    caption = f"95% Wilson intervals. {columns[0].meaning} {plain(describe_independence(division))}".rstrip()
    blocks: list[Block] = [metric_table(metrics, columns, caption, found)]
    if plan is not None:
        words = " ".join(one.meaning for one in columns if one.title not in found)
        blocks.append(Words(plain(f"Cross-validated: {words} Seed {plan.seed}.")))
        blocks += _centres(subject)
    elif subject.cross_validation is not None:
        blocks.append(Words("Cross-validated metrics are omitted, because small counts are hidden."))
    elif len(subject.samples) == 1:
        blocks.append(Words("No held-out rows and no cross-validation: performance on new data is unknown.", True))
    return (*blocks, *(_confusion(subject, name, data, found[name]) for name, data in subject.samples))


def metric_table(
    metrics: Sequence[Metric],
    columns: Sequence[Column],
    caption: str = "",
    hidden: Mapping[str, Suppressed | None] = MappingProxyType({}),
) -> TableBlock:
    """The metrics by kind of rows; `hidden` has the counts that may not be shown, by the title of the column."""
    labels = [shorten(plain(metric.label), LONGEST) for metric in metrics]
    rows = tuple(
        (label, *(_cell(metric, one.figures.get(metric.key), hidden.get(one.title)) for one in columns))
        for label, metric in zip(labels, metrics, strict=True)
    )
    meanings = {label: metric.meaning for label, metric in zip(labels, metrics, strict=True)}
    meanings |= {one.title: one.meaning for one in columns}
    return TableBlock(caption, ("Metric", *(one.title for one in columns)), rows, meanings=meanings)


def _centres(subject: Subject) -> list[Block]:
    """The metrics of each centre by models trained on the others, and whether they differ."""
    found = [(part.name, part.figures) for part in subject.centres if part.figures is not None]
    if not found:
        return []
    shown = [metric for metric in list_metrics(subject.train, subject.diagram.positive) if metric.key in _OF_CENTRES]
    rows = tuple(
        (short(name), f"{one.n:,}", *(_cell(metric, metric.figure(one, 0.5), None) for metric in shown))
        for name, one in found
    )
    head = (short(subject.train.division.column), "n", *(metric.label for metric in shown))
    words = " ".join(describe_centre([one for _, one in found]))
    return [TableBlock("Each centre predicted by a model of the others", head, rows), Words(words)]


def _cell(metric: Metric, figure: Figure, hidden: Suppressed | None) -> str:
    shown = figure_cell(figure, metric.unit)
    return HIDDEN if shown != DASH and hidden is not None and not _may_show(metric, hidden) else shown


def _may_show(metric: Metric, hidden: Suppressed) -> bool:
    """Whether a metric uses only shown counts."""
    if metric.key == "accuracy":
        return hidden.errors
    return bool(hidden.cells.all() if metric.uses_risks else hidden.confusion.all())


def confusion_table(data: Dataset, cell: Callable[[int, int], str], caption: str = "", corner: str = "") -> TableBlock:
    """Rows by observed and predicted class; `cell` has the text for a pair of them."""
    order = positive_first(data)
    rows = tuple((f"observed {short(describe_class(data, c))}", *(cell(c, k) for k in order)) for c in order)
    head = (corner, *(f"predicted {short(describe_class(data, k))}" for k in order))
    return TableBlock(caption, head, rows)


def _confusion(subject: Subject, name: str, data: Dataset, hidden: Suppressed | None) -> TableBlock:
    counts = np.zeros((data.n_classes, data.n_classes), np.int64)
    np.add.at(counts, (data.y, subject.diagram.predict(data)), 1)

    def cell(c: int, k: int) -> str:
        return (
            f"{counts[c, k]:,}" if hidden is None else shown(int(counts[c, k]), hidden.k, bool(hidden.confusion[c, k]))
        )

    return confusion_table(data, cell, f"{name} rows by observed and predicted class (unweighted)")


def leaf_blocks(subject: Subject, least: int | None) -> tuple[Block, ...]:
    """The leaves: their conditions, prediction, predicted risk, and the rows and observed share of each sample."""
    diagram, found = subject.diagram, subject.suppressed(least)
    of_class, training = diagram.positive, leaf_risks(diagram, subject.train)
    what = "Predicted share" if of_class is None else f"Predicted risk of {short(diagram.classes[of_class])}"
    head = ["Leaf", "Conditions", "Prediction", what]
    columns = [[_conceal(i, one, found[0]) or percent(one.predicted) for i, one in enumerate(training)]]
    for (name, data), hidden in zip(subject.samples, found, strict=True):
        head += [f"{name}: n", f"{name}: observed"]
        risks = leaf_risks(diagram, data)
        columns.append([_size(position, one, hidden) for position, one in enumerate(risks)])
        columns.append([_observe(position, one, hidden) for position, one in enumerate(risks)])
    rows = tuple(
        (
            str(number),
            shorten(plain(describe(diagram, number)), LONGEST),
            short(diagram.classes[leaf.label]),
            *(column[position] for column in columns),
        )
        for position, (number, leaf) in enumerate(diagram.leaves)
    )
    blocks: list[Block] = [TableBlock("Observed shares with 95% Wilson intervals", tuple(head), rows, wide=(1, 2))]
    if least is not None:
        blocks.append(
            Words(
                f"Counts below {least} are shown as '<{least}'. Counts that would reveal them are hidden; ranges show "
                "the possible shares."
            )
        )
    return tuple(blocks)


def _size(position: int, found: LeafRisk, hidden: Suppressed | None) -> str:
    return f"{sum(found.counts):,}" if hidden is None else hidden.size(position)


def _conceal(position: int, found: LeafRisk, hidden: Suppressed | None) -> str:
    """What may be reported of a share whose count is hidden; '' if the count is shown."""
    if hidden is None or hidden.cells[position, found.of_class]:
        return ""
    if not hidden.sizes[position]:
        return HIDDEN
    return describe_share(hidden.bounds(position, found.of_class), int(hidden.counts[position].sum()))


def _observe(position: int, found: LeafRisk, hidden: Suppressed | None) -> str:
    rate = found.observed
    shown = "no rows" if rate.value is None else rate_cell(rate)
    return _conceal(position, found, hidden) or shown


def fairness_blocks(subject: Subject, least: int | None) -> tuple[Block, ...]:
    """For each group column and each sample of rows, a table of groups and one of differences."""
    if not compared_groups(subject.problem, subject.train):
        return (Words("No group column was chosen."),)
    if subject.train.positive is None:
        return (Words("No positive class was chosen, so groups were not compared."),)
    blocks: list[Block] = []
    for name, data in subject.samples:
        groups, predicted = compared_groups(subject.problem, data), subject.diagram.predict(data)
        for group in groups:
            found, title = fairness(data, predicted, group), group_title(data, group.name)
            compared = (found, *_outside(data, predicted, group, groups))
            if least is not None and any(_has_small(one, least) for one in compared):
                blocks.append(Words(f"{plain(title)}, {name.lower()} rows: omitted, because counts are small."))
            else:
                blocks += fairness_tables(found, f"{plain(title)}, {name.lower()} rows")
    return tuple(blocks)


def _outside(data: Dataset, predicted: np.ndarray, group: Group, groups: Sequence[Group]) -> Iterator[Fairness]:
    """The rows of each crossed column that are in no group of the crossing, and so are missing from its table."""
    outside = np.flatnonzero(group.codes == -1)
    others = {one.name: one for one in groups if one.name != group.name}
    for name in crossed_columns(group.name, others) if len(outside) else ():
        yield fairness(data.take(outside), predicted[outside], others[name].take(outside))


def _has_small(found: Fairness, least: int) -> bool:
    """Whether a table of groups counts fewer people than may be shown, as the count of a share or its complement."""
    rates = [rate for g in found.groups for rate in g.rates.values()]
    return any(0 < count < least for rate in rates for count in (rate.k, rate.n - rate.k, rate.n))


def fairness_tables(found: Fairness, caption: str) -> tuple[TableBlock, TableBlock]:
    """The rates of each group, and the differences between groups."""
    titles = {
        Criterion.PARITY: f"Predicted {short(found.positive)}",
        Criterion.OPPORTUNITY: "True positive rate",
        Criterion.EQUALITY: "False positive rate",
        Criterion.ACCURACY: "Accuracy",
    }
    rows = tuple((short(g.name), f"{g.n:,}", *(rate_cell(g.rates[one]) for one in titles)) for g in found.groups)
    return (
        TableBlock(caption, ("Group", "n", *titles.values()), rows),
        TableBlock(
            f"{caption}: differences",
            ("Criterion", "Difference, points", "Between", "Ratio"),
            tuple(_gap(one, gap) for one, gap in found.disparities.items()),
            wide=(2,),
        ),
    )


def _gap(criterion: Criterion, found: Disparity) -> tuple[str, ...]:
    name = criterion.capitalize()
    if found.difference.value is None:
        return name, "too few rows", DASH, DASH
    left_out = f"; too few rows: {', '.join(map(short, found.too_few))}" if found.too_few else ""
    between = f"higher in {short(found.highest or '')} than in {short(found.lowest or '')}{left_out}"
    return name, points_cell(found.difference), between, DASH if found.ratio is None else f"{found.ratio:.2f}"


def group_title(data: Dataset, name: str) -> str:
    """A column of groups by its label, or the crossed columns by theirs; its name if it has none."""
    parts = [name] if name in data.schema.names else name.split(CROSS)
    return CROSS.join(data.schema.titles(parts))


def short(name: str) -> str:
    """A name, shortened for a table."""
    return shorten(plain(name), 40)
