"""One worker process for all tests, which is restarted if a case crashes it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import BrokenExecutor

import pytest
from joblib.externals.loky import ProcessPoolExecutor

from tests.magnitude.cases import faults_of


@pytest.fixture(scope="session")
def worker() -> Iterator[Worker]:
    """A process that runs cases."""
    process = Worker()
    yield process
    process.close()


PATIENCE = 1200.0
"""Seconds after which a case without a result is killed; its own limit is far lower, but excludes compilation."""


class Worker:
    """A process that runs one case after the other."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    def faults_of(self, family: str, k: int) -> list[str]:
        """Run case k of a family in the process."""
        self._pool = self._pool or ProcessPoolExecutor(1)
        try:
            return self._pool.submit(faults_of, family, k).result(PATIENCE)
        except (BrokenExecutor, TimeoutError) as error:
            self.close()
            return [f"the process ended, or gave no answer within {PATIENCE:g} s: {error}"]

    def close(self) -> None:
        """End the process."""
        if self._pool is not None:
            self._pool.shutdown(kill_workers=True)
            self._pool = None
