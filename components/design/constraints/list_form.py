"""The list of constraints: each in words, with what is known of it, to be switched, changed and removed."""

import streamlit as st

from components.design.constraints import editor, files
from components.design.constraints.form import say
from components.session import next_run, state
from components.session.constraint_list import ListedConstraint
from components.words.text import plain
from solvers.constraints import Finding, Severity
from solvers.problem import Problem


def show(problem: Problem) -> bool:
    """Draw the list with the editor; returns whether every constraint that is on fits the table."""
    st.subheader("Constraints")
    constraints = state.constraints()
    sound = True
    if not constraints.items:
        noun = problem.shape.kind.noun
        st.caption(f"Add rules that the {noun} must follow. Espalier finds the best {noun} that follows all of them.")
    with st.container(gap="xsmall"):
        for listed in constraints.items:
            findings = listed.constraint.check(problem)
            _line(listed, findings, problem)
            sound = sound and not (listed.on and any(one.severity is Severity.ERROR for one in findings))
    with st.container(horizontal=True):
        st.button("Add constraint", key="constraint_new", icon=":material/add:", on_click=next_run.open_editor)
        files.show(problem)
    editor.show(problem)
    return sound


def _line(listed: ListedConstraint, findings: tuple[Finding, ...], problem: Problem) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="xxsmall", wrap=False):
        key = f"constraint_on_{listed.number}"
        # the list decides, also where the constraint was switched by something else than this toggle
        state.put(key, listed.on)
        words = plain(listed.constraint.words(problem.dataset), 300)
        st.toggle(
            words if listed.on else f":gray[{words}]",
            key=key,
            width="stretch",
            on_change=_switch,
            args=(listed.number, not listed.on),
        )
        for name, icon, help, act in (
            ("edit", ":material/edit:", "Change constraint", next_run.open_editor),
            ("remove", ":material/delete:", "Remove constraint", _remove),
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
        say(sorted(findings, key=lambda one: list(Severity).index(one.severity)))


def _switch(number: int, on: bool) -> None:
    next_run.set_constraints(state.constraints().with_changed(number, on=on))


def _remove(number: int) -> None:
    next_run.set_constraints(state.constraints().without(number))
