"""Greedy models of the same size, for comparison."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

from ..diagram import Diagram
from ..errors import EspalierError
from ..explain import Solve
from ..explain.tasks import Tell
from ..messages import describe_caution, describe_result
from ..methods import registry
from ..methods.base import Method
from ..methods.search.clock import Clock
from ..metrics import cautions
from ..problem import Dataset, Limits, Problem, ShapeKind
from ..run import solve
from ..solution import Solution, Stop
from ..sweeps.study import as_tree

GREEDY: dict[ShapeKind, tuple[str, ...]] = {
    ShapeKind.TREE: ("cart", "c45"),
    ShapeKind.BDD: ("cart", "c45", "oodg"),
    ShapeKind.DIAGRAM: ("cart", "c45", "odd-greedy"),
}
"""The methods that every run is compared with, by its shape."""

SECONDS = 20.0
"""The time limit of a greedy model."""

_QUICK_CELLS, _SLOW = 100_000, ("odd-greedy",)
"""Rows times columns that the quick methods train in a fraction of a second, and the methods that take seconds."""


class Rival(NamedTuple):
    """A greedy model, verified, with the problem that it solves."""

    method: Method
    problem: Problem
    solution: Solution


def within_reach(method: Method, problem: Problem) -> Problem:
    """The problem without the constraints that a method does not support."""
    taken = tuple(c for c in problem.constraints if not method.check(replace(problem, constraints=(c,))))
    return problem if taken == problem.constraints else replace(problem, constraints=taken)


def problem_for(method: Method, problem: Problem) -> Problem:
    """The problem that a greedy method solves beside a run: of its own shape, with the constraints that it supports.

    A method that does not make the shape makes a tree of the same depth. Constraints that the method does not support
    are omitted: the model shows what is usual, and which of them it violates.
    """
    return within_reach(method, problem if problem.shape.kind in method.kinds else as_tree(problem))


def train_greedy(name: str, problem: Problem, stop: Stop | None = None) -> Rival | str:
    """Train a greedy model of the same size in this process; returns a sentence if that is impossible or fails."""
    try:
        method = registry.get(name)
        problem = problem_for(method, problem)
        solution = solve(problem, name, Limits(seconds=SECONDS), stop=stop)
    except EspalierError as error:
        return str(error)
    if solution.diagram is None:
        return f"{method.title}: {describe_result(problem, solution)}"
    return Rival(method, problem, solution)


def is_quick(name: str, problem: Problem) -> bool:
    """Whether training takes a fraction of a second, so that a screen may wait for it."""
    return name not in _SLOW and problem.dataset.X.size <= _QUICK_CELLS


class TrainedModel(NamedTuple):
    """The result of a greedy method: a solution, or the reason why there is none."""

    method: str
    solution: Solution | None
    reason: str = ""


@dataclass(frozen=True)
class GreedyModels:
    """The greedy models trained so far, and the seconds that it took."""

    models: tuple[TrainedModel, ...]
    seconds: float


@dataclass(frozen=True)
class TrainGreedy:
    """A worker's task: train the greedy models of a run that would keep a screen waiting."""

    names: tuple[str, ...]
    doing: ClassVar[str] = "Training greedy models."

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> GreedyModels:
        """Train one after the other; until a stop, each is reported at once."""
        clock, answer = Clock(), GreedyModels((), 0.0)
        for name in self.names:
            found = train_greedy(name, problem, stop)
            model = TrainedModel(name, None, found) if isinstance(found, str) else TrainedModel(name, found.solution)
            answer = GreedyModels((*answer.models, model), clock.elapsed)
            tell(answer)
        return answer


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
