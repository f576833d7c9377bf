"""Startup time: `python -m benchmarks.startup`.

Fresh processes import and compile the method: the first with an empty cache folder, the others with the cache of the
first. Then tables of several kinds are solved. Anything that numba still compiles there would keep a user waiting, so
it is counted.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from statistics import median
from typing import Any

from benchmarks.cli import Findings, conclude, number, parser, tell
from benchmarks.data import noisy
from benchmarks.learners import dataset
from benchmarks.process import compilations, fresh_figures, pin, user_seconds
from benchmarks.tables import Table, digits, whole

KINDS = {"2 classes": (300, 2), "5 classes": (300, 5), "2 classes, 40,000 rows": (40_000, 2)}
"""Rows and classes of the tables solved after the warm-up: kernels differ by number of classes and total weight."""


def measure_here() -> dict[str, Any]:
    """Start, warm up and solve in this process, which must be fresh."""
    pin(1)
    begun = time.perf_counter()
    from solvers.methods import get
    from solvers.problem import Limits, Problem, Shape

    method = get("contree")
    imported = time.perf_counter()
    with compilations() as compiled:
        method.precompile()
    ready, user = time.perf_counter(), user_seconds()
    later = {}
    for kind, (rows, classes) in KINDS.items():
        problem = Problem(dataset(noisy(rows, 2, classes, noise=0.01)), Shape(max_depth=3))
        with compilations() as late:
            method.run(problem, Limits(seconds=60.0), lambda event: None, threading.Event())
        later[kind] = len(late)
    return {
        "import": imported - begun,
        "warm": ready - imported,
        "user": user,
        "compiled": len(compiled),
        "later": later,
    }


def measure(repeats: int = 3) -> Findings:
    """One first start and several later ones, in a separate cache folder."""
    with tempfile.TemporaryDirectory(prefix="kernels-") as folder:
        starts = []
        for _ in range(1 + repeats):
            begun = time.perf_counter()
            figures = fresh_figures("benchmarks.startup", timeout=900, NUMBA_CACHE_DIR=folder)
            starts.append(figures)
            tell(
                f"ready after {figures['import'] + figures['warm']:.2f} s ({time.perf_counter() - begun:.2f} s in all)"
            )
    first, others = starts[0], starts[1:]
    later = {key: median(start[key] for start in others) for key in ("import", "warm", "user", "compiled")}
    headers = ("start", "imports s", "warm-up s", "both s", "user CPU s", "functions compiled")
    rows = tuple(
        (
            name,
            *(digits(value) for value in (start["import"], start["warm"], start["import"] + start["warm"])),
            digits(start["user"]),
            whole(start["compiled"]),
        )
        for name, start in (("first, empty cache", first), ("later", later))
    )
    kinds = tuple((kind, whole(count)) for kind, count in first["later"].items())
    return Findings(
        (
            Table(f"Starts on one core, wall seconds (later: median of {repeats}):", headers, rows),
            Table("Compiled after the first warm-up:", ("when first solving", "functions compiled"), kinds),
        )
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    made = parser("startup", "The first compilation and every later start.", folder=False)
    made.add_argument("--repeats", type=number, default=3, metavar="N", help="later starts (default: 3)")
    made.add_argument("--measure", action="store_true", help="measure this process and print its figures as JSON")
    options = made.parse_args(argv)
    if options.measure:
        print(json.dumps(measure_here()))
        return 0
    return conclude(lambda: measure(options.repeats), options.out)


if __name__ == "__main__":
    sys.exit(main())
