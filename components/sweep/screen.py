"""Set up a sweep of a run; show the sweeps of the run."""

import streamlit as st

from components.messages.text import label_with, plain, utc_now, when
from components.session import state
from components.session.work import Run
from components.sweep import form, panel
from components.sweep.facts import title
from components.widgets import footer, run_picker
from solvers.errors import EspalierError
from solvers.study.stored import StoredStudy, create_sweep, list_sweeps


def show() -> bool:
    """Draw the screen; False if there is no run to start from."""
    runs = state.runs()
    if not runs:
        return False
    help = "The sweep uses the rows, costs and constraints of this run."
    start = state.current_run() or runs[-1]
    run = run_picker.show("Run", runs[::-1], start, lambda run: run.title, width=480, help=help)
    known = list_sweeps(run.job.folder)
    st.caption("Computes many models on the rows of this run, with the same costs and constraints.")
    # a new key once there is a sweep, so that the expander closes and the results are visible
    with st.expander("Sweep settings", expanded=not known.sweeps, key=f"sweep_setup_{run.number}_{bool(known.sweeps)}"):
        request = form.show(run)
    for fault in known.faults:
        st.caption(f":orange[{plain(fault, 400)}]")
    panel.say_trouble()
    if known.sweeps:
        panel.show(run, _sweep(run, known.sweeps))
    there = any(request.is_same(sweep) and not panel.is_due(run, sweep) for sweep in known.sweeps)
    pressed, _ = footer.show(
        plain(f"{request.sentence} You have this sweep already." if there else request.sentence, 600),
        "Show sweep" if there else "Start sweep",
        key="sweep_start",
        disabled=bool(request.plan.trouble),
    )
    if pressed and not request.plan.trouble:
        _start(run, request)
    return True


def _sweep(run: Run, sweeps: tuple[StoredStudy, ...]) -> StoredStudy:
    by_name, now, key = {sweep.name: sweep for sweep in sweeps}, utc_now(), f"sweep_seen_{run.number}"
    begun = f"_sweep_begun_{run.number}"
    if state.get(begun) in by_name:
        state.put(key, state.get(begun))
        state.put(begun, None)
    elif state.get(key) not in by_name:
        state.put(key, sweeps[0].name)
    names = {one.name: title(one.task, len(run.problem.constraints)) for one in sweeps}
    if len(sweeps) == 1:
        st.markdown(f"**{plain(names[sweeps[0].name], 300)}**")
        return sweeps[0]
    titles = {one.name: f"{when(one.created, now)}: {names[one.name]}" for one in sweeps}
    words = label_with(by_name, titles.__getitem__)
    return by_name[st.selectbox("Sweep", list(by_name), key=key, format_func=words, persist_state="session")]


def _start(run: Run, request: form.SweepRequest) -> None:
    """Begin the sweep of the form, continue it if it was begun before, or show it if it is running."""
    try:
        sweep = create_sweep(run.job.folder, request.task, run.prepared.test)
    except EspalierError as error:
        st.error(plain(error, 500), icon=":material/error:")
        return
    state.put(f"_sweep_begun_{run.number}", sweep.name)
    if not panel.is_due(run, sweep) or panel.begin(run, sweep, request.plan.models):
        st.rerun()
