"""`verify`: recompute what a solution claims, from the model and the data alone."""

from __future__ import annotations

import argparse
from pathlib import Path

from solvers.cli.request import Request
from solvers.errors import RunError
from solvers.metrics import verify
from solvers.problem import Problem
from solvers.run import load_run, wire
from solvers.solution import Solution


def run(options: argparse.Namespace) -> int:
    """Carry out `verify`; 0 where every check holds, 1 where one fails."""
    problem, solution = claimed(options.solution, options.data)
    verification = verify(problem, solution)
    for check in verification.checks:
        print(f"{'ok    ' if check.ok else 'FAILED'}  {check.name}: {check.detail}")
    claim = f"{solution.status}, cost {solution.cost}, bound {solution.bound}"
    print(f"{'Verified' if verification.ok else 'NOT VERIFIED'}: {claim}.")
    return 0 if verification.ok else 1


def claimed(path: Path, data: Path | None) -> tuple[Problem, Solution]:
    """What was asked and what was found, from a run's folder or from what `fit --out` wrote and its table.

    Raises
    ------
    RunError
        It is neither, has no solution, or the table is missing.
    """
    if (path / "problem.json").exists():
        if data is not None:
            raise RunError(f"The run's folder '{path}' holds its own data. Leave '{data}' out.")
        stored = load_run(path)
        if stored.solution is None:
            raise RunError(f"The run in '{path}' has no solution: {stored.snapshot.text}")
        return stored.problem, stored.solution
    file = path / "solution.json" if path.is_dir() else path
    what = f"The file '{file}'"
    told = wire.loads(file.read_bytes(), what)
    wire.check_version(told, what)
    if "request" not in told:
        raise RunError(f"{what} does not say what was asked. Give the folder of the run, or what 'fit --out' wrote.")
    if data is None:
        raise RunError(f"{what} needs the table that it was made from. Add the data file to the command.")
    solution = wire.solution_from_json(told.get("solution") or told.get("best") or {}, what)
    return Request.from_json(told["request"]).pose(data).problem, solution
