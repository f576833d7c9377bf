"""The user's earlier work: drafts to continue, and the latest runs to open."""

from typing import Literal

import streamlit as st

from components.messages.text import TRAINING, count, plain, utc_now, when
from components.session import drafts, form_values, ownership, run_files, run_store, state
from components.session.drafts import Draft
from components.workers import launch
from solvers.errors import EspalierError
from solvers.settings import settings
from solvers.store import Entry, Query

_RUNS = 3
_CONTINUED, _TROUBLE = "draft_continued", "_left_off_trouble"


def show() -> bool:
    """Offer the work that this session does not show; True if the screen must be redrawn with a draft."""
    offer_running()
    mine = drafts.saved(settings().runs, ownership.owner())
    mine = [one for one in mine if one.folder != state.session().draft]
    runs = _recent()
    if trouble := state.get(_TROUBLE):
        st.error(plain(trouble, 600), icon=":material/error:")
        state.put(_TROUBLE, "")
    if mine:
        st.subheader("Continue where you left off")
        _draft(mine[0], "primary")
    if mine[1:] or runs:
        with st.expander("Earlier drafts and runs", icon=":material/history:"):
            for draft in mine[1:]:
                _draft(draft)
            for entry in runs:
                _run(entry)
    return state.pressed(_CONTINUED)


def offer_running() -> None:
    """Link to the Runs screen if a search of this user is running that is not in this session."""
    mine, known = ownership.owner(), {run.job.id for run in state.runs()}
    jobs = (job for job in state.pool().jobs() if job.owner == mine and job.task is None and job.id not in known)
    if any(not job.done and (job.folder / run_files.SCREEN).exists() for job in jobs):
        st.page_link("pages/runs.py", label="A run continues. Open it on Runs.", icon=":material/hourglass_top:")


def _draft(draft: Draft, prominence: Literal["primary", "secondary"] = "secondary") -> None:
    moment = when(draft.saved, utc_now())
    steps = count(draft.steps, "preparation step") if draft.steps else ""
    constraints = count(draft.constraints, "constraint") if draft.constraints else "no constraints"
    outcome = f"outcome {plain(draft.outcome, 40)}" if draft.outcome else "no outcome yet"
    about = ", ".join(filter(None, (outcome, steps, constraints)))
    words = plain(draft.trouble, 400) if draft.trouble else f"**{plain(draft.title, 60)}**: {about}"
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(f"{words}  \n:gray[Saved {moment}]", width="stretch")
        if not draft.trouble:
            st.button("Continue", key=_key(draft), type=prominence, on_click=_continue, args=(draft,))
        key = f"delete_{_key(draft)}"
        st.button("Delete draft", key=key, icon=":material/delete:", on_click=drafts.delete, args=(draft.folder,))


def _key(draft: Draft) -> str:
    return f"draft_{draft.folder.name}"


def _continue(draft: Draft) -> None:
    """Continue a draft, as the `on_click` of its button: fields on the screen get its values."""
    try:
        form_values.continue_draft(draft.folder)
    except EspalierError as error:
        state.put(_TROUBLE, str(error))
    else:
        state.press(_CONTINUED)


def _recent() -> list[Entry]:
    """The latest runs that the session does not have; none if their folders cannot be read (Runs shows why)."""
    try:
        entries = run_store.store().find(Query(owner=ownership.owner(), limit=_RUNS + len(state.runs())))
    except EspalierError:
        return []
    known = {run.job.id for run in state.runs()}
    return [one for one in entries if one.id not in known and not (one.error and not one.method)][:_RUNS]


def _run(entry: Entry) -> None:
    errors = "" if entry.errors is None else f", {count(entry.errors, 'training error')}"
    name, key = entry.title or entry.name.removesuffix(TRAINING), f"recent_{entry.id}"
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        moment = when(entry.created, utc_now())
        st.markdown(f"**{plain(name, 60)}**: {entry.size}{errors}  \n:gray[Started {moment}]", width="stretch")
        st.button("Open run", key=key, icon=":material/open_in_new:", on_click=state.press, args=(key,))
    if not state.pressed(key):
        return
    try:
        run = launch.reopen(settings().runs / entry.folder)
    except EspalierError as error:
        st.error(plain(error, 600), icon=":material/error:")
        return
    state.session().adopt(run)
    st.switch_page("pages/inspect.py" if run.job.done else "pages/solve.py")
