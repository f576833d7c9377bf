"""Why nothing satisfies all constraints: the conflict in words, what each would have to give, and a click for it."""

import streamlit as st

from components.session import state
from components.session.work import Run
from components.widgets import style
from components.words.explain_facts import Explanation, explanation
from components.words.text import html, plain
from components.workers import inquiries, launch


def show(run: Run) -> None:
    """Draw the explanation of a run that ended as infeasible; where constraints are at fault it begins by itself."""
    if run.problem.constraints:
        inquiries.begin(run, inquiries.why())
    inquiries.watch(run, _panel, key=f"conflict_{run.number}", args=(run,))


def _panel(run: Run) -> None:
    answer = inquiries.answer(run, inquiries.why())
    if answer is not None:
        facts = explanation(answer, run.problem)
        st.markdown(f"**{plain(facts.headline, 600)}**")
        left, right = st.columns([1, 1.2], gap="large")
        with left:
            rows = [
                (f"{html(clash.words, 300)}<br><small>{html(clash.nearest, 300)}</small>", "")
                for clash in facts.clashes
            ]
            if rows:
                st.html(style.table(("In conflict", ""), rows))
        with right:
            _remedies(run, facts)
        for note in facts.notes:
            st.caption(plain(note, 300))
    inquiries.offer(
        run, inquiries.why(), "Why?", "Finds the fewest constraints that are in conflict, and what to relax."
    )


def _remedies(run: Run, facts: Explanation) -> None:
    """Offer each repair; a click makes the change on the Design screen and solves again."""
    if not facts.remedies:
        return
    st.markdown("**What would help**")
    # a repair that is found later may be drawn above this one, so keys must not count the lines
    for remedy in facts.remedies:
        with st.container(horizontal=True, vertical_alignment="center", wrap=False):
            st.markdown(
                f"{plain(remedy.words, 400)}  \n:small[:gray[{plain(remedy.cost)}]]",
                width="stretch",
            )
            key = f"repair_{run.number}_{remedy.position}"
            if launch.offer("Do this", key, run, "Changes the constraint and solves again."):
                state.relax(run, remedy.repair.changes)
                launch.start()
