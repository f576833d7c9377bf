"""Cost of path rules and minimum leaf sizes in the exact search: `python -m benchmarks.constraints FOLDER`.

The folder holds tables with a header, `*.csv`, with the outcome in the last column. On each table the search proves the
optimum without constraints, then with one constraint of each kind. The constraints rule out the unconstrained optimum
by its first two columns: the second must come before the first, or the first only after the second, or never both;
thresholds must be in the middle half of the values; tests cost 1, 2 or 3 in turn, and a path at most 4; the second
column is at the root; a leaf has at least 5, 10 or 20 rows. The time is that of the search from the start to the proof:
user CPU seconds of its thread, the minimum of several runs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.cli import Findings, conclude, names, number, parser, tell
from benchmarks.process import pin
from benchmarks.report import PAGE, replaced
from benchmarks.tables import NOTHING, Table, digits, whole
from solvers.constraints import (
    AskedBefore,
    Constraint,
    FixedTop,
    MaxPathCost,
    MinSamplesLeaf,
    NeverBothOnPath,
    OnlyAfter,
    ThresholdsWithin,
    rules_of,
)
from solvers.constraints.questions import Questions
from solvers.diagram import Diagram, Split
from solvers.errors import DataError
from solvers.methods.trees.exact_search import as_weighted_rows
from solvers.methods.trees.fixed_splits import PlacedSearch
from solvers.methods.trees.path_rules import search_space
from solvers.methods.trees.tree_of_splits import grow
from solvers.problem import Dataset, Kind, Problem, Shape, build_dataset, question_orders, read_table

KINDS = ("order", "only after", "exclusion", "path cost", "range", "fixed top", "5 rows", "10 rows", "20 rows")


class Proof(NamedTuple):
    """A proved optimum, its effort, and the tree."""

    cost: int
    seconds: float
    diagram: Diagram


def prove(problem: Problem, repeats: int) -> Proof | None:
    """The minimum time of several searches; `None` if no tree satisfies the constraints."""
    asked = search_space(problem, question_orders(problem.dataset), rules_of(problem))
    if asked.trouble:
        return None
    rows, times = as_weighted_rows(problem), []
    for _ in range(repeats):
        begun = time.thread_time()
        search = PlacedSearch(problem, asked, rows, ceiling=rows.total + 1)
        while not search.advance():
            pass
        times.append(time.thread_time() - begun)
    splits = asked.original(search.splits)
    diagram = grow(problem, asked.orders, splits, fixed=asked.fixed, within=asked.within)
    return Proof(search.cost, min(times), diagram)


def constraints(dataset: Dataset, free: Diagram) -> Iterator[tuple[str, Constraint]]:
    """A constraint of each applicable kind, by kind."""
    asked = [node.predicate for node in free.nodes if isinstance(node, Split)]
    columns = list(dict.fromkeys([*(question.column for question in asked), *dataset.schema.names]))
    if len(columns) > 1:
        first, second = columns[:2]
        yield "order", AskedBefore(second, first)
        yield "only after", OnlyAfter(second, first)
        yield "exclusion", NeverBothOnPath((first, second))
    costs = {name: float(1 + i % 3) for i, name in enumerate(dataset.schema.names)}
    yield "path cost", MaxPathCost(costs, 4.0)
    for name in columns:
        if dataset.schema[name].kind is Kind.NUMERIC:
            low, high = np.nanquantile(dataset.X[:, dataset.schema.index(name)], (0.25, 0.75))
            yield "range", ThresholdsWithin(name, float(low), float(high))
            break
    if len(asked) > 1:
        yield "fixed top", FixedTop(Questions.top_of(free, 1, node=_second(free)))
    for rows in (5, 10, 20):
        yield f"{rows} rows", MinSamplesLeaf(rows)


def _second(free: Diagram) -> int:
    """The first internal node below the root."""
    return next(i for i, node in enumerate(free.nodes) if i and isinstance(node, Split))


def measure(datasets: Sequence[Dataset], depth: int, repeats: int, progress: Callable[[str], None] = tell) -> Findings:
    """One line per table: the unconstrained search, then the others in multiples of its time, with their optima."""
    lines = []
    for dataset in datasets:
        problem = Problem(dataset, Shape(max_depth=depth))
        prove(problem, 1)  # compile and fill caches
        free = prove(problem, repeats)
        cells = dict.fromkeys(KINDS, NOTHING)
        for kind, constraint in constraints(dataset, free.diagram):
            bound = replace(problem, constraints=(constraint,))
            if proof := prove(bound, repeats):
                cells[kind] = f"{proof.seconds / free.seconds:.2g} ({proof.cost})"
                progress(f"{dataset.name}: {constraint}: {proof.cost} after {digits(proof.seconds)} s")
        sizes = whole(dataset.n_samples), whole(dataset.n_columns), whole(dataset.n_classes)
        lines.append((dataset.name, *sizes, f"{digits(free.seconds)} ({free.cost})", *cells.values()))
    headers = ("table", "rows", "columns", "classes", "free s", *KINDS)
    title = f"Depth {depth}, every threshold: seconds without constraints, and multiples of them (optimum):"
    return Findings((Table(title, headers, tuple(lines)),))


def read(folder: Path, chosen: Sequence[str] | None = None) -> tuple[Dataset, ...]:
    """The tables of a folder, with the outcome in the last column.

    Raises
    ------
    DataError
        There is no such table.
    """
    paths = sorted(folder.glob("*.csv"))
    if chosen is not None:
        paths = [folder / f"{name}.csv" for name in chosen]
    if not paths:
        raise DataError(f"The folder '{folder}' must hold at least one table (*.csv).")
    tables = [read_table(path) for path in paths]
    return tuple(build_dataset(table, table.names[-1]) for table in tables)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    made = parser("constraints", "What constraints cost the exact search.", folder=False)
    made.add_argument("folder", type=Path, metavar="FOLDER", help="holds tables, *.csv: a header, the outcome last")
    made.add_argument("--sets", type=names, metavar="A,B", help="the tables to take (default: all)")
    made.add_argument("--depth", type=number, default=3, metavar="D", help="questions on a path (default: 3)")
    made.add_argument("--repeats", type=number, default=5, metavar="N", help="runs of each search (default: 5)")
    made.add_argument("--page", type=Path, metavar="FILE", help=f"write it into a page as well, such as {PAGE.name}")
    options = made.parse_args(argv)

    def measured() -> Findings:
        findings = measure(read(options.folder, options.sets), options.depth, options.repeats)
        if options.page is not None:
            page = replaced(options.page.read_text("utf-8"), "constraints", findings.markdown)
            options.page.write_text(page, "utf-8")
        return findings

    return conclude(measured, options.out)


if __name__ == "__main__":
    pin(1)
    sys.exit(main())
