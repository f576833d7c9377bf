"""Gurobi, if it is installed with a licence. Its restricted licence allows models of 2,000 variables and 2,000 rows,
for trials and not for production."""

import math
from importlib.util import find_spec
from typing import Any

import numpy as np

from .backend import End, SolverOutcome, SolverRequest, TooLarge
from .model import Program

SIZE_LIMIT_EXCEEDED = 10010


class Gurobi:
    """The commercial solver of the paper, reference [49]."""

    title = "Gurobi"

    def solve(self, program: Program, request: SolverRequest) -> SolverOutcome:
        """Branch and cut; the callback reports solutions and bounds and checks whether to end."""
        if find_spec("gurobipy") is None:
            raise TooLarge("Gurobi is not installed.")
        import gurobipy

        try:
            with gurobipy.Env(params=_parameters(request)) as environment, gurobipy.Model(env=environment) as model:
                variables = _pass(program, model)
                if request.start is not None:
                    variables.Start = request.start
                model.optimize(_callback(variables, request))
                return _outcome(model, variables, request)
        except gurobipy.GurobiError as error:
            if error.errno == SIZE_LIMIT_EXCEEDED:
                size = f"{program.n_variables:,} variables and {program.n_rows:,} rows"
                text = f"Gurobi's licence does not allow a model of {size}; the free one takes 2,000 of each."
                raise TooLarge(text) from error
            if error.errno == gurobipy.GRB.Error.NO_LICENSE:
                raise TooLarge(f"Gurobi has no licence here: {error}.") from error
            raise


def _parameters(request: SolverRequest) -> dict[str, Any]:
    return {
        "OutputFlag": 0,
        "Threads": request.threads,
        "Seed": request.seed % 2_000_000_000,
        "TimeLimit": math.inf if request.seconds is None else request.seconds,
        "MIPGap": 0.0,
        "MIPGapAbs": request.gap,
        "IntFeasTol": 1e-6,
        "DualReductions": 0,  # to distinguish 'infeasible' from 'infeasible or unbounded'
    }


def _pass(program: Program, model: Any) -> Any:
    kinds = np.where(program.whole, "I", "C")
    variables = model.addMVar(program.n_variables, lb=program.low, ub=program.high, obj=program.cost, vtype=kinds)
    equal = program.row_low == program.row_high
    for chosen, sense, limit in (
        (equal, "=", program.row_high),
        (~equal & np.isfinite(program.row_high), "<", program.row_high),
        (~equal & np.isfinite(program.row_low), ">", program.row_low),
    ):
        if chosen.any():
            model.addMConstr(program.matrix[chosen], variables, sense, limit[chosen])
    return variables


def _callback(variables: Any, request: SolverRequest) -> Any:
    from gurobipy import GRB

    def call(model: Any, where: int) -> None:
        if where == GRB.Callback.MIPSOL:
            request.found(np.array(model.cbGetSolution(variables)))
        elif where == GRB.Callback.MIP:
            _tell_bound(model.cbGet(GRB.Callback.MIP_OBJBND), model.cbGet(GRB.Callback.MIP_NODCNT), request)
        if request.due():
            model.terminate()

    return call


def _tell_bound(value: float, nodes: float, request: SolverRequest) -> None:
    if abs(value) < 1e99:  # 1e100 means 'none'
        request.bound(value, int(nodes))


def _outcome(model: Any, variables: Any, request: SolverRequest) -> SolverOutcome:
    """Map the status; an unknown one raises."""
    from gurobipy import GRB

    ends = {
        GRB.OPTIMAL: End.PROVED,
        GRB.INFEASIBLE: End.INFEASIBLE,
        GRB.TIME_LIMIT: End.CUT_SHORT,
        GRB.INTERRUPTED: End.CUT_SHORT,
        GRB.MEM_LIMIT: End.CUT_SHORT,
    }
    if model.Status not in ends:
        raise RuntimeError(f"Gurobi ended with an unknown status: {model.Status}.")
    if model.SolCount:
        request.found(np.array(variables.X))
    if model.Status != GRB.INFEASIBLE:
        _tell_bound(model.ObjBound, model.NodeCount, request)
    return SolverOutcome(ends[model.Status], int(model.NodeCount), int(model.IterCount))
