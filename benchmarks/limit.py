"""Compare the search with the limits of the machine: `python -m benchmarks.limit`.

The search counts the elements that it scans. An element is read with its position in another order, and each vector
lane (a candidate threshold) compares and adds; work done once per block of elements is not counted. The rate of
elements is compared with two figures of the same core: sequential memory bandwidth, and lane operations of a loop that
only adds and compares, over arrays that fit into the L1 cache.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks import data
from benchmarks.cli import Findings, conclude, parser, seconds, tell
from benchmarks.data import Task
from benchmarks.process import Bench, Run, fresh_figures, pin
from benchmarks.tables import NOTHING, Table, digits, whole

OPERATIONS = 2
"""Lane operations per element: compare, add."""

CHAIN = 8
"""Additions, each followed by a comparison, between two loads of the plain loop."""

DEPTH = 3


class Case(NamedTuple):
    """The size of a table."""

    rows: int
    columns: int
    classes: int


CASES = (Case(20_000, 8, 2), Case(60_000, 5, 2), Case(5_000, 8, 5))
"""16-bit lanes, 32-bit lanes (more rows than 16 bits can count), and many classes."""


def measure_here() -> dict[str, Any]:
    """Limits of one core of this machine: GB/s read, and lane operations per nanosecond by the bits of a lane."""
    pin(1)
    return {"read": _read_rate(), "operations": {str(bits): _loop_rate(bits) for bits in (16, 32)}}


def _read_rate() -> float:
    """GB/s of finding the maximum of an array larger than the caches."""
    long = np.ones(2**28 // 8, np.int64)
    return long.nbytes / _fastest(long.max) / 1e9


def _loop_rate(bits: int) -> float:
    """Lane operations per nanosecond of a loop that numba fully vectorizes, over arrays of 2 KiB."""
    from numba import njit

    lane = np.dtype(f"int{bits}").type

    @njit
    def loop(a, b, out, rounds):
        for i in range(rounds):
            step = lane(i)
            for j in range(len(out)):
                value = a[j]
                for _ in range(CHAIN):
                    value = lane(value + step)
                    value = value if value > b[j] else b[j]
                out[j] = value

    a, b, out = (np.ones(2**11 * 8 // bits, lane) for _ in range(3))
    rounds = 20_000
    return 2 * CHAIN * len(out) * rounds / _fastest(lambda: loop(a, b, out, rounds)) / 1e9


def _fastest(work: Callable[[], object]) -> float:
    """Seconds of the fastest of five runs, after a warm-up run."""
    work()
    taken = []
    for _ in range(5):
        begun = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begun)
    return min(taken)


def lanes(task: Task) -> tuple[int, int]:
    """Number of thresholds that one scan of this table evaluates at once, and the bits of each."""
    from solvers.kernels.lanes import MANY_LANES, lanes_for_two
    from solvers.magnitude import width

    lane = width(task.n_rows)
    return (lanes_for_two(lane) if task.n_classes == 2 else MANY_LANES), 8 * lane.itemsize


def measure(*, limit: float = 20.0, progress: Callable[[str], None] = tell) -> Findings:
    """The machine's limits, and the rates of the search on each of `CASES`."""
    able = fresh_figures("benchmarks.limit", timeout=300)
    rows, faults = [], []
    with Bench(progress) as bench:
        for case in CASES:
            task = data.noisy(*case)
            run = bench.run(task, DEPTH, "engine", limit)
            if run.failure:
                faults.append(f"{task.name}: {run.failure}")
            else:
                rows.append(_row(task, run, able))
    core = Table(
        "What one core can do:",
        ("figure", "value"),
        (
            ("read from memory, GB/s", digits(able["read"])),
            *(
                (f"plain loop, {bits}-bit lane operations a ns", digits(rate))
                for bits, rate in able["operations"].items()
            ),
        ),
    )
    headers = (
        *("table", "classes", "lanes", "elements scanned", "seconds", "ns an element", "GB/s", "of reading"),
        *("lane operations a ns", "of a plain loop"),
    )
    title = f"What the search does with it (depth {DEPTH}, one thread, all of its time counted):"
    return Findings((core, Table(title, headers, tuple(rows))), tuple(faults))


def _row(task: Task, run: Run, able: dict[str, Any]) -> tuple[str, ...]:
    count, bits = lanes(task)
    name = (task.name, whole(task.n_classes), f"{count} x {bits} bits")
    if not run.scanned:
        return (*name, *[NOTHING] * 7)
    nanoseconds = run.seconds * 1e9 / run.scanned
    # A word of 32 bits, and in the lane type the weight and the position of the row.
    gigabytes = (4 + 2 * bits // 8) / nanoseconds
    operations = OPERATIONS * count / nanoseconds
    return (
        *name,
        whole(run.scanned),
        digits(run.seconds),
        digits(nanoseconds),
        digits(gigabytes),
        f"{gigabytes / able['read']:.0%}",
        digits(operations),
        f"{operations / able['operations'][str(bits)]:.0%}",
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    made = parser("limit", "The distance to the speed of memory and of the vector units.", folder=False)
    made.add_argument("--time-limit", type=seconds, default=20.0, metavar="S", help="seconds a run (default: 20)")
    made.add_argument("--measure", action="store_true", help="print the figures of this machine as JSON, nothing else")
    options = made.parse_args(argv)
    if options.measure:
        print(json.dumps(measure_here()))
        return 0
    return conclude(lambda: measure(limit=options.time_limit), options.out)


if __name__ == "__main__":
    sys.exit(main())
