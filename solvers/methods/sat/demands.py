"""The demands of the distinct rows on a model: the acceptable classes of each, and the cost of any other.

A row whose classes cost 0, 2 and 5 more than its best one makes two demands: the first class, at cost 2, and one of the
first two, at cost 3. The costs of the demands that a prediction violates then add up to its regret. If all errors cost
the same, each row makes one demand.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..cases import Cases


class ClassDemands(NamedTuple):
    """Rows that demand one of some classes, with the costs of violation.

    Attributes
    ----------
    row : int64 (n,), positions of distinct rows.
    wanted : bool (n, n_classes), the classes that satisfy the demand, among `Cases.useful_classes`.
    price : int64 (n,), the additional cost of any other class, in cost units.
    """

    row: np.ndarray
    wanted: np.ndarray
    price: np.ndarray

    @classmethod
    def soft(cls, cases: Cases) -> ClassDemands:
        """Demands whose violation costs add up to the regret of the predictions."""
        regret = cases.regret[:, cases.useful_classes]
        steps = np.sort(regret, axis=1)
        demands = [cls(np.zeros(0, np.int64), np.zeros((0, regret.shape[1]), bool), np.zeros(0, np.int64))]
        for t in range(1, steps.shape[1]):
            rise = steps[:, t] - steps[:, t - 1]
            row = np.flatnonzero(rise)
            demands.append(cls(row, regret[row] < steps[row, t, None], rise[row]))
        return cls(*(np.concatenate(parts) for parts in zip(*demands, strict=True)))

    @classmethod
    def hard(cls, cases: Cases) -> ClassDemands:
        """Demands that a model satisfies if and only if it makes no avoidable error: each row gets a cheapest class."""
        wanted = cases.regret[:, cases.useful_classes] == 0
        row = np.flatnonzero(~wanted.all(axis=1))
        return cls(row, wanted[row], np.zeros(len(row), np.int64))
