"""A run in the dashboard: its current state, a method to stop it, and a guaranteed end even if its worker fails."""

from __future__ import annotations

import math
from contextlib import suppress

from ..errors import RunError
from ..metrics.verify import verified
from ..problem import Problem
from ..solution import Cancelled, End, EndReason, Finished
from . import wire
from .folder import RunFolder
from .process import Warmth, WorkerProcess
from .record import COMPILING, JobState, Record, Snapshot
from .solver_run import failure
from .stored_run import RunHandle
from .work import HangTimer, Message, Work

SOFT_STOP = 0.8
"""Seconds that a cancelled search has to end by itself."""
OVERTIME = 5.0
"""Seconds beyond the time limit after which a method that does not stop is killed."""
OVERWEIGHT = 1.25
"""Multiple of the memory limit at which a worker that does not stop is killed."""
PROCESS_ENDED = "The solver's process had to be ended."
"""The message of a run that did not stop by itself; its result is the best model so far."""


class Job(RunHandle, Work):
    """One run, from the queue to its end. Made by `WorkerPool.submit`; every method may be called from any thread."""

    def __init__(self, folder: RunFolder, problem: Problem) -> None:
        RunHandle.__init__(self, folder, problem)
        timer = HangTimer(self.limits.seconds, OVERTIME, startup=math.inf)
        memory_mb = None if self.limits.memory_mb is None else OVERWEIGHT * self.limits.memory_mb
        Work.__init__(self, timer, memory_mb, SOFT_STOP, self.owner)
        self._record = Record(JobState.QUEUED, "Waiting.")

    @property
    def done(self) -> bool:
        """Whether the run has ended."""
        return self.is_over

    def snapshot(self) -> Snapshot:
        """The current state."""
        with self._lock:
            return self._record.snapshot()

    def wait(self, timeout: float | None = None) -> Snapshot:
        """Wait for the end, at most `timeout` seconds, and return the current state."""
        self.wait_until_over(timeout)
        return self.snapshot()

    def cancel(self) -> None:
        """Stop the run and keep its best model. A worker that does not stop by itself is killed within a second."""
        super().cancel()
        with self._lock:
            self._record.show("Stopping.")

    def show_place(self, position: int) -> None:
        """Show the place in the queue."""
        with self._lock:
            if self.worker is None and not self.done:
                text = "Next in the queue." if position == 1 else f"Waiting, number {position} in the queue."
                self._record.show(text, JobState.QUEUED)

    def start(self, worker: WorkerProcess) -> bool:
        """Show that it starts."""
        with self._lock:
            compiling = worker.warmth is Warmth.COMPILING
            self._record.show(COMPILING if compiling else "Starting.", JobState.STARTING)
        return super().start(worker)

    def command(self) -> Message:
        """Carry the run of the folder."""
        return {"do": "run", "folder": str(self.folder)}

    def receive(self, message: Message) -> None:
        """Apply an event of the worker, or show that it compiles a kernel."""
        if "event" not in message:
            with self._lock:
                if self._timer.compiling and self._cancelled_at is None:
                    self._record.show(COMPILING)
            return
        try:
            event = wire.event_from_json(message)
        except RunError as error:
            self._fail(str(error))
            self.kill()
            return
        if isinstance(event, End):
            self._close(event)
            return
        with self._lock:
            self._record.apply(event)
            if self._cancelled_at is not None:
                self._record.show("Stopping.")

    def lost(self, how: str) -> None:
        """If the worker sent no terminal event, make one."""
        if self.done:
            return
        with self._lock:
            reason = EndReason.STOPPED if self._cancelled_at is not None else self._ended_for
        if reason is None:
            self._fail(f"The solver's process {how}.")
            return
        with self._lock:
            best = self._record.result(self.problem, self.method, self._cpu_seconds, reason, PROCESS_ENDED)
        stopped = reason is EndReason.STOPPED
        solution = None if best.diagram is None and (stopped or self.task) else verified(self.problem, best)
        self._close(Cancelled(best.seconds, solution) if stopped else Finished(best.seconds, solution), write=True)

    def _fail(self, reason: str) -> None:
        with self._lock:
            end = failure(self.problem, self.method, self._record, reason, self._cpu_seconds)
        self._close(end, write=True)

    def _close(self, event: End, write: bool = False) -> None:
        """Apply the terminal event, once; `write` it if the worker could not."""
        with self._lock:
            if self.done or self._record.state.terminal:
                return
            if write:
                event = self._written(event)
            elif not self._files.has_outcome():
                # the worker could not write it, and its message says so
                self._written(event)
            self._record.apply(event)
        self.end()

    def _written(self, event: End) -> End:
        """Write the outcome of the run and return it, with a message if writing failed."""
        with suppress(OSError, RunError):
            self._files.append_event(event)
        return self._files.close(event)
