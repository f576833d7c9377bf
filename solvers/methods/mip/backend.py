"""What the model asks of a solver, whichever it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np

from ..search.context import SearchContext
from .model import Program

WHOLE_GAP = 1 - 1e-4
"""Costs are whole numbers, so an incumbent less than one step above the bound is optimal."""


class TooLarge(Exception):  # noqa: N818
    """The solver's licence does not allow a model of this size; the message says so in a sentence."""


class End(Enum):
    """How a solver ended."""

    PROVED = "within the gap"
    INFEASIBLE = "nothing satisfies all rows"
    CUT_SHORT = "stopped before the proof"
    COARSE = "ended, but its numbers are too coarse for a proof"


@dataclass(frozen=True)
class SolverRequest:
    """What a solver needs to know besides the program.

    Attributes
    ----------
    start : a solution, float64 (n_variables,), or `None`.
    gap : how far above the bound the result may be, in units of the objective.
    seconds : wall time that is left, or `None`; threads, seed : as in `Limits`.
    due : whether to end now; asked again and again.
    found : called with the values, float64 (n_variables,), of each better solution.
    bound : called with each better lower bound and the number of nodes done. A `Backend` tells that of `cost @ x` as it
        is, and `solve_by` that of the whole objective, rounded up.
    """

    start: np.ndarray | None
    gap: float
    seconds: float | None
    threads: int
    seed: int
    due: Callable[[], bool]
    found: Callable[[np.ndarray], None]
    bound: Callable[[float, int], None]

    @classmethod
    def of(
        cls,
        context: SearchContext,
        unit: int,
        start: np.ndarray | None,
        found: Callable[[np.ndarray], None],
        bound: Callable[[float, int], None],
        due: Callable[[], bool] | None = None,
    ) -> SolverRequest:
        """What a search asks for: within its limits, until `due` (by default the search), to its gap in units."""
        limits = context.deadline.limits_left
        gap = max(WHOLE_GAP, context.gap / unit)
        return cls(start, gap, limits.seconds, limits.threads, limits.seed, due or context.due, found, bound)


@dataclass(frozen=True)
class SolverOutcome:
    """How it ended, and how many nodes and iterations it took; COARSE in place of a proof that does not count."""

    end: End
    nodes: int
    iterations: int


class Backend(Protocol):
    """A solver of mixed-integer linear programs, and its name on the screen."""

    title: str

    def solve(self, program: Program, request: SolverRequest) -> SolverOutcome:
        """Minimise, telling solutions and bounds on the way; every one that counts has been told at the end.

        Raises `TooLarge` where the licence does not allow it, or there is none.
        """
