"""Detection of compilation, and how it is refused."""

from __future__ import annotations

import time
from itertools import accumulate, cycle

import pytest
from numba.core import event

from solvers.compilation import COMPILATION, CompilationRefusedError
from solvers.methods import Clock


def compiled(seconds: float) -> None:
    """A stand-in for the compilation of a kernel that calls another."""
    with event.trigger_event("numba:compile"), event.trigger_event("numba:compile"):
        time.sleep(seconds)


def test_clocks_pause_during_compilation() -> None:
    """A clock never goes back, excludes compilation, and continues afterwards; hooks get start and end once."""
    COMPILATION.watch()
    clock, reports = Clock(), []
    with COMPILATION.reported_to(reports.append):
        compiled(0.2)
    compiled(0.2)
    first = clock.elapsed
    time.sleep(0.05)
    assert 0 <= first < 0.2 and clock.elapsed >= first + 0.04
    assert (reports, COMPILATION.ongoing) == ([True, False], False)


def test_a_clock_never_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if the machine switches to other work while the clock is read."""
    passing = accumulate(cycle([1, 1, 1, 1, 1, 45]))
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(passing)))
    clock = Clock()
    elapsed = [clock.elapsed for _ in range(12)]
    assert elapsed == sorted(elapsed) and elapsed[0] > 0


def test_a_refusal_leaves_nothing_behind() -> None:
    """If compilation is refused, an error is raised and clocks continue as before."""
    with COMPILATION.refused(), pytest.raises(CompilationRefusedError):
        compiled(0.0)
    clock = Clock()
    time.sleep(0.05)
    assert clock.elapsed >= 0.04
    compiled(0.0)
    assert not COMPILATION.ongoing
