"""Actions on runs: start one, select one, and load external data for its rows."""

from collections.abc import Mapping
from contextlib import suppress

import streamlit as st

from components.session import ownership, run_files, state
from components.session.work import GREEDY_MODELS, AnyJob, FinishedModel, Prepared, Run
from solvers.errors import RunError, UnsupportedError
from solvers.explain import Task
from solvers.methods import registry
from solvers.posing import limits_of, method_of, problem_on
from solvers.problem import Limits, Problem, Table, external_dataset
from solvers.report.rivals import SECONDS, is_quick
from solvers.request import Request
from solvers.run import StoredRun
from solvers.run.folder import About, RunFolder
from solvers.run.solver_run import with_usable_threads
from solvers.settings import settings
from solvers.solution import Finished, Solution
from solvers.study.study import Study


def submit(
    problem: Problem,
    method: str,
    limits: Limits,
    options: Mapping[str, str] | None = None,
    task: Task | None = None,
    about: About | None = None,
) -> AnyJob:
    """Send a problem, or a task about it, to a worker of this user; `RunError` if it cannot be sent."""
    limits = with_usable_threads(settings().within(limits), registry.get(method, **(options or {})), problem)
    return state.pool().submit(problem, method, limits, task, options, ownership.owner(), about)


def start_run() -> Run:
    """Send the prepared rows and the request to a worker, and select the new run.

    Raises `UnsupportedError` if the method does not support the problem, and `RunError` if there are no rows, or the
    run cannot be started.
    """
    chosen, rows = state.asked(), state.prepared()
    if rows is None:
        raise RunError("There is no data to learn from. Choose data and an outcome on the Data screen.")
    problem, method = problem_on(chosen, rows.train), method_of(chosen)
    if refused := registry.get(method, **chosen.options).check(problem):
        raise UnsupportedError(" ".join(str(reason) for reason in refused))
    return _begin(submit(problem, method, limits_of(chosen), chosen.options), rows, chosen, problem)


def take_solved(rows: Prepared, chosen: Request, problem: Problem, solution: Solution) -> Run:
    """Add a finished solution as an ended run with its own folder; `RunError` if the folder cannot be written."""
    limits, runs = settings().within(limits_of(chosen)), state.pool().runs
    folder = RunFolder.create(runs, problem, method_of(chosen), limits, options=chosen.options, owner=ownership.owner())
    try:
        folder.write_outcome(Finished(solution.seconds, solution))
    except OSError as error:
        why = error.strerror or error
        raise RunError(f"The model cannot be saved ({why}). Free some disk space.") from None
    return _begin(StoredRun(folder.path, problem), rows, chosen, problem)


def _begin(job: AnyJob, rows: Prepared, chosen: Request, problem: Problem) -> Run:
    run = Run(state.session().next_number(), rows, chosen, problem, job)
    try:
        run_files.keep(job.folder, rows, chosen)
    except RunError as error:
        st.toast(str(error), icon=":material/warning:")
    state.session().adopt(run)
    return run


def train_slow(run: Run) -> None:
    """Let a worker train the greedy models of a finished run that would keep a screen waiting, once."""
    slow = tuple(name for name in run.greedy_methods if not is_quick(name, run.problem))
    if not slow or GREEDY_MODELS in run.inquiries or not run.job.done:
        return
    limits, about = Limits(seconds=SECONDS * len(slow)), About(run.job.folder, GREEDY_MODELS)
    task = Study(slow, own=True, step=SECONDS)
    with suppress(RunError):
        run.inquiries[GREEDY_MODELS] = submit(run.problem, slow[0], limits, task=task, about=about)


def look_at(run: Run) -> None:
    """Select the run that Inspect and Compare show."""
    state.session().current = run.number


def open_model(run: Run, model: FinishedModel) -> None:
    """Select a model of a run, either its own or one found by an inquiry."""
    if all(model.key != known.key for known in run.models()):
        run.opened[model.key] = model
    look_at(run)
    state.put(state.model_key(run), model.key)
    state.put(state.INSPECTED, "Model")


def open_report(run: Run) -> None:
    """Select the model of a run with its report, the last step of the guided path."""
    look_at(run)
    if run.best is not None:
        state.put(state.model_key(run), run.best.key)
    state.put(state.preview_key(run), True)
    state.put(state.INSPECTED, state.EXPORT)


def load_external(run: Run, table: Table) -> None:
    """Load external data for all runs on these rows; `DataError` if a column is missing, and the former data stays."""
    needed = {name for model in run.models() for name in model.diagram.features}
    second = external_dataset(table, run.prepared.train, run.prepared.request, needed)
    drop_external(run)
    state.session().externals.append((run.prepared, second))


def drop_external(run: Run) -> None:
    """Remove the external data for the rows of a run."""
    state.session().externals = [pair for pair in state.session().externals if pair[0] is not run.prepared]
