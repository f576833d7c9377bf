"""Shared by the tests of CPTree-2: small tables, the method with a solver alone, and a solver that does nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from solvers.methods.mip.backend import Backend, End, SolverOutcome, SolverRequest
from solvers.methods.mip.model import Program, ProgramBuilder
from solvers.methods.trees.cptree_mip.method import CPTreeMip
from solvers.problem import Kind
from tests.strategies import make_dataset

NAN = float("nan")

WARD = replace(
    make_dataset(
        {
            "age": (Kind.NUMERIC, [30, 35, 40, 45, 50, 55, 60, 65, 70, 75]),
            "bmi": (Kind.NUMERIC, [22, 31, NAN, 27, 33, 21, 29, 35, 24, NAN]),
            "sex": (Kind.BINARY, [0, 1, 0, 1, 0, 1, 0, 1, 1, 0]),
            "ward": (Kind.CATEGORICAL, [0, 1, 2, 2, 1, 0, 1, 0, 2, 1]),
        },
        [0, 1, 0, 0, 1, 1, 0, 1, 0, 1],
    ),
    positive=1,
)


class Idle:
    """A solver that finds nothing."""

    title = "Idle"

    def solve(self, program: Program, request: SolverRequest) -> SolverOutcome:
        """End at once."""
        return SolverOutcome(End.CUT_SHORT, 0, 0)


def no_start(*_: object) -> Iterator:
    """No first trees."""
    return iter(())


def alone(backend: Backend) -> CPTreeMip:
    """The method with one solver, without first trees."""
    return CPTreeMip([backend], no_start)


def tiny() -> Program:
    """The minimum of x + y over integers with x + y at least 1."""
    model = ProgramBuilder()
    x = model.variables((2,), whole=True)
    model.charge(1, x)
    model.at_most([(-1, x[None])], -1)
    return model.program()
