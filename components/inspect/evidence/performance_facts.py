"""The figures of a model for all rows there are of it, side by side: training, test, second file, resampled."""

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
from solvers.words.division import fold_words


class Unit(StrEnum):
    """How a figure is written."""

    SHARE = "share"
    RATIO = "ratio"
    SCORE = "score"


class FigureSpec(NamedTuple):
    """A figure: its name, what it means, how it is written, and whether it speaks of one class."""

    name: str
    meaning: str
    unit: Unit = Unit.SHARE
    of_class: bool = True


FIGURES: dict[str, FigureSpec] = {
    "prevalence": FigureSpec("Share with {class}", "Of all rows, the share with {class}."),
    "accuracy": FigureSpec("Accuracy", "Of all rows, the share predicted right.", of_class=False),
    "balanced_accuracy": FigureSpec(
        "Balanced accuracy", "The mean of the shares predicted right in each class.", of_class=False
    ),
    "sensitivity": FigureSpec("Sensitivity", "Of the rows with {class}, the share predicted so."),
    "specificity": FigureSpec("Specificity", "Of the rows without {class}, the share not predicted so."),
    "ppv": FigureSpec("PPV in these rows", "Of the rows predicted {class}, the share that are."),
    "npv": FigureSpec("NPV in these rows", "Of the rows predicted otherwise, the share that are not."),
    "ppv_at": FigureSpec(
        "PPV at {prevalence}",
        "PPV where {prevalence} of the people have {class}, by Bayes' theorem from the likelihood ratios.",
    ),
    "npv_at": FigureSpec(
        "NPV at {prevalence}",
        "NPV where {prevalence} of the people have {class}, by Bayes' theorem from the likelihood ratios.",
    ),
    "positive_ratio": FigureSpec(
        "Likelihood ratio +",
        "How many times likelier the answer {class} is among those with {class} than among the others. "
        "Above 10 it is strong evidence, near 1 none.",
        Unit.RATIO,
    ),
    "negative_ratio": FigureSpec(
        "Likelihood ratio \u2212",
        "How many times likelier another answer is among those with {class} than among the others. "
        "Below 0.1 it is strong evidence against {class}, near 1 none.",
        Unit.RATIO,
    ),
    "area": FigureSpec(
        "AUC",
        "Area under the ROC curve: how often, of one row with {class} and one without, the first has "
        "the higher risk. 0.5 is guessing, 1 is perfect.",
        Unit.SCORE,
    ),
    "brier": FigureSpec(
        "Brier score",
        "The mean squared distance between risks and what happened. 0 is best; giving everyone the "
        "same share scores {reference}.",
        Unit.SCORE,
        of_class=False,
    ),
}
"""The figures in the order in which they stand."""


Figures = dict[str, Rate | Estimate | None]
"""What is known for one kind of rows, by the keys of `FIGURES` and of the recalls."""


class Heading(NamedTuple):
    """A column of the table: its title, and which rows it speaks of in a sentence."""

    title: str
    meaning: str


class EvidenceLine(NamedTuple):
    """A line of the table: its name, what it means, how its cells are written, and the cells."""

    name: str
    meaning: str
    unit: Unit
    cells: tuple[Rate | Estimate | None, ...]


class EvidenceTable(NamedTuple):
    """All figures, a column for each kind of rows."""

    headings: tuple[Heading, ...]
    lines: tuple[EvidenceLine, ...]


class Sources(NamedTuple):
    """What figures can be had from: the training rows, held-out ones, a second file, and the answers of workers so far.

    Whatever there is none of is `None`.
    """

    train: Dataset
    test: Dataset | None = None
    external: Dataset | None = None
    validation: CrossValidation | None = None
    bootstrap: Bootstrap | None = None


def evidence(diagram: Diagram, sources: Sources, of_class: int | None, prevalence: float) -> EvidenceTable:
    """The figures of a model for a class, or with `None` for all classes alike.

    `prevalence` is the share of the class where predictive values are wanted, more than 0 and less than 1.
    """
    columns: list[tuple[Heading, Figures]] = []
    apparent = diagnose(diagram, sources.train, of_class)
    columns.append((Heading("Training", _TRAINING), _figures(apparent, prevalence)))
    if sources.bootstrap is not None and sources.bootstrap.fits:
        columns.append(_corrected(apparent, sources.bootstrap, of_class, sources.train.weight is not None))
    if sources.validation is not None and (found := validated(sources.validation, sources.train, of_class)):
        columns.append(_validated(found, sources, sources.validation, prevalence))
    for data, heading in ((sources.test, _TEST), (sources.external, _EXTERNAL)):
        if data is not None:
            columns.append((Heading(*heading), _figures(diagnose(diagram, data, of_class), prevalence)))
    return EvidenceTable(
        tuple(heading for heading, _ in columns), _lines(columns, apparent, sources, of_class, prevalence)
    )


_TRAINING = "The rows that the model was chosen to fit: these figures flatter it."
_TEST = Heading("Test (held out)", "Rows of the same file that the solver never saw.")
_EXTERNAL = Heading("Second file", "Rows of another file: the hardest test, and the one that says most.")


def _lines(
    columns: Sequence[tuple[Heading, Figures]],
    apparent: Diagnosis,
    sources: Sources,
    of_class: int | None,
    prevalence: float,
) -> tuple[EvidenceLine, ...]:
    words = {
        "class": "" if of_class is None else class_words(sources.train, of_class),
        "prevalence": percent(prevalence),
        "reference": f"{apparent.brier.reference:.3f} in the training rows",
    }

    lines = [
        EvidenceLine(
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
            lines.append(EvidenceLine(f"Recall of {name}", "Of its rows, the share predicted so.", Unit.SHARE, cells))
    return tuple(lines)


def class_words(data: Dataset, of_class: int) -> str:
    """A class as it stands in a sentence, for instance 'critical = yes'."""
    return f"{data.outcome} = {data.classes[of_class]}"


def _figures(found: Diagnosis, prevalence: float) -> Figures:
    figures = {key: getattr(found, key) for key in FIGURES if not key.endswith("_at")}
    figures["brier"] = found.brier.score
    figures |= {f"recall_{k}": recall for k, recall in enumerate(found.recalls)}
    if found.positive_ratio is not None and found.negative_ratio is not None:
        values = predictive_values(found.positive_ratio, found.negative_ratio, prevalence)
        figures["ppv_at"], figures["npv_at"] = values
    return figures


def _validated(
    found: tuple[Diagnosis, ...], sources: Sources, plan: CrossValidation, prevalence: float
) -> tuple[Heading, Figures]:
    """The mean over the repeats of each figure and of the ends of its interval; of ratios the geometric mean."""
    each = [_figures(one, prevalence) for one in found]
    units = {key: FIGURES[key].unit if key in FIGURES else Unit.SHARE for key in each[0]}
    figures: Figures = {
        key: _mean([one[key] for one in each], unit) for key, unit in units.items() if key != "prevalence"
    }
    so_far = "" if plan.done == plan.n_folds * plan.repeats else f", {plan.done} of {plan.n_folds * plan.repeats} done"
    return (
        Heading(
            "Cross-validated",
            f"{fold_words(sources.train.division, plan.n_folds, plan.repeats)}{so_far}: each of these training rows "
            "is judged by a model that was made in the same way without it. It speaks of the way of making models, "
            "not of this one.",
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


def _corrected(apparent: Diagnosis, found: Bootstrap, of_class: int | None, weighted: bool) -> tuple[Heading, Figures]:
    """The figures of the training rows without the mean optimism."""
    figures: Figures = {}
    for key in CORRECTED:
        before: Rate | Estimate | None = apparent.brier.score if key == "brier" else getattr(apparent, key)
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
    value, low, high = (None if end is None else min(1.0, max(0.0, end - optimism)) for end in before[:3])
    if isinstance(before, Rate) and not weighted and value is not None:
        low, high = wilson(value, before.n)
    return Estimate(value, low, high)


def value_words(found: Rate | Estimate | None, unit: Unit) -> str:
    """A figure as it is written, a dash where there is none."""
    if found is None or (found.value is None and found.low is None):
        return DASH
    return _number(found.value, unit) if found.value is not None else f"above {_number(found.low, unit)}"


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


def _number(value: float | None, unit: Unit) -> str:
    if value is None or unit is Unit.SHARE:
        return percent(value)
    if unit is Unit.SCORE:
        return f"{value:.3f}"
    return format(value, ",.0f" if value >= 100 else ".1f" if value >= 10 else ".2f")
