"""What a sweep tries: methods, sizes and constraints, on all rows or on many parts of them.

plan = SweepPlan(problem, ParameterGrid(("contree", "cart"), depths=(2, 3, 4)), folds=5, repeats=2)
len(plan.cells)     # a model a method, size, constraints and part of the rows
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..errors import DataError
from ..problem import Dataset, Limits, Problem, ShapeKind
from .grid import GridCell, ParameterGrid
from .jobs import JobOutcome, SweepJob
from .resamples import TrainTestRows, bootstrap_samples, folds, holdouts, problem_of

Row = dict[str, Any]
"""A line of a sweep's table."""

TIMES = ("seconds", "cpu_seconds")
"""The columns of the table that differ from one time to the next; all others are the same wherever a sweep is run."""


class PlannedJob(NamedTuple):
    """A job of a sweep, with what its line of the table says before it is solved, and the rows it is judged on.

    `part` says which rows it learns from; `None` for all.
    """

    job: SweepJob
    settings: Row
    unseen: Dataset | None
    part: TrainTestRows | None


@dataclass(frozen=True)
class SweepPlan:
    """A sweep, before it is run; the same plan has the same jobs under the same keys.

    Attributes
    ----------
    problem : rows, costs, constraints and least leaves that hold for all.
    grid : methods and sizes.
    test : rows held out from all; `None` for none.
    folds, repeats : of a cross-validation, as far as the `Division` of the rows leaves the choice; 0 folds for none.
    samples : of a bootstrap; 0 for none. Models are judged on the rows that were not drawn.
    share : of the rows, those that are kept aside to judge models on, again for each of `repeats`; 0 for none.
    seed : of the division of the rows.
    limits : of each model.
    """

    problem: Problem
    grid: ParameterGrid
    test: Dataset | None = None
    folds: int = 0
    repeats: int = 1
    samples: int = 0
    share: float = 0.0
    seed: int = 0
    limits: Limits = field(default_factory=lambda: Limits(seconds=60.0))

    def __post_init__(self) -> None:
        if sum(map(bool, (self.folds, self.samples, self.share))) > 1:
            raise DataError("Choose cross-validation, bootstrap samples or rows kept aside, not several of them.")

    @cached_property
    def cells(self) -> tuple[PlannedJob, ...]:
        """The jobs, in the order of the table."""
        return tuple(self.planned())

    @property
    def id(self) -> str:
        """A name of the plan, which changes with anything that changes its results."""
        spec = {
            "problem": self.problem.id,
            "test": None if self.test is None else self.test.fingerprint,
            "grid": asdict(self.grid),
            "parts": (self.folds, self.repeats, self.samples, self.share, self.seed),
            "limits": asdict(self.limits),
        }
        return hashlib.sha256(json.dumps(spec, sort_keys=True, default=str).encode()).hexdigest()[:16]

    def planned(self) -> Iterator[PlannedJob]:
        """The same one after the other, so that not all parts of the rows are in memory at once."""
        for part in self._parts():
            problem = self.problem if part is None else problem_of(self.problem, part.train)
            unseen = self._unseen(part)
            place = "all" if part is None else f"part {part.key}"
            for found in self.grid.cells(problem, self.limits):
                posed = found.job.problem
                job = SweepJob(f"{place}: {found.job.key}", posed, found.job.method, found.job.options, self.limits)
                yield PlannedJob(job, {**_settings(job, found, part), **self._centre(part)}, unseen, part)

    def _parts(self) -> Iterator[TrainTestRows | None]:
        dataset = self.problem.dataset
        if self.folds:
            yield from folds(dataset, self.folds, self.repeats, self.seed)
        elif self.samples:
            yield from bootstrap_samples(dataset, self.samples, self.seed)
        elif self.share:
            yield from holdouts(dataset, self.share, self.repeats, self.seed)
        else:
            yield None

    def _centre(self, part: TrainTestRows | None) -> Row:
        """The name of the centre that a fold leaves out; nothing where folds are others."""
        centres = self.problem.dataset.division.centres
        if part is None or not self.folds or centres is None or self.problem.dataset.division.by is not centres:
            return {}
        return {"centre": centres.levels[centres.codes[part.test[0]]]}

    def _unseen(self, part: TrainTestRows | None) -> Dataset | None:
        if part is None:
            return self.test
        left = np.setdiff1d(part.test, part.train)
        return self.problem.dataset.take(left) if len(left) else None


def _settings(job: SweepJob, cell: GridCell, part: TrainTestRows | None) -> Row:
    shape = job.problem.shape
    return {
        "key": job.key,
        "cell": cell.job.key,
        "method": job.method,
        "shape": shape.kind.value,
        "depth": None if shape.kind is ShapeKind.DIAGRAM else shape.max_depth,
        "max_leaf_nodes": shape.max_leaf_nodes,
        "widths": None if shape.kind is not ShapeKind.DIAGRAM else " ".join(map(str, shape.layer_widths)),
        "alpha": None,
        "min_rows": None,
        "split_cost": job.problem.splits_cost(1) / job.problem.scale,
        "constraints": len(job.problem.constraints) if cell.constrained else 0,
        "repeat": None if part is None else part.repeat,
        "part": None if part is None else part.number,
        "rows": job.problem.dataset.n_samples,
        **cell.axes,
    }


def row_of(cell: PlannedJob, outcome: JobOutcome) -> Row:
    """The line of the table for a job that has ended; what there is none of is `None`."""
    problem, solution = cell.job.problem, outcome.solution
    diagram = None if solution is None else solution.diagram
    row = {
        "status": None if solution is None else solution.status.value,
        "verified": None if solution is None else solution.verified,
        "cost": None if solution is None or solution.cost is None else solution.cost / problem.scale,
        "bound": None if solution is None or solution.bound is None else solution.bound / problem.scale,
        "questions": None if diagram is None else diagram.n_splits,
        "leaves": None if diagram is None else diagram.n_leaves,
        "train_errors": None if diagram is None else _errors(diagram, problem.dataset),
        "test_errors": None if diagram is None or cell.unseen is None else _errors(diagram, cell.unseen),
        "test_rows": None if cell.unseen is None else cell.unseen.n_samples,
        "error": outcome.error or None,
        "seconds": outcome.seconds,
        "cpu_seconds": None if solution is None else solution.cpu_seconds,
    }
    return {**cell.settings, **row}


def _errors(diagram: Any, dataset: Dataset) -> int:
    return int((diagram.predict(dataset) != dataset.y).sum())
