"""What is done with runs: start, ask about and look at them, and take second files beside their rows."""

from dataclasses import replace

import streamlit as st

from components.session import ownership, run_files, state
from components.session.work import AnyJob, Design, FinishedModel, Prepared, Run
from solvers.errors import RunError, UnsupportedError
from solvers.explain import Task
from solvers.methods import registry
from solvers.problem import Problem, Table, external_dataset
from solvers.run import StoredRun
from solvers.run.folder import RunFolder
from solvers.run.inquiries import About
from solvers.run.solver_run import with_usable_threads
from solvers.settings import settings
from solvers.solution import Finished, Solution


def start_run() -> Run:
    """Send the prepared rows and the design to a worker, and look at this run from now on.

    Raises `UnsupportedError` where the method cannot take the problem, and `RunError` where there are no rows, or the
    run cannot be started.
    """
    workers, chosen, rows = state.pool(), state.design(), state.prepared()
    if rows is None:
        raise RunError("There is no table to learn from. Choose a table and its outcome on the Data screen.")
    problem = chosen.problem(rows)
    if refused := registry.get(chosen.method, **chosen.options).check(problem):
        raise UnsupportedError(" ".join(str(reason) for reason in refused))
    limits = settings().within(chosen.limits)
    job = workers.submit(problem, chosen.method, limits, options=chosen.options, owner=ownership.owner())
    return _begun(job, rows, chosen, problem)


def take_solved(rows: Prepared, chosen: Design, problem: Problem, solution: Solution) -> Run:
    """Take what was solved already in as a run that is over, with a folder of its own; raises as `start_run`."""
    limits, options = settings().within(chosen.limits), chosen.options
    folder = RunFolder.create(
        state.pool().runs, problem, chosen.method, limits, options=options, owner=ownership.owner()
    )
    try:
        folder.write_outcome(Finished(solution.seconds, solution))
    except OSError as error:
        why = error.strerror or error
        raise RunError(f"The model cannot be kept ({why}). Free some space.") from None
    return _begun(StoredRun(folder.path, problem), rows, chosen, problem)


def _begun(job: AnyJob, rows: Prepared, chosen: Design, problem: Problem) -> Run:
    run = Run(next_number(), rows, chosen, problem, job)
    try:
        run_files.keep(job.folder, rows, chosen)
    except RunError as error:
        st.toast(str(error), icon=":material/warning:")
    adopt(run)
    return run


def adopt(*runs: Run) -> None:
    """Take runs into the session and look at the last of them; of the others the oldest are let go, see `Session`."""
    state.session().adopt(*runs)


def next_number() -> int:
    """The number of a run that the session takes in now."""
    return state.session().next_number()


def inquire(
    run: Run,
    name: str,
    task: Task,
    problem: Problem | None = None,
    method: str | None = None,
    seconds: float | None = None,
) -> None:
    """Have a worker answer a question about a run, or about a problem beside it; once, under a name.

    By default the method is the fastest that takes the problem, and the time that of the run. Raises `RunError` where
    the question cannot be asked.
    """
    if name in run.inquiries:
        return
    options = None
    if method is None:
        # many questions to a solver: the fastest that can take them, or else the one that solved the run
        method = Design().method
        if registry.get(method).check(problem or run.problem):
            method, options = run.design.method, run.design.options
    limits = run.design.limits if seconds is None else replace(run.design.limits, seconds=seconds)
    problem, owner, about = problem or run.problem, ownership.owner(), About(run.job.folder, name)
    limits = with_usable_threads(settings().within(limits), registry.get(method, **(options or {})), problem)
    run.inquiries[name] = state.pool().submit(problem, method, limits, task, options, owner, about)


def look_at(run: Run) -> None:
    """Choose the run that Inspect and Compare show."""
    state.session().current = run.number


def open_model(run: Run, model: FinishedModel) -> None:
    """Look at a model of a run from now on, whether the run made it or it was found beside."""
    if all(model.key != known.key for known in run.models()):
        run.opened[model.key] = model
    look_at(run)
    state.put(state.model_key(run), model.key)
    state.put(state.INSPECTED, "Model")


def load_external(run: Run, table: Table) -> None:
    """Take a second file for all runs on these rows; `DataError`, and the one before stays, where it lacks a column."""
    needed = {name for model in run.models() for name in model.diagram.features}
    second = external_dataset(table, run.prepared.train, run.prepared.choices.rows, needed)
    drop_external(run)
    state.session().externals.append((run.prepared, second))


def drop_external(run: Run) -> None:
    """Forget the second file beside the rows of a run."""
    state.session().externals = [pair for pair in state.session().externals if pair[0] is not run.prepared]
