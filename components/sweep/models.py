"""The models of a sweep of all rows, to be looked at on Inspect and Compare. No Streamlit in here."""

from components.session.work import FinishedModel, Run
from components.sweep.facts import size_words
from solvers.errors import RunError
from solvers.methods import registry
from solvers.metrics import verified
from solvers.solution import Solution, Status
from solvers.sweeps.folder import StoredSweep
from solvers.sweeps.study import Row


def can_open(sweep: StoredSweep) -> bool:
    """Whether its models answer the rows of the run: those of folds and samples are learned from others."""
    return not (sweep.task.folds or sweep.task.samples)


def model_of(run: Run, sweep: StoredSweep, row: Row) -> FinishedModel:
    """A model of the sweep with a name for the screen; its cost and its proof are checked again here.

    The sweep is of all rows, and `row` is the line of its table. Raises `RunError` where the model is not that of the
    table, or is none of this sweep, and another `EspalierError` where it cannot be read.
    """
    key = row["key"]
    posed = sweep.constrained.problem(run.problem)
    cells = {cell.job.key: cell for cell in sweep.task.sweep(posed).cells}
    if key not in cells:
        raise RunError(f"The model '{key}' is none of this sweep's. Run the sweep again.")
    job = cells[key].job
    problem, diagram = job.problem, sweep.diagram(key)
    method = registry.get(job.method)
    cost = problem.cost_of(diagram)
    bound = None if row["bound"] is None else round(row["bound"] * problem.scale)
    claimed = Solution(
        problem.id, job.method, Status(row["status"]), diagram, cost, bound, row["seconds"], row["cpu_seconds"]
    )
    solution = verified(problem, claimed)
    if not solution.verified:
        raise RunError(f"The model '{key}' is not what the table says of it. Run the sweep again.")
    free = ", without constraints" if posed.constraints and not problem.constraints else ""
    title = f"{method.title}, {size_words(row)}{free}"
    return FinishedModel(f"sweep {sweep.name[:6]} {row['cell']}", title, solution, method.exact, problem)
