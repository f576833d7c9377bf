"""A study: axes and parts of the rows make jobs, whose outcomes are one table that aggregations read.

    study = Study(("contree", "cart"), depths=(1, 2, 3), folds=5)
    study.results(problem, Limits(seconds=60)).rows     # a line for each model

The front of errors against size, the calibration of decision diagrams (`calibration`), and the price of stability
are studies; so is a sweep (`tasks.RunSweep`), whose table is in its folder.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from math import prod
from typing import Any, ClassVar

from ..explain.inquiry import Solve
from ..explain.tasks import Tell
from ..methods.search.clock import Clock
from ..problem import Dataset, Limits, Problem
from ..solution import Stop
from .executors import Executor, InProcess
from .grid import STEP, ParameterGrid
from .jobs import JobOutcome, SweepJob, timed
from .plan import PlannedJob, Row, SweepPlan, row_of


@dataclass(frozen=True)
class Results:
    """The table of a study.

    Attributes
    ----------
    of : jobs.
    rows : a line for each job that has ended, see `plan.row_of`.
    outcomes : the same jobs with their models.
    finished : whether the study is over.
    seconds : the time that it took.
    """

    of: int = 0
    rows: tuple[Row, ...] = ()
    outcomes: tuple[JobOutcome, ...] = ()
    finished: bool = False
    seconds: float = 0.0

    @property
    def done(self) -> int:
        """Jobs that have ended."""
        return len(self.rows)


@dataclass(frozen=True)
class Study(ParameterGrid):
    """Axes (see `ParameterGrid`) and parts of the rows (see `SweepPlan`); `step` is the time for each model."""

    doing: ClassVar[str] = "Looking for one model after the other."
    folds: int = 0
    repeats: int = 1
    samples: int = 0
    share: float = 0.0
    step: float = STEP

    def plan(self, problem: Problem, limits: Limits) -> SweepPlan:
        """The jobs for a problem; `limits.seed` divides the rows."""
        grid = ParameterGrid(**{one.name: getattr(self, one.name) for one in fields(ParameterGrid)})
        parts = (self.folds, self.repeats, self.samples, self.share, limits.seed)
        gap = limits.gap if self.own else 0.0
        return SweepPlan(problem, grid, None, *parts, replace(limits, seconds=self.step, gap=gap))

    def n_parts(self, dataset: Dataset) -> int:
        """On how many parts of some rows each model is learned."""
        if self.folds:
            return prod(dataset.division.plan(self.folds, self.repeats))
        return self.samples or (self.repeats if self.share else 1)

    def outcomes(
        self, problem: Problem, limits: Limits, stop: Stop, executor: Executor | None = None
    ) -> Iterator[tuple[PlannedJob, JobOutcome]]:
        """Solve the jobs, and yield each as it ends; a model that was not given its time is left out.

        Parameters
        ----------
        problem : rows, costs and constraints.
        limits : `seconds` are for all jobs together, the rest is for each.
        stop : ends the study.
        executor : where jobs are solved; by default here, one after the other.
        """
        plan, begun = self.plan(problem, limits), dict[str, PlannedJob]()

        def jobs() -> Iterator[SweepJob]:
            for planned in plan.planned():
                begun[planned.job.key] = planned
                yield planned.job

        timed_jobs = timed(jobs(), replace(plan.limits, seconds=limits.seconds), self.step)
        for outcome in (executor or InProcess()).outcomes(timed_jobs, stop):
            if stop.is_set() and outcome.solution is not None and not outcome.proved:
                return
            yield begun.pop(outcome.key), outcome

    def results(
        self,
        problem: Problem,
        limits: Limits | None = None,
        stop: Stop | None = None,
        tell: Callable[[Results], None] = lambda known: None,
    ) -> Results:
        """The table of all jobs; parameters as `outcomes`, and `tell` takes the table after each job."""
        clock, limits = Clock(), limits or Limits()
        known = Results(len(self.cells(problem)) * self.n_parts(problem.dataset))
        tell(known)
        for planned, outcome in self.outcomes(problem, limits, stop or threading.Event()):
            rows, outcomes = (*known.rows, row_of(planned, outcome)), (*known.outcomes, _short(outcome))
            known = replace(known, rows=rows, outcomes=outcomes, seconds=clock.elapsed)
            tell(known)
        return replace(known, finished=True, seconds=clock.elapsed)

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> Any:
        """Answer it as a task; models are found by the methods that are named, not by `solve`."""
        return self.results(problem, limits, stop, tell)


def _short(outcome: JobOutcome) -> JobOutcome:
    """The outcome without trace and lists of near-optimal models, which are many times as large as the model."""
    if outcome.solution is None:
        return outcome
    details = replace(outcome.solution.details, near_optimal=None, all_near_optimal=False)
    return replace(outcome, solution=replace(outcome.solution, trace=(), stats={}, details=details))
