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

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from msgspec import structs

from ..constraints import Constraint
from ..errors import ConstraintError, RunError
from ..explain import Solve
from ..explain.tasks import TaskRecord, Tell
from ..metrics import on_new_rows
from ..problem import Dataset, Limits, Problem
from ..solution import AnswerRecord, Solution, Stop
from .jobs import SweepJob
from .resamples import divide
from .study import Jobs, PlannedJob, digest, run_study, table_in

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


class Confirmation(AnswerRecord, frozen=True):
    """The tests so far in order, the number of held-out rows, and the seconds of all searches."""

    tests: tuple[LimitTest, ...] = ()
    n_aside: int = 0
    seconds: float = 0.0

    @property
    def chosen(self) -> LimitTest | None:
        """The last confirmed model; `None` if the first was not confirmed, or there is none."""
        return next((test for test in reversed(self.tests) if test.confirmed), None)


class ConfirmationStudy:
    """The plan of a confirmation: the best model for each limit, as long as those before were confirmed.

    Parameters
    ----------
    problem : the training rows; its constraints with a confidence are those to be confirmed.
    aside : the held-out rows.
    method, options : find the models.
    limits : of each model.
    tell : callback for partial results.

    Attributes
    ----------
    known : the tests so far.

    Raises
    ------
    ConstraintError
        No constraint has a confidence, rows belong together, or a group has too few held-out rows.
    """

    keys: tuple[str, ...] = ()

    def __init__(
        self,
        problem: Problem,
        aside: Dataset,
        method: str = "contree",
        options: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        tell: Tell = lambda known: None,
    ) -> None:
        # limits derived from earlier rows are reset to the requested ones, since these rows differ
        problem = replace(problem, constraints=tuple(constraint.judged for constraint in problem.constraints))
        self._confident = [one for one in problem.constraints if one.without_confidence() is not one]
        if not self._confident:
            raise ConstraintError(
                "No constraint has a confidence, so nothing can be confirmed. Give a constraint a 'confidence'."
            )
        if problem.dataset.division:
            raise ConstraintError(
                f"Rows that share '{problem.dataset.division.column}' are not independent of each other, so validation "
                f"rows confirm less than the constraint requires. Use one row of each, and divide single rows."
            )
        unseen = (one.left_out(aside) - one.left_out(problem.dataset) for one in self._confident)
        if missing := frozenset[str]().union(*unseen):
            raise ConstraintError(
                f"Too few validation rows are in these groups to confirm a result: "
                f"{', '.join(sorted(missing))}. Keep more validation rows, or give the constraint a larger 'min_rows'."
            )
        self._job = SweepJob("", problem, method, options or {}, limits or Limits(seconds=None))
        self._aside, self._tell, self.known = aside, tell, Confirmation(n_aside=aside.n_samples)

    @property
    def id(self) -> str:
        """An id of the plan."""
        job = self._job
        return digest([job.problem.id, self._aside.fingerprint, job.method, dict(job.options), vars(job.limits)])

    def jobs(self) -> Jobs:
        """The best model for each limit, until the held-out rows do not confirm one."""
        problem = self._job.problem
        for step in range(STEPS + 1):
            stricter = tuple(constraint.tightened(Fraction(step, STEPS)) for constraint in problem.constraints)
            job = replace(self._job, key=f"limit {step}", problem=replace(problem, constraints=stricter))
            outcome = yield PlannedJob.of(job, unseen=self._aside)
            assert outcome is not None, "it has ended"
            if outcome.error:
                raise RunError(outcome.error)
            seconds, solution, diagram = self.known.seconds + outcome.seconds, outcome.solution, outcome.diagram
            self.known = structs.replace(self.known, seconds=seconds)
            if solution is None or diagram is None:
                continue
            tested = [on_new_rows(constraint, diagram, self._aside) for constraint in self._confident]
            test = LimitTest(stricter, solution, all(result is not None and result.holds for result in tested))
            self.known = structs.replace(self.known, tests=(*self.known.tests, test))
            self._tell(self.known)
            if not test.confirmed:
                return

    def run(self, folder: str = "", stop: Stop | None = None) -> Confirmation:
        """Carry it out; `folder` and `stop` as in `ConfirmConstraints`."""
        run_study(self, table_in(folder), stop=stop)
        return self.known


class ConfirmConstraints(TaskRecord, frozen=True):
    """Which limits do held-out rows confirm?

    Attributes
    ----------
    share : of the rows that is held out, by class.
    seed : selects these rows.
    method, options : find the models.
    folder : of the table of the models; if it holds the same study, it is resumed. Without one the table is not kept.
    """

    doing: ClassVar[str] = "Finding the best model for each limit, strictest first."
    share: float
    seed: int = 0
    method: str = "contree"
    options: Mapping[str, str] = {}
    folder: str = ""

    def answer(
        self,
        problem: Problem,
        solve: Solve | None = None,
        limits: Limits | None = None,
        stop: Stop | None = None,
        tell: Tell = lambda known: None,
    ) -> Confirmation:
        """Choose a model that satisfies the constraints with confidence on new rows.

        Parameters
        ----------
        problem : the problem; its constraints with a confidence are those to be confirmed.
        solve : not used; `method` finds the models.
        limits : for all models together.
        stop : ends it; models confirmed by then remain confirmed.
        tell : callback for partial results.

        Raises
        ------
        ConstraintError
            As `ConfirmationStudy`.
        DataError
            The share leaves too few rows on one side.
        RunError
            A search failed, or the folder cannot be used.
        """
        limits = limits or Limits(seconds=None)
        each = replace(limits, seconds=None if limits.seconds is None else limits.seconds / (STEPS + 1))
        parts = divide(problem, self.share, self.seed)
        return ConfirmationStudy(*parts, self.method, self.options, each, tell).run(self.folder, stop)
