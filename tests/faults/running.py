"""Runs for the tests of faults: easy ones, and ones that go on until they are told to stop."""

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
"""Seconds after which a test gives up waiting for what must happen."""


def easy() -> Problem:
    """A problem that is proved at once."""
    return Problem(sample_dataset("xor"), Shape(max_depth=2))


def finished(runs: Path) -> tuple[Path, Solution]:
    """The folder of a run that has ended, and its result; it is solved here, which is quick."""
    folder = RunFolder.create(runs, easy(), "c45", Limits())
    folder.claim()
    solution = solve(easy(), "c45", emit=folder.append_event)
    folder.append_event(Finished(solution.seconds, solution))
    folder.write_outcome(Finished(solution.seconds, solution))
    return folder.path, solution


def looking(job: Job) -> Job:
    """The job once it has incumbents and looks for more."""
    until(lambda: job.snapshot().text == "Looking.")
    return job


def until(so) -> None:
    """Wait until something is so.

    Raises
    ------
    TimeoutError
        It takes too long.
    """
    end = time.monotonic() + PATIENCE
    while not so():
        if time.monotonic() > end:
            raise TimeoutError("what must happen has not happened")
        time.sleep(0.01)
