"""A study: axes and parts of the rows make jobs, whose outcomes are one table that aggregations read.

    study = Study(("contree", "cart"), depths=(1, 2, 3), folds=5)
    study.results(problem, Limits(seconds=60)).rows     # a line for each model

The front of errors against size, the calibration of decision diagrams (`calibration`), and the price of stability
are studies; so is a sweep (`tasks.RunSweep`), whose table is in its folder.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from solvers.explain.inquiry import Solve
from solvers.explain.tasks import Tell
from solvers.methods.search.clock import Clock
from solvers.problem import Limits, Problem
from solvers.solution import Stop
from solvers.sweeps.executors import InProcess
from solvers.sweeps.grid import STEP, ParameterGrid
from solvers.sweeps.jobs import JobOutcome, timed
from solvers.sweeps.plan import Row, SweepPlan, row_of


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
        parts: dict[str, Any] = {
            "folds": self.folds,
            "repeats": self.repeats,
            "samples": self.samples,
            "share": self.share,
        }
        grid = ParameterGrid(**{one.name: getattr(self, one.name) for one in fields(ParameterGrid)})
        return SweepPlan(problem, grid, **parts, seed=limits.seed, limits=replace(limits, seconds=self.step, gap=0.0))

    def results(
        self,
        problem: Problem,
        limits: Limits | None = None,
        stop: Stop | None = None,
        tell: Callable[[Results], None] = lambda known: None,
    ) -> Results:
        """Solve the jobs one after the other in this process.

        Parameters
        ----------
        problem : rows, costs and constraints.
        limits : for all jobs together.
        stop : ends the study; a model that was not given its time is left out.
        tell : takes the table after each job.
        """
        clock, limits, stop = Clock(), limits or Limits(), stop or threading.Event()
        plan = self.plan(problem, limits)
        cells = {cell.job.key: cell for cell in plan.cells}
        known = Results(len(cells))
        tell(known)
        jobs = timed((cell.job for cell in plan.cells), replace(limits, gap=0.0), self.step)
        for outcome in InProcess().outcomes(jobs, stop):
            if stop.is_set() and not outcome.proved:
                break
            rows = (*known.rows, row_of(cells[outcome.key], outcome))
            known = replace(known, rows=rows, outcomes=(*known.outcomes, _short(outcome)), seconds=clock.elapsed)
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
