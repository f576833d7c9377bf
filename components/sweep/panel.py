"""A sweep of a run: how far it is, stopped and gone on with, and what it came to."""

from dataclasses import replace
from typing import NamedTuple

import pandas as pd
import streamlit as st

from components.session import run_actions, state
from components.session.work import AnyJob, Run
from components.sweep import trash
from components.sweep.facts import (
    ShownProgress,
    allowance,
    faults,
    lines,
    planned,
    progress,
    series,
    summary,
    title,
    verdict,
)
from components.sweep.figures import sweep_figure
from components.sweep.models import can_open, model_of
from components.widgets import style
from components.words.text import count, plain
from components.workers import inquiries, jobs
from components.workers.inquiries import WorkerInquiry
from solvers.errors import EspalierError
from solvers.settings import settings
from solvers.sweeps.folder import RunSweep, StoredSweep, SweepProgress, csv_of

_INSPECT = "pages/inspect.py"
_SHOWN_FAULTS = 5


class SweepState(NamedTuple):
    """What the folder of a sweep says: the table, how many jobs there are, and why it cannot be read."""

    table: pd.DataFrame
    of: int
    trouble: str


def is_due(run: Run, sweep: StoredSweep) -> bool:
    """Whether there is something left of a sweep that nobody works on."""
    job, known = job_of(run, sweep), known_of(run, sweep)
    return (job is None or job.done) and not sweep.has_worker() and (not known.of or len(known.table) < known.of)


def begin(run: Run, sweep: StoredSweep, models: int) -> bool:
    """Have a worker run a sweep, or what is left of it; False with a message where that cannot be asked."""
    run.inquiries.pop(_name(sweep), None)
    problem = sweep.constrained.problem(run.problem)
    inquiries.begin(run, WorkerInquiry(_name(sweep), sweep.task, problem, seconds=allowance(models, sweep.task)))
    return _name(sweep) in run.inquiries


def job_of(run: Run, sweep: StoredSweep) -> AnyJob | None:
    """The job that works or worked on a sweep, also where another window of this dashboard began it."""
    known = run.inquiries.get(_name(sweep))
    if known is None or known.done:
        folder = str(sweep.path)
        for job in state.pool().jobs():
            # the one that has ended may have been followed by another window's
            if isinstance(job.task, RunSweep) and job.task.folder == folder and (known is None or not job.done):
                run.inquiries[_name(sweep)] = job
    return run.inquiries.get(_name(sweep))


def _name(sweep: StoredSweep) -> str:
    return f"sweep {sweep.name}"


def show(run: Run, sweep: StoredSweep) -> None:
    """Draw a sweep, again and again while it is at work."""
    job_of(run, sweep)
    inquiries.watch(run, _show, key=f"sweep_{run.number}_{sweep.name}", args=(run, sweep))


def known_of(run: Run, sweep: StoredSweep) -> SweepState:
    """What is written of a sweep; read again only when that has changed."""
    results, key = sweep.path / "results.jsonl", ("sweep", sweep.name)
    stamp = (results.stat().st_size, results.stat().st_mtime_ns) if results.exists() else None
    held = run.worked_out.get(key)
    if held is None or held[0] != stamp or not held[1].of:
        try:
            known = SweepState(sweep.table(), len(sweep.keys()), "")
        except EspalierError as error:
            known = SweepState(pd.DataFrame(), 0, str(error))
        held = run.worked_out[key] = (stamp, known)
    return held[1]


def _show(run: Run, sweep: StoredSweep) -> None:
    known = known_of(run, sweep)
    busy = _progress(run, sweep, known)
    if known.trouble:
        st.error(plain(known.trouble, 500), icon=":material/error:")
    if not known.table.empty:
        _results(run, sweep, known.table, busy)


def _progress(run: Run, sweep: StoredSweep, known: SweepState) -> bool:
    """Draw how far the sweep is and what can be done with it; whether it is at work."""
    job = job_of(run, sweep)
    shot = None if job is None else job.snapshot()
    if job is not None and shot is not None and not job.done:
        answer = shot.answer if isinstance(shot.answer, SweepProgress) else None
        reached = progress(known.table, known.of, answer, shot.elapsed)
        words = plain(shot.text if answer is None else reached.words, 300)
        key, help = f"sweep_stop_{sweep.name}", "What is done is kept, and the sweep can go on later."
        jobs.stoppable(words, job.cancel, key=key, share=reached.share, help=help)
        return True
    with st.container(horizontal=True, vertical_alignment="center"):
        reached, elsewhere = progress(known.table, known.of), sweep.has_worker()
        st.caption(_standing(reached, elsewhere, bool(shot and shot.error)), width="content")
        if elsewhere:
            st.button("Look again", key=f"sweep_look_{sweep.name}")
        else:
            _offer_to_go_on(run, sweep, known, reached)
            if trash.offer(run, sweep):
                run.inquiries.pop(_name(sweep), None)
                st.rerun()
    if shot is not None and shot.error:
        st.error(plain(shot.error, 600), icon=":material/error:")
    return elsewhere


def _standing(reached: ShownProgress, elsewhere: bool, trouble: bool) -> str:
    """How far a sweep is that this window does not work on, and why it does not go on by itself."""
    if elsewhere:
        why = "It is at work in another window. What is done is kept."
    elif reached.complete:
        why = "The sweep is complete."
    else:
        why = "What is done is kept." if trouble else "It was stopped. What is done is kept."
    return f"{plain(reached.words)} {why}"


def _offer_to_go_on(run: Run, sweep: StoredSweep, known: SweepState, reached: ShownProgress) -> None:
    """Offer what is left of a sweep: where it was begun, or on this machine where that was a cluster."""
    scheduler, places = settings().scheduler, []
    there = replace(sweep.task, scheduler=scheduler if sweep.task.scheduler else None)
    if not reached.complete:
        if scheduler or not sweep.task.scheduler:
            places.append(("Go on", "go", there, "Makes what is left."))
        if sweep.task.scheduler:
            here = replace(sweep.task, scheduler=None)
            places.append(("Go on on this machine", "here", here, "Makes what is left, but not on the cluster."))
    if not known.table.empty and known.table["error"].notna().any():
        again = "Tries those again that have failed, whatever the reason was, and makes those that are left."
        places.append(("Try failed models again", "again", replace(there, retry=True), again))
    for label, key, task, help in places:
        if st.button(label, key=f"sweep_{key}_{sweep.name}", icon=":material/play_circle:", help=help):
            models = known.of or planned(sweep.constrained.problem(run.problem), task).models
            if begin(run, replace(sweep, task=task), models):
                st.rerun()


def _results(run: Run, sweep: StoredSweep, table: pd.DataFrame, busy: bool) -> None:
    found = lines(table, len(run.problem.constraints))
    if sentence := verdict(found):
        st.markdown(plain(sentence, 400))
    drawn, models, failed = st.tabs(["Summary", f"All models ({count(len(table))})", "What failed"])
    with drawn:
        _chart(run, sweep, table, found, busy)
        frame = summary(found)
        st.dataframe(frame, hide_index=True, key=f"sweep_lines_{sweep.name}")
    with models:
        rows = _jobs(sweep, table, busy)
        if not busy:
            _offer(run, sweep, table, rows)
            _downloads(sweep, table)
    with failed:
        _faults(table)


def _chart(run: Run, sweep: StoredSweep, table: pd.DataFrame, found: tuple, busy: bool) -> None:
    curves, opens = series(found), can_open(sweep) and not busy
    if not curves:
        return
    key = f"sweep_chart_{sweep.name}_{state.visit()}"
    st.plotly_chart(
        sweep_figure(curves, state.dark()),
        key=key,
        on_select="rerun" if opens else "ignore",
        selection_mode="points",
        config=style.STILL,
        alt=verdict(found),
    )
    judged = any(dot.unseen is not None for one in curves for dot in one.dots)
    unseen = "Large marks: rows that the models had not seen; small ones, dotted: training rows. " if judged else ""
    click = " Click a point to inspect the model." if can_open(sweep) else ""
    st.caption(f"{unseen}Filled where all models are proved the best of their size, else open.{click}")
    points = state.get(key)["selection"]["points"] if opens else []
    if points and points[0].get("customdata"):
        _open(run, sweep, f"all: {points[0]['customdata'][0]}")


def _jobs(sweep: StoredSweep, table: pd.DataFrame, busy: bool) -> list[int]:
    """Draw the table of all jobs; the rows that are ticked in it, while it does not grow."""
    shown = table.dropna(axis="columns", how="all")
    if not can_open(sweep) or busy:
        st.dataframe(shown, hide_index=True, key=f"sweep_jobs_{sweep.name}")
        return []
    key = f"sweep_jobs_{sweep.name}_ticked"
    event = st.dataframe(shown, hide_index=True, key=key, on_select="rerun", selection_mode="single-row")
    return list(event.selection.rows)


def _offer(run: Run, sweep: StoredSweep, table: pd.DataFrame, rows: list[int]) -> None:
    if not can_open(sweep):
        st.caption("These models are learned from parts of the rows; those of a sweep of all rows can be inspected.")
        return
    ticked = [str(table.iloc[row]["key"]) for row in rows if row < len(table)]
    help = "Tick a model in its first column."
    if st.button("Inspect it", key=f"sweep_open_{sweep.name}", disabled=not ticked, help=help):
        _open(run, sweep, ticked[0])


def _open(run: Run, sweep: StoredSweep, key: str) -> None:
    row = next((row for row in sweep.rows().values() if row["key"] == key), None)
    if row is None or row["train_errors"] is None:
        st.warning("There is no model in this row: its size has none, or it could not be made.")
        return
    if run.best is None:
        st.warning("Models can be inspected once the run itself has one. Wait for its end on Solve.")
        return
    try:
        model = model_of(run, sweep, row)
    except EspalierError as error:
        st.error(plain(error, 500), icon=":material/error:")
        return
    run_actions.open_model(run, model)
    st.switch_page(_INSPECT)


def _downloads(sweep: StoredSweep, table: pd.DataFrame) -> None:
    with st.container(horizontal=True):
        for label, name, content, kind in (
            ("Save as CSV", "sweep.csv", csv_of(table).encode(), "text/csv"),
            ("Save as Parquet", "sweep.parquet", table.to_parquet(index=False), "application/vnd.apache.parquet"),
        ):
            st.download_button(
                label, content, name, kind, key=f"sweep_{name}_{sweep.name}", icon=":material/download:",
                on_click="ignore",
            )  # fmt: skip


def _faults(table: pd.DataFrame) -> None:
    found = faults(table)
    if not found:
        st.caption("No model failed.")
    for fault in found[:_SHOWN_FAULTS]:
        st.markdown(
            f"**{count(fault.jobs, 'model')}**, the first of them {plain(fault.first)}: {plain(fault.reason, 600)}"
        )
    if len(found) > _SHOWN_FAULTS:
        st.caption(f"{count(len(found) - _SHOWN_FAULTS, 'further reason')}: see the column 'error' of all models.")


def name_of(run: Run, sweep: StoredSweep) -> str:
    """A sweep in a line, for a list."""
    return title(sweep.task, sweep.constrained, len(run.problem.constraints))
