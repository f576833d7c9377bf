"""HiGHS, the open-source solver that is always installed (Huangfu and Hall 2018, doi:10.1007/s12532-017-0130-5)."""

import math
from typing import Any

import numpy as np

from .backend import End, SolverOutcome, SolverRequest
from .model import Program


class HiGHS:
    """The solver that is always available."""

    title = "HiGHS"

    def solve(self, program: Program, request: SolverRequest) -> SolverOutcome:
        """Branch and cut; the callbacks of the simplex and of the tree search check whether to end."""
        import highspy

        solver = new_solver(_options(request))
        if solver.passModel(_lp(program)) == highspy.HighsStatus.kError:
            # HiGHS refuses numbers of 1e15 or more, which the shares of heavy rows may have
            return SolverOutcome(End.COARSE, 0, 0)
        if request.start is not None:
            start = highspy.HighsSolution()
            start.col_value = request.start.tolist()
            solver.setSolution(start)

        def poll(event: Any) -> None:
            if request.due():
                event.interrupt()

        def improve(event: Any) -> None:
            request.found(np.array(event.data_out.mip_solution))

        def follow(event: Any) -> None:
            _tell_bound(event.data_out, request)
            poll(event)

        solver.cbSimplexInterrupt += poll
        solver.cbMipInterrupt += follow
        solver.cbMipImprovingSolution += improve
        solver.run()
        return _outcome(solver, request)


def new_solver(options: dict[str, Any]) -> Any:
    """A silent `highspy.Highs` with these options, which include the number of threads."""
    import highspy

    # the thread count is global to the process, and the next run may need another one
    highspy.Highs.resetGlobalScheduler(True)
    solver = highspy.Highs()
    for name, value in {"output_flag": False, **options}.items():
        if solver.setOptionValue(name, value) != highspy.HighsStatus.kOk:
            raise RuntimeError(f"HiGHS does not accept the option {name} = {value}.")
    return solver


def _options(request: SolverRequest) -> dict[str, Any]:
    return {
        "threads": request.threads,
        "parallel": "on" if request.threads > 1 else "off",
        "random_seed": request.seed % 2**31,
        "time_limit": math.inf if request.seconds is None else request.seconds,
        # presolve of HiGHS 1.14 may cut off solutions: feasible small models are reported infeasible (its issues 3090
        # and 3296, and one of the tests here). Proofs must be right; these models are about as fast without it
        "presolve": "off",
        "mip_rel_gap": 0.0,
        "mip_abs_gap": request.gap,
    }


def _lp(program: Program) -> Any:
    import highspy

    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = program.n_variables, program.n_rows
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = program.cost, program.low, program.high
    lp.row_lower_, lp.row_upper_ = program.row_low, program.row_high
    matrix = lp.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.num_col_, matrix.num_row_ = program.n_variables, program.n_rows
    matrix.start_, matrix.index_ = program.matrix.indptr.astype(np.int32), program.matrix.indices.astype(np.int32)
    matrix.value_ = program.matrix.data
    kinds = highspy.HighsVarType
    lp.integrality_ = [kinds.kInteger if whole else kinds.kContinuous for whole in program.whole.tolist()]
    return lp


def _tell_bound(figures: Any, request: SolverRequest) -> None:
    if math.isfinite(figures.mip_dual_bound):
        request.bound(figures.mip_dual_bound, max(0, figures.mip_node_count))


def _outcome(solver: Any, request: SolverRequest) -> SolverOutcome:
    """Map the status; an unknown one raises."""
    import highspy

    states = highspy.HighsModelStatus
    ends = {
        states.kOptimal: End.PROVED,
        states.kInfeasible: End.INFEASIBLE,
        states.kTimeLimit: End.CUT_SHORT,
        states.kInterrupt: End.CUT_SHORT,
        states.kSolutionLimit: End.CUT_SHORT,
        states.kMemoryLimit: End.CUT_SHORT,
    }
    status, info = solver.getModelStatus(), solver.getInfo()
    if status not in ends:
        raise RuntimeError(f"HiGHS ended with an unknown status: {solver.modelStatusToString(status)}.")
    if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
        request.found(np.array(solver.getSolution().col_value))
    if status != states.kInfeasible:
        _tell_bound(info, request)
    return SolverOutcome(ends[status], max(0, info.mip_node_count), max(0, info.simplex_iteration_count))
