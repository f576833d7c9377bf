"""How large should the tree be? Trees of all sizes compared on rows that they did not see, while the user looks on."""

from typing import Literal

import streamlit as st

from components.design.figures import size_figure, sizes_by_leaves
from components.session import state
from components.session.work import Design, Prepared
from components.widgets import segments, style
from components.words.text import plain
from components.workers import jobs, sizes
from solvers.metrics.recommended_size import Recommendation, SizeCandidate
from solvers.problem import Problem
from solvers.words.recommendation import error_words, recommendation_words

_TIMES = {"1 minute": 60.0, "5 minutes": 300.0, "30 minutes": 1800.0}


def show(design: Design, prepared: Prepared) -> None:
    """Draw the offer, how far the comparison is, or what is recommended."""
    problem = sizes.question(design, prepared)
    with st.container(border=True):
        st.subheader("How large should it be?")
        jobs.watch(problem.id, _show, problem, design, key=f"{sizes.NAME}_watch")


def _show(problem: Problem, design: Design) -> None:
    job = state.jobs().get(problem.id)
    if job is None:
        _offer(problem, "Recommend a size")
        return
    shot = job.snapshot()
    found = sizes.found(job)
    words = jobs.progress_words(shot, found.done, found.of, f"{found.of} folds")
    jobs.show(job, words, key=f"{sizes.NAME}_stop", share=found.done / max(found.of, 1))
    if found.choice is not None:
        _draw(found, found.choice, problem, design, job.done)
    elif job.done and not shot.error:
        st.markdown("The comparison ended before sizes could be judged.")
    if job.done and (found.choice is None or found.left_out or len(found.outer) < found.n_outer):
        _offer(problem, "Compare again with more time")


def _offer(problem: Problem, label: str) -> None:
    if label == "Recommend a size":
        st.markdown(
            "A larger tree fits these rows better, and may do worse on new ones. Trees of all sizes "
            "are compared on rows that they did not see; of those that do best the smallest is "
            "recommended, with its error on new rows."
        )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        time = segments.show("Time limit for the comparison", list(_TIMES), key="size_time", shown=True)
        st.button(
            label,
            key="size_ask",
            icon=":material/straighten:",
            on_click=sizes.ask,
            args=(problem, _TIMES[time]),
            help="Held-out rows stay unseen.",
        )
    jobs.trouble(sizes.NAME)


def _draw(found: Recommendation, choice: SizeCandidate, problem: Problem, design: Design, done: bool) -> None:
    left, right = st.columns([1.15, 1], gap="large")
    with left:
        figure = size_figure(sizes_by_leaves(found), problem.objective.class_costs is not None, state.dark())
        style.chart(figure, "size_figure")
    with right:
        for words in recommendation_words(found, problem):
            st.markdown(plain(words, 500))
        taken = sizes.is_taken(choice, design)
        label, icon = ("This size is taken", ":material/check:") if taken else ("Take this size", None)
        kind: Literal["primary", "secondary"] = "secondary" if taken else "primary"
        help = None if done else "Once the comparison has ended, or is stopped."
        off = taken or not done
        st.button(label, "size_take", help, type=kind, icon=icon, disabled=off, on_click=sizes.take, args=(choice,))
    with st.expander("All sizes", key="size_all"):
        head = ("Trees", "Leaves", "Depth", "Rows per leaf", "Training", "Validated", "Standard error")
        st.html(style.table(head, (_row(one, one is found.choice, problem) for one in found.candidates)))


def _row(one: SizeCandidate, is_choice: bool, problem: Problem) -> tuple[str, ...]:
    kind = "greedy" if one.greedy else "optimal"
    errors = (error_words(value, problem) for value in (one.train_error, one.mean, one.standard_error))
    name = f"<b>{kind}, recommended</b>" if is_choice else kind
    return name, str(one.n_leaves), str(one.depth), f"{one.min_samples_leaf}+", *errors
