"""Compare our search with other solvers: `python -m benchmarks.trees FOLDER`.

Each solver has a process of its own on one core, for each table, on the same ranks. The result is the median of the
user CPU seconds over the repeats, of which there are fewer if they reach the time limit together. If two solvers prove
an optimum, both must have found the same one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks import data
from benchmarks.cli import Findings, conclude, names, number, parser, seconds, tell
from benchmarks.data import Task
from benchmarks.learners import LEARNERS, entry
from benchmarks.process import Bench, Run
from benchmarks.tables import NOTHING, Ratio, Table, digits, geometric_mean, ratio, versions, whole
from solvers.errors import UnknownMethodError

OURS = "engine"
PEERS = ("fewest", "method", "pycontree", "ca-contree", "arborenum", "pystreed", "dl8.5", "cart")


@dataclass(frozen=True)
class Contest:
    """All runs on one table at one depth.

    Attributes
    ----------
    task : the rows.
    depth : of the trees.
    runs : of each learner that can take the table.
    """

    task: Task
    depth: int
    runs: dict[str, Run]

    def done(self, learner: str) -> Run | None:
        """The run of a learner, if it ended."""
        run = self.runs.get(learner)
        return None if run is None or run.failure else run

    def ratio(self, peer: str, ours: str) -> Ratio | None:
        """The peer's time over ours."""
        mine, other = self.done(ours), self.done(peer)
        if mine is None or other is None:
            return None
        return ratio(mine.seconds, other.seconds, mine.late, other.late)

    @property
    def optimum(self) -> int | None:
        """The proved optimum, if a solver has proved one."""
        return min((run.errors for run in self._proofs() if run.errors is not None), default=None)

    def faults(self) -> list[str]:
        """Failed runs and contradictory results."""
        where = f"{self.task.name}, depth {self.depth}"
        every = list(self.runs.values())
        found = [f"{where}: {run.learner} failed: {run.failure}" for run in every if run.failure]
        for run in every:
            if run.claimed is not None and run.errors is not None and run.claimed != run.errors:
                found.append(f"{where}: {run.learner} claims {run.claimed} errors, its tree makes {run.errors}")
            if run.bound is not None and run.errors is not None and run.bound > run.errors:
                found.append(f"{where}: {run.learner} makes {run.errors} errors, below its own bound {run.bound}")
        proofs = {(run.learner, run.errors) for run in self._proofs()}
        if len({errors for _, errors in proofs}) > 1:
            said = ", ".join(f"{learner} {errors}" for learner, errors in sorted(proofs))
            found.append(f"{where}: the proved optima disagree: {said}")
        for run in every:
            if self.optimum is not None and run.errors is not None and run.errors < self.optimum:
                found.append(f"{where}: {run.learner} makes {run.errors} errors, fewer than the optimum {self.optimum}")
        return list(dict.fromkeys(found))

    def _proofs(self) -> list[Run]:
        return [run for run in self.runs.values() if run.proved]


def contest(bench: Bench, task: Task, depth: int, peers: Sequence[str], limit: float, repeats: int) -> Contest:
    """Run ours and the peers that can take the table."""
    able = [OURS, *(peer for peer in peers if task.n_classes == 2 or not entry(peer).two_classes)]
    return Contest(task, depth, {name: bench.run(task, depth, name, limit, repeats=repeats) for name in able})


def table(contests: Sequence[Contest], peers: Sequence[str], about: str) -> Table:
    """One line per contest with the seconds of each learner, and the geometric means as multiples of each of ours."""
    exact = [OURS, *(peer for peer in peers if LEARNERS[peer].learner.exact)]
    greedy = [peer for peer in peers if peer not in exact]
    headers = ["table", "rows", "columns", "classes", "depth", "optimum", *(f"{name} s" for name in exact)]
    headers += [f"{peer} errors" for peer in greedy]
    rows = [_row(entry, exact, greedy) for entry in contests]
    ours = [name for name in exact if not LEARNERS[name].distribution] if len(exact) > 1 else []
    for mine in ours if contests else ():
        means = [_mean([entry.ratio(name, mine) for entry in contests if name in entry.runs]) for name in exact]
        rows.append((f"times {mine}", *[""] * 5, *means, *[""] * len(greedy)))
    used = versions(LEARNERS[peer].distribution for peer in peers if LEARNERS[peer].distribution)
    title = f"Trees over {about}; user CPU seconds of the fit on one core, median of the runs"
    return Table(f"{title} ({used}):" if used else f"{title}:", tuple(headers), tuple(rows))


def _mean(ratios: Sequence[Ratio | None]) -> str:
    """The geometric mean, and the number of ratios if some are missing."""
    known = [found for found in ratios if found]
    mean = geometric_mean(known)
    some = f" ({len(known)} of {len(ratios)})" if len(known) < len(ratios) else ""
    return f"{mean}{some}" if mean else NOTHING


def _row(contest: Contest, exact: Sequence[str], greedy: Sequence[str]) -> tuple[str, ...]:
    task, ours = contest.task, contest.done(OURS)
    optimum = whole(contest.optimum)
    if contest.optimum is None and ours is not None and ours.errors is not None:
        optimum = f"{ours.bound} to {ours.errors}"
    sizes = (task.n_rows, task.n_columns, task.n_classes, contest.depth)
    times = (_time(contest, name) for name in exact)
    errors = (NOTHING if (run := contest.done(peer)) is None else whole(run.errors) for peer in greedy)
    return (task.name, *map(whole, sizes), optimum, *times, *errors)


def _time(contest: Contest, learner: str) -> str:
    if learner not in contest.runs:
        return NOTHING
    run = contest.done(learner)
    return "failed" if run is None else f"{'> ' * run.late}{digits(run.seconds)}"


def measure(
    tasks: Sequence[Task],
    depth: int,
    peers: Sequence[str],
    *,
    limit: float = 120.0,
    repeats: int = 3,
    thresholds: int = 10,
    progress: Callable[[str], None] = tell,
) -> Findings:
    """Run everything: binary-column peers against ours on `thresholds` thresholds per column, the others on all."""
    for peer in peers:
        entry(peer)
    plain = [peer for peer in peers if not LEARNERS[peer].learner.binary]
    binary = [peer for peer in peers if LEARNERS[peer].learner.binary]
    tables, faults = [], []
    with Bench(progress) as bench:
        if plain or not binary:
            contests = [contest(bench, task, depth, plain, limit, repeats) for task in tasks]
            tables.append(table(contests, plain, "all thresholds"))
            faults += [fault for entry in contests for fault in entry.faults()]
        if binary:
            rough = [data.coarse(task, thresholds) for task in tasks]
            contests = [contest(bench, task, depth, binary, limit, repeats) for task in rough]
            tables.append(table(contests, binary, f"at most {thresholds} thresholds a column, at quantiles"))
            faults += [fault for entry in contests for fault in entry.faults()]
    return Findings(tuple(tables), tuple(faults))


def installed(names: Sequence[str] = PEERS) -> tuple[str, ...]:
    """The installed peers of some."""
    return tuple(peer for peer in names if LEARNERS[peer].installed)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    made = parser(
        "trees", "Our exact search beside other solvers, on the same rows and the same questions.", folder=True
    )
    add = made.add_argument
    add("--depth", type=number, default=3, metavar="D", help="questions on a path (default: 3)")
    add("--repeats", type=number, default=3, metavar="N", help="runs of each solver (default: 3)")
    add("--time-limit", type=seconds, default=120.0, metavar="S", help="user CPU seconds a run (default: 120)")
    add("--peers", type=names, metavar="A,B", help=f"of {', '.join(PEERS)}, or 'none' (default: those installed)")
    add("--thresholds", type=number, default=10, metavar="N", help="a column, for yes/no solvers (default: 10)")
    options = made.parse_args(argv)

    def measured() -> Findings:
        peers = installed() if options.peers is None else options.peers
        if OURS in peers:
            raise UnknownMethodError(f"'{OURS}' always runs and is no peer. Peers: {', '.join(PEERS)}.")
        return measure(
            data.read(options.folder, options.sets),
            options.depth,
            peers,
            limit=options.time_limit,
            repeats=options.repeats,
            thresholds=options.thresholds,
        )

    return conclude(measured, options.out)


if __name__ == "__main__":
    sys.exit(main())
