"""The worker task that lists near-optimal trees."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from msgspec import structs

from ..constraints import NeverColumns
from ..diagram import Diagram
from ..errors import DataError
from ..methods.search.clock import Clock
from ..methods.trees.near_optimal import LISTED, NearSet, TreeFilter
from ..methods.trees.near_optimal.near_set import NearTree
from ..metrics.verify import verified
from ..problem import Column, Dataset, Kind, Limits, Problem, Schema, Shape
from ..solution import Stop
from .inquiry import LEAST_SECONDS, Solve
from .tasks import TaskRecord, Tell

FULL_SHARE = 0.6
JUDGED_SHARE = 0.2
"""Shares of the time for the list of all trees, if trees without a feature are searched after it."""

USEFUL_SECONDS = 2.0
"""Time limit for a tree without a feature, so that it is a good one."""


class NearOptimal(TaskRecord, frozen=True):
    """Which trees cost at most `tolerance` more than `best`, both in the cost units of the problem?

    Attributes
    ----------
    must, never : names of columns that a tree must use, and must not use.
    first : the name of the column of the root split; '' for any.
    questions : the maximum number of splits; `None` for no limit.
    most : the maximum number of trees to list.
    grow : larger tolerances, in order, that are tried as long as there is no other tree.
    diagram : the best tree. If time runs out before `grow` has found another, the best trees without one of its
        features are listed.
    """

    doing: ClassVar[str] = "Looking for all trees that are nearly as good."
    best: int
    tolerance: int
    must: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    first: str = ""
    questions: int | None = None
    most: int = LISTED
    grow: tuple[int, ...] = ()
    diagram: Diagram | None = None

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
        _compile()
        clock, seconds = Clock(), limits.seconds
        if self.diagram is None or seconds is None:
            return self._grown(problem, limits, stop, tell)
        # limits on predictions exclude most trees of this cost, which only a check of each tree shows
        judged = any(one.sees_answers for one in problem.constraints)
        share = JUDGED_SHARE if judged else FULL_SHARE
        found = self._grown(problem, replace(limits, seconds=share * seconds), stop, tell)
        if len(found.trees) > 1 or found.complete:
            return found
        trees: list[NearTree] = []
        for n, name in enumerate(names := self.diagram.features):
            if stop.is_set() or seconds - clock.elapsed < LEAST_SECONDS:
                break
            without = replace(problem, constraints=(*problem.constraints, NeverColumns((name,))))
            left = seconds - clock.elapsed
            limited = replace(limits, seconds=min(left, max(USEFUL_SECONDS, left / (len(names) - n))))
            solution = verified(without, solve(without, limited, lambda event: None, stop))
            if solution.verified and solution.diagram is not None and solution.diagram.n_splits:
                tree = NearTree(problem.cost_of(solution.diagram), solution.diagram)
                trees += [tree] * (tree not in trees)
        note = "There are too many trees to list in time. These are the best ones found without one of the features."
        less = NearSet(self.best, found.slack, trees=tuple(sorted(trees, key=lambda tree: tree.cost)), note=note)
        return structs.replace(less if trees else found, finished=True, seconds=clock.elapsed)

    def _grown(self, problem: Problem, limits: Limits, stop: Stop, tell: Tell) -> NearSet:
        """The trees of the first tolerance that has another tree than the best one."""
        from ..methods.trees.near_optimal.enumeration import near_trees

        wanted, clock, left = self.wanted(problem.dataset), Clock(), limits
        tolerances = self.tolerance, *self.grow
        for tolerance in tolerances:
            if limits.seconds is not None:
                left = replace(limits, seconds=max(limits.seconds - clock.elapsed, LEAST_SECONDS))
            found = near_trees(problem, self.best, tolerance, wanted, most=self.most, limits=left, stop=stop, tell=tell)
            if not found.complete or len(found.trees) > 1 or tolerance == tolerances[-1]:
                break
            tell(structs.replace(found, finished=False))
        return structs.replace(found, seconds=clock.elapsed)


def _compile() -> None:
    """Compile or load the kernels on a small table, so that compilation does not count as search time."""
    from ..methods.trees.near_optimal.enumeration import near_trees

    values = np.array([[0, 1, 2, 3, 4, 5], [3, 1, 4, 1, 5, 9]], np.float64).T
    schema = Schema((Column("a", Kind.NUMERIC), Column("b", Kind.NUMERIC)))
    dataset = Dataset("warm-up", schema, values, np.array([0, 1, 0, 1, 1, 0]), ("a", "b"), "class")
    near_trees(Problem(dataset, Shape(max_depth=3)), 2, 1, most=5)
