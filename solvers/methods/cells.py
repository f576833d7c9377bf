"""Rows that questions cannot tell apart are one cell: their figures added up, in integers."""

from math import prod

import numpy as np

from solvers.problem import Problem


def added_up(by_row: np.ndarray, cell: np.ndarray, n_cells: int) -> np.ndarray:
    """The totals of each cell, int64 (n_cells, ...), of figures of rows (n_samples, ...), which are in these cells."""
    lines = np.ascontiguousarray(by_row.reshape(len(by_row), prod(by_row.shape[1:])).T, np.int64)
    total, cell = np.zeros((len(lines), n_cells), np.int64), cell.astype(np.intp, copy=False)
    # one-dimensional sums are several times as fast
    for line, amounts in zip(total, lines, strict=True):
        np.add.at(line, cell, amounts)
    return np.ascontiguousarray(total.T).reshape(n_cells, *by_row.shape[1:])


def class_weights(problem: Problem, cell: np.ndarray, n_cells: int) -> np.ndarray:
    """The weight of each class in each cell, int64 (n_cells, n_classes)."""
    n_classes = problem.dataset.n_classes
    place = cell * n_classes + problem.dataset.y
    return added_up(problem.weights, place, n_cells * n_classes).reshape(n_cells, n_classes)
