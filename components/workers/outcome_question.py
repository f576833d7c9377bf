"""The question before Solve if classes of the outcome seem to be one class in several spellings."""

import streamlit as st

from components.messages.text import count, plain
from components.session import state, steps
from components.session.work import Prepared
from solvers.problem.preparation import JoinLevels
from solvers.problem.quality import outcome_spellings

_KEPT = "_outcome_kept"


def asks() -> bool:
    """Ask in a dialog whether to merge classes; the choice presses Solve again. `False` if there is nothing to ask."""
    rows = state.prepared()
    joins = () if rows is None else outcome_spellings(rows.whole)
    if rows is None or not joins or state.get(_KEPT) == _key(rows):
        return False
    state.session().dialog = True
    st.dialog("Merge classes of the outcome?", on_dismiss="rerun")(_ask)(rows, joins)
    return True


def _key(rows: Prepared) -> tuple[object, ...]:
    return rows.source.number, rows.whole.outcome, rows.whole.classes


def _ask(rows: Prepared, joins: tuple[JoinLevels, ...]) -> None:
    data = rows.whole
    n = data.n_classes - sum(len(step.values) - 1 for step in joins)
    st.markdown(
        f"The outcome '{plain(data.outcome, 60)}' has {count(data.n_classes, 'class', 'classes')}. Some differ only in "
        f"spelling. If you merge them, {count(n, 'class', 'classes')} remain."
    )
    st.markdown("\n".join(f"- {plain(step.words(), 300)}" for step in joins))
    if others := len(rows.rows.issues) - 1:
        st.caption(f"{count(others, 'other finding')} about this table: see Data.")
    with st.container(horizontal=True):
        st.button("Merge and solve", key="outcome_merge", type="primary", on_click=_decide, args=(rows, joins))
        st.button(f"Keep {data.n_classes} classes", key="outcome_keep", on_click=_decide, args=(rows, ()))
    if state.press_waits():
        st.rerun()


def _decide(rows: Prepared, joins: tuple[JoinLevels, ...]) -> None:
    if joins:
        steps.join_outcome(joins)
    else:
        state.put(_KEPT, _key(rows))
    state.press("next")
