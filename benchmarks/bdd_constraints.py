"""Cost of constraints in the exact search for BDDs: `python -m benchmarks.bdd_constraints FOLDER`.

The folder holds tables with a header, `*.csv`, with the outcome in the last column. On each table the search proves the
optimum without constraints, then with one constraint of each kind. Fairness is between the values of a column `sex`, or
between the halves of the first numeric column: rates differ by at most 5%, or the lower is at least 80% of the higher.
Tests cost 1, 2 or 3 in turn: at most 4 per row, or half of the average cost of the unconstrained optimum. The order
rules out the unconstrained optimum: its second column before the first, the first only after the second, never both.
The time is that of the search from the start to the proof: user CPU seconds of its thread.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.cli import Findings, conclude, names, number, parser, tell
from benchmarks.constraints import read
from benchmarks.process import pin
from benchmarks.report import replaced
from benchmarks.tables import NOTHING, Table, digits, whole
from solvers.constraints import (
    KINDS,
    AskedBefore,
    Constraint,
    MaxExpectedCost,
    MaxPathCost,
    NeverBothOnPath,
    OnlyAfter,
    Severity,
)
from solvers.diagram import Diagram
from solvers.methods import get
from solvers.problem import Dataset, Group, Kind, Limits, Problem, Shape, ShapeKind
from solvers.solution import Solution, Status

GAPS = ("demographic-parity", "equal-opportunity", "predictive-equality", "equalised-odds")
RATIOS = ("demographic-parity-ratio", "equal-opportunity-ratio")
REST = ("max-path-cost", "max-expected-cost", "asked-before", "only-after", "never-both-on-path")


def prove(problem: Problem, seconds: float) -> tuple[Solution, float]:
    """The solution within a time limit, and its effort."""
    begun = time.thread_time()
    solution = get("bdd-search").run(problem, Limits(seconds=seconds), lambda event: None, threading.Event())
    return solution, time.thread_time() - begun


def group_by(dataset: Dataset) -> tuple[Dataset, str]:
    """The table with a group column, and its name."""
    if "sex" in dataset.schema.names and dataset.schema["sex"].kind.has_levels:
        return dataset, "sex"
    j = next(j for j, column in enumerate(dataset.schema.columns) if column.kind is Kind.NUMERIC)
    name = f"half of {dataset.schema.names[j]}"
    codes = (dataset.X[:, j] > np.nanmedian(dataset.X[:, j])).astype(np.int64)
    return replace(dataset, groups=(Group(name, ("lower", "upper"), codes),)), name


def constraints(dataset: Dataset, group: str, free: Diagram) -> Iterator[Constraint]:
    """A constraint of each kind."""
    positive = None if dataset.positive is not None else dataset.classes[0]
    for kind in GAPS:
        yield KINDS[kind](group, 0.05, positive=positive)
    for kind in RATIOS:
        yield KINDS[kind](group, 0.8, positive=positive)
    costs = {name: float(1 + i % 3) for i, name in enumerate(dataset.schema.names)}
    yield MaxPathCost(costs, 4.0)
    yield MaxExpectedCost(costs, round(float(MaxExpectedCost(costs, 0).value(free, dataset)) / 2, 3))
    first, second = list(dict.fromkeys((*free.features, *dataset.schema.names)))[:2]
    yield AskedBefore(second, first)
    yield OnlyAfter(second, first)
    yield NeverBothOnPath((first, second))


def measure(
    datasets: Sequence[Dataset], depth: int, seconds: float, progress: Callable[[str], None] = tell
) -> Findings:
    """One line per table: the unconstrained search, and seconds and optima under constraints."""
    get("bdd-search").precompile(constraints=True)
    lines = []
    for plain in datasets:
        dataset, group = group_by(plain)
        problem = Problem(dataset, Shape(ShapeKind.BDD, max_depth=depth))
        free, took = prove(problem, seconds)
        assert free.diagram is not None
        cells = dict.fromkeys((*GAPS, *RATIOS, *REST), NOTHING)
        for constraint in constraints(dataset, group, free.diagram):
            bound = replace(problem, constraints=(constraint,))
            if any(finding.severity is Severity.ERROR for finding in constraint.check(bound)):
                continue
            solution, spent = prove(bound, seconds)
            proved = solution.status in (Status.OPTIMAL, Status.INFEASIBLE)
            found = NOTHING if solution.cost is None else str(solution.cost)
            known = found if proved else f"{found}, at least {solution.bound}"
            cells[constraint.kind] = f"{digits(spent)} ({known})"
            progress(f"{dataset.name}: {constraint}: {known} after {digits(spent)} s, {solution.stats}")
        lines.append((dataset.name, whole(dataset.n_samples), f"{digits(took)} ({free.cost})", *cells.values()))
    headers = ("table", "rows", "free", *(kind.replace("-", " ") for kind in cells))
    title = f"BDDs of {depth} levels: seconds to the proof under one constraint, and the optimum:"
    return Findings((Table(title, headers, tuple(lines)),))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    made = parser("bdd_constraints", "What constraints cost the exact search for BDDs.", folder=False)
    made.add_argument("folder", type=Path, metavar="FOLDER", help="holds tables, *.csv: a header, the outcome last")
    made.add_argument("--sets", type=names, metavar="A,B", help="the tables to take (default: all)")
    made.add_argument("--depth", type=number, default=4, metavar="H", help="levels (default: 4)")
    made.add_argument("--seconds", type=number, default=60, metavar="S", help="limit of a search (default: 60)")
    made.add_argument("--page", type=Path, metavar="FILE", help="write it into a page as well")
    options = made.parse_args(argv)

    def measured() -> Findings:
        findings = measure(read(options.folder, options.sets), options.depth, options.seconds)
        if options.page is not None:
            page = replaced(options.page.read_text("utf-8"), "bdd-constraints", findings.markdown)
            options.page.write_text(page, "utf-8")
        return findings

    return conclude(measured, options.out)


if __name__ == "__main__":
    pin(1)
    sys.exit(main())
