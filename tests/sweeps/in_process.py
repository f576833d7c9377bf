"""Sweeps of the command line and of tasks, solved in the process of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from solvers.cli import sweep
from solvers.sweeps import InProcess, study


@contextmanager
def in_this_process() -> Iterator[None]:
    """Start no process for a sweep; that would take longer than most jobs of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (sweep, study):
            patch.setattr(module, "executor_of", lambda scheduler, workers: InProcess())
        yield
