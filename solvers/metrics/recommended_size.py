"""How large a tree should be: the sizes that were compared, the rule by which one is chosen, and its honest error.

`solvers.sweeps.recommendation` finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..problem import Problem, Shape

GREEDY = "cart"
"""The greedy method whose trees are compared."""

FOLDS, REPEATS, OUTER_FOLDS = 5, 2, 5

DEEPER = 4
"""The depth that is looked into only where all smaller ones are not enough."""


@dataclass(frozen=True)
class SizeCandidate:
    """A size of the tree, and how trees of this size do.

    Attributes
    ----------
    method : who makes the tree.
    max_depth, min_samples_leaf : see `Shape`, for all rows.
    split_cost : what a question must save, see `Objective`, for all rows.
    n_leaves, depth : of the tree of this size on all rows.
    train_error : what its mistakes cost on all rows, a unit of weight; the share of errors where each costs 1.
    errors : the same on each fold, by the tree of this size that did not see it.
    proved : whether the tree on all rows is proved to be the best of its size.
    """

    method: str
    max_depth: int
    min_samples_leaf: int
    split_cost: float
    n_leaves: int
    depth: int
    train_error: float
    errors: tuple[float, ...] = ()
    proved: bool = False

    @property
    def greedy(self) -> bool:
        """Whether the tree was grown greedily."""
        return self.method == GREEDY

    def posed(self, problem: Problem) -> Problem:
        """The problem on all rows within this size."""
        shape = Shape(max_depth=self.max_depth, min_samples_leaf=self.min_samples_leaf)
        return replace(problem, shape=shape, objective=replace(problem.objective, split_cost=self.split_cost))

    @property
    def mean(self) -> float:
        """The validated error."""
        return float(np.mean(self.errors))

    @property
    def standard_error(self) -> float:
        """The standard error of `mean` over the folds."""
        return float(np.std(self.errors, ddof=1) / np.sqrt(len(self.errors))) if len(self.errors) > 1 else 0.0


@dataclass(frozen=True)
class OuterFold:
    """What was chosen without a fold of the rows, and how it does there.

    Attributes
    ----------
    n_leaves : of the tree that was chosen; method : who made it.
    error : of that tree on the fold, a unit of weight.
    greedy_error : of the greedy tree that would have been chosen in the same way; `None` where there was none.
    constant_error : of the answer that is always the same.
    weight : of the rows of the fold.
    """

    n_leaves: int
    method: str
    error: float
    greedy_error: float | None
    constant_error: float
    weight: float


@dataclass(frozen=True)
class Recommendation:
    """How large the tree should be, as far as it is known.

    Attributes
    ----------
    candidates : the sizes that are compared, the fewest leaves first; those without `errors` are not judged yet.
    chosen : which of them is recommended; `None` before all folds were tried.
    outer : the folds of the outer loop that are done, of `n_outer`.
    n_folds, repeats, n_outer : the plan.
    left_out : the depths of optimal trees that would have taken too long.
    done, of : folds that were tried, of both loops.
    finished : whether this is the last word.
    seconds : the time that it took.
    """

    candidates: tuple[SizeCandidate, ...] = ()
    chosen: int | None = None
    outer: tuple[OuterFold, ...] = ()
    n_folds: int = FOLDS
    repeats: int = REPEATS
    n_outer: int = OUTER_FOLDS
    left_out: tuple[int, ...] = ()
    done: int = 0
    of: int = 0
    finished: bool = False
    seconds: float = 0.0

    @property
    def choice(self) -> SizeCandidate | None:
        """The recommended size; `None` before it is known."""
        return None if self.chosen is None else self.candidates[self.chosen]

    @property
    def compares_optimal(self) -> bool:
        """Whether trees that can be proved to be the best of their size are compared, too."""
        return any(not one.greedy for one in self.candidates)

    @property
    def wants_time(self) -> bool:
        """Whether a greedy tree is recommended while there was no time for optimal ones of each small depth."""
        late = not self.compares_optimal or min(self.left_out, default=DEEPER) < DEEPER
        return self.choice is not None and self.choice.greedy and late

    def honest(self, of: Callable[[OuterFold], float | None]) -> float | None:
        """The mean of a figure of the outer loop over all rows that it got to; `None` where some fold has none."""
        values = [of(fold) for fold in self.outer]
        known = [value for value in values if value is not None]
        if not known or len(known) < len(values):
            return None
        return float(np.average(known, weights=[fold.weight for fold in self.outer]))

    @property
    def error(self) -> float | None:
        """The honest error of the recommended tree: that of the outer loop; `None` before it is known."""
        return self.honest(lambda fold: fold.error)


def choose(candidates: Sequence[SizeCandidate]) -> int | None:
    """The position of the smallest size within one standard error of the best; `None` for no candidates.

    It is that of an optimal tree where one is, or else of a greedy one, and of equally small ones of the one with the
    least validated error.
    """
    if not candidates:
        return None
    best = min(candidates, key=lambda one: one.mean)
    good = [i for i, one in enumerate(candidates) if one.mean <= best.mean + best.standard_error + 1e-12]
    return min(good, key=lambda i: (candidates[i].greedy, candidates[i].n_leaves, candidates[i].mean))
