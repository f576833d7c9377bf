"""Speedup with more threads: `python -m benchmarks.threads FOLDER`.

Wall seconds of the complete method with one thread on one core, and with several threads on as many cores. Tables that
one thread solves immediately are skipped.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from benchmarks import data
from benchmarks.cli import Findings, conclude, number, parser, seconds, tell
from benchmarks.data import Task
from benchmarks.process import Bench
from benchmarks.tables import Table, digits, geometric_mean, ratio, whole


def measure(
    tasks: Sequence[Task],
    depth: int = 4,
    *,
    threads: int = 2,
    at_least: float = 5.0,
    limit: float = 60.0,
    progress: Callable[[str], None] = tell,
) -> Findings:
    """One line per table that takes one thread between `at_least` seconds and the limit."""
    rows, faults, ratios = [], [], []
    with Bench(progress) as bench:
        for task in tasks:
            one = bench.run(task, depth, "method", limit)
            if not one.failure and (one.late or one.wall < at_least):
                continue
            several = bench.run(task, depth, "method", limit, threads)
            faults += [f"{task.name}: {run.failure}" for run in (one, several) if run.failure]
            if one.failure or several.failure:
                continue
            if several.proved and several.errors != one.errors:
                faults.append(f"{task.name}: {one.errors} errors with one thread, {several.errors} with {threads}")
            gained = ratio(several.wall, one.wall, several.late, one.late)
            ratios.append(gained)
            rows.append((task.name, whole(one.errors), digits(one.wall), digits(several.wall), str(gained)))
    if mean := geometric_mean(ratios):
        rows.append(("geometric mean", "", "", "", str(mean)))
    headers = ("table", "optimum", "1 thread, s", f"{threads} threads, s", "gain")
    title = f"Depth {depth} by threads, wall seconds (tables that take one thread {at_least:g} to {limit:g} s):"
    return Findings((Table(title, headers, tuple(rows)),), tuple(faults))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    made = parser("threads", "What more threads bring to long searches.", folder=True)
    add = made.add_argument
    add("--depth", type=number, default=4, metavar="D", help="questions on a path (default: 4)")
    add("--threads", type=number, default=2, metavar="N", help="threads and cores (default: 2)")
    add("--at-least", type=seconds, default=5.0, metavar="S", help="pass over what takes less (default: 5)")
    add("--time-limit", type=seconds, default=60.0, metavar="S", help="pass over what takes more (default: 60)")
    options = made.parse_args(argv)

    def measured() -> Findings:
        tasks = data.read(options.folder, options.sets)
        return measure(
            tasks,
            options.depth,
            threads=options.threads,
            at_least=options.at_least,
            limit=options.time_limit,
        )

    return conclude(measured, options.out)


if __name__ == "__main__":
    sys.exit(main())
