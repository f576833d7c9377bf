"""The parent's side of a worker process: start it, send commands, read its messages, end it."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import Any

from ..platforms import CRASHES
from .fork_server import FORK_SERVER, environment, program

OnLine = Callable[["WorkerProcess", dict[str, Any]], None]
OnExit = Callable[["WorkerProcess", int], None]


class Warmth(StrEnum):
    """How far a worker is prepared for a run."""

    STARTING = "starting"
    COMPILING = "compiling"
    READY = "ready"
    GONE = "gone"


class WorkerProcess:
    """A running `solvers.run.worker`, with modules to import that add methods.

    `on_warmth` is called whenever `warmth` changes, on the thread that reads from the worker.
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
        """The process id."""
        return self._process.pid

    def serve(self, on_line: OnLine, on_exit: OnExit) -> None:
        """Assign the worker to a run: its lines go to `on_line`, its end to `on_exit`, even if it has already ended."""
        with self._owning:
            self._on_line, self._on_exit = on_line, on_exit
            code = self._code
        if code is not None:
            on_exit(self, code)

    def send(self, command: dict[str, Any]) -> None:
        """Send a command to the worker; does nothing if the worker is gone."""
        self._warms |= bool(command.get("methods"))
        with self._sending:
            try:
                self._stdin.write(json.dumps(command).encode() + b"\n")
                self._stdin.flush()
            except (OSError, ValueError):
                return

    def close_commands(self) -> None:
        """Close its stdin, which makes it exit."""
        with self._sending:
            try:
                self._stdin.close()
            except OSError:
                return

    def is_frozen(self) -> bool:
        """Whether the process is suspended, and reacts to nothing."""
        import psutil

        with suppress(psutil.Error):
            return bool(psutil.Process(self.pid).status() == psutil.STATUS_STOPPED)
        return False

    def terminate(self) -> None:
        """Ask the process to end (SIGTERM)."""
        self._process.terminate()

    def kill(self) -> None:
        """Kill the process at once."""
        self._process.kill()

    def wait(self, timeout: float) -> bool:
        """Wait for its end, at most `timeout` seconds; returns whether it has ended."""
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
        """How it ended, as a predicate that follows 'The process'.

        `code` is its exit status (minus the signal number if a signal ended it).
        """
        if code < 0:
            return f"{CRASHES.get(-code, 'was killed')} (signal {-code})"
        output = self.last_output()
        return f"ended unexpectedly with the code {code}{f': {output}' if output else ''}"

    def _read(self) -> None:
        for line in self._stdout:
            try:
                message = json.loads(line)
            except ValueError:
                # Only a line truncated by the worker's death can be invalid JSON: no other process can write to this
                # pipe.
                break
            if "worker" in message:
                self.warmth = Warmth(message["worker"])
                if self._warms:
                    # the server loads from the cache what this worker has compiled, and while the worker still
                    # compiles, takes the
                    # other half; a worker that only solves has more left to compile
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
