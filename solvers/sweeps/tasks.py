"""A sweep as a task of a worker: it is run in a folder, and the answer says how far it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from ..errors import RunError
from ..explain.inquiry import Solve
from ..explain.tasks import Tell
from ..methods.search.clock import Clock
from ..problem import Dataset, Limits, Problem, Shape
from ..run import wire
from ..run.folder import RunFolder
from ..solution import Stop
from .executors import Executor, executor_of
from .folder import SweepProgress, run_sweep
from .plan import SweepPlan
from .study import Study

_ROWS = "unseen"


@dataclass(frozen=True)
class RunSweep(Study):
    """How do models of many methods and sizes do, on all rows or on parts of them?

    Attributes
    ----------
    folder : of the sweep; one that holds the same sweep is continued.
    seed : divides the rows.
    memory_mb, gap, threads : limits of each model, see `Limits`.
    workers : processes of this machine.
    scheduler : the address of a Dask cluster instead; `None` for this machine.
    retry : whether jobs that have failed are tried again.
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

    @property
    def executor(self) -> Executor:
        """Where the models are found."""
        return executor_of(self.scheduler, self.workers)

    def sweep(self, problem: Problem, unseen: Dataset | None = None) -> SweepPlan:
        """The sweep of a problem; `unseen` are the rows held out from all, which models of all rows are judged on."""
        limits = Limits(seconds=self.step, memory_mb=self.memory_mb, threads=self.threads, gap=self.gap, seed=self.seed)
        return replace(self.plan(problem, limits), test=unseen, limits=limits)

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> SweepProgress:
        """Run what is left of the sweep, telling how far it is after each job.

        Raises `RunError` where the folder cannot be used, another process is at work in it, or the cluster is out of
        reach.
        """
        place, last, clock = RunFolder(Path(self.folder)), SweepProgress(), Clock()
        if place.has_worker():
            raise RunError("This sweep is at work already, in another window. Wait for its end, or stop it there.")
        place.claim()

        def note(progress: SweepProgress) -> None:
            nonlocal last
            last = progress
            tell(progress)

        try:
            executor = self.executor
            plan, at_once = self.sweep(problem, read_unseen(place)), executor.at_once()
            run_sweep(plan, place.path, executor, stop, note, at_once, self.retry)
        finally:
            # the process lives on for a moment, and the sweep may be gone on with at once
            (place.path / "worker.json").unlink(missing_ok=True)
        return replace(last, running=0, left=None, finished=True, seconds=clock.elapsed)


def write_unseen(place: RunFolder, unseen: Dataset | None) -> None:
    """Write the held-out rows beside a sweep; nothing where there are none; `OSError` where they cannot be written."""
    if unseen is not None:
        place.write(f"{_ROWS}.npz", wire.arrays_to_bytes(unseen))
        place.write_json(f"{_ROWS}.json", wire.problem_to_json(Problem(unseen, Shape(max_depth=1))))


def read_unseen(place: RunFolder) -> Dataset | None:
    """The rows that `write_unseen` wrote; `None` where there are none; `RunError` where they are damaged."""
    if not (place.path / f"{_ROWS}.json").exists():
        return None
    description, what = place.read_json(f"{_ROWS}.json"), f"The held-out rows of the sweep '{place.path.name}'"
    return wire.problem_from_json(description, (place.path / f"{_ROWS}.npz").read_bytes(), what).dataset
