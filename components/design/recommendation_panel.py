"""The recommended size: trees of all sizes compared by cross-validation, in the background."""

import streamlit as st
from msgspec.structs import replace

from components.design.figures import size_figure, sizes_by_leaves
from components.messages.text import plain
from components.session import state
from components.session.work import Prepared
from components.widgets import segments, style
from components.workers import jobs, sizes
from solvers.messages.recommendation import describe_recommendation
from solvers.metrics.recommended_size import Recommendation, SizeCandidate
from solvers.problem import Problem
from solvers.request import Request

_TIMES = {"1 minute": 60.0, "5 minutes": 300.0, "30 minutes": 1800.0}


def show(request: Request, prepared: Prepared) -> None:
    """Draw the offer, the progress of the comparison, or the recommended size."""
    problem = sizes.question(request, prepared)
    with st.container(border=True):
        st.subheader("Recommended size")
        jobs.watch(problem.id, _show, problem, request, key=f"{sizes.NAME}_watch")


def _show(problem: Problem, request: Request) -> None:
    job = state.jobs().get(problem.id)
    if job is None:
        st.markdown(sizes.PURPOSE)
        _offer(problem, "Recommend size")
        return
    shot = job.snapshot()
    found = sizes.found(job)
    words = jobs.describe_progress(shot, found.done, found.of, f"{found.of} folds")
    jobs.show(job, words, key=f"{sizes.NAME}_stop", share=found.done / max(found.of, 1))
    if found.choice is not None:
        _draw(found, found.choice, problem, request, job.done)
    elif job.done and not shot.error:
        st.markdown(plain(" ".join(describe_recommendation(replace(found, finished=True), problem)), 300))
    if job.done and (found.choice is None or found.left_out or len(found.outer) < found.n_outer):
        _offer(problem, "Compare longer")


def _offer(problem: Problem, label: str) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        time = segments.show("Comparison time limit", list(_TIMES), key="size_time", shown=True)
        args = (problem, _TIMES[time])
        help = "The comparison uses training rows only."
        st.button(label, "size_ask", help, icon=":material/straighten:", on_click=sizes.ask, args=args)
    jobs.trouble(sizes.NAME)


def _draw(found: Recommendation, choice: SizeCandidate, problem: Problem, request: Request, done: bool) -> None:
    left, right = st.columns([1.15, 1], gap="large")
    with left:
        figure = size_figure(sizes_by_leaves(found), problem.objective.class_costs is not None, state.dark())
        style.chart(figure, "size_figure")
    with right:
        for words in describe_recommendation(found, problem):
            st.markdown(plain(words, 500))
        taken = sizes.is_taken(choice, request)
        st.button(
            "Size in use" if taken else "Use this size",
            key="size_take",
            help=None if done else "Wait for the comparison, or stop it.",
            type="secondary" if taken else "primary",
            icon=":material/check:" if taken else None,
            disabled=taken or not done,
            on_click=sizes.take,
            args=(choice,),
        )
