"""Greedy models of the same size, for comparison."""

from collections.abc import Iterator
from typing import NamedTuple

from ..diagram import Diagram
from ..errors import EspalierError
from ..messages import describe_caution, describe_result
from ..methods import registry
from ..methods.base import Method
from ..metrics import cautions
from ..problem import Dataset, Limits, Problem
from ..run import solve
from ..solution import Solution
from ..study.study import problem_for

SECONDS = 20.0
"""The time limit of a greedy model."""

_QUICK_CELLS, _SLOW = 100_000, ("odd-greedy",)
"""Rows times columns that the quick methods train in a fraction of a second, and the methods that take seconds."""


class Rival(NamedTuple):
    """A greedy model, verified, with the problem that it solves."""

    method: Method
    problem: Problem
    solution: Solution


def rival_of(method: Method, problem: Problem, solution: Solution | None, error: str = "") -> Rival | str:
    """The model of a greedy method, or a sentence if there is none."""
    if solution is None:
        return error
    if solution.diagram is None:
        return f"{method.title}: {describe_result(problem, solution)}"
    return Rival(method, problem, solution)


def train_greedy(name: str, problem: Problem) -> Rival | str:
    """Train a greedy model of the same size in this process; returns a sentence if that is impossible or fails."""
    try:
        method = registry.get(name)
        problem = problem_for(method, problem)
        return rival_of(method, problem, solve(problem, name, Limits(seconds=SECONDS)))
    except EspalierError as error:
        return str(error)


def is_quick(name: str, problem: Problem) -> bool:
    """Whether training takes a fraction of a second, so that a screen may wait for it."""
    return name not in _SLOW and problem.dataset.X.size <= _QUICK_CELLS


def rivals(problem: Problem) -> dict[str, Diagram]:
    """The greedy models of a problem by their titles; those that cannot be made are omitted."""

    def trained() -> Iterator[tuple[str, Diagram]]:
        for name in registry.greedy_methods(problem.shape.kind):
            found = train_greedy(name, problem)
            if not isinstance(found, str) and found.solution.diagram is not None:
                yield found.method.title, found.solution.diagram

    return dict(trained())


def caution_lines(problem: Problem, diagram: Diagram, test: Dataset | None) -> list[str]:
    """The cautions about a model, a sentence each."""
    others = {} if test is None else rivals(problem)
    return [describe_caution(problem, one) for one in cautions(problem, diagram, test, others)]
