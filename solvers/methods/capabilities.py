"""What a method may offer besides solving; whoever needs it asks with `isinstance`."""

from typing import NamedTuple, Protocol, runtime_checkable

from ..constraints.rules import Sum
from ..diagram import Diagram
from ..problem import Limits, Problem
from ..solution import Emit, Solution, Stop
from .base import Method


class LeastSum(NamedTuple):
    """What is known of the least value of a sum.

    Attributes
    ----------
    bound : no tree has a smaller value; `None` where no tree satisfies the other rules.
    value, diagram : the smallest value that was found, and its tree; `None` where there is none.
    """

    bound: int | None
    value: int | None
    diagram: Diagram | None


@runtime_checkable
class SupportsFeasibility(Protocol):
    """Knows a shorter way than `run` to the answer whether there is a tree at all."""

    def any_tree(self, problem: Problem, limits: Limits, stop: Stop) -> Solution:
        """Any tree that satisfies everything, not the best one, or the proof that there is none."""


@runtime_checkable
class FindsLeastSum(Protocol):
    """Knows the least value of a sum."""

    def least_sum(self, problem: Problem, rule: Sum, limits: Limits, stop: Stop) -> LeastSum | None:
        """The least value that a sum can have; `None` where this sum cannot be asked for. Its limit does not count."""


@runtime_checkable
class SupportsWarmStart(Protocol):
    """Can begin where another search ended."""

    def resume(
        self, problem: Problem, limits: Limits, emit: Emit, stop: Stop, diagram: Diagram, bound: int | None
    ) -> Solution:
        """As `run`, from a model that satisfies everything, and a proved bound if there is one: no worse than both."""
        ...


@runtime_checkable
class SupportsParallel(Protocol):
    """Can share its work among threads."""

    def parallel(self, problem: Problem) -> bool:
        """Whether it does so for this problem."""


@runtime_checkable
class HasCounterpart(Protocol):
    """Rests on a solver of others, and is not held against the first method for its shape."""

    def counterpart(self) -> Method | None:
        """The method of this program that answers the same; `None` where there is none."""


def parallel(method: Method, problem: Problem) -> bool:
    """Whether a method shares its work on a problem among several threads."""
    return isinstance(method, SupportsParallel) and method.parallel(problem)
