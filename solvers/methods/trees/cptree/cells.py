"""Rows that answer every question alike, taken together: they share a leaf in every tree, so the model knows no rows.

All that the model adds up over rows (costs, sums, sizes) is added up over cells instead, with the totals of their rows.
"""

from dataclasses import dataclass

import numpy as np

from solvers.methods.cells import added_up, class_weights
from solvers.problem import Problem


@dataclass(frozen=True)
class AnswerCells:
    """The distinct rows of answers.

    Attributes
    ----------
    of_row : int64 (n_samples,), the cell of each row.
    bits : bool (n_cells, n_questions)
    cost : int64 (n_cells, n_classes), what the rows cost by the class that is answered.
    rows : int64 (n_cells,), how many they are.
    weight : int64 (n_cells,), their weight.
    class_weight : int64 (n_cells, n_classes), their weight by true class.
    """

    of_row: np.ndarray
    bits: np.ndarray
    cost: np.ndarray
    rows: np.ndarray
    weight: np.ndarray
    class_weight: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)

    def total(self, by_row: np.ndarray) -> np.ndarray:
        """Figures of rows (n_samples, ...) added up by cell, int64 (n_cells, ...)."""
        return added_up(by_row, self.of_row, len(self))


def cells_of(problem: Problem, bits: np.ndarray) -> AnswerCells:
    """The cells of a problem under the answers bool (n_samples, n_questions)."""
    packed, of_row = np.unique(np.packbits(bits, axis=1), axis=0, return_inverse=True)
    of_row, distinct = of_row.ravel(), np.unpackbits(packed, axis=1, count=bits.shape[1]).astype(bool)
    class_weight = class_weights(problem, of_row, len(distinct))
    rows = np.bincount(of_row, minlength=len(distinct))
    return AnswerCells(of_row, distinct, problem.leaf_costs(class_weight), rows, class_weight.sum(axis=1), class_weight)
