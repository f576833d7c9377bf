"""The interface of the solvers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np

from ..search.context import SearchContext
from .model import Program

WHOLE_GAP = 1 - 1e-4
"""Costs are integers, so an incumbent less than one unit above the lower bound is optimal."""


class TooLarge(Exception):  # noqa: N818
    """The solver's licence does not allow a model of this size; the message is a complete sentence."""


class End(Enum):
    """How a solver ended."""

    PROVED = "within the gap"
    INFEASIBLE = "nothing satisfies all rows"
    CUT_SHORT = "stopped before the proof"
    COARSE = "ended, but its numbers are too imprecise for a proof"


@dataclass(frozen=True)
class SolverRequest:
    """The settings and callbacks of a solver, without the program.

    Attributes
    ----------
    start : a solution, float64 (n_variables,), or `None`.
    gap : the largest allowed distance of the result from the lower bound, in units of the objective.
    seconds : remaining wall time, or `None`; threads, seed : as in `Limits`.
    due : whether to end now; polled regularly.
    found : called with the values, float64 (n_variables,), of each better solution.
    bound : called with each better lower bound and the number of nodes processed. A `Backend` passes the bound on
        `cost @ x` unchanged; `solve_by` passes the bound on the whole objective, rounded up.
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
        """The request of a search: its limits, its gap in units, and `due` (by default that of the search)."""
        limits = context.deadline.limits_left
        gap = max(WHOLE_GAP, context.gap / unit)
        return cls(start, gap, limits.seconds, limits.threads, limits.seed, due or context.due, found, bound)


@dataclass(frozen=True)
class SolverOutcome:
    """The end, the number of nodes and of iterations; COARSE replaces PROVED if the proof is not reliable."""

    end: End
    nodes: int
    iterations: int


class Backend(Protocol):
    """A solver of mixed-integer linear programs, and its display name."""

    title: str

    def solve(self, program: Program, request: SolverRequest) -> SolverOutcome:
        """Minimise, and report solutions and bounds; all relevant ones are reported before it returns.

        Raises `TooLarge` if the licence does not allow the model, or if there is none.
        """
