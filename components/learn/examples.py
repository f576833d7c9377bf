"""How many examples it takes to find a random tree again: a sweep, drawn as it goes."""

import streamlit as st

from components.learn import answers
from components.learn.classroom import Classroom
from components.learn.facts import recovery_facts
from components.learn.figures import recovery
from components.learn.models import show_table
from components.session import state
from components.widgets import style
from components.words.text import count, html, plain
from components.workers import job_progress
from solvers.errors import EspalierError
from solvers.run import Job
from solvers.teaching import RecoverGenerators

_GENERATORS = (10, 20, 50, 100)


def show(room: Classroom) -> None:
    """Draw the sweep, or the button that starts it."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        generators = st.selectbox(
            "Random trees",
            _GENERATORS,
            index=1,
            key="learn_generators",
            width=160,
            help="Of depth 5, over 10 yes/no features. More trees make smoother curves and take longer: "
            "about 2 seconds each.",
        )
        task = RecoverGenerators(generators=generators, seed=room.setting.recipe.seed)
        job = answers.job(task)
        if job is None and st.button("Learn them back", type="primary", key="learn_sweep"):
            try:
                job = answers.begin(task, task, room)
            except EspalierError as error:
                st.error(plain(error, 300), icon=":material/error:")
    if job is None:
        st.caption("Nothing has been learned yet. The seed above decides which trees are drawn.")
    else:
        answers.watch_job(job, _show, job)


def _show(job: Job) -> None:
    snapshot = job.snapshot()
    facts = recovery_facts(snapshot.answer) if snapshot.answer is not None and snapshot.answer.points else None
    words, share = plain(snapshot.text, 200), 0.0
    if facts is not None:
        words = f"{count(facts.done)} of {count(facts.total, 'tree')} learned"
        share = facts.done / facts.total
    job_progress.show(job, words, key="learn_sweep_stop", share=share)
    if job.done:
        st.caption(words)
    if facts is None:
        return
    left, right = st.columns([1.4, 1], gap="large")
    with left:
        style.chart(recovery(facts, state.dark()), "recovery")
    with right:
        show_table(("Examples", *(html(head) for head in facts.heads)), facts.rows)
        st.caption("How many of the random trees were found again, right on all 1,024 inputs.")
