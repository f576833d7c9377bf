"""Counts of injected faults, lost runs and wrong results."""

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


class Count(NamedTuple):
    """Faults injected, runs lost, wrong results."""

    faults: int = 0
    lost: int = 0
    wrong: int = 0

    def __str__(self) -> str:
        return f"faults injected: {self.faults}; runs lost: {self.lost}; wrong results: {self.wrong}"


class Toll:
    """The effects of the faults of one test."""

    def __init__(self) -> None:
        self.count = Count()

    def fault(self, number: int = 1) -> None:
        """Count injected faults."""
        self.count = self.count._replace(faults=self.count.faults + number)

    def lose(self, lost: bool | int) -> None:
        """Count lost runs, or lost jobs of a sweep."""
        self.count = self.count._replace(lost=self.count.lost + lost)

    def err(self, wrong: bool | int) -> None:
        """Count wrong results."""
        self.count = self.count._replace(wrong=self.count.wrong + wrong)

    def judge(self, found: Solution | None, problem: Problem, known: Solution | None = None) -> None:
        """Judge the result of a run after a fault.

        Parameters
        ----------
        found : the result as reported now; if it has no model, or a worse one than `known`, the run is lost.
        problem : its problem, for which the result must be verified and have the stated cost.
        known : the result as reported before the fault.
        """
        self.lose(found is None or found.diagram is None)
        if found is not None and found.diagram is not None:
            self.lose(known is not None and found.cost > known.cost)
            self.err(not right(found.diagram, problem, found.cost) or found.verified is not True)
            self.err(found.status is Status.OPTIMAL and found.bound != found.cost)

    def judge_folder(self, folder: Path, known: Solution | None = None) -> None:
        """Judge a run by its folder, as read by another program."""
        try:
            run = load_run(folder)
        except RunError:
            self.lose(True)
        else:
            self.judge(run.solution, run.problem, known)


def right(diagram: Diagram, problem: Problem, cost: int | None) -> bool:
    """Whether a model has the stated cost."""
    return problem.cost(diagram.predict(problem.dataset), diagram.n_splits) == cost


@pytest.fixture
def toll() -> Iterator[Toll]:
    """Counts the faults of a test, which fails if one of them lost a run or made a result wrong."""
    made = Toll()
    yield made
    assert made.count.faults > 0, "a test of faults must inject one"
    assert made.count[1:] == (0, 0), str(made.count)
