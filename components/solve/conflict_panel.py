"""Why no model satisfies all constraints: the conflict, how far each must be relaxed, and a button for it."""

import streamlit as st

from components.messages.text import html, plain
from components.session import next_run, state
from components.session.work import Run
from components.solve import figures
from components.widgets import style
from components.workers import inquiries, launch
from solvers.explain import Conflict, Repair
from solvers.messages.explanations import describe_nearest, headline, repair_cost


def show(run: Run) -> None:
    """Draw the explanation of an infeasible run; if it has constraints, the inquiry starts by itself."""
    if run.problem.constraints:
        inquiries.begin(run, inquiries.why(run))
    inquiries.watch(run, _panel, key=f"conflict_{run.number}", args=(run,))


def _panel(run: Run) -> None:
    answer = inquiries.answer(run, inquiries.why(run))
    if answer is not None:
        st.markdown(f"**{plain(headline(answer), 600)}**")
        left, right = st.columns([1, 1.2], gap="large")
        with left:
            near = ((part.relaxable.words, describe_nearest(part, answer.finished)) for part in answer.parts)
            rows = [(f"{html(words, 300)}<br><small>{html(nearest, 300)}</small>", "") for words, nearest in near]
            if rows:
                st.html(style.table(("In conflict", ""), rows))
            _repairs(run, answer)
        with right:
            if answer.rates is not None:
                style.chart(figures.rates(answer.rates, state.dark()), f"rates_{run.number}")
                st.caption(figures.NOTE)
        for note in answer.notes:
            st.caption(plain(note, 300))
    inquiries.offer(run, inquiries.why(run), "Why?", "Finds the constraints in conflict, and what to relax.")


def _repairs(run: Run, found: Conflict) -> None:
    """Offer each repair; a click makes the change on the Design screen and solves again."""
    if found.offered:
        st.markdown("**Possible changes**")
    # a later repair may be drawn above this one, so keys must not count the lines
    for position, repair in repairs_in_order(found):
        with st.container(horizontal=True, vertical_alignment="center", wrap=False):
            cost = f":small[:gray[{plain(repair_cost(repair, run.problem))}]]"
            st.markdown(f"{plain(repair.words(), 400)}  \n{cost}", width="stretch")
            key = f"repair_{run.number}_{position}"
            if launch.offer("Apply", key, run, "Changes the constraint and solves again."):
                next_run.relax(run, repair.changes)
                launch.start()


def repairs_in_order(found: Conflict) -> list[tuple[int, Repair]]:
    """The repairs worth offering with their fixed indices in the conflict, the smallest changes first.

    One change comes before several, and a weaker constraint before a dropped one.
    """

    def size(repair: Repair) -> tuple[int, int, int]:
        return len(repair.changes), sum(change.weaker is None for change in repair.changes), repair.cost

    offered = ((i, repair) for i, repair in enumerate(found.repairs) if not repair.trivial)
    return sorted(offered, key=lambda placed: size(placed[1]))
