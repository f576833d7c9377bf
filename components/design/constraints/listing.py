"""The list of wishes: each in words, with what is known of it, to be switched, changed and removed."""

from __future__ import annotations

import streamlit as st

from components.design.constraints import editor, files
from components.session import state
from components.session.wishes import Wish
from components.words.text import plain
from components.words.wish_facts import WishLine, wish_line
from solvers.problem import Problem

_NOTHING = (
    "What the {noun} must keep besides its size, such as *age is asked before bilirubin*, *no case costs more than "
    "100*, or *at least 90 % of the sick are found*. The best {noun} that keeps all of it is sought."
)


def show(problem: Problem) -> bool:
    """Draw the list with the editor; returns whether every wish that is on speaks of what the table has.

    Parameters
    ----------
    problem : rows, size and costs that the wishes are added to.
    """
    st.subheader("Wishes")
    wishes = state.wishes()
    sound = True
    if not wishes.items:
        st.caption(_NOTHING.format(noun=problem.shape.kind.noun))
    with st.container(gap="xsmall"):
        for wish in wishes.items:
            line = wish_line(wish.constraint, problem)
            _line(wish, line)
            sound = sound and not (wish.on and line.errors)
    with st.container(horizontal=True):
        st.button("Add a wish", key="wish_new", icon=":material/add:", on_click=state.open_editor)
        files.show(problem)
    editor.show(problem)
    return sound


def _line(wish: Wish, line: WishLine) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="xxsmall", wrap=False):
        key = f"wish_on_{wish.number}"
        # the list decides, also where the wish was switched by something else than this toggle
        state.put(key, wish.on)
        words = plain(line.words, 300)
        st.toggle(
            words if wish.on else f":gray[{words}]",
            key=key,
            width="stretch",
            on_change=_switch,
            args=(wish.number, not wish.on),
        )
        for name, icon, help, act in (
            ("edit", ":material/edit:", "Change this wish", state.open_editor),
            ("remove", ":material/delete:", "Remove this wish", _remove),
        ):
            st.button(
                "",
                key=f"wish_{name}_{wish.number}",
                icon=icon,
                help=help,
                type="tertiary",
                on_click=act,
                args=(wish.number,),
            )
    if wish.on:
        _known(line)


def _known(line: WishLine) -> None:
    for text in (*line.errors, *line.impossible):
        st.markdown(f":small[:red[:material/block: {plain(text, 400)}]]")
    for text in line.notes:
        st.markdown(f":small[:gray[:material/info: {plain(text, 400)}]]")


def _switch(number: int, on: bool) -> None:
    state.set_wishes(state.wishes().with_switched(number, on))


def _remove(number: int) -> None:
    state.set_wishes(state.wishes().without(number))
