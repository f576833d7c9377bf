"""The parent's end of a worker process: start it, talk to it, read its messages, watch it, end it."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from ..platforms import CRASHES
from .fork_server import FORK_SERVER, environment, program

POLL_INTERVAL = 0.1
"""Seconds between two looks at a worker."""
TERMINATE_TIMEOUT = 0.2
"""Seconds between asking the system to end a worker and ending it without asking."""

OnLine = Callable[["WorkerProcess", dict[str, Any]], None]
OnExit = Callable[["WorkerProcess", int], None]


class Warmth(StrEnum):
    """How far a worker is from carrying a run at once."""

    STARTING = "starting"
    COMPILING = "compiling"
    READY = "ready"
    GONE = "gone"


class WorkerProcess:
    """A running `solvers.run.worker`, with modules to import that add methods.

    `on_warmth` is called, on the thread that reads from the worker, whenever `warmth` has changed.
    """

    def __init__(self, imports: Sequence[str], on_warmth: Callable[[WorkerProcess], None]) -> None:
        self.warmth, self._warms = Warmth.STARTING, False
        self._on_warmth = on_warmth
        self._on_line: OnLine | None = None
        self._on_exit: OnExit | None = None
        self._owning = threading.Lock()
        self._code: int | None = None
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the worker has gone
        arguments = [word for module in imports for word in ("--import", module)]
        commands, stdin = os.pipe()
        stdout, events = os.pipe()
        self._stdin, self._stdout = os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb")
        try:
            files = (commands, events, self._stderr.fileno())
            self._process = FORK_SERVER.fork(arguments, files) or subprocess.Popen(
                program(*arguments),
                stdin=commands,
                stdout=events,
                stderr=self._stderr,
                env=environment(),
                start_new_session=True,
            )
        finally:
            os.close(commands)
            os.close(events)
        self._sending = threading.Lock()
        threading.Thread(target=self._read, name=f"worker {self._process.pid}", daemon=True).start()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def serve(self, on_line: OnLine, on_exit: OnExit) -> None:
        """Let a run take the worker: its lines go to `on_line`, its end to `on_exit`, even if it is over already."""
        with self._owning:
            self._on_line, self._on_exit = on_line, on_exit
            code = self._code
        if code is not None:
            on_exit(self, code)

    def send(self, command: dict[str, Any]) -> None:
        """Give the worker a command; a worker that is gone ignores it."""
        self._warms |= command["do"] == "warm"
        with self._sending:
            try:
                self._stdin.write(json.dumps(command).encode() + b"\n")
                self._stdin.flush()
            except (OSError, ValueError):
                return

    def close_commands(self) -> None:
        """Close its stdin, which tells it to exit."""
        with self._sending:
            try:
                self._stdin.close()
            except OSError:
                return

    def terminate(self) -> None:
        """Ask the system to end it."""
        self._process.terminate()

    def kill(self) -> None:
        """End it without asking."""
        self._process.kill()

    def wait(self, timeout: float) -> bool:
        """Wait for its end, at most `timeout` seconds; whether it is over."""
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return False
        return True

    def last_output(self) -> str:
        """The last line that it printed before it had a run, for a message."""
        try:
            self._stderr.seek(0)
            lines = self._stderr.read().decode(errors="replace").strip().splitlines()
        except (OSError, ValueError):
            return ""
        return lines[-1] if lines else ""

    def exit_text(self, code: int) -> str:
        """How it ended, in words that go on after 'The process'.

        `code` is its exit status; of a signal, the number below zero.
        """
        if code < 0:
            return f"{CRASHES.get(-code, 'was killed')} (signal {-code})"
        output = self.last_output()
        return f"ended by itself with the code {code}{f': {output}' if output else ''}"

    def _read(self) -> None:
        for line in self._stdout:
            try:
                message = json.loads(line)
            except ValueError:
                # Only a line that its death cut short can be no JSON: nobody else can write to this pipe.
                break
            if "worker" in message:
                self.warmth = Warmth(message["worker"])
                if self._warms:
                    # the server finds in the cache what this worker has compiled, and where it still compiles takes the
                    # other half; a worker that only works has more to do
                    FORK_SERVER.start()
                self._on_warmth(self)
            if self._on_line is not None:
                self._on_line(self, message)
        self._stdout.close()
        code = self._process.wait()
        with self._owning:
            self._code = code
            on_exit = self._on_exit
        self.warmth = Warmth.GONE
        if on_exit is not None:
            on_exit(self, code)
        self._on_warmth(self)
        self.close_commands()
        self._stderr.close()


class ResourceUsage(NamedTuple):
    """What a worker takes: its resident memory in MiB, and the user CPU seconds that it took until now."""

    memory_mb: float
    cpu_seconds: float


def watch(worker: WorkerProcess, over: threading.Event, overdue: Callable[[ResourceUsage], bool]) -> None:
    """Look at a worker until `over`, or until it is gone, and end it once it is `overdue`."""
    import psutil

    try:
        process = psutil.Process(worker.pid)
    except psutil.Error:
        return
    terminated_at: float | None = None
    while not over.wait(POLL_INTERVAL):
        try:
            usage = ResourceUsage(process.memory_info().rss / 2**20, process.cpu_times().user)
        except psutil.Error:
            return
        if not overdue(usage):
            continue
        if terminated_at is None:
            terminated_at = time.monotonic()
            worker.terminate()
        elif time.monotonic() - terminated_at > TERMINATE_TIMEOUT:
            worker.kill()
