"""When a worker that does not end by itself is killed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from solvers.run import work
from solvers.run.work import HangTimer


@pytest.fixture
def after(monkeypatch: pytest.MonkeyPatch) -> Callable[[HangTimer, float], bool]:
    """Whether a deadline is over after further seconds, with a look every half second."""
    now = [0.0]
    monkeypatch.setattr(work.time, "monotonic", lambda: now[0])

    def looked(ends: HangTimer, seconds: float, step: float = 0.5) -> bool:
        over = False
        for _ in range(round(seconds / step)):
            now[0] += step
            over = ends.is_over()
        return over

    return looked


def test_a_search_is_overdue_after_its_limit_and_a_grace(after: Callable[..., bool]) -> None:
    """The limit counts from the start of the search, or of the job if it never searches; without a limit, never."""
    ends = HangTimer(10.0, 5.0, startup=20.0)
    assert not after(ends, 35.0) and after(ends, 0.5)
    ends = HangTimer(10.0, 5.0, startup=20.0)
    assert not after(ends, 30.0)
    ends.begin_search()
    assert not after(ends, 15.0) and after(ends, 0.5)
    forever = HangTimer(None, 5.0)
    forever.begin_search()
    assert not after(forever, 1000.0)


def test_time_without_a_search_does_not_count(after: Callable[..., bool]) -> None:
    """Neither while the worker compiles, nor while this process is frozen, and its workers with it."""
    ends = HangTimer(10.0, 0.0)
    ends.begin_search()
    ends.compiling = True
    assert not after(ends, 30.0)
    ends.compiling = False
    assert not after(ends, 3600.0, step=3600.0), "a frozen hour counts as one second"
    assert not after(ends, 9.0) and after(ends, 0.5)
