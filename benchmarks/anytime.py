"""Quality of early incumbents: `python -m benchmarks.anytime FOLDER`.

Runs the complete method on one core, as in the program. Times are user CPU seconds since the start. After one second
the incumbent must be no worse than CART's tree of the same depth, and later no worse than the trees of the peers.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence

from benchmarks import data
from benchmarks.cli import Findings, conclude, names, number, parser, seconds, tell
from benchmarks.data import Task
from benchmarks.process import Bench, Run
from benchmarks.tables import NOTHING, Table, digits, whole

MOMENTS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
"""User CPU seconds after the start at which the incumbent is recorded."""

JUDGED = 1.0
"""Time at which the incumbent must be no worse than CART's tree."""


def incumbent_at(run: Run, moment: float) -> int | None:
    """Errors of the incumbent at a given time; `None` before the first one."""
    known = [cost for elapsed, cost, _ in run.trace if elapsed <= moment and cost is not None]
    return min(known, default=None)


def measure(
    tasks: Sequence[Task],
    depths: Sequence[int] = (4, 5, 6),
    *,
    limit: float = 10.0,
    peers: Sequence[str] = (),
    progress: Callable[[str], None] = tell,
) -> Findings:
    """A table per depth, one line per data set: CART's errors, the incumbents, and the final result."""
    with Bench(progress) as bench:
        found = [_measure(bench, tasks, depth, limit, peers) for depth in depths]
    return Findings(
        tuple(table for tables, _ in found for table in tables), tuple(fault for _, faults in found for fault in faults)
    )


def _measure(
    bench: Bench, tasks: Sequence[Task], depth: int, limit: float, peers: Sequence[str]
) -> tuple[list[Table], list[str]]:
    rows, faults, pairs = [], [], []
    moments = tuple(moment for moment in MOMENTS if moment <= limit)
    judged = tuple(moment for moment in moments if moment >= JUDGED)
    for task in tasks:
        cart, ours, *others = (bench.run(task, depth, name, limit) for name in ("cart", "method", *peers))
        faults += [f"{task.name}: {run.learner} failed: {run.failure}" for run in (cart, ours, *others) if run.failure]
        if cart.failure or ours.failure:
            continue
        pairs += [(task.name, ours, run) for run in others if not run.failure]
        theirs = [whole(incumbent_at(run, moment)) for run in others for moment in judged]
        rows.append((*_row(task, cart, ours, moments), *theirs))
        now = incumbent_at(ours, JUDGED)
        if now is None or now > cart.errors:
            faults.append(f"{task.name}: after {JUDGED:g} s {whole(now)} errors, worse than CART's {cart.errors}")
        for run in others:
            faults += (f"{task.name}, depth {depth}, {told}" for told in behind(ours, run, judged))
    headers = ["table", "CART", *(f"{moment:g} s" for moment in moments), "at the end", "lower bound", "seconds"]
    headers += [f"{peer} {moment:g} s" for peer in peers for moment in judged]
    title = f"Errors of the incumbent at depth {depth}, by user CPU seconds since the start (limit {limit:g} s):"
    tables = [Table(title, tuple(headers), tuple(rows))]
    return tables + ([compare(pairs, judged, depth)] if pairs else []), faults


def standing(ours: Run, peer: Run, moment: float) -> int:
    """1 if our tree has fewer errors at a given time, -1 if more, 0 if as many; no tree is worse than any."""
    best, other = (math.inf if (errors := incumbent_at(run, moment)) is None else errors for run in (ours, peer))
    return (best < other) - (best > other)


def compare(runs: Sequence[tuple[str, Run, Run]], moments: Sequence[float], depth: int) -> Table:
    """A line per peer and time: on how many tables it has more, as many, and fewer errors, and on which it has fewer.

    runs : (table, our run, the peer's run).
    """
    rows = []
    for peer in dict.fromkeys(run.learner for _, _, run in runs):
        for moment in moments:
            found = [(name, standing(ours, run, moment)) for name, ours, run in runs if run.learner == peer]
            counts = (str(sum(sign == wanted for _, sign in found)) for wanted in (1, 0, -1))
            ahead = ", ".join(name for name, sign in found if sign < 0)
            rows.append((f"{peer}, {moment:g} s", *counts, ahead or NOTHING))
    headers = ("peer", "behind us", "equal", "ahead of us", "ahead on")
    return Table(f"Peers by the errors of their tree, number of tables at depth {depth}:", headers, tuple(rows))


def behind(ours: Run, peer: Run, moments: Sequence[float]) -> Iterator[str]:
    """Faults: times at which a peer has a better tree."""
    for moment in moments:
        best, other = incumbent_at(ours, moment), incumbent_at(peer, moment)
        if other is not None and (best is None or other < best):
            yield f"{moment:g} s: {peer.learner} has {other} errors, ours {whole(best)}"


def _row(task: Task, cart: Run, ours: Run, moments: Sequence[float]) -> tuple[str, ...]:
    early = (incumbent_at(ours, moment) for moment in moments)
    end = f"{digits(ours.seconds)}, proved" if ours.proved else NOTHING
    return (task.name, *map(whole, (cart.errors, *early, ours.errors, ours.bound)), end)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    made = parser("anytime", "How good the incumbent is after a moment, beside CART and the optimum.", folder=True)
    made.add_argument("--depth", type=number, metavar="D", help="questions on a path (default: 4, then 5, then 6)")
    made.add_argument("--time-limit", type=seconds, default=10.0, metavar="S", help="seconds a run (default: 10)")
    made.add_argument("--peers", type=names, default=(), metavar="A,B", help="ca-contree, licketysplit (default: none)")
    options = made.parse_args(argv)
    return conclude(
        lambda: measure(
            data.read(options.folder, options.sets),
            (4, 5, 6) if options.depth is None else (options.depth,),
            limit=options.time_limit,
            peers=options.peers,
        ),
        options.out,
    )


if __name__ == "__main__":
    sys.exit(main())
