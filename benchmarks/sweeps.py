"""Speedup with workers: `python -m benchmarks.sweeps`.

Runs the same sweep in this process, in several processes, and on a Dask cluster of as many worker processes, and once
more there with a worker that is killed midway. All tables must be the same, line for line. Jobs that take almost no
time measure the overhead per job in each place.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from benchmarks.cli import Findings, conclude, number, numbers, parser, tell
from benchmarks.data import noisy
from benchmarks.learners import dataset
from benchmarks.tables import NOTHING, Table, digits, versions
from solvers.problem import Problem, Shape
from solvers.study import Cluster, Executor, InProcess, Processes
from solvers.study.study import TIMES, Study, StudyPlan, StudyProgress, run_study

ROOT = Path(__file__).parents[1]
WORKERS = (1, 2, 4)
_WORDS = (
    "'idle job': one that takes no time; 'others': the share of the machine that was busy with something else, "
    "beyond a tenth of which a line says little"
)


class Sweep(NamedTuple):
    """A finished sweep: wall seconds, its table, and the share of the machine that was busy with other work."""

    seconds: float
    table: pd.DataFrame
    others: float = 0.0


class Cost(NamedTuple):
    """The overhead of a place in seconds: to start, for its jobs, and for each job that takes no time."""

    ready: float
    jobs: Sweep
    each: float


def heavy(jobs: int, rows: int = 8_000) -> StudyPlan:
    """Optimal trees of depth 4 from bootstrap samples of a noisy table, each about a second of work."""
    problem = Problem(dataset(noisy(rows, 5, 2, noise=0.15)), Shape(max_depth=4))
    return StudyPlan(problem, Study(("contree",), depths=(4,), samples=jobs, step=600.0))


def light(jobs: int) -> StudyPlan:
    """The same number of greedy trees of one split."""
    problem = Problem(dataset(noisy(200, 3, 2)), Shape(max_depth=1))
    return StudyPlan(problem, Study(("cart",), depths=(1,), samples=jobs, step=600.0))


def run(
    plan: StudyPlan, place: Executor, on_progress: Callable[[StudyProgress], None] = lambda progress: None
) -> Sweep:
    """Run a whole sweep in a folder that is then deleted."""
    with tempfile.TemporaryDirectory(prefix="sweep-") as folder:
        busy, begun = _busy_seconds(), time.perf_counter()
        table = run_study(plan, Path(folder), place, tell=on_progress)
        seconds = time.perf_counter() - begun
        # the overhead of the sweep itself counts as other work; it is small
        others = _busy_seconds() - busy - table["cpu_seconds"].sum()
        return Sweep(seconds, table, max(0.0, others / (seconds * (os.cpu_count() or 1))))


def _busy_seconds() -> float:
    """CPU seconds of all programs on this machine together."""
    import psutil

    times = psutil.cpu_times()
    return times.user + times.system


def cost(place: Executor, jobs: int, rows: int, workers: int) -> Cost:
    """The time of a sweep in a place, after its processes have imported and compiled."""
    ready = run(heavy(2 * workers, rows=100), place).seconds
    each = run(light(jobs), place).seconds / jobs
    return Cost(ready, run(heavy(jobs, rows), place), each)


class DaskCluster(NamedTuple):
    """A Dask cluster of processes of this machine."""

    address: str
    workers: tuple[subprocess.Popen, ...]


@contextmanager
def dask_cluster(workers: int) -> Iterator[DaskCluster]:
    """A scheduler and this number of single-threaded workers, which end with the block."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory(prefix="dask-") as folder:
        started = [_start("dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-show")]
        try:
            alone = ("--nthreads", "1", "--no-nanny", "--local-directory", folder)
            started += [_start("dask_worker", address, *alone) for _ in range(workers)]
            yield DaskCluster(address, tuple(started[1:]))
        finally:
            for process in reversed(started):
                process.kill()
                process.wait()


def _start(module: str, *words: str) -> subprocess.Popen:
    command = [sys.executable, "-m", f"distributed.cli.{module}", *words, "--no-dashboard"]
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, **quiet)


def same(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    """Whether two tables are equal except for clock-dependent columns."""
    return one.drop(columns=list(TIMES)).equals(other.drop(columns=list(TIMES)))


def all_there(workers: int, address: str) -> Cluster:
    """The cluster after all of its workers have connected."""
    place = Cluster(address, timeout=60.0)
    end = time.monotonic() + 60.0
    while place.at_once() < workers and time.monotonic() < end:
        time.sleep(0.2)
    return place


def with_a_loss(jobs: int, rows: int, workers: int) -> Sweep:
    """The sweep on a cluster, one of whose workers is killed when a third of the jobs is done."""
    with dask_cluster(workers) as made:
        place = all_there(workers, made.address)
        run(heavy(2 * workers, rows=100), place)

        def kill_one(progress: StudyProgress) -> None:
            if progress.done == jobs // 3:
                made.workers[0].kill()

        return run(heavy(jobs, rows), place, kill_one)


def measure(
    jobs: int = 50,
    workers: Sequence[int] = WORKERS,
    *,
    rows: int = 8_000,
    progress: Callable[[str], None] = tell,
) -> Findings:
    """A line per place and number of workers; a table that differs is a fault."""
    lines, faults = [], []
    base = cost(InProcess(), jobs, rows, 1)

    def note(name: str, count: int, found: Cost) -> None:
        alike = same(found.jobs.table, base.jobs.table)
        faults.extend([] if alike else [f"{name}, {count} workers: another table"])
        gain = digits(base.jobs.seconds / found.jobs.seconds, 2)
        each = digits(1000 * found.each, 2)
        jobs_took = (digits(found.jobs.seconds), gain, each, f"{found.jobs.others:.0%}", _word(alike))
        lines.append((name, str(count), digits(found.ready, 2), *jobs_took))
        progress(f"{name}, {count}: {found.jobs.seconds:.1f} s")

    note("this process", 1, base)
    for count in workers:
        note("processes", count, cost(Processes(count), jobs, rows, count))
        with dask_cluster(count) as made:
            note("Dask cluster", count, cost(all_there(count, made.address), jobs, rows, count))
    most = max(workers)
    if most > 1:
        lossy = with_a_loss(jobs, rows, 2)
        alike = same(lossy.table, base.jobs.table)
        faults += [] if alike else ["Dask cluster, a worker killed: another table"]
        gain = digits(base.jobs.seconds / lossy.seconds, 2)
        lost = (digits(lossy.seconds), gain, NOTHING, f"{lossy.others:.0%}", _word(alike))
        lines.append(("Dask cluster, one killed", "2", NOTHING, *lost))
    headers = ("place", "workers", "ready, s", f"{jobs} jobs, s", "gain", "idle job, ms", "others", "same table")
    used = versions(["distributed"])
    title = f"A sweep of {jobs} optimal trees of depth 4 by place, wall seconds, with {used} ({_WORDS}):"
    return Findings((Table(title, headers, tuple(lines)),), tuple(faults))


def _word(alike: bool) -> str:
    return "yes" if alike else "NO"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    made = parser("sweeps", "How the time of a sweep falls with workers.", folder=False)
    made.add_argument("--jobs", type=number, default=50, metavar="N", help="models of the sweep (default: 50)")
    made.add_argument("--workers", type=numbers, default=WORKERS, metavar="N,N", help="how many (default: 1,2,4)")
    made.add_argument("--rows", type=number, default=8_000, metavar="N", help="of the table (default: 8000)")
    options = made.parse_args(argv)
    return conclude(lambda: measure(options.jobs, options.workers, rows=options.rows), options.out)


if __name__ == "__main__":
    sys.exit(main())
