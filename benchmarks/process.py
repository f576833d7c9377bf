"""A run in a separate process, pinned to one core; only the fit is timed.

The parent writes the rows and the request into a folder; the process (`python -m benchmarks.process REQUEST`) reads
them, imports, compiles, then fits and writes a `Run`. A timer of user CPU time kills a fit that exceeds its limit, even
inside third-party code.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Queue
from statistics import median
from typing import Any

import numpy as np

from benchmarks.data import Task
from benchmarks.learners import Learner, Outcome, entry
from solvers.errors import RunError

ROOT = Path(__file__).resolve().parents[1]

TICK = 1e-4
"""A fit takes at least this many seconds; the system may count none for a shorter one."""

MEMORY_MB = 8192
"""The memory that a process of `requested` may use."""

SINGLE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Limits libraries to one thread."""

GRACE = 1.1
"""A fit that does not stop is killed at this multiple of its limit plus one second."""


@dataclass(frozen=True)
class Run:
    """The measurement of one fit.

    Attributes
    ----------
    learner : its name.
    seconds : user CPU seconds of the fit, the median if it was repeated; the limit if it was killed.
    wall : wall seconds of the fit.
    peak_mb : the peak resident memory of the process during the fit, interpreter and libraries included, in MiB.
    own_mb : what the fit adds to the resident memory of the process, plus the rows as 64-bit numbers, in MiB.
    late : whether it did not finish within the limit.
    errors : training errors of the tree, counted from its predictions; `None` without a tree.
    proved, claimed, bound, scanned, trace : as in `Outcome`.
    failure : why there is no result at all, as reported by the process; '' if there is one.
    """

    learner: str
    seconds: float
    wall: float
    late: bool
    peak_mb: float | None = None
    own_mb: float | None = None
    errors: int | None = None
    proved: bool = False
    claimed: int | None = None
    bound: int | None = None
    scanned: int | None = None
    trace: tuple[tuple[float, int | None, int | None], ...] = ()
    failure: str = ""


class Bench:
    """A folder for the rows that the processes read; removed on exit.

    Parameters
    ----------
    tell : takes a line on each run.
    """

    def __init__(self, tell: Callable[[str], None] = lambda line: None) -> None:
        self._tell = tell
        self._numbers: dict[int, tuple[int, Task]] = {}

    def __enter__(self) -> Bench:
        self._folder = tempfile.TemporaryDirectory(prefix="bench-")
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def run(self, task: Task, depth: int, learner: str, seconds: float, threads: int = 1, repeats: int = 1) -> Run:
        """Fit in a fresh process, several times for a median.

        Parameters
        ----------
        task : the rows; depth : of the tree; learner : a name of `LEARNERS`.
        seconds : the limit of user CPU time of the fit.
        threads : number of threads for the learner, and of cores for the process.
        repeats : the number of fits, fewer if they take the limit together.

        Raises
        ------
        UnknownMethodError, MissingPackageError
            See `learners.entry`.
        """
        entry(learner)
        folder = Path(self._folder.name)
        request, result = folder / "request.json", folder / "result.json"
        result.unlink(missing_ok=True)
        asked = {"rows": str(self._rows(task)), "learner": learner, "depth": depth, "seconds": seconds}
        asked |= {"threads": threads, "repeats": repeats, "result": str(result)}
        request.write_text(json.dumps(asked), "utf-8")
        run = _collect(request, result, learner, seconds * threads)
        self._tell(f"{task.name}, depth {depth}: {_told(run)}")
        return run

    def _rows(self, task: Task) -> Path:
        """The file of a task, written when first requested."""
        # Keeps the task with its number, so that its id is not reused.
        number, _ = self._numbers.setdefault(id(task), (len(self._numbers), task))
        path = Path(self._folder.name) / f"{number}.npz"
        if not path.exists():
            task.save(path)
        return path


def _told(run: Run) -> str:
    if run.failure:
        return f"{run.learner} failed: {run.failure}"
    if run.late:
        return f"{run.learner} > {run.seconds:g} s"
    return f"{run.learner} {run.seconds:.4f} s, {run.errors} errors, {run.peak_mb or 0:.0f} MB"


def _collect(request: Path, result: Path, learner: str, seconds: float) -> Run:
    """Start the process, wait, and read its result; a process killed by its timer was late."""
    try:
        done = fresh(["-m", "benchmarks.process", str(request)], timeout=4 * seconds + 300)
    except subprocess.TimeoutExpired:
        return Run(learner, seconds, seconds, late=True)
    if result.exists():
        return Run(**json.loads(result.read_text("utf-8")))
    if hasattr(signal, "SIGVTALRM") and done.returncode == -signal.SIGVTALRM:
        return Run(learner, seconds, seconds, late=True)
    last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    return Run(learner, 0.0, 0.0, late=False, failure=last)


def fresh(arguments: list[str], timeout: float, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a fresh process, in the project's folder, with libraries limited to one thread."""
    command = [sys.executable, *arguments]
    environment = {**os.environ, **SINGLE, **variables}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=timeout)


def listening(module: str) -> tuple[subprocess.Popen[str], Queue[str | None]]:
    """A process of a module that reads requests, one per line, and its responses by line; `None` once it has ended."""
    process = subprocess.Popen(
        [sys.executable, "-m", module],
        cwd=ROOT,
        env={**os.environ, **SINGLE},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    lines: Queue[str | None] = Queue()

    def pass_on() -> None:
        for line in process.stdout:
            lines.put(line.strip())
        lines.put(None)

    threading.Thread(target=pass_on, daemon=True).start()
    return process, lines


def fresh_figures(module: str, timeout: float, **variables: str) -> dict[str, Any]:
    """The last line printed by `python -m module --measure`, a JSON object.

    Raises
    ------
    RunError
        The process ended without it.
    """
    done = fresh(["-m", module, "--measure"], timeout, **variables)
    if done.returncode:
        raise RunError(f"'{module}' could not measure: {done.stderr.strip()}")
    return json.loads(done.stdout.splitlines()[-1])


def requested(module: str, task: Task, seconds: float, **request: Any) -> Any:
    """The response of `python -m module --run REQUEST` to a request about the rows of a task, a JSON value.

    Raises
    ------
    RunError
        The process ended without a response, or needed more than the limit of user CPU seconds.
    """
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        rows = Path(folder) / "rows.npz"
        task.save(rows)
        asked = json.dumps({"rows": str(rows), "seconds": seconds, **request})
        try:
            done = fresh(["-m", module, "--run", asked], timeout=20 * seconds + 300)
        except subprocess.TimeoutExpired:
            raise RunError(f"> {seconds:g} s") from None
    if hasattr(signal, "SIGVTALRM") and done.returncode == -signal.SIGVTALRM:
        raise RunError(f"> {seconds:g} s")
    if done.returncode:
        raise RunError((done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1][:80])
    return json.loads(done.stdout.splitlines()[-1])


def respond(text: str, carry_out: Callable[[Task, dict[str, Any]], Any]) -> int:
    """Carry out a request of `requested` in this process, and print the response; returns the exit status."""
    import resource

    pin(1)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MB << 20, MEMORY_MB << 20))
    request = json.loads(text)
    print(json.dumps(carry_out(Task.load(Path(request.pop("rows"))), request)))
    return 0


def timed(work: Callable[[], Any], seconds: float, repeats: int = 3) -> tuple[Any, float]:
    """The result of some work, and the median user CPU seconds of its runs; of one if that takes half the limit.

    The process is killed if a run exceeds `GRACE` times the limit and one second.
    """
    spent: list[float] = []
    while not spent or (len(spent) < repeats and max(spent) < seconds / 2):
        with ended_after(GRACE * seconds + 1):
            before = user_seconds()
            found = work()
            spent.append(user_seconds() - before)
    return found, median(spent)


def user_seconds() -> float:
    """User CPU seconds of this process, all threads, at the resolution of the system."""
    try:
        import resource
    except ImportError:
        return os.times().user
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def pin(cores: int) -> None:
    """Pin this process to that many cores, if the system can; the last ones, because the first serve interrupts."""
    import psutil

    process = psutil.Process()
    if hasattr(process, "cpu_affinity"):
        process.cpu_affinity(process.cpu_affinity()[-cores:])


@contextlib.contextmanager
def compilations() -> Iterator[list[str]]:
    """Record what numba compiles in the block; a kernel loaded from the cache does not count."""
    from numba.core import event

    compiled: list[str] = []

    class Listener(event.Listener):
        def on_start(self, event: event.Event) -> None:
            compiled.append(str(event.data["dispatcher"]))

        def on_end(self, event: event.Event) -> None:
            return

    with event.install_listener("numba:compile", Listener()):
        yield compiled


@contextlib.contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    """Kill this process if it exceeds this many user CPU seconds in the block, if the system can."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def forget_peak() -> None:
    """Reset `peak_mb`, if the system can."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", "ascii")


def peak_mb() -> float | None:
    """The peak resident memory of this process since `forget_peak`, in MiB."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s+(\d+)", status.read_text("utf-8"))[1]) / 1024
    import psutil

    memory = psutil.Process().memory_info()
    if hasattr(memory, "peak_wset"):
        return memory.peak_wset / 2**20
    import resource

    # macOS counts bytes.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def _timed(learner: Learner, seconds: float, threads: int) -> tuple[float, float, float | None]:
    """User CPU and wall seconds of a fit, and the resident memory before it, in MiB."""
    forget_peak()
    before = peak_mb()
    with ended_after((GRACE * seconds + 1) * threads):
        user, wall = user_seconds(), time.perf_counter()
        learner.fit(seconds, lambda: user_seconds() - user)
        return user_seconds() - user, time.perf_counter() - wall, before


def measure(task: Task, name: str, depth: int, seconds: float, threads: int = 1, repeats: int = 1) -> Run:
    """Fit in this process. A fit during which numba compiled is repeated and does not count."""
    learner = entry(name).learner(task, depth, threads)
    with compilations() if "numba" in sys.modules else contextlib.nullcontext([]) as compiled:
        user, wall, before = _timed(learner, seconds, threads)
        if compiled:
            user, wall, before = _timed(learner, seconds, threads)
    peak = peak_mb()
    rows_mb = 8 * task.rank.size / 2**20
    outcome: Outcome = learner.outcome()
    spent = [user]
    while len(spent) < repeats and sum(spent) < seconds:
        # a learner may keep what it computed of its rows
        spent.append(_timed(entry(name).learner(task, depth, threads), seconds, threads)[0])
    return Run(
        learner=name,
        seconds=max(median(spent), TICK),
        wall=wall,
        late=entry(name).learner.exact and not outcome.proved,
        peak_mb=peak,
        own_mb=None if peak is None or before is None else peak - before + rows_mb,
        errors=None if outcome.predicted is None else int(np.sum(outcome.predicted != task.label)),
        proved=outcome.proved,
        claimed=outcome.claimed,
        bound=outcome.bound,
        scanned=outcome.scanned,
        trace=outcome.trace,
    )


def main(request: Path) -> None:
    """Carry out a request and write its result."""
    asked = json.loads(request.read_text("utf-8"))
    pin(asked["threads"])
    rows, result = (Path(asked.pop(key)) for key in ("rows", "result"))
    run = measure(Task.load(rows), asked.pop("learner"), **asked)
    result.write_text(json.dumps(asdict(run)), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
