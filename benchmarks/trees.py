"""Compare our search with other solvers: `python -m benchmarks.trees FOLDER`.

Runs alternate (ours, peer, ours, peer, ...), each in a separate process on one core, on the same ranks. The result is
the median of the user CPU seconds over the repeats; a solver that reaches the time limit on a table is not run there
again. If two solvers prove an optimum, both must have found the same one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks import data
from benchmarks.cli import Findings, conclude, names, number, parser, seconds, tell
from benchmarks.data import Task
from benchmarks.learners import LEARNERS, entry
from benchmarks.process import Bench, Run
from benchmarks.tables import NOTHING, Ratio, Table, digits, geometric_mean, ratio, versions, whole
from solvers.errors import UnknownMethodError

OURS = "engine"
RUN = "method"
"""The complete method, as in the program."""

PEERS = ("fewest", "method", "pycontree", "pystreed", "cart")


@dataclass(frozen=True)
class Contest:
    """All runs on one table at one depth.

    Attributes
    ----------
    task : the rows.
    depth : of the trees.
    runs : of each learner, in the order in which they were made.
    """

    task: Task
    depth: int
    runs: dict[str, list[Run]]

    def done(self, learner: str) -> list[Run]:
        """The runs of a learner that ended, without failed ones."""
        return [run for run in self.runs[learner] if not run.failure]

    def late(self, learner: str) -> bool:
        """Whether a run of a learner reached the limit."""
        return any(run.late for run in self.done(learner))

    def seconds(self, learner: str) -> float:
        """The median time; the limit for late runs."""
        runs = self.done(learner)
        return median(run.seconds for run in runs if run.late or not self.late(learner))

    def peak_mb(self, learner: str) -> float | None:
        """The largest peak of the runs."""
        return max((run.peak_mb for run in self.done(learner) if run.peak_mb), default=None)

    def ratio(self, peer: str, ours: str = OURS) -> Ratio | None:
        """The peer's time over ours."""
        if not self.done(ours) or not self.done(peer):
            return None
        return ratio(self.seconds(ours), self.seconds(peer), self.late(ours), self.late(peer))

    def errors(self, learner: str) -> int | None:
        """The errors of a learner's tree; the fewest if runs differ."""
        return min((run.errors for run in self.done(learner) if run.errors is not None), default=None)

    @property
    def optimum(self) -> int | None:
        """The proved optimum, if a solver has proved one."""
        return min((run.errors for run in self._proofs() if run.errors is not None), default=None)

    def faults(self) -> list[str]:
        """Failed runs and contradictory results."""
        where = f"{self.task.name}, depth {self.depth}"
        every = [run for runs in self.runs.values() for run in runs]
        found = [f"{where}: {run.learner} failed: {run.failure}" for run in every if run.failure]
        for run in every:
            if run.claimed is not None and run.claimed != run.errors:
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
        return [run for runs in self.runs.values() for run in runs if run.proved]


def contest(bench: Bench, task: Task, depth: int, peers: Sequence[str], limit: float, repeats: int) -> Contest:
    """Run ours and the peers in turn."""
    runs: dict[str, list[Run]] = {name: [] for name in (OURS, *peers)}
    for _ in range(repeats):
        for name, earlier in runs.items():
            if sum(run.seconds for run in earlier) < limit and not any(run.late or run.failure for run in earlier):
                earlier.append(bench.run(task, depth, name, limit))
    return Contest(task, depth, runs)


def table(contests: Sequence[Contest], peers: Sequence[str], questions: str) -> Table:
    """One line per contest, and the geometric means of the ratios."""
    exact = [peer for peer in peers if LEARNERS[peer].learner.exact]
    greedy = [peer for peer in peers if peer not in exact]
    headers = ["table", "rows", "columns", "classes", "depth", "optimum", f"{OURS} s", f"{OURS} MB"]
    for peer in exact:
        headers += [f"{peer} s", f"{peer} MB", *(f"{peer} / {ours}" for ours in _ours(peer, exact))]
    for peer in greedy:
        headers += [f"{peer} s", f"{peer} errors"]
    rows = [_row(entry, exact, greedy) for entry in contests]
    if exact and contests:
        last = ["geometric mean", *[""] * 7]
        for peer in exact:
            last += ["", "", *(_mean([entry.ratio(peer, ours) for entry in contests]) for ours in _ours(peer, exact))]
        rows.append((*last, *[""] * (2 * len(greedy))))
    used = versions(LEARNERS[peer].distribution for peer in peers if LEARNERS[peer].distribution)
    title = f"Trees over {questions}; user CPU seconds of the fit on one core, median of the runs"
    return Table(f"{title} ({used}):" if used else f"{title}:", tuple(headers), tuple(rows))


def _ours(peer: str, exact: Sequence[str]) -> list[str]:
    """Our counterparts of a peer: the engine, and for third-party programs also the complete method."""
    return [OURS, RUN] if RUN in exact and LEARNERS[peer].distribution else [OURS]


def _mean(ratios: Sequence[Ratio | None]) -> str:
    """The geometric mean, and the number of ratios if some are missing."""
    known = [found for found in ratios if found]
    mean = geometric_mean(known)
    some = f" ({len(known)} of {len(ratios)})" if len(known) < len(ratios) else ""
    return f"{mean}{some}" if mean else NOTHING


def _row(entry: Contest, exact: Sequence[str], greedy: Sequence[str]) -> tuple[str, ...]:
    task = entry.task
    optimum = whole(entry.optimum) if entry.optimum is not None else _between(entry)
    sizes = (task.n_rows, task.n_columns, task.n_classes, entry.depth)
    cells = [task.name, *map(whole, sizes), optimum, _time(entry, OURS), whole(entry.peak_mb(OURS))]
    for peer in exact:
        ratios = [str(entry.ratio(peer, ours) or NOTHING) for ours in _ours(peer, exact)]
        cells += [_time(entry, peer), whole(entry.peak_mb(peer)), *ratios]
    for peer in greedy:
        cells += [_time(entry, peer), whole(entry.errors(peer))]
    return tuple(cells)


def _time(entry: Contest, learner: str) -> str:
    if not entry.done(learner):
        return "failed"
    return f"{'> ' * entry.late(learner)}{digits(entry.seconds(learner))}"


def _between(entry: Contest) -> str:
    """The known range of an optimum without a proof."""
    runs = entry.done(OURS)
    if not runs or runs[-1].errors is None:
        return NOTHING
    return f"{runs[-1].bound} to {runs[-1].errors}"


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


def installed() -> tuple[str, ...]:
    """The installed peers."""
    return tuple(peer for peer in PEERS if LEARNERS[peer].installed)


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
