"""Sweeps that were deleted: taken back with one click, until the trash is emptied."""

from collections.abc import Iterable
from functools import partial

import streamlit as st

from components.session import state
from components.session.work import Run
from components.sweep.facts import trashed_lines
from components.widgets import trash_box
from components.words.text import count, plain, utc_now
from solvers.errors import EspalierError
from solvers.store.trash import delete_sweep, empty_sweeps, restore_sweep
from solvers.sweeps.folder import StoredSweep, list_sweeps

_TROUBLE = "_sweep_trouble"


def offer(run: Run, sweep: StoredSweep) -> bool:
    """Draw the button that deletes a sweep; True once that is done."""
    pressed = st.button(
        "Delete", key=f"sweep_delete_{sweep.name}", icon=":material/delete:",
        help="Puts the sweep, with its tables and models, into the trash of this run, from where it can be "
            "restored.",
    )  # fmt: skip
    if not pressed:
        return False
    try:
        delete_sweep(sweep)
        state.put(_undo(run), sweep)
    except EspalierError as error:
        state.put(_TROUBLE, str(error))
    return True


def _undo(run: Run) -> str:
    return f"_sweep_undo_{run.number}"


def offer_undo(run: Run) -> None:
    """Draw the way back of the sweep that was deleted last, and why something could not be done."""
    if trouble := state.get(_TROUBLE):
        st.error(plain(trouble, 600), icon=":material/error:")
        state.put(_TROUBLE, "")
    last = state.get(_undo(run))
    if last is not None and last.deleted:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("1 sweep deleted.", width="content")
            st.button("Undo", key=f"sweep_undo_{run.number}", icon=":material/undo:", on_click=_restore, args=([last],))


def show(run: Run) -> None:
    """Draw what was deleted of a run, to take it back or to delete it for good; nothing where nothing was."""
    found = list_sweeps(run.job.folder).deleted
    if found:
        trash_box.show(
            count(len(found), "sweep"),
            trashed_lines(found, len(run.problem.constraints), utc_now()),
            key=f"sweep_{run.number}",
            restore=partial(_restore, found),
            empty=partial(_empty, run),
        )


def _restore(sweeps: Iterable[StoredSweep]) -> None:
    for sweep in sweeps:
        restore_sweep(sweep)


def _empty(run: Run) -> None:
    try:
        empty_sweeps(run.job.folder)
    except EspalierError as error:
        state.put(_TROUBLE, str(error))
