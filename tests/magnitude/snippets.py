"""A problem as Python code that reproduces it, to investigate a failure."""

from __future__ import annotations

from dataclasses import fields

from solvers.problem import Dataset, Problem


def snippet(problem: Problem, method: str, options: dict[str, str], seed: int = 0) -> str:
    """Python code that solves the problem with the method, and prints the result."""
    constraints = [constraint.to_json() for constraint in problem.constraints]
    shown = {f.name: getattr(problem.shape, f.name) for f in fields(problem.shape)}
    shown["kind"] = str(problem.shape.kind)
    if problem.shape.widths is not None:
        shown.pop("max_depth")
    shape = ", ".join(f"{name}={value!r}" for name, value in shown.items())
    objective = ", ".join(
        f"{f.name}={getattr(problem.objective, f.name)!r}"
        for f in fields(problem.objective)
        if getattr(problem.objective, f.name) != f.default
    )
    chosen = "".join(f", {name}={value!r}" for name, value in options.items())
    return "\n".join(
        [
            "from dataclasses import replace; import threading; import numpy as np; from numpy import nan",
            "from solvers.constraints import from_json; from solvers.methods import get",
            "from solvers.metrics import verify",
            "from solvers.problem import Group, Kind, Limits, MissingPolicy, Objective, Problem, Shape",
            "from tests.strategies import make_dataset",
            *_table(problem.dataset),
            f"constraints = tuple(from_json(c) for c in {constraints!r})",
            f"problem = Problem(table, Shape({shape}), Objective({objective}), constraints)",
            f"method = get({method!r}{chosen})",
            f"solution = method.run(problem, Limits(seconds=20, seed={seed}), print, threading.Event())",
            "print(solution.status, solution.cost, solution.bound, problem.scale, solution.ended, solution.details)",
            "print(verify(problem, solution).failures)",
        ]
    )


def _table(dataset: Dataset) -> list[str]:
    kinds = {column.name: f"Kind.{column.kind.name}" for column in dataset.schema.columns}
    cells = ", ".join(
        f"{name!r}: ({kind}, {dataset.X[:, j].tolist()!r})" for j, (name, kind) in enumerate(kinds.items())
    )
    weight = "" if dataset.weight is None else f", weight={dataset.weight.tolist()!r}"
    lines = [
        f"table = make_dataset({{{cells}}}, {dataset.y.tolist()!r}, n_classes={dataset.n_classes}{weight}, "
        f"missing=MissingPolicy.{dataset.schema.missing.name})"
    ]
    groups = ", ".join(
        f"Group({g.name!r}, {tuple(g.levels)!r}, np.array({g.codes.tolist()!r}))" for g in dataset.groups
    )
    if dataset.groups:
        rows = dataset.rows.tolist()
        lines.append(
            f"table = replace(table, positive={dataset.positive}, rows=np.array({rows!r}), groups=({groups},))"
        )
    return lines
