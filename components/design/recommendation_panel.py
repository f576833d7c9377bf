"""How large should the tree be? Trees of all sizes compared on rows that they did not see, while the user looks on."""

from typing import Literal

import streamlit as st

from components.design.figures import size_figure
from components.design.recommendation_facts import HEAD, size_lines, size_rows
from components.session import state
from components.session.work import AnyJob, Design, Prepared
from components.widgets import segments, style
from components.words.text import plain
from components.words.text import seconds as seconds_words
from components.workers import sizes
from solvers.metrics.recommended_size import Recommendation, SizeCandidate
from solvers.problem import Problem
from solvers.words.recommendation import recommendation_words

_REFRESH_SECONDS = 0.5
_TIMES = {"1 minute": 60.0, "5 minutes": 300.0, "30 minutes": 1800.0}


def show(design: Design, prepared: Prepared) -> None:
    """Draw the offer, how far the comparison is, or what is recommended."""
    problem = sizes.question(design, prepared)
    with st.container(border=True):
        st.subheader("How large should it be?")
        if _busy(state.size_jobs().get(problem.id)):
            st.fragment(_watched, run_every=_REFRESH_SECONDS, key="size_watch")(problem, design)
        else:
            # what sets the fields below must not stand in a fragment that is drawn again: that brings their old values
            _show(problem, design)


def _busy(job: AnyJob | None) -> bool:
    return job is not None and not job.done


def _watched(problem: Problem, design: Design) -> None:
    if not _busy(state.size_jobs().get(problem.id)):
        st.rerun()
    _show(problem, design)


def _show(problem: Problem, design: Design) -> None:
    job = state.size_jobs().get(problem.id)
    if job is None:
        _offer(problem, "Recommend a size")
        return
    shot = job.snapshot()
    found = sizes.found(job)
    if not job.done:
        with st.container(horizontal=True, vertical_alignment="center"):
            words = f"{found.done} of {found.of} folds, {seconds_words(shot.elapsed)}" if found.of else shot.text
            st.progress(found.done / max(found.of, 1), text=plain(words, 200), width="stretch")
            st.button("Stop", key="size_stop", icon=":material/stop_circle:", on_click=job.cancel)
    elif shot.error:
        st.error(plain(shot.error, 500), icon=":material/error:")
    if found.choice is not None:
        _draw(found, found.choice, problem, design, job.done)
    elif job.done and not shot.error:
        st.markdown("The comparison ended before sizes could be judged.")
    if job.done and (found.choice is None or found.left_out or len(found.outer) < found.n_outer):
        _offer(problem, "Compare again with more time")


def _offer(problem: Problem, label: str) -> None:
    if label == "Recommend a size":
        st.markdown(
            "A larger tree fits these rows better, and may do worse on new ones. Trees of all sizes are compared on "
            "rows that they did not see; of those that do best the smallest is recommended, with its error on new rows."
        )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        time = segments.show("Time for it", list(_TIMES), key="size_time", shown=True)
        st.button(
            label,
            key="size_ask",
            icon=":material/straighten:",
            on_click=_ask,
            args=(problem, _TIMES[time]),
            help="Held-out rows stay unseen.",
        )
    if trouble := state.get("size_trouble"):
        st.error(plain(trouble, 500), icon=":material/error:")


def _ask(problem: Problem, seconds: float) -> None:
    """Have a worker compare the sizes; why it cannot be asked is told where it was."""
    state.put("size_trouble", sizes.ask(problem, seconds))


def _draw(found: Recommendation, choice: SizeCandidate, problem: Problem, design: Design, done: bool) -> None:
    left, right = st.columns([1.15, 1], gap="large")
    with left:
        figure = size_figure(size_lines(found), problem.objective.class_costs is not None, state.dark())
        st.plotly_chart(figure, key="size_figure", config={"displayModeBar": False})
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
        st.html(style.table(HEAD, size_rows(found, problem)))
