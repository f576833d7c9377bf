"""Integer costs of any size are minimised exactly, in two steps, by each solver of linear programs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.magnitude import LARGEST_TOTAL
from solvers.methods.mip.backend import Backend, End, SolverRequest
from solvers.methods.mip.exact import solve_by
from solvers.methods.mip.gurobi import Gurobi
from solvers.methods.mip.highs import HiGHS
from solvers.methods.mip.model import ProgramBuilder
from tests.case_count import case_count


@pytest.mark.parametrize("backend", [HiGHS(), Gurobi()], ids=["highs", "gurobi"])
@settings(derandomize=True, deadline=None, max_examples=case_count(60))
@given(data=st.data())
def test_integer_costs_of_any_size_are_minimised(backend: Backend, data: st.DataObject) -> None:
    """The last bound is the least cost over all choices of 0 and 1, and no earlier bound is above it."""
    n = data.draw(st.integers(1, 7))
    most = 10 ** data.draw(st.integers(1, 10))
    costs = np.array(
        data.draw(st.lists(st.integers(-min(most, LARGEST_TOTAL), min(most, LARGEST_TOTAL)), min_size=n, max_size=n))
    )
    fixed = data.draw(st.integers(0, LARGEST_TOTAL))
    weights = np.array(data.draw(st.lists(st.integers(1, 9), min_size=n, max_size=n)))
    least = data.draw(st.integers(0, int(weights.sum()) + 1))
    model = ProgramBuilder()
    x, always = model.variables((n,), whole=True), model.variables((1,), low=1.0)
    model.charge(costs, x)
    model.charge(fixed, always)
    model.at_most([(-weights, x[None])], -least)
    choices = [np.array(choice) for choice in product((0, 1), repeat=n)]
    allowed = [int(costs @ choice) + fixed for choice in choices if weights @ choice >= least]
    bounds: list[int] = []
    request = SolverRequest(
        None, 0.0, None, 1, 0, lambda: False, lambda x: None, lambda bound, nodes: bounds.append(bound)
    )
    outcome, _ = solve_by([backend], model.program(), request)
    if not allowed:
        assert outcome.end is End.INFEASIBLE
        return
    assert (outcome.end, max(bounds)) == (End.PROVED, min(allowed))


def test_numbers_that_highs_does_not_accept_prove_nothing() -> None:
    """Regression: shares of heavy rows reach 1e15, which HiGHS does not accept; this raised an exception."""
    model = ProgramBuilder()
    x = model.variables((2,), whole=True)
    model.charge(np.array([1, 1]), x)
    model.at_most([(np.array([-(10**15), -1]), x[None])], -1)
    request = SolverRequest(None, 0.0, None, 1, 0, lambda: False, lambda x: None, lambda bound, nodes: None)
    outcome, _ = solve_by([HiGHS()], model.program(), request)
    assert outcome.end is End.COARSE
