"""Certificates of optimality: `python -m benchmarks.optimum_certificates FOLDER --depths 2,3`.

For each table and depth the optimal tree with leaves of one row is found and certified, and the certificate is checked.
Without a folder the bundled samples are used, with leaves of at least 5 rows, the default of the dashboard. Times are
processor seconds after compiling the kernels.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.cli import Findings, conclude, names, numbers, parser, seconds, tell
from benchmarks.data import read
from benchmarks.learners import dataset
from benchmarks.tables import NOTHING, Table, digits
from solvers.certificates import check_optimum, make_optimum_certificate, zip_files
from solvers.methods import get
from solvers.problem import Limits, Problem, Shape, samples
from solvers.problem.samples import sample_dataset

HEADERS = ("set, depth", "cost", "kB", "solve s", "make s", "check s", "check by solve")
LEAST_ROWS = 5
"""Minimum leaf size for the samples."""


def main(argv: list[str] | None = None) -> int:
    """Run the command."""
    command = parser("optimum_certificates", "Make and check certificates that no tree costs less.", folder=False)
    command.add_argument(
        "folder", type=Path, metavar="FOLDER", nargs="?", help="holds tables, *.txt (default: samples)"
    )
    command.add_argument("--sets", type=names, metavar="A,B", help="the tables to take (default: all)")
    command.add_argument("--depths", type=numbers, default=(2, 3), metavar="D,E", help="of the trees (default: 2,3)")
    command.add_argument("--time-limit", type=seconds, default=600.0, metavar="S", help="for making, and for checking")
    options = command.parse_args(argv)
    return conclude(lambda: measure(options.folder, options.sets, options.depths, options.time_limit), options.out)


def measure(folder: Path | None, sets: tuple[str, ...] | None, depths: tuple[int, ...], limit: float) -> Findings:
    """Certificates of all tables and depths."""
    rows, faults = [], []
    for depth in depths:
        for name, problem in _problems(folder, sets, depth):
            _solve(problem)  # warm-up that compiles
            cells, fault = _certificate(problem, limit)
            rows.append((f"{name}, {depth}", *cells))
            faults += [f"{name}, depth {depth}: {fault}"] if fault else []
            tell(" ".join(rows[-1]))
    return Findings((Table("Certificates that no tree costs less", HEADERS, tuple(rows)),), tuple(faults))


def _problems(folder: Path | None, sets: tuple[str, ...] | None, depth: int) -> list[tuple[str, Problem]]:
    """The problems of each table."""
    if folder is None:
        keys = [sample.key for sample in samples() if sets is None or sample.key in sets]
        shape = Shape(max_depth=depth, min_samples_leaf=LEAST_ROWS)
        return [(key, Problem(sample_dataset(key), shape)) for key in keys]
    return [(task.name, Problem(dataset(task), Shape(max_depth=depth))) for task in read(folder, sets)]


def _solve(problem: Problem) -> Any:
    """The solution of the exact search."""
    return get("contree").run(problem, Limits(), lambda event: None, threading.Event())


def _certificate(problem: Problem, limit: float) -> tuple[tuple[str, ...], str]:
    """The cells of a table, and the fault, or ''."""
    solution, solving = _timed(lambda: _solve(problem))
    files, making = _timed(lambda: make_optimum_certificate(problem, solution.diagram, Limits(seconds=limit)))
    end = time.monotonic() + limit
    report, checking = _timed(lambda: check_optimum(files.__getitem__, lambda: time.monotonic() > end))
    told = (
        f"{solution.cost}",
        digits(len(zip_files(files)) / 1000, 2),
        *(digits(s, 2) for s in (solving, making, checking)),
    )
    if not report.decided:
        return (*told, NOTHING), ""
    return (*told, digits(checking / max(solving, 0.001), 2)), report.fault


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """The result of a call, and its processor seconds."""
    begun = time.process_time()
    return call(), time.process_time() - begun


if __name__ == "__main__":
    sys.exit(main())
