"""All figures of a model's answers and risks about some rows, for one class against the rest."""

from dataclasses import dataclass, replace

import numpy as np

from solvers.diagram import Diagram
from solvers.errors import DataError
from solvers.metrics.intervals import Estimate, Rate, rate
from solvers.metrics.performance import performance
from solvers.metrics.ratios import effective_cells, likelihood_ratios
from solvers.metrics.risks import Brier, brier, roc_area
from solvers.problem import Dataset


@dataclass(frozen=True)
class Diagnosis:
    """How good answers and risks are.

    Attributes
    ----------
    of_class : the index of the class that is asked about, against the rest; `None` for all classes alike. What speaks
        of a class is then `None`.
    n : the number of rows; `n_errors` : how many are answered wrong.
    prevalence : the share of the class.
    accuracy, balanced_accuracy : over all classes, whichever is asked about.
    sensitivity, specificity, ppv, npv : of the class.
    positive_ratio, negative_ratio : the likelihood ratios.
    area : under the ROC curve of the risks.
    brier : of the risks; of all classes together where none is asked about.
    recalls : of each class, the share that is answered so.
    """

    of_class: int | None
    n: int
    n_errors: int
    prevalence: Rate | None
    accuracy: Rate
    balanced_accuracy: Estimate
    sensitivity: Rate | None
    specificity: Rate | None
    ppv: Rate | None
    npv: Rate | None
    positive_ratio: Estimate | None
    negative_ratio: Estimate | None
    area: Estimate | None
    brier: Brier
    recalls: tuple[Rate, ...]


def diagnosis(dataset: Dataset, predicted: np.ndarray, shares: np.ndarray, of_class: int | None) -> Diagnosis:
    """The figures of answers and risks.

    Parameters
    ----------
    dataset : the rows.
    predicted : int (n_samples,), the index of the predicted class of each row.
    shares : float64 (n_samples, n_classes), the risk of each class.
    of_class : the class that is asked about, an index into the dataset's classes; `None` for all alike.

    Raises
    ------
    DataError
        There is no such class, or the answers or risks do not fit the rows.
    """
    if of_class is not None and not 0 <= of_class < dataset.n_classes:
        raise DataError(f"The class must be one of the {dataset.n_classes} of the outcome. Got {of_class}.")
    if shares.shape != (dataset.n_samples, dataset.n_classes):
        raise DataError(
            f"There must be a risk for each of {dataset.n_samples} rows and {dataset.n_classes} classes. "
            f"Got {shares.shape}."
        )
    found = performance(replace(dataset, positive=of_class), predicted)
    prevalence = area = ratios = None
    if of_class is not None:
        positive = dataset.y == of_class
        prevalence = rate(positive, dataset.weight)
        area = roc_area(shares[:, of_class], positive, dataset.weight)
        sizes = _effective(positive, dataset.weight), _effective(~positive, dataset.weight)
        ratios = likelihood_ratios(*effective_cells(found.sensitivity, found.specificity, sizes))
    return Diagnosis(
        of_class=of_class,
        n=found.n,
        n_errors=found.n_errors,
        prevalence=prevalence,
        accuracy=found.accuracy,
        balanced_accuracy=found.balanced_accuracy,
        sensitivity=found.sensitivity,
        specificity=found.specificity,
        ppv=found.ppv,
        npv=found.npv,
        positive_ratio=None if ratios is None else ratios[0],
        negative_ratio=None if ratios is None else ratios[1],
        area=area,
        brier=brier(shares, dataset.y, of_class, dataset.weight),
        recalls=tuple(one.recall for one in found.by_class),
    )


def diagnose(diagram: Diagram, dataset: Dataset, of_class: int | None) -> Diagnosis:
    """The figures of a model for rows whose classes are those of the model."""
    return diagnosis(dataset, diagram.predict(dataset), diagram.predict_proba(dataset), of_class)


def _effective(here: np.ndarray, weight: np.ndarray | None) -> float:
    """The number of rows, or Kish's effective number where they have weights."""
    if weight is None or not here.any():
        return float(here.sum())
    w = weight[here]
    return float(w.sum() ** 2 / (w @ w))
