"""A study: axes and subsets of the rows make jobs, whose outcomes are one table for aggregation.

    study = Study(("contree", "cart"), depths=(1, 2, 3), folds=5)
    run_study(study.plan(problem), Path("study"))       # a table with one row per model, resumed from its folder
    study.results(problem).rows                         # the same, without a folder

Sweeps, cross-validation, the bootstrap, the size-error Pareto front and the models of lessons are studies. One loop
solves the jobs, in this process, in several, or on a cluster; with a folder (see `folder.StudyFolder`) it resumes.

The recommended size and the confirmation of constraints are studies with a plan of their own: each of their jobs
depends on the outcomes of those before (see `Plan`).
"""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from math import inf, prod
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, cast

import numpy as np
import pandas as pd
from msgspec import structs

from ..diagram import Diagram
from ..errors import DataError, RunError
from ..explain.inquiry import Solve
from ..explain.tasks import TaskRecord, Tell
from ..methods import registry
from ..methods.base import Method
from ..methods.search.clock import Clock
from ..metrics import verified
from ..metrics.words import count, duration
from ..problem import Dataset, Limits, Problem, Shape, ShapeKind
from ..problem.skeleton import PRESETS, objective_of
from ..run import wire
from ..solution import AnswerRecord, Solution, Status, Stop
from .executors import Executor, InProcess, executor_of
from .folder import MemoryTable, Results, Row, StudyFolder
from .jobs import JobOutcome, SweepJob, timed
from .resamples import TrainTestRows, bootstrap_samples, folds, problem_of

STEP = 5.0
"""Seconds for each model."""

TIMES = ("seconds", "cpu_seconds")
"""The columns of the table that differ between runs; all others are the same wherever a study is run."""

_PLACE = ("folder", "workers", "scheduler", "retry")
"""Fields that may change without making it another study."""


class Constrained(StrEnum):
    """Whether models satisfy the constraints of the problem."""

    BOTH = "with and without"
    KEPT = "with"
    FREE = "without"


class PlannedJob(NamedTuple):
    """A job of a study, with its table row before solving, and its test rows."""

    job: SweepJob
    settings: Row
    unseen: Dataset | None

    @classmethod
    def of(
        cls,
        job: SweepJob,
        part: TrainTestRows | None = None,
        unseen: Dataset | None = None,
        alpha: float | None = None,
    ) -> PlannedJob:
        """The job for a part of the rows (`None` for all rows); alpha is the complexity of a diagram."""
        keyed = replace(job, key=_key(part, job.key))
        shape = job.problem.shape
        settings = {
            "key": keyed.key,
            "cell": job.key,
            "method": job.method,
            "shape": shape.kind.value,
            "depth": None if shape.kind is ShapeKind.DIAGRAM else shape.max_depth,
            "max_leaf_nodes": shape.max_leaf_nodes,
            "widths": None if shape.kind is not ShapeKind.DIAGRAM else " ".join(map(str, shape.layer_widths)),
            "alpha": alpha,
            "split_penalty": job.problem.splits_cost(1) / job.problem.scale,
            "constraints": len(job.problem.constraints),
            "repeat": None if part is None else part.repeat,
            "part": None if part is None else part.number,
            "rows": job.problem.dataset.n_samples,
        }
        return cls(keyed, settings, unseen)


Jobs = Generator[PlannedJob, JobOutcome | None, None]
"""Jobs, one at a time; each may need the outcome of the last, see `Plan`."""


class Plan(Protocol):
    """What `run_study` carries out."""

    @property
    def id(self) -> str:
        """An id, which changes with anything that changes the results."""
        ...

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all jobs, in the order of the table.

        Empty if each job depends on the outcomes of those before: then `jobs` receives the outcome of each job that it
        yields, and they must be solved one at a time.
        """
        ...

    def jobs(self) -> Jobs:
        """The jobs; the same outcomes lead to the same jobs under the same keys."""
        ...


class Study(TaskRecord, frozen=True):
    """Which models to find, and on which rows to train them.

    Attributes
    ----------
    methods : names of the registry.
    options : values of their options, by method.
    depths : the maximum number of splits on a path, of trees; levels, of BDDs.
    leaves : the maximum number of leaves of trees, whose depth is the largest of `depths`.
    alphas : the complexity parameter of diagrams, see `objective_of`.
    constrained : whether models are found with the constraints, without them, or both.
    widths : skeletons of diagrams, each with every alpha; if empty, that of the problem, or else the first preset.
    own : whether only the problem's own model is found by each method, see `problem_for`; the other axes are ignored.
    folds, repeats : of a cross-validation, unless the `Division` of the rows determines them; 0 folds for none.
    samples : of a bootstrap; 0 for none. Models are evaluated on the rows that were not drawn.
    seed : divides the rows.
    step, memory_mb, gap, threads : limits of each model, see `Limits`; `step` are its seconds, `None` for no limit.
    folder : of the table; if it holds the same study, it is resumed. Without one the table is not kept.
    workers : the number of processes on this machine; 0 for this process.
    scheduler : the address of a Dask cluster instead; `None` for this machine.
    retry : whether failed jobs are retried.
    """

    doing: ClassVar[str] = "Finding one model after another."
    methods: tuple[str, ...]
    options: Mapping[str, Mapping[str, str]] = {}
    depths: tuple[int, ...] = ()
    leaves: tuple[int, ...] = ()
    alphas: tuple[float, ...] = ()
    constrained: Constrained = Constrained.BOTH
    widths: tuple[tuple[int, ...], ...] = ()
    own: bool = False
    folds: int = 0
    repeats: int = 1
    samples: int = 0
    seed: int = 0
    step: float | None = STEP
    memory_mb: int | None = None
    gap: float = 0.0
    threads: int = 1
    folder: str = ""
    workers: int = 0
    scheduler: str | None = None
    retry: bool = False

    def __post_init__(self) -> None:
        if self.folds and self.samples:
            raise DataError("Choose either cross-validation or bootstrap samples.")

    @property
    def limits(self) -> Limits:
        """The limits of each model; their seed divides the rows."""
        return Limits(seconds=self.step, memory_mb=self.memory_mb, threads=self.threads, gap=self.gap, seed=self.seed)

    @property
    def longest(self) -> float:
        """Seconds for each model, infinite without a limit."""
        return inf if self.step is None else self.step

    @property
    def settings(self) -> dict[str, object]:
        """What determines the results: all fields but those that say where it is run."""
        return {name: value for name, value in structs.asdict(self).items() if name not in _PLACE}

    def n_parts(self, dataset: Dataset) -> int:
        """The number of subsets of some rows on which each model is trained."""
        if self.folds:
            return prod(dataset.division.plan(self.folds, self.repeats))
        return self.samples or 1

    def cells(self, problem: Problem) -> tuple[tuple[SweepJob, float | None], ...]:
        """The models for a problem, small ones first, each with its alpha, if it is a diagram.

        Sizes that its methods do not support are omitted. All have the problem's rows, costs, constraints and minimum
        leaf sizes.
        """
        if self.own:
            methods = (registry.get(name, **self.options.get(name, {})) for name in self.methods)
            return tuple((self._job(one.name, problem_for(one, problem), one.name), None) for one in methods)
        found: dict[tuple[str, str], tuple[SweepJob, float | None]] = {}
        for size, posed, alpha in self._sizes(problem):
            for name in self.methods:
                method = registry.get(name, **self.options.get(name, {}))
                if posed.shape.kind not in method.kinds:
                    continue
                for free, variant in self._variants(method, posed):
                    job = self._job(f"{name} {size}{free}", variant, name)
                    found.setdefault((name, variant.id), (job, alpha))
        return tuple(found.values())

    def _job(self, key: str, problem: Problem, method: str) -> SweepJob:
        return SweepJob(key, problem, method, dict(self.options.get(method, {})), self.limits)

    def _sizes(self, problem: Problem) -> Iterator[tuple[str, Problem, float | None]]:
        """Each size as a short name, its problem, and its alpha, if it is one of diagrams."""
        tree, own = as_tree(problem), problem.shape
        if own.kind is ShapeKind.DIAGRAM:
            # the problem's split penalty selects a size among diagrams; the sizes of trees are set directly
            tree = replace(tree, objective=replace(tree.objective, split_penalty=0.0))
        least = Shape(min_samples_leaf=own.min_samples_leaf, min_weight_leaf=own.min_weight_leaf)
        deepest = max(self.depths, default=problem.shape.max_depth)
        for leaves in self.leaves:
            if leaves < 2**deepest:
                shape = replace(least, max_depth=deepest, max_leaf_nodes=leaves)
                yield f"d{deepest} l{leaves}", replace(tree, shape=shape), None
        for depth in self.depths:
            yield f"d{depth}", replace(tree, shape=replace(least, max_depth=depth)), None
        for depth in self.depths:
            yield f"levels{depth}", replace(tree, shape=Shape(ShapeKind.BDD, max_depth=depth)), None
        free = replace(problem.objective, split_penalty=0.0)
        for skeleton, shape in self._skeletons(problem):
            for alpha in self.alphas:
                priced = objective_of(alpha, problem.dataset.total_weight, base=free)
                yield f"alpha{alpha:g}{skeleton}", replace(problem, shape=shape, objective=priced), alpha

    def _skeletons(self, problem: Problem) -> Iterator[tuple[str, Shape]]:
        """Each skeleton as a short name, which is empty if there is only one, and the shape."""
        same = problem.shape.kind is ShapeKind.DIAGRAM
        shape = (
            replace(problem.shape, max_splits=None) if same else Shape(ShapeKind.DIAGRAM, widths=PRESETS["I"].widths)
        )
        if not self.widths:
            yield "", shape
        for widths in self.widths:
            yield f" w{'.'.join(map(str, widths))}", replace(shape, widths=widths)

    def _variants(self, method: Method, problem: Problem) -> Iterator[tuple[str, Problem]]:
        """The problem with its constraints, if the method supports them, and without (' free'), if both are sought."""
        refused = method.check(problem)
        if not refused and (self.constrained is not Constrained.FREE or not problem.constraints):
            yield "", problem
        if problem.constraints and (self.constrained is not Constrained.KEPT or refused):
            free = replace(problem, constraints=())
            if not method.check(free):
                yield " free", free

    def parts(self, dataset: Dataset) -> Iterator[TrainTestRows | None]:
        """The subsets of the rows; `None` for all rows."""
        if self.folds:
            yield from folds(dataset, self.folds, self.repeats, self.seed)
        elif self.samples:
            yield from bootstrap_samples(dataset, self.samples, self.seed)
        else:
            yield None

    def plan(self, problem: Problem, test: Dataset | None = None) -> StudyPlan:
        """The study of a problem; `test` are held-out rows, on which models of all rows are evaluated."""
        return StudyPlan(problem, self, test)

    def results(self, problem: Problem, seconds: float | None = None, stop: Stop | None = None) -> Results:
        """Solve the jobs in this process, and return the table with its models.

        Parameters
        ----------
        problem : rows, costs and constraints.
        seconds : for all jobs together; `None` for no limit.
        stop : ends the study; jobs that have ended are kept.
        """
        table = MemoryTable()
        run_study(self.plan(problem), table, stop=stop, seconds=seconds)
        return table.results(self.seed)

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> StudyProgress:
        """Run or resume the study as a task, reporting its progress after each job; `solve` is not used.

        Raises `RunError` if the folder cannot be used, another process works in it, or the cluster cannot be reached.
        """
        last, clock = StudyProgress(), Clock()
        executor = executor_of(self.scheduler, self.workers) if self.scheduler or self.workers else InProcess()
        table = table_in(self.folder)

        def note(progress: StudyProgress) -> None:
            nonlocal last
            last = progress if self.folder else structs.replace(progress, results=table.results(self.seed))
            tell(last)

        unseen = table.unseen() if isinstance(table, StudyFolder) else None
        run_study(self.plan(problem, unseen), table, executor, stop, note, self.retry)
        return structs.replace(last, running=0, left=None, finished=True, seconds=clock.elapsed)


@dataclass(frozen=True)
class StudyPlan:
    """A study of a problem, before it is run; the same plan has the same jobs under the same keys.

    Attributes
    ----------
    problem : rows, costs, constraints and minimum leaf sizes for all jobs.
    study : axes and subsets of the rows.
    test : rows held out from all jobs; `None` for none.
    """

    problem: Problem
    study: Study
    test: Dataset | None = None

    def jobs(self) -> Jobs:
        """The jobs, in the order of the table, one at a time: not all subsets of the rows are in memory at once."""
        data = self.problem.dataset
        for part in self.study.parts(data):
            posed, unseen = self.problem, self.test
            if part is not None:
                posed = problem_of(self.problem, part.train)
                left = np.setdiff1d(part.test, part.train)
                unseen = data.take(left) if len(left) else None
            for job, alpha in self.study.cells(posed):
                planned = PlannedJob.of(job, part, unseen, alpha)
                yield planned._replace(settings=planned.settings | self._centre(part))

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The keys of the jobs; those of the problem's own model are known without the problems of the parts."""
        if self.study.own:
            parts = self.study.parts(self.problem.dataset)
            return tuple(_key(part, name) for part in parts for name in self.study.methods)
        return tuple(planned.job.key for planned in self.jobs())

    def _centre(self, part: TrainTestRows | None) -> Row:
        """The name of the centre that a fold leaves out; empty for other folds."""
        division = self.problem.dataset.division
        if part is None or not self.study.folds or division.centres is None or division.by is not division.centres:
            return {}
        return {"centre": division.centres.levels[division.centres.codes[part.test[0]]]}

    @cached_property
    def cells(self) -> tuple[PlannedJob, ...]:
        """All jobs."""
        return tuple(self.jobs())

    @property
    def id(self) -> str:
        """An id of the plan, which changes with anything that changes its results."""
        test = None if self.test is None else self.test.fingerprint
        return digest([self.problem.id, test, self.study.settings])


def of_each(limits: Limits) -> dict[str, Any]:
    """The limits of each model as fields of a study."""
    return {name: getattr(limits, name) for name in ("seed", "memory_mb", "gap", "threads")} | {"step": limits.seconds}


def table_in(folder: str) -> StudyFolder | MemoryTable:
    """The table in a folder; without a path, one that is not kept."""
    return StudyFolder(Path(folder)) if folder else MemoryTable()


def digest(value: object) -> str:
    """A short name for a value."""
    return hashlib.sha256(wire.dumps(value).encode()).hexdigest()[:16]


class StudyProgress(AnswerRecord, frozen=True):
    """The progress of a study.

    Attributes
    ----------
    done, failed, running, of : numbers of jobs; failed jobs are also counted as done.
    left : estimated seconds until its end, from the jobs since this start; `None` before the first has ended.
    finished : whether this is the last report, also if the study was stopped.
    seconds : since it started or resumed.
    results : the results so far if the study has no folder; `None` if they are there.
    """

    done: int = 0
    failed: int = 0
    running: int = 0
    of: int = 0
    left: float | None = None
    finished: bool = False
    seconds: float = 0.0
    results: Results | None = None

    def words(self, now: float | None = None) -> str:
        """The progress as a sentence; `now` are the seconds since the start, by default those of this report."""
        text = f"{count(self.done)} of {count(self.of, 'model')} done"
        text += f", {count(self.failed)} failed" if self.failed else ""
        text += f", {count(self.running)} at work" if self.running else ""
        if self.left is not None:
            later = 0.0 if now is None else max(0.0, now - self.seconds)
            text += f", about {duration(max(0.0, self.left - later))} left"
        return f"{text}."


def run_study(
    plan: Plan,
    table: Path | StudyFolder | MemoryTable,
    executor: Executor | None = None,
    stop: Stop | None = None,
    tell: Callable[[StudyProgress], None] = lambda progress: None,
    retry: bool = False,
    seconds: float | None = None,
) -> pd.DataFrame:
    """Run a study, or resume it, and write its tables.

    Raises `RunError` if the folder cannot be used, another process works in it, or the executor cannot be reached.

    Parameters
    ----------
    plan : the plan.
    table : the table, or its folder; if it holds the same plan, the study is resumed.
    executor : where the jobs are solved; by default in this process.
    stop : ends it; jobs that have ended are kept.
    tell : called before the first job and after each.
    retry : whether failed jobs are retried; each keeps its line in the table until its retry has ended.
    seconds : for all jobs together; `None` for no limit.

    Returns
    -------
    The table, one row per job that has ended, in the order of the plan.
    """
    files = StudyFolder(table) if isinstance(table, Path) else table
    executor = executor or InProcess()
    workers = executor.at_once()
    with files.working():
        keys, begun = plan.keys, dict[str, PlannedJob]()
        if twice := next((key for key, n in Counter(keys).items() if n > 1), None):
            raise RunError(f"Two models of the sweep have the key '{twice}'. Leave one of these sizes out.")
        ended, clock, fresh, last = files.open(plan.id, keys), Clock(), 0, cast(JobOutcome | None, None)
        if retry:
            ended = {key: row for key, row in ended.items() if row["error"] is None}

        def left() -> Iterator[SweepJob]:
            nonlocal last
            jobs = plan.jobs()
            with suppress(StopIteration):
                while True:
                    cell = jobs.send(last)
                    key = cell.job.key
                    if key not in ended:
                        begun[key] = cell
                        yield cell.job
                    elif not keys:
                        row = ended[key]
                        diagram = None if row["train_errors"] is None else files.diagram(key)
                        solution = solution_of(cell.job.problem, row, diagram)
                        last = JobOutcome(key, solution, row["error"] or "", row["seconds"])

        def progress() -> StudyProgress:
            todo = max(0, len(keys) - len(ended))
            rest = clock.elapsed / fresh * todo if fresh and todo else None
            failed = sum(row["error"] is not None for row in ended.values())
            running = min(todo, workers)
            return StudyProgress(len(ended), failed, running, len(keys), rest, seconds=clock.elapsed)

        tell(progress())
        try:
            for outcome in executor.outcomes(timed(left(), seconds), stop or threading.Event()):
                cell = begun.pop(outcome.key)
                if stop is not None and stop.is_set() and not outcome.proved:
                    # a model that had too little time is retried when the study resumes
                    continue
                row = row_of(cell, outcome)
                files.add(row, outcome)
                ended[outcome.key], fresh, last = row, fresh + 1, outcome
                tell(progress())
        except BaseException:
            # the study's own error matters more than a table that cannot be written
            with suppress(RunError):
                files.write_tables()
            raise
        return files.write_tables()


def solution_of(problem: Problem, row: Row, diagram: Diagram | None) -> Solution | None:
    """The result of a job that has ended, from its row and its model; cost and proof are verified again.

    `None` if the job failed.
    """
    if row["status"] is None:
        return None
    cost = None if diagram is None else problem.cost_of(diagram)
    bound = None if row["bound"] is None else round(row["bound"] * problem.scale)
    times = row["seconds"], row["cpu_seconds"]
    return verified(problem, Solution(problem.id, row["method"], Status(row["status"]), diagram, cost, bound, *times))


def as_tree(problem: Problem) -> Problem:
    """The same table for trees of the same depth; the split penalty then includes the first split."""
    if problem.shape.kind is ShapeKind.TREE:
        return problem
    objective = replace(problem.objective, free_root=False)
    return replace(problem, shape=Shape(max_depth=problem.shape.max_depth), objective=objective)


def problem_for(method: Method, problem: Problem) -> Problem:
    """The problem that a method solves beside others: of its own shape, with the constraints that it supports.

    A method that does not make the shape makes a tree of the same depth. Constraints that the method does not support
    are omitted: the model shows what is usual, and which of them it violates.
    """
    problem = problem if problem.shape.kind in method.kinds else as_tree(problem)
    taken = tuple(c for c in problem.constraints if not method.check(replace(problem, constraints=(c,))))
    return problem if taken == problem.constraints else replace(problem, constraints=taken)


def _key(part: TrainTestRows | None, cell: str) -> str:
    return f"{'all' if part is None else f'part {part.key}'}: {cell}"


def row_of(cell: PlannedJob, outcome: JobOutcome) -> Row:
    """The table row of a job that has ended; undefined values are `None`."""
    problem, solution = cell.job.problem, outcome.solution
    diagram = None if solution is None else solution.diagram
    row = {
        "status": None if solution is None else _status(solution).value,
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


def _errors(diagram: Diagram, dataset: Dataset) -> int:
    return int((diagram.predict(dataset) != dataset.y).sum())


def _status(solution: Solution) -> Status:
    """The status; a smallest tree is optimal only if its size is proved, not just its errors."""
    smallest = solution.details.consistent
    if solution.status is Status.OPTIMAL and smallest is not None and (not smallest.fewest_nodes or smallest.tied):
        return Status.FEASIBLE
    return solution.status
