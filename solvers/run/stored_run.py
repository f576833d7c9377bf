"""A run that is read from its folder: finished, interrupted, or active in another process."""

import threading
import time
from pathlib import Path

from ..errors import RunError
from ..problem import Problem
from ..solution import End, Solution
from .folder import INQUIRIES, RunFolder
from .record import JobState, Record, Snapshot
from .solver_run import failure, judge_end

INTERRUPTED = "The run was interrupted because the program was closed."
"""The error of a run that has no outcome and no process."""

LOOK = 0.5
"""Seconds between two reads of the folder of an active run."""

_PAUSE = 0.1


class RunHandle:
    """The request of a run, as the fields of `RunRequest`, with its folder and its problem.

    Its `id` cannot be guessed; `task` is the task if it is not solving, `owner` the owner of the run, empty if users
    are not distinguished, and `created` is in UTC.
    """

    def __init__(self, files: RunFolder, problem: Problem | None = None, known: Problem | None = None) -> None:
        request = files.request()
        self.id, self.created, self.owner = request.id, request.created, request.owner
        self.method, self.limits, self.options = request.method, request.limits, request.options
        self.task = request.task
        self.folder, self.problem = files.path, problem or files.problem(known)
        self._files = files

    def snapshot(self) -> Snapshot:
        """The current state."""
        raise NotImplementedError

    @property
    def solution(self) -> Solution | None:
        """The verified result; `None` if the run has not ended, or found no model."""
        return self.snapshot().solution


class StoredRun(RunHandle):
    """A run in a folder, which is read again while another process works on it; it is never started here.

    An interrupted run counts as failed and keeps its best model. Results are always verified here, whatever the files
    say. Every method may be called from any thread.

    Parameters
    ----------
    folder : of the run.
    known : a problem that may be that of the run, see `RunFolder.problem`.

    Raises
    ------
    RunError
        The folder is not a run, or a file in it is damaged.
    """

    pid: int | None = None
    _record: Record
    _end: End | None
    _taken: int
    _stamp: tuple[int, int]

    def __init__(self, folder: Path | str, known: Problem | None = None) -> None:
        super().__init__(RunFolder(Path(folder)), known=known)
        self._lock = threading.Lock()
        self._start_over()
        self._shot = self._look()
        self._looked = time.monotonic()

    @property
    def done(self) -> bool:
        """Whether the run has ended."""
        return self.snapshot().state.terminal

    def snapshot(self) -> Snapshot:
        """The current state."""
        with self._lock:
            if not self._shot.state.terminal and time.monotonic() - self._looked > LOOK:
                self._shot = self._look()
                self._looked = time.monotonic()
            return self._shot

    def wait(self, timeout: float | None = None) -> Snapshot:
        """Wait for the end, at most `timeout` seconds, and return the current state."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self.done and (end is None or time.monotonic() < end):
            time.sleep(_PAUSE)
        return self.snapshot()

    def cancel(self) -> None:
        """Does nothing: only the program that started a run can stop it."""

    def _look(self) -> Snapshot:
        """Apply what is new in the folder."""
        stamp = self._files.event_stamp()
        if stamp != self._stamp:
            if stamp[0] != self._stamp[0] or stamp[1] < self._stamp[1]:
                # another worker restarted the run
                self._start_over()
            for event in self._files.read_events(self._taken):
                self._taken += 1
                if isinstance(event, End):
                    self._end = event
                else:
                    self._record.apply(event)
            self._stamp = stamp
        end = self._files.outcome() or self._end
        if isinstance(end, End):
            self._record.apply(judge_end(self.problem, self.method, end))
        elif not self._files.has_worker():
            self._record.apply(failure(self.problem, self.method, self._record, INTERRUPTED, cpu_seconds=0.0))
            self._record.interrupted = True
        return self._record.snapshot()

    def _start_over(self) -> None:
        self._record, self._end = Record(), None
        self._taken, self._stamp = 0, (0, 0)


def load_run(folder: Path | str) -> StoredRun:
    """Read a run from its folder; raises `RunError` like `StoredRun`."""
    return StoredRun(folder)


def answered(folder: Path, problem: Problem) -> dict[str, StoredRun]:
    """The answered inquiries about a run, by name; of two with the same name the later one.

    An inquiry that the user stopped has its answer so far. Failed or unreadable inquiries are omitted, since they can
    be repeated. The problem is that of the run, whose rows its inquiries share.
    """
    jobs: dict[str, StoredRun] = {}
    for place in sorted((folder / INQUIRIES).glob("*/solution.json")):
        try:
            name = RunFolder(place.parent).request().inquiry
            job = StoredRun(place.parent, problem)
        except RunError:
            continue
        shot = job.snapshot()
        if name and shot.state is not JobState.FAILED and shot.answer is not None:
            jobs[name] = job
    return jobs
