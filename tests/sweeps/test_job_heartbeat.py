"""Jobs of a cluster that should long be over: found only where their worker still has them, and is alive."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from solvers.problem import Limits, Problem, Shape, sample_dataset
from solvers.sweeps import SweepJob, deadlines
from solvers.sweeps.job_heartbeat import JobHeartbeatMonitor
from solvers.sweeps.scheduler_heartbeat import HEARTBEAT_INTERVAL


class Future:
    """What will become of the job."""

    key, status = "job", "pending"


class FakeClient:
    """The client of a scheduler, as `JobHeartbeatMonitor` needs it; one job has been given to the cluster."""

    def __init__(self) -> None:
        self.seen = {"a": 0.0, "b": 5.0}
        self.at_work: dict[str, list[str]] = {"a": ["job"], "b": []}
        self.future = Future()
        self.scheduler = SimpleNamespace(
            identity=lambda: {"workers": {name: {"last_seen": seen} for name, seen in self.seen.items()}},
            processing=lambda: self.at_work,
        )
        job = SweepJob("one", Problem(sample_dataset("xor"), Shape(max_depth=1)), limits=Limits(seconds=10.0))
        self.begun = {self.future: job}

    def subscribe_topic(self, topic: str, handler: Any) -> None:
        """Remember who listens."""
        self.receive = handler

    def sync(self, question: Any, callback_timeout: float) -> Any:
        """Answer at once."""
        return question()

    def tell(self, worker: str, searching: bool) -> None:
        """What the job tells from its worker."""
        self.receive((0.0, {"task": "job", "at": worker, "searching": searching}))

    def beat(self) -> None:
        """Every worker says that it is alive."""
        self.seen = {name: seen + 1.0 for name, seen in self.seen.items()}


@pytest.fixture
def client() -> FakeClient:
    """A cluster of two workers, the first of which has the job."""
    return FakeClient()


def overdue(monitor: JobHeartbeatMonitor, client: FakeClient, seconds: float) -> list[str]:
    """The workers that are found to hang after so many more seconds, once each worker has had the time to be heard."""
    monitor._clock.awake += seconds
    found = monitor.overdue(client.begun)
    client.beat()
    monitor._clock.awake += HEARTBEAT_INTERVAL
    return [*found.values(), *monitor.overdue(client.begun).values()]


def test_search_has_its_limit_and_a_grace(client: FakeClient) -> None:
    """From where it begins; a job that waits for its turn has no end, and one that is over none either."""
    monitor = JobHeartbeatMonitor(client, 1.0)
    assert overdue(monitor, client, 1e6) == []
    client.tell("a", False)
    assert overdue(monitor, client, deadlines.STARTUP_TIMEOUT) == []
    client.tell("a", True)
    assert overdue(monitor, client, 10.0 + deadlines.GRACE - 2 * HEARTBEAT_INTERVAL) == []
    assert overdue(monitor, client, 2 * HEARTBEAT_INTERVAL) == ["a"]
    client.future.status = "finished"
    assert overdue(monitor, client, HEARTBEAT_INTERVAL) == []


def test_job_that_never_begins_to_search_has_an_end(client: FakeClient) -> None:
    """It has the time to import and to compile besides."""
    monitor = JobHeartbeatMonitor(client, 1.0)
    client.tell("a", False)
    assert overdue(monitor, client, deadlines.STARTUP_TIMEOUT + 10.0 + deadlines.GRACE - 2 * HEARTBEAT_INTERVAL) == []
    assert overdue(monitor, client, 2 * HEARTBEAT_INTERVAL) == ["a"]


def test_job_of_a_lost_worker_has_its_whole_time_elsewhere(client: FakeClient) -> None:
    """Whether it waits there or is at work; that one worker did not answer says nothing of another one."""
    monitor = JobHeartbeatMonitor(client, 1.0)
    client.tell("a", False)
    client.tell("a", True)
    beat, client.beat = client.beat, lambda: None
    assert overdue(monitor, client, 1e6) == []
    del client.seen["a"], client.at_work["a"]
    client.at_work["b"] = ["job"]
    assert overdue(monitor, client, 1e6) == []
    client.tell("b", False)
    assert overdue(monitor, client, deadlines.STARTUP_TIMEOUT) == []
    client.tell("b", True)
    assert overdue(monitor, client, 10.0 + deadlines.GRACE) == []
    client.beat = beat
    assert overdue(monitor, client, HEARTBEAT_INTERVAL) == ["b"]


def test_worker_without_heartbeat_is_left_to_the_scheduler(client: FakeClient) -> None:
    """A frozen machine is no fault of the job, which another worker will have."""
    monitor = JobHeartbeatMonitor(client, 1.0)
    client.tell("a", False)
    client.tell("a", True)
    client.beat = lambda: None
    assert overdue(monitor, client, 1e6) == [] == overdue(monitor, client, HEARTBEAT_INTERVAL)
    del client.beat
    assert overdue(monitor, client, HEARTBEAT_INTERVAL) == ["a"]
