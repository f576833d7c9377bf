"""No optimum that a linear programming solver proves is wrong, for any formulation.

The solver starts without a model, so that only its own search leads to the optimum. HiGHS 1.14 once proved a wrong
one with thresholds scaled to [0, 1]. `ESPALIER_PROGRAMS` sets the number of problems for each formulation; a new
version of a solver is tested with 3,000 of each.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from solvers.methods import Method
from solvers.methods.diagrams.odd import method as odd
from solvers.methods.diagrams.odd.method import Odd
from solvers.methods.mip.backend import End, SolverRequest
from solvers.methods.mip.exact import solve_by
from solvers.methods.mip.highs import HiGHS
from solvers.methods.mip.model import Program, ProgramBuilder
from solvers.methods.trees.cptree_mip.method import build
from solvers.problem import Limits, Problem
from tests.magnitude import problems
from tests.magnitude.cases import SHAPE_CHOICES
from tests.magnitude.claims import faults
from tests.methods.mip.programs import alone, tiny
from tests.methods.running import solve
from tests.oracle import diagrams, trees

PROGRAMS = int(os.environ.get("ESPALIER_PROGRAMS", "16"))
"""The number of problems for each family."""

TOTALS = (10**3, 10**3, 10**5, 10**7)

Oracle = Callable[[Problem], trees.Best | None]


def _wrong(method: Method, problem: Problem, best: trees.Best | None) -> list[str]:
    """The false claims of a method."""
    run = solve(method, problem, Limits(seconds=30))
    # other tests check for every method that the model is verified
    claims = faults(method, problem, run.solution, list(run.events), best)
    return [claim for claim in claims if not claim.startswith("not verified")]


def _drawn(family: str, k: int) -> Problem:
    rng = problems.generator(family, k)
    return SHAPE_CHOICES[family].make(rng, k, int(rng.choice(TOTALS))).problem


@pytest.mark.parametrize("family", ["cptree-mip", "cptree-mip ruled"])
def test_no_proof_for_trees_is_wrong(family: str) -> None:
    """Trees with and without constraints; the program contains integers only."""
    method = alone(HiGHS())
    for k in range(PROGRAMS):
        problem = _drawn(family, k)
        program = build(problem).model.program()
        assert not program.fractional, f"case {k}"
        try:
            best = trees.tree_optimum(problem)
        except trees.TooManyError:
            continue
        wrong = _wrong(method, problem, best)
        assert not wrong, f"case {k}: {wrong}"


def test_no_proof_for_diagrams_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Diagrams with splits on single columns; those with sums are tested with their own oracle."""
    monkeypatch.setattr(odd, "first_drafts", lambda *_: ())
    for k in range(PROGRAMS):
        problem = _drawn("odd", k)
        wrong = _wrong(Odd(backend="highs"), problem, diagrams.diagram_optimum(problem))
        assert not wrong, f"case {k}: {wrong}"


def _with(coefficient: float, limit: float, cost: float) -> Program:
    """A program that maximizes an integer variable under one row."""
    model = ProgramBuilder()
    x = model.variables((1,), high=9, whole=True)
    model.charge(cost, x)
    model.at_most([(coefficient, x)], limit)
    return model.program()


@pytest.mark.parametrize(("coefficient", "limit", "cost"), [(0.5, 2, -1), (1, 2.5, -1), (1, 2, -0.5)])
def test_fractions_prove_nothing(coefficient: float, limit: float, cost: float) -> None:
    """With a fraction in a row, its limit or the objective, the solver ends without a proof and without bounds."""
    bounds: list[float] = []
    whole, fractional = tiny(), _with(coefficient, limit, cost)
    assert whole.exact and not fractional.exact
    for program, end in ((whole, End.PROVED), (fractional, End.COARSE)):
        request = SolverRequest(
            None, 0.5, 5.0, 1, 0, lambda: False, lambda x: None, lambda value, nodes: bounds.append(value)
        )
        assert solve_by([HiGHS()], program, request)[0].end is end
        assert bool(bounds) == program.exact
        bounds.clear()
