"""Signs of the jobs that are at work on a Dask cluster, by which those are found that should long be over.

A worker whose job hangs is alive otherwise and tells its scheduler so, which therefore waits for ever. So each job
tells when it is taken and when its search begins, as an event that the scheduler passes on to whoever waits for it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from solvers.solution import Event, Started
from solvers.sweeps.jobs import Outcome, SweepJob, solve_job
from solvers.sweeps.pulse import EVERY
from solvers.sweeps.warden import due

TOPIC = "espalier-sweeps"
"""Under which jobs tell of themselves; the same for all sweeps, because a scheduler forgets no topic."""

AWAKE = 1.0
"""Seconds between two looks beyond which this process was frozen, or busy with what has been found."""


def solve_told(job: SweepJob) -> Outcome:
    """Solve one job in this worker of a cluster, telling when it is taken and when its search begins."""
    from distributed import get_worker

    worker = get_worker()
    task = worker.get_current_task()

    def tell(searching: bool) -> None:
        worker.log_event(TOPIC, {"task": task, "at": worker.address, "searching": searching})

    def hear(event: Event) -> None:
        if isinstance(event, Started):
            tell(True)

    tell(False)
    return solve_job(job, emit=hear)


class _Sign(NamedTuple):
    """The worker that has a job, since when, and since when its search is at work (`None` if it is not known to be)."""

    worker: str
    since: float
    searching: float | None


class Signs:
    """Listens to the jobs of a sweep; its clock counts the seconds that this process was awake.

    Parameters
    ----------
    client : of the scheduler.
    timeout : seconds in which the scheduler must answer.
    """

    def __init__(self, client: Any, timeout: float) -> None:
        self._client, self._timeout = client, timeout
        self._signs: dict[str, _Sign] = {}
        self._seen: dict[str, float] = {}
        self._awake, self._last, self._looked = 0.0, time.monotonic(), 0.0
        client.subscribe_topic(TOPIC, self._hear)

    def _hear(self, event: tuple[float, Mapping[str, Any]]) -> None:
        told = event[1]
        before = self._signs.get(told["task"])
        if told["searching"] and before is not None:
            self._signs[told["task"]] = before._replace(searching=self._awake)
        else:
            self._signs[told["task"]] = _Sign(told["at"], self._awake, None)
            self._seen.pop(told["task"], None)

    def stuck(self, begun: Mapping[Any, SweepJob]) -> dict[Any, str]:
        """The jobs that should be over but hold a worker that is alive, and the address of that worker.

        Parameters
        ----------
        begun : the jobs that are waited for, by their futures.

        Raises
        ------
        OSError
            The scheduler does not answer (`TimeoutError`), or cannot be reached.
        """
        now = time.monotonic()
        self._awake, self._last = self._awake + min(now - self._last, AWAKE), now
        if self._awake - self._looked < EVERY:
            return {}
        self._looked = self._awake
        late = {future: self._signs[future.key] for future, job in begun.items() if self._is_late(future, job)}
        if not late:
            return {}
        workers = self._asked(self._client.scheduler.identity)["workers"]
        at_work = self._asked(self._client.scheduler.processing)
        found = {}
        for future, sign in late.items():
            if future.key not in at_work.get(sign.worker, ()):
                # its worker was lost: it tells anew when another one has it
                del self._signs[future.key]
            elif workers[sign.worker]["last_seen"] > self._seen.setdefault(
                future.key, workers[sign.worker]["last_seen"]
            ):
                # what is silent altogether the scheduler gives up, and another worker may do better
                found[future] = sign.worker
        return found

    def _is_late(self, future: Any, job: SweepJob) -> bool:
        sign = self._signs.get(future.key)
        known = sign is not None and future.status == "pending"
        return known and self._awake > due(job.limits, sign.since, sign.searching)

    def _asked(self, question: Any, **words: Any) -> Any:
        return self._client.sync(question, callback_timeout=self._timeout, **words)

    def give_up(self, future: Any, worker: str) -> None:
        """Take a job back and its worker out of the cluster: a thread that hangs can be ended only with its process.

        What else the worker has goes to others. Where Dask's nanny looks after it a new one takes its place.
        """
        self._client.cancel([future])
        words = {"workers": [worker], "wait_for_workers": False, "on_error": "return", "stimulus_id": f"stuck-{TOPIC}"}
        # whether the scheduler is there is asked elsewhere, and the job is given up in either case
        with suppress(OSError, TimeoutError):
            self._client.sync(
                self._client.scheduler.restart_workers,
                timeout=self._timeout,
                callback_timeout=2 * self._timeout,
                **words,
            )
