"""Solving of linear programs, and the check whether the proof of a floating-point solver is reliable.

Bounds are reliable for integer programs of moderate size (`Program.exact`). If only the costs c are too large, they are
split into c = unit * high + low with 0 <= low < unit. As low @ x is at least 0, the least value h of high @ x gives the
lower bound unit * h. Among the solutions with high @ x <= H, a second step finds the least of unit * t + low @ x with
t = high @ x - h, which is small. All other solutions cost at least unit * (H + 1). With H taken from a solution of the
first step, this is rarely less than the optimum.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from .backend import WHOLE_GAP, Backend, End, SolverOutcome, SolverRequest, TooLarge
from .model import Program


def solve_by(
    backends: list[Backend], program: Program, request: SolverRequest, tell: Callable[[str], None] = lambda text: None
) -> tuple[SolverOutcome, str]:
    """Solve a program with the first backend that accepts it; the backends before it are removed from the list.

    Costs are integers, and variables with a cost are at least 0. The `bound` callback of the request gets integers that
    include the cost of the variables removed from the program. If the numbers allow no proof, no bound is reported, and
    the end is COARSE instead of PROVED. `tell` gets the reason why a backend refuses; `TooLarge` is raised if the last
    one refuses, too. Returns the outcome, and the title of the backend.
    """
    while True:
        backend = backends[0]
        try:
            return _minimise(backend, program, request), backend.title
        except TooLarge as reason:
            if len(backends) == 1:
                raise
            del backends[0]
            tell(f"{reason} Using {backends[0].title} instead.")


def _minimise(backend: Backend, program: Program, request: SolverRequest) -> SolverOutcome:
    """Solve a program, in two steps if its costs are large."""
    offset = program.offset
    n_charged = max(1, int(np.count_nonzero(program.cost)))
    unit = math.isqrt(int(np.abs(program.cost).sum()) // n_charged) + 1
    high, low = np.divmod(program.cost, unit)
    rough = replace(program, cost=high)
    if program.exact or program.fractional or not rough.exact:
        return _solve_with_whole_bounds(backend, program, request, lambda value: _whole(value) + round(offset))

    known = [] if request.start is None else [float(program.cost @ request.start)]
    least = 0

    def found(x: np.ndarray) -> None:
        known.append(float(program.cost @ x))
        request.found(x)

    def rough_bound(value: float) -> int:
        nonlocal least
        least = _whole(value)
        return unit * least + round(offset)

    first = _solve_with_whole_bounds(backend, rough, replace(request, gap=WHOLE_GAP, found=found), rough_bound)
    if first.end is not End.PROVED or not known:
        return first
    most = max(least, math.floor(min(known) / unit))
    beyond = unit * (most + 1) + round(offset)
    second = _solve_with_whole_bounds(
        backend,
        _second(program, high, low, unit, least, most),
        replace(request, start=None, found=lambda x: request.found(x[:-1])),
        lambda value: min(unit * least + _whole(value) + round(offset), beyond),
    )
    if second.end is End.INFEASIBLE:
        request.bound(beyond, second.nodes)
        second = replace(second, end=End.PROVED)
    return SolverOutcome(second.end, first.nodes + second.nodes, first.iterations + second.iterations)


def _solve_with_whole_bounds(
    backend: Backend, program: Program, request: SolverRequest, whole: Callable[[float], int]
) -> SolverOutcome:
    """Solve a program; its bounds are passed on as integers if they are reliable."""

    def bound(value: float, nodes: int) -> None:
        if program.exact:
            request.bound(whole(value), nodes)

    outcome = backend.solve(program, replace(request, bound=bound))
    if outcome.end is not End.CUT_SHORT and not program.exact:
        return replace(outcome, end=End.COARSE)
    return outcome


def _whole(value: float) -> int:
    """A lower bound on integer costs, rounded up within a solver's tolerances, see `magnitude.LARGEST_LINEAR`."""
    return math.ceil(value - 1e-6 - 1e-9 * abs(value))


def _second(program: Program, high: np.ndarray, low: np.ndarray, unit: int, least: int, most: int) -> Program:
    """The program with an additional last variable t = `high @ x` - `least`, which costs `unit`."""
    from scipy.sparse import block_array, csr_array

    return replace(
        program,
        cost=np.append(low, unit),
        low=np.append(program.low, 0.0),
        high=np.append(program.high, most - least),
        whole=np.append(program.whole, True),
        matrix=block_array([[program.matrix, None], [csr_array(high[None]), csr_array([[-1.0]])]], format="csr"),
        row_low=np.append(program.row_low, least),
        row_high=np.append(program.row_high, least),
    )
