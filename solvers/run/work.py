"""The work of one worker for a pool: from its place in the queue to its end, even if the worker hangs or dies."""

from __future__ import annotations

import math
import pickle
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import RunError
from ..solution import EndReason
from .process import Warmth, WorkerProcess

if TYPE_CHECKING:
    import psutil

Message = dict[str, Any]
"""A command to a worker, or a message from it: a line of JSON."""

POLL_INTERVAL = 0.1
"""Seconds between two looks at a worker."""
TERMINATE_TIMEOUT = 0.2
"""Seconds between terminating and killing a worker."""
LONGEST_STEP = 1.0
"""If more seconds than this pass between two looks, this process was frozen, or busy with results."""


class HangTimer:
    """Counts the seconds of a worker, beyond which it hangs.

    Seconds in which this process was frozen do not count, because its workers were frozen with it.

    Parameters
    ----------
    seconds : the time limit of the search; `None` for no limit.
    grace : further seconds for its end and the verification of its model.
    startup : seconds until the search begins: to start, and to import and compile what the method needs.

    Attributes
    ----------
    searching : whether the search has begun.
    compiling : whether the worker compiles a kernel; these seconds do not count either.
    """

    def __init__(self, seconds: float | None, grace: float = 0.0, startup: float = 0.0) -> None:
        self._allowed, self._startup = math.inf if seconds is None else seconds + grace, startup
        self._spent, self._last = 0.0, time.monotonic()
        self.searching = self.compiling = False

    def begin_search(self) -> None:
        """Count from now on."""
        self._spent, self.searching = 0.0, True

    def is_over(self) -> bool:
        """Look at the clock, and say whether the time is over."""
        now = time.monotonic()
        if not self.compiling:
            self._spent += min(now - self._last, LONGEST_STEP)
        self._last = now
        return self._spent > self._allowed + (0.0 if self.searching else self._startup)


class Work:
    """What a worker carries out: a run, a job of a study, the reading of a table.

    A thread sends the command and then looks at the worker ten times a second. It ends a worker that exceeds its time
    or its memory, or does not stop when it should. Every method may be called from any thread.

    Parameters
    ----------
    timer : the time of the worker.
    memory_mb : its memory in MiB; `None` for no limit.
    patience : seconds that it has to stop by itself once the work is cancelled.
    owner : of the work; owners take turns, see `WorkerPool`.

    Attributes
    ----------
    worker : works on it; `None` while it waits.
    when_over : called once the work needs no worker any more.
    fault : why the command could not be sent, if so.
    """

    def __init__(self, timer: HangTimer, memory_mb: float | None, patience: float = 0.0, owner: str = "") -> None:
        self.owner = owner
        self._timer, self._memory_mb, self._patience = timer, memory_mb, patience
        self._lock, self._over = threading.RLock(), threading.Event()
        self.worker: WorkerProcess | None = None
        self.when_over: Callable[[Work], None] = lambda work: None
        self.fault: Exception | None = None
        self._cancelled_at: float | None = None
        self._ended_for: EndReason | None = None
        self._cpu_seconds = 0.0

    @property
    def pid(self) -> int | None:
        """The process that works on it; `None` while it waits."""
        return None if self.worker is None else self.worker.pid

    @property
    def keeps_worker(self) -> bool:
        """Whether the worker can do further work after this."""
        return False

    @property
    def is_over(self) -> bool:
        """Whether it needs no worker any more."""
        return self._over.is_set()

    def wait_until_over(self, timeout: float | None = None) -> None:
        """Wait until it needs no worker any more, at most `timeout` seconds."""
        self._over.wait(timeout)

    def cancel(self) -> None:
        """Stop the work. A worker that does not stop by itself is killed."""
        with self._lock:
            if self.is_over or self._cancelled_at is not None:
                return
            self._cancelled_at = time.monotonic()
            worker = self.worker
        if worker is None:
            self.lost("was not needed")
        else:
            worker.send({"do": "cancel"})

    def kill(self) -> None:
        """Stop the work, and kill its worker at once."""
        self.cancel()
        if self.worker is not None:
            self.worker.kill()

    def start(self, worker: WorkerProcess) -> bool:
        """Give the work to a worker; False if it has already been cancelled."""
        with self._lock:
            if self._cancelled_at is not None:
                return False
            self.worker = worker
        worker.serve(self._hear, lambda worker, code: self.lost(worker.exit_text(code)))
        threading.Thread(target=self._carry, args=(worker,), name=f"watch {worker.pid}", daemon=True).start()
        return True

    def show_place(self, position: int) -> None:
        """The work waits at this position of the queue, from 1."""

    def command(self) -> Message:
        """The command for its worker; an exception ends the work, as its `fault`."""
        raise NotImplementedError

    def receive(self, message: Message) -> None:
        """Process a message of the worker."""
        raise NotImplementedError

    def lost(self, how: str) -> None:
        """There is no worker any more, see `WorkerProcess.exit_text`; ends the work if it has not ended."""
        raise NotImplementedError

    def clean_up(self) -> None:
        """The work is over: remove what was made for the worker; may be called twice."""

    def end(self) -> None:
        """The work needs no worker any more."""
        with self._lock:
            if self.is_over:
                return
            self._over.set()
        self.clean_up()
        self.when_over(self)

    def _hear(self, worker: WorkerProcess, message: Message) -> None:
        with self._lock:
            if "worker" in message:
                self._timer.compiling = message["worker"] == Warmth.COMPILING
            elif message.get("event") == "started" and not self._timer.searching:
                self._timer.begin_search()
        self.receive(message)

    def _carry(self, worker: WorkerProcess) -> None:
        """Send the command, and look at the worker until it is not needed, or gone. Runs in its own thread."""
        import psutil

        try:
            worker.send(self.command())
        except Exception as error:  # whatever it is, the work must end
            self.fault = error
            worker.kill()
        with suppress(psutil.Error):
            self._watch(worker, psutil.Process(worker.pid))
        if self.is_over:
            self.clean_up()

    def _watch(self, worker: WorkerProcess, process: psutil.Process) -> None:
        terminated_at: float | None = None
        while not self._over.wait(POLL_INTERVAL):
            self._cpu_seconds, memory_mb = process.cpu_times().user, process.memory_info().rss / 2**20
            with self._lock:
                self._ended_for = self._ended_for or self._beyond(memory_mb)
            if self._ended_for is None:
                continue
            if terminated_at is None:
                terminated_at = time.monotonic()
                worker.terminate()
            elif time.monotonic() - terminated_at > TERMINATE_TIMEOUT:
                worker.kill()

    def _beyond(self, memory_mb: float) -> EndReason | None:
        """Why the worker must be ended; `None` if it need not."""
        if self._cancelled_at is not None and time.monotonic() - self._cancelled_at > self._patience:
            return EndReason.STOPPED
        if self._memory_mb is not None and memory_mb > self._memory_mb:
            return EndReason.MEMORY_LIMIT
        return EndReason.TIME_LIMIT if self._timer.is_over() else None


class Call(Work):
    """A function that is called in the worker, with an argument: see `Worker.call` for its form.

    Both are sent in a file, so that a frozen worker delays nothing here. It is in a folder that only this user may
    open, which also takes the files of the result.

    Attributes
    ----------
    folder : the folder, once the work has begun and until it is over.
    """

    def __init__(
        self, function: Callable[..., Message], argument: Any, timer: HangTimer, memory_mb: float | None = None
    ) -> None:
        super().__init__(timer, memory_mb)
        self._call: tuple[Callable[..., Message], Any] | None = (function, argument)
        self.folder: Path | None = None

    def command(self) -> Message:
        """Write the file; `RunError` if the disk is full."""
        call, self._call = self._call, None
        try:
            self.folder = Path(tempfile.mkdtemp(prefix="espalier-"))
            file = self.folder / "call"
            with file.open("wb") as out:
                pickle.dump(call, out)
        except OSError as error:
            raise RunError(
                f"The folder for temporary files '{tempfile.gettempdir()}' cannot be written "
                f"({error.strerror or error}). Free some space, and try again."
            ) from None
        return {"do": "call", "file": str(file)}

    def clean_up(self) -> None:
        """Remove the folder, and let go of an argument that is not sent."""
        self._call = None
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
