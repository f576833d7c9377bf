"""What would be if a case were another: reverse an answer, change a value, find the smallest change that matters."""

import numpy as np
import streamlit as st

from components.inspect.explorer import case_field
from components.inspect.explorer.what_if_facts import CAUTION, changed, edit_words, nearest, reversal, with_edit
from components.session import state
from components.words.text import labelled, plain
from solvers.diagram import Diagram, Trace
from solvers.errors import EspalierError
from solvers.metrics import Moved
from solvers.problem import Dataset


def edits(values: np.ndarray, *, key: str) -> dict[str, Moved]:
    """The columns of a case that the user has changed; another case starts without changes."""
    name = f"edits_{key}"
    about, found = state.get(name, (b"", {}))
    return found if about == values.tobytes() else {}


def show(diagram: Diagram, values: np.ndarray, trace: Trace, train: Dataset, *, key: str) -> None:
    """Draw the answers of a case, each with a button that reverses it, and the changes that were made.

    `values` are the case as it is, float64 (n_columns,), and `trace` its way with the changes, whose unit is the spread
    of the training rows.
    """
    made = edits(values, key=key)
    st.markdown("**What if?**", help="Reverse an answer, and see where the case would end. " + CAUTION)
    now = changed(diagram, values, made)
    for step in trace.steps:
        change = reversal(diagram, now, step, train)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(plain(step.words, 200), width="stretch")
            st.button(
                "Reverse",
                key=f"turn_{step.node}_{key}",
                icon=":material/swap_horiz:",
                disabled=change is None,
                help=None if change is None else f"What if: {plain(edit_words(diagram, change), 200)}",
                on_click=_reverse,
                args=(diagram, values, made, change, key),
            )
    with st.container(horizontal=True):
        _other_value(diagram, values, made, key)
        if made:
            st.button("Undo changes", key=f"undo_{key}", icon=":material/undo:", on_click=_keep, args=(values, {}, key))
    if made:
        st.caption(f"Changed: {plain('; '.join(edit_words(diagram, edit) for edit in made.values()), 600)}.")
    if trace.label >= 0:
        _smallest(diagram, values, train, key)


def _other_value(diagram: Diagram, values: np.ndarray, made: dict[str, Moved], key: str) -> None:
    if not diagram.features:
        return
    with st.popover("Change a value", key=f"change_{key}"):
        name = st.selectbox("Column", diagram.features, format_func=labelled(diagram.features), key=f"column_{key}")
        now = changed(diagram, values, made)[diagram.schema.index(name)]
        # a field starts with the value as it is now, so it is another one once that has changed
        field = f"value_{name}_{now}_{key}"
        case_field.show(diagram.schema[name], key=field, start=now, label="New value")
        st.button("Apply", key=f"apply_{key}", on_click=_apply, args=(diagram, values, made, name, field, key))
        trouble = state.get(f"trouble_{key}")
        if trouble:
            st.error(plain(trouble, 300))


def _smallest(diagram: Diagram, values: np.ndarray, train: Dataset, key: str) -> None:
    """Tell the smallest change that gives another answer."""
    with st.expander("Smallest change that gives another answer", key=f"smallest_{key}"):
        fixed = st.multiselect(
            "Must stay as it is",
            diagram.features,
            format_func=labelled(diagram.features),
            key=f"fixed_{key}",
            placeholder="nothing",
            help="Columns that nobody can change, for instance age. They are left alone.",
            persist_state="session",
        )
        try:
            sentence, found = nearest(diagram, values, train, tuple(fixed))
        except EspalierError as error:
            st.caption(plain(error, 300))
            return
        st.markdown(plain(sentence, 1000))
        if found is not None:
            moves = {move.column: move for move in found.moved}
            st.button("Show it", key=f"show_{key}", on_click=_keep, args=(values, moves, key))
        st.caption(
            CAUTION,
            help="Fewest columns come first, then the smallest change, in standard deviations of the "
            "training rows. Nothing that the model can be asked is nearer.",
        )


def _reverse(diagram: Diagram, values: np.ndarray, made: dict[str, Moved], change: Moved | None, key: str) -> None:
    if change is not None:
        _keep(values, with_edit(diagram, values, made, change.column, change), key)


def _apply(diagram: Diagram, values: np.ndarray, made: dict[str, Moved], name: str, field: str, key: str) -> None:
    """Take over the value that was entered, or say why it cannot be."""
    try:
        value = case_field.encoded(diagram, name, case_field.entered(field))
    except EspalierError as error:
        state.put(f"trouble_{key}", str(error))
        return
    state.put(f"trouble_{key}", None)
    _keep(values, with_edit(diagram, values, made, name, value), key)


def _keep(values: np.ndarray, edits: dict[str, Moved], key: str) -> None:
    state.put(f"edits_{key}", (values.tobytes(), edits))
