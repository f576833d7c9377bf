"""Sweeps that were deleted: taken back with one click, until the trash is emptied."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from components.session import state
from components.session.work import Run
from components.sweep.facts import trashed_lines
from components.words.clock import utc_now
from components.words.text import count, plain
from solvers.errors import EspalierError
from solvers.store.trash import TRASH_DAYS
from solvers.sweeps.stored_sweeps import StoredSweep
from solvers.sweeps.trash import delete, empty, restore, trashed

_TROUBLE = "_sweep_trouble"


def offer(run: Run, sweep: StoredSweep) -> bool:
    """Draw the button that deletes a sweep; True once that is done."""
    pressed = st.button(
        "Delete", key=f"sweep_delete_{sweep.name}", icon=":material/delete:",
        help="Puts the sweep, with its tables and models, into the trash of this run, from where it can be restored.",
    )  # fmt: skip
    if not pressed:
        return False
    try:
        state.put(_undo(run), delete(sweep))
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
    if last is not None and last.exists():
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("1 sweep deleted.", width="content")
            st.button("Undo", key=f"sweep_undo_{run.number}", icon=":material/undo:", on_click=_restore, args=([last],))


def show(run: Run) -> None:
    """Draw what was deleted of a run, to take it back or to delete it for good; nothing where nothing was."""
    found = trashed(run.job.folder)
    if not found:
        return
    folders = [one.folder for one in found]
    with st.expander(f"Trash ({count(len(found), 'sweep')})"):
        st.caption(
            f"Deleted sweeps stay here for {TRASH_DAYS:g} days; then they and their models are deleted for good."
        )
        st.dataframe(trashed_lines(found, len(run.problem.constraints), utc_now()), hide_index=True)
        with st.container(horizontal=True):
            st.button("Take all back", key=f"sweep_restore_{run.number}", on_click=_restore, args=(folders,))
            if st.button("Empty the trash", key=f"sweep_empty_{run.number}"):
                _confirm(run, len(found))


def _restore(folders: list[Path]) -> None:
    for folder in folders:
        try:
            restore(folder)
        except EspalierError as error:
            state.put(_TROUBLE, str(error))


@st.dialog("Delete for good?")
def _confirm(run: Run, number: int) -> None:
    """Ask once more before models are deleted."""
    st.markdown(f"{count(number, 'sweep')} with tables and models will be deleted. This cannot be undone.")
    if st.button("Delete for good", key="sweep_empty_now", type="primary", on_click=_empty, args=(run,)):
        st.rerun()


def _empty(run: Run) -> None:
    try:
        empty(run.job.folder)
    except EspalierError as error:
        state.put(_TROUBLE, str(error))
