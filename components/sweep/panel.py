"""A sweep of a run: its progress, stop and continue, and its results."""

from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st
from msgspec import structs

from components.messages.text import count, file_name, plain
from components.session import run_actions, state
from components.session.work import FinishedModel, Run
from components.sweep.facts import allowance, plan_sweep, progress_of
from components.sweep.figures import sweep_figure
from components.widgets import style
from components.workers import inquiries, jobs, studies
from solvers.errors import EspalierError, RunError
from solvers.messages.sweeps import describe_size, faults, summary, verdict
from solvers.methods import registry
from solvers.settings import settings
from solvers.store.index import delete_sweep
from solvers.study.folder import Row, csv_of
from solvers.study.stored import StoredStudy
from solvers.study.study import StudyProgress, solution_of

_SHOWN_FAULTS = 5
_TROUBLE = "_sweep_trouble"
_HEADS = {
    "split_penalty": "Split penalty",
    "bound": "Lower bound",
    "questions": "Splits",
    "train_errors": "Training errors",
    "test_errors": "Held-out errors",
    "test_rows": "Held-out rows",
    "seconds": "Time (s)",
}
"""Headers of the table of all models that differ from the column names."""


class SweepState(NamedTuple):
    """The content of a sweep folder: the table, the number of jobs, and why it cannot be read."""

    table: pd.DataFrame
    of: int
    trouble: str

    @property
    def complete(self) -> bool:
        """Whether all jobs have ended."""
        return 0 < self.of <= len(self.table)


def is_due(run: Run, sweep: StoredStudy) -> bool:
    """Whether a sweep is incomplete and no worker is running it."""
    job = studies.job_of(run, sweep)
    return (job is None or job.done) and not sweep.has_worker() and not known_of(run, sweep).complete


def begin(run: Run, sweep: StoredStudy, models: int) -> bool:
    """Let a worker run a sweep, or the rest of it; on an error show a message and return False."""
    return studies.begin(run, sweep, allowance(models, sweep.task))


def known_of(run: Run, sweep: StoredStudy) -> SweepState:
    """The stored state of a sweep, read again only if it has changed."""

    def read(before: SweepState | None) -> SweepState:
        try:
            return SweepState(sweep.table(), len(sweep.keys()), "")
        except EspalierError as error:
            return SweepState(pd.DataFrame(), 0, str(error))

    return studies.latest(run, sweep, read)


def show(run: Run, sweep: StoredStudy) -> None:
    """Draw a sweep, refreshed while it is running."""
    studies.job_of(run, sweep)
    inquiries.watch(run, _show, key=f"sweep_{run.number}_{sweep.name}", args=(run, sweep))


def _show(run: Run, sweep: StoredStudy) -> None:
    known = known_of(run, sweep)
    busy = _progress(run, sweep, known)
    if known.trouble:
        st.error(plain(known.trouble, 500), icon=":material/error:")
    if not known.table.empty:
        _results(run, sweep, known.table, busy)


def _progress(run: Run, sweep: StoredStudy, known: SweepState) -> bool:
    """Draw the progress of the sweep and its buttons; returns whether it is running."""
    job = studies.job_of(run, sweep)
    shot = None if job is None else job.snapshot()
    if job is not None and shot is not None and not job.done:
        answer = shot.answer if isinstance(shot.answer, StudyProgress) else None
        progress = progress_of(known.table, known.of, answer)
        share = min(1.0, progress.done / max(1, progress.of))
        words = plain(shot.text if answer is None else progress.words(shot.elapsed), 300)
        help = "Finished models are kept. You can continue later."
        jobs.stoppable(words, job.cancel, key=f"sweep_stop_{sweep.name}", share=share, help=help)
        return True
    elsewhere, error = sweep.has_worker(), shot.error if shot else None
    with st.container(horizontal=True, vertical_alignment="center"):
        end = "Complete." if known.complete else "Finished models are kept."
        end = "Another window runs this sweep." if elsewhere else end if known.complete or error else f"Stopped. {end}"
        words = progress_of(known.table, known.of, None).words() if known.of else "The sweep has not begun."
        st.caption(f"{plain(words)} {end}", width="content")
        if elsewhere:
            st.button("Refresh", key=f"sweep_look_{sweep.name}")
        else:
            _offer_to_continue(run, sweep, known)
            with st.popover("Delete", icon=":material/delete:"):
                st.markdown("The sweep's tables and models are deleted. You cannot undo this.")
                st.button("Delete sweep", key=f"sweep_delete_{sweep.name}", on_click=_delete, args=(run, sweep))
    if error:
        st.error(plain(error, 600), icon=":material/error:")
    return elsewhere


def _delete(run: Run, sweep: StoredStudy) -> None:
    try:
        delete_sweep(sweep)
    except EspalierError as error:
        state.put(_TROUBLE, str(error))
    studies.forget(run, sweep)


def say_trouble() -> None:
    """Show once why a sweep could not be deleted."""
    if trouble := state.get(_TROUBLE):
        st.error(plain(trouble, 600), icon=":material/error:")
        state.put(_TROUBLE, "")


def _offer_to_continue(run: Run, sweep: StoredStudy, known: SweepState) -> None:
    """Offer to continue a sweep: where it was begun, or on this machine if that was a cluster."""
    scheduler, places = settings().scheduler, []
    there = structs.replace(sweep.task, scheduler=scheduler if sweep.task.scheduler else None)
    if not known.complete:
        if scheduler or not sweep.task.scheduler:
            places.append(("Continue", "go", there))
        if sweep.task.scheduler:
            places.append(("Continue on this machine", "here", structs.replace(sweep.task, scheduler=None)))
    if not known.table.empty and known.table["error"].notna().any():
        places.append(("Retry failed models", "again", structs.replace(there, retry=True)))
    for label, key, task in places:
        if st.button(label, key=f"sweep_{key}_{sweep.name}", icon=":material/play_circle:"):
            models = known.of or plan_sweep(run.problem, task).models
            if begin(run, replace(sweep, task=task), models):
                st.rerun()


def _results(run: Run, sweep: StoredStudy, table: pd.DataFrame, busy: bool) -> None:
    lines = summary(table, len(run.problem.constraints))
    if sentence := verdict(lines):
        st.markdown(plain(sentence, 400))
    drawn, models, failed = st.tabs(["Summary", f"All models ({count(len(table))})", "Failed models"])
    opens = can_open(sweep) and not busy
    with drawn:
        _chart(sweep, lines, sentence)
        _summary(lines, f"sweep_lines_{sweep.name}")
    with models:
        _models(run, sweep, table, opens)
        if not busy:
            _downloads(sweep, table)
    with failed:
        found = faults(table)
        if found.empty:
            st.caption("No model failed.")
        for fault in found[:_SHOWN_FAULTS].itertuples():
            reason = f"{plain(fault.first)}: {plain(fault.reason, 600)}"
            st.markdown(f"**{count(fault.size, 'model')}**, first {reason}")
        if len(found) > _SHOWN_FAULTS:
            st.caption("Column 'error' of all models lists further reasons.")


def _summary(lines: pd.DataFrame, key: str) -> None:
    several = (lines["models"] > 1).any()
    percents = {
        "held_out": "Held-out error (%)",
        "deviation": "Standard deviation",
        "low": "Lowest" if several else "95% from",
        "high": "Highest" if several else "to",
        "training": "Training error (%)",
    }
    heads: dict[str, Any] = {
        **{name: st.column_config.NumberColumn(head, format="%.1f") for name, head in percents.items()},
        **{name: name.capitalize() for name in ("method", "size", "constraints", "models", "failed")},
        "splits": st.column_config.NumberColumn("Splits", format="%.1f"),
        "proved": "Proved optimal",
        "seconds": st.column_config.NumberColumn("Time (s)", format="%.2f"),
    }
    idle = {"cell", *([] if several else ["models", "deviation"]), *([] if lines["failed"].any() else ["failed"])}
    order = [name for name in lines if name not in idle and lines[name].notna().any()]
    st.dataframe(lines, hide_index=True, key=key, column_order=order, column_config=heads)


def _chart(sweep: StoredStudy, lines: pd.DataFrame, sentence: str) -> None:
    if lines["training"].isna().all():
        return
    figure, key = sweep_figure(lines, state.dark()), f"sweep_chart_{sweep.name}"
    st.plotly_chart(figure, key=key, config=style.STILL, alt=sentence)
    judged = "Solid: held-out rows. Dotted: training rows. " if lines["held_out"].notna().any() else ""
    st.caption(f"{judged}Filled: all models are proved optimal.")


def _models(run: Run, sweep: StoredStudy, table: pd.DataFrame, opens: bool) -> None:
    """Draw the table of all jobs; one row can be ticked and opened while the table does not grow."""
    key, hidden = f"sweep_jobs_{sweep.name}", {"key", "cell", "verified", "cpu_seconds"}
    looks: dict[str, Any] = {
        "hide_index": True,
        "column_order": [name for name in table if name not in hidden and table[name].notna().any()],
        "column_config": {name: _HEADS.get(name, name.replace("_", " ").capitalize()) for name in table},
    }
    if not opens:
        st.dataframe(table, key=key, **looks)
        if not can_open(sweep):
            st.caption("You can inspect models of sweeps over all rows only.")
        return
    event = st.dataframe(table, key=f"{key}_ticked", on_select="rerun", selection_mode="single-row", **looks)
    ticked = [str(table.iloc[row]["key"]) for row in event.selection.rows if row < len(table)]
    help = "Tick a model in the first column."
    if st.button("Inspect model", key=f"sweep_open_{sweep.name}", disabled=not ticked, help=help):
        _open(run, sweep, ticked[0])


def can_open(sweep: StoredStudy) -> bool:
    """Whether its models are trained on the rows of the run, not on folds or samples of them."""
    return not (sweep.task.folds or sweep.task.samples)


def model_of(run: Run, sweep: StoredStudy, row: Row) -> FinishedModel:
    """A model of the sweep with a name for the screen; its cost and its proof are verified again.

    The sweep must be over all rows, and `row` is its line of the table. Raises `RunError` if the model is not the one
    in the table or does not belong to this sweep, and another `EspalierError` if it cannot be read.
    """
    key = row["key"]
    cells = {cell.job.key: cell for cell in sweep.task.plan(run.problem).cells}
    if key not in cells:
        raise RunError(f"The sweep '{sweep.name}' has no model '{key}'. Run the sweep again.")
    problem, method = cells[key].job.problem, registry.get(row["method"])
    solution = solution_of(problem, row, sweep.diagram(key))
    if solution is None or not solution.verified:
        raise RunError(f"The model '{key}' of the sweep does not match its row in the table. Run the sweep again.")
    free = ", without constraints" if run.problem.constraints and not problem.constraints else ""
    title = f"{method.title}, {describe_size(row)}{free}"
    return FinishedModel(f"sweep {sweep.name[:6]} {row['cell']}", title, solution, method.exact, problem)


def _open(run: Run, sweep: StoredStudy, key: str) -> None:
    row = next((row for row in sweep.rows().values() if row["key"] == key), None)
    if row is None or row["train_errors"] is None:
        st.warning("This row has no model. Choose another row.")
        return
    if run.best is None:
        st.warning("The run has no model yet. Wait until the search on Solve ends.")
        return
    try:
        model = model_of(run, sweep, row)
    except EspalierError as error:
        st.error(plain(error, 500), icon=":material/error:")
        return
    run_actions.open_model(run, model)
    st.switch_page("pages/inspect.py")


def _downloads(sweep: StoredStudy, table: pd.DataFrame) -> None:
    key, icon = f"sweep_csv_{sweep.name}", ":material/download:"
    name = file_name(sweep.name, ending="sweep.csv")
    st.download_button("Save as CSV", csv_of(table), name, "text/csv", key=key, icon=icon, on_click="ignore")
