"""Models that the user marks with a star and a comment, listed in one place."""

from collections.abc import Callable

import streamlit as st

from components.session import run_actions, state
from components.session.work import FinishedModel, Run
from components.words.text import plain
from solvers.errors import RunError
from solvers.run.notes import LONGEST, Note, add_note, keep_note, list_notes, remove_note
from solvers.words.costs import cost_words
from solvers.words.shapes import size_found


def star(run: Run, model: FinishedModel, *, key: str) -> None:
    """Draw the star of a model, and once it is marked the field of its comment."""
    note = next((note for note in _notes(run) if note.model == model.key), None)
    name = f"{key}_{run.number}_{model.key}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if st.button(
            "\u2605 Favourite" if note else "\u2606 Mark as favourite",
            key=f"star_{name}",
            on_click=_unmark if note else _mark,
            args=(run, note) if note else (run, model, ""),
            help="Removes it from the favourites." if note else "Adds it to the favourites.",
        ):
            # the list is elsewhere on the screen
            st.rerun()
        if note:
            comment = st.text_input(
                "Comment",
                # the same comment may be written in two places, and what is newer holds
                key=state.first(f"comment_{name}_{note.comment}", note.comment),
                max_chars=LONGEST,
                placeholder="Why this model?",
                width="stretch",
            )
            if comment != note.comment:
                _mark(run, model, comment)
                st.rerun()


def show(run: Run, model: FinishedModel) -> None:
    """Draw the star of the model that is looked at, and all favourites about the runs of the session."""
    star(run, model, key="shown")
    several = len({one.number for one in state.runs() if _notes(one)}) > 1
    marked = [(one, note) for one in state.runs() if one.best for note in _notes(one)]
    if not marked:
        st.caption("No favourites yet.")
    for one, note in marked:
        _line(one, note, several)
    for other in state.runs():
        gone = state.get(_removed(other))
        if gone is not None and all(note.model != gone.model for note in _notes(other)):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(plain(f"Removed '{gone.title}'.", 200), width="content")
                st.button(
                    "Undo", key=f"undo_note_{other.number}", icon=":material/undo:", on_click=_undo, args=(other,)
                )


def _line(run: Run, note: Note, several: bool) -> None:
    name = f"{run.number}_{note.id}"
    title = f"{note.title}, run {run.number}" if several else note.title
    words = f"{size_found(note.diagram)}; {cost_words(run.problem, note.diagram, note.cost)}"
    help = "Shows it on the Model tab."
    with st.container(border=True, key=f"favourite_{name}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain(title)}** &nbsp; {plain(words, 200)}", width="stretch")
            st.button("Open", key=f"open_note_{name}", on_click=_open, args=(run, note), help=help)
            st.button("Remove", key=f"remove_note_{name}", on_click=_unmark, args=(run, note), help="Can be undone.")
        if note.comment:
            st.markdown(plain(note.comment, LONGEST))


def _notes(run: Run) -> tuple[Note, ...]:
    try:
        return list_notes(run.job.folder)
    except RunError as error:
        st.error(plain(error, 400), icon=":material/error:")
        return ()


def _removed(run: Run) -> str:
    """The key of the note that was removed last."""
    return f"_removed_note_{run.number}"


def _mark(run: Run, model: FinishedModel, comment: str) -> None:
    _try(lambda: add_note(run.job.folder, model.key, model.title, model.diagram, model.cost, comment))


def _unmark(run: Run, note: Note) -> None:
    _try(lambda: remove_note(run.job.folder, note.id))
    state.put(_removed(run), note)


def _undo(run: Run) -> None:
    _try(lambda: keep_note(run.job.folder, state.get(_removed(run))))
    state.put(_removed(run), None)


def _try(act: Callable[[], object]) -> None:
    try:
        act()
    except RunError as error:
        st.toast(plain(error, 400), icon=":material/error:")


def _open(run: Run, note: Note) -> None:
    model = as_model(run, note)
    if model is not None:
        run_actions.open_model(run, model)


def as_model(run: Run, note: Note) -> FinishedModel | None:
    """A note as a model: the one of the session that it is about, or the noted diagram, verified again.

    `None` if the run has no result to compare it with.
    """
    known = next((model for model in run.models() if model.key == note.model), None)
    if known is not None or run.best is None:
        return known
    return run.best.beside(note.model, note.title, note.diagram)
