"""Why nothing satisfies all wishes: the conflict in words, what each wish would have to give, and a click for it."""

from __future__ import annotations

import streamlit as st

from components import inquiries, launch, state, style
from components.explain_facts import Explanation, explanation
from components.text import html, plain
from components.work import Run
from solvers.explain import Repair


def show(run: Run) -> None:
    """Draw the explanation of a run that ended as infeasible; it is begun here where nobody asked for it yet."""
    if run.problem.constraints:
        inquiries.begin(run, inquiries.why())
    answer = inquiries.answer(run, inquiries.why())
    if answer is not None:
        facts = explanation(answer, run.problem)
        st.markdown(f"**{plain(facts.headline, 600)}**")
        left, right = st.columns([1, 1.2], gap="large")
        with left:
            _clashes(facts)
        with right:
            _remedies(run, facts, answer.repairs)
        for note in facts.notes:
            st.caption(plain(note, 300))
    inquiries.offer(run, inquiries.why(), "Why?", "Finds the fewest wishes that are in conflict, and what to relax.")


def _clashes(facts: Explanation) -> None:
    if facts.clashes:
        rows = [
            (f"{html(clash.words, 300)}<br><small>{html(clash.nearest, 300)}</small>", "") for clash in facts.clashes
        ]
        st.html(style.table(("In conflict", ""), rows))


def _remedies(run: Run, facts: Explanation, repairs: tuple[Repair, ...]) -> None:
    """Offer each repair; a click makes the change on the Design screen and solves again."""
    if not facts.remedies:
        return
    st.markdown("**What would help**")
    same = state.prepared() is run.prepared
    for i, (remedy, repair) in enumerate(zip(facts.remedies, repairs, strict=True)):
        with st.container(horizontal=True, vertical_alignment="center", wrap=False):
            st.markdown(f"{plain(remedy.words, 400)}  \n:small[:gray[{plain(remedy.cost)}]]", width="stretch")
            if st.button(
                "Do this",
                key=f"repair_{run.number}_{i}",
                disabled=not same,
                help="Changes the wish and solves again." if same else "Another table is in use now.",
            ):
                state.relax(run, repair)
                launch.start()
