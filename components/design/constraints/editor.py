"""The dialog in which a constraint is chosen, filled in, and added to the list, or changed."""

from typing import Literal

import streamlit as st

from components.design.constraints import form
from components.design.constraints.form import ConstraintDraft
from components.messages.text import plain
from components.session import next_run, state
from components.session.constraint_list import ListedConstraint
from components.widgets import footer, segments
from solvers.constraints import KINDS, Constraint, Topic
from solvers.problem import Problem


def kinds_by_topic() -> dict[Topic, list[type[Constraint]]]:
    """All kinds of constraint by topic; the size comes last, as Design has fields for it."""
    topics = sorted(Topic, key=lambda topic: topic is Topic.SIZE)
    found = {topic: [kind for kind in KINDS.values() if kind.topic is topic] for topic in topics}
    return {topic: kinds for topic, kinds in found.items() if kinds}


def show(problem: Problem) -> None:
    """Draw the dialog if it is open; columns, classes and groups come from the rows of `problem`."""
    held = state.session()
    if held.editor is None:
        return
    former = state.constraints()[held.editor] if held.editor else None
    footer.lies_under_dialog()
    width: Literal["large", "medium"] = "large" if former is None else "medium"
    title = "Add constraint" if former is None else "Change constraint"
    st.dialog(title, width=width, on_dismiss=next_run.close_editor)(_edit)(problem, f"constraint_{held.opened}", former)


def _edit(problem: Problem, key: str, former: ListedConstraint | None) -> None:
    if former is not None:
        kind = type(former.constraint)
        st.caption(plain(kind.summary, 300))
        draft = form.show(kind, former.constraint, problem, key)
    else:
        topic = Topic(segments.show("Topic", list(kinds_by_topic()), key=f"{key}_topic"))
        left, right = st.columns([1, 1.25], gap="large")
        with left:
            kind = _kind(topic, key)
        with right:
            st.markdown(f"**{plain(kind.title)}**")
            draft = form.show(kind, None, problem, key)
    _finish(former, draft)


def _kind(topic: Topic, key: str) -> type[Constraint]:
    """Ask for one of the constraints about a topic, each with a sentence of help."""
    by_name = {kind.kind: kind for kind in kinds_by_topic()[topic]}
    name = st.radio(
        "Constraint",
        list(by_name),
        format_func=lambda name: plain(by_name[name].title),
        captions=[plain(kind.summary, 300) for kind in by_name.values()],
        key=f"{key}_{topic}",
        label_visibility="collapsed",
    )
    return by_name[name]


def _finish(former: ListedConstraint | None, draft: ConstraintDraft) -> None:
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button("Cancel", key="constraint_cancel", type="tertiary"):
            next_run.close_editor()
            st.rerun()
        label = "Add" if former is None else "Save"
        # not disabled while a field is empty: a click right after typing first sends what was typed
        done = st.button(label, key="constraint_done", type="primary")
        if done and not draft.sound:
            st.toast("Complete the fields and correct what is marked.", icon=":material/info:")
        elif done and draft.constraint is not None:
            constraints = state.constraints()
            if former is None:
                next_run.set_constraints(constraints.with_added([draft.constraint]))
            else:
                next_run.set_constraints(constraints.with_changed(former.number, constraint=draft.constraint, on=True))
            next_run.close_editor()
            st.rerun()
