"""Rows that questions cannot tell apart are one cell: their figures added up."""

import numpy as np

from solvers.problem import Problem


def added_up(by_row: np.ndarray, cell: np.ndarray, n_cells: int) -> np.ndarray:
    """The totals of each cell, int64 (n_cells, ...), of figures of rows (n_samples, ...), which are in these cells."""
    total = np.zeros((n_cells, *by_row.shape[1:]), np.int64)
    np.add.at(total, cell, by_row)
    return total


def class_weights(problem: Problem, cell: np.ndarray, n_cells: int) -> np.ndarray:
    """The weight of each class in each cell, int64 (n_cells, n_classes)."""
    weights = np.zeros((n_cells, problem.dataset.n_classes), np.int64)
    np.add.at(weights, (cell, problem.dataset.y), problem.weights)
    return weights
