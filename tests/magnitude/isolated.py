"""Cases in a separate process, which is restarted if a case crashes it."""

from __future__ import annotations

import json
import selectors
import subprocess
import sys
import tempfile

from tests.magnitude.cases import Report, made, snippet

PATIENCE = 1200.0
"""Seconds after which a case without a result is killed; its own limit is far lower, but excludes compilation."""


class Worker:
    """A process that runs one case after the other."""

    def __init__(self) -> None:
        self._process: subprocess.Popen | None = None

    def report(self, family: str, k: int) -> Report:
        """Run case k of a family in the process."""
        if self._process is None:
            self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - open as long as the process
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.magnitude.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
            )
        self._process.stdin.write(f"{family} {k}\n")
        self._process.stdin.flush()
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._process.stdout, selectors.EVENT_READ)
            answered = bool(waiting.select(PATIENCE))
        line = self._process.stdout.readline() if answered else ""
        return Report(**json.loads(line)) if line else self._lost(family, k, answered)

    def _lost(self, family: str, k: int, crashed: bool) -> Report:
        self._process.kill()
        code = self._process.wait()
        self._errors.seek(0)
        last = self._errors.read()[-3000:]
        self.close()
        fault = f"the process ended with {code}: {last}" if crashed else f"no answer within {PATIENCE:g} s"
        if family in ("estimators", "fits"):
            return Report(family, "", "crash", [fault])
        case, size = made(family, k)
        return Report(family, size, "crash", [fault], snippet(case.problem, case.method, case.options))

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout, self._errors):
                stream.close()
            self._process = None
