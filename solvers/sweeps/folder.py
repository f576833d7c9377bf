"""Sweeps: studies whose table is in a folder, from which they resume.

sweep.json      the settings, the plan's id, and the keys of its jobs in the order of the table
results.jsonl   one line of the table per job, in the order in which they ended; each is on disk before the next
table.csv       the table in the order of the plan
table.parquet   the same with its types
models/         the models, one JSON file each
unseen.*        the held-out rows
worker.json     the process that works on it

The sweeps of a run are in `<run>/sweeps/<name>`, where they are found after a restart.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NamedTuple

import pandas as pd

from ..diagram import Diagram, from_json, to_json
from ..errors import EspalierError, RunError
from ..explain import Task
from ..explain.inquiry import Solve
from ..explain.tasks import Tell
from ..methods.search.clock import Clock
from ..problem import Dataset, Limits, Problem, Shape
from ..run import json_types, wire
from ..run.folder import Folder
from ..solution import Stop
from ..spreadsheet import safe_cell
from .executors import Executor, InProcess, executor_of, run_jobs
from .jobs import JobOutcome
from .study import PlannedJob, Row, Study, row_of

FOLDER = "sweeps"
"""The folder of the sweeps in the folder of their run."""


_FILE, _RESULTS, _ROWS = "sweep.json", "results.jsonl", "unseen"

_PLACE = ("folder", "workers", "scheduler", "retry")
"""Fields that may change without making it another sweep."""


@dataclass(frozen=True)
class SweepPlan:
    """A study of a problem, before it is run; the same plan has the same jobs under the same keys.

    Attributes
    ----------
    problem : rows, costs, constraints and minimum leaf sizes for all jobs.
    study : axes and subsets of the rows.
    test : rows held out from all jobs; `None` for none.
    limits : of each model; their seed divides the rows.
    """

    problem: Problem
    study: Study
    test: Dataset | None = None
    limits: Limits = field(default_factory=lambda: Limits(seconds=60.0))

    @cached_property
    def cells(self) -> tuple[PlannedJob, ...]:
        """The jobs, in the order of the table."""
        return tuple(self.study.planned(self.problem, self.limits, self.test))

    @property
    def id(self) -> str:
        """An id of the plan, which changes with anything that changes its results."""
        study = {one.name: getattr(self.study, one.name) for one in fields(Study)}
        test = None if self.test is None else self.test.fingerprint
        return _digest([self.problem.id, test, study, asdict(self.limits)])


def _digest(value: object) -> str:
    return hashlib.sha256(wire.dumps(value).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class SweepProgress:
    """The progress of a sweep; its table is in its folder.

    Attributes
    ----------
    done, failed, running, of : numbers of jobs; failed jobs are also counted as done.
    left : estimated seconds until its end, from the jobs since this start; `None` before the first has ended.
    finished : whether this is the last report, also if the sweep was stopped.
    seconds : since it started or resumed.
    """

    done: int = 0
    failed: int = 0
    running: int = 0
    of: int = 0
    left: float | None = None
    finished: bool = False
    seconds: float = 0.0

    @property
    def words(self) -> str:
        """The progress as a sentence."""
        text = f"{self.done} of {self.of} jobs are done"
        text += f", {self.failed} failed" if self.failed else ""
        text += f", {self.running} running" if self.running else ""
        return text + (f"; about {self.left:.0f} s left." if self.left else ".")


class Constrained(StrEnum):
    """Whether models satisfy the constraints of the run."""

    BOTH = "with and without"
    KEPT = "with"
    FREE = "without"

    def problem(self, problem: Problem) -> Problem:
        """The problem of the sweep, from that of the run; `BOTH` has constraints, which the sweep also omits."""
        return replace(problem, constraints=()) if self is Constrained.FREE else problem


@dataclass(frozen=True)
class _Manifest:
    """The content of `sweep.json`: `task` for a sweep of a run; `id` and `keys` of its plan once it has begun."""

    created: datetime
    task: Task | None = None
    constrained: Constrained = Constrained.BOTH
    id: str = ""
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class SweepFolder(Folder):
    """The folder of a sweep."""

    noun: ClassVar[str] = "sweep"
    remedy: ClassVar[str] = "Delete its folder, or choose a new one, and start the sweep again."

    def open(self, plan: SweepPlan) -> dict[str, Row]:
        """Make the folder, or resume from it; returns the lines of the jobs that have ended, by their keys.

        Raises `RunError` if the folder holds another plan, is damaged, or cannot be written.
        """
        try:
            (self.path / "models").mkdir(parents=True, exist_ok=True)
            if not (self.path / _FILE).exists():
                self._write(_Manifest(datetime.now(UTC)))
            stored = self._manifest()
            if not stored.id:
                stored = replace(stored, id=plan.id, keys=tuple(cell.job.key for cell in plan.cells))
                self._write(stored)
            # a line truncated by a power failure must not become the beginning of the next one
            self.drop_partial_line(_RESULTS)
        except OSError as error:
            raise RunError(f"The folder '{self.path}' cannot be used ({error.strerror}). Choose another one.") from None
        if stored.id != plan.id:
            raise RunError(
                f"The folder '{self.path}' holds another sweep (other rows, settings or version). Choose a new folder."
            )
        return self.rows()

    def _manifest(self) -> _Manifest:
        return self.read(_FILE, _Manifest)

    def _write(self, manifest: _Manifest) -> None:
        self.write_json(_FILE, json_types.to_json(manifest))

    def keys(self) -> tuple[str, ...]:
        """The keys of all jobs in the order of the table, empty before the sweep has begun; `RunError` if damaged."""
        return self._manifest().keys if (self.path / _FILE).exists() else ()

    def rows(self) -> dict[str, Row]:
        """The lines of the jobs that have ended, by their keys; an incomplete last line is skipped.

        If a job was retried, its last line counts. Nothing is written, so this is safe while another process runs the
        sweep. Raises `RunError` if a line is damaged.
        """
        rows = {}
        for what, row in self.lines(_RESULTS):
            with wire.refuse_damaged(what, self.remedy):
                rows[row["key"]] = row
        return rows

    def add(self, row: Row, outcome: JobOutcome) -> None:
        """Record a job that has ended, and store its model."""
        try:
            if outcome.solution is not None and outcome.solution.diagram is not None:
                self.write(self._model(row["key"]), to_json(outcome.solution.diagram).encode())
            with (self.path / _RESULTS).open("a", encoding="utf-8") as out:
                out.write(wire.dumps(wire.add_version(row)) + "\n")
                out.flush()
                os.fsync(out.fileno())
        except OSError as error:
            raise RunError(
                f"The result of '{row['key']}' cannot be written to '{self.path}' ({error.strerror}). "
                "Earlier results are kept. Free some space, and start the same sweep again."
            ) from None

    def _model(self, key: str) -> str:
        return f"models/{''.join(c if c.isalnum() else '-' for c in key)}.json"

    def diagram(self, key: str) -> Diagram:
        """The model of a job; `RunError` if there is none, another `EspalierError` if it is damaged."""
        try:
            return from_json((self.path / self._model(key)).read_text("utf-8"))
        except OSError as error:
            raise RunError(f"The model of '{key}' cannot be read ({error.strerror}). Run the sweep again.") from None

    def table(self) -> pd.DataFrame:
        """One row per job that has ended, in the order of the plan."""
        rows = self.rows()
        return pd.DataFrame([rows[key] for key in self.keys() if key in rows])

    def write_tables(self) -> pd.DataFrame:
        """Write the table as CSV and Parquet, and return it."""
        frame = self.table()
        try:
            self.write("table.csv", csv_of(frame).encode())
            frame.to_parquet(self.path / "table.parquet", index=False)
        except OSError as error:
            raise RunError(f"The table cannot be written to '{self.path}' ({error.strerror}).") from None
        return frame

    def write_unseen(self, unseen: Dataset | None) -> None:
        """Write the held-out rows, if there are any; `OSError` if they cannot be written."""
        if unseen is not None:
            self.write(f"{_ROWS}.npz", wire.arrays_to_bytes(unseen))
            self.write_json(f"{_ROWS}.json", wire.problem_to_json(Problem(unseen, Shape(max_depth=1))))

    def unseen(self) -> Dataset | None:
        """The held-out rows; `None` if there are none; `RunError` if they are damaged."""
        if not (self.path / f"{_ROWS}.json").exists():
            return None
        what = f"The held-out rows of the sweep '{self.path.name}'"
        return wire.problem_from_json(self.read_json(f"{_ROWS}.json"), self._read(f"{_ROWS}.npz"), what).dataset


@dataclass(frozen=True)
class StoredSweep(SweepFolder):
    """A sweep of a run: when it was first requested, in UTC, and the task of its worker.

    `constrained` says whether models satisfy the constraints of the run.
    """

    created: datetime
    task: RunSweep
    constrained: Constrained

    @property
    def name(self) -> str:
        """The name of the sweep, unique in its run."""
        return self.path.name


class SweepList(NamedTuple):
    """The sweeps of a run, newest first, and why others cannot be read."""

    sweeps: tuple[StoredSweep, ...]
    faults: tuple[str, ...]


def create_sweep(run: Path, task: RunSweep, constrained: Constrained, unseen: Dataset | None) -> StoredSweep:
    """Make the folder of a sweep, or find the existing one with the same settings, even in the trash.

    Raises `RunError` if the folder cannot be written.

    Parameters
    ----------
    run : the folder of the run.
    task : the requested sweep; its folder is filled in here.
    unseen : the held-out rows of the run.
    """
    spec = {name: value for name, value in asdict(task).items() if name not in _PLACE}
    place = SweepFolder(run / FOLDER / _digest({**spec, "constrained": constrained}))
    task = replace(task, folder=str(place.path))
    try:
        place.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (place.path / _FILE).exists():
            place.write_unseen(unseen)
            place._write(_Manifest(datetime.now(UTC), task, constrained))
    except OSError as error:
        raise RunError(
            f"The sweep's folder in '{run}' cannot be written ({error.strerror or error}). Free some space."
        ) from None
    return replace(load_sweep(place), task=task)


def list_sweeps(run: Path) -> SweepList:
    """The sweeps in the folder of a run."""
    found, faults = [], []
    for file in sorted((run / FOLDER).glob(f"*/{_FILE}")):
        try:
            found.append(load_sweep(SweepFolder(file.parent)))
        except EspalierError as error:
            faults.append(str(error))
    found.sort(key=lambda sweep: sweep.created, reverse=True)
    return SweepList(tuple(found), tuple(faults))


def load_sweep(place: SweepFolder) -> StoredSweep:
    """The sweep in a folder; `RunError` if it is damaged, or there is none."""
    stored = place._manifest()
    if not isinstance(stored.task, RunSweep):
        raise RunError(f"The sweep '{place.path.name}' is damaged: its task is not a task of a sweep. {place.remedy}")
    # the folder may have been moved since, with the run or with all runs
    return StoredSweep(place.path, stored.created, replace(stored.task, folder=str(place.path)), stored.constrained)


def csv_of(table: pd.DataFrame) -> str:
    """A table of a sweep as CSV, without cells that a spreadsheet would read as formulas."""
    texts = table.select_dtypes(["object", "string"]).columns
    safe = {name: table[name].map(lambda v: safe_cell(v) if isinstance(v, str) else v) for name in texts}
    text: str = table.assign(**safe).to_csv(index=False)
    return text


def run_sweep(
    plan: SweepPlan,
    folder: Path,
    executor: Executor | None = None,
    stop: Stop | None = None,
    tell: Callable[[SweepProgress], None] | None = None,
    retry: bool = False,
) -> pd.DataFrame:
    """Run a sweep, or resume it, and write its tables.

    Raises `RunError` if the folder cannot be used, or the executor cannot be reached.

    Parameters
    ----------
    plan : the plan.
    folder : of the sweep; if it holds the same plan, the sweep is resumed.
    executor : where the jobs are solved; by default in this process.
    stop : ends it; jobs that have ended are kept.
    tell : called before the first job and after each.
    retry : whether failed jobs are retried; each keeps its line in the table until its retry has ended.

    Returns
    -------
    The table, one row per job that has ended, in the order of the plan.
    """
    files, executor = SweepFolder(folder), executor or InProcess()
    executor.prepare(plan.study.methods)
    workers = executor.at_once()
    ended, clock, fresh = files.open(plan), Clock(), 0
    if retry:
        ended = {key: row for key, row in ended.items() if row["error"] is None}
    cells = {cell.job.key: cell for cell in plan.cells}
    left = [cell.job for cell in plan.cells if cell.job.key not in ended]

    def progress() -> SweepProgress:
        todo = len(cells) - len(ended)
        rest = clock.elapsed / fresh * todo if fresh and todo else None
        failed = sum(row["error"] is not None for row in ended.values())
        running = min(todo, workers)
        return SweepProgress(len(ended), failed, running, len(cells), rest, seconds=clock.elapsed)

    tell = tell or (lambda progress: None)
    tell(progress())
    try:
        for outcome in run_jobs(left, executor, stop):
            if stop is not None and stop.is_set() and not outcome.proved:
                # a model that had too little time is retried when the sweep resumes
                continue
            row = row_of(cells[outcome.key], outcome)
            files.add(row, outcome)
            ended[outcome.key], fresh = row, fresh + 1
            tell(progress())
    except BaseException:
        # the sweep's own error matters more than a table that cannot be written
        with suppress(RunError):
            files.write_tables()
        raise
    return files.write_tables()


@dataclass(frozen=True)
class RunSweep(Study):
    """How do models of many methods and sizes perform, on all rows or on subsets?

    Attributes
    ----------
    folder : of the sweep; if it holds the same sweep, it is resumed.
    seed : divides the rows.
    memory_mb, gap, threads : limits of each model, see `Limits`.
    workers : the number of processes on this machine.
    scheduler : the address of a Dask cluster instead; `None` for this machine.
    retry : whether failed jobs are retried.
    """

    doing: ClassVar[str] = "Starting the sweep."
    step: float = 60.0
    folder: str = ""
    seed: int = 0
    memory_mb: int | None = None
    gap: float = 0.0
    threads: int = 1
    workers: int = 1
    scheduler: str | None = None
    retry: bool = False

    def sweep(self, problem: Problem, unseen: Dataset | None = None) -> SweepPlan:
        """The sweep of a problem; `unseen` are the held-out rows, on which models of all rows are evaluated."""
        limits = Limits(seconds=self.step, memory_mb=self.memory_mb, threads=self.threads, gap=self.gap, seed=self.seed)
        return SweepPlan(problem, self, unseen, limits)

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> SweepProgress:
        """Run or resume the sweep, reporting its progress after each job.

        Raises `RunError` if the folder cannot be used, another process works in it, or the cluster cannot be reached.
        """
        place, last, clock = SweepFolder(Path(self.folder)), SweepProgress(), Clock()
        if place.has_worker():
            raise RunError(
                "This sweep is already running in another window. Wait until the sweep ends, or stop it there."
            )
        place.write_worker()

        def note(progress: SweepProgress) -> None:
            nonlocal last
            last = progress
            tell(progress)

        try:
            executor = executor_of(self.scheduler, self.workers)
            run_sweep(self.sweep(problem, place.unseen()), place.path, executor, stop, note, self.retry)
        finally:
            # the process still lives for a moment, and the sweep may be resumed at once
            (place.path / "worker.json").unlink(missing_ok=True)
        return replace(last, running=0, left=None, finished=True, seconds=clock.elapsed)
