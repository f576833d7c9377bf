"""Solving in this process."""

from __future__ import annotations

import threading

import pytest
from numba.core import event

from solvers.errors import OptionError, UnknownMethodError, UnsupportedError
from solvers.methods import REGISTRY, get
from solvers.problem import Limits, Problem, Shape
from solvers.run import StopFlag, solve
from solvers.solution import EndReason, Event, Progress, Started, Status
from tests.run.compiling import ENTRY, Compiled
from tests.run.fakes import FAKES
from tests.run.problems import plain


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fake methods in the registry, for one test."""
    for name, entry in FAKES.items():
        monkeypatch.setitem(REGISTRY, name, entry)
    get.cache_clear()


def test_solve_verifies_and_reports_its_events() -> None:
    """The result is verified, the events begin with one start, and the clock starts after the preparation."""
    events: list[Event] = []
    solution = solve(plain(), "contree", Limits(seconds=20), events.append)
    assert (solution.status, solution.verified) == (Status.OPTIMAL, True)
    assert solution.cost == solution.bound == solution.trace[-1].cost
    assert [type(event) for event in events].count(Started) == 1
    assert isinstance(events[0], Started)
    assert [event.elapsed for event in events] == sorted(event.elapsed for event in events)


def test_an_unknown_method_and_an_impossible_problem_are_refused(fakes: None) -> None:
    """Unknown methods and invalid problems are errors with a remedy, before the run starts."""
    with pytest.raises(UnknownMethodError, match="Methods: contree"):
        solve(plain(), "nothing")
    with pytest.raises(UnsupportedError, match="Choose another method"):
        solve(plain(), "fake-picky")


def test_options_reach_the_method(fakes: None) -> None:
    """The method gets the chosen values, or its defaults; unknown options are refused."""
    events: list[Event] = []
    solve(plain(), "fake-choosy", emit=events.append, options={"colour": "green", "size": "12"})
    assert "green and 12" in [event.stats.get("chosen") for event in events if isinstance(event, Progress)]
    assert get("fake-choosy").chosen == ("red", "3")
    for options, message in (
        ({"shade": "dark"}, "has no option 'shade'. Its options: colour, size"),
        ({"colour": "blue"}, "must be one of red, green, but is 'blue'"),
        ({"size": "-1"}, "must be a whole number of at least 0, but is '-1'"),
    ):
        with pytest.raises(OptionError, match=message):
            solve(plain(), "fake-choosy", options=options)
    with pytest.raises(OptionError, match="This method has no options"):
        solve(plain(), "fake-fake", options={"colour": "red"})


def test_the_event_of_the_caller_stops_the_search(fakes: None) -> None:
    """Any object with `is_set` works as a stop signal."""
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    solution = solve(plain(), "fake-patient", Limits(seconds=None), stop=stop)
    assert (solution.status, solution.verified) == (Status.CANCELLED, True)


def test_reaching_the_time_limit_is_not_a_cancellation(fakes: None) -> None:
    """A search ended by the limit is feasible, and says so; if it has no trace of its own, it gets the recorded one."""
    solution = solve(plain(), "fake-patient", Limits(seconds=0.2))
    assert (solution.status, solution.ended) == (Status.FEASIBLE, EndReason.TIME_LIMIT)
    assert solution.trace[-1].bound == 1


def test_compilation_does_not_count_as_search_time(fakes: None) -> None:
    """Compiling a kernel during the search counts neither toward the time limit nor toward the reported time."""
    solution = solve(plain(), "fake-unprepared", Limits(seconds=0.8))
    assert (solution.status, solution.message) == (Status.FEASIBLE, "")
    assert solution.seconds < 0.8


def test_the_first_model_does_not_wait_for_compilation(fakes: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Warming up ends if a kernel would have to be compiled; the run begins, and compiles it when needed."""
    steps: list[str] = []

    def precompile(*_: object, **__: object) -> None:
        steps.append("warms up")
        with event.trigger_event("numba:compile"):
            steps.append("compiles")

    for registry in (REGISTRY, FAKES):
        monkeypatch.setitem(registry, "fake-compiled", ENTRY)
    monkeypatch.setattr(Compiled, "precompile", precompile)
    solve(plain(), "fake-compiled", emit=lambda emitted: steps.append(type(emitted).__name__))
    assert steps[0] == "warms up" and "Incumbent" in steps and "compiles" not in steps


def test_the_first_reason_to_stop_counts() -> None:
    """A stop by the user just before the limit counts as stopped."""
    stop = StopFlag()
    stop.set()
    stop.set(EndReason.TIME_LIMIT)
    assert (stop.is_set(), stop.reason) == (True, EndReason.STOPPED)


def test_an_error_in_the_method_ends_its_watchdog(fakes: None) -> None:
    """The exception is raised, and no thread stays behind."""
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        solve(Problem(plain().dataset, Shape(max_depth=1)), "fake-broken")
    assert threading.active_count() == before
