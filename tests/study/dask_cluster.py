"""A separate Dask cluster for tests: a scheduler and two workers in processes that can be killed or frozen."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORKER_TTL = 12
"""Seconds after which the scheduler drops a silent worker: longer than a busy machine can freeze the scheduler during a
test, because it would then drop workers that did send messages."""

HASTY = "tests.study.hasty"
"""A module that gives hanging jobs one second of grace."""


class DaskCluster:
    """Two Dask workers in separate processes, and their scheduler.

    Parameters
    ----------
    folder : for their files.
    """

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self._port}"
        self._folder = folder
        self.scheduler: subprocess.Popen | None = None
        self.workers: list[subprocess.Popen] = []
        self.restore()

    def restore(self) -> None:
        """Start missing processes; a restarted scheduler gets new workers."""
        if self.scheduler is None or self.scheduler.poll() is not None:
            self.end()
            self.scheduler = self._started(
                "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(self._port), "--no-show"
            )
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) < 2:
            alone = ("--nthreads", "1", "--no-nanny", "--local-directory", str(self._folder), "--preload", HASTY)
            self.workers.append(self._started("distributed.cli.dask_worker", self.address, *alone))

    def _started(self, module: str, *words: str) -> subprocess.Popen:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(self._folder)}
        environment["DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL"] = f"{WORKER_TTL}s"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(
            [sys.executable, "-m", module, *words, "--no-dashboard"], cwd=ROOT, env=environment, **quiet
        )

    def end(self) -> None:
        """Stop all of them."""
        processes = [*self.workers, *([self.scheduler] if self.scheduler else [])]
        for process in processes:
            process.send_signal(signal.SIGKILL)
        for process in processes:
            process.wait()
        self.workers = []
