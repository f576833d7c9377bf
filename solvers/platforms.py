"""Everything that differs between Linux, macOS and Windows: how a process forks, ends and is named, and who uses it."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import NoReturn

CAN_FORK = sys.platform == "linux" and hasattr(os, "fork")
"""Whether a process can be copied safely. macOS can fork, but its own libraries do not survive it."""

KILLED = int(getattr(signal, "SIGKILL", signal.SIGTERM))
"""The signal that ends a process at once; on Windows every signal that ends a process does."""

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
