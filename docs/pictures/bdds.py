"""Draws the pictures of docs/bdds.md: `python -m docs.pictures.bdds`.

Both models are proved optimal for the same made-up table: 240 patients, of whom those with at least two of three signs
are in danger (the rule of the score qSOFA).
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from threading import Event

import numpy as np

from solvers.diagram import Diagram, render
from solvers.methods import get
from solvers.problem import Column, Dataset, Kind, Limits, MissingPolicy, Problem, Schema, Shape, ShapeKind
from solvers.report.drawing import drawn, row_facts

SIGNS = ("fast breathing", "low blood pressure", "confused")
PATIENTS = (96, 30, 27, 18, 24, 15, 18, 12)
"""Patients with each combination of signs, from none of them to all three."""

FOLDER = Path(__file__).parent


def table() -> Dataset:
    """The patients."""
    signs = np.repeat(list(product((0, 1), repeat=3)), PATIENTS, axis=0)
    columns = tuple(Column(name, Kind.BINARY, ("no", "yes")) for name in SIGNS)
    danger = (signs.sum(axis=1) >= 2).astype(np.int32)
    schema = Schema(columns, MissingPolicy.COMPLETE)
    return Dataset("signs", schema, signs, danger, ("stable", "in danger"), "state", positive=1)


def models() -> dict[str, Diagram]:
    """The BDD and the tree with the fewest errors, by the name of their picture."""
    found = {}
    for name, kind, method in (("bdd", ShapeKind.BDD, "bdd-search"), ("bdd-as-tree", ShapeKind.TREE, "contree")):
        problem = Problem(table(), Shape(kind, max_depth=3))
        solution = get(method).run(problem, Limits(), lambda event: None, Event())
        found[name] = solution.diagram
    return found


if __name__ == "__main__":
    for name, model in models().items():
        (FOLDER / f"{name}.svg").write_bytes(render(drawn(model, row_facts(model, table())), "svg"))
