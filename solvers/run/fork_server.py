"""Workers by `fork`: one process imports and compiles everything, and each further worker is a copy of it.

A fresh worker takes two seconds of processor time and a third of a gigabyte until it is warm; a copy takes some
milliseconds, and shares the memory that neither writes to. Linux only; elsewhere, and until the server is ready,
workers are started anew. On a first start the server compiles half of the kernels while a worker compiles the other.
Nothing else differs: a copy gets descriptors and environment of its own, carries one run and exits. The server runs one
thread of Python, so that no lock can be held in a copy for ever.

The two ends speak through a socket that keeps messages apart, in JSON:

    to the server    {"arguments", "environment", "folder"} with stdin, stdout and stderr of the new worker
    from the server  {"ready": true}, {"forked": pid}, {"ended": pid, "code": code}
"""

import contextlib
import json
import os
import queue
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from .. import platforms

_ROOT = Path(__file__).resolve().parents[2]

WARM = ("contree", "cart", "c45")
"""The methods that are imported and compiled before they are needed."""
REPLY_TIMEOUT = 5.0
"""Seconds after which a server that does not answer is given up."""
LARGEST_MESSAGE = 2**18
"""Bytes."""


def program(*arguments: str) -> list[str]:
    """The command that starts `solvers.run.worker`."""
    return [sys.executable, "-m", f"{__package__}.worker", *arguments]


def environment() -> dict[str, str]:
    """The environment of a worker: this one, with the program on Python's path."""
    path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path}


class ForkedProcess:
    """A copy of the server, with the methods of `subprocess.Popen` that are needed of it."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._over = threading.Event()
        self._code = 0

    def end(self, code: int) -> None:
        """Note that it is over."""
        self._code = code
        self._over.set()

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it is over."""
        if not self._over.is_set():
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                return

    def terminate(self) -> None:
        """Ask the system to end it."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it without asking."""
        self.send_signal(platforms.KILL)

    def wait(self, timeout: float | None = None) -> int:
        """Its exit status, of a signal the number below zero.

        Raises `subprocess.TimeoutExpired` where it is not over after so many seconds.
        """
        if not self._over.wait(timeout):
            raise subprocess.TimeoutExpired(program(), timeout or 0.0)
        return self._code


class ForkServer:
    """The program's end of the server; `start` begins it once, and `fork` makes workers as soon as it is ready."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._server: subprocess.Popen[bytes] | None = None
        self._ready = False
        self._replies: queue.SimpleQueue[ForkedProcess] = queue.SimpleQueue()
        self._processes: dict[int, ForkedProcess] = {}

    @property
    def ready(self) -> bool:
        """Whether it makes workers now."""
        return self._ready

    @property
    def pid(self) -> int | None:
        """The number of its process; `None` before the start."""
        return None if self._server is None else self._server.pid

    def start(self) -> None:
        """Start the server in the background, where there can be one; it ends with this program."""
        with self._lock:
            if self._server is not None or not platforms.CAN_FORK:
                return
            ours, theirs = platforms.socket_pair()
            with theirs:
                self._server = process = subprocess.Popen(
                    program("--fork-server", str(theirs.fileno())),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env=environment(),
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                )
            self._socket = ours
        threading.Thread(target=self._listen, args=(ours, process), name="fork server", daemon=True).start()

    def fork(self, arguments: Sequence[str], files: Sequence[int]) -> ForkedProcess | None:
        """A worker with these arguments and its stdin, stdout and stderr; `None` where the server is not ready."""
        order = {"arguments": list(arguments), "environment": environment(), "folder": os.getcwd()}
        with self._lock:
            if not self._ready or self._socket is None:
                return None
            try:
                platforms.send_files(self._socket, json.dumps(order).encode(), files)
                return self._replies.get(timeout=REPLY_TIMEOUT)
            except (OSError, queue.Empty):
                self._ready = False
                return None

    def close(self) -> None:
        """End it; the workers that it made go on, and no further ones are made."""
        with self._lock:
            self._ready = False
            if self._socket is not None:
                with contextlib.suppress(OSError):
                    self._socket.shutdown(socket.SHUT_RDWR)

    def _listen(self, ours: socket.socket, process: subprocess.Popen[bytes]) -> None:
        while message := _receive(ours):
            if "ready" in message:
                self._ready = True
            elif "forked" in message:
                worker = self._processes[message["forked"]] = ForkedProcess(message["forked"])
                if self._ready:
                    self._replies.put(worker)
                else:
                    # it was given up, and another worker has its pipes
                    worker.kill()
            else:
                self._processes.pop(message["ended"]).end(message["code"])
        self._ready = False
        ours.close()
        process.wait()
        # nobody is left to say how the workers that it made have ended
        for worker in self._processes.values():
            threading.Thread(target=_follow, args=(worker,), name=f"worker {worker.pid}", daemon=True).start()


def _receive(ours: socket.socket) -> dict[str, Any] | None:
    try:
        text = ours.recv(LARGEST_MESSAGE)
    except OSError:
        return None
    return json.loads(text) if text else None


def _follow(worker: ForkedProcess) -> None:
    """Wait for the end of a worker that has lost its server; its status is not known."""
    import psutil

    while psutil.pid_exists(worker.pid):
        time.sleep(0.1)
    worker.end(-platforms.KILL)


def serve(descriptor: int, warm: Callable[[], None], work: Callable[[list[str]], int]) -> NoReturn:
    """The server's end: warm up, then fork a worker for each message, until the program that started it is gone.

    `descriptor` is that of the socket, `warm` imports and compiles, and `work` is what a worker does with its
    arguments; it returns its exit status.
    """
    with socket.socket(fileno=descriptor) as program_end:
        with _ending_with(program_end):
            warm()
        woken, waking = socket.socketpair()
        woken.setblocking(False)
        waking.setblocking(False)
        signal.set_wakeup_fd(waking.fileno())
        signal.signal(platforms.CHILD_ENDED, lambda *_: None)
        _send(program_end, {"ready": True})
        while order := _next_order(program_end, woken):
            message, files = order
            pid = platforms.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(platforms.CHILD_ENDED, signal.SIG_DFL)
                for other in (program_end, woken, waking):
                    other.close()
                _work(message, files, work)
            for file in files:
                os.close(file)
            _send(program_end, {"forked": pid})
    os._exit(0)


@contextmanager
def _ending_with(program_end: socket.socket) -> Iterator[None]:
    """End this process at once where the program ends before the block does; until then it sends nothing."""
    block, over = socket.socketpair()

    def watch() -> None:
        readable, _, _ = select.select([program_end, over], [], [])
        if program_end in readable and not program_end.recv(1, socket.MSG_PEEK):
            os._exit(0)

    watching = threading.Thread(target=watch, name="program", daemon=True)
    watching.start()
    with block, over:
        yield
        block.close()
        watching.join()


def _work(order: dict[str, Any], files: list[int], work: Callable[[list[str]], int]) -> NoReturn:
    """Carry out an order in this copy, and end it."""
    code = 1
    try:
        _become(order["environment"], order["folder"], files)
        code = work(order["arguments"])
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _next_order(program_end: socket.socket, woken: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """The next message with its descriptors; ends of workers are passed on meanwhile. `None` once nobody is there."""
    while True:
        readable, _, _ = select.select([program_end, woken], [], [])
        if woken in readable:
            woken.recv(4096)
            while (ended := platforms.ended_copy()) is not None:
                _send(program_end, {"ended": ended[0], "code": ended[1]})
        if program_end in readable:
            text, files = platforms.receive_files(program_end, LARGEST_MESSAGE, 3)
            return (json.loads(text), files) if text else None


def _send(program_end: socket.socket, message: Mapping[str, Any]) -> None:
    try:
        program_end.send(json.dumps(message).encode())
    except OSError:
        os._exit(0)


def _become(variables: Mapping[str, str], folder: str, files: Sequence[int]) -> None:
    """Make this copy a process of its own."""
    platforms.begin_session()
    os.environ.clear()
    os.environ.update(variables)
    for target, file in enumerate(files):
        os.dup2(file, target)
        os.close(file)
    try:
        os.chdir(folder)
    except OSError:
        return


FORK_SERVER = ForkServer()
"""That of this program."""
