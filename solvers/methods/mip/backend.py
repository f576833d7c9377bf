"""What the model asks of a solver, whichever it is, and the one place where what it proves is believed or not."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

import numpy as np

from solvers.methods.mip.model import Program

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
class Request:
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


@dataclass(frozen=True)
class Outcome:
    """How it ended, and how many nodes and iterations it took; COARSE in place of a proof that does not count."""

    end: End
    nodes: int
    iterations: int


class Backend(Protocol):
    """A solver of mixed-integer linear programs.

    Attributes
    ----------
    title : its name on the screen.
    """

    title: str

    def solve(self, program: Program, request: Request) -> Outcome:
        """Minimise, telling solutions and bounds on the way; every one that counts has been told at the end.

        Raises
        ------
        TooLarge
            The licence does not allow it, or there is none.
        """
        ...


def solve_by(
    backends: list[Backend], program: Program, request: Request, tell: Callable[[str], None] = lambda text: None
) -> tuple[Outcome, str]:
    """Let the first backend that takes a program solve it; those before it are taken off the list.

    Bounds are whole here: the objective is, and tolerances of the solver are taken off before rounding up. Of a program
    that is not `exact` no bound is told, and COARSE is the end in place of a proof.

    Parameters
    ----------
    tell : is told why a backend does not take it.

    Returns
    -------
    The outcome, and the title of the backend.

    Raises
    ------
    TooLarge
        The last backend does not take it either.
    """

    def bound(value: float, nodes: int) -> None:
        if program.exact:
            request.bound(math.ceil(value + program.offset - 1e-6 - 1e-9 * abs(value)), nodes)

    while True:
        backend = backends[0]
        try:
            outcome = backend.solve(program, replace(request, bound=bound))
        except TooLarge as reason:
            if len(backends) == 1:
                raise
            del backends[0]
            tell(f"{reason} {backends[0].title} takes it.")
            continue
        if outcome.end is not End.CUT_SHORT and not program.exact:
            outcome = replace(outcome, end=End.COARSE)
        return outcome, backend.title
