"""A study: axes and subsets of the rows make jobs, whose outcomes are one table for aggregation.

    study = Study(("contree", "cart"), depths=(1, 2, 3), folds=5)
    study.results(problem, Limits(seconds=60)).rows     # one row per model

The size-error Pareto front, cross-validation and the bootstrap are studies; so is a sweep (`folder.RunSweep`), whose
table is in its folder.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..diagram import Diagram
from ..errors import DataError
from ..explain.inquiry import Solve
from ..explain.tasks import Tell
from ..messages import describe_result
from ..methods import registry
from ..methods.base import Method
from ..methods.search.clock import Clock
from ..metrics.words import count
from ..problem import Dataset, Limits, Problem, Shape, ShapeKind
from ..problem.skeleton import PRESETS, objective_of
from ..solution import Solution, Stop
from .executors import InProcess
from .jobs import JobOutcome, SweepJob, timed
from .resamples import TrainTestRows, bootstrap_samples, folds, holdouts, problem_of

STEP = 5.0
"""Seconds for each model."""

Row = dict[str, Any]
"""A row of the table of a study."""

TIMES = ("seconds", "cpu_seconds")
"""The columns of the table that differ between runs; all others are the same wherever a study is run."""


class GridCell(NamedTuple):
    """A model to find: its name, whether it satisfies the constraints, the job, and its position in `ParameterGrid`.

    `axes` may have 'alpha', the complexity parameter of a diagram.
    """

    words: str
    constrained: bool
    job: SweepJob
    axes: Mapping[str, float]


class PlannedJob(NamedTuple):
    """A job of a study, with its table row before solving, and its test rows.

    `part` gives its training rows; `None` for all.
    """

    job: SweepJob
    settings: Row
    unseen: Dataset | None
    part: TrainTestRows | None


@dataclass(frozen=True)
class Study:
    """Which models to find, and on which rows to train them.

    Attributes
    ----------
    methods : names of the registry.
    options : values of their options, by method.
    depths : the maximum number of splits on a path, of trees; levels, of BDDs.
    leaves : the maximum number of leaves of trees, whose depth is the largest of `depths`.
    alphas : the complexity parameter of diagrams, see `objective_of`.
    free : whether each model is also found without the constraints.
    widths : skeletons of diagrams, each with every alpha; if empty, that of the problem, or else the first preset.
    own : whether only the problem's own model is found by each method; the other axes are then ignored.
    folds, repeats : of a cross-validation, unless the `Division` of the rows determines them; 0 folds for none.
    samples : of a bootstrap; 0 for none. Models are evaluated on the rows that were not drawn.
    share : the share of the rows held out for evaluation, drawn again for each of `repeats`; 0 for none.
    step : seconds for each model.
    """

    doing: ClassVar[str] = "Finding one model after another."
    methods: tuple[str, ...]
    options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    depths: tuple[int, ...] = ()
    leaves: tuple[int, ...] = ()
    alphas: tuple[float, ...] = ()
    free: bool = True
    widths: tuple[tuple[int, ...], ...] = ()
    own: bool = False
    folds: int = 0
    repeats: int = 1
    samples: int = 0
    share: float = 0.0
    step: float = STEP

    def __post_init__(self) -> None:
        if sum(map(bool, (self.folds, self.samples, self.share))) > 1:
            raise DataError("Choose one of cross-validation, bootstrap samples and validation rows.")

    def n_parts(self, dataset: Dataset) -> int:
        """The number of subsets of some rows on which each model is trained."""
        if self.folds:
            return prod(dataset.division.plan(self.folds, self.repeats))
        return self.samples or (self.repeats if self.share else 1)

    def cells(self, problem: Problem, limits: Limits | None = None) -> tuple[GridCell, ...]:
        """The models for a problem, small ones first; sizes that its methods do not support are omitted.

        All have the problem's rows, costs, constraints and minimum leaf sizes, and the limits.
        """
        limits = limits or Limits(seconds=STEP)
        if self.own:
            jobs = [SweepJob(name, problem, name, dict(self.options.get(name, {})), limits) for name in self.methods]
            return tuple(GridCell(registry.get(job.method).title, True, job, {}) for job in jobs)
        found: dict[tuple[str, str], GridCell] = {}
        for words, size, posed, axes in self._sizes(problem):
            for name in self.methods:
                method = registry.get(name, **self.options.get(name, {}))
                if posed.shape.kind not in method.kinds:
                    continue
                for constrained, variant in self._variants(method, posed):
                    key = f"{name} {size}" + ("" if constrained else " free")
                    title = f"{method.title}, {words}" + ("" if constrained else ", without constraints")
                    job = SweepJob(key, variant, name, dict(self.options.get(name, {})), limits)
                    found.setdefault((name, variant.id), GridCell(title, constrained, job, axes))
        return tuple(found.values())

    def _sizes(self, problem: Problem) -> Iterator[tuple[str, str, Problem, dict[str, Any]]]:
        """Each size as text, its short name, its problem, and its position on further axes."""
        tree, own = as_tree(problem), problem.shape
        if own.kind is ShapeKind.DIAGRAM:
            # the problem's split penalty selects a size among diagrams; the sizes of trees are set directly
            tree = replace(tree, objective=replace(tree.objective, split_penalty=0.0))
        least = Shape(min_samples_leaf=own.min_samples_leaf, min_weight_leaf=own.min_weight_leaf)
        deepest = max(self.depths, default=problem.shape.max_depth)
        for leaves in self.leaves:
            if leaves < 2**deepest:
                shape = replace(least, max_depth=deepest, max_leaf_nodes=leaves)
                yield count(leaves, "leaf", "leaves"), f"d{deepest} l{leaves}", replace(tree, shape=shape), {}
        for depth in self.depths:
            shape = replace(least, max_depth=depth)
            yield f"depth {depth}", f"d{depth}", replace(tree, shape=shape), {}
        for depth in self.depths:
            shape = Shape(ShapeKind.BDD, max_depth=depth)
            yield count(depth, "level"), f"levels{depth}", replace(tree, shape=shape), {}
        free = replace(problem.objective, split_penalty=0.0)
        for skeleton, place, shape in self._skeletons(problem):
            for alpha in self.alphas:
                priced = objective_of(alpha, problem.dataset.total_weight, base=free)
                posed = replace(problem, shape=shape, objective=priced)
                yield f"alpha {alpha:g}" + skeleton, f"alpha{alpha:g}{place}", posed, {"alpha": alpha}

    def _skeletons(self, problem: Problem) -> Iterator[tuple[str, str, Shape]]:
        """Each skeleton as text, its short name, and the shape; the texts are empty if there is only one."""
        same = problem.shape.kind is ShapeKind.DIAGRAM
        shape = (
            replace(problem.shape, max_splits=None) if same else Shape(ShapeKind.DIAGRAM, widths=PRESETS["I"].widths)
        )
        if not self.widths:
            yield "", "", shape
        for widths in self.widths:
            text = " ".join(map(str, widths))
            yield f", layers {text}", f" w{text.replace(' ', '.')}", replace(shape, widths=widths)

    def _variants(self, method: Method, problem: Problem) -> Iterator[tuple[bool, Problem]]:
        """The problem with its constraints, if the method supports them, and without."""
        refused = method.check(problem)
        if not refused:
            yield True, problem
        if problem.constraints and (self.free or refused):
            free = replace(problem, constraints=())
            if not method.check(free):
                yield False, free

    def _parts(self, dataset: Dataset, seed: int) -> Iterator[TrainTestRows | None]:
        if self.folds:
            yield from folds(dataset, self.folds, self.repeats, seed)
        elif self.samples:
            yield from bootstrap_samples(dataset, self.samples, seed)
        elif self.share:
            yield from holdouts(dataset, self.share, self.repeats, seed)
        else:
            yield None

    def _centre(self, dataset: Dataset, part: TrainTestRows | None) -> Row:
        """The name of the centre that a fold leaves out; empty for other folds."""
        centres = dataset.division.centres
        if part is None or not self.folds or centres is None or dataset.division.by is not centres:
            return {}
        return {"centre": centres.levels[centres.codes[part.test[0]]]}

    def planned(self, problem: Problem, limits: Limits, test: Dataset | None = None) -> Iterator[PlannedJob]:
        """Yield the jobs one at a time, so that not all subsets of the rows are in memory at once.

        The same study of the same problem has the same jobs under the same keys.

        Parameters
        ----------
        limits : of each model; `limits.seed` divides the rows.
        test : held-out rows, on which models of all rows are evaluated.
        """
        for part in self._parts(problem.dataset, limits.seed):
            posed, unseen, place = problem, test, "all"
            if part is not None:
                posed, place = problem_of(problem, part.train), f"part {part.key}"
                left = np.setdiff1d(part.test, part.train)
                unseen = problem.dataset.take(left) if len(left) else None
            for cell in self.cells(posed, limits):
                job = replace(cell.job, key=f"{place}: {cell.job.key}")
                settings = {**_settings(job, cell, part), **self._centre(problem.dataset, part)}
                yield PlannedJob(job, settings, unseen, part)

    def outcomes(self, problem: Problem, limits: Limits, stop: Stop) -> Iterator[tuple[PlannedJob, JobOutcome]]:
        """Solve the jobs sequentially in this process; a model that had too little time is omitted.

        Parameters
        ----------
        problem : rows, costs and constraints.
        limits : `seconds` are for all jobs together, the rest is for each.
        stop : ends the study.
        """
        limits = limits if self.own else replace(limits, gap=0.0)
        begun = dict[str, PlannedJob]()

        def jobs() -> Iterator[SweepJob]:
            for planned in self.planned(problem, limits):
                begun[planned.job.key] = planned
                yield planned.job

        for outcome in InProcess().outcomes(timed(jobs(), limits, self.step), stop):
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
        """The table of all jobs; parameters as in `outcomes`.

        `tell` receives the table at the start, after each job, and at the end.
        """
        known = Results()
        for news in self._news(problem, limits or Limits(), stop or threading.Event()):
            known = news.after(known)
            tell(known)
        return known

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> Any:
        """Run as a task, which reports only what is new; models are found by `methods`, not by `solve`."""
        news = Results()
        for news in self._news(problem, limits, stop):
            tell(news)
        return replace(news, rows=(), outcomes=())

    def _news(self, problem: Problem, limits: Limits, stop: Stop) -> Iterator[Results]:
        """An empty table, a row after each job, and an empty table once the study is over."""
        clock, of = Clock(), len(self.cells(problem)) * self.n_parts(problem.dataset)
        yield Results(of, seed=limits.seed)
        for planned, outcome in self.outcomes(problem, limits, stop):
            row, short = row_of(planned, outcome), _short(planned, outcome)
            yield Results(of, (row,), (short,), seconds=clock.elapsed, seed=limits.seed)
        yield Results(of, finished=True, seconds=clock.elapsed, seed=limits.seed)


@dataclass(frozen=True)
class Results:
    """The table of a study.

    Attributes
    ----------
    of : the number of jobs.
    rows : a row for each job that has ended, see `row_of`.
    outcomes : the same jobs with their models.
    finished : whether the study is over.
    seconds : the time taken.
    seed : divided the rows.
    """

    of: int = 0
    rows: tuple[Row, ...] = ()
    outcomes: tuple[JobOutcome, ...] = ()
    finished: bool = False
    seconds: float = 0.0
    seed: int = 0

    @property
    def done(self) -> int:
        """The number of jobs that have ended."""
        return len(self.rows)

    def after(self, earlier: Results) -> Results:
        """The table so far, if this holds only what is new since an earlier table."""
        return replace(self, rows=earlier.rows + self.rows, outcomes=earlier.outcomes + self.outcomes)

    @property
    def faults(self) -> tuple[str, ...]:
        """Why models are missing, each reason once."""
        return tuple(dict.fromkeys(outcome.error for outcome in self.outcomes if outcome.error))

    def models(self) -> Iterator[tuple[Row, Solution, Diagram]]:
        """The jobs that found a verified model."""
        for row, outcome in zip(self.rows, self.outcomes, strict=True):
            solution = outcome.solution
            if solution is not None and solution.diagram is not None and not outcome.error:
                yield row, solution, solution.diagram


def _short(planned: PlannedJob, outcome: JobOutcome) -> JobOutcome:
    """The outcome without trace and lists of near-optimal models, which are many times as large as the model.

    Its `error` also says why a solution has no model that can be evaluated.
    """
    if outcome.solution is None:
        return outcome
    error = "" if outcome.solution.verified else "The model was not verified by recomputation."
    if outcome.solution.diagram is None:
        error = describe_result(planned.job.problem, outcome.solution)
    details = replace(outcome.solution.details, near_optimal=None, all_near_optimal=False)
    return replace(outcome, error=error, solution=replace(outcome.solution, trace=(), stats={}, details=details))


def as_tree(problem: Problem) -> Problem:
    """The same table for trees of the same depth; the split penalty then includes the first split."""
    if problem.shape.kind is ShapeKind.TREE:
        return problem
    objective = replace(problem.objective, free_root=False)
    return replace(problem, shape=Shape(max_depth=problem.shape.max_depth), objective=objective)


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
        "split_penalty": job.problem.splits_cost(1) / job.problem.scale,
        "constraints": len(job.problem.constraints) if cell.constrained else 0,
        "repeat": None if part is None else part.repeat,
        "part": None if part is None else part.number,
        "rows": job.problem.dataset.n_samples,
        **cell.axes,
    }


def row_of(cell: PlannedJob, outcome: JobOutcome) -> Row:
    """The table row of a job that has ended; undefined values are `None`."""
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
