"""Heartbeats of the jobs that run on a Dask cluster, by which those past their deadline are found.

A worker whose job hangs is alive otherwise and reports so to its scheduler, which therefore waits for ever. So each job
sends a message when it is taken and when its search begins, which the scheduler passes on to whoever waits for it.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from solvers.solution import Event, Started
from solvers.sweeps.deadlines import AwakeClock, deadline
from solvers.sweeps.jobs import JobOutcome, SweepJob, solve_job
from solvers.sweeps.scheduler_heartbeat import HEARTBEAT_INTERVAL

TOPIC = "espalier-sweeps"
"""Of the messages of all jobs; the same for all sweeps, because a scheduler keeps every topic for ever."""


def solve_with_heartbeat(job: SweepJob) -> JobOutcome:
    """Solve one job in this worker of a cluster, sending a message when it is taken and when its search begins."""
    from distributed import get_worker

    worker = get_worker()
    task = worker.get_current_task()

    def send(searching: bool) -> None:
        worker.log_event(TOPIC, {"task": task, "at": worker.address, "searching": searching})

    def on_event(event: Event) -> None:
        if isinstance(event, Started):
            send(True)

    send(False)
    return solve_job(job, emit=on_event)


class _Heartbeat(NamedTuple):
    """The worker that has a job, since when, and since when its search runs (`None` if it is not known to)."""

    worker: str
    since: float
    searching: float | None


class JobHeartbeatMonitor:
    """Receives the messages of the jobs of a sweep; its clock counts the seconds that this process was awake.

    The scheduler, whose `client` it uses, must answer within `timeout` seconds.
    """

    def __init__(self, client: Any, timeout: float) -> None:
        self._client, self._timeout = client, timeout
        self._heartbeats: dict[str, _Heartbeat] = {}
        self._seen: dict[str, float] = {}
        self._clock, self._checked = AwakeClock(), 0.0
        client.subscribe_topic(TOPIC, self._receive)

    def _receive(self, event: tuple[float, Mapping[str, Any]]) -> None:
        message = event[1]
        before = self._heartbeats.get(message["task"])
        if message["searching"] and before is not None:
            self._heartbeats[message["task"]] = before._replace(searching=self._clock.awake)
        else:
            self._heartbeats[message["task"]] = _Heartbeat(message["at"], self._clock.awake, None)
            self._seen.pop(message["task"], None)

    def overdue(self, begun: Mapping[Any, SweepJob]) -> dict[Any, str]:
        """Those of the jobs that are waited for that should be over but hold a living worker, and its address.

        Jobs are told by their futures. Raises `OSError` where the scheduler does not answer (`TimeoutError`), or cannot
        be reached.
        """
        now = self._clock.tick()
        if now - self._checked < HEARTBEAT_INTERVAL:
            return {}
        self._checked = now
        late = {future: self._heartbeats[future.key] for future, job in begun.items() if self._is_late(future, job)}
        if not late:
            return {}
        workers = self._request(self._client.scheduler.identity)["workers"]
        at_work = self._request(self._client.scheduler.processing)
        found = {}
        for future, heartbeat in late.items():
            if future.key not in at_work.get(heartbeat.worker, ()):
                # its worker was lost: it sends a new message when another one has it
                del self._heartbeats[future.key]
            elif workers[heartbeat.worker]["last_seen"] > self._seen.setdefault(
                future.key, workers[heartbeat.worker]["last_seen"]
            ):
                # a worker that sends nothing at all is dropped by the scheduler, and another worker may do better
                found[future] = heartbeat.worker
        return found

    def _is_late(self, future: Any, job: SweepJob) -> bool:
        heartbeat = self._heartbeats.get(future.key)
        if heartbeat is None or future.status != "pending":
            return False
        return self._clock.awake > deadline(job.limits, heartbeat.since, heartbeat.searching)

    def _request(self, call: Any, **arguments: Any) -> Any:
        return self._client.sync(call, callback_timeout=self._timeout, **arguments)

    def give_up(self, future: Any, worker: str) -> None:
        """Take a job back and its worker out of the cluster: a thread that hangs can be ended only with its process.

        What else the worker has goes to others. Where Dask's nanny looks after it a new one takes its place.
        """
        self._client.cancel([future])
        # whether the scheduler is there is checked elsewhere, and the job is given up in either case
        with suppress(OSError, TimeoutError):
            self._client.sync(
                self._client.scheduler.restart_workers,
                workers=[worker],
                wait_for_workers=False,
                on_error="return",
                stimulus_id=f"stuck-{TOPIC}",
                timeout=self._timeout,
                callback_timeout=2 * self._timeout,
            )
