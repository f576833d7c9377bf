"""Cases measured in a process that can be killed, so that a solver that does not stop costs one case only.

The process (`python -m benchmarks.reproduction.process`) reads one request per line and responds with one line. Cases
that report memory start in a fresh process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from queue import Empty, Queue
from types import TracebackType
from typing import Any

from benchmarks.process import listening, pin
from benchmarks.reproduction.fits import PATIENCE
from benchmarks.reproduction.registry import Case, Result

GRACE = 45.0
"""Seconds beyond its limit that a case may take for reading, compiling and checking before its process is killed."""

START = 240.0
"""Limit in seconds for imports and the first compilation."""


class Runner:
    """Measures cases of the data in a folder, in one process at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None
        self._lines: Queue[str | None] = Queue()

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.end()

    def run(self, case: Case) -> Result:
        """Measure a case; an error is in `failure`."""
        patience = PATIENCE * case.seconds + GRACE
        if self._process is None:
            self._start()
            patience += START
        process = self._process
        assert process is not None and process.stdin is not None, "it has just been started"
        request = {"measure": case.measure, "arguments": dict(case.arguments), "seconds": case.seconds}
        process.stdin.write(json.dumps({**request, "folder": str(self._folder.resolve())}) + "\n")
        process.stdin.flush()
        try:
            line = self._lines.get(timeout=patience)
        except Empty:
            line = ""
        if line:
            return json.loads(line)
        self.end()
        return {"failure": "the process ended by itself" if line is None else f"no end within {patience:.0f} s"}

    def end(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _start(self) -> None:
        self._process, self._lines = listening("benchmarks.reproduction.process")


def measured(request: Mapping[str, Any]) -> Result:
    """Carry out a request in this process."""
    from benchmarks.reproduction.papers import MEASURES

    measure = MEASURES[request["measure"]]
    return measure(Path(request["folder"]), request["seconds"], **request["arguments"])


def _serve() -> None:
    """Carry out requests until the input ends; output of libraries goes to stderr."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    pin(1)
    for line in sys.stdin:
        try:
            result = measured(json.loads(line))
        except Exception as error:  # the next case may succeed
            result = {"failure": f"{type(error).__name__}: {error}"}
        print(json.dumps(result), file=answers, flush=True)


if __name__ == "__main__":
    _serve()
