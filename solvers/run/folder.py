"""A run's folder: the single source of truth about a run, readable without the dashboard.

    problem.json   shape, columns, classes ...
    data.npz       the numbers of the table
    run.json       method, limits, time of the request
    events.jsonl   the events of the solver, one per line
    solution.json  the outcome: the terminal event with the verified result
    worker.json    the process that works on the run, or reserves it until a worker is free
    worker.log     output of the solver's libraries

Files are written to a temporary name and then moved, so a reader never sees a partial file. The folder holds the user's
data, so only the user may open it.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple, TypeVar

import msgspec
from msgspec import structs

from ..errors import RunError
from ..explain import Task
from ..problem import Limits, Problem
from ..solution import End, Event, Finished
from . import wire
from .records import from_plain

T = TypeVar("T")

Moment = Annotated[datetime, msgspec.Meta(tz=True)]
"""A time with its zone."""

INQUIRIES = "inquiries"
"""The subfolder of a run for inquiries about it after its end: each inquiry has a folder like a run."""

_TOLERANCE = 1.5
"""Tolerance in seconds between two readings of a process's start time: the system reports its own in whole seconds."""


@dataclass(frozen=True)
class Folder:
    """The documents in the folder of a run or a sweep; `noun` and `remedy` are for messages."""

    path: Path
    noun: ClassVar[str] = "run"
    remedy: ClassVar[str] = "Solve the problem again."

    def write(self, name: str, content: bytes) -> None:
        """Write a file atomically."""
        handle, temporary = tempfile.mkstemp(dir=self.path, prefix=f".{Path(name).name}.")
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(content)
                out.flush()
                os.fsync(out.fileno())
            os.replace(temporary, self.path / name)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def write_json(self, name: str, value: Any) -> None:
        """Write a record or an object as a document atomically, with its version."""
        self.write(name, wire.dumps(wire.add_version(value)).encode())

    def read_json(self, name: str) -> dict[str, Any]:
        """Read a document; `RunError` if it is missing, damaged, or of another version."""
        return wire.document(self._read(name), self._named(name), self.remedy)

    def read(self, name: str, kind: type[T], remedy: str = "") -> T:
        """Read a document of a type; raises like `read_json`, with `remedy` in the message."""
        data = self.read_json(name)
        with wire.refuse_damaged(self._named(name), remedy or self.remedy):
            return from_plain(kind, data)

    def lines(self, name: str, after: int = 0) -> Iterator[tuple[str, dict[str, Any]]]:
        """The documents in the lines of a file after the first `after` ones, each with its name for messages.

        An incomplete last line (its writer died) is skipped. Raises `RunError` if a line is damaged.
        """
        if not (self.path / name).exists():
            return
        lines = [line for line in self._read(name).splitlines(keepends=True) if line.endswith(b"\n")]
        for number, line in enumerate(lines[after:], start=after + 1):
            what = f"Line {number} of '{name}' of the {self.noun} '{self.path.name}'"
            yield what, wire.document(line, what, self.remedy)

    def drop_partial_line(self, name: str) -> bytes:
        """The complete lines of a file; an incomplete last line is cut off."""
        content = self._read(name) if (self.path / name).exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            self.write(name, whole)
        return whole

    def _named(self, name: str) -> str:
        return f"The file '{name}' of the {self.noun} '{self.path.name}'"

    def _read(self, name: str) -> bytes:
        try:
            return (self.path / name).read_bytes()
        except OSError as error:
            raise RunError(
                f"'{self.path}' is not a complete {self.noun}: '{name}' cannot be read ({error.strerror or error}). "
                f"Choose the folder of a {self.noun}. {self.remedy}"
            ) from None

    @contextmanager
    def usable(self) -> Iterator[None]:
        """Convert the errors of a folder that cannot be used to a `RunError` that says what to do."""
        try:
            yield
        except OSError as error:
            raise RunError(f"The folder '{self.path}' cannot be used ({error.strerror}). Choose another one.") from None

    def write_worker(self) -> None:
        """Record that this process works in the folder."""
        self.write_json("worker.json", {"pid": os.getpid(), "started": _start(os.getpid())})

    def has_worker(self) -> bool:
        """Whether a live process works in the folder, or reserves it until a worker is free."""
        import psutil

        try:
            data = self.read_json("worker.json")
            return bool(abs(_start(data["pid"]) - data["started"]) < _TOLERANCE)
        except (RunError, KeyError, TypeError, ValueError, OverflowError, psutil.Error):
            return False


class RunRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The request of a run: its id, the time (UTC), method, limits, the data's name, the task.

    `options` are the chosen values of the method's options; `owner` is the owner of the run, if any; `inquiry` is the
    name of the task among those about another run, if it is about one.
    """

    id: str
    created: Moment
    method: str
    limits: Limits
    name: str
    task: Task | None = None
    options: Mapping[str, str] = {}
    owner: str = ""
    inquiry: str = ""


@dataclass(frozen=True)
class RunFolder(Folder):
    """The files of one run."""

    @classmethod
    def create(
        cls,
        runs: Path,
        problem: Problem,
        method: str,
        limits: Limits,
        task: Task | None = None,
        options: Mapping[str, str] | None = None,
        owner: str = "",
        held: bool = False,
        inquiry: str = "",
    ) -> RunFolder:
        """Make the folder of a new run and write its problem; `task` is an explanation task instead of solving.

        `owner` is the owner of the run, if users are distinguished. A run that is `held` waits for a worker from this
        process: as long as this process lives, it does not count as interrupted. `inquiry` is the name of the task
        among those about another run, see `About`. Raises `RunError` if the folder cannot be made or written, or the
        problem cannot be written.
        """
        created = datetime.now(UTC)
        run_id = secrets.token_hex(12)
        description = wire.problem_to_json(problem)
        try:
            runs.mkdir(parents=True, exist_ok=True, mode=0o700)
            folder = cls(runs / f"{created:%Y%m%d-%H%M%S}-{run_id}")
            folder.path.mkdir(mode=0o700)
            folder.write("data.npz", wire.arrays_to_bytes(problem.dataset))
            folder.write_json("problem.json", description)
            if held:
                folder.write_worker()
            name = problem.dataset.name
            request = RunRequest(run_id, created, method, limits, name, task, options or {}, owner, inquiry)
            folder.write_json("run.json", request)
        except OSError as error:
            raise RunError(
                f"The run's folder in '{runs}' cannot be written ({error.strerror or error}). "
                f"Free some space, or set ESPALIER_RUNS to a writable folder."
            ) from None
        return folder

    @property
    def events(self) -> Path:
        """The file of the events."""
        return self.path / "events.jsonl"

    @property
    def log(self) -> Path:
        """The file for the output of libraries."""
        return self.path / "worker.log"

    def problem(self, known: Problem | None = None) -> Problem:
        """The problem of the run; `RunError` if it is missing or damaged.

        A `known` problem is returned if it is the same, so that many runs of one table share its rows.
        """
        what, description = f"The problem of the run '{self.path.name}'", self.read_json("problem.json")
        if known is not None and description.get("id") == known.id:
            return known
        return wire.problem_from_json(description, self._read("data.npz"), what)

    def request(self) -> RunRequest:
        """The request apart from the problem; `RunError` if it is missing or damaged."""
        return self.read("run.json", RunRequest)

    def read_events(self, after: int = 0) -> Iterator[Event]:
        """The events so far, without the first `after` ones; raises like `lines`."""
        for what, data in self.lines("events.jsonl", after):
            yield wire.event_from_json(data, what)

    def event_stamp(self) -> tuple[int, int]:
        """The inode and size in bytes of the event file, both 0 without one: the pair changes with every event."""
        try:
            found = self.events.stat()
        except FileNotFoundError:
            return 0, 0
        return found.st_ino, found.st_size

    def append_event(self, event: Event) -> None:
        """Append an event after the last complete line."""
        line = wire.dumps(wire.add_version(event)).encode() + b"\n"
        self.write("events.jsonl", self.drop_partial_line("events.jsonl") + line)

    def write_outcome(self, end: End) -> None:
        """Write the outcome of the run."""
        self.write_json("solution.json", end)

    def close(self, end: End) -> End:
        """Write the outcome of the run, and return it; if it cannot be written, with a message that says so."""
        try:
            self.write_outcome(end)
        except OSError as error:
            return _unwritten(end, error)
        return end

    def has_outcome(self) -> bool:
        """Whether the outcome of the run has been written."""
        return (self.path / "solution.json").exists()

    def outcome(self) -> Event | None:
        """The outcome of the run; `None` if it has not ended; `RunError` if the file is damaged."""
        if not self.has_outcome():
            return None
        return wire.event_from_json(self.read_json("solution.json"), self._named("solution.json"))

    def claim(self) -> None:
        """Record that this process works on the run, and remove what an earlier one wrote."""
        for stale in (self.path / "solution.json", self.events):
            stale.unlink(missing_ok=True)
        self.write_worker()


class About(NamedTuple):
    """The subject of an inquiry: the folder of a run, and the name of the inquiry among those about it."""

    folder: Path
    inquiry: str

    @property
    def place(self) -> Path:
        """The folder in which the inquiry's folder is made."""
        return self.folder / INQUIRIES


def _start(pid: int) -> float:
    """When a process started, in seconds that are unaffected by changes of the clock."""
    import psutil

    # Linux counts from boot time, which moves with the clock; other systems keep the recorded time
    return float(psutil.Process(pid).create_time() - (psutil.boot_time() if psutil.LINUX else 0.0))


def bytes_in(folder: Path) -> int:
    """Total bytes in a folder; files that vanish during the count, or cannot be accessed, count as 0."""
    total = 0
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            with suppress(OSError):
                total += os.stat(os.path.join(place, name)).st_size
    return total


def _unwritten(end: End, error: OSError) -> End:
    """The outcome of a run that could not be written to its folder: its message says so, and what to do."""
    message = (
        f"The result could not be written to the run's folder ({error.strerror or error}): free some space or make the "
        f"folder writable and run again, or export the model before you close the program."
    )
    name = "solution" if isinstance(end, Finished) else "best"
    solution = getattr(end, name)
    if solution is None:
        return end
    return structs.replace(end, **{name: replace(solution, message=f"{solution.message} {message}".strip())})
