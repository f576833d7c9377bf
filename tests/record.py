"""What all methods answer to the same random problems, written down so that a change of code can be held against it.

A change that moves code must change no result. So, before and after it:

    python -m tests.record write before.jsonl
    python -m tests.record compare before.jsonl

Statuses, costs, bounds, traces, models and all exports are compared, words are not. What depends on the clock is left
out: searches end by themselves here.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from solvers.diagram import to_json
from solvers.errors import EspalierError
from solvers.methods import get, names
from solvers.problem import Limits, Problem, ShapeKind
from solvers.report.exports import EXPORTS, Material, export
from tests.constraints.problems import random_problem
from tests.methods.diagrams.small_diagrams import diagrams, small_table
from tests.methods.running import solve, without_refused_demands

CASES = 300
PICTURES = ("svg", "png", "pdf")
"""Formats that a drawing program writes with its version in them."""


def problems(method: str, n: int) -> Iterator[Problem]:
    """The problems of a method: with constraints as far as it takes them, in a shape that it makes."""
    solver = get(method)
    for case in range(n):
        problem = random_problem(case)
        if ShapeKind.TREE not in solver.kinds:
            if ShapeKind.DIAGRAM in solver.kinds:
                table = small_table(np.random.default_rng(case), n_rows=6)
                # the costs are those of the classes of the other table
                objective = replace(problem.objective, class_costs=None)
                problem = Problem(table, diagrams(1, 2), objective)
            problem = replace(problem, shape=replace(problem.shape, kind=solver.kinds[0]))
        kept = tuple(c for c in problem.constraints if not solver.check(replace(problem, constraints=(c,))))
        yield without_refused_demands(solver, replace(problem, constraints=kept))


def answer(method: str, problem: Problem) -> dict[str, Any]:
    """What a method says of a problem, without words and times."""
    try:
        solution = solve(get(method), problem, Limits(seconds=60)).solution
    except EspalierError as error:
        return {"error": type(error).__name__}
    found = {
        "status": str(solution.status),
        "cost": solution.cost,
        "bound": solution.bound,
        "trace": [(point.cost, point.bound) for point in solution.trace],
        "scope": bool(solution.scope),
    }
    if solution.diagram is not None:
        found["diagram"] = _digest(to_json(solution.diagram).encode())
        found["exports"] = {one.key: _export(Material(solution.diagram, problem.dataset), one.key) for one in EXPORTS}
    return found


def _export(material: Material, key: str) -> str:
    if key in PICTURES:
        return ""
    try:
        return _digest(export(material, key))
    except EspalierError as error:
        return type(error).__name__


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def record(n: int) -> Iterator[dict[str, Any]]:
    """One line a method and problem; the problems are shared out evenly among the methods."""
    each = -(-n // len(names()))
    for method in names():
        for case, problem in enumerate(problems(method, each)):
            yield {"method": method, "case": case, "problem": problem.id, **answer(method, problem)}


def main(arguments: list[str] | None = None) -> int:
    """Write a record, or compare one with what the program says today."""
    parser = argparse.ArgumentParser(prog="python -m tests.record", description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("write", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--cases", type=int, default=CASES)
    chosen = parser.parse_args(arguments)
    if chosen.what == "write":
        with chosen.file.open("w", encoding="utf-8") as file:
            for line in record(chosen.cases):
                print(json.dumps(line), file=file, flush=True)
        return 0
    before = [json.loads(line) for line in chosen.file.read_text("utf-8").splitlines()]
    differing = 0
    for old, new in zip(before, record(chosen.cases), strict=True):
        new = json.loads(json.dumps(new))
        changed = [key for key in old.keys() | new.keys() if old.get(key) != new.get(key)]
        if changed:
            differing += 1
            print(f"{old['method']} {old['case']}: {', '.join(f'{k} {old.get(k)} -> {new.get(k)}' for k in changed)}")
    print(f"{len(before)} problems, {differing} differ")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
