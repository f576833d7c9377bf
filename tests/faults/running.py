"""Runs for the tests of faults: easy ones, ones that work until they are stopped, and what must hold after a fault."""

from __future__ import annotations

import time
from pathlib import Path

from solvers.diagram import Diagram
from solvers.problem import Limits, Problem, Shape, sample_dataset
from solvers.run import Job, load_run, solve
from solvers.run.folder import RunFolder
from solvers.solution import Finished, Solution, Status

IMPORTS = ("tests.run.plugin",)
ROOT = Path(__file__).parents[2]
PATIENCE = 60.0
"""Seconds that a test waits for an event."""


def easy() -> Problem:
    """A problem that is proved optimal at once."""
    return Problem(sample_dataset("xor"), Shape(max_depth=2))


def finished(runs: Path) -> tuple[Path, Solution]:
    """The folder of a finished run, and its result; the run is solved here, which is fast."""
    folder = RunFolder.create(runs, easy(), "c45", Limits())
    folder.claim()
    solution = solve(easy(), "c45", emit=folder.append_event)
    folder.append_event(Finished(solution.seconds, solution))
    folder.write_outcome(Finished(solution.seconds, solution))
    return folder.path, solution


def looking(job: Job) -> Job:
    """The job once it has incumbents and searches for more."""
    until(lambda: job.snapshot().text == "Looking.")
    return job


def until(so) -> None:
    """Wait for a condition.

    Raises
    ------
    TimeoutError
        The condition does not hold in time.
    """
    end = time.monotonic() + PATIENCE
    while not so():
        if time.monotonic() > end:
            raise TimeoutError("what must happen has not happened")
        time.sleep(0.01)


def right(diagram: Diagram, problem: Problem, cost: int | None) -> bool:
    """Whether a model has the stated cost."""
    return problem.cost(diagram.predict(problem.dataset), diagram.n_splits) == cost


def judge(found: Solution | None, problem: Problem, known: Solution | None = None) -> None:
    """Check that a run after a fault is neither lost nor wrong.

    Parameters
    ----------
    found : the result as reported now; if it has no model, or a worse one than `known`, the run is lost.
    problem : its problem, for which the result must be verified and have the stated cost.
    known : the result as reported before the fault.
    """
    assert found is not None and found.diagram is not None
    assert known is None or found.cost <= known.cost
    assert right(found.diagram, problem, found.cost) and found.verified is True
    assert found.status is not Status.OPTIMAL or found.bound == found.cost


def judge_folder(folder: Path, known: Solution | None = None) -> None:
    """Check a run by its folder, as read by another program."""
    run = load_run(folder)
    judge(run.solution, run.problem, known)
