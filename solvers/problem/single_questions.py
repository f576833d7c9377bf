"""How well each column alone separates the classes: the minimum errors of a single split on it."""

import numpy as np

MOST_CELLS = 2_000_000
"""The maximum number of cells to sort at once, so that a wide table takes no more memory than a few of its columns."""


def single_errors(X: np.ndarray, y: np.ndarray, weight: np.ndarray, unordered: np.ndarray) -> np.ndarray:
    """The minimum weight of the errors of one split on each column, or of a leaf if no split is better.

    Parameters
    ----------
    X : float64 (n_samples, n_columns), NaN for missing; y : int (n_samples,), classes from 0.
    weight : float64 (n_samples,).
    unordered : bool (n_columns,), whether splits separate one level from the rest. Splits on other columns have
        thresholds. A missing value may be on either side, and alone on one.

    Returns
    -------
    float64 (n_columns,)
    """
    n, n_columns = X.shape
    by_class = np.zeros((int(y.max()) + 1, n))
    by_class[y, np.arange(n)] = weight
    totals = by_class.sum(1)
    right = np.full(n_columns, totals.max())
    for j in np.flatnonzero(unordered):
        levels, level = np.unique(X[:, j], return_inverse=True)
        inside = np.array([np.bincount(level.ravel(), row) for row in by_class])
        if np.isnan(levels[-1]):
            inside = np.hstack((inside, inside[:, :-1] + inside[:, -1:]))
        right[j] = max(right[j], (inside.max(0) + (totals[:, None] - inside).max(0)).max())
    ordered, width = np.flatnonzero(~unordered), max(1, MOST_CELLS // n)
    for columns in (ordered[i : i + width] for i in range(0, len(ordered), width)):
        values = X[:, columns].T
        missing = np.isnan(values)
        for end in (-np.inf, np.inf) if missing.any() else (np.inf,):
            filled = np.where(missing, end, values)
            by_value = np.argsort(filled, axis=1)
            ranked = np.take_along_axis(filled, by_value, axis=1)
            steps = ranked[:, 1:] > ranked[:, :-1]
            # between equal values there is no threshold: all rows are on one side, which scores like a leaf
            low = [np.where(steps, row[by_value].cumsum(1)[:, :-1], 0.0) for row in by_class]
            high = [total - part for total, part in zip(totals, low, strict=True)]
            found = np.maximum.reduce(low) + np.maximum.reduce(high)
            right[columns] = np.maximum(right[columns], found.max(1, initial=0.0))
    errors: np.ndarray = totals.sum() - right
    return errors
