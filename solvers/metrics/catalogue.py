"""The metrics listed by the Evidence and Compare screens and the reports. A new metric is one entry of `METRICS`.

docs/metrics.md has the formulas and sources, under the same names.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from ..problem import Dataset
from .diagnosis import Diagnosis
from .intervals import Estimate, Rate
from .ratios import predictive_values
from .words import DASH, count, percent, percents

Figure = Rate | Estimate | None
"""The value of a metric on some rows; `None` if undefined."""


class Unit(StrEnum):
    """How a metric is formatted."""

    SHARE = "share"
    RATIO = "ratio"
    SCORE = "score"


class Metric(NamedTuple):
    """A metric of a model on some rows.

    Attributes
    ----------
    key, label : its names in the program and on the screen.
    meaning : a sentence. Label and meaning may contain the placeholders {class}, {prevalence} and {reference}.
    unit : how it is formatted.
    of_class : whether it is about one class against the others.
    rows : the sets of rows for a paired comparison of two models, from the rows and the class; the difference is the
        mean over these sets. `None` if the metric is not a proportion of the same rows for every model.
    at_prevalence : whether it is listed only if a prevalence is chosen.
    corrected : whether the bootstrap corrects it for optimism.
    uses_risks : whether it is computed from risks, not from predictions alone.
    lowest : its minimum.
    own : computes it from a diagnosis and the chosen prevalence; `None` for the figure that is called like its key.
    """

    key: str
    label: str
    meaning: str
    unit: Unit = Unit.SHARE
    of_class: bool = True
    rows: Callable[[Dataset, int], Sequence[np.ndarray]] | None = None
    at_prevalence: bool = False
    corrected: bool = True
    uses_risks: bool = False
    lowest: float = 0.0
    own: Callable[[Diagnosis, float], Figure] | None = None

    def figure(self, found: Diagnosis, prevalence: float) -> Figure:
        """The value of the metric, at the chosen prevalence if it depends on it."""
        figure: Figure = getattr(found, self.key) if self.own is None else self.own(found, prevalence)
        return figure


def _predictive(found: Diagnosis, prevalence: float, positive: bool) -> Figure:
    if found.positive_ratio is None or found.negative_ratio is None:
        return None
    return predictive_values(found.positive_ratio, found.negative_ratio, prevalence)[0 if positive else 1]


def matthews(confusion: np.ndarray) -> Estimate:
    """The Matthews correlation coefficient, without an interval; see docs/metrics.md.

    Parameters
    ----------
    confusion : float64 (n_classes, n_classes), the weight of the rows by true class (row) and predicted class (column).

    Returns
    -------
    Its value is `None` if all rows have one class, or one prediction.
    """
    share = confusion / confusion.sum()
    true, predicted = share.sum(axis=1), share.sum(axis=0)
    if min(np.count_nonzero(true), np.count_nonzero(predicted)) < 2:
        return Estimate(None, None, None)
    spread = (1 - true @ true) * (1 - predicted @ predicted)
    return Estimate(float((np.trace(share) - true @ predicted) / np.sqrt(spread)), None, None)


METRICS = (
    Metric(
        "prevalence",
        "Prevalence of {class}",
        "Of all rows, the share with {class}.",
        at_prevalence=True,
        corrected=False,
    ),
    Metric(
        "accuracy",
        "Accuracy",
        "Of all rows, the share predicted correctly.",
        of_class=False,
        rows=lambda data, _: [data.y >= 0],
    ),
    Metric(
        "balanced_accuracy",
        "Balanced accuracy",
        "The mean of the shares predicted correctly in each class.",
        of_class=False,
        rows=lambda data, _: [data.y == k for k in np.unique(data.y)],
    ),
    Metric(
        "matthews",
        "Matthews correlation",
        "How well predictions and classes agree, from all four counts (or all classes): 1 is perfect, 0 is chance, "
        "\u22121 always wrong.",
        own=lambda found, _: matthews(found.confusion),
        unit=Unit.SCORE,
        of_class=False,
        lowest=-1.0,
    ),
    Metric(
        "sensitivity",
        "Sensitivity",
        "Of the rows with {class}, the share predicted so.",
        rows=lambda data, k: [data.y == k],
    ),
    Metric(
        "specificity",
        "Specificity",
        "Of the rows without {class}, the share not predicted so.",
        rows=lambda data, k: [data.y != k],
    ),
    Metric("ppv", "PPV (this data set)", "Of the rows predicted {class}, the share that are."),
    Metric("npv", "NPV (this data set)", "Of the rows not predicted {class}, the share that are not."),
    Metric(
        "ppv_at",
        "PPV at {prevalence} prevalence",
        "PPV where {prevalence} of the people have {class}, by Bayes' theorem from the likelihood ratios.",
        own=lambda found, prevalence: _predictive(found, prevalence, True),
        at_prevalence=True,
        corrected=False,
    ),
    Metric(
        "npv_at",
        "NPV at {prevalence} prevalence",
        "NPV where {prevalence} of the people have {class}, by Bayes' theorem from the likelihood ratios.",
        own=lambda found, prevalence: _predictive(found, prevalence, False),
        at_prevalence=True,
        corrected=False,
    ),
    Metric(
        "positive_ratio",
        "Likelihood ratio +",
        "How many times likelier the prediction {class} is for rows with {class} than for the others. Above 10 is "
        "strong evidence, near 1 is none.",
        unit=Unit.RATIO,
        corrected=False,
    ),
    Metric(
        "negative_ratio",
        "Likelihood ratio \u2212",
        "How many times likelier another prediction is for rows with {class} than for the others. Below 0.1 is strong "
        "evidence against {class}, near 1 is none.",
        unit=Unit.RATIO,
        corrected=False,
    ),
    Metric(
        "area",
        "Area under the ROC curve (AUC)",
        "How often a row with {class} has a higher predicted risk than a row without. 0.5 is guessing, 1 is perfect.",
        unit=Unit.SCORE,
        uses_risks=True,
    ),
    Metric(
        "brier",
        "Brier score",
        "The mean squared difference between predicted risk and outcome. 0 is best; the same risk for everyone scores "
        "{reference}.",
        own=lambda found, _: found.brier.score,
        unit=Unit.SCORE,
        of_class=False,
        uses_risks=True,
    ),
)
"""The metrics in display order."""


def list_metrics(
    train: Dataset, of_class: int | None, reference: str = "", prevalence: float | None = None
) -> tuple[Metric, ...]:
    """List the metrics of a class, or of all classes with `None`, with their labels and meanings filled in.

    Parameters
    ----------
    train : the training rows, which name the classes.
    of_class : the class of interest.
    reference : the Brier score of one constant risk, in words.
    prevalence : the chosen prevalence of the class; `None` omits the metrics that depend on it.
    """
    words = {
        "class": "" if of_class is None else describe_class(train, of_class),
        "prevalence": "" if prevalence is None else percent(prevalence),
        "reference": reference,
    }
    found = [
        metric._replace(label=metric.label.format_map(words), meaning=metric.meaning.format_map(words))
        for metric in METRICS
        if (of_class is not None or not metric.of_class) and (prevalence is not None or not metric.at_prevalence)
    ]
    if of_class is None:
        found += [_recall(k, name) for k, name in enumerate(train.classes)]
    return tuple(found)


def _recall(k: int, name: str) -> Metric:
    return Metric(
        f"recall_{k}",
        f"Recall of {name}",
        "Of its rows, the share predicted so.",
        own=lambda found, _: found.by_class[k].recall,
        rows=lambda data, _: [data.y == k],
        corrected=False,
    )


def describe_class(data: Dataset, of_class: int) -> str:
    """A class in a sentence, for instance 'critical = yes'."""
    return f"{data.outcome} = {data.classes[of_class]}"


def format_metric(found: Figure, unit: Unit) -> str:
    """Format the value of a metric; a dash if undefined."""
    if found is None or (found.value is None and found.low is None):
        return DASH
    return _number(found.value, unit) if found.value is not None else f"above {_number(found.low, unit)}"


def format_interval(found: Figure, unit: Unit) -> str:
    """Format the 95% interval of a metric; '' if there is none."""
    if found is None or found.value is None or found.low is None or found.high is None:
        return ""
    if unit is Unit.SHARE:
        return percents(found.low, found.high)
    return f"{_number(found.low, unit)}{DASH}{_number(found.high, unit)}"


def describe_counts(found: Figure) -> str:
    """'204/212' for a proportion of rows; '' for other metrics."""
    return f"{count(found.k)}/{count(found.n)}" if isinstance(found, Rate) and found.n else ""


def _number(value: float | None, unit: Unit) -> str:
    if value is None:
        return DASH
    if unit is Unit.SHARE:
        return percent(value)
    return format(value, ".3f" if unit is Unit.SCORE else ",.0f" if value >= 100 else ".1f" if value >= 10 else ".2f")
