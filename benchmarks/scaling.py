"""Growth of time and memory: `python -m benchmarks.scaling`.

Generated tables with fixed seeds (`data.noisy`): classes follow a random tree, a share of the labels is noise, and all
values of a column are distinct. One parameter changes at a time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from benchmarks import data
from benchmarks.cli import Findings, conclude, number, numbers, parser, seconds, tell
from benchmarks.process import Bench, Run
from benchmarks.tables import NOTHING, Table, digits, whole


class Case(NamedTuple):
    """The size of a table, and the depth of the trees."""

    rows: int
    columns: int
    classes: int
    depth: int


AXES: dict[str, tuple[Case, tuple[int, ...]]] = {
    "rows": (Case(1_000, 3, 2, 3), (1_000, 10_000, 100_000, 1_000_000)),
    "columns": (Case(2_000, 5, 2, 3), (3, 10, 30, 100)),
    "classes": (Case(2_000, 5, 2, 3), (2, 3, 5, 10)),
    "depth": (Case(1_000, 5, 2, 3), (1, 2, 3, 4)),
}
"""The parameter that grows, the base case, and its values."""

LARGE = Case(200_000, 3, 3, 3)
NOISY = Case(15_000, 10, 2, 4)
"""A table of the size of those for which the published search found no proof within four hours."""


def cases(axis: str, values: Sequence[int] | None = None) -> Iterator[Case]:
    """The cases of an axis, by default with its usual values."""
    base, usual = AXES[axis]
    for value in values or usual:
        yield base._replace(**{axis: value})


def table(title: str, chosen: Sequence[Case], *, limit: float, noise: float, seed: int, bench: Bench) -> Findings:
    """Measure our search on each case; a failed run is a fault."""
    runs = []
    for case in chosen:
        task = data.noisy(case.rows, case.columns, case.classes, noise=noise, seed=seed)
        runs.append(bench.run(task, case.depth, "engine", limit))
    headers = ("rows", "columns", "classes", "depth", "optimum", "seconds", "MB")
    rows = tuple((*map(whole, case), *_cells(run)) for case, run in zip(chosen, runs, strict=True))
    faults = (f"{title}: {run.failure}" for run in runs if run.failure)
    return Findings((Table(f"{title} (user CPU seconds, one core, {noise:.0%} noise):", headers, rows),), tuple(faults))


def _cells(run: Run) -> tuple[str, str, str]:
    if run.failure:
        return NOTHING, "failed", NOTHING
    if run.late:
        return f"{run.bound} to {run.errors}", f"> {digits(run.seconds)}", whole(run.peak_mb)
    return whole(run.errors), digits(run.seconds), whole(run.peak_mb)


def measure(
    axes: dict[str, Sequence[int] | None],
    *,
    limit: float = 60.0,
    noise: float = 0.15,
    seed: int = 0,
    progress: Callable[[str], None] = tell,
) -> Findings:
    """A table for each axis, with the given values or its usual ones."""
    with Bench(progress) as bench:
        parts = []
        for axis, values in axes.items():
            chosen = list(cases(axis, values))
            if axis == "rows" and values is None:
                chosen.append(LARGE)
            parts.append(
                table(
                    f"More {axis}" if axis != "depth" else "Deeper trees",
                    chosen,
                    limit=limit,
                    noise=noise,
                    seed=seed,
                    bench=bench,
                )
            )
    return joined(parts)


def joined(parts: Sequence[Findings]) -> Findings:
    """The tables and faults of several findings."""
    return Findings(
        tuple(table for part in parts for table in part.tables), tuple(fault for part in parts for fault in part.faults)
    )


def measure_noisy(*, limit: float = 600.0, progress: Callable[[str], None] = tell) -> Findings:
    """`NOISY` with three seeds."""
    with Bench(progress) as bench:
        return joined(
            [
                table(f"Noisy, seed {seed}", [NOISY], limit=limit, noise=0.15, seed=seed, bench=bench)
                for seed in range(3)
            ]
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    made = parser("scaling", "How time and memory grow with the table and with the depth.", folder=False)
    for axis, (_, usual) in AXES.items():
        shown = ",".join(map(str, usual))
        made.add_argument(f"--{axis}", type=numbers, metavar="N,N", help=f"values (default: {shown})")
    made.add_argument("--only", choices=AXES, help="let only this one grow")
    made.add_argument("--time-limit", type=seconds, default=60.0, metavar="S", help="seconds a run (default: 60)")
    made.add_argument("--seed", type=number, default=1, metavar="N", help="of the tables (default: 1)")
    options = made.parse_args(argv)
    axes = {axis: getattr(options, axis) for axis in ([options.only] if options.only else AXES)}
    return conclude(lambda: measure(axes, limit=options.time_limit, seed=options.seed), options.out)


if __name__ == "__main__":
    sys.exit(main())
