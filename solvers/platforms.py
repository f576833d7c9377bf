"""Everything that differs between Linux, macOS and Windows: folders, accounts, memory, and how processes fork and end.

The rest of the program asks this module and imports none of `fcntl`, `pwd`, `resource`, `os.fork` and the like. File
locks are `filelock`'s, folders `platformdirs`'s, and what is asked of other processes psutil's, on every platform.
"""

from __future__ import annotations

import atexit
import ctypes
import getpass
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from platformdirs import user_cache_path, user_data_path

_NAME = "espalier"

CAN_FORK = sys.platform == "linux" and hasattr(os, "fork")
"""Whether a process can be copied safely. macOS can fork, but its own libraries do not survive it."""

KILL = int(getattr(signal, "SIGKILL", signal.SIGTERM))
"""The signal that ends a process at once; on Windows SIGTERM does."""

CRASHES = {
    int(number): text
    for name, text in (
        ("SIGSEGV", "crashed (memory access error)"),
        ("SIGABRT", "aborted"),
        ("SIGBUS", "crashed (bus error)"),
        ("SIGFPE", "crashed (arithmetic error)"),
    )
    if (number := getattr(signal, name, None)) is not None
}
"""What happened to a process that one of these signals ended, as far as the platform has the signal."""


def end_process(status: int) -> NoReturn:
    """End this process with an exit status, without tearing down the interpreter.

    Threads of native libraries (pyarrow's readers) may still give back objects of Python. If the interpreter is torn
    down at that moment, the thread is unwound through C++ code and the process aborts with status 134, although all its
    work is done. So do what a normal exit does, that is wait for threads, call exit handlers and flush, and leave.
    """
    with suppress(KeyboardInterrupt):
        # waits for all threads but daemons, and ends the pools of concurrent.futures
        getattr(threading, "_shutdown")()  # noqa: B009 - typeshed does not list it
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(status)


def data_folder() -> Path:
    """Where the programs of this user keep their data."""
    return user_data_path(_NAME, appauthor=False)


def cache_folder() -> Path:
    """Where the programs of this user keep what they can make again."""
    return user_cache_path(_NAME, appauthor=False)


def user_name() -> str:
    """A name for this user that no other user of the machine has, fit for the name of a folder."""
    return str(os.getuid()) if hasattr(os, "getuid") else re.sub(r"\W", "_", getpass.getuser())


def is_personal(etc: Path = Path("/etc")) -> bool:
    """Whether this machine is plainly used by one person: no other person can have an account on it.

    That is known only on Linux, if all accounts stand in the machine's own file and no other one there can sign in.
    A directory service is never asked for its accounts: where there is one, the machine is not personal.

    Parameters
    ----------
    etc : the folder of the machine's settings.
    """
    if sys.platform != "linux" or not hasattr(os, "getuid"):
        return False
    try:
        services = re.search(r"^\s*passwd:(.*)$", (etc / "nsswitch.conf").read_text("utf-8"), re.MULTILINE)
        accounts = [line.split(":") for line in (etc / "passwd").read_text("utf-8", "replace").splitlines()]
    except (OSError, ValueError):
        return False
    if services is None or not set(services[1].partition("#")[0].split()) <= {"files", "systemd"}:
        return False
    return not any(_is_other_person(account, os.getuid()) for account in accounts if account != [""])


def _is_other_person(account: list[str], own: int) -> bool:
    """Whether a line of the file of accounts is a person with another number than `own`; True if it cannot be read."""
    if len(account) != 7 or not account[2].isdigit():
        return True
    number, shell = int(account[2]), account[6].rpartition("/")[2]
    return number >= 1000 and number not in (own, 65534) and shell not in ("", "nologin", "false", "sync")


def ignore_end_signals() -> None:
    """Have the signals that ask this process to end do nothing more, where a process can block signals."""
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})


def release_memory() -> None:
    """Give memory that the C library keeps back to the system; only that of GNU needs to be asked."""
    if sys.platform == "linux":
        with suppress(AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def call_after_fork(call: Callable[[], object]) -> None:
    """Call something in each copy that is made of this process, where processes can be copied."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=call)


if sys.platform == "linux":
    CHILD_ENDED = signal.SIGCHLD
    """The signal that a process gets when one of its copies ends."""

    def socket_pair() -> tuple[socket.socket, socket.socket]:
        """Two connected sockets that keep messages apart."""
        return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def send_files(to: socket.socket, message: bytes, files: Sequence[int]) -> None:
        """Send a message with open files."""
        socket.send_fds(to, [message], list(files))

    def receive_files(source: socket.socket, most_bytes: int, most_files: int) -> tuple[bytes, list[int]]:
        """A message and the open files that came with it."""
        message, files, _, _ = socket.recv_fds(source, most_bytes, most_files)
        return message, files

    def fork() -> int:
        """Copy this process: 0 in the copy, in this one the number of the copy."""
        return os.fork()

    def begin_session() -> None:
        """Make this process independent of the terminal and the signals of the one that it was copied from."""
        os.setsid()

    def ended_copy() -> tuple[int, int] | None:
        """A copy of this process that has ended, and its exit status (of a signal the number below zero)."""
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return None
        return (pid, os.waitstatus_to_exitcode(status)) if pid else None

else:
    CHILD_ENDED = signal.SIGTERM

    def _refuse() -> NoReturn:
        raise NotImplementedError("processes are copied on Linux only")

    def socket_pair() -> tuple[socket.socket, socket.socket]:
        """Not on this platform."""
        _refuse()

    def send_files(to: socket.socket, message: bytes, files: Sequence[int]) -> None:
        """Not on this platform."""
        _refuse()

    def receive_files(source: socket.socket, most_bytes: int, most_files: int) -> tuple[bytes, list[int]]:
        """Not on this platform."""
        _refuse()

    def fork() -> int:
        """Not on this platform."""
        _refuse()

    def begin_session() -> None:
        """Not on this platform."""
        _refuse()

    def ended_copy() -> tuple[int, int] | None:
        """Not on this platform."""
        _refuse()
