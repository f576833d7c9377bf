"""Tasks of a worker other than solving, each with the call that answers it.

A new task is a frozen dataclass with `doing` and `answer`, in any package of the library. Its answer is a frozen
dataclass with `seconds`. Both are serialised field by field, see `solvers.run.json_types`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

from ..problem import Limits, Problem
from ..solution import Solution, Stop
from .answers import Conflict, Prices, TradeOff
from .conflicts import conflict
from .evidence import KnownResult
from .inquiry import STEP, Solve
from .prices import price
from .relaxable import Key, find
from .trade_offs import trade_off

Tell = Callable[[Any], None]
"""Callback for partial answers."""


@runtime_checkable
class Task(Protocol):
    """A task of a worker other than solving.

    It is a dataclass whose fields are JSON values, a solution named `solution`, or a model named `diagram`.

    Attributes
    ----------
    doing : a sentence for the screen that says what the worker is doing.
    """

    doing: ClassVar[str]

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> Any:
        """Answer the task for a problem, report partial answers, and end soon after `stop` is set.

        Parameters
        ----------
        problem, limits : the input of the run.
        solve : the method of the run, with its options, as a solver.
        stop : ends the task with what is known so far.
        tell : callback for partial answers.
        """


@dataclass(frozen=True)
class ExplainConflict:
    """Why is there no solution?

    Attributes
    ----------
    step : seconds per solver call.
    known : earlier results, as in `conflict`.
    """

    doing: ClassVar[str] = "Looking for the constraints that are in conflict, and for what would help."
    step: float = STEP
    known: tuple[KnownResult, ...] = ()

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> Conflict:
        """Explain the conflict, see `conflict`."""
        return conflict(problem, solve, limits, stop, tell, self.step, self.known)


@dataclass(frozen=True)
class PriceConstraints:
    """What does each constraint cost? `solution` is the verified result under all of them, if there is one."""

    doing: ClassVar[str] = "Looking for the best tree without each of the constraints."
    solution: Solution | None = None
    step: float = STEP
    known: tuple[KnownResult, ...] = ()

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> Prices:
        """Compute the prices, see `price`."""
        return price(problem, self.solution, solve, limits, stop, tell, self.step, self.known)


@dataclass(frozen=True)
class TradeConstraint:
    """What does each limit of a constraint cost? `key` identifies the constraint."""

    doing: ClassVar[str] = "Looking for the best tree for one limit after the other."
    key: Key
    step: float = STEP
    known: tuple[KnownResult, ...] = ()

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> TradeOff:
        """Compute the trade-off curve, see `trade_off`."""
        return trade_off(problem, find(problem, self.key), solve, limits, stop, tell, self.step, self.known)
