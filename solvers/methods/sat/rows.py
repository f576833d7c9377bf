"""What the rows ask of a model: which classes each of them should be told, and what another answer costs."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...problem import Predicate
from ..cases import added_up
from ..features import Features


class ClassDemands(NamedTuple):
    """Rows that want one of some classes, at a price.

    `row`, int64 (n,), are positions of distinct rows, `wanted`, bool (n, n_classes), is over the classes of
    `DistinctRows.classes`, and `price`, int64 (n,), what any other class costs more, in cost units.
    """

    row: np.ndarray
    wanted: np.ndarray
    price: np.ndarray


@dataclass(frozen=True)
class DistinctRows:
    """The distinct rows over some of the features, and what each class costs there.

    Attributes
    ----------
    features : where they come from.
    columns : int64 (n_columns,), the features that a model may ask about.
    bits : bool (n_rows, n_columns).
    costs : int64 (n_rows, n_classes), what predicting each class costs, in cost units.
    """

    features: Features
    columns: np.ndarray
    bits: np.ndarray
    costs: np.ndarray

    def __len__(self) -> int:
        return len(self.bits)

    @property
    def complete(self) -> bool:
        """Whether a model may ask about all features."""
        return len(self.columns) == len(self.features)

    @cached_property
    def classes(self) -> np.ndarray:
        """The classes that are worth telling, int64: no other one costs at most as much in every row."""
        useful: list[int] = []
        for k in range(self.costs.shape[1]):
            no_dearer = np.asarray((self.costs <= self.costs[:, [k]]).all(axis=0))
            cheaper = no_dearer & (self.costs < self.costs[:, [k]]).any(axis=0)
            twin = no_dearer[:k].any()
            if not (cheaper.any() or twin):
                useful.append(k)
        return np.array(useful, np.int64)

    @cached_property
    def base(self) -> int:
        """The cost that no model over these columns can avoid."""
        return int(self.costs.min(axis=1).sum())

    @cached_property
    def regret(self) -> np.ndarray:
        """What each class that is worth telling costs beyond the best one, int64 (n_rows, len(classes))."""
        return np.asarray(self.costs[:, self.classes] - self.costs.min(axis=1, keepdims=True))

    @cached_property
    def demands(self) -> ClassDemands:
        """What the rows want, so that the prices of the demands which an answer does not meet are its regret.

        A row whose classes cost 0, 2 and 5 more makes two demands: the first class, for 2, and one of the first two,
        for 3. With errors of equal cost there is one demand a row.
        """
        steps = np.sort(self.regret, axis=1)
        demands: list[ClassDemands] = []
        for t in range(1, steps.shape[1]):
            rise = steps[:, t] - steps[:, t - 1]
            row = np.flatnonzero(rise)
            demands.append(ClassDemands(row, self.regret[row] < steps[row, t, None], rise[row]))
        none = ClassDemands(np.zeros(0, np.int64), np.zeros((0, len(self.classes)), bool), np.zeros(0, np.int64))
        return ClassDemands(*(np.concatenate(parts) for parts in zip(none, *demands, strict=True)))

    @cached_property
    def strict(self) -> ClassDemands:
        """The demands without which a model costs more than `base`: every row gets a class of least cost."""
        wanted = self.regret == 0
        row = np.flatnonzero(~wanted.all(axis=1))
        return ClassDemands(row, wanted[row], np.zeros(len(row), np.int64))

    def cost_of(self, cell: np.ndarray, n_cells: int) -> int:
        """The least cost of a model that tells the rows apart by cell, int (n_rows,), alone."""
        return int(added_up(self.costs, cell, n_cells).min(axis=1).sum())

    def questions(self, positions: np.ndarray) -> tuple[Predicate, ...]:
        """The questions at these positions of `columns`."""
        return tuple(self.features.predicates[i] for i in self.columns[positions].tolist())


def rows_of(features: Features, columns: np.ndarray | None = None) -> DistinctRows:
    """The distinct rows of a problem over some features, int (n_columns,); `None` for all."""
    if columns is None or len(columns) == len(features):
        return DistinctRows(features, np.arange(len(features)), features.rows.astype(bool), features.cases.cost)
    columns = np.asarray(columns, np.int64)
    if not len(columns):
        return DistinctRows(features, columns, np.zeros((1, 0), bool), features.cases.cost.sum(axis=0, keepdims=True))
    bits, which = np.unique(features.rows[:, columns], axis=0, return_inverse=True)
    return DistinctRows(features, columns, bits.astype(bool), added_up(features.cases.cost, which.ravel(), len(bits)))
