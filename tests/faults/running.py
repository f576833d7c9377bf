"""Runs for the tests of faults: easy ones, and ones that work until they are stopped."""

from __future__ import annotations

import time
from pathlib import Path

from solvers.problem import Limits, Problem, Shape, sample_dataset
from solvers.run import Job, solve
from solvers.run.folder import RunFolder
from solvers.solution import Finished, Solution

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
