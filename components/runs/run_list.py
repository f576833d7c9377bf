"""The list of all runs, also of former sessions: find, mark, open, repeat, change, compare, delete and take back."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from components.runs import run_store
from components.runs.facts import HEADS, KINDS, SORTINGS, STATES, lines, sentence
from components.runs.form_values import take_up
from components.session import run_actions, state
from components.session.ownership import owner
from components.session.work import Run
from components.widgets import footer, segments, trash_box
from components.words.text import count, plain, utc_now
from components.workers import launch
from solvers.errors import EspalierError, StoreError
from solvers.store import Entry, Query, RunIndex
from solvers.store.marks import mark
from solvers.store.trash import delete, empty_trash, restore

_SHOWN = 200
_ALL = "All"
_HEIGHT = 420
_UNDO, _ROUND, _TROUBLE = "_runs_undo", "_runs_round", "_runs_trouble"
"""The keys under which the session has what was deleted last, how often the list changed, and what went wrong."""


def show() -> None:
    """Draw the list with its filters, and what can be done with the chosen runs."""
    st.title("Runs")
    try:
        store = run_store.store()
    except StoreError as error:
        _out_of_reach(error)
        return
    if store.note:
        st.info(plain(store.note, 600), icon=":material/build:")
    try:
        _list(store)
    except StoreError as error:
        # the database went away after it was last looked at
        run_store.lost(error)
        _out_of_reach(error)


def _out_of_reach(error: StoreError) -> None:
    """Say why there is no list, and where the runs of the session are."""
    st.warning(plain(error, 600), icon=":material/database_off:")
    footer.show("The runs of this session are on Solve.", "To Solve", key="runs_solve")
    if state.pressed("runs_solve"):
        st.switch_page("pages/solve.py")


def _list(store: run_store.RunStore) -> None:
    query = _query()
    entries = store.index.find(query)
    total = store.index.count(query)
    if gone := state.get(_UNDO):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"{count(len(gone), 'run')} deleted.", width="content")
            undo = partial(_restore, store.index, store.runs, gone)
            st.button("Undo", key="runs_undo", on_click=undo, icon=":material/undo:")
    if not entries:
        filtered = query.text or query.kinds or query.states or query.starred
        st.markdown(
            "No run fits." if filtered else "Every run that you start is kept here, also when the program was closed."
        )
    _table(entries)
    _actions(store.index, store.runs, entries)
    _trash(store.index, store.runs)
    words = sentence(len(entries), total, store.index.bytes_used(query.owner))
    pressed, _ = footer.show(plain(words, 300), "Solve something new", key="runs_next")
    if pressed:
        st.switch_page("pages/data.py")


def _query() -> Query:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = st.text_input(
            "Find",
            key="runs_text",
            placeholder="table, method, comment ...",
            width=240,
            help="Runs in whose table, outcome, method, size, name or comment every word occurs.",
            persist_state="session",
        )
        order = st.selectbox("Sorted by", list(SORTINGS), key="runs_sort", width=190, persist_state="session")
        kind = segments.show("Shape", [_ALL, *KINDS], key="runs_kind", shown=True)
        status = segments.show("State", [_ALL, *STATES], key="runs_state", shown=True)
        starred = st.toggle("Favourites", key="runs_starred", persist_state="session")
    sorting, descending = SORTINGS[order]
    return Query(
        owner=owner(),
        text=text,
        kinds=(KINDS[kind],) if kind in KINDS else (),
        states=STATES.get(status, ()),
        proved=status == "Proved",
        starred=starred,
        sort=sorting,
        descending=descending,
        limit=_SHOWN,
    )


def _key() -> str:
    """The key of the list, whose ticks are those of the present round."""
    return f"runs_table_{state.get(state.first(_ROUND, 0))}"


def _table(entries: list[Entry]) -> None:
    """Draw the list, in which runs can be ticked."""
    if not entries:
        return
    frame = lines(entries, utc_now())
    st.dataframe(
        frame,
        key=_key(),
        hide_index=True,
        height=min(_HEIGHT, 36 * (len(frame) + 1) + 2),
        on_select="rerun",
        selection_mode="multi-row",
        column_config={
            **{head: st.column_config.TextColumn(head) for head in HEADS},
            HEADS.mark: st.column_config.TextColumn(HEADS.mark, width=40, help="A favourite."),
            HEADS.table: st.column_config.TextColumn(HEADS.table, pinned=True),
            HEADS.errors: st.column_config.TextColumn(HEADS.errors, alignment="right"),
            HEADS.questions: st.column_config.TextColumn(HEADS.questions, alignment="right"),
            HEADS.took: st.column_config.TextColumn(HEADS.took, alignment="right"),
            HEADS.storage: st.column_config.TextColumn(HEADS.storage, alignment="right"),
        },
    )


def _ticked(entries: list[Entry]) -> list[Entry]:
    """The runs that are ticked in the list now."""
    ticks = state.get(_key())
    return [entries[i] for i in ticks["selection"]["rows"] if i < len(entries)] if ticks else []


def _actions(index: RunIndex, runs: Path, entries: list[Entry]) -> None:
    chosen = _ticked(entries)
    one = len(chosen) == 1
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if st.button("Open", key="runs_open", type="primary", disabled=not one, icon=":material/open_in_new:"):
            at_work = chosen[0].state in STATES["At work"]
            _open(runs, chosen, "pages/solve.py" if at_work else "pages/inspect.py")
        if st.button("Compare", key="runs_compare", disabled=len(chosen) < 2, icon=":material/compare:"):
            _open(runs, chosen, "pages/compare.py")
        if st.button("Run again", key="runs_again", disabled=not one, icon=":material/replay:"):
            _again(runs, chosen[0], change=False)
        if st.button("Change and run", key="runs_change", disabled=not one, icon=":material/edit:"):
            _again(runs, chosen[0], change=True)
        for name, label, act in (("star", "Star", _star), ("delete", "Delete", _delete)):
            key, icon = f"runs_{name}", f":material/{name}:"
            st.button(label, key=key, disabled=not chosen, icon=icon, on_click=act, args=(index, runs, entries))
    if trouble := state.get(_TROUBLE):
        st.error(plain(trouble, 600), icon=":material/error:")
        state.put(_TROUBLE, "")
    if one:
        _describe(index, runs, chosen[0])
    elif not chosen:
        st.caption("Tick runs in the first column to open, compare, repeat or delete them.")


def _describe(index: RunIndex, runs: Path, entry: Entry) -> None:
    if entry.error:
        st.caption(f":orange[{plain(entry.error, 500)}]")
    with st.form(f"runs_marks_{entry.id}", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        title = st.text_input("Name", entry.title, placeholder=entry.name, max_chars=200)
        comment = st.text_input("Comment", entry.comment, max_chars=2000)
        if st.form_submit_button("Save"):
            _try(mark, index, runs, entry.id, owner(), title=title.strip(), comment=comment.strip())
            st.rerun()


def _try(change: Callable[..., object], *args: object, **named: object) -> bool:
    """Change something in the store; on an error remember why, to be shown, and return False."""
    try:
        change(*args, **named)
    except EspalierError as error:
        state.put(_TROUBLE, str(error))
        return False
    return True


def _opened(runs: Path, entry: Entry) -> Run | None:
    """A run of the store as a run of the session; `None` with a message where it cannot be read."""
    mine = next((run for run in state.runs() if run.job.id == entry.id), None)
    if mine is not None:
        return mine
    try:
        return launch.reopen(runs / entry.folder)
    except EspalierError as error:
        state.put(_TROUBLE, str(error))
        return None


def _open(runs: Path, chosen: list[Entry], page: str) -> None:
    opened = [run for entry in reversed(chosen) if (run := _opened(runs, entry)) is not None]
    if len(opened) < len(chosen):
        st.rerun()
    run_actions.adopt(*opened)
    st.switch_page(page)


def _again(runs: Path, entry: Entry, *, change: bool) -> None:
    """Take up table and design of a run, and start it, or go to Design to change it first."""
    run = _opened(runs, entry)
    if run is None:
        st.rerun()
    take_up(run)
    if change:
        st.switch_page("pages/design.py")
    launch.start()


def _star(index: RunIndex, runs: Path, entries: list[Entry]) -> None:
    chosen = _ticked(entries)
    wanted = not all(entry.starred for entry in chosen)
    for entry in chosen:
        _try(mark, index, runs, entry.id, owner(), starred=wanted)


def _delete(index: RunIndex, runs: Path, entries: list[Entry]) -> None:
    gone = [entry.id for entry in _ticked(entries) if _try(delete, index, runs, entry.id, owner())]
    state.put(_UNDO, gone)
    _untick()


def _untick() -> None:
    """Draw the list anew without ticks: they belong to positions, which have changed."""
    state.put(_ROUND, state.get(_ROUND, 0) + 1)


def _restore(index: RunIndex, runs: Path, ids: list[str]) -> None:
    for run_id in ids:
        _try(restore, index, runs, run_id, owner())
    state.put(_UNDO, [])
    _untick()


def _trash(index: RunIndex, runs: Path) -> None:
    gone = index.find(Query(owner=owner(), deleted=True))
    if gone:
        table = lines(gone, utc_now())[[HEADS.when, HEADS.table, HEADS.method, HEADS.size]]
        restore = partial(_restore, index, runs, [entry.id for entry in gone])
        empty = partial(_empty, index, runs)
        trash_box.show(count(len(gone), "run"), table, key="runs", restore=restore, empty=empty)


def _empty(index: RunIndex, runs: Path) -> None:
    _try(empty_trash, index, runs, owner())
    state.put(_UNDO, [])
