"""All differences between Linux, macOS and Windows: folders, accounts, memory, and how processes fork and end.

The rest of the program uses this module and never imports `fcntl`, `pwd`, `resource`, `os.fork` and the like. On every
platform, file locks come from `filelock`, folders from `platformdirs`, and facts about other processes from psutil.
"""

from __future__ import annotations

import atexit
import ctypes
import getpass
import os
import re
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from platformdirs import user_cache_path, user_data_path

_NAME = "espalier"

CAN_FORK = sys.platform == "linux" and hasattr(os, "fork")
"""Whether a process can be forked safely. macOS can fork, but its own libraries do not survive it."""

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
"""Descriptions of the signals that end a crashed process, limited to those that the platform has."""


def end_process(status: int) -> NoReturn:
    """End this process with an exit status, without tearing down the interpreter.

    Threads of native libraries (pyarrow's readers) may still release Python objects. If the interpreter is torn down at
    that moment, the thread is unwound through C++ code and the process aborts with status 134, although all its work is
    done. So this function does what a normal exit does (join threads, call exit handlers, flush) and leaves.
    """
    with suppress(KeyboardInterrupt):
        # joins all threads but daemons, and shuts down the pools of concurrent.futures
        getattr(threading, "_shutdown")()  # noqa: B009 - typeshed does not list it
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(status)


def data_folder() -> Path:
    """The folder for this user's application data."""
    return user_data_path(_NAME, appauthor=False)


def cache_folder() -> Path:
    """The folder for this user's data that can be recomputed."""
    return user_cache_path(_NAME, appauthor=False)


def user_name() -> str:
    """A name unique to this user on the machine and valid as a folder name."""
    return str(os.getuid()) if hasattr(os, "getuid") else re.sub(r"\W", "_", getpass.getuser())


def is_personal(etc: Path = Path("/etc")) -> bool:
    """Whether only one person uses this machine: nobody else can have an account on it.

    This is known only on Linux, if all accounts are in the machine's own file and no other account there can sign in. A
    directory service is never queried: a machine that has one is not personal.

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
    """Whether a line of the account file is a person with a uid other than `own`; True if it cannot be read."""
    if len(account) != 7 or not account[2].isdigit():
        return True
    number, shell = int(account[2]), account[6].rpartition("/")[2]
    return number >= 1000 and number not in (own, 65534) and shell not in ("", "nologin", "false", "sync")


def ignore_end_signals() -> None:
    """Ignore the signals that ask this process to end, if the platform can block signals."""
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})


def release_memory() -> None:
    """Return memory held by the C library to the system; only the GNU library needs this."""
    if sys.platform == "linux":
        with suppress(AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def call_after_fork(call: Callable[[], object]) -> None:
    """Call a function in each fork of this process, if the platform can fork."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=call)


# the following exist only where `CAN_FORK`


def fork() -> int:
    """Fork this process: returns 0 in the child, the process id of the child in the parent."""
    if sys.platform == "win32":
        raise NotImplementedError
    return os.fork()


def begin_session() -> None:
    """Detach this process from the terminal and the signals of its parent."""
    if sys.platform == "win32":
        raise NotImplementedError
    os.setsid()


def ended_copy() -> tuple[int, int] | None:
    """The process id and exit status of a child that has ended (minus the signal number if a signal ended it)."""
    if sys.platform == "win32":
        raise NotImplementedError
    try:
        pid, status = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return None
    return (pid, os.waitstatus_to_exitcode(status)) if pid else None
