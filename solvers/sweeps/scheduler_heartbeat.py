"""The heartbeat of a Dask cluster: a scheduler that hangs, or that has lost all its workers, says nothing by itself."""

import time
from typing import Any

HEARTBEAT_INTERVAL = 2.0
"""Seconds between two requests to the scheduler."""

FETCH_TIMEOUT = 5.0
"""Seconds after which the scheduler is asked again while a result, which is small, is on its way."""


class WorkersGoneError(Exception):
    """A scheduler has been without workers for too long."""


class SchedulerHeartbeat:
    """Checks that a cluster is alive, while its answers are waited for.

    The scheduler must answer within `timeout` seconds, and may be without workers for `workers_timeout`: those that are
    started again take a while.
    """

    def __init__(self, client: Any, timeout: float, workers_timeout: float) -> None:
        self._client, self._timeout, self._workers_timeout = client, timeout, workers_timeout
        self._checked = self._worked = time.monotonic()

    def check(self) -> None:
        """Ask, if the last time is a while ago.

        Raises
        ------
        OSError
            The scheduler does not answer (`TimeoutError`), or cannot be reached.
        WorkersGoneError
            It answers, but has been without workers for too long.
        """
        if time.monotonic() - self._checked < HEARTBEAT_INTERVAL:
            return
        workers = self._client.sync(self._client.scheduler.ncores, callback_timeout=self._timeout)
        self._checked = time.monotonic()
        if workers:
            self._worked = self._checked
        elif self._checked - self._worked > self._workers_timeout:
            raise WorkersGoneError

    def result(self, future: Any) -> Any:
        """The result of a future that has ended, which its worker may have taken with it; then it is made again."""
        while True:
            try:
                return future.result(timeout=FETCH_TIMEOUT)
            except TimeoutError:
                self.check()
