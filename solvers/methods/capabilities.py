"""Optional capabilities of methods; callers test for them with `isinstance`."""

from typing import NamedTuple, Protocol, runtime_checkable

from ..constraints.rules import Sum
from ..diagram import Diagram
from ..problem import Limits, Problem
from ..solution import Emit, Solution, Stop
from .base import Method


class LeastSum(NamedTuple):
    """What is known about the minimum of a sum.

    Attributes
    ----------
    bound : a lower bound on the value; `None` if no tree satisfies the other rules.
    value, diagram : the smallest value found, and its tree; `None` if none was found.
    """

    bound: int | None
    value: int | None
    diagram: Diagram | None


@runtime_checkable
class FindsLeastSum(Protocol):
    """Can minimise a sum."""

    def least_sum(self, problem: Problem, rule: Sum, limits: Limits, stop: Stop) -> LeastSum | None:
        """The minimum of a sum, ignoring its limit; `None` if the method cannot minimise this sum."""


@runtime_checkable
class SupportsWarmStart(Protocol):
    """Can start from the result of another search."""

    def resume(
        self, problem: Problem, limits: Limits, emit: Emit, stop: Stop, diagram: Diagram, bound: int | None
    ) -> Solution:
        """As `run`, from a feasible model and a proved bound, if any. The result is at least as good as both."""
        ...


@runtime_checkable
class SupportsParallel(Protocol):
    """Can run on several threads."""

    def parallel(self, problem: Problem) -> bool:
        """Whether it does so for this problem."""


@runtime_checkable
class HasCounterpart(Protocol):
    """Relies on a third-party solver, and is verified by a method other than the first one for its shape."""

    def counterpart(self) -> Method | None:
        """The method of this program that solves the same problem; `None` if there is none."""


def parallel(method: Method, problem: Problem) -> bool:
    """Whether a method uses several threads for a problem."""
    return isinstance(method, SupportsParallel) and method.parallel(problem)
