"""The command line ends with its own exit status, even while threads of native libraries run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("status", [0, 1])
def test_a_command_ends_with_its_status_although_a_thread_of_pyarrow_still_reads(status: int) -> None:
    """Regression: the interpreter was torn down under that thread, with exit status 134 after all the work.

    As in a normal exit, threads end first, then exit handlers are called, and all output is written.
    """
    program = COMMAND.replace("{status}", str(status))
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert ended.returncode == status, ended.stderr
    assert ended.stdout.split() == ["result", "thread", "handler"]
