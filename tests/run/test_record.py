"""The record of a run follows from its events."""

from __future__ import annotations

from solvers.run.record import JobState, Record, thin
from solvers.run.solver_run import Channel
from solvers.solution import Bound, Finished, Incumbent, Progress, Solution, Started, Status, TracePoint
from tests.run.fakes import leaf
from tests.run.problems import plain


def test_a_long_trace_keeps_its_ends_and_every_change_of_the_incumbent() -> None:
    """Only points at which the bound alone changed are dropped."""
    trace = [TracePoint(float(i), 1000 - 10 * (i // 100), i) for i in range(3000)]
    short = thin(trace, 500)
    assert len(short) == 500
    assert short[0] == trace[0]
    assert short[-1] == trace[-1]
    assert {trace[i] for i in range(100, 3000, 100)} <= set(short)
    assert list(short) == sorted(short, key=lambda point: point.elapsed)


def test_a_trace_of_incumbents_alone_is_also_thinned() -> None:
    """The screen's limit holds even if every point is a new incumbent."""
    trace = [TracePoint(float(i), 5000 - i, None) for i in range(3000)]
    short = thin(trace, 500)
    assert len(short) == 500
    assert (short[0], short[-1]) == (trace[0], trace[-1])


def test_a_worse_model_changes_nothing() -> None:
    """The best cost so far stays, and the trace has no further point."""
    problem, record = plain(), Record()
    for event in (Started("fake"), Incumbent(0.1, 5, leaf(problem, 0)), Incumbent(0.2, 7, leaf(problem, 1))):
        record.apply(event)
    assert (record.cost, record.trace) == (5, (TracePoint(0.1, 5, None),))


def test_a_result_without_events_has_its_own_trace() -> None:
    """A result solved elsewhere has its trace; reported events take precedence."""
    problem = plain()
    own = TracePoint(0.5, 9, 4), TracePoint(0.8, 9, 9)
    solution = Solution(problem.id, "fake", Status.OPTIMAL, leaf(problem, 0), 9, 9, 1.0, 1.0, own)
    record = Record()
    record.apply(Finished(1.0, solution))
    assert record.trace == (*own, TracePoint(1.0, 9, 9))
    record = Record()
    record.apply(Bound(0.1, 3))
    record.apply(Finished(1.0, solution))
    assert record.trace == (TracePoint(0.1, None, 3), TracePoint(1.0, 9, 9))


def test_nothing_changes_after_the_end() -> None:
    """Late events of a finished run are ignored."""
    problem = plain()
    solution = Solution(problem.id, "fake", Status.FEASIBLE, leaf(problem, 0), 9, None, 1.0, 1.0)
    record = Record()
    record.apply(Finished(1.0, solution))
    before = record.snapshot()
    record.apply(Incumbent(2.0, 1, leaf(problem, 1)))
    record.apply(Started("fake"))
    assert record.snapshot() == before
    assert before.state is JobState.FINISHED
    assert before.elapsed == 1.0


def test_a_long_run_has_a_bounded_trace() -> None:
    """The stored trace is bounded, and the shown one has at most 500 points."""
    record = Record()
    for i in range(20_000):
        record.apply(Bound(i / 100, i))
    assert len(record._trace) <= 4000
    assert len(record.trace) == 500
    assert record.trace[-1].bound == 19_999


def test_frequent_events_are_throttled_but_the_last_arrives() -> None:
    """Of a thousand consecutive bounds and heartbeats few pass, and the last of each always does."""
    problem = plain()
    passed: list = []
    channel = Channel(passed.append)
    channel(Started("fake"))
    for i in range(1000):
        channel(Bound(i / 1e6, i))
        channel(Progress(i / 1e6, f"Step {i}."))
    channel(Incumbent(0.5, 2000, leaf(problem, 0)))
    assert len(passed) < 100
    assert [event for event in passed if isinstance(event, Bound)][-1].value == 999
    assert [event for event in passed if isinstance(event, Progress)][-1].text == "Step 999."
    assert isinstance(passed[-1], Incumbent)


def test_events_without_news_are_dropped() -> None:
    """A worse incumbent, a lower bound and a second start do not reach the screen."""
    problem = plain()
    passed: list = []
    channel = Channel(passed.append)
    for event in (
        Started("fake"),
        Started("fake"),
        Incumbent(0.1, 5, leaf(problem, 0)),
        Incumbent(0.2, 5, leaf(problem, 1)),
        Bound(0.3, 3),
        Bound(0.4, 2),
    ):
        channel(event)
    channel.flush()
    assert [type(event) for event in passed] == [Started, Incumbent, Bound]
