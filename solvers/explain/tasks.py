"""What a worker can be asked besides solving, each with the call that answers it.

A new task is a frozen dataclass with `doing` and `answer`, in any package of the library. Its answer is a frozen
dataclass with `seconds`. Both are written by their fields, see `solvers.run.json_types`.
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
"""Takes what is known of an answer so far."""


@runtime_checkable
class Task(Protocol):
    """Something that a worker can be asked besides solving.

    It is a dataclass whose fields are what JSON knows, or a solution named `solution`, or a model named `diagram`.

    Attributes
    ----------
    doing : what the worker is busy with meanwhile, in a sentence for the screen.
    """

    doing: ClassVar[str]

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> Any:
        """Answer it for a problem, telling what is known so far, and end soon after `stop` is set.

        Parameters
        ----------
        problem, limits : what the run was given.
        solve : the method that the run was given, with its options, as a solver.
        stop : ends it; what is known then is the answer.
        tell : takes an answer that holds what is known so far.
        """


@dataclass(frozen=True)
class ExplainConflict:
    """Why is there no solution?

    Attributes
    ----------
    step : the time for each question to the solver, in seconds.
    known : what is known already, as in `conflict`.
    """

    doing: ClassVar[str] = "Looking for the constraints that are in conflict, and for what would help."
    step: float = STEP
    known: tuple[KnownResult, ...] = ()

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> Conflict:
        """Answer it, see `conflict`."""
        return conflict(problem, solve, limits, stop, tell, self.step, self.known)


@dataclass(frozen=True)
class PriceConstraints:
    """What does each constraint cost? `solution` is the verified result under all of them, where there is one."""

    doing: ClassVar[str] = "Looking for the best tree without each of the constraints."
    solution: Solution | None = None
    step: float = STEP
    known: tuple[KnownResult, ...] = ()

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> Prices:
        """Answer it, see `price`."""
        return price(problem, self.solution, solve, limits, stop, tell, self.step, self.known)


@dataclass(frozen=True)
class TradeConstraint:
    """What does each limit of a constraint cost? `key` says which constraint."""

    doing: ClassVar[str] = "Looking for the best tree for one limit after the other."
    key: Key
    step: float = STEP
    known: tuple[KnownResult, ...] = ()

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> TradeOff:
        """Answer it, see `trade_off`."""
        return trade_off(problem, find(problem, self.key), solve, limits, stop, tell, self.step, self.known)
