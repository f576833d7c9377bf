"""The metrics of a model for each kind of rows: training, corrected, cross-validated, held-out, and external."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from ..diagram import Diagram
from ..messages.division import describe_fold
from ..metrics import Diagnosis, Estimate, Rate, diagnose, wilson
from ..metrics.catalogue import Figure, Metric, Unit, list_metrics
from ..metrics.words import count
from ..problem import Dataset
from ..sweeps.bootstrap import Bootstrap
from ..sweeps.cross_validation import CrossValidation


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
