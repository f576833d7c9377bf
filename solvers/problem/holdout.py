"""Training and test rows."""

from dataclasses import replace

import numpy as np

from ..errors import DataError
from .dataset import Dataset
from .dataset_builder import left_out_note
from .fill_values import fitted


def holdout(dataset: Dataset, share: float, seed: int = 0) -> tuple[Dataset, Dataset]:
    """Divide a dataset into training and test rows by its `division`, with about the same share of each class.

    Whole groups or centres are held out, or the latest rows; a division by time does not balance classes. The
    properties of columns (fill values, ...) come from the training rows alone.

    Parameters
    ----------
    dataset : all rows.
    share : the share of the test rows (or of the groups or centres, if these are held out), more than 0 and less than
        1.
    seed : the same seed gives the same division; by time there is no choice.

    Returns
    -------
    The training and the test part, each in the order of the file. A class of a single row is all training. Training
    rows whose group is also held out are in neither part.

    Raises
    ------
    DataError
        The share is out of range, or leaves one part without rows, or the training part without a row of some class.
    """
    train, test = held_out_rows(dataset, share, seed)
    schema = fitted(dataset.schema, dataset.X[train])
    return (
        replace(dataset.take(train, f"{dataset.name} (training)"), schema=schema),
        replace(dataset.take(test, f"{dataset.name} (test)"), schema=schema),
    )


def held_out_rows(dataset: Dataset, share: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The positions of the training and the test rows; see `holdout`, also for errors."""
    if not 0 < share < 1:
        raise DataError(f"The share of held-out rows must be more than 0 and less than 1, but is {share:g}.")
    division = dataset.division
    try:
        train, test = division.held_out(dataset.y, share, seed)
    except DataError:
        raise
    except ValueError:
        what = "of each class" if division.by is None else f"of '{division.by.name}'"
        raise DataError(
            f"{dataset.n_samples} rows are too few to keep {100 * share:.10g}% {what} aside. "
            f"Change the share, or use all rows for training."
        ) from None
    lost = np.setdiff1d(dataset.y, dataset.y[train])
    if len(lost):
        raise DataError(
            f"No row of the class '{dataset.classes[lost[0]]}' would be left for training. Change the share or the "
            "seed, or use all rows for training."
        )
    return train, test


def left_out_between(whole: Dataset, train: Dataset, test: Dataset) -> tuple[str, ...]:
    """A sentence on the rows that `holdout` put in neither part; empty if there are none.

    Parameters
    ----------
    whole, train, test : the table that was divided, and its two parts.
    """
    groups, n = whole.division.groups, whole.n_samples - train.n_samples - test.n_samples
    return () if groups is None else tuple(left_out_note(n, f"whose '{groups.name}' is also held out"))
