"""Which other trees are nearly as good, as a task of a worker."""

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
    must, never : the names of columns that must be asked about, and of those that must not.
    first : the name of the column of the first question; '' for any.
    questions : the most questions; `None` for no limit.
    most : how many trees are listed.
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
        """What is wanted, with columns by their positions.

        Raises
        ------
        DataError
            A column has another name.
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
                raise DataError(f"There is no column '{name}'. Choose one of the table's own.")
        return [known.index(name) for name in names]

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> NearSet:
        """Answer it, see `near_trees`; its constraints are kept by every tree."""
        from ..methods.trees.near_optimal.enumeration import near_trees

        wanted = self.wanted(problem.dataset)
        _compile()
        return near_trees(
            problem, self.best, self.tolerance, wanted, most=self.most, limits=limits, stop=stop, tell=tell
        )


def _compile() -> None:
    """Compile the kernels, or load them from their cache, by a table of a few rows: it must not count as search."""
    from ..methods.trees.near_optimal.enumeration import near_trees

    values = np.array([[0, 1, 2, 3, 4, 5], [3, 1, 4, 1, 5, 9]], np.float64).T
    schema = Schema((Column("a", Kind.NUMERIC), Column("b", Kind.NUMERIC)))
    dataset = Dataset("warm-up", schema, values, np.array([0, 1, 0, 1, 1, 0]), ("a", "b"), "class")
    near_trees(Problem(dataset, Shape(max_depth=3)), 2, 1, most=5)
