"""The worker task that lists near-optimal trees."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import DataError
from ..methods.trees.near_optimal import LISTED, NearSet, TreeFilter
from ..problem import Column, Dataset, Kind, Limits, Problem, Schema, Shape
from ..solution import Stop
from .inquiry import Solve
from .tasks import Tell


@dataclass(frozen=True)
class NearOptimal:
    """Which trees cost at most `tolerance` more than `best`, both in the cost units of the problem?

    Attributes
    ----------
    must, never : names of columns that a tree must use, and must not use.
    first : the name of the column of the root split; '' for any.
    questions : the maximum number of splits; `None` for no limit.
    most : the maximum number of trees to list.
    """

    doing: ClassVar[str] = "Looking for all trees that are nearly as good."
    best: int
    tolerance: int
    must: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    first: str = ""
    questions: int | None = None
    most: int = LISTED

    def wanted(self, dataset: Dataset) -> TreeFilter:
        """The filter, with columns given by position.

        Raises
        ------
        DataError
            There is no column with one of these names.
        """
        first = self._positions(dataset, (self.first,) if self.first else ())
        return TreeFilter(
            frozenset(self._positions(dataset, self.must)),
            frozenset(self._positions(dataset, self.never)),
            first[0] if first else None,
            self.questions,
        )

    def _positions(self, dataset: Dataset, names: Sequence[str]) -> list[int]:
        known = dataset.schema.names
        for name in names:
            if name not in known:
                raise DataError(f"There is no column '{name}'. Choose a column of the table.")
        return [known.index(name) for name in names]

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> NearSet:
        """List the trees, see `near_trees`; every tree satisfies the constraints of the problem."""
        from ..methods.trees.near_optimal.enumeration import near_trees

        wanted = self.wanted(problem.dataset)
        _compile()
        return near_trees(
            problem, self.best, self.tolerance, wanted, most=self.most, limits=limits, stop=stop, tell=tell
        )


def _compile() -> None:
    """Compile or load the kernels on a small table, so that compilation does not count as search time."""
    from ..methods.trees.near_optimal.enumeration import near_trees

    values = np.array([[0, 1, 2, 3, 4, 5], [3, 1, 4, 1, 5, 9]], np.float64).T
    schema = Schema((Column("a", Kind.NUMERIC), Column("b", Kind.NUMERIC)))
    dataset = Dataset("warm-up", schema, values, np.array([0, 1, 0, 1, 1, 0]), ("a", "b"), "class")
    near_trees(Problem(dataset, Shape(max_depth=3)), 2, 1, most=5)
