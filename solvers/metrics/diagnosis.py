"""All figures of a model's answers and risks about some rows, for one class against the rest."""

from dataclasses import dataclass, replace

import numpy as np

from ..diagram import Diagram
from ..errors import DataError
from ..problem import Dataset
from .intervals import Estimate, Rate, effective_size, rate
from .performance import Performance, performance
from .ratios import likelihood_ratios
from .risks import Brier, brier, roc_area


@dataclass(frozen=True)
class Diagnosis(Performance):
    """How good answers and risks are: the figures of `Performance`, and those of risks.

    Attributes
    ----------
    of_class : the index of the class that is asked about, against the rest; `None` for all classes alike. What speaks
        of a class (prevalence, sensitivity, specificity, predictive values, ratios, area) is then `None`.
    prevalence : the share of the class.
    positive_ratio, negative_ratio : the likelihood ratios.
    area : under the ROC curve of the risks.
    brier : of the risks; of all classes together where none is asked about.
    """

    of_class: int | None
    prevalence: Rate | None
    positive_ratio: Estimate | None
    negative_ratio: Estimate | None
    area: Estimate | None
    brier: Brier

    @property
    def recalls(self) -> tuple[Rate, ...]:
        """Of each class, the share that is answered so."""
        return tuple(one.recall for one in self.by_class)


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
    prevalence = area = positive_ratio = negative_ratio = None
    if of_class is not None and found.sensitivity is not None and found.specificity is not None:
        positive = dataset.y == of_class
        prevalence = rate(positive, dataset.weight)
        area = roc_area(shares[:, of_class], positive, dataset.weight)
        w = dataset.row_weights
        positives, negatives = effective_size(w[positive]), effective_size(w[~positive])
        # a share without rows is one of none
        hits, spared = (found.sensitivity.value or 0) * positives, (found.specificity.value or 0) * negatives
        positive_ratio, negative_ratio = likelihood_ratios(hits, positives - hits, negatives - spared, spared)
    return Diagnosis(
        **vars(found),
        of_class=of_class,
        prevalence=prevalence,
        positive_ratio=positive_ratio,
        negative_ratio=negative_ratio,
        area=area,
        brier=brier(shares, dataset.y, of_class, dataset.weight),
    )


def diagnose(diagram: Diagram, dataset: Dataset, of_class: int | None) -> Diagnosis:
    """The figures of a model for rows whose classes are those of the model.

    Parameters
    ----------
    diagram : the model.
    dataset : the rows.
    of_class : the class that is asked about, an index into the dataset's classes; `None` for all alike.

    Raises
    ------
    DataError
        There is no such class, or the model has no answer for a row, see `Diagram.predict`.
    """
    return diagnosis(dataset, diagram.predict(dataset), diagram.predict_proba(dataset), of_class)
