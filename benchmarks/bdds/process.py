"""Runs of methods in a process that can be killed, so that a solver that does not stop costs one run only.

The process (`python -m benchmarks.bdds.process`) reads one request per line. It imports and compiles what a method
needs, reports this in one line, runs the method, and responds with another line.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from benchmarks.bdds.data import Bits
from benchmarks.process import listening, pin, user_seconds
from solvers.errors import DataError

GRACE = 20.0
"""Seconds beyond its limit before the process of a run is killed."""

READY = "ready"

MEMORY_MB = 2500
"""Memory limit of a run; methods refuse larger formulas."""

MARK = 60.0
"""Seconds after which the incumbent is recorded."""

START = 240.0
"""Limit in seconds for imports and the first compilation."""


@dataclass(frozen=True, eq=False)
class Way:
    """A method of the registry, or MaxSAT-DT, with its options and its name in tables."""

    title: str
    method: str
    options: Mapping[str, str] = field(default_factory=dict)
    kind: str = "bdd"


@dataclass(frozen=True)
class Answer:
    """The result of a run.

    Attributes
    ----------
    status : as in `solvers.solution.Status`; 'ended' if the process was killed, 'refused' if the formula would not
        fit into memory, 'failed' with a `failure`.
    errors, bound : training errors and the proved lower bound.
    seconds : user CPU seconds of the run; wall : wall seconds.
    early : training accuracy of the incumbent `MARK` seconds after the start.
    train, test : accuracies; `test` is `None` without test rows.
    nodes : internal nodes and leaves; questions : different splits.
    stats : statistics of the search.
    peak_mb : the peak resident memory of the process so far, in MiB.
    verified : whether verification by recomputation agrees.
    failure : the error message.
    """

    status: str
    errors: int | None = None
    bound: int | None = None
    seconds: float | None = None
    wall: float | None = None
    train: float | None = None
    early: float | None = None
    test: float | None = None
    nodes: int | None = None
    questions: int | None = None
    stats: dict[str, Any] = field(default_factory=dict)
    peak_mb: float | None = None
    verified: bool = False
    failure: str = ""

    @property
    def proved(self) -> bool:
        """Whether optimality was proved."""
        return self.status == "optimal"

    @property
    def literals(self) -> int | None:
        """The size of the formula, if there is one."""
        return self.stats.get("encoding", {}).get("literals")


class Runner:
    """Starts the process, and a new one if it was killed.

    Parameters
    ----------
    tell : takes a line on each run.
    state : a file to which each result is added, and from which results of the same request are taken, so that an
        interrupted measurement can be resumed; `None` for none.
    """

    def __init__(self, tell: Callable[[str], None] = lambda line: None, state: Path | None = None) -> None:
        self._tell, self._state = tell, state
        self._known = {} if state is None or not state.exists() else _read_state(state)
        self._process: subprocess.Popen[str] | None = None
        self._lines: Queue[str | None] = Queue()

    def __enter__(self) -> Runner:
        self._folder = tempfile.TemporaryDirectory(prefix="bench-")
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self._folder.cleanup()

    def end(self) -> None:
        """End the process; the next run starts a new one."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def run(self, way: Way, train: Bits, depth: int, seconds: float, test: Bits | None = None) -> Answer:
        """Learn in the process.

        Parameters
        ----------
        way : the method; train : the training rows; depth : of the model.
        seconds : the limit of wall time; a process that is still busy `GRACE` seconds later is killed.
        test : rows used only for the test accuracy.
        """
        asked = {
            "method": way.method,
            "options": dict(way.options),
            "kind": way.kind,
            "depth": depth,
            "seconds": seconds,
        }
        key = _key(asked, train, test)
        if key in self._known:
            return self._known[key]
        folder = Path(self._folder.name)
        train.save(folder / "train.npz")
        if test is not None:
            test.save(folder / "test.npz")
        files = {"train": str(folder / "train.npz"), "test": None if test is None else str(folder / "test.npz")}
        answer = self._ask({**asked, **files})
        self._tell(f"{train.name}, depth {depth}, {way.title}: {_told(answer)}")
        if self._state is not None:
            with self._state.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps({"key": key, **answer.__dict__}) + "\n")
        return answer

    def _ask(self, request: dict[str, Any]) -> Answer:
        if self._process is None:
            self._start()
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        try:
            line = self._lines.get(timeout=START)
            if line == READY:
                line = self._lines.get(timeout=request["seconds"] + GRACE)
        except Empty:
            self.end()
            return Answer("ended", seconds=request["seconds"], wall=request["seconds"])
        if line is None:
            self.end()
            return Answer("failed", failure="the process ended by itself")
        return Answer(**json.loads(line))

    def _start(self) -> None:
        self._process, self._lines = listening("benchmarks.bdds.process")


def _key(asked: dict[str, Any], *tables: Bits | None) -> str:
    """Hash of a request and its rows."""
    found = hashlib.sha256(json.dumps(asked, sort_keys=True).encode())
    for table in tables:
        found.update(b"" if table is None else table.X.tobytes() + table.y.tobytes())
    return found.hexdigest()[:20]


def _read_state(path: Path) -> dict[str, Answer]:
    """The results in a file, by request.

    Raises
    ------
    DataError
        The file is not a state file.
    """
    try:
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        return {line.pop("key"): Answer(**line) for line in lines}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DataError(f"'{path}' must hold answers of earlier runs, or not exist: {error}") from None


def _told(answer: Answer) -> str:
    if answer.failure:
        return f"failed: {answer.failure}"
    if answer.errors is None:
        return answer.status
    return f"{answer.status}, {answer.errors} errors, bound {answer.bound}, {answer.seconds:.2f} s"


def answer_to(request: dict[str, Any], ready: Callable[[], None] = lambda: None) -> Answer:
    """Carry out a request; `ready` is called when the timed run begins."""
    way = Way("", request["method"], request["options"], request["kind"])
    test = None if request["test"] is None else Bits.load(Path(request["test"]))
    return learned(way, Bits.load(Path(request["train"])), request["depth"], request["seconds"], test, ready)


def learned(
    way: Way,
    rows: Bits,
    depth: int,
    seconds: float,
    test: Bits | None = None,
    ready: Callable[[], None] = lambda: None,
) -> Answer:
    """Learn in this process, as `Runner.run` does in a separate one; `ready` is called when the timed run begins."""
    from benchmarks.maxsat_tree import MaxSatTree
    from solvers.errors import UnsupportedError
    from solvers.methods import get
    from solvers.metrics import verify
    from solvers.problem import Limits, Problem, Shape, ShapeKind

    method = MaxSatTree() if way.method == MaxSatTree.name else get(way.method, **way.options)
    method.precompile()
    train = rows.dataset()
    problem = Problem(train, Shape(ShapeKind(way.kind), max_depth=depth))
    ready()
    if reasons := method.check(problem):
        return Answer("failed", failure=str(reasons[0]))
    limits = Limits(seconds=seconds, memory_mb=MEMORY_MB)
    begun = user_seconds()
    try:
        found = method.run(problem, limits, lambda event: None, threading.Event())
    except UnsupportedError:
        return Answer("refused")
    spent, diagram = user_seconds() - begun, found.diagram
    early = [point.cost for point in found.trace if point.elapsed <= MARK and point.cost is not None]
    return Answer(
        status=found.status.value,
        errors=found.cost,
        bound=found.bound,
        seconds=spent,
        wall=found.seconds,
        early=None if not early else 1 - early[-1] / len(train.y),
        train=float((diagram.predict(train) == train.y).mean()),
        test=None if test is None else float((diagram.predict(test.X.astype(float)) == test.y).mean()),
        nodes=diagram.n_nodes,
        questions=len({node.predicate for node in diagram.nodes if hasattr(node, "predicate")}),
        stats=found.stats,
        peak_mb=_peak_mb(),
        verified=verify(problem, found).ok,
    )


def _peak_mb() -> float | None:
    with contextlib.suppress(ImportError):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    return None


def _serve() -> None:
    """Carry out requests until the input ends; output of libraries goes to stderr."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    pin(1)
    for line in sys.stdin:
        try:
            answer = answer_to(json.loads(line), lambda: print(READY, file=answers, flush=True))
        except Exception as error:  # the next run may succeed
            answer = Answer("failed", failure=f"{type(error).__name__}: {error}")
        print(json.dumps(answer.__dict__), file=answers, flush=True)


if __name__ == "__main__":
    _serve()
