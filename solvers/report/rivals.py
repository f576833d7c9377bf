"""Greedy models of the same size, for comparison."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from ..diagram import Diagram
from ..errors import EspalierError
from ..messages import describe_caution, describe_result
from ..methods import registry
from ..methods.base import Method
from ..metrics import cautions
from ..problem import Dataset, Limits, Problem, ShapeKind
from ..run import solve
from ..solution import Solution
from ..sweeps.study import as_tree

GREEDY: dict[ShapeKind, tuple[str, ...]] = {
    ShapeKind.TREE: ("cart", "c45"),
    ShapeKind.BDD: ("cart", "c45", "oodg"),
    ShapeKind.DIAGRAM: ("cart", "c45", "odd-greedy"),
}
"""The methods that every run is compared with, by its shape."""

SECONDS = 20.0
"""The time limit of a greedy model."""


class Rival(NamedTuple):
    """A greedy model, verified, with the problem that it solves."""

    method: Method
    problem: Problem
    solution: Solution


def within_reach(method: Method, problem: Problem) -> Problem:
    """The problem without the constraints that a method does not support."""
    taken = tuple(c for c in problem.constraints if not method.check(replace(problem, constraints=(c,))))
    return problem if taken == problem.constraints else replace(problem, constraints=taken)


def train_greedy(name: str, problem: Problem) -> Rival | str:
    """Train a greedy model of the same size in this process; returns a sentence if that is impossible or fails.

    A method that does not make the shape makes a tree of the same depth. Constraints that the method does not support
    are omitted: the model shows what is usual, and which of them it violates.
    """
    try:
        method = registry.get(name)
        if problem.shape.kind not in method.kinds:
            problem = as_tree(problem)
        problem = within_reach(method, problem)
        solution = solve(problem, name, Limits(seconds=SECONDS))
    except EspalierError as error:
        return str(error)
    if solution.diagram is None:
        return f"{method.title}: {describe_result(problem, solution)}"
    return Rival(method, problem, solution)


def rivals(problem: Problem) -> dict[str, Diagram]:
    """The greedy models of a problem by their titles; those that cannot be made are omitted."""

    def trained() -> Iterator[tuple[str, Diagram]]:
        for name in GREEDY[problem.shape.kind]:
            found = train_greedy(name, problem)
            if not isinstance(found, str) and found.solution.diagram is not None:
                yield found.method.title, found.solution.diagram

    return dict(trained())


def caution_lines(problem: Problem, diagram: Diagram, test: Dataset | None) -> list[str]:
    """The cautions about a model, a sentence each."""
    others = {} if test is None else rivals(problem)
    return [describe_caution(problem, one) for one in cautions(problem, diagram, test, others)]
