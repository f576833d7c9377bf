"""Time to prove optima under constraints that couple the leaves of a tree.

    python -m benchmarks.coupled_constraints DATA.csv SETS.json
    python -m benchmarks.coupled_constraints --clinical SEED

The second file names sets of constraints: {"set": [constraints as in --constraints], ...}, or holds presets as those in
`sample_data/constraints`. `--clinical` generates a table like clinical data, with missing values, and uses two sets of
six constraints of different kinds. On the table (with a header, the outcome in its last column) the exact method proves
the optimum without constraints and with each set. The time is the user CPU time of one run, from the table in memory to
the proof, the minimum of several; the time to the first tree that satisfies all constraints is from the same run.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.cli import Findings, conclude, number, parser, tell
from benchmarks.process import pin
from benchmarks.tables import NOTHING, Table, digits, whole
from solvers.constraints import Constraint, from_json
from solvers.errors import DataError
from solvers.methods import get
from solvers.metrics import verify
from solvers.problem import Dataset, Limits, Problem, Shape, build_dataset, load_dataset, read_table
from solvers.solution import Event, Incumbent, Solution, Status

SEARCHED = ("weighted searches", "nodes opened")
"""Statistics of a run."""


def six(budget: int, found: float, gap: float, rows: int) -> list[Constraint]:
    """Average test cost, sensitivity, parity, a minimum leaf size, an order and a mandatory column."""
    written: list[dict[str, object]] = [
        {"kind": "max-expected-cost", "costs": {f"t{i}": 5 + 15 * i for i in range(12)}, "budget": budget},
        {"kind": "min-sensitivity", "share": found, "positive": "ill"},
        {"kind": "demographic-parity", "column": "sex", "difference": gap, "positive": "ill"},
        {"kind": "min-samples-leaf", "rows": rows},
        {"kind": "asked-before", "first": "age", "then": "t3"},
        {"kind": "must-appear", "column": "age"},
    ]
    return [from_json(constraint) for constraint in written]


def clinical(seed: int, rows: int = 480) -> Dataset:
    """A generated table: age, sex, twelve tests of which four matter, one in twelve values missing, 15% noise."""
    random = np.random.default_rng(seed)
    age, sex = random.integers(20, 90, rows), random.integers(0, 2, rows)
    tests = random.normal(size=(rows, 12)).round(2)
    risk = (age - 55) / 20 + 0.4 * sex + tests[:, 0] - tests[:, 3] + tests[:, 5] * tests[:, 8]
    ill = (risk > 0) ^ (random.random(rows) < 0.15)
    columns = {f"t{i}": np.where(random.random(rows) < 1 / 12, np.nan, tests[:, i]) for i in range(12)}
    frame = pd.DataFrame({"age": age, "sex": np.where(sex == 1, "male", "female"), **columns})
    frame["outcome"] = np.where(ill, "ill", "well")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clinical.csv"
        frame.to_csv(path, index=False)
        return load_dataset(path, "outcome")


class Proof(NamedTuple):
    """A run, and the CPU seconds of the process until the first tree; `None` if no tree was found."""

    run: Solution
    first: float | None


def prove(problem: Problem, seconds: float, repeats: int) -> Proof:
    """The run with the least time."""
    proofs = []
    for _ in range(repeats):
        begun, trees = time.process_time(), []

        def note(event: Event, begun: float = begun, trees: list[float] = trees) -> None:
            if isinstance(event, Incumbent):
                trees.append(time.process_time() - begun)

        run = get("contree").run(problem, Limits(seconds=seconds), note, threading.Event())
        proofs.append(Proof(run, trees[0] if trees else None))
    return min(proofs, key=lambda proof: proof.run.cpu_seconds)


def measure(
    dataset: Dataset,
    sets: Mapping[str, Sequence[Constraint]],
    depth: int,
    seconds: float = 600.0,
    repeats: int = 3,
    progress: Callable[[str], None] = tell,
) -> Findings:
    """One line per set of constraints, after one for the unconstrained tree."""
    get("contree").precompile(constraints=True)
    lines, faults = [], []
    for name, constraints in {"no constraint": (), **sets}.items():
        problem = Problem(dataset, Shape(max_depth=depth), constraints=tuple(constraints))
        if reasons := get("contree").check(problem):
            raise DataError(f"The set '{name}' cannot be posed: {reasons[0]}")
        run, first = prove(problem, seconds, repeats)
        if not verify(problem, run).ok:
            faults.append(f"the result for '{name}' does not pass the verifier")
        cost = NOTHING if run.cost is None else whole(run.cost)
        bound = "none can" if run.status is Status.INFEASIBLE else whole(run.bound)
        searches = [run.stats.get(figure) for figure in SEARCHED]
        figures = [NOTHING if figure is None else whole(figure) for figure in searches]
        times = [NOTHING if spent is None else digits(spent) for spent in (first, run.cpu_seconds)]
        lines.append((name, cost, bound, str(run.status), *times, *figures))
        progress(f"{name}: {run.status} {cost} after {digits(run.cpu_seconds)} s")
    headers = ("constraints", "errors", "bound", "status", "first tree s", "s", *SEARCHED)
    title = (
        f"{dataset.name}, {whole(dataset.n_samples)} rows, {dataset.n_columns} columns, depth {depth}, every threshold:"
    )
    return Findings((Table(title, headers, tuple(lines)),), tuple(faults))


def read(path: Path, sets: Path) -> tuple[Dataset, dict[str, tuple[Constraint, ...]]]:
    """The table, with the outcome in its last column, and the sets of constraints.

    Raises
    ------
    DataError
        A file has the wrong format.
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
    """Run the command; returns the exit status."""
    made = parser("coupled_constraints", "How long coupled constraints take to prove.", folder=False)
    made.add_argument("data", type=Path, nargs="?", metavar="DATA.csv", help="a header, the outcome in the last column")
    made.add_argument("constraints", type=Path, nargs="?", metavar="SETS.json", help="sets of constraints by name")
    made.add_argument(
        "--clinical", type=int, metavar="SEED", help="a made table and sets of six constraints, in place of files"
    )
    made.add_argument("--depth", type=number, default=3, metavar="D", help="questions on a path (default: 3)")
    made.add_argument("--seconds", type=number, default=600, metavar="S", help="limit of a run (default: 600)")
    made.add_argument("--repeats", type=number, default=3, metavar="N", help="runs of each set (default: 3)")
    options = made.parse_args(argv)
    files = [options.data, options.constraints].count(None)
    if files != (0 if options.clinical is None else 2):
        made.error("DATA.csv and SETS.json must be given, or --clinical alone.")

    def measured() -> Findings:
        if options.clinical is not None:
            dataset = clinical(options.clinical)
            sets = {"six": six(140, 0.85, 0.1, 12), "six, tight": six(60, 0.9, 0.02, 20)}
        else:
            dataset, sets = read(options.data, options.constraints)
        return measure(dataset, sets, options.depth, options.seconds, options.repeats)

    return conclude(measured, options.out)


if __name__ == "__main__":
    pin(1)
    sys.exit(main())
