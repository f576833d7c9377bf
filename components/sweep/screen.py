"""Setting up a sweep of a run, and the sweeps that the run has."""

import streamlit as st

from components.session import state
from components.session.work import Run
from components.sweep import form, panel, trash
from components.widgets import footer, run_picker
from components.words.text import labelled, plain, utc_now, when
from solvers.errors import EspalierError
from solvers.sweeps.folder import StoredSweep, create_sweep, list_sweeps

_START = "sweep_start"


def show() -> bool:
    """Draw the screen; False where there is no run to start from."""
    run = _run()
    if run is None:
        return False
    known = list_sweeps(run.job.folder)
    st.caption(f"Many models on the rows of {plain(run.title, 200)}: same table, same costs, same constraints.")
    # another key once there is a sweep, so that the choices make room for what it came to
    with st.expander("What is tried", expanded=not known.sweeps, key=f"sweep_setup_{run.number}_{bool(known.sweeps)}"):
        request = form.show(run)
    for fault in known.faults:
        st.caption(f":orange[{plain(fault, 400)}]")
    trash.offer_undo(run)
    if known.sweeps:
        panel.show(run, _sweep(run, known.sweeps))
    trash.show(run)
    there = any(request.is_same(sweep) and not panel.is_due(run, sweep) for sweep in known.sweeps)
    pressed, _ = footer.show(
        plain(f"{request.sentence} This sweep is there already." if there else request.sentence, 600),
        "Look at it" if there else "Start the sweep",
        key=_START,
        disabled=bool(request.plan.trouble),
    )
    if pressed and not request.plan.trouble:
        _start(run, request)
    return True


def _run() -> Run | None:
    runs = state.runs()
    if not runs:
        return None
    return run_picker.show(
        "Run",
        runs[::-1],
        state.current_run() or runs[-1],
        lambda run: run.title,
        width=480,
        help="A sweep takes the rows, costs and constraints of a run.",
    )


def _sweep(run: Run, sweeps: tuple[StoredSweep, ...]) -> StoredSweep:
    by_name, now, key = {sweep.name: sweep for sweep in sweeps}, utc_now(), f"sweep_seen_{run.number}"
    begun = f"_sweep_begun_{run.number}"
    if state.get(begun) in by_name:
        state.put(key, state.get(begun))
        state.put(begun, None)
    elif state.get(key) not in by_name:
        state.put(key, sweeps[0].name)
    if len(sweeps) == 1:
        st.markdown(f"**{plain(panel.name_of(run, sweeps[0]), 300)}**")
        return sweeps[0]
    titles = {one.name: f"{when(one.created, now)}: {panel.name_of(run, one)}" for one in sweeps}
    name = st.selectbox(
        "Sweep",
        list(by_name),
        key=key,
        format_func=labelled(by_name, titles.__getitem__),
        persist_state="session",
    )
    return by_name.get(name, sweeps[0])


def _start(run: Run, request: form.SweepRequest) -> None:
    """Begin the sweep of the form; one that was begun before goes on, and one that is at work is looked at."""
    try:
        sweep = create_sweep(run.job.folder, request.task, request.constrained, run.prepared.test)
    except EspalierError as error:
        st.error(plain(error, 500), icon=":material/error:")
        return
    state.put(f"_sweep_begun_{run.number}", sweep.name)
    if not panel.is_due(run, sweep) or panel.begin(run, sweep, request.plan.models):
        st.rerun()
