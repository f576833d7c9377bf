"""Jobs of a cluster that should long be over: told only where their worker still has them, and is alive."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from solvers.problem import Limits, Problem, Shape, sample_dataset
from solvers.sweeps import SweepJob, warden
from solvers.sweeps.pulse import EVERY
from solvers.sweeps.signs import Signs


class Future:
    """What will become of the job."""

    key, status = "job", "pending"


class City:
    """The client of a scheduler, as `Signs` needs it; one job has been given to the cluster."""

    def __init__(self) -> None:
        self.seen = {"a": 0.0, "b": 5.0}
        self.at_work: dict[str, list[str]] = {"a": ["job"], "b": []}
        self.future = Future()
        self.scheduler = SimpleNamespace(
            identity=lambda: {"workers": {name: {"last_seen": seen} for name, seen in self.seen.items()}},
            processing=lambda: self.at_work,
        )
        job = SweepJob("one", Problem(sample_dataset("xor"), Shape(depth=1)), limits=Limits(seconds=10.0))
        self.begun = {self.future: job}

    def subscribe_topic(self, topic: str, handler: Any) -> None:
        """Remember who listens."""
        self.hear = handler

    def sync(self, question: Any, callback_timeout: float) -> Any:
        """Answer at once."""
        return question()

    def tell(self, worker: str, searching: bool) -> None:
        """What the job tells from its worker."""
        self.hear((0.0, {"task": "job", "at": worker, "searching": searching}))

    def beat(self) -> None:
        """Every worker says that it is alive."""
        self.seen = {name: seen + 1.0 for name, seen in self.seen.items()}


@pytest.fixture
def city() -> City:
    """A cluster of two workers, the first of which has the job."""
    return City()


def stuck(signs: Signs, city: City, seconds: float) -> list[str]:
    """The workers that are told to hang after so many more seconds, once each worker has had the time to be heard."""
    signs._awake += seconds
    found = signs.stuck(city.begun)
    city.beat()
    signs._awake += EVERY
    return [*found.values(), *signs.stuck(city.begun).values()]


def test_search_has_its_limit_and_a_grace(city: City) -> None:
    """From where it begins; a job that waits for its turn has no end, and one that is over none either."""
    signs = Signs(city, 1.0)
    assert stuck(signs, city, 1e6) == []
    city.tell("a", False)
    assert stuck(signs, city, warden.START) == []
    city.tell("a", True)
    assert stuck(signs, city, 10.0 + warden.GRACE - 2 * EVERY) == []
    assert stuck(signs, city, 2 * EVERY) == ["a"]
    city.future.status = "finished"
    assert stuck(signs, city, EVERY) == []


def test_job_that_never_begins_to_search_has_an_end(city: City) -> None:
    """It has the time to import and to compile besides."""
    signs = Signs(city, 1.0)
    city.tell("a", False)
    assert stuck(signs, city, warden.START + 10.0 + warden.GRACE - 2 * EVERY) == []
    assert stuck(signs, city, 2 * EVERY) == ["a"]


def test_job_of_a_lost_worker_has_its_whole_time_elsewhere(city: City) -> None:
    """Whether it waits there or is at work; that one worker was silent says nothing of another one."""
    signs = Signs(city, 1.0)
    city.tell("a", False)
    city.tell("a", True)
    beat, city.beat = city.beat, lambda: None
    assert stuck(signs, city, 1e6) == []
    del city.seen["a"], city.at_work["a"]
    city.at_work["b"] = ["job"]
    assert stuck(signs, city, 1e6) == []
    city.tell("b", False)
    assert stuck(signs, city, warden.START) == []
    city.tell("b", True)
    assert stuck(signs, city, 10.0 + warden.GRACE) == []
    city.beat = beat
    assert stuck(signs, city, EVERY) == ["b"]


def test_silent_worker_is_left_to_the_scheduler(city: City) -> None:
    """A frozen machine is no fault of the job, which another worker will have."""
    signs = Signs(city, 1.0)
    city.tell("a", False)
    city.tell("a", True)
    city.beat = lambda: None
    assert stuck(signs, city, 1e6) == [] == stuck(signs, city, EVERY)
    del city.beat
    assert stuck(signs, city, EVERY) == ["a"]
