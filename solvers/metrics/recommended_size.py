"""Recommended tree size: the sizes compared, the selection rule, and the nested cross-validation error.

`solvers.study.recommendation` computes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..problem import Problem, Shape
from ..solution import AnswerRecord

GREEDY = "cart"
"""The greedy method whose trees are compared."""

FOLDS, REPEATS, OUTER_FOLDS = 5, 2, 5

DEEPER = 4
"""The depth that is tried only if all smaller ones are insufficient."""


@dataclass(frozen=True)
class SizeCandidate:
    """A tree size, and how well trees of this size perform.

    Attributes
    ----------
    method : the method that builds the tree.
    max_depth, min_samples_leaf : see `Shape`, for all rows.
    split_penalty : the split penalty, see `Objective`, for all rows.
    n_leaves, depth : of the tree of this size on all rows.
    train_error : misclassification cost on all rows per unit of weight; the error rate if each error costs 1.
    errors : the same on each fold, by the tree of this size trained without it.
    proved : whether the tree on all rows is proved optimal for its size.
    """

    method: str
    max_depth: int
    min_samples_leaf: int
    split_penalty: float
    n_leaves: int
    depth: int
    train_error: float
    errors: tuple[float, ...] = ()
    proved: bool = False

    @property
    def greedy(self) -> bool:
        """Whether the tree was grown greedily."""
        return self.method == GREEDY

    def to_problem(self, problem: Problem) -> Problem:
        """The problem on all rows with this size."""
        shape = Shape(max_depth=self.max_depth, min_samples_leaf=self.min_samples_leaf)
        return replace(problem, shape=shape, objective=replace(problem.objective, split_penalty=self.split_penalty))

    @property
    def mean(self) -> float:
        """The cross-validated error."""
        return float(np.mean(self.errors))

    @property
    def standard_error(self) -> float:
        """The standard error of `mean` over the folds."""
        return float(np.std(self.errors, ddof=1) / np.sqrt(len(self.errors))) if len(self.errors) > 1 else 0.0


@dataclass(frozen=True)
class OuterFold:
    """The choice made without an outer fold, and its performance on this fold.

    Attributes
    ----------
    n_leaves, method : of the chosen tree.
    error : of that tree on the fold, per unit of weight.
    greedy_error : of the greedy tree chosen by the same rule; `None` if there is none.
    constant_error : of the cheapest constant prediction that satisfies the constraints; `None` if there is none.
    weight : of the rows of the fold.
    """

    n_leaves: int
    method: str
    error: float
    greedy_error: float | None
    constant_error: float | None
    weight: float


class Recommendation(AnswerRecord, frozen=True):
    """The recommended tree size, as far as it is known.

    Attributes
    ----------
    candidates : the sizes compared, the fewest leaves first; those without `errors` are not evaluated yet.
    chosen : the position of the recommended size; `None` before all folds are done, or see `choose`.
    outer : the completed folds of the outer loop, of `n_outer`.
    n_folds, repeats, n_outer : the validation plan.
    left_out : the depths of optimal trees that would have taken too long.
    done, of : folds done and planned, in both loops.
    finished : whether this is the final result.
    seconds : elapsed time.
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
        """Whether optimal trees are among the candidates."""
        return any(not one.greedy for one in self.candidates)

    @property
    def wants_time(self) -> bool:
        """Whether time was too short for optimal trees of each small depth beside a greedy one."""
        late = not self.compares_optimal or min(self.left_out, default=DEEPER) < DEEPER
        return self.choice is not None and self.choice.greedy and late

    def honest(self, of: Callable[[OuterFold], float | None]) -> float | None:
        """The weighted mean of a figure over the completed outer folds; `None` if it is missing for a fold."""
        values = [of(fold) for fold in self.outer]
        known = [value for value in values if value is not None]
        if not known or len(known) < len(values):
            return None
        return float(np.average(known, weights=[fold.weight for fold in self.outer]))

    @property
    def error(self) -> float | None:
        """The nested cross-validation error of the recommended tree; `None` before it is known."""
        return self.honest(lambda fold: fold.error)


def choose(candidates: Sequence[SizeCandidate], left_out: Sequence[int] = ()) -> int | None:
    """The position of the smallest size within one standard error of the best; `None` if there are no candidates.

    Optimal trees take precedence over greedy ones; among equally small sizes, the lowest validated error wins. If
    depths are left out, a tree without splits is not chosen: a deeper one may be better.
    """
    if not candidates:
        return None
    best = min(candidates, key=lambda one: one.mean)
    good = [i for i, one in enumerate(candidates) if one.mean <= best.mean + best.standard_error + 1e-12]
    chosen = min(good, key=lambda i: (candidates[i].greedy, candidates[i].n_leaves, candidates[i].mean))
    return None if left_out and candidates[chosen].n_leaves == 1 else chosen
