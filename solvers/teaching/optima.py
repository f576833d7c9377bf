"""The proved answers beside a lesson: a worker solves the table of the class for one shape after the other."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from ..diagram import Diagram
from ..errors import EspalierError
from ..methods import get
from ..methods.search.clock import Clock
from ..metrics import verified
from ..problem import Limits, Problem, Shape, ShapeKind
from ..solution import Status, Stop
from ..words import result_words

SECONDS = 20.0
"""What a shape may take."""


class ShapeRequest(NamedTuple):
    """A shape of at most so many questions to an answer, and the method of the registry that solves it, with options.

    The `key` tells the answers apart.
    """

    key: str
    method: str = "contree"
    kind: ShapeKind = ShapeKind.TREE
    depth: int = 2
    options: tuple[tuple[str, str], ...] = ()

    def problem(self, problem: Problem) -> Problem:
        """The same table for this shape."""
        return Problem(problem.dataset, Shape(ShapeKind(self.kind), max_depth=self.depth))


@dataclass(frozen=True)
class ShapeOptimum:
    """What is known of the shape of a `ShapeRequest`: the best model, if there is one.

    `cost` and `bound` are its errors, and what no model can go below. It is `proved` where it is optimal and passed the
    independent check; `message` says why there is no model, or what the method says.
    """

    key: str
    cost: int | None
    bound: int | None
    diagram: Diagram | None
    proved: bool
    message: str = ""


@dataclass(frozen=True)
class Optima:
    """What is known of the shapes of a lesson so far, in the order in which they were asked for."""

    found: tuple[ShapeOptimum, ...]
    seconds: float

    def of(self, key: str) -> ShapeOptimum | None:
        """What is known of one shape; `None` while nothing is."""
        return next((optimum for optimum in self.found if optimum.key == key), None)


@dataclass(frozen=True)
class SolveShapes:
    """What is the best model of each of these shapes?"""

    doing: ClassVar[str] = "Looking for the best model of each size."
    asks: tuple[ShapeRequest, ...]
    seconds: float = SECONDS

    def answer(self, problem: Problem, solve: Any, limits: Limits, stop: Stop, tell: Callable[[Any], None]) -> Optima:
        """Solve them in order; `solve` is not used, as each shape has its method."""
        clock, optima = Clock(), []
        for ask in self.asks:
            if stop.is_set():
                break
            optima.append(_solved(ask, problem, Limits(seconds=self.seconds, memory_mb=limits.memory_mb), stop))
            tell(Optima(tuple(optima), clock.elapsed))
        return Optima(tuple(optima), clock.elapsed)


def _solved(ask: ShapeRequest, problem: Problem, limits: Limits, stop: Stop) -> ShapeOptimum:
    posed = ask.problem(problem)
    try:
        method = get(ask.method, **dict(ask.options))
        if refused := method.check(posed):
            return ShapeOptimum(ask.key, None, None, None, False, str(refused[0]))
        solution = verified(posed, method.run(posed, limits, lambda event: None, stop))
    except EspalierError as error:
        return ShapeOptimum(ask.key, None, None, None, False, str(error))
    # the smallest tree is proved only where its size is, not its errors alone
    consistent = solution.details.consistent
    smallest = consistent is None or (consistent.fewest_nodes and not consistent.tied)
    proved = solution.status is Status.OPTIMAL and solution.verified is True and smallest
    words = result_words(posed, solution, limits)
    return ShapeOptimum(ask.key, solution.cost, solution.bound, solution.diagram, proved, words)
