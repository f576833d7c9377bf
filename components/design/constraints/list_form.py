"""The list of constraints: each in words, with what is known of it, to be switched, changed and removed."""

import streamlit as st

from components.design.constraints import editor, files
from components.session import state
from components.session.constraint_list import ListedConstraint
from components.words.constraint_facts import ConstraintLine, constraint_line
from components.words.text import plain
from solvers.problem import Problem

_NOTHING = (
    "What the {noun} must keep besides its size, such as *age is asked before bilirubin*, *no case costs "
    "more than 100*, or *at least 90 % of the sick are found*. The best {noun} that keeps all of it is "
    "sought."
)


def show(problem: Problem) -> bool:
    """Draw the list with the editor; returns whether every constraint that is on speaks of what the table has."""
    st.subheader("Constraints")
    constraints = state.constraints()
    sound = True
    if not constraints.items:
        st.caption(_NOTHING.format(noun=problem.shape.kind.noun))
    with st.container(gap="xsmall"):
        for listed in constraints.items:
            line = constraint_line(listed.constraint, problem)
            _line(listed, line)
            sound = sound and not (listed.on and line.errors)
    with st.container(horizontal=True):
        st.button("Add a constraint", key="constraint_new", icon=":material/add:", on_click=state.open_editor)
        files.show(problem)
    editor.show(problem)
    return sound


def _line(listed: ListedConstraint, line: ConstraintLine) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="xxsmall", wrap=False):
        key = f"constraint_on_{listed.number}"
        # the list decides, also where the constraint was switched by something else than this toggle
        state.put(key, listed.on)
        words = plain(line.words, 300)
        st.toggle(
            words if listed.on else f":gray[{words}]",
            key=key,
            width="stretch",
            on_change=_switch,
            args=(listed.number, not listed.on),
        )
        for name, icon, help, act in (
            ("edit", ":material/edit:", "Change this constraint", state.open_editor),
            ("remove", ":material/delete:", "Remove this constraint", _remove),
        ):
            st.button(
                "",
                key=f"constraint_{name}_{listed.number}",
                icon=icon,
                help=help,
                type="tertiary",
                on_click=act,
                args=(listed.number,),
            )
    if listed.on:
        _known(line)


def _known(line: ConstraintLine) -> None:
    for text in (*line.errors, *line.impossible):
        st.markdown(f":small[:red[:material/block: {plain(text, 400)}]]")
    for text in line.notes:
        st.markdown(f":small[:gray[:material/info: {plain(text, 400)}]]")


def _switch(number: int, on: bool) -> None:
    state.set_constraints(state.constraints().with_switched(number, on))


def _remove(number: int) -> None:
    state.set_constraints(state.constraints().without(number))
