"""A model that keeps its constraints on new rows with confidence, although it was chosen for keeping them.

A limit with confidence speaks of a model that is given in advance. The best model of a search is not: it is one of
many, and may keep the limit on the rows of the search by chance. So some rows are kept aside. From the others the best
model is found, with its proof, for a sequence of limits, from the strictest that there is down to the one that is asked
for (see `Constraint.tightened`). In this order the models are tested on the rows kept aside, by the constraint with its
confidence, until one fails; the last that passed is chosen. The sequence was made without the rows kept aside, and
whoever comes to a model that breaks the constraint goes on only if it passes: such a model is chosen with a probability
of at most 1 - confidence.

References
----------
Angelopoulos, Bates, Candes, Jordan and Lei (2021), 'Learn then test: calibrating predictive algorithms to achieve risk
control', arXiv:2110.01052: fixed sequence testing.
"""

import threading
from collections.abc import Callable
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
"""From the strictest limit to the one that is asked for."""


@dataclass(frozen=True)
class LimitTest:
    """The best model under one limit of the sequence, and what became of its test.

    Attributes
    ----------
    constraints : those of the problem, with the stricter limits in the place of what is asked with confidence.
    solution : the verified result under them, which has a model.
    confirmed : whether the rows kept aside show what is asked.
    """

    constraints: tuple[Constraint, ...]
    solution: Solution
    confirmed: bool


@dataclass(frozen=True)
class Confirmation:
    """The tests in their order, as far as they went, how many rows were kept aside, and the time that it took."""

    tests: tuple[LimitTest, ...] = ()
    n_aside: int = 0
    seconds: float = 0.0

    @property
    def chosen(self) -> LimitTest | None:
        """The last model that was confirmed; `None` where the first was not, or there is none."""
        return next((test for test in reversed(self.tests) if test.confirmed), None)


@dataclass(frozen=True)
class ConfirmConstraints:
    """Which limits do rows kept aside confirm? `share` and `seed` say which rows; the time is for all tests."""

    doing: ClassVar[str] = "Looking for the best model for one limit after the other, from the strictest on."
    share: float
    seed: int = 0

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> Confirmation:
        """Answer it, see `confirm`."""
        each = None if limits.seconds is None else limits.seconds / (STEPS + 1)
        return descend(*divide(problem, self.share, self.seed), solve, replace(limits, seconds=each), stop, tell)


def confirm(
    problem: Problem, share: float, solve: Solve, limits: Limits | None = None, stop: Stop | None = None
) -> Confirmation:
    """Choose a model that keeps on new rows what is asked with confidence.

    Parameters
    ----------
    problem : what is asked; its constraints with a confidence are those to be confirmed.
    share : of the rows that is kept aside, by class; `limits.seed` decides which.
    solve : finds the models, such as `solvers.explain.solver("contree")`.
    limits : for each model.
    stop : ends it; what was confirmed by then stands.

    Raises
    ------
    ConstraintError
        No constraint is asked with confidence, rows belong together, or a group has too few of those kept aside.
    DataError
        The share leaves too few rows on one side.
    """
    limits = limits or Limits()
    return descend(*divide(problem, share, limits.seed), solve, limits, stop or threading.Event())


def divide(problem: Problem, share: float, seed: int) -> tuple[Problem, Dataset]:
    """The problem on the rows that are not kept aside, and those that are; `DataError` as `confirm`."""
    learned, aside = holdout(problem.dataset, share, seed)
    return posed_on(problem, learned), aside


def descend(
    problem: Problem,
    aside: Dataset,
    solve: Solve,
    limits: Limits,
    stop: Stop,
    tell: Callable[[Confirmation], None] = lambda known: None,
) -> Confirmation:
    """The same for rows that are divided: `problem` is on those to learn from; `tell` takes what is known so far."""
    # of a limit that was found before it is asked again what that is to confirm: these rows are others
    problem = replace(problem, constraints=tuple(constraint.judged for constraint in problem.constraints))
    confident = [constraint for constraint in problem.constraints if constraint.without_confidence() is not constraint]
    if not confident:
        raise ConstraintError("Nothing is asked with confidence, so nothing can be confirmed. Give one a 'confidence'.")
    if problem.dataset.division:
        raise ConstraintError(
            f"Rows that share '{problem.dataset.division.column}' are not independent of each other, so that rows kept "
            "aside confirm less than was asked. Use one row of each, and divide the rows one by one."
        )
    unseen = frozenset[str]().union(*(one.left_out(aside) - one.left_out(problem.dataset) for one in confident))
    if unseen:
        raise ConstraintError(
            f"Too few of the rows kept aside are of these groups to confirm anything of them: "
            f"{', '.join(sorted(unseen))}. Keep more rows aside, or give the constraint a larger 'min_rows'."
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
