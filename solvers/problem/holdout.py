"""Training and test rows."""

from dataclasses import replace

import numpy as np

from solvers.errors import DataError
from solvers.problem.dataset import Dataset
from solvers.problem.fill_values import fitted


def holdout(dataset: Dataset, share: float, seed: int = 0) -> tuple[Dataset, Dataset]:
    """Training rows and test rows, with about the same share of each class.

    What columns learn from rows (the median that stands for a missing value, ...) comes from the training rows alone.

    Parameters
    ----------
    dataset : all rows.
    share : the share of the test rows, more than 0 and less than 1.
    seed : the same seed gives the same split.

    Returns
    -------
    The training and the test part, each in the order of the file. A class of a single row is all training.

    Raises
    ------
    DataError
        The share is out of range, or leaves one part without a row of some class.
    """
    from sklearn.model_selection import train_test_split

    if not 0 < share < 1:
        raise DataError(f"The share of test rows must be more than 0 and less than 1. Got {share:g}.")
    rare = dataset.class_counts[dataset.y] < 2
    common = np.flatnonzero(~rare)
    try:
        train, test = train_test_split(common, test_size=share, random_state=seed, stratify=dataset.y[common])
    except ValueError:
        raise DataError(
            f"{dataset.n_samples} rows are too few to keep {share:.0%} of each class for testing. "
            f"Change the share, or use all rows for training."
        ) from None
    train = np.sort(np.concatenate((train, np.flatnonzero(rare))))
    schema = fitted(dataset.schema, dataset.X[train])
    return (
        replace(dataset.take(train, f"{dataset.name} (training)"), schema=schema),
        replace(dataset.take(np.sort(test), f"{dataset.name} (test)"), schema=schema),
    )
