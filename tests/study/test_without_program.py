"""A cluster that cannot import the program: one sentence reports this, and no job counts as failed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from solvers.errors import RunError
from solvers.study import Cluster
from tests.study.dask_cluster import ROOT, DaskCluster
from tests.study.in_process import run_jobs
from tests.study.test_executors import grid


class Strangers(DaskCluster):
    """A cluster whose scheduler was started outside the folder of the program."""

    def _started(self, module: str, *words: str) -> subprocess.Popen:
        known = {"PYTHONPATH": str(ROOT)} if module.endswith("worker") else {}
        return subprocess.Popen(
            [sys.executable, "-m", module, *words, "--no-dashboard"],
            cwd=self._folder,
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | known,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


@pytest.fixture
def strangers(tmp_path: Path) -> Iterator[DaskCluster]:
    """Such a cluster."""
    made = Strangers(tmp_path)
    yield made
    made.end()


def test_a_scheduler_without_the_program_is_reported(strangers: DaskCluster) -> None:
    """The sweep ends with a remedy. Regression: each job was reported as lost, as if it had crashed."""
    with pytest.raises(RunError, match=r"cannot read the jobs: all of them need this program.*PYTHONPATH=\."):
        list(run_jobs(grid(), Cluster(strangers.address, timeout=60)))
