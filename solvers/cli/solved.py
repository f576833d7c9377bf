"""A solved problem: a run's folder, or the output of `fit --out` with its table."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ..errors import RunError
from ..metrics import verify
from ..posing import PreparedProblem, build_problem, limits_of
from ..problem import Limits, Problem
from ..problem.texts import abbreviate
from ..request import Request
from ..run import load_run, wire
from ..solution import Solution
from .table import read


class Solved(NamedTuple):
    """A problem and its solution, with the request.

    Attributes
    ----------
    solution : of a run as it was verified, of `fit` as in its file.
    options, limits : of the method and of the run.
    request, posed : the request of `fit`, and its problem for the table; `None` for a run.
    """

    problem: Problem
    solution: Solution
    options: Mapping[str, str]
    limits: Limits
    request: Request | None = None
    posed: PreparedProblem | None = None


def solved(path: Path, data: str | None) -> Solved:
    """Read a solved problem; `RunError` if the path holds none, or the table is missing or superfluous.

    Parameters
    ----------
    path : of a run's folder, of the folder that `fit --out` wrote, or of the solution in it.
    data : the table that `fit` read; `None` for a run, which has its own.
    """
    if (path / "problem.json").exists():
        if data is not None:
            raise RunError(f"The run's folder '{path}' holds its own data. Leave the table out of the command.")
        stored = load_run(path)
        if stored.solution is None:
            raise RunError(f"The run in '{path}' has no solution: {stored.snapshot().text}")
        return Solved(stored.problem, stored.solution, stored.options, stored.limits)
    file = path / "solution.json" if path.is_dir() else path
    what = f"The file '{file}'"
    content = wire.document(file.read_bytes(), what)
    if "request" not in content:
        raise RunError(
            f"{what} does not contain the problem. Name the folder of the run, or the folder that 'fit --out' wrote."
        )
    if data is None:
        raise RunError(f"{what} needs the table on which the model was trained. Add the data file to the command.")
    solution = wire.solution_from_json(content.get("solution") or content.get("best") or {}, what)
    request = Request.from_json(content["request"])
    posed = build_problem(request, read(data, request))
    return Solved(posed.problem, solution, request.options, limits_of(request), request, posed)


def verification_fault(problem: Problem, solution: Solution) -> str:
    """Why a result does not pass `verify` for this problem, in sentences; '' if every check passes."""
    failures = verify(problem, solution).failures
    if not failures:
        return ""
    if solution.problem_id == problem.id:
        return f"The result does not pass 'verify': {failures[0].detail}"
    return (
        f"The model was not trained on this table: {_difference(problem, solution)}. "
        "Name the training table: the same columns in the same order, and the same rows."
    )


def _difference(problem: Problem, solution: Solution) -> str:
    """How a table differs from that of a result, as a clause."""
    here = problem.dataset.schema.names
    learned = here if solution.diagram is None else solution.diagram.schema.names
    if lacking := [name for name in learned if name not in here]:
        return f"the table lacks {abbreviate(lacking)}"
    if added := [name for name in here if name not in learned]:
        return f"the table also has {abbreviate(added)}"
    return "the columns have a different order" if here != learned else "the rows, classes or types of columns differ"
