"""Whether a Dask cluster is alive: a scheduler that hangs, or that has lost all its workers, says nothing by itself."""

from __future__ import annotations

import time
from typing import Any

EVERY = 2.0
"""Seconds between two questions to the scheduler."""

FETCH = 5.0
"""Seconds after which the scheduler is asked again while a result, which is small, is on its way."""


class WorkersGoneError(Exception):
    """A scheduler has been without workers for too long."""


class Pulse:
    """Asks a cluster whether it is alive, while its answers are waited for.

    Parameters
    ----------
    client : of the scheduler.
    timeout : seconds in which the scheduler must answer.
    patience : seconds for which it may be without workers; those that are started again take a while.
    """

    def __init__(self, client: Any, timeout: float, patience: float) -> None:
        self._client, self._timeout, self._patience = client, timeout, patience
        self._felt = self._worked = time.monotonic()

    def feel(self) -> None:
        """Ask, if the last time is a while ago.

        Raises
        ------
        OSError
            The scheduler does not answer (`TimeoutError`), or cannot be reached.
        WorkersGoneError
            It answers, but has been without workers for too long.
        """
        if time.monotonic() - self._felt < EVERY:
            return
        workers = self._client.sync(self._client.scheduler.ncores, callback_timeout=self._timeout)
        self._felt = time.monotonic()
        if workers:
            self._worked = self._felt
        elif self._felt - self._worked > self._patience:
            raise WorkersGoneError

    def result(self, future: Any) -> Any:
        """The result of a future that has ended, which its worker may have taken with it; then it is made again."""
        while True:
            try:
                return future.result(timeout=FETCH)
            except TimeoutError:
                self.feel()
