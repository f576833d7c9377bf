"""The command line ends with its own exit status, even while threads of native libraries run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

COMMAND = """
import atexit, io, runpy, sys, threading, time
import solvers.cli.methods as command
import pyarrow, pyarrow.csv

class SlowFile(io.BytesIO):
    def read(self, size=-1):
        if threading.current_thread() is not threading.main_thread():
            time.sleep(0.02)
        return super().read(size)

def read_and_leave(options):
    global reader
    file = pyarrow.PythonFile(SlowFile(b"a,b" + b"\\n1,2" * 300_000), mode="r")
    reader = pyarrow.csv.open_csv(file, read_options=pyarrow.csv.ReadOptions(use_threads=False, block_size=4096))
    reader.read_next_batch()
    threading.Thread(target=lambda: (time.sleep(0.05), print("thread"))).start()
    atexit.register(print, "handler")
    print("result", end=" ")
    return {status}

command.run = read_and_leave
sys.argv = ["espalier", "methods"]
runpy.run_module("solvers", run_name="__main__")
"""


def ended_with(status: int) -> subprocess.CompletedProcess[str]:
    """A command that returns a status while a thread of pyarrow still reads from a Python object."""
    program = COMMAND.replace("{status}", str(status))
    return subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120)


def test_a_command_does_not_abort_because_a_thread_of_pyarrow_still_reads() -> None:
    """Regression: the interpreter was torn down under that thread, with exit status 134 after all the work."""
    for status in (0, 1):
        ended = ended_with(status)
        assert ended.returncode == status, ended.stderr


def test_a_command_waits_for_threads_and_calls_exit_handlers_before_it_ends() -> None:
    """As in a normal exit, in that order, and all output is written."""
    assert ended_with(0).stdout.split() == ["result", "thread", "handler"]
