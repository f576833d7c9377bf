"""Lower bounds at depth five and more: `python -m benchmarks.bounds FOLDER`.

Runs the complete method on one core, as in the program. Times are user CPU seconds of the fit alone: imports come
before, and kernels are loaded from their cache. A proof ends when bound and errors meet; the search for fewer splits at
the same errors, which pycontree does not do, follows. With `--proofs` it runs to the end, alternating with pycontree if
that is installed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from benchmarks import data
from benchmarks.anytime import incumbent_at
from benchmarks.cli import Findings, conclude, number, parser, seconds, tell
from benchmarks.data import Task
from benchmarks.learners import LEARNERS
from benchmarks.process import Bench, Run
from benchmarks.tables import NOTHING, Table, digits, geometric_mean, ratio, whole

MOMENTS = (2.0, 10.0, 25.0, 60.0)
"""User CPU seconds after the start at which the bound is recorded."""

OURS, PEER = "method", "pycontree"


def bound_at(run: Run, moment: float) -> int:
    """The lower bound at a given time."""
    return max((bound for elapsed, _, bound in run.trace if elapsed <= moment and bound is not None), default=0)


def proved_after(run: Run) -> float:
    """The seconds until the fewest errors are proved."""
    return next((elapsed for elapsed, cost, bound in run.trace if cost is not None and cost == bound), run.seconds)


def measure(
    tasks: Sequence[Task], depth: int = 5, *, limit: float = 60.0, progress: Callable[[str], None] = tell
) -> Findings:
    """One line per table: errors and lower bound at each time, and the final bound as a share of the errors."""
    moments = tuple(moment for moment in MOMENTS if moment <= limit)
    rows, faults = [], []
    with Bench(progress) as bench:
        for task in tasks:
            run = bench.run(task, depth, OURS, limit)
            if run.failure:
                faults.append(f"{task.name}: {run.failure}")
                continue
            known = (f"{whole(incumbent_at(run, moment))} / {bound_at(run, moment)}" for moment in moments)
            share = f"{run.bound / run.errors:.0%}" if run.errors and run.bound is not None else NOTHING
            proved = digits(proved_after(run)) if run.proved else NOTHING
            rows.append((task.name, *known, "100%" if run.proved else share, proved))
    headers = ("table", *(f"{moment:g} s" for moment in moments), "share at the end", "proved after, s")
    title = f"Errors of the best tree / lower bound at depth {depth}, by user CPU seconds (limit {limit:g} s):"
    return Findings((Table(title, headers, tuple(rows)),), tuple(faults))


def measure_proofs(
    tasks: Sequence[Task], depth: int = 5, *, limit: float = 600.0, progress: Callable[[str], None] = tell
) -> Findings:
    """One line per table: the seconds of both to a proof, and the ratio of peer to ours."""
    learners = [OURS, *([PEER] if LEARNERS[PEER].installed else [])]
    rows, faults, ratios = [], [], []
    with Bench(progress) as bench:
        for task in tasks:
            runs = [bench.run(task, depth, learner, limit) for learner in learners]
            faults += [f"{task.name}: {run.learner} failed: {run.failure}" for run in runs if run.failure]
            if any(run.failure for run in runs):
                continue
            optima = {run.errors for run in runs if run.proved}
            if len(optima) > 1:
                faults.append(f"{task.name}, depth {depth}: different optima {sorted(optima)}")
            ends = [proved_after(run) for run in runs]
            seconds = [f"> {limit:g}" if run.late else digits(end) for run, end in zip(runs, ends, strict=True)]
            compared = None
            if len(runs) == 2:
                compared = ratio(*ends, runs[0].late, runs[1].late)
            ratios += [compared] if compared else []
            rows.append((task.name, whole(runs[0].errors), whole(runs[0].bound), *seconds, str(compared or NOTHING)))
    title = f"User CPU seconds to a proof at depth {depth} (limit {limit:g} s):"
    if mean := geometric_mean(ratios):
        title += f" {PEER} takes {mean} times as long in the geometric mean."
    headers = ("table", "errors", "bound", *learners, "times as long")
    return Findings((Table(title, headers, tuple(rows)),), tuple(faults))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    made = parser("bounds", "How far proofs come at depth five and beyond.", folder=True)
    made.add_argument("--depth", type=number, default=5, metavar="D", help="questions on a path (default: 5)")
    made.add_argument("--time-limit", type=seconds, metavar="S", help="seconds a run (default: 60; proofs 600)")
    made.add_argument("--proofs", action="store_true", help="run to the end, beside pycontree")
    options = made.parse_args(argv)
    kind, usual = (measure_proofs, 600.0) if options.proofs else (measure, 60.0)
    return conclude(
        lambda: kind(data.read(options.folder, options.sets), options.depth, limit=options.time_limit or usual),
        options.out,
    )


if __name__ == "__main__":
    sys.exit(main())
