"""The figures of a model for all rows there are of it, side by side: training, test, second file, resampled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from components.words.text import DASH, count, interval, percent
from solvers.diagram import Diagram
from solvers.metrics import Diagnosis, Estimate, Rate, diagnose, predictive_values, wilson
from solvers.problem import Dataset
from solvers.sweeps.bootstrap import CORRECTED, Bootstrap
from solvers.sweeps.cross_validation import CrossValidation, validated


class Unit(StrEnum):
    """How a figure is written."""

    SHARE = "share"
    RATIO = "ratio"
    SCORE = "score"


class Figure(NamedTuple):
    """A figure: its name, what it means, how it is written, and whether it speaks of one class."""

    name: str
    meaning: str
    unit: Unit
    of_class: bool


FIGURES: dict[str, Figure] = {
    "prevalence": Figure("Share with {class}", "Of all rows, the share with {class}.", Unit.SHARE, True),
    "accuracy": Figure("Accuracy", "Of all rows, the share predicted right.", Unit.SHARE, False),
    "balanced_accuracy": Figure(
        "Balanced accuracy", "The mean of the shares predicted right in each class.", Unit.SHARE, False
    ),
    "sensitivity": Figure("Sensitivity", "Of the rows with {class}, the share predicted so.", Unit.SHARE, True),
    "specificity": Figure("Specificity", "Of the rows without {class}, the share not predicted so.", Unit.SHARE, True),
    "ppv": Figure("PPV in these rows", "Of the rows predicted {class}, the share that are.", Unit.SHARE, True),
    "npv": Figure("NPV in these rows", "Of the rows predicted otherwise, the share that are not.", Unit.SHARE, True),
    "ppv_at": Figure(
        "PPV at {prevalence}",
        "PPV where {prevalence} of the people have {class}, by Bayes' theorem from the likelihood ratios.",
        Unit.SHARE,
        True,
    ),
    "npv_at": Figure(
        "NPV at {prevalence}",
        "NPV where {prevalence} of the people have {class}, by Bayes' theorem from the likelihood ratios.",
        Unit.SHARE,
        True,
    ),
    "positive_ratio": Figure(
        "Likelihood ratio +",
        "How many times likelier the answer {class} is among those with {class} than among the others. "
        "Above 10 it is strong evidence, near 1 none.",
        Unit.RATIO,
        True,
    ),
    "negative_ratio": Figure(
        "Likelihood ratio \u2212",
        "How many times likelier another answer is among those with {class} than among the others. "
        "Below 0.1 it is strong evidence against {class}, near 1 none.",
        Unit.RATIO,
        True,
    ),
    "area": Figure(
        "AUC",
        "Area under the ROC curve: how often, of one row with {class} and one without, the first has the higher risk. "
        "0.5 is guessing, 1 is perfect.",
        Unit.SCORE,
        True,
    ),
    "brier": Figure(
        "Brier score",
        "The mean squared distance between risks and what happened. 0 is best; giving everyone the same share scores "
        "{reference}.",
        Unit.SCORE,
        False,
    ),
}
"""The figures in the order in which they stand."""


class Heading(NamedTuple):
    """A column of the table: its title, and which rows it speaks of in a sentence."""

    title: str
    meaning: str


class Line(NamedTuple):
    """A line of the table: its name, what it means, how its cells are written, and the cells."""

    name: str
    meaning: str
    unit: Unit
    cells: tuple[Rate | Estimate | None, ...]


class Evidence(NamedTuple):
    """All figures, a column for each kind of rows."""

    headings: tuple[Heading, ...]
    lines: tuple[Line, ...]


class Sources(NamedTuple):
    """What figures can be had from.

    Attributes
    ----------
    train : the training rows.
    test, external : held-out rows and those of a second file; `None` where there are none.
    validation, bootstrap : the answers so far; `None` where nothing was asked.
    """

    train: Dataset
    test: Dataset | None = None
    external: Dataset | None = None
    validation: CrossValidation | None = None
    bootstrap: Bootstrap | None = None


def evidence(diagram: Diagram, sources: Sources, of_class: int | None, prevalence: float) -> Evidence:
    """The figures of a model.

    Parameters
    ----------
    of_class : the class that is asked about, `None` for all classes alike.
    prevalence : the share of the class where predictive values are wanted, more than 0 and less than 1.
    """
    columns: list[tuple[Heading, dict[str, Rate | Estimate | None]]] = []
    apparent = diagnose(diagram, sources.train, of_class)
    columns.append((Heading("Training", _TRAINING), _figures(apparent, prevalence)))
    if sources.bootstrap is not None and sources.bootstrap.fits:
        columns.append(_corrected(apparent, sources.bootstrap, of_class, sources.train.weight is not None))
    if sources.validation is not None and (found := validated(sources.validation, sources.train, of_class)):
        columns.append(_validated(found, sources.validation, prevalence))
    for data, heading in ((sources.test, _TEST), (sources.external, _EXTERNAL)):
        if data is not None:
            columns.append((heading, _figures(diagnose(diagram, data, of_class), prevalence)))
    return Evidence(tuple(heading for heading, _ in columns), _lines(columns, apparent, sources, of_class, prevalence))


_TRAINING = "The rows that the model was chosen to fit: these figures flatter it."
_TEST = Heading("Test (held out)", "Rows of the same file that were kept from the solver.")
_EXTERNAL = Heading("Second file", "Rows of another file: the hardest test, and the one that tells most.")


def _lines(
    columns: Sequence[tuple[Heading, dict[str, Rate | Estimate | None]]],
    apparent: Diagnosis,
    sources: Sources,
    of_class: int | None,
    prevalence: float,
) -> tuple[Line, ...]:
    words = {
        "class": "" if of_class is None else class_words(sources.train, of_class),
        "prevalence": percent(prevalence),
        "reference": f"{apparent.brier.reference:.3f} in the training rows",
    }

    lines = [
        Line(
            figure.name.format_map(words),
            figure.meaning.format_map(words),
            figure.unit,
            tuple(cells.get(key) for _, cells in columns),
        )
        for key, figure in FIGURES.items()
        if of_class is not None or not figure.of_class
    ]
    if of_class is None:
        for k, name in enumerate(sources.train.classes):
            cells = tuple(found.get(f"recall_{k}") for _, found in columns)
            lines.append(Line(f"Recall of {name}", "Of its rows, the share predicted so.", Unit.SHARE, cells))
    return tuple(lines)


def class_words(data: Dataset, of_class: int) -> str:
    """A class as it stands in a sentence, for instance 'critical = yes'."""
    return f"{data.outcome} = {data.classes[of_class]}"


def _figures(found: Diagnosis, prevalence: float) -> dict[str, Rate | Estimate | None]:
    """All figures by their key."""
    figures = {key: getattr(found, key) for key in FIGURES if not key.endswith("_at")}
    figures["brier"] = found.brier.score
    figures |= {f"recall_{k}": recall for k, recall in enumerate(found.recalls)}
    if found.positive_ratio is not None:
        figures |= _at(found.positive_ratio, found.negative_ratio, prevalence)
    return figures


def _at(positive: Estimate, negative: Estimate, prevalence: float) -> dict[str, Estimate]:
    ppv, npv = predictive_values(positive, negative, prevalence)
    return {"ppv_at": ppv, "npv_at": npv}


def _validated(
    found: tuple[Diagnosis, ...], plan: CrossValidation, prevalence: float
) -> tuple[Heading, dict[str, Rate | Estimate | None]]:
    """The mean over the repeats of each figure and of the ends of its interval; of ratios the geometric mean."""
    each = [_figures(one, prevalence) for one in found]
    figures = {
        key: _mean([one[key] for one in each], FIGURES[key].unit if key in FIGURES else Unit.SHARE) for key in each[0]
    }
    figures.pop("prevalence")
    times = "once" if plan.repeats == 1 else f"{plan.repeats} times"
    so_far = "" if plan.done == plan.n_folds * plan.repeats else f", {plan.done} of {plan.n_folds * plan.repeats} done"
    return (
        Heading(
            "Cross-validated",
            f"The training rows divided into {plan.n_folds} folds, {times}{so_far}: each row is judged by a model that "
            "was made in the same way from the other folds. It speaks of the way of making models, not of this one.",
        ),
        figures,
    )


def _mean(values: Sequence[Rate | Estimate | None], unit: Unit) -> Estimate | None:
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


def _corrected(
    apparent: Diagnosis, found: Bootstrap, of_class: int | None, weighted: bool
) -> tuple[Heading, dict[str, Rate | Estimate | None]]:
    """The figures of the training rows without the mean optimism."""
    figures: dict[str, Rate | Estimate | None] = {}
    for key in CORRECTED:
        before = apparent.brier.score if key == "brier" else getattr(apparent, key)
        same = of_class == found.of_class or (key != "brier" and not FIGURES[key].of_class)
        optimism = found.optimism(key)
        if same and before is not None and before.value is not None and optimism is not None:
            figures[key] = _moved(before, optimism, weighted)
    so_far = "" if found.done == found.n_samples else f" ({found.done} of {found.n_samples} done)"
    return (
        Heading(
            "Corrected for optimism",
            f"The training figures minus what {count(len(found.fits), 'model')} of drawn rows{so_far} flattered "
            "themselves by on average (Harrell's bootstrap). The intervals are for chance in the rows, as if the "
            "correction were known exactly.",
        ),
        figures,
    )


def _moved(before: Rate | Estimate, optimism: float, weighted: bool) -> Estimate:
    """A figure without its optimism: a share has the Wilson interval of where it comes to lie, others move along."""
    value = min(1.0, max(0.0, before.value - optimism))
    if isinstance(before, Rate) and not weighted:
        return Estimate(value, *wilson(value, before.n))
    return Estimate(value, *(None if end is None else min(1.0, max(0.0, end - optimism)) for end in before[1:3]))


def value_words(found: Rate | Estimate | None, unit: Unit) -> str:
    """A figure as it is written, a dash where there is none."""
    if found is None or (found.value is None and found.low is None):
        return DASH
    if found.value is None:
        return f"above {_number(found.low, unit)}"
    return _number(found.value, unit)


def interval_words(found: Rate | Estimate | None, unit: Unit) -> str:
    """The 95 % interval of a figure; '' where there is none."""
    if found is None or found.value is None or found.low is None:
        return ""
    if unit is Unit.SHARE:
        return interval(found)
    return f"{_number(found.low, unit)}{DASH}{_number(found.high, unit)}"


def counts_words(found: Rate | Estimate | None) -> str:
    """'204/212' for a share of rows; '' elsewhere."""
    return f"{count(found.k)}/{count(found.n)}" if isinstance(found, Rate) and found.n else ""


def _number(value: float, unit: Unit) -> str:
    if unit is Unit.SHARE:
        return percent(value)
    if unit is Unit.SCORE:
        return f"{value:.3f}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
