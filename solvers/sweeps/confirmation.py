"""A model that satisfies its constraints on new rows with confidence, although it was selected for satisfying them.

A limit with confidence refers to a model that is fixed in advance. The best model of a search is not: it is one of
many, and may satisfy the limit on the training rows by chance. So some rows are held out. On the other rows the best
model is found, with its proof, for a sequence of limits, from the strictest possible one down to the requested one (see
`Constraint.tightened`). In this order the models are tested on the held-out rows, by the constraint with its
confidence, until one fails; the last that passed is chosen. The sequence does not depend on the held-out rows, and the
first model in it that violates the constraint can be chosen only if it passes its test. So a violating model is chosen
with a probability of at most 1 - confidence.

References
----------
Angelopoulos, Bates, Candes, Jordan and Lei (2021), 'Learn then test: calibrating predictive algorithms to achieve risk
control', arXiv:2110.01052: fixed sequence testing.
"""

import threading
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from ..constraints import Constraint
from ..errors import ConstraintError
from ..explain import Solve
from ..explain.tasks import Tell
from ..methods.search.clock import Clock
from ..metrics import on_new_rows, verified
from ..problem import Dataset, Limits, Problem, holdout
from ..solution import Solution, Stop
from .resamples import posed_on

STEPS = 10
"""The number of limits from the strictest to the requested one."""


@dataclass(frozen=True)
class LimitTest:
    """The best model under one limit of the sequence, and its test result.

    Attributes
    ----------
    constraints : those of the problem, with stricter limits for the constraints with confidence.
    solution : the verified result under them, which has a model.
    confirmed : whether the held-out rows confirm the requested constraints.
    """

    constraints: tuple[Constraint, ...]
    solution: Solution
    confirmed: bool


@dataclass(frozen=True)
class Confirmation:
    """The tests so far in order, the number of held-out rows, and the time taken."""

    tests: tuple[LimitTest, ...] = ()
    n_aside: int = 0
    seconds: float = 0.0

    @property
    def chosen(self) -> LimitTest | None:
        """The last confirmed model; `None` if the first was not confirmed, or there is none."""
        return next((test for test in reversed(self.tests) if test.confirmed), None)


@dataclass(frozen=True)
class ConfirmConstraints:
    """Which limits do held-out rows confirm? `share` is held out, by class, and `seed` selects the rows."""

    doing: ClassVar[str] = "Finding the best model for each limit, strictest first."
    share: float
    seed: int = 0

    def answer(
        self,
        problem: Problem,
        solve: Solve,
        limits: Limits | None = None,
        stop: Stop | None = None,
        tell: Tell = lambda known: None,
    ) -> Confirmation:
        """Choose a model that satisfies the constraints with confidence on new rows.

        Parameters
        ----------
        problem : the problem; its constraints with a confidence are those to be confirmed.
        solve : finds the models, such as `solvers.explain.solver("contree")`.
        limits : for all models together.
        stop : ends it; models confirmed by then remain confirmed.
        tell : callback for partial results.

        Raises
        ------
        ConstraintError
            No constraint has a confidence, rows belong together, or a group has too few held-out rows.
        DataError
            The share leaves too few rows on one side.
        """
        limits = limits or Limits(seconds=None)
        each = None if limits.seconds is None else limits.seconds / (STEPS + 1)
        learned, aside = divide(problem, self.share, self.seed)
        return descend(learned, aside, solve, replace(limits, seconds=each), stop or threading.Event(), tell)


def divide(problem: Problem, share: float, seed: int) -> tuple[Problem, Dataset]:
    """The problem on the training rows, and the held-out rows; `DataError` if the share leaves too few on one side."""
    learned, aside = holdout(problem.dataset, share, seed)
    return posed_on(problem, learned), aside


def descend(
    problem: Problem,
    aside: Dataset,
    solve: Solve,
    limits: Limits,
    stop: Stop,
    tell: Tell = lambda known: None,
) -> Confirmation:
    """`ConfirmConstraints` for rows that are already divided, with limits for each model."""
    # limits derived from earlier rows are reset to the requested ones, since these rows differ
    problem = replace(problem, constraints=tuple(constraint.judged for constraint in problem.constraints))
    confident = [constraint for constraint in problem.constraints if constraint.without_confidence() is not constraint]
    if not confident:
        raise ConstraintError(
            "No constraint has a confidence, so nothing can be confirmed. Give a constraint a 'confidence'."
        )
    if problem.dataset.division:
        raise ConstraintError(
            f"Rows that share '{problem.dataset.division.column}' are not independent of each other, so validation "
            f"rows confirm less than the constraint requires. Use one row of each, and divide single rows."
        )
    unseen = frozenset[str]().union(*(one.left_out(aside) - one.left_out(problem.dataset) for one in confident))
    if unseen:
        raise ConstraintError(
            f"Too few validation rows are in these groups to confirm a result: "
            f"{', '.join(sorted(unseen))}. Keep more validation rows, or give the constraint a larger 'min_rows'."
        )
    clock, found = Clock(), Confirmation(n_aside=aside.n_samples)
    for step in range(STEPS + 1):
        stricter = tuple(constraint.tightened(Fraction(step, STEPS)) for constraint in problem.constraints)
        posed = replace(problem, constraints=stricter)
        solution = verified(posed, solve(posed, limits, lambda event: None, stop))
        if stop.is_set():
            break
        if solution.diagram is None or not solution.verified:
            continue
        tested = [on_new_rows(constraint, solution.diagram, aside) for constraint in confident]
        test = LimitTest(stricter, solution, all(result is not None and result.holds for result in tested))
        found = replace(found, tests=(*found.tests, test), seconds=clock.elapsed)
        tell(found)
        if not test.confirmed:
            break
    return replace(found, seconds=clock.elapsed)
