"""How long constraints that couple the leaves of a tree take to prove.

    python -m benchmarks.coupled_constraints DATA.csv SETS.json

The second file names sets of constraints: {"set": [constraints as in --constraints], ...}, or holds presets as those in
`sample_data/constraints`. On the table (a header, the
outcome in its last column) the exact method proves the optimum without constraints and with each set. The time is the
user CPU time of one run, from the table in memory to the proof, the least of several.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.cli import Findings, conclude, number, parser, tell
from benchmarks.process import pin
from benchmarks.tables import NOTHING, Table, digits, whole
from solvers.constraints import Constraint, from_json
from solvers.errors import DataError
from solvers.methods import get
from solvers.metrics import verify
from solvers.problem import Dataset, Limits, Problem, Shape, build_dataset, read_table
from solvers.solution import Solution, Status


def prove(problem: Problem, seconds: float, repeats: int) -> Solution:
    """The run that took the least time."""
    runs = [
        get("contree").run(problem, Limits(seconds=seconds), lambda event: None, threading.Event())
        for _ in range(repeats)
    ]
    return min(runs, key=lambda run: run.cpu_seconds)


def measure(
    dataset: Dataset,
    sets: Mapping[str, Sequence[Constraint]],
    depth: int,
    seconds: float = 600.0,
    repeats: int = 3,
    progress: Callable[[str], None] = tell,
) -> Findings:
    """One line a set of constraints, after one for the tree without any."""
    get("contree").warm(constraints=True)
    lines, faults = [], []
    for name, constraints in {"no constraint": (), **sets}.items():
        problem = Problem(dataset, Shape(max_depth=depth), constraints=tuple(constraints))
        if reasons := get("contree").check(problem):
            raise DataError(f"The set '{name}' cannot be posed: {reasons[0]}")
        run = prove(problem, seconds, repeats)
        if not verify(problem, run).ok:
            faults.append(f"the result for '{name}' does not pass the verifier")
        cost = NOTHING if run.cost is None else whole(run.cost)
        bound = "none can" if run.status is Status.INFEASIBLE else whole(run.bound)
        searches = [run.stats.get(figure) for figure in ("weighted searches", "nodes opened")]
        figures = [NOTHING if figure is None else whole(figure) for figure in searches]
        lines.append((name, cost, bound, str(run.status), digits(run.cpu_seconds), *figures))
        progress(f"{name}: {run.status} {cost} after {digits(run.cpu_seconds)} s")
    headers = ("constraints", "errors", "bound", "status", "s", "weighted searches", "nodes opened")
    title = (
        f"{dataset.name}, {whole(dataset.n_samples)} rows, {dataset.n_columns} columns, depth {depth}, every threshold:"
    )
    return Findings((Table(title, headers, tuple(lines)),), tuple(faults))


def read(path: Path, sets: Path) -> tuple[Dataset, dict[str, tuple[Constraint, ...]]]:
    """The table, with the outcome in its last column, and the sets of constraints.

    Raises
    ------
    DataError
        A file cannot be read as what it should be.
    """
    table = read_table(path)
    dataset = build_dataset(table, table.names[-1])
    try:
        written = json.loads(sets.read_text("utf-8"))
        if "presets" in written:
            written = {preset["title"]: preset["constraints"] for preset in written["presets"]}
        return dataset, {
            name: tuple(from_json(constraint) for constraint in constraints) for name, constraints in written.items()
        }
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        raise DataError(f"'{sets}' must hold sets of constraints, {{'name': [constraint, ...]}}: {error}") from error


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns the exit status."""
    made = parser("coupled_constraints", "How long coupled constraints take to prove.", folder=False)
    made.add_argument("data", type=Path, metavar="DATA.csv", help="a header, the outcome in the last column")
    made.add_argument("constraints", type=Path, metavar="SETS.json", help="sets of constraints by name")
    made.add_argument("--depth", type=number, default=3, metavar="D", help="questions on a path (default: 3)")
    made.add_argument("--seconds", type=number, default=600, metavar="S", help="limit of a run (default: 600)")
    made.add_argument("--repeats", type=number, default=3, metavar="N", help="runs of each set (default: 3)")
    options = made.parse_args(argv)

    def measured() -> Findings:
        dataset, sets = read(options.data, options.constraints)
        return measure(dataset, sets, options.depth, options.seconds, options.repeats)

    return conclude(measured, options.out)


if __name__ == "__main__":
    pin(1)
    sys.exit(main())
