"""Workers by `fork`: one process imports and compiles everything, and each further worker is a copy of it.

A fresh worker needs two seconds of processor time and a third of a gigabyte until it is ready; a copy needs a few
milliseconds, and shares memory that neither process writes to. Linux only; on other systems, and until the server is
ready, workers are started from scratch. On a first start the server compiles half of the kernels while a worker
compiles the other half. There is no other difference: a copy gets its own descriptors and environment, carries one run
and exits. The server runs a single Python thread, so that a copy never inherits a locked lock.

Both ends communicate in JSON through a socket that preserves message boundaries:

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
"""The methods that are imported and compiled in advance."""
REPLY_TIMEOUT = 5.0
"""Timeout in seconds for a reply of the server, after which it is abandoned."""
LARGEST_MESSAGE = 2**18
"""In bytes."""


def program(*arguments: str) -> list[str]:
    """The command that starts `solvers.run.worker`."""
    return [sys.executable, "-m", f"{__package__}.worker", *arguments]


def environment() -> dict[str, str]:
    """The environment of a worker: this one, with the program on Python's path."""
    path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path}


class ForkedProcess:
    """A copy of the server, with the subset of the methods of `subprocess.Popen` that is needed."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._over = threading.Event()
        self._code = 0

    def end(self, code: int) -> None:
        """Record that it has ended."""
        self._code = code
        self._over.set()

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if not self._over.is_set():
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                return

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(platforms.KILL)

    def wait(self, timeout: float | None = None) -> int:
        """Its exit status (minus the signal number if a signal ended it).

        Raises `subprocess.TimeoutExpired` if it has not ended after `timeout` seconds.
        """
        if not self._over.wait(timeout):
            raise subprocess.TimeoutExpired(program(), timeout or 0.0)
        return self._code


class ForkServer:
    """The client side of the server; `start` starts it once, and `fork` makes workers when it is ready."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._server: subprocess.Popen[bytes] | None = None
        self._ready = False
        self._replies: queue.SimpleQueue[ForkedProcess] = queue.SimpleQueue()
        self._processes: dict[int, ForkedProcess] = {}

    @property
    def ready(self) -> bool:
        """Whether it can make workers now."""
        return self._ready

    @property
    def pid(self) -> int | None:
        """Its process id; `None` before the start."""
        return None if self._server is None else self._server.pid

    def start(self) -> None:
        """Start the server in the background, if the platform supports it; it ends with this program."""
        with self._lock:
            if sys.platform == "win32" or self._server is not None or not platforms.CAN_FORK:
                return
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
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
        """A worker with these arguments and its stdin, stdout and stderr; `None` if the server is not ready."""
        order = {"arguments": list(arguments), "environment": environment(), "folder": os.getcwd()}
        with self._lock:
            if sys.platform == "win32" or not self._ready or self._socket is None:
                return None
            try:
                socket.send_fds(self._socket, [json.dumps(order).encode()], list(files))
                return self._replies.get(timeout=REPLY_TIMEOUT)
            except (OSError, queue.Empty):
                self._ready = False
                return None

    def close(self) -> None:
        """End it; its workers continue, and no more are made."""
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
                    # the server was abandoned, and another worker has the pipes
                    worker.kill()
            else:
                self._processes.pop(message["ended"]).end(message["code"])
        self._ready = False
        ours.close()
        process.wait()
        # nothing else can report how the server's workers end
        for worker in self._processes.values():
            threading.Thread(target=_follow, args=(worker,), name=f"worker {worker.pid}", daemon=True).start()


def _receive(ours: socket.socket) -> dict[str, Any] | None:
    try:
        text = ours.recv(LARGEST_MESSAGE)
    except OSError:
        return None
    return json.loads(text) if text else None


def _follow(worker: ForkedProcess) -> None:
    """Wait for the end of a worker that has lost its server; its status is unknown."""
    import psutil

    while psutil.pid_exists(worker.pid):
        time.sleep(0.1)
    worker.end(-platforms.KILL)


def serve(descriptor: int, warm: Callable[[], None], work: Callable[[list[str]], int]) -> NoReturn:
    """The server side: import and compile, then fork a worker for each message, until the parent program is gone.

    `descriptor` is that of the socket, `warm` imports and compiles, and `work` carries out a worker's arguments and
    returns its exit status.
    """
    if sys.platform == "win32":
        raise NotImplementedError
    with socket.socket(fileno=descriptor) as program_end:
        with _ending_with(program_end):
            warm()
        woken, waking = socket.socketpair()
        woken.setblocking(False)
        waking.setblocking(False)
        signal.set_wakeup_fd(waking.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        _send(program_end, {"ready": True})
        while order := _next_order(program_end, woken):
            message, files = order
            pid = platforms.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for other in (program_end, woken, waking):
                    other.close()
                _work(message, files, work)
            for file in files:
                os.close(file)
            _send(program_end, {"forked": pid})
    os._exit(0)


@contextmanager
def _ending_with(program_end: socket.socket) -> Iterator[None]:
    """End this process at once if the program ends before the block does; the program sends nothing before."""
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
    """The next message with its descriptors; reports ended workers while it waits. `None` if the program is gone."""
    if sys.platform == "win32":
        raise NotImplementedError
    while True:
        readable, _, _ = select.select([program_end, woken], [], [])
        if woken in readable:
            woken.recv(4096)
            while (ended := platforms.ended_copy()) is not None:
                _send(program_end, {"ended": ended[0], "code": ended[1]})
        if program_end in readable:
            text, files, *_ = socket.recv_fds(program_end, LARGEST_MESSAGE, 3)
            return (json.loads(text), files) if text else None


def _send(program_end: socket.socket, message: Mapping[str, Any]) -> None:
    try:
        program_end.send(json.dumps(message).encode())
    except OSError:
        os._exit(0)


def _become(variables: Mapping[str, str], folder: str, files: Sequence[int]) -> None:
    """Give this copy its own session, environment, folder and standard streams."""
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
"""The fork server of this program."""
