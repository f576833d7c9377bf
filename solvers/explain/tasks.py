"""What a worker can be asked besides solving, each with the call that answers it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from solvers.explain.answers import Answer, Conflict, Prices, TradeOff
from solvers.explain.conflicts import conflict
from solvers.explain.inquiry import STEP, Solve
from solvers.explain.prices import price
from solvers.explain.trade_offs import trade_off
from solvers.explain.wishes import Key, find
from solvers.problem import Limits, Problem
from solvers.solution import Solution, Stop

Tell = Callable[[Answer], None]
"""Takes what is known so far."""


@dataclass(frozen=True)
class ExplainConflict:
    """Why is there no solution? `step` is the time for each question to the solver, in seconds."""

    step: float = STEP

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> Conflict:
        """Answer it, see `conflict`."""
        return conflict(problem, solve, limits, stop, tell, self.step)


@dataclass(frozen=True)
class PriceWishes:
    """What does each wish cost? `solution` is the verified result under all of them, where there is one."""

    solution: Solution | None = None
    step: float = STEP

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> Prices:
        """Answer it, see `price`."""
        return price(problem, self.solution, solve, limits, stop, tell, self.step)


@dataclass(frozen=True)
class TradeWish:
    """What does each limit of a wish cost? `key` says which wish."""

    key: Key
    step: float = STEP

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> TradeOff:
        """Answer it, see `trade_off`."""
        return trade_off(problem, find(problem, self.key), solve, limits, stop, tell, self.step)


Task = ExplainConflict | PriceWishes | TradeWish
