"""A run in the dashboard: its current state, a method to stop it, and a guaranteed end even if its worker fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from ..errors import RunError
from ..metrics.verify import verified
from ..problem import Problem
from ..solution import Cancelled, EndReason, Failed, Finished, Started
from . import wire
from .deadline import Deadline
from .folder import RunFolder, unwritten
from .process import ResourceUsage, Warmth, WorkerProcess, watch
from .record import COMPILING, JobState, Record, Snapshot
from .solver_run import failure
from .stored_run import RunHandle

SOFT_STOP = 0.8
"""Seconds that a cancelled search has to end by itself."""
OVERTIME = 5.0
"""Seconds beyond the time limit after which a method that does not stop is killed."""
OVERWEIGHT = 1.25
"""Multiple of the memory limit at which a worker that does not stop is killed."""
PROCESS_ENDED = "The solver's process had to be ended."
"""The message of a run that did not stop by itself; its result is the best model so far."""


class Job(RunHandle):
    """One run, from the queue to its end. Made by `WorkerPool.submit`; every method may be called from any thread."""

    def __init__(self, folder: RunFolder, problem: Problem, on_end: Callable[[Job], None]) -> None:
        super().__init__(folder, problem)
        self._on_end = on_end
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._record = Record(JobState.QUEUED, "Waiting.")
        self._worker: WorkerProcess | None = None
        self._cancelled_at: float | None = None
        self._deadline = Deadline(self.limits.seconds, OVERTIME)
        self._ended_for: EndReason | None = None
        self._cpu = 0.0

    @property
    def done(self) -> bool:
        """Whether the run has ended."""
        return self._over.is_set()

    @property
    def pid(self) -> int | None:
        """The process that works on it; `None` while it waits."""
        return None if self._worker is None else self._worker.pid

    def snapshot(self) -> Snapshot:
        """The current state."""
        with self._lock:
            return self._record.snapshot()

    def wait(self, timeout: float | None = None) -> Snapshot:
        """Wait for the end, at most `timeout` seconds, and return the current state."""
        self._over.wait(timeout)
        return self.snapshot()

    def cancel(self) -> None:
        """Stop the run and keep its best model. A worker that does not stop by itself is killed within a second."""
        with self._lock:
            if self.done or self._cancelled_at is not None:
                return
            self._cancelled_at = time.monotonic()
            self._record.show("Stopping.")
            worker = self._worker
        if worker is None:
            self._end(Cancelled(0.0))
        else:
            worker.send({"do": "cancel"})

    def _queued(self, position: int) -> None:
        with self._lock:
            if self._worker is None and not self.done:
                text = "Next in the queue." if position == 1 else f"Waiting, number {position} in the queue."
                self._record.show(text, JobState.QUEUED)

    def _start(self, worker: WorkerProcess) -> bool:
        """Give the run to a worker; False if it has already been cancelled."""
        with self._lock:
            if self._cancelled_at is not None:
                return False
            self._worker = worker
            compiling = worker.warmth is Warmth.COMPILING
            self._record.show(COMPILING if compiling else "Starting.", JobState.STARTING)
        worker.serve(self._receive, self._lost)
        worker.send({"do": "run", "folder": str(self.folder)})
        threading.Thread(target=self._watch, name=f"watch {self.id}", daemon=True).start()
        return True

    def _receive(self, worker: WorkerProcess, message: dict[str, Any]) -> None:
        if "event" not in message:
            with self._lock:
                self._set_compiling(worker.warmth is Warmth.COMPILING)
            return
        try:
            event = wire.event_from_json(message)
        except RunError as error:
            self._broken(str(error))
            worker.kill()
            return
        if isinstance(event, Finished | Failed | Cancelled):
            self._end(event)
            return
        with self._lock:
            stopping = self._cancelled_at is not None
            if isinstance(event, Started):
                self._deadline.begin_search()
            self._record.apply(event)
            if stopping:
                self._record.show("Stopping.")

    def _set_compiling(self, ongoing: bool) -> None:
        """Pause the time limit while the worker compiles a kernel."""
        self._deadline.compiling = ongoing
        if ongoing and self._cancelled_at is None:
            self._record.show(COMPILING)

    def _lost(self, worker: WorkerProcess, code: int) -> None:
        """The worker is gone. If it sent no terminal event, make one."""
        if self.done:
            return
        with self._lock:
            reason = EndReason.STOPPED if self._cancelled_at is not None else self._ended_for
        if reason is None:
            self._broken(f"The solver's process {worker.exit_text(code)}.")
            return
        with self._lock:
            best = self._record.result(self.problem, self.method, self._cpu, reason, PROCESS_ENDED)
        stopped = reason is EndReason.STOPPED
        solution = None if best.diagram is None and (stopped or self.task) else verified(self.problem, best)
        end = Cancelled(best.seconds, solution) if stopped else Finished(best.seconds, solution)
        self._end(end, write=True)

    def _broken(self, reason: str) -> None:
        with self._lock:
            end = failure(self.problem, self.method, self._record, reason, self._cpu)
        self._end(end, write=True)

    def _end(self, event: Finished | Failed | Cancelled, write: bool = False) -> None:
        """Apply the terminal event, once; `write` it if the worker could not."""
        with self._lock:
            if self.done or self._record.state.terminal:
                return
            if write or self._worker is None:
                event = self._written(event)
            elif not self._files.has_outcome():
                # the worker could not write it, and its message says so
                self._written(event)
            self._record.apply(event)
        self._over.set()
        self._on_end(self)

    def _written(self, event: Finished | Failed | Cancelled) -> Finished | Failed | Cancelled:
        """Write the outcome of the run and return it, with a message if writing failed."""
        try:
            self._files.append_event(event)
            self._files.write_outcome(event)
        except OSError as error:
            return unwritten(event, error)
        except RunError:
            pass
        return event

    def _watch(self) -> None:
        """Kill a worker that does not stop when it should. Runs in its own thread while the worker lives."""
        assert self._worker is not None, "there is a worker to watch"
        watch(self._worker, self._over, self._overdue)

    def _overdue(self, usage: ResourceUsage) -> bool:
        with self._lock:
            self._cpu = usage.cpu_seconds
            reason = self._beyond(time.monotonic(), usage.memory_mb)
            self._ended_for = self._ended_for or reason
        return reason is not None

    def _beyond(self, now: float, memory_mb: float) -> EndReason | None:
        if self._cancelled_at is not None and now - self._cancelled_at > SOFT_STOP:
            return EndReason.STOPPED
        if self.limits.memory_mb is not None and memory_mb > OVERWEIGHT * self.limits.memory_mb:
            return EndReason.MEMORY_LIMIT
        return EndReason.TIME_LIMIT if self._deadline.is_over() else None
