"""The process that runs a search: `python -m solvers.run.worker`.

It communicates in JSON lines. It reads commands from stdin and writes events to a private copy of stdout; descriptor 1
itself is redirected to stderr, so that output of native libraries cannot corrupt the events. A worker carries one run
and exits. It also exits when stdin closes, since then the program that started it is gone.

    {"do": "warm", "methods": ["contree", "cart"]}   import and compile what these methods need
    {"do": "run", "folder": "..."}                   carry the run of this folder
    {"do": "call", "file": "..."}                    call a function, see `Worker.call`; it does not end the worker
    {"do": "cancel"}                                 stop the search, keep its best model

A run can be repeated without the dashboard: `python -m solvers.run.worker FOLDER` prints the events.
"""

import argparse
import faulthandler
import gc
import json
import os
import pickle
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from ..compilation import COMPILATION
from ..compile_level import compile_cheaply
from ..errors import EspalierError
from ..methods import get
from ..solution import Cancelled, Emit, End, EndReason, Event, Failed, Finished, Started, Status
from . import wire
from .folder import RunFolder
from .fork_server import WARM
from .fork_server import serve as serve_forks
from .solver_run import Channel, StopFlag, carry, carry_task, failure

GRACE_AFTER_PARENT = 2.0
"""Seconds that a search has to end by itself after the program that started it is gone."""


def main(argv: list[str] | None = None) -> int:
    """Serve one run over stdin and stdout, or repeat the run of a folder."""
    parser = argparse.ArgumentParser(prog=f"python -m {__package__}.worker", description="Carry a run.")
    parser.add_argument("folder", nargs="?", type=Path, help="repeat the run of this folder and print its events")
    parser.add_argument("--fork-server", type=int, metavar="DESCRIPTOR", help=argparse.SUPPRESS)
    parser.add_argument(
        "--import", dest="imports", action="append", default=[], metavar="MODULE", help="a module that adds methods"
    )
    options = parser.parse_args(argv)
    compile_cheaply()
    if options.fork_server is not None:
        serve_forks(options.fork_server, _prepare_beside_another, main)
    out, commands = _private_channels()
    faulthandler.enable()
    worker = Worker(out)
    for module in options.imports:
        import_module(module)
    if options.folder is not None:
        signal.signal(signal.SIGINT, lambda *_: worker.stop.set())
        try:
            RunFolder(options.folder).request()
        except EspalierError as error:
            parser.exit(2, f"{error}\n")
        return worker.run(RunFolder(options.folder))
    threading.Thread(target=worker.listen, args=(commands,), name="commands", daemon=True).start()
    return worker.serve()


def _private_channels() -> tuple[BinaryIO, BinaryIO]:
    """Private copies of stdout and stdin that no library knows; the originals lead to stderr and to nothing."""
    out, commands = os.fdopen(os.dup(1), "wb", buffering=0), os.fdopen(os.dup(0), "rb", buffering=0)
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return out, commands


def prepare(methods: Sequence[str]) -> None:
    """Import and compile what methods need; the run reports failures."""
    # loaded libraries stay: garbage collection over them, now and during a run, would only take time
    gc.disable()
    for name in methods:
        try:
            get(name).precompile()
        except Exception:
            traceback.print_exc()
    gc.freeze()
    gc.enable()


def _prepare_beside_another() -> None:
    """Like `prepare`, but starts with what a worker compiles last, so that each loads what the other has compiled."""
    from ..kernels.tree_search import compile_loop

    gc.disable()
    compile_loop()
    prepare(WARM)


class Worker:
    """Receives commands, and sends events to `out`, one per line."""

    def __init__(self, out: BinaryIO) -> None:
        self.stop = StopFlag()
        self._out = out
        self._writing = threading.Lock()
        self._commands: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()

    def listen(self, commands: BinaryIO) -> None:
        """Read commands until stdin closes. Cancel takes effect at once, the others in order."""
        pending = b""
        while block := commands.read(65536):
            *lines, pending = (pending + block).split(b"\n")
            for line in lines:
                command = json.loads(line)
                if command["do"] == "cancel":
                    self.stop.set()
                else:
                    self._commands.put(command)
        self.stop.set()
        self._commands.put({"do": "exit"})
        threading.Event().wait(GRACE_AFTER_PARENT)
        os._exit(1)

    def serve(self) -> int:
        """Carry out the commands until a run has ended."""
        while True:
            command = self._commands.get()
            match command["do"]:
                case "warm":
                    self.precompile(command["methods"])
                case "run":
                    return self.run(RunFolder(Path(command["folder"])))
                case "call":
                    self.call(Path(command["file"]))
                case _:
                    return 0

    def call(self, file: Path) -> None:
        """Call the function in a file that this program has just written, and send the message that it returns.

        The file is a pickle of the function and its argument. The function also takes the folder of the file, for what
        it writes, and `emit`; of its events only the start of a search is sent.
        """
        with file.open("rb") as stored:
            function, argument = pickle.load(stored)
        file.unlink()

        def emit(event: Event) -> None:
            if isinstance(event, Started):
                self._send(wire.event_to_json(event))

        self._send(function(argument, file.parent, emit))

    def precompile(self, methods: list[str]) -> None:
        """Prepare methods, sending a message while their kernels are compiled."""
        COMPILATION.watch()

        def compiling(ongoing: bool) -> None:
            if ongoing:
                self._send({"worker": "compiling"})

        with COMPILATION.reported_to(compiling):
            prepare(methods)
        self._send({"worker": "ready"})

    def run(self, folder: RunFolder) -> int:
        """Carry the run of a folder: events to the folder and stdout, the result to the folder, the rest to its log.

        If the folder cannot be written (a full disk), the parent still receives every event.
        """
        files = _RunLog(folder)

        def emit(event: Event) -> None:
            line = wire.event_to_json(event)
            files.write(wire.add_version(line))
            self._send(line)

        with COMPILATION.reported_to(self._send_compiling):
            end = folder.close(self._carry(folder, emit))
        emit(end)
        return 0 if isinstance(end, Finished) else 1

    def _carry(self, folder: RunFolder, emit: Emit) -> End:
        channel, name, problem = Channel(emit), "", None
        try:
            request, problem = folder.request(), folder.problem()
            name = request.method
            if request.task is not None:
                carry_task(request.task, problem, name, request.limits, channel, self.stop, request.options)
                elapsed = channel.record.elapsed
                return Cancelled(elapsed) if self.stop.reason is EndReason.STOPPED else Finished(elapsed, None)
            solution = carry(problem, name, request.limits, channel, self.stop, request.options)
        except EspalierError as error:
            reason = str(error)
        except MemoryError:
            traceback.print_exc()
            reason = "The solver ran out of memory."
        except Exception as error:
            traceback.print_exc()
            reason = f"The method '{name}' failed with an unexpected {type(error).__name__} (see worker.log)."
        else:
            if solution.status is Status.CANCELLED:
                return Cancelled(solution.seconds, solution)
            return Finished(solution.seconds, solution)
        if problem is None:
            return Failed(0.0, reason)
        return failure(problem, name, channel.record, reason, os.times().user)

    def _send_compiling(self, ongoing: bool) -> None:
        """Report that a kernel is being compiled, which no time limit counts."""
        self._send({"worker": "compiling" if ongoing else "ready"})

    def _send(self, line: dict[str, Any]) -> None:
        """Write a line to the parent; if the parent is gone, stop the search."""
        data = memoryview(wire.dumps(line).encode() + b"\n")
        with self._writing:
            try:
                while data:
                    data = data[self._out.write(data) :]
            except OSError:
                self.stop.set()


class _RunLog:
    """Events and log of a run as its worker writes them; write errors are recorded and end nothing."""

    def __init__(self, folder: RunFolder) -> None:
        self._events = None
        with self._noting():
            folder.claim()
            _log_to(folder.log)
            self._events = folder.events.open("ab", buffering=0)

    def write(self, line: dict[str, Any]) -> None:
        """Add an event; after a failed write no further one is written, so that the file has no gap."""
        if self._events is None:
            return
        events, self._events = self._events, None
        with self._noting():
            text = wire.dumps(line).encode() + b"\n"
            if events.write(text) == len(text):
                self._events = events

    @contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            traceback.print_exc()


def _log_to(path: Path) -> None:
    """Redirect stdout and stderr of this process, including native libraries, to a file that only the user may read."""
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    # The commands thread may be blocked in a read, for which a normal exit would wait.
    os._exit(code)
