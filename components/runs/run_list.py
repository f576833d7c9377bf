"""The list of all runs, including earlier sessions: find, star, open, repeat, change, compare, delete and restore."""

from collections.abc import Callable, Iterable, Sequence

import pandas as pd
import streamlit as st

from components.messages.text import TRAINING, count, plain, storage
from components.session import run_store, state
from components.session.form_values import take_up
from components.session.ownership import owner
from components.session.work import Run
from components.widgets import footer, segments
from components.workers import launch
from solvers.errors import EspalierError, StoreError
from solvers.messages.results import BEST, HEURISTIC, OPTIMAL
from solvers.messages.sweeps import method_title
from solvers.methods import registry
from solvers.store import Entry, Query, RunIndex
from solvers.store.index import TRASH_DAYS

DELETED = "Deleted"
STATES = {
    "Optimal": ("finished",),
    "Running": ("queued", "starting", "running"),
    "Stopped": ("cancelled",),
    "Failed": ("failed",),
    DELETED: (),
}
KINDS = {"Trees": "tree", "BDDs": "bdd", "Diagrams": "diagram"}

STAR = "\u2605"


def lines(entries: Sequence[Entry]) -> pd.DataFrame:
    """The list as a table with headers, one row per run, with sortable numbers and times."""
    return pd.DataFrame([_line(entry) for entry in entries])


def _line(entry: Entry) -> dict[str, object]:
    return {
        STAR: STAR if entry.starred else "",
        "Started": entry.created.astimezone(),
        "Data set": entry.title or entry.name.removesuffix(TRAINING),
        "Outcome": entry.outcome,
        "Method": method_title(entry.method),
        "Size": entry.size,
        "Constraints": entry.constraints,
        "Rows": entry.rows,
        "Training errors": entry.errors,
        "Splits": entry.questions,
        "Status": status(entry),
        "Time (s)": entry.seconds if entry.method else None,
        "Storage (MB)": entry.bytes / 1e6,
        "Comment": entry.comment,
    }


def status(entry: Entry) -> str:
    """The status of a result."""
    if entry.error and not entry.method:
        return "Damaged"
    match entry.state, entry.status:
        case (("queued" | "starting" | "running"), _):
            return "Running"
        case _, "infeasible":
            return "Infeasible"
        case "failed", _:
            return "Failed"
        case "cancelled", _:
            return "Stopped: best so far" if entry.errors is not None else "Stopped"
        case _, "optimal":
            return OPTIMAL
        case _, "no_solution":
            return "No model"
        case _, None:
            return "Not verified"
    if entry.method not in registry.names() or not registry.get(entry.method).exact:
        return HEURISTIC
    return BEST


def sentence(shown: int, total: int, used: int) -> str:
    """The number of runs and their disk space, in a sentence."""
    if not used:
        return "You have no saved runs."
    part = f"{count(shown)} of {count(total, 'run')}" if shown < total else count(total, "run")
    return f"{part}; your runs use {storage(used)}."


_SHOWN = 200
_ALL = "All"
_ROUND, _TROUBLE, _VISIT = "_runs_round", "_runs_trouble", "_runs_visit"
"""State keys of the number of changes of the list, of its last error, and of the visit that read it last."""


def show() -> None:
    """Draw the list with its filters, and the actions for the chosen runs."""
    st.title("Runs")
    try:
        # the list of a moment ago, as on Data, may lack the run that just ended
        index = run_store.store(fresh=state.get(_VISIT) != state.visit())
    except StoreError as error:
        st.warning(plain(error, 600), icon=":material/folder_off:")
        if footer.show("You can still use the runs of this session on Solve.", "Go to Solve", key="runs_solve")[0]:
            st.switch_page("pages/solve.py")
        return
    state.put(_VISIT, state.visit())
    _list(index)


def _list(index: RunIndex) -> None:
    query = _query()
    entries = index.find(query)
    total = index.count(query)
    if query.deleted:
        st.caption(f"Espalier deletes these runs, with their data, {TRASH_DAYS:g} days after you deleted them.")
    if entries:
        _table(entries)
    else:
        filtered = query.text or query.kinds or query.states or query.starred or query.deleted
        st.markdown("No run matches the filters." if filtered else "Runs that you start are listed here.")
    if query.deleted:
        _trash(index, entries)
    elif entries:
        _actions(index, entries)
    if trouble := state.get(_TROUBLE):
        st.error(plain(trouble, 600), icon=":material/error:")
        state.put(_TROUBLE, "")
    words = sentence(len(entries), total, index.bytes_used(query.owner))
    if footer.show(plain(words, 300), "New run", key="runs_next")[0]:
        st.switch_page("pages/data.py")


def _query() -> Query:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = st.text_input(
            "Find",
            key="runs_text",
            placeholder="data set, method, comment ...",
            width=240,
            help="Lists runs that contain every word in data set, outcome, method, size, constraints, name or comment.",
            persist_state="session",
        )
        kind = segments.show("Shape", [_ALL, *KINDS], key="runs_kind", shown=True)
        status = segments.show("Status", [_ALL, *STATES], key="runs_state", shown=True)
        starred = st.toggle("Starred", key="runs_starred", persist_state="session")
    return Query(
        owner=owner(),
        text=text,
        kinds=(KINDS[kind],) if kind in KINDS else (),
        states=STATES.get(status, ()),
        proved=status == "Optimal",
        starred=starred,
        deleted=status == DELETED,
        limit=_SHOWN,
    )


def _key() -> str:
    """The key of the list; a new round has no ticks."""
    return f"runs_table_{state.get(state.first(_ROUND, 0))}"


def _table(entries: list[Entry]) -> None:
    """Draw the list, in which runs can be ticked."""
    st.dataframe(
        lines(entries),
        key=_key(),
        hide_index=True,
        on_select="rerun",
        selection_mode="multi-row",
        column_config={
            STAR: st.column_config.TextColumn(STAR, width=40, help="Starred"),
            "Data set": st.column_config.TextColumn("Data set", pinned=True),
            "Started": st.column_config.DatetimeColumn("Started", format="distance"),
            **{name: st.column_config.NumberColumn(name, format="localized") for name in ("Rows", "Training errors")},
            "Time (s)": st.column_config.NumberColumn("Time (s)", format="%.1f"),
            "Storage (MB)": st.column_config.NumberColumn("Storage (MB)", format="%.2f"),
        },
    )


def _tick_labels(entries: list[Entry]) -> list[Entry]:
    """The runs that are currently ticked in the list."""
    ticks = state.get(_key())
    return [entries[i] for i in ticks["selection"]["rows"] if i < len(entries)] if ticks else []


def _actions(index: RunIndex, entries: list[Entry]) -> None:
    chosen = _tick_labels(entries)
    one = len(chosen) == 1
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if st.button("Open", key="runs_open", type="primary", disabled=not one, icon=":material/open_in_new:"):
            running = chosen[0].state in STATES["Running"]
            _open(index, chosen, "pages/solve.py" if running else "pages/inspect.py")
        if st.button("Compare", key="runs_compare", disabled=len(chosen) < 2, icon=":material/compare:"):
            _open(index, chosen, "pages/compare.py")
        if st.button("Repeat", key="runs_change", disabled=not one, icon=":material/replay:"):
            _repeat(index, chosen[0])
        for name, label, act, what in (("star", "Star", _star, index), ("delete", "Delete", _each, index.delete)):
            key, icon = f"runs_{name}", f":material/{name}:"
            st.button(label, key=key, disabled=not chosen, icon=icon, on_click=act, args=(what, chosen))
    if one:
        _describe(index, chosen[0])
    elif not chosen:
        st.caption("Tick one or more runs in the first column.")


def _describe(index: RunIndex, entry: Entry) -> None:
    if entry.error:
        st.caption(f":orange[{plain(entry.error, 500)}]")
    with st.form(f"runs_marks_{entry.id}", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        title = st.text_input("Name", entry.title, placeholder=entry.name, max_chars=200)
        comment = st.text_input("Comment", entry.comment, max_chars=2000)
        if st.form_submit_button("Save"):
            _try(index.mark, entry.id, owner(), title=title.strip(), comment=comment.strip())
            st.rerun()


def _try(change: Callable[..., object], *args: object, **named: object) -> bool:
    """Change something in the store; on an error store the reason, to be shown, and return False."""
    try:
        change(*args, **named)
    except EspalierError as error:
        state.put(_TROUBLE, str(error))
        return False
    return True


def _opened(index: RunIndex, entry: Entry) -> Run | None:
    """A run of the store as a run of the session; `None` with a message if it cannot be read."""
    mine = next((run for run in state.runs() if run.job.id == entry.id), None)
    if mine is not None:
        return mine
    try:
        return launch.reopen(index.runs / entry.folder)
    except EspalierError as error:
        state.put(_TROUBLE, str(error))
        return None


def _open(index: RunIndex, chosen: list[Entry], page: str) -> None:
    opened = [run for entry in reversed(chosen) if (run := _opened(index, entry)) is not None]
    if len(opened) < len(chosen):
        st.rerun()
    state.session().adopt(*opened)
    st.switch_page(page)


def _repeat(index: RunIndex, entry: Entry) -> None:
    """Load data and design of a run into Design."""
    run = _opened(index, entry)
    if run is None:
        st.rerun()
    take_up(run)
    st.switch_page("pages/design.py")


def _star(index: RunIndex, chosen: list[Entry]) -> None:
    wanted = not all(entry.starred for entry in chosen)
    for entry in chosen:
        _try(index.mark, entry.id, owner(), starred=wanted)


def _each(change: Callable[..., None], chosen: Iterable[Entry]) -> None:
    """Change runs, and reset the ticks of the list: they belong to positions, which have changed."""
    for entry in chosen:
        _try(change, entry.id, owner())
    state.put(_ROUND, state.get(_ROUND, 0) + 1)


def _trash(index: RunIndex, entries: list[Entry]) -> None:
    """Offer to restore the ticked runs, and to delete all of the trash permanently."""
    chosen = _tick_labels(entries) if entries else []
    with st.container(horizontal=True):
        ticked, icon = (index.restore, chosen), ":material/restore_from_trash:"
        st.button("Restore", key="runs_restore", disabled=not chosen, icon=icon, on_click=_each, args=ticked)
        with st.popover("Empty trash", icon=":material/delete_forever:", disabled=not entries):
            st.markdown("All deleted runs lose their tables and models. You cannot undo this.")
            st.button("Delete for good", key="runs_empty", type="primary", on_click=_empty, args=(index,))


def _empty(index: RunIndex) -> None:
    _try(index.empty_trash, owner())
