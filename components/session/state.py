"""The only module that touches the session's state: what the user has loaded, chosen, run, and is looking at."""

from dataclasses import replace
from typing import Any

import streamlit as st

from components.session import ownership, run_files
from components.session.constraint_list import ConstraintList
from components.session.memory import Editor, Session
from components.session.stale_widgets import forget_widgets
from components.session.work import AnyJob, DataChoices, Design, FinishedModel, Prepared, Run, Source, prepare
from solvers.errors import EspalierError, RunError, UnsupportedError
from solvers.explain import Change, Task
from solvers.methods import registry
from solvers.problem import (
    ColumnReport,
    Dataset,
    External,
    Preparation,
    Problem,
    Sample,
    Table,
    external_dataset,
    infer_columns,
    suggest_outcome,
)
from solvers.problem.leaf_floor import leaf_floor
from solvers.run import FollowedJob, WorkerPool
from solvers.run.folder import RunFolder
from solvers.run.inquiries import About
from solvers.run.solver_run import with_usable_threads
from solvers.settings import settings
from solvers.solution import Finished, Solution

_KEY = "_session"
INSPECTED = "inspect"
"""The key under which the session has the tab of Inspect that is open."""

SIZE = ("max_depth", "max_leaf_nodes", "min_samples_leaf", "min_weight_leaf", "max_splits", "min_rows")
"""The fields of a design that say how large a model may be."""


def _session() -> Session:
    return st.session_state.setdefault(_KEY, Session())


@st.cache_resource(show_spinner=False)
def pool() -> WorkerPool:
    """The worker processes, shared by all sessions; they end with the dashboard."""
    chosen = settings()
    return WorkerPool(chosen.runs, max_running=chosen.max_running)


def enter(page: str) -> None:
    """Note which screen is shown; `visit` changes whenever another one is entered."""
    session = _session()
    if session.page != page:
        session.page, session.visit, session.pressed = page, session.visit + 1, None
        session.editor = None
        forget_widgets()


def page() -> str:
    """Which screen was shown last."""
    return _session().page


def visit() -> int:
    """Counts the changes of the screen."""
    return _session().visit


def press(key: str) -> None:
    """Note that a button was pressed, as its `on_click`.

    The value of a button is True in one run of the script only, and that run is lost if something else on the screen
    starts the next one before the button is reached. A press that is noted waits until it is acted on.
    """
    _session().pressed = key


def pressed(key: str) -> bool:
    """Whether a button was pressed; true once."""
    session = _session()
    if session.pressed != key:
        return False
    session.pressed = None
    return True


def press_waits() -> bool:
    """Whether a press was noted on which nothing has acted yet."""
    return _session().pressed is not None


def design_key(*name: str) -> str:
    """The key of the widget that asks for a field of the design, or for an option: 'option', the method, its name."""
    return "_".join(("design", *name))


def model_key(run: Run) -> str:
    """The key under which the session has which model of a run Inspect shows."""
    return f"model_{run.number}"


def first(key: str, value: Any) -> str:
    """Give a widget its first value and return its key; a value that the user has set stays."""
    if key not in st.session_state:
        st.session_state[key] = value
    return key


def put(key: str, value: Any) -> None:
    """Set the value of a widget before it is drawn (in a callback, or above it)."""
    st.session_state[key] = value


def get(key: str, default: Any = None) -> Any:
    """The value of a widget, or what a component has put aside."""
    return st.session_state.get(key, default)


def source() -> Source | None:
    """The table in use."""
    return _session().source


def load(table: Table, reports: tuple[ColumnReport, ...] | None = None, sample: Sample | None = None) -> None:
    """Take a table into use; choices and size of the former one are dropped; runs, shape, method, limits stay."""
    session = _session()
    reports = reports or infer_columns(table)
    outcome = sample.outcome if sample else suggest_outcome(table, reports)
    set_by = session.recommended.items()
    change_design({name: before for name, (value, before) in set_by if getattr(session.design, name) == value})
    session.recommended = {}
    depth = sample.depth if sample else session.design.max_depth
    fresh = Design(max_depth=depth, min_samples_leaf=leaf_floor(table.n_rows))
    change_design({name: getattr(fresh, name) for name in (*SIZE, "split_cost")})
    session.first_design = session.design
    number = 1 if session.source is None else session.source.number + 1
    session.source = Source(number, table, reports, outcome, sample)
    session.choices = session.prepared = session.trouble = None


def prepare_by(preparation: Preparation) -> None:
    """Apply other steps to the table in use; `DataError` where one does not fit, and nothing changes."""
    session = _session()
    if session.source is not None:
        session.source = session.source.prepared_by(preparation)
        session.choices = session.prepared = session.trouble = None


def change_design(values: dict[str, Any]) -> None:
    """Put values into the design and into the fields of its form."""
    for name, value in values.items():
        put(design_key(name), " ".join(map(str, value)) if name == "widths" else value)
    session = _session()
    session.design = replace(session.design, **values)


def take_recommended(values: dict[str, Any]) -> None:
    """The same for what was recommended, which another table takes back."""
    session = _session()
    for name, value in values.items():
        now = getattr(session.design, name)
        known, before = session.recommended.get(name, (now, now))
        session.recommended[name] = value, before if known == now else now
    change_design(values)


def choose(choices: DataChoices) -> None:
    """Note the choices of the Data screen and build the rows; `trouble` says what stands against it."""
    session = _session()
    if session.source is None or session.choices == choices:
        return
    rows, trouble = None, None
    try:
        rows = prepare(session.source, choices, session.prepared)
    except EspalierError as error:
        trouble = str(error)
    session.choices, session.prepared, session.trouble = choices, rows, trouble


def prepared() -> Prepared | None:
    """The rows that a run would use; `None` without a table, an outcome, or where `trouble` stands against it."""
    return _session().prepared


def trouble() -> str | None:
    """Why the table cannot be used as chosen, in a sentence for the user."""
    return _session().trouble


def design() -> Design:
    """What is asked of the next run, as far as the rows in use know it: size, costs, constraints, limits."""
    session, rows = _session(), _session().prepared
    if rows is None:
        return session.design
    weight = session.design.min_weight_leaf if rows.train.weight is not None else 0.0
    return replace(
        session.design,
        min_weight_leaf=weight,
        class_costs=session.costs.get(_classes(rows)),
        constraints=constraints().on,
    )


def set_design(value: Design) -> None:
    """Note the design of the next run; what mistakes cost belongs to the classes of the rows in use."""
    session = _session()
    session.design = value
    if session.prepared is not None:
        session.costs[_classes(session.prepared)] = value.class_costs


def _classes(rows: Prepared) -> tuple[object, ...]:
    return rows.source.number, rows.whole.outcome, rows.whole.classes


def constraints() -> ConstraintList:
    """The constraints about the table in use."""
    session = _session()
    return session.constraints.get(session.source.number, ConstraintList()) if session.source else ConstraintList()


def set_constraints(value: ConstraintList) -> None:
    """Note another list of constraints about the table in use."""
    session = _session()
    if session.source is not None:
        session.constraints[session.source.number] = value


def editor() -> Editor | None:
    """What the constraint editor is open for; `None` while it is closed."""
    return _session().editor


def open_editor(number: int | None = None) -> None:
    """Open the editor for a constraint, or for a new one."""
    session = _session()
    session.opened += 1
    session.editor = Editor(number, f"constraint_{session.opened}")


def close_editor() -> None:
    """Close the editor; what was chosen in it is forgotten."""
    _session().editor = None


def size_is_chosen() -> bool:
    """Whether the size differs from the one that the table in use began with."""
    session = _session()
    return any(getattr(session.design, name) != getattr(session.first_design, name) for name in (*SIZE, "split_cost"))


def await_size(problem: str | None) -> None:
    """Have the next run wait for what is asked about how large a tree should be, by the problem; `None` for no more."""
    _session().awaited_size = problem


def awaited_size() -> AnyJob | None:
    """What the next run waits for."""
    session = _session()
    return session.design_jobs.get(session.awaited_size or "")


def design_jobs() -> dict[str, AnyJob]:
    """What was asked about the next run before it is solved, by the question."""
    return _session().design_jobs


def runs() -> list[Run]:
    """The runs of the session, oldest first."""
    return _session().runs


def start_run() -> Run:
    """Send the prepared rows and the design to a worker, and look at this run from now on.

    Raises `UnsupportedError` where the method cannot take the problem, and `RunError` where there are no rows, or the
    run cannot be started.
    """
    workers, chosen, rows = pool(), design(), prepared()
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
    folder = RunFolder.create(pool().runs, problem, chosen.method, limits, options=options, owner=ownership.owner())
    try:
        folder.write_outcome(Finished(solution.seconds, solution))
    except OSError as error:
        why = error.strerror or error
        raise RunError(f"The model cannot be kept ({why}). Free some space.") from None
    return _begun(FollowedJob(folder.path, problem), rows, chosen, problem)


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
    _session().adopt(*runs)


def next_number() -> int:
    """The number of a run that the session takes in now."""
    return _session().next_number()


def let_go() -> bool:
    """Whether the session does not hold all of its runs any more; they are on the Runs screen."""
    return _session().let_go


def take(rows: Prepared, design: Design) -> int:
    """Take the rows and the design of another run into use; the number that their table has from now on."""
    session = _session()
    number = 1 if session.source is None else session.source.number + 1
    source = replace(rows.source, number=number)
    rows = replace(rows, source=source)
    session.source, session.choices, session.prepared = source, rows.choices, rows
    session.trouble, session.design = None, design
    session.costs[_classes(rows)] = design.class_costs
    session.constraints[number] = ConstraintList().with_exactly(design.constraints)
    return number


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
    run.inquiries[name] = pool().submit(problem, method, limits, task, options, owner, about)


def relax(run: Run, changes: tuple[Change, ...]) -> None:
    """Ask again for what a run was asked for, but for some changes."""
    wanted = constraints().with_exactly(run.problem.constraints)
    # what a run asked of the rows of a question stands among its constraints, and so on the list from now on
    sizes: dict[str, Any] = {"min_rows": 1}
    for change in changes:
        name, weaker = change.relaxable.key, None if change.weaker is None else change.weaker.constraint
        if isinstance(name, int):
            wanted = wanted.with_replaced(change.relaxable.constraint.judged, weaker)
        else:
            limit = getattr(Design(), name) if weaker is None or weaker.limit is None else weaker.limit
            sizes[name] = float(limit) if name == "min_weight_leaf" else limit
    ask_again(run, wanted, **sizes)


def ask_again(run: Run, wanted: ConstraintList | None = None, **values: Any) -> None:
    """Ask again for what a run was asked for, with other values of its design, and with other constraints if given."""
    set_constraints(wanted or constraints().with_exactly(run.problem.constraints))
    change_design({name: getattr(run.design, name) for name in ("kind", "method", "widths", *SIZE)} | values)


def look_at(run: Run) -> None:
    """Choose the run that Inspect and Compare show."""
    _session().current = run.number


def open_model(run: Run, model: FinishedModel) -> None:
    """Look at a model of a run from now on, whether the run made it or it was found beside."""
    if all(model.key != known.key for known in run.models()):
        run.opened[model.key] = model
    look_at(run)
    put(model_key(run), model.key)
    put(INSPECTED, "Model")


def current_run() -> Run | None:
    """The run that Inspect and Compare show; `None` before the first."""
    return next((run for run in _session().runs if run.number == _session().current), None)


def external(run: Run) -> Dataset | None:
    """The rows of the second file beside those of a run, of the kind of `prepared.test`; `None` without a file."""
    second = external_file(run)
    return None if second is None else second.dataset


def external_file(run: Run) -> External | None:
    """The second file beside the rows of a run, with what was left out of it; `None` without one."""
    return next((second for prepared, second in _session().externals if prepared is run.prepared), None)


def load_external(run: Run, table: Table) -> None:
    """Take a second file for all runs on these rows; `DataError`, and the one before stays, where it lacks a column."""
    needed = {name for model in run.models() for name in model.diagram.features}
    second = external_dataset(table, run.prepared.train, run.prepared.choices.rows, needed)
    drop_external(run)
    _session().externals.append((run.prepared, second))


def drop_external(run: Run) -> None:
    """Forget the second file beside the rows of a run."""
    _session().externals = [pair for pair in _session().externals if pair[0] is not run.prepared]


def node(model: str) -> int:
    """The node of a model that is being looked at; the root until another one is chosen."""
    return _session().nodes.get(model, 0)


def choose_node(model: str, number: int) -> None:
    """Look at another node of a model."""
    _session().nodes[model] = number


def dark() -> bool:
    """Whether the screen is in the dark theme."""
    return st.context.theme.type == "dark"
