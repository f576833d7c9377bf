"""Counts of what faults cost: faults injected, runs lost, wrong results; one line at the end of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from solvers.diagram import Diagram
from solvers.errors import RunError
from solvers.problem import Problem
from solvers.run import load_run
from solvers.solution import Solution, Status

_PROPERTY = "toll"


class Count(NamedTuple):
    """Faults injected, runs lost, wrong results."""

    faults: int = 0
    lost: int = 0
    wrong: int = 0

    def __str__(self) -> str:
        return f"faults injected: {self.faults}; runs lost: {self.lost}; wrong results: {self.wrong}"


class Toll:
    """What the faults of one test cost."""

    def __init__(self) -> None:
        self.count = Count()

    def fault(self, number: int = 1) -> None:
        """Note that faults were injected."""
        self.count = self.count._replace(faults=self.count.faults + number)

    def lose(self, lost: bool | int) -> None:
        """Note how many runs, or jobs of a sweep, were lost."""
        self.count = self.count._replace(lost=self.count.lost + lost)

    def err(self, wrong: bool | int) -> None:
        """Note how many results are wrong."""
        self.count = self.count._replace(wrong=self.count.wrong + wrong)

    def judge(self, found: Solution | None, problem: Problem, known: Solution | None = None) -> None:
        """Judge what is left of a run.

        Parameters
        ----------
        found : the result as it is told now; without one, or with a worse one than was known, the run is lost.
        problem : its question, of which the result must be a verified answer that costs what it says.
        known : what was told before the fault.
        """
        self.lose(found is None or found.diagram is None)
        if found is not None and found.diagram is not None:
            self.lose(known is not None and found.cost > known.cost)
            self.err(not right(found.diagram, problem, found.cost) or found.verified is not True)
            self.err(found.status is Status.OPTIMAL and found.bound != found.cost)

    def judge_folder(self, folder: Path, known: Solution | None = None) -> None:
        """Judge a run by its folder, as another program reads it."""
        try:
            run = load_run(folder)
        except RunError:
            self.lose(True)
        else:
            self.judge(run.solution, run.problem, known)


def right(diagram: Diagram, problem: Problem, cost: int | None) -> bool:
    """Whether a model costs what is said of it."""
    return problem.cost(diagram.predict(problem.dataset), diagram.n_splits) == cost


@pytest.fixture
def toll(request: pytest.FixtureRequest) -> Iterator[Toll]:
    """Counts the faults of a test, which fails where one of them cost a run or made a result wrong."""
    made = Toll()
    yield made
    # properties of a test travel with its reports, from other processes, too, where they are plain
    request.node.user_properties.append((_PROPERTY, tuple(made.count)))
    assert made.count.faults > 0, "a test of faults must inject one"
    assert made.count[1:] == (0, 0), str(made.count)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Add up the tests of faults, and tell in one line."""
    reports = [r for group in terminalreporter.stats.values() for r in group if isinstance(r, pytest.TestReport)]
    ended = [r for r in reports if r.when == "teardown"]
    counts = {r.nodeid: Count(*value) for r in ended for name, value in r.user_properties if name == _PROPERTY}
    if counts:
        total = Count(*map(sum, zip(*counts.values(), strict=True)))
        failed = {r.nodeid for r in reports if r.failed} & set(counts)
        summary = f"{total}; tests of faults that failed: {len(failed)}" if failed else str(total)
        terminalreporter.write_line(summary, red=bool(failed), green=not failed)
