"""What a command reads: tables, models and solved problems; and what it writes."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..diagram import Diagram, from_json
from ..errors import RunError
from ..metrics import verify
from ..posing import PreparedProblem, build_problem, limits_of
from ..problem import Limits, Problem, Table, read_table
from ..problem.texts import abbreviate
from ..request import ReadingOptions, Request
from ..run import load_run, wire
from ..run.folder import RunFolder
from ..solution import Cancelled, Failed, Finished, Solution


def read(data: str, reading: ReadingOptions) -> Table:
    """Read the table named on the command line; notes on it go to stderr.

    Parameters
    ----------
    data : a path, or '-' for standard input.
    reading : how it is read.
    """
    source: Any = Path(data)
    name = None
    if data == "-":
        source, name = sys.stdin.buffer, "table"
    options = ReadingOptions(**{field: getattr(reading, field) for field in ReadingOptions.__struct_fields__})
    table = read_table(source, name=name, options=options)
    for note in table.notes:
        print(note, file=sys.stderr)
    return table


def read_problem(request: Request, data: str) -> PreparedProblem:
    """Read the table and make the problem; notes on the table go to stderr."""
    posed = build_problem(request, read(data, request))
    for note in posed.notes:
        print(note, file=sys.stderr)
    return posed


def read_model(path: Path) -> Diagram:
    """The model in a file, in the folder that `fit --out` wrote, or in a run's folder.

    Raises
    ------
    DiagramError
        The file is not a model.
    RunError
        The folder holds no model.
    """
    if not path.is_dir():
        return from_json(path.read_bytes())
    if (path / "model.json").exists():
        return from_json((path / "model.json").read_bytes())
    end = RunFolder(path).outcome()
    solution = end.solution if isinstance(end, Finished) else end.best if isinstance(end, Failed | Cancelled) else None
    if solution is None or solution.diagram is None:
        raise RunError(
            f"The folder '{path}' holds no model. Name a model.json, or the folder of a run that found a model."
        )
    return solution.diagram


def write(content: bytes, out: Path | None, *, binary: bool = False) -> None:
    """Write to a file, or to stdout; binary content is not written to a terminal.

    Raises `RunError` if binary content would go to a terminal.
    """
    if out is not None:
        out.write_bytes(content)
    elif binary and sys.stdout.isatty():
        raise RunError("This format cannot be shown in a terminal. Name a file with --out.")
    else:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


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
