"""What was asked and what was found: a run's folder, or what `fit --out` wrote with the table that it was made from."""

from pathlib import Path
from typing import NamedTuple

from solvers.cli.request import Posed, Request
from solvers.errors import RunError
from solvers.problem import Problem
from solvers.run import StoredRun, load_run, wire
from solvers.run.documents import current
from solvers.solution import Solution


class Fitted(NamedTuple):
    """What `fit` was asked for, the problem that this is for the table, and the solution as its file tells it."""

    request: Request
    posed: Posed
    solution: Solution

    @property
    def problem(self) -> Problem:
        """The problem of the training rows."""
        return self.posed.problem


def solved(path: Path, data: Path | None) -> StoredRun | Fitted:
    """Read what is at a path; either has a `problem` and a `solution`, which is there.

    Parameters
    ----------
    path : of a run's folder, of the folder that `fit --out` wrote, or of the solution in it.
    data : the table that `fit` read; `None` for a run, which has its own.

    Raises
    ------
    RunError
        It is neither, has no solution, or the table is missing or one too many.
    """
    if (path / "problem.json").exists():
        if data is not None:
            raise RunError(f"The run's folder '{path}' holds its own data. Leave '{data}' out.")
        stored = load_run(path)
        if stored.solution is None:
            raise RunError(f"The run in '{path}' has no solution: {stored.snapshot.text}")
        return stored
    file = path / "solution.json" if path.is_dir() else path
    what = f"The file '{file}'"
    told = current("solution.json", wire.loads(file.read_bytes(), what), what)
    if "request" not in told:
        raise RunError(f"{what} does not say what was asked. Give the folder of the run, or what 'fit --out' wrote.")
    if data is None:
        raise RunError(f"{what} needs the table that it was made from. Add the data file to the command.")
    solution = wire.solution_from_json(told.get("solution") or told.get("best") or {}, what)
    request = Request.from_json(told["request"])
    return Fitted(request, request.pose(data), solution)
