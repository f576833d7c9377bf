"""All performance figures of predictions and risks on some rows, for one class against the rest."""

from dataclasses import dataclass, field, replace

import numpy as np

from ..diagram import Diagram
from ..errors import DataError
from ..problem import Dataset
from .intervals import Estimate, Rate, effective_size, mean_of_rates, rate
from .ratios import likelihood_ratios
from .risks import Brier, brier, roc_area


@dataclass(frozen=True, slots=True)
class ClassPerformance:
    """One class against the rest.

    Attributes
    ----------
    name : the class.
    recall : the proportion of the rows of the class that is predicted so.
    precision : the proportion of the rows predicted so that is of the class.
    """

    name: str
    recall: Rate
    precision: Rate


@dataclass(frozen=True)
class Diagnosis:
    """The performance of predictions and risks; proportions are weighted if rows have weights.

    Attributes
    ----------
    n : the number of rows.
    of_class : the index of the class of interest, against the rest; `None` for all classes alike. Figures of one class
        (prevalence, sensitivity, specificity, predictive values, ratios, area) are then `None`.
    accuracy : the proportion predicted correctly.
    balanced_accuracy : the mean recall of the classes that occur.
    confusion : float64 (n_classes, n_classes), the weight of the rows by true class (row) and predicted class (column).
    by_class : recall and precision of each class.
    prevalence : the proportion of the class.
    sensitivity, specificity, ppv, npv : of the class.
    positive_ratio, negative_ratio : the likelihood ratios.
    area : under the ROC curve of the risks.
    brier : of the risks; over all classes if `of_class` is `None`.
    """

    n: int
    of_class: int | None
    accuracy: Rate
    balanced_accuracy: Estimate
    confusion: np.ndarray = field(compare=False)
    by_class: tuple[ClassPerformance, ...]
    brier: Brier
    prevalence: Rate | None = None
    sensitivity: Rate | None = None
    specificity: Rate | None = None
    ppv: Rate | None = None
    npv: Rate | None = None
    positive_ratio: Estimate | None = None
    negative_ratio: Estimate | None = None
    area: Estimate | None = None


def diagnosis(dataset: Dataset, predicted: np.ndarray, shares: np.ndarray, of_class: int | None) -> Diagnosis:
    """Compute the figures of predictions and risks.

    Parameters
    ----------
    dataset : the rows.
    predicted : int (n_samples,), the index of the predicted class of each row.
    shares : float64 (n_samples, n_classes), the risk of each class.
    of_class : the class of interest, an index into the dataset's classes; `None` for all alike.

    Raises
    ------
    DataError
        There is no such class, or the predictions or risks do not fit the rows.
    """
    if of_class is not None and not 0 <= of_class < dataset.n_classes:
        raise DataError(f"The class must be one of the {dataset.n_classes} of the outcome, but is {of_class}.")
    if shares.shape != (dataset.n_samples, dataset.n_classes):
        raise DataError(
            f"There must be a risk for each of {dataset.n_samples} rows and {dataset.n_classes} classes, but the shape "
            f"is {shares.shape}."
        )
    from sklearn.metrics import confusion_matrix

    predicted, y, weight = checked_predictions(dataset, predicted), dataset.y, dataset.weight
    by_class = tuple(
        ClassPerformance(name, rate(predicted == k, weight, y == k), rate(y == k, weight, predicted == k))
        for k, name in enumerate(dataset.classes)
    )
    confusion = confusion_matrix(y, predicted, labels=range(dataset.n_classes), sample_weight=weight).astype(np.float64)
    confusion.flags.writeable = False
    found = Diagnosis(
        dataset.n_samples,
        of_class,
        accuracy=rate(predicted == y, weight),
        balanced_accuracy=mean_of_rates([one.recall for one in by_class]),
        confusion=confusion,
        by_class=by_class,
        brier=brier(shares, y, of_class, weight),
    )
    if of_class is None:
        return found
    positive, called, w = y == of_class, predicted == of_class, dataset.row_weights
    sensitivity, specificity = by_class[of_class].recall, rate(~called, weight, ~positive)
    positives, negatives = effective_size(w[positive]), effective_size(w[~positive])
    # a proportion without rows has count 0
    hits, spared = (sensitivity.value or 0) * positives, (specificity.value or 0) * negatives
    positive_ratio, negative_ratio = likelihood_ratios(hits, positives - hits, negatives - spared, spared)
    return replace(
        found,
        prevalence=rate(positive, weight),
        sensitivity=sensitivity,
        specificity=specificity,
        ppv=by_class[of_class].precision,
        npv=rate(~positive, weight, ~called),
        positive_ratio=positive_ratio,
        negative_ratio=negative_ratio,
        area=roc_area(shares[:, of_class], positive, weight),
    )


def checked_predictions(dataset: Dataset, predicted: np.ndarray) -> np.ndarray:
    """The predictions as int64 (n_samples,), checked to be one class index per row."""
    predicted = np.asarray(predicted)
    if predicted.shape != (dataset.n_samples,):
        raise DataError(
            f"There must be one prediction for each of {dataset.n_samples} rows, but their shape is {predicted.shape}."
        )
    if predicted.dtype.kind not in "iu" or predicted.min() < 0 or predicted.max() >= dataset.n_classes:
        raise DataError(f"Predictions must be whole numbers from 0 to {dataset.n_classes - 1}, one of the classes.")
    return predicted.astype(np.int64)


def diagnose(diagram: Diagram, dataset: Dataset, of_class: int | None) -> Diagnosis:
    """Compute the figures of a model on rows that have the classes of the model.

    Parameters
    ----------
    diagram : the model.
    dataset : the rows.
    of_class : the class of interest, an index into the dataset's classes; `None` for all alike.

    Raises
    ------
    DataError
        There is no such class, or the model has no prediction for a row, see `Diagram.predict`.
    """
    return diagnosis(dataset, diagram.predict(dataset), diagram.predict_proba(dataset), of_class)
