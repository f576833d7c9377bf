"""How well predictions agree with the outcome: accuracy, sensitivity, specificity, predictive values."""

from dataclasses import dataclass, field

import numpy as np

from ..errors import DataError
from ..problem import Dataset
from .intervals import Estimate, Rate, mean_of_rates, rate


@dataclass(frozen=True, slots=True)
class ClassPerformance:
    """One class against the rest.

    Attributes
    ----------
    name : the class.
    recall : of the rows of the class, the share that is predicted so.
    precision : of the rows that are predicted so, the share that is of the class.
    """

    name: str
    recall: Rate
    precision: Rate


@dataclass(frozen=True)
class Performance:
    """How well predictions agree with the outcome.

    Attributes
    ----------
    n : the number of rows.
    accuracy : the share predicted right.
    balanced_accuracy : the mean recall of the classes that occur.
    sensitivity, specificity, ppv, npv : for the positive class; `None` where no class is positive.
    confusion : float64 (n_classes, n_classes), the weight of the rows by true class (row) and predicted class (column).
    by_class : recall and precision of each class.

    Where rows have weights, shares are weighted, and intervals use the effective number of rows.
    """

    n: int
    accuracy: Rate
    balanced_accuracy: Estimate
    sensitivity: Rate | None
    specificity: Rate | None
    ppv: Rate | None
    npv: Rate | None
    confusion: np.ndarray = field(compare=False)
    by_class: tuple[ClassPerformance, ...]


def performance(dataset: Dataset, predicted: np.ndarray) -> Performance:
    """Compare predictions with the outcome.

    Parameters
    ----------
    dataset : the rows.
    predicted : int (n_samples,), the index of the predicted class of each row.

    Raises
    ------
    DataError
        There is not one prediction a row, or one is no class.
    """
    from sklearn.metrics import confusion_matrix

    predicted = checked_predictions(dataset, predicted)
    y, weight = dataset.y, dataset.weight
    by_class = tuple(
        ClassPerformance(name, rate(predicted == k, weight, y == k), rate(y == k, weight, predicted == k))
        for k, name in enumerate(dataset.classes)
    )
    sensitivity = specificity = ppv = npv = None
    if dataset.positive is not None:
        is_positive, called = y == dataset.positive, predicted == dataset.positive
        sensitivity = by_class[dataset.positive].recall
        ppv = by_class[dataset.positive].precision
        specificity = rate(~called, weight, ~is_positive)
        npv = rate(~is_positive, weight, ~called)
    confusion = confusion_matrix(y, predicted, labels=range(dataset.n_classes), sample_weight=weight).astype(np.float64)
    confusion.flags.writeable = False
    return Performance(
        n=dataset.n_samples,
        accuracy=rate(predicted == y, weight),
        balanced_accuracy=mean_of_rates([c.recall for c in by_class]),
        sensitivity=sensitivity,
        specificity=specificity,
        ppv=ppv,
        npv=npv,
        confusion=confusion,
        by_class=by_class,
    )


def checked_predictions(dataset: Dataset, predicted: np.ndarray) -> np.ndarray:
    """The predictions as int64 (n_samples,), checked to be one class index a row."""
    predicted = np.asarray(predicted)
    if predicted.shape != (dataset.n_samples,):
        raise DataError(f"There must be one prediction for each of {dataset.n_samples} rows. Got {predicted.shape}.")
    if predicted.dtype.kind not in "iu" or predicted.min() < 0 or predicted.max() >= dataset.n_classes:
        raise DataError(f"Predictions must be whole numbers from 0 to {dataset.n_classes - 1}, one of the classes.")
    return predicted.astype(np.int64)
