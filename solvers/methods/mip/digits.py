"""Whole costs of any size minimised by a float solver, in two steps of numbers that its bounds count for.

Where costs c are too large for that (see `magnitude.LARGEST_LINEAR`) they are written as c = unit * high + low with
0 <= low < unit. As low @ x is at least 0, the least value h of high @ x gives the bound unit * h. Of the solutions with
high @ x <= H, the second step finds the least of unit * t + low @ x with t = high @ x - h, which is small. All others
cost at least unit * (H + 1), and with H that of a solution of the first step it is seldom less than the optimum.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from solvers.methods.mip.backend import WHOLE_GAP, Backend, End, Outcome, Request, whole_bound
from solvers.methods.mip.model import Program


def minimised(backend: Backend, program: Program, request: Request) -> Outcome:
    """Solve a program whose costs are whole numbers, and whose variables are at least 0 where they cost something.

    Parameters
    ----------
    request : its `bound` is called with whole numbers, in which the cost of what the program leaves out is counted.

    Raises
    ------
    TooLarge
        The licence does not allow it, or there is none.
    """
    offset = round(program.offset)
    n_charged = max(1, np.count_nonzero(program.cost))
    unit = math.isqrt(int(np.abs(program.cost).sum()) // n_charged) + 1
    high, low = np.divmod(program.cost, unit)
    rough = replace(program, cost=high)
    if program.exact or not rough.exact:
        return backend.solve(program, _telling(request, lambda value: whole_bound(value) + offset))

    known = [] if request.start is None else [float(program.cost @ request.start)]
    least = 0

    def found(x: np.ndarray) -> None:
        known.append(float(program.cost @ x))
        request.found(x)

    def rough_bound(value: float) -> int:
        nonlocal least
        least = whole_bound(value)
        return unit * least + offset

    first = backend.solve(rough, _telling(replace(request, gap=WHOLE_GAP, found=found), rough_bound))
    if first.end is not End.PROVED or not known:
        return first
    most = max(least, math.floor(min(known) / unit))
    fine = _second(program, high, low, unit, least, most)
    if not fine.exact:
        return replace(first, end=End.COARSE)
    beyond = unit * (most + 1) + offset
    asked = replace(request, start=None, found=lambda x: request.found(x[:-1]))
    second = backend.solve(fine, _telling(asked, lambda value: min(unit * least + whole_bound(value) + offset, beyond)))
    if second.end is End.INFEASIBLE:
        request.bound(beyond, second.nodes)
        second = replace(second, end=End.PROVED)
    return Outcome(second.end, first.nodes + second.nodes, first.iterations + second.iterations)


def _telling(request: Request, whole: Callable[[float], int]) -> Request:
    """The request, told whole bounds."""
    return replace(request, bound=lambda value, nodes: request.bound(whole(value), nodes))


def _second(program: Program, high: np.ndarray, low: np.ndarray, unit: int, least: int, most: int) -> Program:
    """The program in which a last variable t is what `high @ x` is above `least`, and costs a unit."""
    at = np.flatnonzero(high).astype(np.int32)
    return replace(
        program,
        cost=np.append(low, unit),
        low=np.append(program.low, 0.0),
        high=np.append(program.high, most - least),
        whole=np.append(program.whole, True),
        start=np.append(program.start, program.start[-1] + len(at) + 1).astype(np.int32),
        index=np.concatenate([program.index, at, [program.n_variables]]).astype(np.int32),
        value=np.concatenate([program.value, high[at], [-1.0]]),
        row_low=np.append(program.row_low, least),
        row_high=np.append(program.row_high, least),
    )
