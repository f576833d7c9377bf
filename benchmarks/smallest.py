"""Smallest trees without mistakes: `python -m benchmarks.smallest FOLDER`.

FOLDER holds tables, *.csv, with a header and the class last. Each method learns each table in a process of its own, on
one core; what counts is the user CPU time of the search, without start-up and compilation. Beside it stands what the
paper's own program, InferDT in C++ with MiniSat, needed on a machine like ours. Where two methods prove a depth or a
number of nodes, both must have found the same.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.cli import Findings, conclude, names, number, parser, seconds, tell
from benchmarks.tables import NOTHING, Table, digits, versions
from solvers.errors import DataError, RunError

ROOT = Path(__file__).parents[1]
METHODS = ("smallest-tree", "inferdt-depth", "inferdt-size")
LEAST_DEPTH_ALONE = ("inferdt-depth",)


class Paper(NamedTuple):
    """What InferDT found: depth and nodes, with the user CPU seconds of each, in words."""

    depth: str
    depth_seconds: str
    nodes: str
    size_seconds: str


PAPER = {
    "mouse": Paper("4", "0.008", "15", "0.052"),
    "monk1": Paper("5", "0.027", "15", "0.107"),
    "monk2": Paper("6", "0.133", "67", "5.26"),
    "monk3": Paper("6", "0.084", "39", "1.78"),
    "iris": Paper("4", "0.042", "15", "0.154"),
    "wine": Paper("3", "11.9", "15", "19.5"),
    "car": Paper("8", "134", "143, not proved", "> 290"),
    "balance-scale": Paper("at least 10", "> 294", NOTHING, NOTHING),
}
"""InferDT on the same tables, measured on a machine of two cores."""


def measure(folder: Path, sets: Sequence[str] | None, methods: Sequence[str], depth: int, limit: float) -> Findings:
    """Learn every table with every method.

    Parameters
    ----------
    folder : holds the tables; sets : those to take; `None` for all.
    methods : as in the registry.
    depth : the largest that a tree may have.
    limit : wall seconds for each run.

    Raises
    ------
    DataError
        There is no such table.
    """
    found = {path.stem: path for path in sorted(folder.glob("*.csv"), key=lambda path: path.stat().st_size)}
    wanted = tuple(found) if sets is None else tuple(sets)
    if not wanted or set(wanted) - set(found):
        missing = ", ".join(sorted(set(wanted) - set(found))) or "*.csv"
        raise DataError(f"The folder '{folder}' must hold the tables that are asked for. There is no {missing}.")
    rows, faults = [], []
    for name in wanted:
        runs = {method: fit(found[name], method, depth, limit) for method in methods}
        rows += [_line(name, method, run) for method, run in runs.items()]
        faults += _disagreements(name, runs)
    headers = ("table", "method", "rows", "depth", "nodes", "CPU s", "rows used", "proved", "InferDT", "its CPU s")
    title = f"Smallest trees without mistakes, thresholds, {versions(('python-sat', 'numba'))}."
    return Findings((Table(title, headers, tuple(rows)),), tuple(faults))


def fit(path: Path, method: str, depth: int, limit: float) -> dict[str, Any]:
    """What the command `fit` says of a table.

    Raises
    ------
    RunError
        It says nothing.
    """
    with path.open(encoding="utf-8-sig") as file:
        target = file.readline().strip().split(",")[-1]
    command = [sys.executable, "-m", "solvers", "fit", str(path), "--target", target, "--method", method]
    command += ["--max-depth", str(depth), "--time-limit", str(limit), "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = done.stdout.strip().splitlines()
    if not lines:
        raise RunError(f"'{method}' on '{path.stem}' ended without an answer: {done.stderr.strip()[-300:]}")
    run = json.loads(lines[-1])
    tell(f"{path.stem}, {method}: depth {run['depth']}, {run['n_nodes']} nodes, {run['cpu_seconds']:.2f} s")
    return run


def _line(name: str, method: str, run: dict[str, Any]) -> tuple[str, ...]:
    """A line of the table."""
    stats, known, depth_alone = run["stats"], run["details"]["consistent"], method in LEAST_DEPTH_ALONE
    k = known["least_depth"]
    proved = "no" if k is None else "depth, nodes" if _fewest_nodes(run) is not None else "depth"
    paper, theirs = PAPER.get(name), (NOTHING, NOTHING)
    if paper is not None:
        theirs = (
            (paper.depth, paper.depth_seconds)
            if depth_alone
            else (f"{paper.depth} / {paper.nodes}", paper.size_seconds)
        )
    depth = f"over {max(stats['refuted'], default=0)}" if k is None else str(k)
    nodes = NOTHING if k is None else str(known["nodes"])
    used = str(stats["examples_used"])
    return name, method, str(run["n_samples"]), depth, nodes, digits(run["cpu_seconds"]), used, proved, *theirs


def _fewest_nodes(run: dict[str, Any]) -> int | None:
    """The least number of nodes, where it is proved."""
    known = run["details"]["consistent"]
    return known["nodes"] if known["fewest_nodes"] and not known["tied"] else None


def _disagreements(name: str, runs: dict[str, dict[str, Any]]) -> list[str]:
    """What two methods proved differently."""
    depths = {run["details"]["consistent"]["least_depth"] for run in runs.values()} - {None}
    nodes = {_fewest_nodes(run) for run in runs.values()} - {None}
    faults = [f"On {name} the least depth is said to be {sorted(depths)}."] if len(depths) > 1 else []
    return faults + ([f"On {name} the fewest nodes are said to be {sorted(nodes)}."] if len(nodes) > 1 else [])


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the options, measure, print."""
    made = parser("smallest", (__doc__ or "").split("\n")[0], folder=False)
    made.add_argument("folder", type=Path, metavar="FOLDER", help="holds tables, *.csv, with the class last")
    made.add_argument("--sets", type=names, metavar="A,B", help="the tables to take (default: all)")
    made.add_argument("--methods", type=names, default=METHODS, metavar="A,B", help="the methods (default: all three)")
    made.add_argument("--max-depth", type=number, default=12, metavar="D", help="the largest depth (default: 12)")
    made.add_argument("--limit", type=seconds, default=600.0, metavar="S", help="wall seconds a run (default: 600)")
    options = made.parse_args(arguments)
    return conclude(
        lambda: measure(options.folder, options.sets, options.methods, options.max_depth, options.limit), options.out
    )


if __name__ == "__main__":
    sys.exit(main())
